#include <array>

#include "chapters/04_preallocated_cache/kv_quantize.h"
#include "tests/course/exercises/grading.h"

namespace llm::grading {
namespace {

using Codes = std::vector<int>;

std::vector<int> packed_by_reader(const Codes& codes) {
  const std::vector<std::int8_t> small(codes.begin(), codes.end());
  std::vector<std::byte> bytes(codes.size() / 2 + 1, std::byte{0xa5});  // not zeros, and one that must stay
  pack_int4(small, bytes.data());
  std::vector<int> result;
  for (const std::byte byte : bytes) result.push_back(static_cast<int>(byte));
  return result;
}

// Bytes of numbers 0 to 15. Each flag is a mistake.
struct Oracle {
  bool first_high = false, signs = false, halves = false;

  std::vector<int> operator()(const Codes& codes) const {
    std::vector<int> bytes;
    const std::size_t pairs = codes.size() / 2;
    for (std::size_t i = 0; i < pairs; ++i) {
      int one = halves ? codes[i] : codes[2 * i], two = halves ? codes[i + pairs] : codes[2 * i + 1];
      if (first_high) std::swap(one, two);
      const auto nibble = [&](int code) { return signs ? (code + 16) % 16 : code + 8; };
      bytes.push_back(nibble(one) + 16 * nibble(two));
    }
    bytes.push_back(0xa5);
    return bytes;
  }
};

void check(const std::string& what, const Codes& codes) {
  expect_equal<std::vector<int>>(
      what + ": the bytes, and one behind them", packed_by_reader(codes), Oracle{}(codes),
      {{Oracle{.first_high = true}(codes),
        "the first code of a pair is in the high half; it belongs in the low one"},
       {Oracle{.signs = true}(codes),
        "codes were stored as they are, in two's complement; what is stored is the code plus 8"},
       {Oracle{.halves = true}(codes),
        "code i was paired with code i + n/2, as in GGUF's Q4_0; here neighbours share a byte"}});
}

TEST_CASE("two codes a byte") {
  check("1 and 2", {1, 2});
  check("six codes", {3, 1, 0, 5, 7, 2});
}

TEST_CASE("codes below 0") {
  check("-7 and 7", {-7, 7});
  check("all codes", {-8, -7, -6, -5, -4, -3, -2, -1, 0, 1, 2, 3, 4, 5, 6, 7});
}

TEST_CASE("nothing") { check("no codes", {}); }

}  // namespace
}  // namespace llm::grading
