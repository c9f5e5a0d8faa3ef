// The only file that asks utf8proc for normal forms.
#include "chapters/01_tokenizer/unicode_normalization.h"

#include <utf8proc.h>

#include <array>
#include <cstdlib>
#include <memory>
#include <vector>

#include "chapters/01_tokenizer/unicode_data.h"
#include "common/base/error.h"
#include "common/text/utf8.h"

namespace llm {
namespace {

constexpr char32_t kTableSize = 0x30000;  // no character beyond decomposes or combines
constexpr int kForms = 4;

constexpr bool is_compatibility(NormalForm form) {
  return form == NormalForm::kNfkc || form == NormalForm::kNfkd;
}
constexpr bool is_composed(NormalForm form) { return form == NormalForm::kNfc || form == NormalForm::kNfkc; }

constexpr bool is_hangul_syllable(char32_t c) { return c >= 0xAC00 && c <= 0xD7A3; }
constexpr bool is_hangul_vowel_or_tail(char32_t c) {
  return (c >= 0x1161 && c <= 0x1175) || (c >= 0x11A8 && c <= 0x11C2);
}

utf8proc_option_t options(NormalForm form) {
  int bits = UTF8PROC_STABLE | (is_composed(form) ? UTF8PROC_COMPOSE : UTF8PROC_DECOMPOSE);
  if (is_compatibility(form)) bits |= UTF8PROC_COMPAT;
  return static_cast<utf8proc_option_t>(bits);
}

std::string run_utf8proc(std::string_view text, NormalForm form) {
  utf8proc_uint8_t* result = nullptr;
  const auto size = utf8proc_map(reinterpret_cast<const utf8proc_uint8_t*>(text.data()),
                                 static_cast<utf8proc_ssize_t>(text.size()), &result, options(form));
  if (size < 0)
    fail(ErrorCode::kMemory, {.what = "Unicode normalisation failed:", .got = utf8proc_errmsg(size)});
  const std::unique_ptr<utf8proc_uint8_t, decltype(&std::free)> owner(result, &std::free);
  return {reinterpret_cast<const char*>(result), static_cast<std::size_t>(size)};
}

// Characters that never change and never join with what stands before them: the text can be cut in front of
// them, and the parts can be normalised one by one. One bit a form.
class StableCharacters {
 public:
  static const StableCharacters& get() {
    static const StableCharacters table;
    return table;
  }

  bool has(char32_t c, NormalForm form) const {
    return c >= kTableSize || (bits_[c] >> static_cast<int>(form) & 1) != 0;
  }

 private:
  StableCharacters() : bits_(kTableSize, 0) {
    std::vector<bool> joins_previous(kTableSize);
    for (char32_t c = 0; c < kTableSize; ++c) {
      for (int form = 0; form < kForms; ++form) examine(c, static_cast<NormalForm>(form), joins_previous);
    }
    for (char32_t c = 0; c < kTableSize; ++c) {
      const bool joins = joins_previous[c] || is_hangul_vowel_or_tail(c);
      if (joins) bits_[c] &= static_cast<unsigned char>(~(bit(NormalForm::kNfc) | bit(NormalForm::kNfkc)));
    }
    for (const CodePointRange& range : kUnknownToNormalizer) {
      for (char32_t c = range.first; c <= range.last && c < kTableSize; ++c) bits_[c] = (1 << kForms) - 1;
    }
  }

  static int bit(NormalForm form) { return 1 << static_cast<int>(form); }

  // Sets the bit of c if it is unchanged by itself and no accent; notes what the last part of a composite
  // joins.
  void examine(char32_t c, NormalForm form, std::vector<bool>& joins_previous) {
    const auto* property = utf8proc_get_property(static_cast<utf8proc_int32_t>(c));
    if (property->combining_class != 0 || (c >= 0xD800 && c <= 0xDFFF)) return;
    if (is_hangul_syllable(c)) {
      if (is_composed(form)) bits_[c] |= static_cast<unsigned char>(bit(form));
      return;
    }
    if (property->decomp_seqindex == UINT16_MAX) {
      bits_[c] |= static_cast<unsigned char>(bit(form));
      return;
    }
    std::string self;
    append_code_point(self, c);
    const bool stable = run_utf8proc(self, form) == self;
    if (stable) bits_[c] |= static_cast<unsigned char>(bit(form));
    if (form == NormalForm::kNfc && stable) {
      const std::u32string parts = decode_utf8(run_utf8proc(self, NormalForm::kNfd));
      if (parts.size() > 1 && parts.back() < kTableSize) joins_previous[parts.back()] = true;
    }
  }

  std::vector<unsigned char> bits_;
};

bool known_to_normalizer(char32_t c) { return c < 0x300 || !contains(kUnknownToNormalizer, c); }

}  // namespace

std::string normalize_unicode(std::string_view text, NormalForm form) {
  const StableCharacters& stable = StableCharacters::get();
  const auto size = static_cast<Index>(text.size());
  std::string out;
  Index copied = 0;       // text before this is in out
  Index last_stable = 0;  // where the last stable character before `at` begins
  for (Index at = 0; at < size;) {
    if (static_cast<unsigned char>(text[at]) < 0x80) {
      last_stable = at++;
      continue;
    }
    DecodedCodePoint c = decode_code_point(text, at);
    if (stable.has(c.value, form)) {
      // What the library does not know joins with nothing, so a following accent must not reach it.
      last_stable = known_to_normalizer(c.value) ? at : at + c.length;
      at += c.length;
      continue;
    }
    out.append(text.substr(copied, last_stable - copied));
    Index end = at + c.length;
    while (end < size && !stable.has((c = decode_code_point(text, end)).value, form)) end += c.length;
    out += run_utf8proc(text.substr(last_stable, end - last_stable), form);
    copied = last_stable = at = end;
  }
  return out.append(text.substr(copied));
}

}  // namespace llm
