#include "common/io/checkpoint.h"

#include <doctest/doctest.h>

#include <bit>
#include <cmath>
#include <cstring>
#include <map>
#include <numeric>

#include "common/base/error.h"
#include "common/base/parallel.h"
#include "tests/common/io/file_builder.h"

namespace llm {
namespace {

std::string floats(const std::vector<float>& values) {
  return {reinterpret_cast<const char*>(values.data()), values.size() * sizeof(float)};
}

std::vector<float> counting(std::size_t count, float first = 0) {
  std::vector<float> values(count);
  std::iota(values.begin(), values.end(), first);
  return values;
}

std::vector<float> values_of(const Weight& weight) {
  std::vector<float> values(static_cast<std::size_t>(weight.rows * weight.cols));
  for (Index r = 0; r < weight.rows; ++r)
    dequantize_row(weight, r, std::span(values).subspan(r * weight.cols, weight.cols));
  return values;
}

std::string message_of(auto&& call) {
  try {
    call();
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

// "model.norm.weight" of 3 values from 0, and a 2 x 4 matrix of values from 10; the padding of the header
// decides how the data lie in memory.
std::string two_tensors(std::size_t padding = 0) {
  return safetensors_bytes(R"({"model.norm.weight": {"dtype": "F32", "shape": [3], "data_offsets": [0, 12]},
    "lm_head.weight": {"dtype": "F32", "shape": [2, 4], "data_offsets": [12, 44]},
    "ids": {"dtype": "I64", "shape": [1], "data_offsets": [44, 52]}})" +
                               std::string(padding, ' '),
                           floats(counting(3)) + floats(counting(8, 10)) + "12345678");
}

TEST_CASE("weights are found by name and shape") {
  const TempFolder folder;
  folder.write("model.safetensors", two_tensors());
  const auto checkpoint = Checkpoint::open(folder.path());
  CHECK(checkpoint->has("lm_head.weight"));
  CHECK_FALSE(checkpoint->has("lm_head.bias"));
  CHECK(checkpoint->entries().size() == 3);
  CHECK(checkpoint->unused() == std::vector<std::string>{"model.norm.weight", "lm_head.weight", "ids"});
  CHECK(values_of(checkpoint->matrix("lm_head.weight", 2, 4)) == counting(8, 10));
  CHECK(values_of(checkpoint->vector("model.norm.weight", 3)) == counting(3));
  CHECK(checkpoint->unused() == std::vector<std::string>{"ids"});
  CHECK(checkpoint->gguf() == nullptr);
  CHECK(checkpoint->weight_bytes() == 52);
}

TEST_CASE("weights stay in the file unless they lie misaligned there; then they are copied once") {
  int in_place = 0;
  for (const std::size_t padding : {0, 1, 2, 3}) {
    const TempFolder folder;
    const auto checkpoint = Checkpoint::open(folder.write("x.safetensors", two_tensors(padding)));
    const Weight weight = checkpoint->matrix("lm_head.weight", 2, 4);
    CHECK(reinterpret_cast<std::uintptr_t>(weight.data) % alignof(float) == 0);
    CHECK(values_of(weight) == counting(8, 10));
    CHECK(checkpoint->matrix("lm_head.weight", 2, 4).data == weight.data);
    CHECK(values_of(checkpoint->vector("model.norm.weight", 3)) == counting(3));
    in_place += checkpoint->copied_bytes() == 0;
    CHECK((checkpoint->copied_bytes() == 0 || checkpoint->copied_bytes() == 44));
  }
  CHECK(in_place == 1);
}

TEST_CASE("a wrong name, shape or format is named") {
  const TempFolder folder;
  const auto path = folder.write("model.safetensors", two_tensors());
  const auto checkpoint = Checkpoint::open(folder.path());
  const std::string offset = std::to_string(std::filesystem::file_size(path) - 40);
  CHECK(message_of([&] { checkpoint->matrix("lm_head.weight", 2, 5, "vocab_size 2 * hidden_size 5"); }) ==
        path.string() + ": tensor 'lm_head.weight' at byte " + offset +
            ": shape [2,4], expected [2,5] (vocab_size 2 * hidden_size 5)");
  CHECK(message_of([&] { checkpoint->vector("lm_head.weight", 8); }).ends_with("shape [2,4], expected [8]"));
  CHECK(message_of([&] {
          checkpoint->matrix("model.norm.weight", 1, 3);
        }).ends_with("shape [3], expected [1,3]"));
  CHECK(message_of([&] { checkpoint->matrix("lm_heads.weight", 2, 4); }) ==
        path.string() + ": there is no tensor 'lm_heads.weight'; the nearest name is 'lm_head.weight'");
  CHECK(message_of([&] { checkpoint->vector("something.else.entirely", 2); }) ==
        path.string() + ": there is no tensor 'something.else.entirely'");
  CHECK(message_of([&] { checkpoint->vector("ids", 1); }).find("weights of type I64, expected F32, F16") !=
        std::string::npos);
}

TEST_CASE("8-bit floats are listed, and named when they are asked for") {
  const TempFolder folder;
  const auto checkpoint = Checkpoint::open(folder.write(
      "m.safetensors",
      safetensors_bytes(R"({"w": {"dtype": "F8_E4M3", "shape": [2, 2], "data_offsets": [0, 4]}})", "abcd")));
  CHECK(checkpoint->entries()[0].tensor.dtype_name == "F8_E4M3");
  CHECK(message_of([&] { checkpoint->matrix("w", 2, 2); }).find("F8_E4M3") != std::string::npos);
}

TEST_CASE("a path that leads to no weights is a clear error") {
  const TempFolder folder;
  CHECK(message_of([&] { Checkpoint::open(folder.path() / "no"); }) ==
        (folder.path() / "no").string() + ": no such file or folder");
  CHECK(message_of([&] { Checkpoint::open(folder.path()); }).find("no weights in this folder") !=
        std::string::npos);
  folder.write("a.gguf", GgufBuilder().string("general.architecture", "qwen3").bytes());
  CHECK(Checkpoint::open(folder.path())->gguf() != nullptr);
  folder.write("b.gguf", GgufBuilder().bytes());
  CHECK(message_of([&] { Checkpoint::open(folder.path()); }).find("several .gguf files") !=
        std::string::npos);
  CHECK(Checkpoint::open(folder.path() / "b.gguf")->entries().empty());
  CHECK(message_of([&] { Checkpoint::open(folder.write("c.gguf", "not one")); }).find("magic") !=
        std::string::npos);
}

TEST_CASE("a sharded model is one checkpoint") {
  const TempFolder folder;
  const auto shard = [](const std::string& name, float first) {
    return safetensors_bytes(
        "{\"" + name + R"(": {"dtype": "F32", "shape": [1, 2], "data_offsets": [0, 8]}})",
        floats(counting(2, first)));
  };
  folder.write("model-00001-of-00002.safetensors", shard("a", 1));
  folder.write("model-00002-of-00002.safetensors", shard("b", 5));
  folder.write("model.safetensors.index.json", R"({"weight_map": {"b": "model-00002-of-00002.safetensors",
                                                                  "a": "model-00001-of-00002.safetensors"}})");
  const auto checkpoint = Checkpoint::open(folder.path());
  CHECK(values_of(checkpoint->matrix("a", 1, 2)) == counting(2, 1));
  CHECK(values_of(checkpoint->matrix("b", 1, 2)) == counting(2, 5));
  CHECK(message_of([&] {
          checkpoint->matrix("b", 2, 1);
        }).find("model-00002-of-00002.safetensors: tensor 'b'") != std::string::npos);
}

