#include "chapters/01_tokenizer/streaming_decoder.h"

namespace llm {

StreamingDecoder::StreamingDecoder(const Tokenizer& tokenizer, bool skip_special_tokens)
    : tokenizer_(&tokenizer), skip_special_tokens_(skip_special_tokens), chain_(&tokenizer.decoder(), true) {}

// --8<-- [start:put]
std::string StreamingDecoder::put(Token id) {
  const std::string* token = tokenizer_->id_to_token(id);
  if (token == nullptr || (skip_special_tokens_ && tokenizer_->is_special(id))) return {};
  return chain_.put(*token);
}
// --8<-- [end:put]

std::string StreamingDecoder::end() {
  std::string rest = chain_.end();
  chain_ = DecoderChain(&tokenizer_->decoder(), true);
  return rest;
}

}  // namespace llm
