#include <doctest/doctest.h>

#include <cmath>

#include "common/base/error.h"
#include "common/base/parallel.h"
#include "common/io/checkpoint.h"
#include "tests/common/io/checkpoint_files.h"
#include "tests/temp_folder.h"

namespace llm {
namespace {

TEST_CASE("conversion changes matrices once and leaves vectors alone") {
  std::vector<float> matrix(3 * 64);
  for (std::size_t i = 0; i < matrix.size(); ++i) matrix[i] = std::sin(static_cast<float>(i));
  const TempFolder folder;
  folder.write("model.safetensors",
               safetensors_bytes(R"({"n": {"dtype": "F32", "shape": [64], "data_offsets": [0, 256]},
                                     "w": {"dtype": "F32", "shape": [3, 64], "data_offsets": [256, 1024]}})",
                                 floats(counting(64)) + floats(matrix)));
  for (const auto& [bound_dtype, bound] : std::vector<std::pair<DType, float>>{{DType::kF32, 0.0f},
                                                                               {DType::kBF16, 0.004f},
                                                                               {DType::kF16, 0.0005f},
                                                                               {DType::kQ8_0, 0.005f},
                                                                               {DType::kQ4_0, 0.13f}}) {
    const DType dtype = bound_dtype;  // clang 14 cannot capture the binding itself
    CAPTURE(dtype_name(dtype));
    const auto checkpoint = Checkpoint::open(folder.path());
    std::vector<Index> progress;
    checkpoint->convert(dtype, [&](Index done, Index total) {
      CHECK(total == (dtype == DType::kF32 ? 0 : 768));
      progress.push_back(done);
    });
    CHECK(progress.back() == (dtype == DType::kF32 ? 0 : 768));
    const Weight weight = checkpoint->matrix("w", 3, 64);
    CHECK(weight.dtype == dtype);
    const std::vector<float> converted = values_of(weight);
    for (std::size_t i = 0; i < matrix.size(); ++i) CHECK(std::abs(converted[i] - matrix[i]) <= bound);
    CHECK(checkpoint->vector("n", 64).dtype == DType::kF32);
    CHECK(checkpoint->weight_bytes() == 256 + row_bytes(dtype, 192));
  }
  const auto checkpoint = Checkpoint::open(folder.path());
  CHECK_THROWS_AS(checkpoint->convert(DType::kQ4_K), Error);
}

TEST_CASE("matrices whose rows do not divide into blocks keep their format and are named") {
  const TempFolder folder;
  folder.write("model.safetensors", two_tensors());
  const auto checkpoint = Checkpoint::open(folder.path());
  CHECK(checkpoint->convert(DType::kQ8_0) == std::vector<std::string>{"lm_head.weight"});
  CHECK(checkpoint->matrix("lm_head.weight", 2, 4).dtype == DType::kF32);
  CHECK(checkpoint->convert(DType::kF16).empty());
  CHECK(values_of(checkpoint->matrix("lm_head.weight", 2, 4)) == counting(8, 10));
}

TEST_CASE("conversion also puts a llama GGUF's rows in order") {
  GgufBuilder builder;
  builder.string("general.architecture", "llama").uint32("llama.attention.head_count", 2);
  builder.tensor("blk.0.attn_q.weight", {2, 12}, 0, interleaved(2, 6, 2));
  const TempFolder folder;
  const auto checkpoint = Checkpoint::open(folder.write("m.gguf", builder.bytes()));
  checkpoint->convert(DType::kF16);
  const std::vector<float> values =
      values_of(checkpoint->matrix("model.layers.0.self_attn.q_proj.weight", 12, 2));
  for (std::size_t r = 0; r < 12; ++r) CHECK(values[r * 2] == static_cast<float>(r * 100));
}

const std::vector<TensorSpec> kSpecs = {{"a", {70, 33}}, {"norm", {33}}, {"b", {1, 50'001}}};

TEST_CASE("random weights look normal, norms are ones") {
  const auto checkpoint = Checkpoint::random(kSpecs, 7);
  const std::vector<float> values = values_of(checkpoint->matrix("b", 1, 50'001));
  double sum = 0, squares = 0, fourth = 0;
  for (const float value : values) {
    sum += value;
    squares += value * value;
    fourth += std::pow(value, 4);
  }
  const double count = static_cast<double>(values.size()), variance = squares / count;
  CHECK(std::abs(sum / count) < 0.0005);
  CHECK(std::sqrt(variance) == doctest::Approx(0.02).epsilon(0.02));
  CHECK(fourth / count / (variance * variance) == doctest::Approx(2.7).epsilon(0.05));  // 3 for a true normal
  CHECK(values_of(checkpoint->vector("norm", 33)) == std::vector<float>(33, 1.0f));
  CHECK(checkpoint->matrix("a", 70, 33).dtype == DType::kBF16);
}

TEST_CASE("random weights depend on seed, tensor and row, and not on the number of threads") {
  const int threads = num_threads();
  set_num_threads(1);
  const auto values = [](std::uint64_t seed) {
    return values_of(Checkpoint::random(kSpecs, seed)->matrix("a", 70, 33));
  };
  const std::vector<float> one = values(7);
  set_num_threads(3);
  CHECK(values(7) == one);
  CHECK(values(8) != one);
  CHECK(std::vector(one.begin(), one.begin() + 33) != std::vector(one.begin() + 33, one.begin() + 66));
  const auto b = values_of(Checkpoint::random(kSpecs, 7)->matrix("b", 1, 50'001));
  CHECK(std::vector(one.begin(), one.begin() + 33) != std::vector(b.begin(), b.begin() + 33));
  set_num_threads(threads);
}

TEST_CASE("random weights of an impossible shape are refused") {
  for (const std::vector<Index>& shape :
       {std::vector<Index>{}, {2, 2, 2}, {-1, 2}, {Index{1} << 40, Index{1} << 40}}) {
    const std::vector<TensorSpec> specs = {{"x", shape}};
    CHECK_THROWS_AS(Checkpoint::random(specs, 1), Error);
  }
}

}  // namespace
}  // namespace llm
