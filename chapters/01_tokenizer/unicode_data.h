// What the tokenizers library takes a character for: letter, number, blank, punctuation.
// Its tables follow several versions of Unicode; the differences from the installed libraries are listed in
// unicode_tables.cpp, so that the same text gives the same ids on every machine.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "common/base/types.h"

namespace llm {

struct CodePointRange {
  char32_t first, last;
};

struct CategoryRange {
  char32_t first, last;
  char category[3];  // "Lu": Unicode's name of a general category
};

extern const std::vector<CategoryRange> kCategoryUpdates;
extern const std::vector<CodePointRange> kNewerAlphabetic;
extern const std::vector<CodePointRange> kNoPunctuation;
extern const std::vector<CodePointRange> kExtraPunctuation;
extern const std::vector<CodePointRange> kUnknownToNormalizer;

bool contains(const std::vector<CodePointRange>& ranges, char32_t code_point);  // ranges in rising order

// Two letters: "Lu", "Nd", "Zs", ...; "Cn" for a code point without a character. As of Unicode 16.
std::string_view general_category(char32_t code_point);

bool is_whitespace(char32_t code_point);   // Unicode's White_Space, 25 characters
bool is_number(char32_t code_point);       // \p{N}
bool is_punctuation(char32_t code_point);  // ASCII's 32 and \p{P} as of Unicode 8
bool is_word(char32_t code_point);  // \w of the regex crate: letters, marks, digits, connectors, joiners
std::string lowercase(std::string_view text);

// The same classes one bit each, in a table for scanning long texts.
inline constexpr unsigned char kLetter = 1, kNumber = 2, kSpace = 4, kMark = 8, kUpper = 16, kLower = 32;

// kLetter: L; kNumber: N; kSpace: White_Space; kMark: M; kUpper: Lu, Lt; kLower: Ll. (Lm and Lo: kLetter
// alone.) A table of 0x110000 entries, made at the first call.
const std::vector<unsigned char>& character_classes();

}  // namespace llm
