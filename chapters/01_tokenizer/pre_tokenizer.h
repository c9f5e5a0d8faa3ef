// Pre-tokenizers: how the text is cut into words. No token ever crosses a word's border.
#pragma once

#include <algorithm>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "chapters/01_tokenizer/matcher.h"
#include "common/base/function_ref.h"
#include "common/base/types.h"

namespace llm {

// A part of the text on its way to becoming words. The view is valid during the call that it is passed to.
struct Piece {
  std::string_view text;
  Index from_start_bytes = 0;  // as in NormalizedText

  // The part [begin, end).
  Piece part(Index begin, Index end) const {
    return {text.substr(begin, end - begin), std::clamp<Index>(from_start_bytes - begin, 0, end - begin)};
  }
};

class PreTokenizer {
 public:
  virtual ~PreTokenizer() = default;

  // Cuts a piece, which is not empty, and passes on what comes of it, in order.
  virtual void cut(const Piece& piece, FunctionRef<void(const Piece&)> emit) const = 0;
};

using PreTokenizerPtr = std::unique_ptr<PreTokenizer>;

// What happens to the matches of a pattern ("the-final--countdown" cut at "-"):
enum class SplitBehavior {
  kRemoved,             // the, final, countdown
  kIsolated,            // the, -, final, -, -, countdown
  kMergedWithPrevious,  // the-, final-, -, countdown
  kMergedWithNext,      // the, -final, -, -countdown
  kContiguous,          // the, -, final, --, countdown
};

// Cuts at the matches of a pattern; with `invert` at what lies between them. The types Split, Digits,
// Punctuation, Whitespace and WhitespaceSplit of tokenizer.json.
PreTokenizerPtr make_split(std::unique_ptr<Matcher> matcher, SplitBehavior behavior, bool invert);

// ByteLevel: puts a blank in front if asked to, cuts by GPT-2's pattern if asked to, and writes each byte as
// a character (byte_map.h). With `keep_bytes` it leaves the bytes as they are, for a model that reads bytes.
PreTokenizerPtr make_byte_level(bool add_prefix_space, bool use_regex, bool keep_bytes);

// Metaspace: writes blanks as `replacement` ("▁"), puts one in front of every piece, of the first only or of
// none, and cuts in front of each if `split`.
enum class PrependScheme { kAlways, kFirst, kNever };
PreTokenizerPtr make_metaspace(std::string replacement, PrependScheme prepend, bool split);

// One after the other.
PreTokenizerPtr make_pre_tokenizer_sequence(std::vector<PreTokenizerPtr> steps);

}  // namespace llm