TEST_CASE("GGUF's names become Hugging Face's") {
  const std::map<std::string, std::string> names = {
      {"token_embd.weight", "model.embed_tokens.weight"},
      {"output_norm.weight", "model.norm.weight"},
      {"output.weight", "lm_head.weight"},
      {"blk.0.attn_norm.weight", "model.layers.0.input_layernorm.weight"},
      {"blk.12.attn_q.weight", "model.layers.12.self_attn.q_proj.weight"},
      {"blk.12.attn_k.bias", "model.layers.12.self_attn.k_proj.bias"},
      {"blk.1.attn_v.bias", "model.layers.1.self_attn.v_proj.bias"},
      {"blk.1.attn_output.weight", "model.layers.1.self_attn.o_proj.weight"},
      {"blk.1.attn_q_norm.weight", "model.layers.1.self_attn.q_norm.weight"},
      {"blk.1.attn_k_norm.weight", "model.layers.1.self_attn.k_norm.weight"},
      {"blk.1.ffn_norm.weight", "model.layers.1.post_attention_layernorm.weight"},
      {"blk.1.ffn_gate.weight", "model.layers.1.mlp.gate_proj.weight"},
      {"blk.1.ffn_up.weight", "model.layers.1.mlp.up_proj.weight"},
      {"blk.1.ffn_down.weight", "model.layers.1.mlp.down_proj.weight"},
      {"rope_freqs.weight", "rope_freqs.weight"},
      {"blk.x.ffn_down.weight", "blk.x.ffn_down.weight"},
      {"blk.3.unknown.weight", "blk.3.unknown.weight"},
      {"blk.3", "blk.3"}};
  GgufBuilder builder;
  builder.string("general.architecture", "qwen3");
  for (const auto& [gguf, hugging_face] : names) builder.tensor(gguf, {1}, 0, "abcd");
  const TempFolder folder;
  const auto checkpoint = Checkpoint::open(folder.write("m.gguf", builder.bytes()));
  CHECK(checkpoint->entries().size() == names.size());
  for (const auto& [gguf, hugging_face] : names) CHECK(checkpoint->has(hugging_face));
  for (const Checkpoint::Entry& entry : checkpoint->entries())
    CHECK(names.at(entry.name_in_file) == entry.tensor.name);
  CHECK(message_of([&] {
          checkpoint->vector("lm_head.weight", 2);
        }).find("'lm_head.weight' (output.weight) at byte") != std::string::npos);
}

