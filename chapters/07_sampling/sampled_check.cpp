#include "chapters/07_sampling/sampled_check.h"

#include <fmt/format.h>

#include <cmath>

#include "chapters/07_sampling/candidates.h"
#include "chapters/07_sampling/feed.h"
#include "common/base/timing.h"

namespace llm {
namespace {

constexpr double kTolerance = 1e-4;

// Whether rounding could have made `got` of what is `expected` here.
bool is_close(const TokenChooser& chooser, Index position, Token expected, Token got) {
  const View<const float, 1> scores = chooser.scores();
  if (!chooser.rule().do_sample)
    return std::abs(scores[expected] - scores[got]) <= kTolerance * std::abs(scores[expected]);
  const Distribution distribution = distribution_of(scores);
  const double uniform = sampling_uniform(chooser.rule(), position);
  double sum = 0;
  for (const Candidate& candidate : distribution.candidates) {
    sum += distribution.probability(candidate);
    if (std::abs(sum - uniform) <= kTolerance) return true;
  }
  return false;
}

}  // namespace

TokenCheck check_sampled(CausalLM& naive, std::span<const Token> prompt, std::span<const Token> new_tokens,
                         const ChoiceRule& rule, const CheckLimit& limit) {
  TokenCheck check{.total = static_cast<Index>(new_tokens.size())};
  check.tolerance = kTolerance;
  TokenChooser chooser(rule, prompt, 0, check.total);
  std::vector<Token> ids(prompt.begin(), prompt.end());
  const Stopwatch total;
  for (Index i = 0; i < limit.tokens.value_or(check.total) && i < check.total; ++i) {
    if (!limit.tokens && i > 0 && total.seconds() > limit.seconds) break;
    const Stopwatch clock;
    chooser.take(last_scores(feed(naive, nullptr, ids), 0));
    const Index position = chooser.position();
    const Token expected = chooser.choose_next(), got = new_tokens[static_cast<std::size_t>(i)];
    check.seconds.push_back(clock.seconds());
    if (expected != got) {
      check.expected = expected;
      check.got = got;
      (is_close(chooser, position, expected, got) ? check.too_close : check.different) = i;
      break;
    }
    ++check.equal;
    ids.push_back(got);
  }
  return check;
}

std::string sampled_check_text(const TokenCheck& check) {
  std::string text = fmt::format("{}/{}", check.equal, check.total);
  if (check.too_close)
    text +=
        fmt::format(", where the number drawn in step {} is within {:g} of the boundary between two tokens",
                    *check.too_close + 1, kTolerance);
  if (check.different)
    text +=
        fmt::format("; in step {} token {}, expected {}", *check.different + 1, check.got, check.expected);
  return text;
}

}  // namespace llm
