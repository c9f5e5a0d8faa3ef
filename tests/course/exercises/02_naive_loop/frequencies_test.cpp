#include "chapters/02_naive_loop/rotary.h"
#include "tests/course/exercises/grading.h"

namespace llm::grading {
namespace {

using Radians = std::vector<double>;

// theta^(-exponent(slot)), as an exponential.
template <class F>
Radians turns(double theta, Index head_dim, F exponent) {
  Radians radians;
  for (Index slot = 0; slot < head_dim / 2; ++slot)
    radians.push_back(std::exp(-std::log(theta) * exponent(static_cast<double>(slot))));
  return radians;
}

void check(double theta, Index head_dim) {
  RopeParameters rope;
  rope.rope_theta = theta;
  const auto Dh = static_cast<double>(head_dim);
  expect_close("radians a position of each slot, head_dim " + std::to_string(head_dim),
               inverse_frequencies(rope, head_dim),
               turns(theta, head_dim, [&](double slot) { return 2 * slot / Dh; }), 1e-6,
               {{turns(theta, head_dim, [](double) { return 0.0; }),
                 "every slot turns alike: 2 * slot / head_dim was divided as integers, which gives 0"},
                {turns(theta, head_dim, [&](double slot) { return slot / Dh; }),
                 "the exponent is slot / Dh; it is 2 * slot / Dh, so that it runs through 0 to 1"},
                {turns(theta, head_dim, [&](double slot) { return 4 * slot / Dh; }),
                 "the exponent is 2 * slot / (Dh/2); it is divided by Dh, the whole head"},
                {turns(theta, head_dim, [&](double slot) { return -2 * slot / Dh; }),
                 "later slots turn faster: return theta^(2i/Dh), which the caller divides 1 by"}});
}

TEST_CASE("slot i turns by theta^(-2i/Dh) a position") {
  check(10000, 6);
  check(10000, 64);
  check(1e6, 128);
}

TEST_CASE("the first slot turns by one radian, whatever theta is") {
  check(500000, 2);
  check(7, 10);
}

}  // namespace
}  // namespace llm::grading
