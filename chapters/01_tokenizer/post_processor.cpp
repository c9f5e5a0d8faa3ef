#include "chapters/01_tokenizer/post_processor.h"

#include <algorithm>

#include "common/base/checked.h"

namespace llm {

std::vector<Token> PostProcessor::around(const std::vector<Token>& ids, bool add_special_tokens) const {
  std::vector<Token> result = ids;
  for (const std::vector<TemplatePiece>& pieces : templates_) {
    std::vector<Token> next;
    for (const TemplatePiece& piece : pieces) {
      if (!piece.is_text && !add_special_tokens) continue;
      const std::vector<Token>& part = piece.is_text ? result : piece.ids;
      next.insert(next.end(), part.begin(), part.end());
    }
    result = std::move(next);
  }
  return result;
}

std::vector<Token> PostProcessor::apply(std::vector<Token> ids, bool add_special_tokens) const {
  if (truncation) {
    const auto special = static_cast<Index>(around({}, add_special_tokens).size());
    const Index room = std::max<Index>(truncation->max_length - special, 0);
    if (const auto count = static_cast<Index>(ids.size()); count > room) {
      const auto cut_off = truncation->keep_end ? ids.begin() : ids.begin() + room;
      ids.erase(cut_off, cut_off + (count - room));
    }
  }
  if (!templates_.empty()) ids = around(ids, add_special_tokens);
  if (padding) {
    const auto count = static_cast<Index>(ids.size());
    Index length = padding->length > 0 ? padding->length : count;
    if (padding->multiple_of > 0) length = ceil_div(length, padding->multiple_of) * padding->multiple_of;
    const Index missing = std::max<Index>(length - count, 0);
    ids.insert(padding->on_left ? ids.begin() : ids.end(), static_cast<std::size_t>(missing),
               padding->pad_id);
  }
  return ids;
}

}  // namespace llm
