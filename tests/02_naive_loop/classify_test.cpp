// Labels judged by the model: against the oracle's logits, and as the command line gives them.
#include "chapters/02_naive_loop/classify.h"

#include <doctest/doctest.h>

#include <cmath>

#include "chapters/02_naive_loop/classify_report.h"
#include "tests/02_naive_loop/fixtures.h"
#include "tests/02_naive_loop/random_model.h"

namespace llm::test {
namespace {

// log softmax of the logits behind `prefix`, by the oracle.
double oracle_log_probability(const ModelConfig& config, const WeightMap& weights,
                              const std::vector<Token>& prefix, Token token) {
  const std::vector<float> all = oracle_logits(config, weights, prefix);
  const std::vector<float> last(all.end() - config.vocab_size, all.end());
  double sum = 0;
  for (const float logit : last) sum += std::exp(static_cast<double>(logit));
  return last[static_cast<std::size_t>(token)] - std::log(sum);
}

TEST_CASE("labels of any length have the sum of their tokens' log-probabilities") {
  const ModelConfig config = awkward_config("qwen3");
  const WeightMap weights = random_weights(config, 11);
  Transformer model(config, to_checkpoint(config, weights));
  const std::vector<Token> prompt = {3, 1, 36, 0, 5};
  const std::vector<std::vector<Token>> labels = {{7}, {2, 30, 9, 4}, {36, 8}, {7, 7}};
  const std::vector<double> got = label_log_probabilities(model, prompt, labels);
  REQUIRE(got.size() == labels.size());
  for (std::size_t b = 0; b < labels.size(); ++b) {
    std::vector<Token> prefix = prompt;
    double expected = 0;
    for (const Token token : labels[b]) {
      expected += oracle_log_probability(config, weights, prefix, token);
      prefix.push_back(token);
    }
    CHECK(got[b] == doctest::Approx(expected).epsilon(1e-4));
  }
}

TEST_CASE("log-probabilities of huge and of masked logits") {
  const float inf = std::numeric_limits<float>::infinity();
  const std::vector<float> logits = {1000.0f, 1000.0f, -inf, 999.0f};
  const View<const float, 1> view(logits.data(), {4});
  CHECK(log_probability(view, 0) == doctest::Approx(-std::log(2 + std::exp(-1.0))));
  CHECK(log_probability(view, 2) == -inf);
}

TEST_CASE("shares sum to 1, also of labels that are hardly probable at all") {
  const std::vector<double> shares = label_shares(std::vector<double>{-2000.0, -2000.0 - std::log(3.0)});
  CHECK(shares[0] == doctest::Approx(0.75));
  CHECK(shares[1] == doctest::Approx(0.25));
}

TEST_CASE("a label's tokens are those that it adds to the prompt's") {
  const OpenModel opened = open_model("storyteller", /*quiet=*/true);
  const std::string prompt = "The dog was very";
  const std::vector<Token> ids = encode_prompt(opened, prompt);
  const std::vector<Label> labels = read_labels(" happy, sad", *opened.tokenizer, prompt, ids);
  REQUIRE(labels.size() == 2);
  CHECK(labels[0].text == " happy");
  CHECK(labels[1].text == " sad");
  for (const Label& label : labels) {
    CHECK(label.fits);
    std::vector<Token> whole = ids;
    whole.insert(whole.end(), label.tokens.begin(), label.tokens.end());
    CHECK(whole == opened.tokenizer->encode(prompt + label.text));
  }
  // The blank belongs to the word behind it: with one in the prompt already, the texts are not cut apart
  // there.
  const std::string blank = prompt + " ";
  const std::vector<Label> glued =
      read_labels("happy,sad", *opened.tokenizer, blank, encode_prompt(opened, blank));
  CHECK_FALSE(glued[0].fits);
  CHECK(glued[0].tokens == opened.tokenizer->encode("happy", false));
  // Behind a conversation labels stand alone.
  CHECK(read_labels("yes,no", *opened.tokenizer, "", ids)[0].tokens ==
        opened.tokenizer->encode("yes", false));
}

TEST_CASE("labels that make no choice are refused") {
  const OpenModel opened = open_model("storyteller", /*quiet=*/true);
  const std::vector<Token> ids = encode_prompt(opened, "So");
  for (const char* text : {"", "yes", "yes,", ",yes", "yes,,no", "yes,no,yes"}) {
    CAPTURE(text);
    CHECK_THROWS_AS(read_labels(text, *opened.tokenizer, "So", ids), Error);
  }
}

}  // namespace
}  // namespace llm::test
