// Decoding token by token, for text that is shown while it is generated.
#pragma once

#include <string>

#include "chapters/01_tokenizer/tokenizer.h"

namespace llm {

// Tokens and characters have different borders: a token may end inside a character, whose remaining bytes
// come with the next one. What put() returns is complete characters only; all pieces and the rest together
// are decode(ids). One exception: in a vocabulary with byte fallback a finished character is shown at once,
// and stays, although later bytes may make the run of byte tokens invalid, whereupon decode() would give
// U+FFFD for every byte of the run. The tokenizer must outlive this.
class StreamingDecoder {
 public:
  explicit StreamingDecoder(const Tokenizer& tokenizer, bool skip_special_tokens = false);

  // The text that may be shown once this token is known; often empty.
  std::string put(Token id);

  // What is left: U+FFFD where the ids ended inside a character. The decoder can be used for new ids
  // afterwards.
  std::string end();

 private:
  const Tokenizer* tokenizer_;
  bool skip_special_tokens_;
  DecoderChain chain_;
};

}  // namespace llm
