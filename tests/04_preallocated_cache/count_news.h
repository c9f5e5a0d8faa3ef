// Counts the program's calls of operator new.
#pragma once

namespace llm::test {

// Since the program began. Link count_news.cpp.
long count_news();

}  // namespace llm::test
