#include "chapters/03_kv_cache/cached_text.h"

#include <algorithm>
#include <cassert>

#include "common/base/error.h"

namespace llm {

// --8<-- [start:keep_common_prefix]
Index keep_common_prefix(CachedText& text, std::span<const Token> ids) {
  assert(!ids.empty());
  // --8<-- [start:ex03-6]
  const auto differ = std::mismatch(text.ids.begin(), text.ids.end(), ids.begin(), ids.end() - 1);
  auto common = static_cast<Index>(differ.first - text.ids.begin());
  try {
    text.cache->crop(0, common);
  } catch (const Error& refusal) {
    if (refusal.code() != ErrorCode::kRange) throw;
    text.cache->reset();
    common = 0;
  }
  text.ids.resize(static_cast<std::size_t>(common));
  return common;
  // --8<-- [end:ex03-6]
}
// --8<-- [end:keep_common_prefix]

void set_cached_ids(CachedText& text, std::span<const Token> ids, std::span<const Token> new_tokens) {
  text.ids.assign(ids.begin(), ids.end());
  text.ids.insert(text.ids.end(), new_tokens.begin(), new_tokens.end());
  const auto held = static_cast<std::size_t>(text.cache->get_seq_length(0));
  assert(held <= text.ids.size());
  text.ids.resize(held);
}

}  // namespace llm
