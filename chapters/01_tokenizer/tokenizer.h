// Text to token ids and back, exactly as the tokenizers library does it from the same tokenizer.json.
//
//   const Tokenizer tokenizer = Tokenizer::load("models/SmolLM2");
//   const std::vector<Token> ids = tokenizer.encode("Once upon a time");
//   std::string text = tokenizer.decode(ids);
//
// The stations of a text: added tokens are cut out, the rest is normalised, cut into words (pre-tokenizer),
// each word is encoded (BPE), and special tokens are put around the ids (post-processor).
#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "chapters/01_tokenizer/added_tokens.h"
#include "chapters/01_tokenizer/bpe_model.h"
#include "chapters/01_tokenizer/decoder.h"
#include "chapters/01_tokenizer/normalizer.h"
#include "chapters/01_tokenizer/post_processor.h"
#include "chapters/01_tokenizer/pre_tokenizer.h"
#include "common/base/types.h"

namespace llm {

// What a tokenizer is put together from; null where a file has no such part.
struct TokenizerParts {
  std::vector<AddedToken> added_tokens;
  NormalizerPtr normalizer;
  PreTokenizerPtr pre_tokenizer;
  std::unique_ptr<BpeModel> model;
  PostProcessor post_processor;
  std::vector<DecoderPtr> decoder;
};

// A word as the pre-tokenizer cut it out, with its merges: for showing.
struct ExplainedWord {
  std::string text;                  // readable: bytes, not the byte-level alphabet
  std::optional<Token> added_token;  // the word is an added token: no merges
  std::vector<Token> symbols;        // what the word starts as
  std::vector<MergeStep> steps;
  std::vector<Token> tokens;  // what it ends as
};

// Cannot be changed once it is made; any number of threads may use it at the same time.
class Tokenizer {
 public:
  explicit Tokenizer(TokenizerParts parts);
  Tokenizer(Tokenizer&&) noexcept;
  Tokenizer& operator=(Tokenizer&&) noexcept;
  ~Tokenizer();

  // From a tokenizer.json, a folder that has one, or a GGUF file. Errors: kMissing, kFormat, kRange;
  // kUnsupported for a component that this course does not have.
  static Tokenizer load(const std::filesystem::path& path);

  // Invalid UTF-8 in the text counts as U+FFFD, one for each maximal invalid part. Special tokens that are
  // written in the text are recognised in any case; add_special_tokens is about those that the post-processor
  // puts around.
  std::vector<Token> encode(std::string_view text, bool add_special_tokens = true) const;

  // Ids that are no token leave no trace, as in the tokenizers library (callers check a user's ids with
  // is_token()). No clean-up of blanks.
  std::string decode(std::span<const Token> ids, bool skip_special_tokens = false) const;

  // Largest id + 1: what an embedding table must have at least. Ids may have gaps below.
  Index vocab_size() const;
  bool is_token(Token id) const { return id_to_token(id) != nullptr; }
  bool is_special(Token id) const;

  // Tokens as they stand in the file: "Ġhello" for " hello" in a byte-level vocabulary. Null or nothing for
  // none.
  std::optional<Token> token_to_id(std::string_view token) const;
  const std::string* id_to_token(Token id) const;

  // The bytes that a token stands for in a text: " hello"; may be part of a character. Empty for no token.
  std::string token_bytes(Token id) const;

  // By id.
  const std::map<Token, AddedToken>& added_tokens() const;

  // The way of a text through the tokenizer, without what the post-processor adds.
  std::vector<ExplainedWord> explain(std::string_view text) const;

  // The steps of the decoder, for StreamingDecoder.
  const std::vector<DecoderPtr>& decoder() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace llm
