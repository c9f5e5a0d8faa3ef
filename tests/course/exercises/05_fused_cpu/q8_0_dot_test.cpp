#include "chapters/05_fused_cpu/kernel_parts.h"
#include "common/tensor/blocks.h"
#include "tests/course/exercises/grading.h"

namespace llm::grading {
namespace {

using Values = std::vector<float>;

struct Pair {
  BlockQ8_0 weights;
  CodeBlock x;
};

// Scales that are exact in 16 bits, and codes of either sign without a pattern.
constexpr float kScales[] = {0.5f, 0.125f, 2.0f}, kScalesOfX[] = {0.25f, 3.0f, 0.0625f};
constexpr Half kScaleBits[] = {0x3800, 0x3000, 0x4000};

std::vector<Pair> pairs() {
  std::vector<Pair> all(3);  // all zero
  for (std::size_t p = 0; p < all.size(); ++p) {
    all[p].weights.scale = kScaleBits[p];
    all[p].x.scale = kScalesOfX[p];
    for (std::size_t i = 0; i < 32; ++i) {
      all[p].weights.codes[i] =
          static_cast<std::int8_t>(static_cast<int>((i * i * 7 + 13 * p + 5) % 41) - 20);
      all[p].x.codes[i] = static_cast<std::int8_t>(static_cast<int>((i * i * 3 + 11 * i + p) % 37) - 18);
    }
  }
  return all;
}

Values products(const std::vector<Pair>& all) {
  Values values;
  for (const Pair& pair : all) {
    float out = -999;
    baseline::product_codes({.x = {.codes = &pair.x},
                             .N = 1,
                             .weight = {.dtype = DType::kQ8_0,
                                        .rows = 1,
                                        .cols = 32,
                                        .data = reinterpret_cast<const std::byte*>(&pair.weights)},
                             .out = &out,
                             .out_stride = 1});
    values.push_back(out);
  }
  return values;
}

// value(pair's number, sum of product(weight's code, x's code)).
template <class Sum, class Product, class Value>
Values values_of(const std::vector<Pair>& all, Product product, Value value) {
  Values values;
  for (std::size_t p = 0; p < all.size(); ++p) {
    Sum sum = 0;
    for (std::size_t i = 0; i < 32; ++i)
      sum = static_cast<Sum>(sum + product(all[p].weights.codes[i], all[p].x.codes[i]));
    values.push_back(value(p, static_cast<float>(sum)));
  }
  return values;
}

constexpr auto kProduct = [](int a, int b) { return a * b; };
constexpr auto kValue = [](std::size_t p, float sum) { return kScales[p] * kScalesOfX[p] * sum; };

TEST_CASE("three blocks, each with scales of its own") {
  const auto all = pairs();
  const auto only_w = [](std::size_t p, float sum) { return kScales[p] * sum; };
  const auto only_x = [](std::size_t p, float sum) { return kScalesOfX[p] * sum; };
  const auto bits = [](std::size_t p, float sum) {
    return static_cast<float>(kScaleBits[p]) * kScalesOfX[p] * sum;
  };
  const auto unsigned_product = [](int a, int b) { return (a & 255) * b; };
  expect_close("three products", products(all), values_of<int>(all, kProduct, kValue), 1e-6,
               {{values_of<int>(all, kProduct, only_w), "the scale of x is missing"},
                {values_of<int>(all, kProduct, only_x), "the scale of the weights is missing"},
                {values_of<int>(all, kProduct, bits),
                 "the weights' scale was taken for a whole number; f16_scale() makes a float of its bits"},
                {values_of<int>(all, unsigned_product, kValue),
                 "negative codes of the weights were read as 128 to 255"}});
}

TEST_CASE("the largest codes there are") {
  std::vector<Pair> all = pairs();
  for (Pair& pair : all) {
    std::fill_n(pair.weights.codes, 32, std::int8_t{-128});
    std::fill_n(pair.x.codes, 32, std::int8_t{127});
  }
  expect_close("three products", products(all), values_of<int>(all, kProduct, kValue), 1e-6,
               {{values_of<std::int16_t>(all, kProduct, kValue),
                 "the sum does not fit 16 bits: 32 products of up to 127 * 128 each"},
                {values_of<std::int8_t>(all, kProduct, kValue), "the sum does not fit 8 bits"}});
}

}  // namespace
}  // namespace llm::grading