// Row r of the q or k projection in Hugging Face's order holds the values r * 100 + 0, 1, ...; a llama GGUF
// stores the halves of each head's rows interleaved: 0, half, 1, half + 1, ...
std::string interleaved(std::size_t heads, std::size_t rows_per_head, std::size_t cols) {
  std::string bytes;
  for (std::size_t head = 0; head < heads; ++head)
    for (std::size_t pair = 0; pair < rows_per_head / 2; ++pair)
      for (const std::size_t half : {std::size_t{0}, rows_per_head / 2})
        bytes += floats(counting(cols, static_cast<float>((head * rows_per_head + pair + half) * 100)));
  return bytes;
}

TEST_CASE(
    "a llama GGUF's q and k rows come back in Hugging Face's order, those of other families are untouched") {
  for (const std::string architecture : {"llama", "qwen2"}) {
    GgufBuilder builder;
    builder.string("general.architecture", architecture);
    builder.uint32("llama.attention.head_count", 3).uint32("llama.attention.head_count_kv", 1);
    builder.tensor("blk.0.attn_q.weight", {2, 18}, 0, interleaved(3, 6, 2));
    builder.tensor("blk.0.attn_k.weight", {2, 6}, 0, interleaved(1, 6, 2));
    builder.tensor("blk.0.attn_k.bias", {6}, 0, interleaved(1, 6, 1));
    builder.tensor("blk.0.attn_v.weight", {2, 6}, 0, interleaved(1, 6, 2));
    const TempFolder folder;
    const auto checkpoint = Checkpoint::open(folder.write("m.gguf", builder.bytes()));
    const bool llama = architecture == "llama";
    const auto check_rows = [&](const Weight& weight, bool in_order) {
      const Index step = weight.rows == 1 ? 1 : weight.cols;
      const std::vector<float> values = values_of(weight);
      bool ordered = true;
      for (std::size_t i = 0; i < values.size(); i += step)
        ordered &= values[i] == static_cast<float>(i / step * 100);
      CHECK(ordered == in_order);
    };
    for (int twice = 0; twice < 2; ++twice) {
      check_rows(checkpoint->matrix("model.layers.0.self_attn.q_proj.weight", 18, 2), llama);
      check_rows(checkpoint->matrix("model.layers.0.self_attn.k_proj.weight", 6, 2), llama);
      check_rows(checkpoint->vector("model.layers.0.self_attn.k_proj.bias", 6), llama);
      check_rows(checkpoint->matrix("model.layers.0.self_attn.v_proj.weight", 6, 2), false);
    }
    CHECK(checkpoint->copied_bytes() == (llama ? (36 + 12 + 6) * 4 : 0));
  }
}

