// Receives tokens while they are generated. Chapter 08 has the text streamers.
#pragma once

#include <span>

#include "common/base/types.h"

namespace llm {

class Streamer {
 public:
  virtual ~Streamer() = default;

  // The prompt's ids first, then each new token, or several at once when a draft was accepted.
  virtual void put(std::span<const Token> ids) = 0;

  // No more tokens will come. Called once, also when the generation ended by an error.
  virtual void end() = 0;
};

}  // namespace llm
