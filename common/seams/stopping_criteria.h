// Decides when a sequence is finished. Chapter 08 has them all.
#pragma once

#include <span>
#include <string_view>

#include "common/base/types.h"

namespace llm {

// Why a sequence ended; kNone while it goes on.
enum class FinishReason { kNone, kEos, kLength, kStopString, kTime, kCustom, kCancelled };

// As JSON lines spell it: "eos", "length", "stop_string", "time", "custom", "cancelled"; "" for kNone.
constexpr std::string_view finish_reason_name(FinishReason reason) {
  constexpr std::string_view kNames[] = {"", "eos", "length", "stop_string", "time", "custom", "cancelled"};
  return kNames[static_cast<int>(reason)];
}

// Like a processor it keeps nothing between calls, a clock aside.
class StoppingCriteria {
 public:
  virtual ~StoppingCriteria() = default;

  virtual FinishReason reason() const = 0;

  // Whether one row is done. input_ids: [S], its padding, prompt and new tokens, the newest included.
  // scores: [V], the processed scores from which it was chosen; may be empty.
  virtual bool operator()(std::span<const Token> input_ids, std::span<const float> scores) const = 0;
};

}  // namespace llm
