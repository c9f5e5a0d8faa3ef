// What every processor must do, by the shared conformance test; large vocabularies; errors of constructors.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "chapters/07_sampling/candidates.h"
#include "chapters/07_sampling/processors.h"
#include "chapters/07_sampling/temperature.h"
#include "chapters/07_sampling/top_h.h"
#include "chapters/07_sampling/top_k.h"
#include "chapters/07_sampling/top_p.h"
#include "chapters/07_sampling/watermark_detector.h"
#include "common/base/rng.h"
#include "tests/common/seams/logits_processor_conformance.h"
#include "tests/message_of.h"

namespace llm {
namespace {

Tensor<float, 2> random_scores(Index B, Index V, std::uint32_t stream) {
  Tensor<float, 2> scores({B, V});
  for (Index i = 0; i < scores.size(); ++i)
    scores.data()[i] =
        static_cast<float>(16 * uniform({.seed = 5, .sequence = stream, .purpose = RngPurpose::kTest},
                                        static_cast<std::uint32_t>(i)) -
                           8);
  return scores;
}

void check_conformance(const GenerationConfig& config, const ProcessorContext& context, bool may_unban) {
  for (const ProcessorKind& kind : processor_kinds()) {
    const ProcessorPtr processor = kind.make(config, context);
    if (processor == nullptr) continue;
    CAPTURE(kind.field);
    CHECK(processor->name() == kind.field);
    Tensor<float, 2> scores = random_scores(3, 23, 1);
    for (Index b = 0; b < 3; ++b) scores(b, 20) = scores(b, 21) = kBanned;
    const test::Checks checks =
        test::logits_processor_conformance({.processor = *processor,
                                            .input_ids = {{5, 9, 4, 5}, {7, 8, 7, 7}, {1, 1, 3, 1}},
                                            .scores = std::move(scores),
                                            .may_unban = may_unban});
    for (const auto& failure : checks.failures()) FAIL_CHECK(failure);
  }
}

TEST_CASE("every processor conforms") {
  GenerationConfig config;
  const auto set = [&](const char* name, const char* value) {
    set_generation_field(config, name, value, "t");
  };
  set("do_sample", "true"), set("temperature", "0.7"), set("top_k", "4"), set("top_p", "0.7");
  set("min_p", "0.2"), set("typical_p", "0.6"), set("epsilon_cutoff", "0.05"), set("eta_cutoff", "0.3");
  set("top_h", "0.5"), set("repetition_penalty", "1.3"), set("no_repeat_ngram_size", "2");
  set("bad_words_ids", "[[6], [5, 9, 11], [7, 12]]"), set("sequence_bias", "[[[3], -2.0], [[7, 4], 5.0]]");
  set("suppress_tokens", "1,2"), set("begin_suppress_tokens", "3"), set("encoder_repetition_penalty", "1.4");
  set("encoder_no_repeat_ngram_size", "1"), set("renormalize_logits", "true"), set("guidance_scale", "1.5");
  set("watermarking_config", "{\"bias\": 1.5}"), set("eos_token_id", "0,4");
  set("min_length", "7");
  ProcessorContext context{.prompt_length = 4, .max_length = 5, .vocab_size = 23};
  const auto other = std::make_shared<Tensor<float, 2>>(random_scores(1, 23, 2));
  context.unconditional = [copy = std::make_shared<Tensor<float, 2>>(), other](View<const Token, 2> ids) {
    *copy = Tensor<float, 2>({ids.shape(0), 23});
    for (Index b = 0; b < ids.shape(0); ++b) std::copy_n(other->data(), 23, (*copy)[b].begin());
    return View<const float, 2>(*copy);
  };
  check_conformance(config, context, false);
  context.prompt_length = 2;  // two new tokens
  config.begin_suppress_tokens.clear();
  set("exponential_decay_length_penalty", "[1, 1.5]"), set("min_new_tokens", "4");
  check_conformance(config, context, false);
}

TEST_CASE("forced tokens and grammars may bring a banned token back") {
  GenerationConfig config;
  set_generation_field(config, "forced_eos_token_id", "20,3", "test");
  set_generation_field(config, "remove_invalid_values", "true", "test");
  config.top_k = 0;
  ProcessorContext context{.prompt_length = 4, .max_length = 5, .vocab_size = 23};
  context.prefix_allowed_tokens = [](Index, std::span<const Token> ids) {
    return ids[0] == 5 ? std::vector<Token>{4, 2} : std::vector<Token>{20, 21};
  };
  check_conformance(config, context, true);
}

TEST_CASE("top-k and top-p select on 151,936 scores what sorting does") {
  constexpr Index V = 151936;
  const Tensor<float, 2> scores = random_scores(1, V, 3);
  std::vector<float> sorted(scores.data(), scores.data() + V);
  std::ranges::sort(sorted, std::greater<>());
  for (const Index k : {Index{1}, Index{20}, Index{63}, Index{5000}, V - 1, V}) {
    CAPTURE(k);
    CHECK(kth_best(scores[0], k) == sorted[static_cast<std::size_t>(k - 1)]);
    Tensor<float, 2> kept = scores.clone();
    TopK(k).process({}, kept[0]);
    const float limit = sorted[static_cast<std::size_t>(k - 1)];
    bool same = true;
    for (Index v = 0; v < V; ++v)
      same = same && kept(0, v) == (scores(0, v) < limit ? kBanned : scores(0, v));
    CHECK(same);
  }
  double total = 0;
  for (const float score : sorted) total += std::exp(static_cast<double>(score));
  for (const double p : {0.1, 0.5, 0.9, 0.999}) {
    CAPTURE(p);
    double sum = 0;
    Index count = 0;
    for (; sum < p * total; ++count)
      sum += std::exp(static_cast<double>(sorted[static_cast<std::size_t>(count)]));
    Tensor<float, 2> kept = scores.clone();
    TopP(p).process({}, kept[0]);
    const auto left = std::count_if(kept.data(), kept.data() + V, [](float s) { return s != kBanned; });
    CHECK(std::abs(left - count) <= 1);  // the sums are not exactly equal
  }
}

TEST_CASE("ties: top-k keeps all, top-p the higher ids, min-p and top-h the lower ones") {
  const auto left = [](const RowProcessor& processor) {
    std::vector<float> scores = {1, 1, 1, 1, -3};
    processor.process({}, {scores.data(), {5}});
    std::vector<Index> ids;
    for (Index v = 0; v < 5; ++v)
      if (scores[static_cast<std::size_t>(v)] != kBanned) ids.push_back(v);
    return ids;
  };
  CHECK(left(TopK(2)) == std::vector<Index>{0, 1, 2, 3});
  CHECK(left(TopP(0.3)) == std::vector<Index>{2, 3});
  CHECK(left(TopP(0.0)) == std::vector<Index>{3});
}

TEST_CASE(
    "top-h keeps no token whose probability is 0 as a float, however much of the entropy is asked for") {
  std::vector<float> scores = {95, -14, 94};
  TopH(1).process({}, {scores.data(), {3}});
  CHECK(scores == std::vector<float>{95, kBanned, 94});
}

TEST_CASE("a list names the processor after which no token can be chosen, or which made NaN") {
  GenerationConfig config;
  set_generation_field(config, "repetition_penalty", "1.5", "test");
  set_generation_field(config, "suppress_tokens", "0,1,2", "test");
  const std::vector<Token> ids = {1};
  const auto run = [&](std::vector<float> scores, const GenerationConfig& wanted) {
    return message_of([&] {
      make_processors(wanted, {.prompt_length = 1, .vocab_size = 3})
          .run({ids.data(), {1, 1}}, {scores.data(), {1, 3}});
    });
  };
  CHECK(run({1, 2, 3}, config) == "suppress_tokens: row 0: every token is banned, so no token can be chosen");
  CHECK(run({1, NAN, 3}, {}) == "the model: row 0: the score of token 1 is NaN, so no token can be chosen");
  CHECK(run({1, INFINITY, 3}, {}).find("token 1 is infinite") != std::string::npos);
  GenerationConfig mended;
  mended.remove_invalid_values = true;
  CHECK(run({1, NAN, 3}, mended) == "no error");
  GenerationConfig hot;
  set_generation_field(hot, "do_sample", "true", "test");
  set_generation_field(hot, "temperature", "1e-38", "test");
  CHECK(run({1e3f, 2, 3}, hot).find("temperature: row 0: the score of token 0 is infinite") == 0);
}

TEST_CASE("an observer sees the scores before and after each processor") {
  struct Watcher : Observer {
    std::vector<std::string> seen;
    void on_logits(Index step, View<const float, 2> logits) override {
      seen.push_back(std::to_string(step) + ":" + std::to_string(static_cast<int>(logits(0, 0))));
    }
    void on_processor(std::string_view name, View<const float, 2> before,
                      View<const float, 2> after) override {
      seen.push_back(std::string(name) + ":" + std::to_string(static_cast<int>(before(0, 0))) + ">" +
                     std::to_string(static_cast<int>(after(0, 0))));
    }
  } watcher;
  std::vector<float> scores = {8, 2};
  const std::vector<Token> ids = {0};
  const LogitsProcessorList list({std::make_shared<Temperature>(2), std::make_shared<Temperature>(4)});
  list.run({ids.data(), {1, 1}}, {scores.data(), {1, 2}}, &watcher, 6);
  CHECK(watcher.seen == std::vector<std::string>{"6:8", "temperature:8>4", "temperature:4>1"});
}

TEST_CASE("prefix-constrained: an impossible constraint is forced; mistakes of the function are errors") {
  const std::vector<Token> ids = {0, 1};  // two beams of one prompt
  const auto run = [&](std::vector<float> scores, const PrefixAllowedTokens& allowed) {
    PrefixConstrained(allowed, 2)({ids.data(), {2, 1}}, {scores.data(), {2, 3}});
    return scores;
  };
  const float no = kBanned;
  const auto by_row = [](Index, std::span<const Token> row) { return std::vector<Token>{row[0], 2}; };
  CHECK(run({1, 2, no, 4, 5, 6}, by_row) == std::vector<float>{1, no, no, no, 5, 6});
  // One beam has a way to go on: the other one has none and stays banned.
  CHECK(run({no, 2, no, 4, 5, 6}, by_row) == std::vector<float>{no, no, no, no, 5, 6});
  CHECK(run({no, 2, no, 4, no, no}, by_row) == std::vector<float>{0, no, 0, no, 0, 0});
  const auto none = [](Index, std::span<const Token>) { return std::vector<Token>{}; };
  CHECK(message_of([&] {
          (void)run({1, 2, 3, 4, 5, 6}, none);
        }).find("prompt 0: no token") != std::string::npos);
  const auto outside = [](Index, std::span<const Token>) { return std::vector<Token>{3}; };
  CHECK(message_of([&] { (void)run({1, 2, 3, 4, 5, 6}, outside); }).find("0 to 2") != std::string::npos);
}

TEST_CASE("constructors refuse what is outside their range") {
  CHECK(message_of([] { Temperature bad(0); }).find("do_sample=false") != std::string::npos);
  CHECK(message_of([] { Temperature bad(NAN); }).find("above 0") != std::string::npos);
  CHECK(message_of([] { TopK bad(0); }).find("top_k") != std::string::npos);
  CHECK(message_of([] { TopP bad(NAN); }).find("from 0 to 1") != std::string::npos);
  CHECK(message_of([] { Watermark bad({.seeding_scheme = "other"}, 9); }).find("lefthash") !=
        std::string::npos);
  CHECK(message_of([] { Watermark bad({}, 0); }).find("vocab_size") != std::string::npos);
  CHECK(message_of([] {
          (void)WatermarkDetector({.context_width = 3}, 9)(std::vector<Token>{1, 2, 3});
        }).find("more than context_width (3)") != std::string::npos);
}

}  // namespace
}  // namespace llm
