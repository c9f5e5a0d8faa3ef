// Which of many names was probably meant.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace llm {

// The candidate with the fewest insertions, deletions and replacements of characters between it and `name`;
// empty when even that one differs in more than a third of them.
std::string near_match(std::string_view name, std::span<const std::string> candidates);

}  // namespace llm
