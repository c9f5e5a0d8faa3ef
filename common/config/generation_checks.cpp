#include <algorithm>
#include <nlohmann/json.hpp>

#include "common/base/error.h"
#include "common/config/generation_config.h"
#include "common/config/generation_fields.h"

namespace llm {
namespace {

constexpr Index kDefaultNewTokens = 20;

// Calls check(id) for each token id that a field holds; fields of other types hold none.
template <class T, class F>
void for_each_id(const T& value, F check) {
  if constexpr (std::is_same_v<T, Token>) {
    check(value);
  } else if constexpr (std::is_same_v<T, std::optional<Token>>) {
    if (value) check(*value);
  } else if constexpr (std::is_same_v<T, SequenceBias>) {
    for_each_id(value.ids, check);
  } else if constexpr (std::is_same_v<T, std::vector<Token>> ||
                       std::is_same_v<T, std::vector<std::vector<Token>>> ||
                       std::is_same_v<T, std::vector<SequenceBias>>) {
    for (const auto& item : value) for_each_id(item, check);
  }
}

void check_contradictions(const GenerationConfig& config, const std::string& where) {
  const auto contradiction = [&](const std::string& what, const std::string& remedy) {
    fail(ErrorCode::kUsage, {.where = where, .what = what, .remedy = remedy});
  };
  if (config.do_sample && config.temperature == 0.0)
    contradiction("temperature: got 0 with do_sample, expected a number above 0",
                  "for the best token every time set do_sample=false");
  const Index returned = config.num_return_sequences;
  if (config.num_beams == 1 && !config.do_sample && returned > 1)
    contradiction("num_return_sequences: got " + std::to_string(returned) +
                      ", expected 1: taking the best token every time has one result only",
                  "set do_sample=true or num_beams");
  if (config.num_beams > 1 && returned > config.num_beams)
    contradiction("num_return_sequences: got " + std::to_string(returned) + ", expected at most num_beams (" +
                      std::to_string(config.num_beams) + ")",
                  "");
  const auto suppressed = [&](Token id) { return std::ranges::count(config.suppress_tokens, id) > 0; };
  if (config.forced_bos_token_id && suppressed(*config.forced_bos_token_id))
    contradiction("forced_bos_token_id: it is in suppress_tokens too", "remove it from one of them");
  const auto& forced = config.forced_eos_token_id;
  if (!forced.empty() && std::ranges::all_of(forced, suppressed))
    contradiction("forced_eos_token_id: all of it is in suppress_tokens too",
                  "remove it from one of them; min_new_tokens keeps a text from ending early");
}

}  // namespace

void expect_ids_below(const GenerationConfig& config, Index vocab_size, const std::string& where) {
  for (const GenerationField& field : generation_fields()) {
    const auto check = [&](Token id) {
      if (id < vocab_size) return;
      fail(ErrorCode::kRange, {.where = where + ": " + std::string(field.name),
                               .what = "got",
                               .got = std::to_string(id),
                               .expected = "token ids from 0 to " + std::to_string(vocab_size - 1) +
                                           " (vocab_size " + std::to_string(vocab_size) + ")"});
    };
    std::visit([&](auto member) { for_each_id(config.*member, check); }, field.member);
  }
}

std::vector<std::string> check_combinations(const GenerationConfig& config, const std::string& where) {
  check_contradictions(config, where);
  constexpr std::string_view kSamplingOnly[] = {"temperature", "top_k",     "top_p",          "min_p",
                                                "top_h",       "typical_p", "epsilon_cutoff", "eta_cutoff"};
  constexpr std::string_view kBeamOnly[] = {"early_stopping", "length_penalty"};
  constexpr std::string_view kCacheOnly[] = {"cache_implementation", "cache_config", "max_cache_len"};
  std::vector<std::string> warnings;
  const auto warn = [&](std::span<const std::string_view> names, const std::string& without) {
    for (const std::string_view name : names) {
      const GenerationField& field = *find_generation_field(name);
      if (config.given.contains(name) && !is_neutral(config, field))
        warnings.push_back(std::string(name) + " " + generation_field_json(config, field) +
                           " has no effect without " + without);
    }
  };
  if (!config.do_sample) warn(kSamplingOnly, "do_sample=true");
  if (config.num_beams == 1) warn(kBeamOnly, "num_beams above 1");
  if (!config.use_cache) warn(kCacheOnly, "use_cache=true");
  return warnings;
}

Index max_total_tokens(const GenerationConfig& config, Index prompt_tokens) {
  if (config.max_new_tokens) return prompt_tokens + *config.max_new_tokens;
  if (!config.max_length) return prompt_tokens + kDefaultNewTokens;
  if (*config.max_length <= prompt_tokens)
    fail(ErrorCode::kRange,
         {.where = "max_length",
          .what = "got",
          .got = std::to_string(*config.max_length),
          .expected = "more than the prompt's " + std::to_string(prompt_tokens) + " tokens",
          .remedy = "set max_new_tokens instead"});
  return *config.max_length;
}

}  // namespace llm
