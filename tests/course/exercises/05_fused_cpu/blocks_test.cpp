#include "chapters/05_fused_cpu/read_blocks.h"
#include "tests/course/exercises/05_fused_cpu/noise.h"
#include "tests/course/exercises/grading.h"

namespace llm::grading {
namespace {

using Values = std::vector<float>;
using baseline::kLanes;
using baseline::kStep;

// Three blocks whose bytes have two different halves each; scales and minima that are exact in 16 bits.
constexpr Index kBlocks = 3;
constexpr float kScales[] = {0.5f, 0.125f, 2.0f}, kMinima[] = {-3.0f, 0.75f, -0.25f};
constexpr Half kScaleBits[] = {0x3800, 0x3000, 0x4000}, kMinimumBits[] = {0xc200, 0x3a00, 0xb400};

template <class Block>
std::vector<Block> blocks() {
  std::vector<Block> row(kBlocks);
  for (std::size_t b = 0; b < kBlocks; ++b) {
    row[b].scale = kScaleBits[b];
    if constexpr (requires { row[b].min; }) row[b].min = kMinimumBits[b];
    for (std::size_t i = 0; i < 16; ++i)
      row[b].codes[i] = static_cast<std::uint8_t>((3 + 5 * i + 7 * b) % 16 + 16 * ((9 * i + 2 + b) % 16));
  }
  return row;
}

// All values of the row, register by register.
template <class Block>
Values by_reader(const std::vector<Block>& row) {
  Values values(kBlocks * kStep, -999.0f);
  for (Index step = 0; step < kBlocks; ++step) [&]<int... I>(std::integer_sequence<int, I...>) {
      float* to = values.data() + step * kStep;
      (baseline::store(to + I * kLanes, baseline::read<I * kLanes>(row.data(), step)), ...);
    }
  (std::make_integer_sequence<int, kStep / kLanes>{});
  return values;
}

// The same from value(block, low half or high, byte): how a value is found is up to `half` and `byte`.
template <class Block, class WhichHalf, class WhichByte, class Value>
Values values_of(const std::vector<Block>& row, WhichHalf half, WhichByte byte, Value value) {
  Values values;
  for (std::size_t b = 0; b < row.size(); ++b)
    for (std::size_t v = 0; v < 32; ++v) {
      const int both = row[b].codes[byte(v)];
      values.push_back(value(b, static_cast<float>(half(v) == 0 ? both % 16 : both / 16)));
    }
  return values;
}

constexpr auto kHalf = [](std::size_t v) { return v / 16; };
constexpr auto kOtherHalf = [](std::size_t v) { return 1 - v / 16; };
constexpr auto kByte = [](std::size_t v) { return v % 16; };

constexpr const char* kSwapped =
    "the halves are swapped: values 0 to 15 are in the lower halves, 16 to 31 in the upper";
constexpr const char* kNeighbours =
    "each byte was read as two neighbours, values 2i and 2i + 1; it holds values i and i + 16";

template <class Block, class Value>
Mistakes<internal::Numbers> misread(const std::vector<Block>& row, Value value) {
  const auto parity = [](std::size_t v) { return v % 2; };
  const auto pair = [](std::size_t v) { return v / 2; };
  return {{values_of(row, kOtherHalf, kByte, value), kSwapped},
          {values_of(row, parity, pair, value), kNeighbours}};
}

TEST_CASE("Q4_0: scale * (code - 8)") {
  const auto row = blocks<BlockQ4_0>();
  const auto value = [](std::size_t b, float code) { return kScales[b] * (code - 8); };
  const auto unshifted = [](std::size_t b, float code) { return kScales[b] * code; };
  auto mistakes = misread(row, value);
  mistakes.push_back({values_of(row, kHalf, kByte, unshifted),
                      "the 8 was not taken off: codes of 0 to 15 stand for -8 to 7"});
  expect_close("three blocks", by_reader(row), values_of(row, kHalf, kByte, value), 0, mistakes);
}

TEST_CASE("Q4_1: scale * code + min") {
  const auto row = blocks<BlockQ4_1>();
  const auto value = [](std::size_t b, float code) { return kScales[b] * code + kMinima[b]; };
  const auto scaled = [](std::size_t b, float code) { return kScales[b] * (code + kMinima[b]); };
  const auto as_q4_0 = [](std::size_t b, float code) { return kScales[b] * (code - 8); };
  auto mistakes = misread(row, value);
  mistakes.push_back({values_of(row, kHalf, kByte, scaled),
                      "the minimum was multiplied by the scale; it is added as it is"});
  mistakes.push_back({values_of(row, kHalf, kByte, as_q4_0),
                      "that is Q4_0's formula: this format has a minimum of its own instead of the 8"});
  expect_close("three blocks", by_reader(row), values_of(row, kHalf, kByte, value), 0, mistakes);
}

}  // namespace
}  // namespace llm::grading
