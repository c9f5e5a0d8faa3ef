#include "chapters/01_tokenizer/known_patterns.h"

namespace llm {

std::unique_ptr<Matcher> make_pattern_matcher(std::string_view pattern, const std::string& where) {
  if (auto known = make_known_matcher(pattern)) return known;
  return make_regex_matcher(pattern, where);
}

}  // namespace llm
