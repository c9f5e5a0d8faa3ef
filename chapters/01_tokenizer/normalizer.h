// Normalizers: what is done to the text before it is cut into words.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "chapters/01_tokenizer/matcher.h"
#include "chapters/01_tokenizer/unicode_normalization.h"
#include "common/base/types.h"

namespace llm {

// A text and how much of it comes from the very beginning of the user's text: the bytes that are, or stand
// for, its first character. Only Metaspace's scheme "first" asks for it.
struct NormalizedText {
  std::string text;
  Index from_start_bytes = 0;
};

class Normalizer {
 public:
  virtual ~Normalizer() = default;
  virtual void apply(NormalizedText& text) const = 0;
};

using NormalizerPtr = std::unique_ptr<Normalizer>;

// Each is named after its type in tokenizer.json.
NormalizerPtr make_unicode_normalizer(NormalForm form);     // NFC, NFD, NFKC, NFKD
NormalizerPtr make_prepend_normalizer(std::string prefix);  // Prepend; not to an empty text
NormalizerPtr make_replace_normalizer(std::unique_ptr<Matcher> what, std::string by);  // Replace
NormalizerPtr make_strip_normalizer(bool left, bool right);                // Strip: blanks at the ends
NormalizerPtr make_lowercase_normalizer();                                 // Lowercase
NormalizerPtr make_normalizer_sequence(std::vector<NormalizerPtr> steps);  // Sequence

}  // namespace llm
