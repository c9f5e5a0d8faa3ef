#include "chapters/04_preallocated_cache/quality.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "chapters/02_naive_loop/classify.h"
#include "chapters/02_naive_loop/full_batch.h"
#include "chapters/03_kv_cache/new_tokens.h"
#include "common/base/error.h"
#include "common/base/timing.h"

namespace llm {
namespace {

Index best(View<const float, 1> scores) {
  return std::max_element(scores.begin(), scores.end()) - scores.begin();
}

}  // namespace

ScoreComparison compare_scores(CausalLM& exact, CausalLM& model, Cache& past_key_values,
                               std::span<const Token> ids, Index first) {
  ScoreComparison result;
  const auto T = static_cast<Index>(ids.size());
  const FullBatch everything(std::vector<Token>(ids.begin(), ids.end()));
  const View<const float, 3> whole =
      exact.forward(everything.batch(), nullptr, {.logits_to_keep = T - first}).host();
  std::vector<float> expected(whole.data(), whole.data() + whole.size());
  const View<const float, 2> rows(expected.data(), {T - first, whole.shape(2)});

  double largest = 0, error = 0;
  for (Index t = 0; t < T;) {
    const Index count = t < first ? first : 1;  // what comes before is read at once
    const NewTokens step(ids.subspan(static_cast<std::size_t>(t), static_cast<std::size_t>(count)),
                         past_key_values);
    const View<const float, 1> scores =
        model.forward(step.batch(), &past_key_values, {.logits_to_keep = 1}).host()[0][0];
    t += count;
    if (t <= first) continue;
    const View<const float, 1> row = rows[t - 1 - first];
    for (Index v = 0; v < scores.size(); ++v) {
      largest = std::max(largest, std::abs(static_cast<double>(row[v])));
      const double off = std::abs(static_cast<double>(row[v]) - static_cast<double>(scores[v]));
      error = std::isnan(off) ? off : std::max(error, off);  // max keeps a NaN on its left
    }
    ++result.tokens;
    result.same_best += best(row) == best(scores);
  }
  result.largest_error = error == 0 ? 0 : error / largest;
  return result;
}

// --8<-- [start:perplexity]
Perplexity perplexity(CausalLM& model, Cache& past_key_values, std::span<const Token> ids, Index chunk) {
  const auto T = static_cast<Index>(ids.size()) - 1;  // the last token is foretold, not read
  if (T < 1) fail(ErrorCode::kRange, {.where = "perplexity", .what = "the text has less than two tokens"});
  const Stopwatch clock;
  double sum = 0;
  for (Index first = 0; first < T; first += chunk) {
    const Index count = std::min(chunk, T - first);
    const NewTokens step(ids.subspan(static_cast<std::size_t>(first), static_cast<std::size_t>(count)),
                         past_key_values);
    const View<const float, 3> scores = model.forward(step.batch(), &past_key_values, {}).host();
    for (Index i = 0; i < count; ++i)
      sum += log_probability(scores[0][i], ids[static_cast<std::size_t>(first + i + 1)]);
  }
  return {.value = std::exp(-sum / static_cast<double>(T)), .tokens = T, .seconds = clock.seconds()};
}
// --8<-- [end:perplexity]

std::vector<QualityRow> measure_quality(CausalLM& model, std::span<const Token> ids,
                                        std::span<const CacheSpec> caches, const CacheSpec& options) {
  constexpr Index kChunk = 128;
  std::vector<QualityRow> rows;
  for (CacheSpec spec : caches) {
    if (spec.cache == "dynamic" || spec.offload) continue;
    spec.max_cache_len = std::max<Index>(1, static_cast<Index>(ids.size()) - 1);
    spec.group_size = options.group_size;
    spec.residual_length = options.residual_length;
    const auto cache = model.make_cache(spec);
    const Perplexity result = perplexity(model, *cache, ids, kChunk);
    rows.push_back({spec, result, cache->memory_bytes()});
  }
  return rows;
}

}  // namespace llm
