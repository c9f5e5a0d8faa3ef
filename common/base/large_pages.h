// Memory in pages of 2 MiB instead of 4 KiB, where the system has them.
#pragma once

#include <cstddef>

namespace llm {

// Asks the system to back as much of [data, data + bytes) as it can by large pages. A table of 4 KiB pages
// for a gigabyte of weights is itself megabytes, and looking a page up there costs as much as reading from
// it. Before the memory is first written; no effect on what is read, nor where there are no such pages.
void prefer_large_pages(void* data, std::size_t bytes);

}  // namespace llm
