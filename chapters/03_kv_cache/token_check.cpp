#include "chapters/03_kv_cache/token_check.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>

#include "chapters/02_naive_loop/full_batch.h"
#include "common/base/error.h"
#include "common/base/timing.h"

namespace llm {
namespace {

// Whether a token's score comes as near to the best one.
bool nearly_best(View<const float, 1> scores, Token best, Token token, double tolerance) {
  if (token < 0 || token >= scores.size()) return false;
  return scores[best] - scores[token] <= tolerance * std::abs(static_cast<double>(scores[best]));
}

}  // namespace

CheckLimit parse_check_limit(const std::string& text) {
  if (text.empty()) return {};
  if (text == "all") return {.tokens = std::numeric_limits<Index>::max()};
  Index tokens = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), tokens);
  if (error != std::errc() || end != text.data() + text.size() || tokens < 0)
    fail(ErrorCode::kUsage, {.where = "--check",
                             .what = "got",
                             .got = "'" + text + "'",
                             .expected = "a number of tokens, or all"});
  return {.tokens = tokens};
}

double tie_tolerance(std::string_view cache_dtype) {
  return cache_dtype == "bf16" ? 3e-2 : cache_dtype == "f16" ? 4e-3 : 1e-4;
}

TokenCheck check_tokens(CausalLM& model, std::vector<Token> prompt, std::span<const Token> new_tokens,
                        const CheckLimit& limit, double tolerance) {
  TokenCheck check{.total = static_cast<Index>(new_tokens.size()), .tolerance = tolerance};
  const Index most = std::min(check.total, limit.tokens.value_or(check.total));
  const Stopwatch all;
  for (Index step = 0; step < most; ++step) {
    if (!limit.tokens && step > 0 && all.seconds() >= limit.seconds) break;
    const Stopwatch clock;
    Logits& logits = model.forward(FullBatch(prompt).batch(), nullptr, {.logits_to_keep = 1});
    const Token expected = logits.argmax()[0];
    check.seconds.push_back(clock.seconds());
    const Token got = new_tokens[static_cast<std::size_t>(step)];
    if (got != expected) {
      const bool close = nearly_best(logits.host()[0][0], expected, got, tolerance);
      (close ? check.too_close : check.different) = step;
      check.expected = expected;
      check.got = got;
      break;
    }
    ++check.equal;
    prompt.push_back(expected);
  }
  return check;
}

std::string TokenCheck::text() const {
  const auto compared = static_cast<Index>(seconds.size());
  std::string text = fmt::format("{}/{}", equal, compared);
  if (different) return text + fmt::format(": token {} is {}, expected {}", *different + 1, got, expected);
  if (too_close)
    return text + fmt::format("; two scores for token {} are within {} of the best: either may win",
                              *too_close + 1, tolerance);
  if (compared < total) text += fmt::format(", of {} new ones", total);
  return text;
}

}  // namespace llm
