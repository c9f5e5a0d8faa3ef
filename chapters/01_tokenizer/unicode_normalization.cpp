// The only file that asks utf8proc for normal forms.
#include "chapters/01_tokenizer/unicode_normalization.h"

#include <utf8proc.h>

#include <cstdlib>
#include <memory>
#include <vector>

#include "chapters/01_tokenizer/unicode_data.h"
#include "common/base/error.h"
#include "common/text/utf8.h"

namespace llm {
namespace {

constexpr char32_t kTableSize = 0x30000;  // no character beyond decomposes or combines

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
// them, and the parts can be normalised one by one.
class StableCharacters {
 public:
  explicit StableCharacters(NormalForm form) : kinds_(kTableSize, Kind::kChanges) {
    std::vector<bool> joins_previous(kTableSize);
    for (char32_t c = 0; c < kTableSize; ++c) {
      if (examine(c, form, joins_previous)) kinds_[c] = Kind::kStable;
    }
    for (char32_t c = 0; c < kTableSize && is_composed(form); ++c) {
      if (joins_previous[c] || is_hangul_vowel_or_tail(c)) kinds_[c] = Kind::kChanges;
    }
    for (const CodePointRange& range : kUnknownToNormalizer) {
      for (char32_t c = range.first; c <= range.last && c < kTableSize; ++c) kinds_[c] = Kind::kUnknown;
    }
  }

  // Made when a form is used for the first time.
  static const StableCharacters& of(NormalForm form) {
    switch (form) {
      case NormalForm::kNfc: {
        static const StableCharacters nfc(NormalForm::kNfc);
        return nfc;
      }
      case NormalForm::kNfd: {
        static const StableCharacters nfd(NormalForm::kNfd);
        return nfd;
      }
      case NormalForm::kNfkc: {
        static const StableCharacters nfkc(NormalForm::kNfkc);
        return nfkc;
      }
      default: {
        static const StableCharacters nfkd(NormalForm::kNfkd);
        return nfkd;
      }
    }
  }

  // kUnknown: stable, and nothing joins it, since the library's normalizer does not know it.
  enum class Kind : unsigned char { kChanges, kStable, kUnknown };
  Kind kind(char32_t c) const { return c < kTableSize ? kinds_[c] : Kind::kStable; }
  bool changes(char32_t c) const { return kind(c) == Kind::kChanges; }

 private:
  // Whether c stays as it is and is no accent; notes the last part of a composite as one that joins.
  static bool examine(char32_t c, NormalForm form, std::vector<bool>& joins_previous) {
    const auto* property = utf8proc_get_property(static_cast<utf8proc_int32_t>(c));
    if (property->combining_class != 0 || (c >= 0xD800 && c <= 0xDFFF)) return false;
    if (is_hangul_syllable(c)) return is_composed(form);
    if (property->decomp_seqindex == UINT16_MAX) return true;
    std::string self;
    append_code_point(self, c);
    if (run_utf8proc(self, form) != self) return false;
    const std::u32string parts = decode_utf8(run_utf8proc(self, NormalForm::kNfd));
    if (parts.size() > 1 && parts.back() < kTableSize) joins_previous[parts.back()] = true;
    return true;
  }

  std::vector<Kind> kinds_;
};

}  // namespace

void prepare_normal_form(NormalForm form) { StableCharacters::of(form); }

std::string normalize_unicode(std::string_view text, NormalForm form) {
  const StableCharacters& stable = StableCharacters::of(form);
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
    if (!stable.changes(c.value)) {
      // What the library does not know joins with nothing, so a following accent must not reach it.
      last_stable = stable.kind(c.value) == StableCharacters::Kind::kStable ? at : at + c.length;
      at += c.length;
      continue;
    }
    out.append(text.substr(copied, last_stable - copied));
    Index end = at + c.length;
    while (end < size && stable.changes((c = decode_code_point(text, end)).value)) end += c.length;
    out += run_utf8proc(text.substr(last_stable, end - last_stable), form);
    copied = last_stable = at = end;
  }
  return out.append(text.substr(copied));
}

}  // namespace llm
