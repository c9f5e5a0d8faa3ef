// Changes scores before a token is chosen. Chapter 07 has them all.
#pragma once

#include <string_view>

#include "common/tensor/view.h"

namespace llm {

// Keeps nothing between calls that its arguments do not determine: beams reorder rows and drafts are rolled
// back. What belongs to a request (prompt length, attention mask) is given at construction.
class LogitsProcessor {
 public:
  virtual ~LogitsProcessor() = default;

  // The name of its field in GenerationConfig, such as "top_k".
  virtual std::string_view name() const = 0;

  // input_ids: [B, S], prompt and new tokens so far, padding included. scores: [B, V], changed in place;
  // a token that must not be chosen gets minus infinity.
  virtual void operator()(View<const Token, 2> input_ids, View<float, 2> scores) const = 0;
};

}  // namespace llm
