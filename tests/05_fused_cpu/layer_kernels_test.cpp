// The small operations between the products, against double precision.
#include <doctest/doctest.h>

#include <bit>

#include "tests/05_fused_cpu/kernel_cases.h"

namespace llm::test {
namespace {

bool near(float got, double expected, double relative, double absolute = 0) {
  return std::abs(static_cast<double>(got) - expected) <= relative * std::abs(expected) + absolute;
}

TEST_CASE("exponentials: of every length, also where scores are far apart") {
  for (const Isa isa : available_isas()) {
    CAPTURE(isa_name(isa));
    for (Index count = 1; count <= 67; ++count)
      for (const float size : {1.0f, 60.0f, 1e4f, 1e30f}) {
        CAPTURE(count);
        CAPTURE(size);
        const Guarded<float> scores(count);
        fill(scores.all(), 3, size);
        const std::vector<float> before(scores.data(), scores.end());
        const SoftmaxPart part = kernels_for(isa).exponentials(scores.data(), count);
        CHECK(part.largest == *std::ranges::max_element(before));
        double sum = 0;
        Index wrong = 0;
        for (Index i = 0; i < count; ++i) {
          const float difference = before[static_cast<std::size_t>(i)] - part.largest;
          wrong += !near(scores[i], std::exp(static_cast<double>(difference)), 4e-7, 1e-37);
          sum += static_cast<double>(scores[i]);
        }
        CHECK(wrong == 0);
        CHECK(near(part.sum, sum, 1e-5));
      }
  }
}

TEST_CASE("exponentials: scores of +-1e4, and all the same") {
  for (const Isa isa : available_isas()) {
    CAPTURE(isa_name(isa));
    const Kernels& kernels = kernels_for(isa);
    std::vector<float> scores(19, -1e4f);
    scores[17] = 1e4f;
    SoftmaxPart part = kernels.exponentials(scores.data(), 19);
    CHECK(part.largest == 1e4f);
    CHECK(part.sum == doctest::Approx(1));
    CHECK(scores[17] == 1);
    CHECK(scores[3] < 1e-37f);
    for (const float same : {-1e4f, 0.0f, 1e4f, -3e38f}) {
      scores.assign(19, same);
      part = kernels.exponentials(scores.data(), 19);
      CHECK(part.largest == same);
      CHECK(part.sum == 19);
      CHECK(scores == std::vector<float>(19, 1.0f));
    }
  }
}

TEST_CASE("exponentials: NaN among the scores shows in the sum") {
  for (const Isa isa : available_isas())
    for (Index count = 1; count <= 35; ++count)
      for (Index at = 0; at < count; ++at) {
        std::vector<float> scores(static_cast<std::size_t>(count), 1.0f);
        scores[static_cast<std::size_t>(at)] = NAN;
        CHECK(std::isnan(kernels_for(isa).exponentials(scores.data(), count).sum));
      }
}

TEST_CASE("rms_norm: every size, small and large numbers, in place too") {
  for (const Isa isa : available_isas()) {
    CAPTURE(isa_name(isa));
    for (Index size = 1; size <= 67; ++size)
      for (const float scale : {1.0f, 1e-12f, 1e15f, 0.0f}) {
        CAPTURE(size);
        CAPTURE(scale);
        const Guarded<float> x(size), weight(size), out(size);
        fill(x.all(), 4, scale);
        fill(weight.all(), 5, 2);
        double squares = 0;
        for (const float v : x.all()) squares += static_cast<double>(v) * static_cast<double>(v);
        const double root = std::sqrt(squares / static_cast<double>(size) + 1e-6);
        kernels_for(isa).rms_norm(
            {.x = x.data(), .weight = weight.data(), .out = out.data(), .size = size, .eps = 1e-6f});
        Index wrong = 0;
        for (Index i = 0; i < size; ++i)
          wrong += !near(out[i], static_cast<double>(x[i]) / root * static_cast<double>(weight[i]), 2e-6);
        CHECK(wrong == 0);
        kernels_for(isa).rms_norm(
            {.x = x.data(), .weight = weight.data(), .out = x.data(), .size = size, .eps = 1e-6f});
        CHECK(std::ranges::equal(x.all(), out.all()));
      }
  }
}

TEST_CASE("swiglu: every size, gates of every size; an element does not depend on where it stands") {
  for (const Isa isa : available_isas()) {
    CAPTURE(isa_name(isa));
    for (Index count = 1; count <= 67; ++count)
      for (const float scale : {1.0f, 20.0f, 100.0f, 1e4f, 1e37f}) {
        const Guarded<float> gate(count), up(count);
        fill(gate.all(), 8, scale);
        fill(up.all(), 9, 3);
        const std::vector<float> before(gate.data(), gate.end());
        kernels_for(isa).swiglu(gate.data(), up.data(), count);
        Index wrong = 0;
        for (Index i = 0; i < count; ++i) {
          const auto g = static_cast<double>(before[static_cast<std::size_t>(i)]);
          const double exact = g / (1 + std::exp(-g)) * static_cast<double>(up[i]);
          // Below -88 the result, nearly zero, is not as near as that: g * e^-88 is the most that it is.
          wrong += !near(gate[i], exact, 1e-6, g < -86 ? 1e-37 * std::abs(g) : 0);
          float alone = before[static_cast<std::size_t>(i)];
          kernels_for(isa).swiglu(&alone, &up[i], 1);
          wrong += std::bit_cast<std::uint32_t>(alone) != std::bit_cast<std::uint32_t>(gate[i]);
        }
        CAPTURE(count);
        CAPTURE(scale);
        CHECK(wrong == 0);
      }
  }
}

TEST_CASE("swiglu: NaN stays NaN, with any payload, in the gate and in what it multiplies") {
  for (const Isa isa : available_isas())
    for (const std::uint32_t bits : {0x7fc00000u, 0xffc00000u, 0x7fffffffu, 0xffffffffu, 0x7f800001u}) {
      CAPTURE(isa_name(isa));
      CAPTURE(bits);
      for (Index at = 0; at < 19; ++at) {
        std::vector<float> gate(19, 1.5f), up(19, 2.0f);
        gate[static_cast<std::size_t>(at)] = std::bit_cast<float>(bits);
        up[static_cast<std::size_t>((at + 1) % 19)] = std::bit_cast<float>(bits);
        kernels_for(isa).swiglu(gate.data(), up.data(), 19);
        for (Index i = 0; i < 19; ++i)
          CHECK(std::isnan(gate[static_cast<std::size_t>(i)]) == (i == at || i == (at + 1) % 19));
      }
    }
}

}  // namespace
}  // namespace llm::test
