#include "chapters/03_kv_cache/change_key.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "chapters/03_kv_cache/kv_tokens.h"
#include "chapters/03_kv_cache/new_tokens.h"
#include "common/base/error.h"

namespace llm {
namespace {

void check_position(Index position, Index count) {
  if (position >= 0 && position < count) return;
  fail(ErrorCode::kRange, {.where = "cache",
                           .what = "position of the key to change",
                           .got = std::to_string(position),
                           .expected = "0 to " + std::to_string(count - 1)});
}

// The scores after the last cached token, which is computed again.
std::vector<float> last_scores(CausalLM& model, CachedText& text) {
  const std::span<const Token> last(&text.ids.back(), 1);
  text.cache->crop(0, static_cast<Index>(text.ids.size()) - 1);
  const NewTokens step(last, *text.cache);
  const View<const float, 3> scores =
      model.forward(step.batch(), text.cache.get(), {.logits_to_keep = 1}).host();
  return {scores.data(), scores.data() + scores.size()};
}

double largest_difference(const std::vector<float>& a, const std::vector<float>& b) {
  double largest = 0;
  for (std::size_t i = 0; i < a.size(); ++i)
    largest = std::max(largest, std::abs(static_cast<double>(a[i]) - static_cast<double>(b[i])));
  return largest;
}

Token best(const std::vector<float>& scores) {
  return static_cast<Token>(std::ranges::max_element(scores) - scores.begin());
}

}  // namespace

// --8<-- [start:negate_key]
void negate_key(Cache& cache, Index layer, Index position, Index num_key_value_heads, Index head_dim) {
  CacheLayer& changed = cache.layer(layer);
  const Index length = changed.get_seq_length(0);
  check_position(position, length);
  KvTokens tokens = read_tokens(changed, 0, position, num_key_value_heads, head_dim);
  changed.crop(0, position);  // an error if the layer has lost what comes before
  for (Index head = 0; head < num_key_value_heads; ++head)
    for (float& value : tokens.keys[0][head]) value = -value;
  const RowTokens all{.row = 0, .begin = 0, .count = length - position};
  changed.update(tokens.keys, tokens.values, {&all, 1});
}
// --8<-- [end:negate_key]

KeyChange change_key(CausalLM& model, CachedText& text, Index position) {
  const ModelConfig& config = model.config();
  check_position(position, static_cast<Index>(text.ids.size()) - 1);
  const auto negate = [&] {
    for (Index l = 0; l < config.num_hidden_layers; ++l)
      negate_key(*text.cache, l, position, config.num_key_value_heads, config.head_dim);
  };
  const std::vector<float> before = last_scores(model, text);
  const std::vector<float> again = last_scores(model, text);
  negate();
  const std::vector<float> after = last_scores(model, text);
  negate();
  const std::vector<float> zeros(before.size(), 0.0f);
  last_scores(model, text);  // the last token's own keys saw the change
  return {.position = position,
          .moved = largest_difference(after, before),
          .unchanged = largest_difference(again, before),
          .largest = largest_difference(before, zeros),
          .best_before = best(before),
          .best_after = best(after)};
}

}  // namespace llm
