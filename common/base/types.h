// The two integer types of the whole course.
#pragma once

#include <cstdint>

namespace llm {

// A count, a size, a position or an offset. Signed, so that differences are safe.
using Index = std::int64_t;

// A token id, as the embedding table numbers them.
using Token = std::int32_t;

}  // namespace llm
