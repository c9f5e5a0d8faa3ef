// Rotary embeddings against the values of transformers (tests/parity/rope_goldens.py).
#include "chapters/02_naive_loop/rotary.h"

#include <doctest/doctest.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "common/io/json.h"
#include "common/tensor/tensor.h"
#include "tests/02_naive_loop/fixtures.h"

namespace llm::test {
namespace {

std::vector<float> floats(const Json& json) { return json.get<std::vector<float>>(); }

// A golden's parameters by the way that a config.json takes.
RopeParameters parameters_of(const Json& golden) {
  const Json config = {{"rope_parameters", golden["rope_parameters"]}};
  return rope_parameters_from_json(JsonReader(config, "golden"), 131072);
}

TEST_CASE("inverse frequencies and scaling equal transformers' to the last float") {
  const Json goldens = read_json_file(data_path("rope.json"));
  REQUIRE(goldens["cases"].size() >= 16);
  for (const Json& golden : goldens["cases"]) {
    CAPTURE(golden["name"].get<std::string>());
    const RopeParameters rope = parameters_of(golden);
    const std::vector<float> got = inverse_frequencies(rope, golden["head_dim"].get<Index>());
    const std::vector<float> expected = floats(golden["inverse_frequencies"]);
    REQUIRE(got.size() == expected.size());
    for (std::size_t i = 0; i < got.size(); ++i) {
      CAPTURE(i);
      CHECK(got[i] == doctest::Approx(expected[i]).epsilon(3e-7));  // pow() may differ by an ulp
    }
    CHECK(attention_scaling(rope) == doctest::Approx(golden["attention_scaling"].get<float>()).epsilon(1e-7));
  }
}

TEST_CASE("cosines and sines, far positions too") {
  const Json goldens = read_json_file(data_path("rope.json"));
  const auto positions = goldens["positions"].get<std::vector<Index>>();
  const auto N = static_cast<Index>(positions.size());
  int compared = 0;
  for (const Json& golden : goldens["cases"]) {
    if (!golden.contains("cosines")) continue;
    CAPTURE(golden["name"].get<std::string>());
    const RopeParameters rope = parameters_of(golden);
    // The golden's frequencies, so that a difference of an ulp is not multiplied with a position of 131071.
    const RotaryEmbedding rotary(floats(golden["inverse_frequencies"]), attention_scaling(rope));
    Tensor<float, 2> cosines({N, rotary.half_dim()}), sines({N, rotary.half_dim()});
    rotary.angles(positions, cosines, sines);
    const std::vector<float> expected_cosines = floats(golden["cosines"]),
                             expected_sines = floats(golden["sines"]);
    REQUIRE(static_cast<Index>(expected_cosines.size()) == cosines.size());
    for (Index i = 0; i < cosines.size(); ++i) {
      CHECK(std::abs(cosines.data()[i] - expected_cosines[static_cast<std::size_t>(i)]) < 3e-7);
      CHECK(std::abs(sines.data()[i] - expected_sines[static_cast<std::size_t>(i)]) < 3e-7);
    }
    ++compared;
  }
  CHECK(compared == 3);
}

TEST_CASE("a GGUF file's factors divide the frequencies") {
  RopeParameters rope;
  rope.rope_type = RopeType::kLlama3;
  rope.frequency_factors = {1.0, 2.0, 8.0};
  const std::vector<float> plain = inverse_frequencies(RopeParameters{}, 6);
  const std::vector<float> got = inverse_frequencies(rope, 6);
  CHECK(got == std::vector<float>{plain[0], plain[1] / 2, plain[2] / 8});
}

TEST_CASE("halves are rotated against each other, not neighbours") {
  // One head of four: slot 0 is (1, 3) turned by 90 degrees, slot 1 is (2, 4), left as it is.
  Tensor<float, 3> x({1, 1, 4});
  for (Index i = 0; i < 4; ++i) x(0, 0, i) = static_cast<float>(i + 1);
  Tensor<float, 2> cosines({1, 2}), sines({1, 2});
  cosines(0, 0) = 0, sines(0, 0) = 1, cosines(0, 1) = 1, sines(0, 1) = 0;
  rotate(x, cosines, sines);
  CHECK(x(0, 0, 0) == -3);
  CHECK(x(0, 0, 1) == 2);
  CHECK(x(0, 0, 2) == 1);
  CHECK(x(0, 0, 3) == 4);
}

}  // namespace
}  // namespace llm::test
