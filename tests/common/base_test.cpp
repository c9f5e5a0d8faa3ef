#include <doctest/doctest.h>

#include <set>
#include <stdexcept>
#include <vector>

#include "common/base/checked.h"
#include "common/base/error.h"
#include "common/base/isa.h"
#include "common/base/parallel.h"
#include "common/base/rng.h"

namespace llm {
namespace {

TEST_CASE("an error's sentence names place, got, expected and remedy") {
  const Error error(ErrorCode::kShape, {.where = "model.safetensors: tensor 'q'",
                                        .what = "shape",
                                        .got = "[64,64]",
                                        .expected = "[64,32]",
                                        .remedy = "check config.json"});
  CHECK(std::string(error.what()) ==
        "model.safetensors: tensor 'q': shape [64,64], expected [64,32]; check config.json");
  CHECK(error.code() == ErrorCode::kShape);
  CHECK(std::string(Error(ErrorCode::kIo, {.what = "no"}).what()) == "no");
}

TEST_CASE("checked arithmetic refuses overflow and negative operands") {
  const Index big = Index{1} << 62;
  CHECK(checked_add(big, big - 1).value() == big + (big - 1));
  CHECK_FALSE(checked_add(big, big).has_value());
  CHECK_FALSE(checked_add(-1, 5).has_value());
  CHECK(checked_mul(Index{1} << 31, Index{1} << 31).value() == big);
  CHECK_FALSE(checked_mul(Index{1} << 32, Index{1} << 31).has_value());
  CHECK_FALSE(checked_mul(3, -1).has_value());
  CHECK(range_fits(3, 4, 7));
  CHECK_FALSE(range_fits(3, 5, 7));
  CHECK_FALSE(range_fits(-1, 2, 7));
  CHECK_FALSE(range_fits(1, INT64_MAX, INT64_MAX));
}

TEST_CASE("parallel_for visits every index once, whatever the number of threads") {
  for (const int threads : {1, 2, 3, 8}) {
    set_num_threads(threads);
    for (const Index count : {0, 1, 2, 7, 100}) {
      std::vector<int> visits(static_cast<size_t>(count), 0);
      parallel_for(count, [&](Index i) { ++visits[static_cast<size_t>(i)]; });
      for (const int visit : visits) CHECK(visit == 1);
    }
  }
  set_num_threads(2);
}

TEST_CASE("parallel_for throws the first exception again") {
  set_num_threads(2);
  CHECK_THROWS_AS(parallel_for(10,
                               [](Index i) {
                                 if (i == 7) throw std::logic_error("seven");
                               }),
                  std::logic_error);
}

TEST_CASE("a number of threads outside its range is an error") {
  CHECK_THROWS_AS(set_num_threads(0), Error);
  CHECK_THROWS_AS(set_num_threads(10000), Error);
}

TEST_CASE("the random numbers are Philox4x32-10's") {
  // Known answers of the Random123 distribution: all zeros, all ones.
  using Words = std::array<std::uint32_t, 4>;
  CHECK(random_words({}, 0) == Words{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8});
  const RngKey ones{.seed = ~0ull, .sequence = ~0u, .position = ~0u, .purpose = static_cast<RngPurpose>(~0u)};
  CHECK(random_words(ones, ~0u) == Words{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd});
}

TEST_CASE("uniform numbers lie in [0, 1), depend on every part of the key and look uniform") {
  double sum = 0;
  for (std::uint32_t i = 0; i < 4000; ++i) {
    const double u = uniform({.seed = 5, .purpose = RngPurpose::kTest}, i);
    CHECK((u >= 0 && u < 1));
    sum += u;
  }
  CHECK(sum / 4000 == doctest::Approx(0.5).epsilon(0.03));
  const std::set<double> distinct = {uniform({.seed = 1}),
                                     uniform({.seed = 2}),
                                     uniform({.seed = 1, .sequence = 1}),
                                     uniform({.seed = 1, .position = 1}),
                                     uniform({.seed = 1, .purpose = RngPurpose::kAccept}),
                                     uniform({.seed = 1}, 1)};
  CHECK(distinct.size() == 6);
}

TEST_CASE("instruction sets have names that read back") {
  for (const Isa isa : available_isas()) CHECK(isa_from_name(isa_name(isa)) == isa);
  CHECK_FALSE(isa_from_name("mmx").has_value());
  CHECK(available_isas().front() == Isa::kBaseline);
}

}  // namespace
}  // namespace llm
