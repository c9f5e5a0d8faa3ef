// Decoders: how the tokens' strings become text again. A chain of steps, each fed token by token, so that the
// same code decodes a whole list and what a model is just generating.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "chapters/01_tokenizer/matcher.h"
#include "chapters/01_tokenizer/pre_tokenizer.h"
#include "common/base/function_ref.h"
#include "common/base/types.h"

namespace llm {

using EmitText = FunctionRef<void(std::string)>;

// The state of one step while one list of tokens is decoded.
class DecoderStream {
 public:
  virtual ~DecoderStream() = default;
  virtual void put(std::string token, EmitText emit) = 0;
  virtual void end(EmitText emit) { (void)emit; }
};

// How a stream is used.
struct StreamOptions {
  bool fused = false;  // an earlier step joined all tokens: what comes are pieces of one single token
  bool eager = false;  // text is shown while it comes: ByteFallback passes a finished character on at once,
                       // although later bytes of the same run may still be invalid
};

class Decoder {
 public:
  virtual ~Decoder() = default;
  virtual std::unique_ptr<DecoderStream> stream(const StreamOptions& options) const = 0;
  virtual bool fuses() const { return false; }                                // joins all tokens to one
  virtual std::string token_bytes(std::string token) const { return token; }  // of one token alone
};

using DecoderPtr = std::unique_ptr<Decoder>;

// Each is named after its type in tokenizer.json.
DecoderPtr make_byte_level_decoder();     // characters to bytes; invalid UTF-8 becomes U+FFFD
DecoderPtr make_byte_fallback_decoder();  // runs of <0xNN> to text; an invalid run becomes one U+FFFD a byte
DecoderPtr make_fuse_decoder();
DecoderPtr make_replace_decoder(std::shared_ptr<const Matcher> what, std::string by, bool per_character);
DecoderPtr make_strip_decoder(char32_t content, Index start, Index stop);
DecoderPtr make_metaspace_decoder(std::string replacement, PrependScheme prepend);

// All steps of one decoding. Without steps (a tokenizer.json with "decoder": null) tokens are joined by
// blanks.
class DecoderChain {
 public:
  DecoderChain(const std::vector<DecoderPtr>* steps, bool eager);

  std::string put(std::string token);  // what becomes text by this token
  std::string end();                   // what is left

 private:
  void run(std::size_t step, std::string token, std::string& text);
  void finish(std::size_t step, std::string& text);

  std::vector<std::unique_ptr<DecoderStream>> streams_;
  bool first_ = true;
};

}  // namespace llm