TEST_CASE("quantised rows are put back in order as they are") {
  std::string rows;
  for (const char first : {'a', 'c', 'b', 'd'}) rows += std::string(34, first);  // one Q8_0 block a row
  GgufBuilder builder;
  builder.string("general.architecture", "llama").uint32("llama.attention.head_count", 1);
  builder.tensor("blk.0.attn_q.weight", {32, 4}, 8, rows);
  const TempFolder folder;
  const auto checkpoint = Checkpoint::open(folder.write("m.gguf", builder.bytes()));
  const Weight weight = checkpoint->matrix("model.layers.0.self_attn.q_proj.weight", 4, 32);
  CHECK(weight.dtype == DType::kQ8_0);
  for (int r = 0; r < 4; ++r) CHECK(static_cast<char>(*weight.row(r)) == "abcd"[r]);
}

TEST_CASE("a llama GGUF whose heads do not divide the rows is refused, and so is a part of a split one") {
  const TempFolder folder;
  GgufBuilder odd;
  odd.string("general.architecture", "llama").uint32("llama.attention.head_count", 3);
  odd.tensor("blk.0.attn_q.weight", {1, 9}, 0, std::string(36, 'x'));
  CHECK(message_of([&] { Checkpoint::open(folder.write("m.gguf", odd.bytes())); }).find("3 heads") !=
        std::string::npos);
  GgufBuilder zero;
  zero.string("general.architecture", "llama").uint32("llama.attention.head_count", 0);
  zero.tensor("blk.0.attn_q.weight", {1, 8}, 0, std::string(32, 'x'));
  CHECK(message_of([&] { Checkpoint::open(folder.write("m.gguf", zero.bytes())); }).find("head_count") !=
        std::string::npos);
  GgufBuilder split;
  split.string("general.architecture", "llama").value("split.count", 2, raw(std::uint16_t{3}));
  CHECK(message_of([&] { Checkpoint::open(folder.write("m.gguf", split.bytes())); }).find("one of 3 parts") !=
        std::string::npos);
}

TEST_CASE("conversion changes matrices once and leaves vectors alone") {
  std::vector<float> matrix(3 * 64);
  for (std::size_t i = 0; i < matrix.size(); ++i) matrix[i] = std::sin(static_cast<float>(i));
  const TempFolder folder;
  folder.write("model.safetensors",
               safetensors_bytes(R"({"n": {"dtype": "F32", "shape": [64], "data_offsets": [0, 256]},
                                     "w": {"dtype": "F32", "shape": [3, 64], "data_offsets": [256, 1024]}})",
                                 floats(counting(64)) + floats(matrix)));
  for (const auto& [dtype, bound] : std::vector<std::pair<DType, float>>{{DType::kF32, 0.0f},
                                                                         {DType::kBF16, 0.004f},
                                                                         {DType::kF16, 0.0005f},
                                                                         {DType::kQ8_0, 0.005f},
                                                                         {DType::kQ4_0, 0.13f}}) {
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

TEST_CASE("rows that do not divide into blocks cannot be quantised") {
  const TempFolder folder;
  folder.write("model.safetensors", two_tensors());
  const auto checkpoint = Checkpoint::open(folder.path());
  CHECK(message_of([&] { checkpoint->convert(DType::kQ8_0); }).find("'lm_head.weight' at byte") !=
        std::string::npos);
  CHECK(message_of([&] {
          checkpoint->convert(DType::kQ8_0);
        }).find("rows of 4 values, expected a multiple of 32") != std::string::npos);
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
