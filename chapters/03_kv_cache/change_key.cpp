#include "chapters/03_kv_cache/change_key.h"

#include <string>

#include "chapters/03_kv_cache/kv_tokens.h"
#include "common/base/error.h"

namespace llm {

void negate_key(Cache& cache, Index layer, Index position, Index num_key_value_heads, Index head_dim) {
  CacheLayer& changed = cache.layer(layer);
  const Index length = changed.get_seq_length(0);
  if (position < 0 || position >= length)
    fail(ErrorCode::kRange, {.where = "cache",
                             .what = "position of the key to change",
                             .got = std::to_string(position),
                             .expected = "0 to " + std::to_string(length - 1)});
  KvTokens tokens = read_tokens(changed, 0, position, num_key_value_heads, head_dim);
  changed.crop(0, position);  // an error if the layer has lost what comes before
  for (Index head = 0; head < num_key_value_heads; ++head)
    for (float& value : tokens.keys[0][head]) value = -value;
  const RowTokens all{.row = 0, .begin = 0, .count = length - position};
  changed.update(tokens.keys, tokens.values, {&all, 1});
}

}  // namespace llm
