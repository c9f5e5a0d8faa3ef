// What the tests of the cutting exercises share.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "chapters/01_tokenizer/known_patterns.h"
#include "tests/course/exercises/grading.h"

namespace llm::grading {

using Words = std::vector<std::string>;

// "a| b|c" as the words "a", " b" and "c".
inline Words words(std::string_view text) {
  Words parts(1);
  for (const char c : text) {
    if (c == '|') {
      parts.emplace_back();
    } else {
      parts.back() += c;
    }
  }
  return parts;
}

// How the reader's code cuts a text. Stops where it does not move on.
inline Words cut(std::string_view pattern, std::string_view text) {
  Words parts;
  make_known_matcher(pattern)->for_each_match(text, [&](Index begin, Index end) {
    if (end <= begin)
      throw WrongAnswer{.what = "a word of \"" + std::string(text) + "\"",
                        .expected = "one character or more",
                        .got = "none: the cursor did not move"};
    parts.emplace_back(text.substr(static_cast<std::size_t>(begin), static_cast<std::size_t>(end - begin)));
  });
  return parts;
}

}  // namespace llm::grading
