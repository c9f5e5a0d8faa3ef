#include "chapters/01_tokenizer/post_processor.h"

#include <algorithm>

#include "common/base/checked.h"
#include "common/base/error.h"

namespace llm {

std::vector<Token> PostProcessor::around(std::vector<Token> ids, bool add_special_tokens) const {
  std::vector<std::vector<Token>> parts;
  parts.push_back(std::move(ids));
  for (const Template& steps : templates_) {
    if (parts.empty() || parts.size() > 2) {
      fail(ErrorCode::kUnsupported,
           {.where = "post_processor", .what = "a template behind one that makes none or several parts"});
    }
    std::vector<std::vector<Token>> next;
    for (const TemplatePiece& piece : parts.size() == 1 ? steps.single : steps.pair) {
      if (piece.text != TemplatePiece::kSpecial) {
        next.push_back(parts[piece.text]);
      } else if (add_special_tokens) {
        next.push_back(piece.ids);
      }
    }
    parts = std::move(next);
  }
  std::vector<Token> all;
  for (const std::vector<Token>& part : parts) all.insert(all.end(), part.begin(), part.end());
  return all;
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
  if (!templates_.empty()) ids = around(std::move(ids), add_special_tokens);
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
