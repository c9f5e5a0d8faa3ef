#include "chapters/07_sampling/suppress_tokens.h"

namespace llm {

void SuppressTokens::process(std::span<const Token>, View<float, 1> scores) const {
  for (const Token id : ids_) ban(scores, id);
}

void BeginSuppressTokens::process(std::span<const Token> input_ids, View<float, 1> scores) const {
  if (static_cast<Index>(input_ids.size()) != begin_index_) return;
  for (const Token id : ids_) ban(scores, id);
}

}  // namespace llm
