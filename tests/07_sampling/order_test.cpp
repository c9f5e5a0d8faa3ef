// Which processors a config makes, in which order, and what custom ones replace.
#include <doctest/doctest.h>

#include <algorithm>

#include "chapters/07_sampling/processors.h"
#include "chapters/07_sampling/repetition_penalty.h"
#include "chapters/07_sampling/temperature.h"
#include "chapters/07_sampling/top_k.h"
#include "common/config/generation_fields.h"
#include "tests/message_of.h"

namespace llm {
namespace {

using Names = std::vector<std::string>;

GenerationConfig config_of(const std::vector<std::pair<std::string, std::string>>& fields) {
  GenerationConfig config;
  for (const auto& [name, value] : fields) set_generation_field(config, name, value, "test");
  return config;
}

Names names_of(const LogitsProcessorList& list) {
  Names names;
  for (const ProcessorPtr& processor : list.processors()) names.emplace_back(processor->name());
  return names;
}

ProcessorContext context() { return {.prompt_length = 3, .max_length = 9, .vocab_size = 20}; }

class Custom : public LogitsProcessor {
 public:
  std::string_view name() const override { return "custom"; }
  void operator()(View<const Token, 2>, View<float, 2> scores) const override { scores(0, 0) += 1; }
};

TEST_CASE("the order is transformers'") {
  const GenerationConfig config = config_of({{"do_sample", "true"},
                                             {"renormalize_logits", "true"},
                                             {"watermarking_config", "{}"},
                                             {"eta_cutoff", "0.1"},
                                             {"epsilon_cutoff", "0.1"},
                                             {"typical_p", "0.5"},
                                             {"min_p", "0.1"},
                                             {"top_p", "0.5"},
                                             {"top_k", "3"},
                                             {"top_h", "0.5"},
                                             {"temperature", "0.5"},
                                             {"begin_suppress_tokens", "1"},
                                             {"suppress_tokens", "2"},
                                             {"exponential_decay_length_penalty", "[2, 1.5]"},
                                             {"remove_invalid_values", "true"},
                                             {"forced_eos_token_id", "4"},
                                             {"forced_bos_token_id", "5"},
                                             {"min_new_tokens", "2"},
                                             {"bad_words_ids", "[[7]]"},
                                             {"encoder_no_repeat_ngram_size", "2"},
                                             {"no_repeat_ngram_size", "2"},
                                             {"repetition_penalty", "1.5"},
                                             {"encoder_repetition_penalty", "1.5"},
                                             {"sequence_bias", "[[[1], 2.0]]"},
                                             {"guidance_scale", "1.5"},
                                             {"eos_token_id", "4"}});
  ProcessorContext all = context();
  all.unconditional = [](View<const Token, 2>) { return View<const float, 2>(); };
  all.prefix_allowed_tokens = [](Index, std::span<const Token>) { return std::vector<Token>{1}; };
  CHECK(names_of(make_processors(config, all)) == Names{"guidance_scale",
                                                        "sequence_bias",
                                                        "encoder_repetition_penalty",
                                                        "repetition_penalty",
                                                        "no_repeat_ngram_size",
                                                        "encoder_no_repeat_ngram_size",
                                                        "bad_words_ids",
                                                        "min_new_tokens",
                                                        "prefix_allowed_tokens_fn",
                                                        "forced_bos_token_id",
                                                        "forced_eos_token_id",
                                                        "remove_invalid_values",
                                                        "exponential_decay_length_penalty",
                                                        "suppress_tokens",
                                                        "begin_suppress_tokens",
                                                        "temperature",
                                                        "top_h",
                                                        "top_k",
                                                        "top_p",
                                                        "min_p",
                                                        "typical_p",
                                                        "epsilon_cutoff",
                                                        "eta_cutoff",
                                                        "watermarking_config",
                                                        "renormalize_logits"});
}

TEST_CASE("every row of the table has its field, and every processor the name of its row") {
  for (const ProcessorKind& kind : processor_kinds()) {
    CAPTURE(kind.field);
    CHECK((find_generation_field(kind.field) != nullptr || kind.field == "prefix_allowed_tokens_fn"));
  }
}

TEST_CASE("defaults: top_k 50 when sampling, nothing when not; filters need do_sample") {
  CHECK(names_of(make_processors({}, context())).empty());
  CHECK(names_of(make_processors(config_of({{"do_sample", "true"}}), context())) == Names{"top_k"});
  CHECK(names_of(make_processors(config_of({{"do_sample", "true"}, {"top_k", "0"}}), context())).empty());
  CHECK(names_of(make_processors(config_of({{"temperature", "0.5"}, {"top_p", "0.5"}, {"min_length", "4"}}),
                                 context()))
            .empty());
  CHECK(names_of(make_processors(config_of({{"min_length", "4"}, {"eos_token_id", "1"}}), context())) ==
        Names{"min_length"});
  CHECK(names_of(make_processors(
            config_of({{"min_length", "9"}, {"min_new_tokens", "2"}, {"eos_token_id", "1"}}), context())) ==
        Names{"min_new_tokens"});
}

TEST_CASE("a custom one of a penalty's class replaces it in its place; one of a filter's class runs too") {
  const GenerationConfig config = config_of({{"do_sample", "true"},
                                             {"temperature", "0.5"},
                                             {"repetition_penalty", "1.5"},
                                             {"suppress_tokens", "3"},
                                             {"renormalize_logits", "true"}});
  const auto penalty = std::make_shared<RepetitionPenalty>(3.0);
  const auto temperature = std::make_shared<Temperature>(0.25);
  const std::vector<ProcessorPtr> custom = {temperature, std::make_shared<Custom>(), penalty};
  const LogitsProcessorList list = make_processors(config, context(), custom);
  CHECK(names_of(list) == Names{"repetition_penalty", "suppress_tokens", "temperature", "custom",
                                "temperature", "top_k", "renormalize_logits"});
  CHECK(list.processors()[0] == penalty);
  CHECK(list.processors()[2] == temperature);
}

TEST_CASE("the other order would do something else: temperature before a ban's penalty on negative scores") {
  // Penalty 2, temperature 0.5 and top-k 1 on 3 (seen) and 2: the penalty first gives 1.5 < 2.
  const std::vector<Token> ids = {0};
  const auto best = [&](const std::vector<ProcessorPtr>& order) {
    std::vector<float> scores = {3, 2, -1};
    const LogitsProcessorList list(order);
    list({ids.data(), {1, 1}}, {scores.data(), {1, 3}});
    return std::ranges::max_element(scores) - scores.begin();
  };
  const auto penalty = std::make_shared<RepetitionPenalty>(2.0);
  const auto top_k = std::make_shared<TopK>(1);
  CHECK(best({penalty, top_k}) == 1);
  CHECK(best({top_k, penalty}) == 0);
}

TEST_CASE("beams keep one token more than there are end tokens") {
  std::vector<float> scores = {4, 3, 2, 1};
  const std::vector<Token> ids = {0};
  const auto left = [&](const GenerationConfig& config) {
    std::vector<float> copy = scores;
    make_processors(config, context())({ids.data(), {1, 1}}, {copy.data(), {1, 4}});
    return std::ranges::count_if(copy, [](float s) { return s > -1e30f; });
  };
  CHECK(left(config_of({{"do_sample", "true"}, {"top_k", "1"}})) == 1);
  CHECK(left(config_of({{"do_sample", "true"}, {"top_k", "1"}, {"num_beams", "2"}})) == 2);
  CHECK(left(config_of(
            {{"do_sample", "true"}, {"top_p", "0.1"}, {"num_beams", "2"}, {"eos_token_id", "0,1"}})) == 3);
}

TEST_CASE("warnings name what has no effect; contradictions are errors") {
  const auto warnings = [](const std::vector<std::pair<std::string, std::string>>& fields) {
    std::string all;
    for (const std::string& line : processor_warnings(config_of(fields), "test")) all += line + "\n";
    return all;
  };
  CHECK(warnings({{"temperature", "0.5"}}).find("temperature 0.5 has no effect without do_sample=true") !=
        std::string::npos);
  CHECK(warnings({{"min_new_tokens", "3"}}).find("without eos_token_id") != std::string::npos);
  CHECK(warnings({{"eos_token_id", "3"}, {"min_length", "9"}, {"min_new_tokens", "3"}}).find("min_length") !=
        std::string::npos);
  CHECK(warnings({{"eos_token_id", "3"}, {"bad_words_ids", "[[3]]"}}).find("bad_words_ids") !=
        std::string::npos);
  CHECK(warnings({{"do_sample", "true"}, {"temperature", "0.5"}}).empty());
  CHECK(message_of([] {
          (void)make_processors(config_of({{"do_sample", "true"}, {"temperature", "0"}}), context());
        }).find("do_sample=false") != std::string::npos);
  CHECK(message_of([] {
          (void)make_processors(config_of({{"guidance_scale", "2"}}), context());
        }).find("guidance_scale") != std::string::npos);
}

}  // namespace
}  // namespace llm
