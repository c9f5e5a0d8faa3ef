// SmolLM2-135M-Instruct (make model fetches it): the tokens, scores and text that transformers gives.
#include <doctest/doctest.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "chapters/02_naive_loop/full_batch.h"
#include "chapters/02_naive_loop/json_lines.h"
#include "tests/02_naive_loop/fixtures.h"
#include "tests/json_lines.h"

namespace llm::test {
namespace {

// Sanitizers slow the products down: then one generation is enough.
#ifdef __SANITIZE_ADDRESS__
constexpr bool kSanitized = true;
#else
constexpr bool kSanitized = false;
#endif

struct SmolLM2 {
  const OpenModel& opened;
  Transformer model{opened.config, opened.checkpoint};

  // Null where the file has not been fetched.
  static SmolLM2* get() {
    const OpenModel* opened = open_smollm2();
    if (!opened) return nullptr;
    static SmolLM2 loaded{*opened};
    return &loaded;
  }
};

TEST_CASE("SmolLM2: every tensor of the file has its place, the prompt's ids are transformers'") {
  SmolLM2* smol = SmolLM2::get();
  if (!smol) return;
  CHECK(smol->model.unused_tensors().empty());
  for (const Json& golden : read_json_lines(data_path("smollm2/generate.jsonl"))) {
    const auto ids = golden.contains("messages")
                         ? encode_chat(smol->opened, golden["messages"], smol->opened.chat_template(""))
                         : encode_prompt(smol->opened, golden["prompt"].get<std::string>());
    CHECK(ids == golden["input_ids"].get<std::vector<Token>>());
  }
}

TEST_CASE("SmolLM2: the first scores and all new tokens of every fixture") {
  SmolLM2* smol = SmolLM2::get();
  if (!smol) return;
  Index generated = 0;
  for (const Json& golden : read_json_lines(data_path("smollm2/generate.jsonl"))) {
    CAPTURE(golden["name"].get<std::string>());
    const auto prompt = golden["input_ids"].get<std::vector<Token>>();
    const std::vector<float> scores = run(smol->model, FullBatch(prompt).batch(), {.logits_to_keep = 1});
    const Json& top = golden["first_logits_top5"];
    for (std::size_t i = 0; i < 5; ++i)
      CHECK(scores[top["ids"][i].get<std::size_t>()] ==
            doctest::Approx(top["logits"][i].get<float>()).epsilon(1e-4));

    if (kSanitized && generated++ > 0) continue;
    const Json request = {{"input_ids", Json::array({prompt})},
                          {"generation_config", golden["generation_config"]}};
    const Served served = serve_lines(request.dump(), [&](std::istream& in, std::ostream& out) {
      return answer_json_lines(in, out, smol->opened, smol->model, {}, "");
    });
    CHECK(served.status == 0);
    REQUIRE(served.answers.size() == 1);
    const Json& answer = served.answers[0];
    auto sequence = answer["sequences"][0].get<std::vector<Token>>();
    sequence.erase(sequence.begin(), sequence.begin() + static_cast<std::ptrdiff_t>(prompt.size()));
    CHECK(sequence == golden["new_tokens"].get<std::vector<Token>>());
    CHECK(answer["text"][0] == golden["new_text"]);
  }
}

TEST_CASE("SmolLM2: log-probabilities of 200 tokens of text") {
  SmolLM2* smol = SmolLM2::get();
  if (!smol) return;
  const Json golden = read_json_file(data_path("smollm2/perplexity.json"));
  const auto ids = golden["input_ids"].get<std::vector<Token>>();
  const View<const float, 3> logits = smol->model.forward(FullBatch(ids).batch(), nullptr, {}).host();
  for (std::size_t i = 0; i + 1 < ids.size(); ++i) {
    const View<const float, 1> scores = logits[0][static_cast<Index>(i)];
    double sum = 0;
    for (const float score : scores) sum += std::exp(static_cast<double>(score));
    const double log_prob = static_cast<double>(scores[ids[i + 1]]) - std::log(sum);
    CHECK(std::abs(log_prob - golden["log_probs"][i].get<double>()) < 2e-4);
  }
}

}  // namespace
}  // namespace llm::test
