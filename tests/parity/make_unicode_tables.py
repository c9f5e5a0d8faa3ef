#!/usr/bin/env python3
"""Prints chapters/01_tokenizer/unicode_tables.cpp: where the tokenizers library's idea of Unicode differs.

The library bundles Unicode data of several ages (its regular expressions know version 16, its normalizer
version 9, its punctuation version 8), and an installed PCRE2 or utf8proc has yet another. This script asks the
library about every code point and writes down the differences from Unicode 14 (Python 3.11's unicodedata,
PCRE2 10.40 to 10.42), as ranges.

Needs the tokenizers package and Python 3.11. Run: make_unicode_tables.py > chapters/01_tokenizer/unicode_tables.cpp; make format
"""

import unicodedata

from tokenizers import Regex, normalizers, pre_tokenizers

CATEGORIES = "Lu Ll Lt Lm Lo Mn Mc Me Nd Nl No Pc Pd Ps Pe Pi Pf Po Sm Sc Sk So Zs Zl Zp Cc Cf Co".split()
CODE_POINTS = [c for c in range(0x110000) if not 0xD800 <= c <= 0xDFFF]

# Decompositions and combining classes that came with Unicode 15 to 17, which Python 3.11 does not know.
NEWER_COMBINING = [(0x897, 0x897), (0x105C9, 0x105C9), (0x105E4, 0x105E4), (0x10D69, 0x10D6D),
                   (0x10EFA, 0x10EFF), (0x11382, 0x11391), (0x113B8, 0x113D0), (0x113E1, 0x113E2),
                   (0x11F41, 0x11F42), (0x1611E, 0x1612F), (0x16D63, 0x16D6A), (0x1ACF, 0x1AEB),
                   (0x1CCD6, 0x1CCF9), (0x1E030, 0x1E06D), (0x1E08F, 0x1E08F), (0x1E4EC, 0x1E4EF),
                   (0x1E5EE, 0x1E5EF), (0xA7F1, 0xA7F1)]

# Older marks that became alphabetic with Unicode 16.
NEWLY_ALPHABETIC = [(0x363, 0x36F), (0xC04, 0xC04), (0xF82, 0xF83), (0x1DD3, 0x1DE6), (0x11080, 0x11081)]


def oniguruma_class(pattern):
    """The code points that the library's regular expressions find for a pattern."""
    split = pre_tokenizers.Split(Regex(pattern), "removed")
    kept = {c for piece, _ in split.pre_tokenize_str("".join(map(chr, CODE_POINTS))) for c in piece}
    return {c for c in CODE_POINTS if chr(c) not in kept}


def ranges(pairs):
    """[(code point, value)] in order -> [first, last, value]."""
    out = []
    for code_point, value in pairs:
        if out and out[-1][1] == code_point - 1 and out[-1][2] == value:
            out[-1][1] = code_point
        else:
            out.append([code_point, code_point, value])
    return out


def print_table(comment, type_name, name, rows):
    if comment:
        print(comment)
    print(f"const std::vector<{type_name}> {name} = {{")
    line = "   "
    for row in rows:
        if len(line) + len(row) + 2 > 108:
            print(line)
            line = "   "
        line += f" {row},"
    print(line)
    print("};\n")


def categories():
    category = {}
    for name in CATEGORIES:
        for code_point in oniguruma_class(rf"\p{{{name}}}"):
            category[code_point] = name
    return category


def punctuation_differences(category):
    split = pre_tokenizers.Punctuation()
    found = {c for c in CODE_POINTS if len(split.pre_tokenize_str("a" + chr(c) + "b")) > 1}
    plain = {c for c in CODE_POINTS if category.get(c, "Cn")[0] == "P"}
    missing = sorted(plain - found)
    extra = sorted(found - plain)
    return ranges((c, "-") for c in missing), ranges((c, "+") for c in extra)


def unknown_to_normalizer():
    unknown = {c for first, last in NEWER_COMBINING for c in range(first, last + 1)}
    unknown |= {0x11930, 0x11935}  # compose to U+11938 since Unicode 13
    for form in ("NFC", "NFD", "NFKC", "NFKD"):
        normalizer = getattr(normalizers, form)()
        for c in CODE_POINTS:
            for text in (chr(c), "a\u0315" + chr(c) + "\u0300\u0323"):
                if unicodedata.normalize(form, text) != normalizer.normalize_str(text):
                    unknown.add(c)
    return ranges((c, "") for c in sorted(unknown))


def main():
    category = categories()
    updates = ranges((c, category[c]) for c in CODE_POINTS
                     if c in category and category[c] != unicodedata.category(chr(c)))
    print("// Made by tests/parity/make_unicode_tables.py; not edited by hand.")
    print('#include "chapters/01_tokenizer/unicode_data.h"\n')
    print("namespace llm {\n")
    print_table("// General categories that changed or came after Unicode 14, as of Unicode 16.",
                "CategoryRange", "kCategoryUpdates",
                [f'{{0x{a:X}, 0x{b:X}, "{v}"}}' for a, b, v in updates])
    alphabetic = oniguruma_class(r"\p{Alphabetic}")
    print_table("// Marks that are alphabetic since Unicode 15 or 16.", "CodePointRange", "kNewerAlphabetic",
                [f"{{0x{a:X}, 0x{b:X}}}" for a, b, _ in ranges(
                    (c, "") for c in sorted(alphabetic) if category[c][0] == "M" and
                    (unicodedata.category(chr(c)) == "Cn" or any(a <= c <= b for a, b in NEWLY_ALPHABETIC)))])
    missing, extra = punctuation_differences(category)
    print_table("// Punctuation of Unicode that the library's list lacks, and what it has besides.",
                "CodePointRange", "kNoPunctuation", [f"{{0x{a:X}, 0x{b:X}}}" for a, b, _ in missing])
    print_table("", "CodePointRange", "kExtraPunctuation", [f"{{0x{a:X}, 0x{b:X}}}" for a, b, _ in extra])
    print_table("// Characters that combine or decompose today and that the library's normalizer passes unchanged.",
                "CodePointRange", "kUnknownToNormalizer",
                [f"{{0x{a:X}, 0x{b:X}}}" for a, b, _ in unknown_to_normalizer()])
    print("}  // namespace llm")


if __name__ == "__main__":
    main()
