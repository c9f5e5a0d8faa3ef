// The tokenizer inside a GGUF file: lists in its metadata instead of a tokenizer.json.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "chapters/01_tokenizer/tokenizer.h"
#include "common/base/types.h"

namespace llm {

class GgufFile;

// The keys tokenizer.ggml.* as plain lists, so that this chapter needs no GGUF reader.
struct GgufVocabulary {
  std::string model;  // "gpt2": byte-level BPE; "llama": SentencePiece's BPE with byte fallback
  std::string pre;    // how "gpt2" cuts words: "qwen2", "llama-bpe", "smollm", ...; may be empty
  std::vector<std::string> tokens;  // by id
  std::vector<Index> token_types;   // by id, GgufTokenType; may be empty: all normal
  std::vector<double> scores;       // by id; "llama" only
  std::vector<std::string> merges;  // "a b" in the order of their ranks; "gpt2" only
  std::optional<Token> bos_token_id, eos_token_id, unknown_token_id, padding_token_id;
  std::optional<bool> add_bos_token, add_eos_token;  // default: BOS with "llama" only, never EOS
  bool add_space_prefix = true;                      // "llama": a blank in front of the text
};

enum class GgufTokenType : Index {
  kNormal = 1,
  kUnknown = 2,
  kControl = 3,
  kUserDefined = 4,
  kUnused = 5,
  kByte = 6
};

// `where` names the file in messages. Errors: kUnsupported for another model or `pre`, kFormat for lists that
// do not fit each other, ids out of range, or merges that name no token.
TokenizerParts make_gguf_tokenizer(const GgufVocabulary& vocabulary, const std::string& where);

// The lists of a file. Errors: those of GgufFile's accessors.
GgufVocabulary read_gguf_vocabulary(const GgufFile& file);

}  // namespace llm
