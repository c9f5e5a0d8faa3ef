// What a conversation keeps from turn to turn: the ids that were computed, and their keys and values.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "common/seams/cache.h"

namespace llm {

struct CachedText {
  std::unique_ptr<Cache> cache;  // of one row
  std::vector<Token> ids;        // what it holds: as many as its length
};

// Makes room for another text: keeps what both begin with, forgets the rest, and returns how many tokens of
// `ids` need not be computed any more. At least the last one has to be, for its scores.
// The texts often part early: a chat template may leave out what the model thought in earlier turns, and a
// tokenizer may cut an answer's text in other places than the model wrote it.
// A cache that cannot go back so far (a ring has lost the keys) starts anew.
Index keep_common_prefix(CachedText& text, std::span<const Token> ids);

// After a generation: the text is now `ids` and the new tokens, as far as the cache holds them. The last new
// token was never fed.
void set_cached_ids(CachedText& text, std::span<const Token> ids, std::span<const Token> new_tokens);

}  // namespace llm
