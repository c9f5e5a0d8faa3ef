// Weights that are moved from the file into memory.
#include <doctest/doctest.h>

#include <algorithm>
#include <fstream>
#include <map>

#include "common/base/parallel.h"
#include "common/base/timing.h"
#include "tests/common/io/checkpoint_files.h"
#include "tests/temp_folder.h"

namespace llm {
namespace {

std::string bytes_of(const Weight& weight) {
  return {reinterpret_cast<const char*>(weight.data), static_cast<std::size_t>(weight.bytes())};
}

// Bytes that do not repeat; as numbers of any format they are finite.
std::string noise(Index count, std::uint32_t seed) {
  std::string bytes(static_cast<std::size_t>(count), '\0');
  for (char& byte : bytes) {
    seed = seed * 1664525u + 1013904223u;
    byte = static_cast<char>(seed >> 24 & 0x3f);
  }
  return bytes;
}

const std::string kLayer = "model.layers.0.";

// A llama model's layer of one format: 3 heads of 6 rows, 1 key/value head; a vector of values, and one whose
// values change their order. The embedding table is copied in several pieces.
std::string layer_gguf(DType dtype) {
  static const std::map<DType, std::uint32_t> kTypes = {
      {DType::kF32, 0},   {DType::kF16, 1},   {DType::kBF16, 30}, {DType::kQ4_0, 2},
      {DType::kQ4_1, 3},  {DType::kQ5_0, 6},  {DType::kQ5_1, 7},  {DType::kQ8_0, 8},
      {DType::kQ4_K, 12}, {DType::kQ5_K, 13}, {DType::kQ6_K, 14}};
  GgufBuilder builder;
  builder.string("general.architecture", "llama");
  builder.uint32("llama.attention.head_count", 3).uint32("llama.attention.head_count_kv", 1);
  std::uint32_t seed = 0;
  const auto add = [&](const std::string& name, std::uint64_t rows) {
    builder.tensor(name, {256, rows}, kTypes.at(dtype), noise(row_bytes(dtype, 256) * Index(rows), ++seed));
  };
  add("token_embd.weight", 3001);
  builder.tensor("blk.0.attn_norm.weight", {5}, 0, noise(20, 98));
  add("blk.0.attn_q.weight", 18);
  add("blk.0.attn_k.weight", 6);
  builder.tensor("blk.0.attn_k.bias", {6}, 0, noise(24, 99));
  add("blk.0.attn_v.weight", 7);
  return builder.bytes();
}

std::vector<Weight> weights_of(Checkpoint& checkpoint) {
  return {checkpoint.matrix("model.embed_tokens.weight", 3001, 256),
          checkpoint.vector(kLayer + "input_layernorm.weight", 5),
          checkpoint.matrix(kLayer + "self_attn.v_proj.weight", 7, 256),
          checkpoint.matrix(kLayer + "self_attn.q_proj.weight", 18, 256),
          checkpoint.matrix(kLayer + "self_attn.k_proj.weight", 6, 256),
          checkpoint.vector(kLayer + "self_attn.k_proj.bias", 6)};
}

TEST_CASE("weights of any format are the same bits in memory, in the same order, whoever asked before") {
  constexpr std::size_t kInPlace = 3;  // the first of weights_of(); the others were copied when asked for
  const int threads = num_threads();
  for (int number = 0; number < kNumDTypes; ++number) {
    const auto dtype = static_cast<DType>(number);
    CAPTURE(dtype_name(dtype));
    set_num_threads(1 + number % 3);
    const TempFolder folder;
    const auto path = folder.write("m.gguf", layer_gguf(dtype));
    const auto mapped = Checkpoint::open(path), asked = Checkpoint::open(path),
               loaded = Checkpoint::open(path);
    const std::vector<Weight> expected = weights_of(*mapped), before = weights_of(*asked);
    asked->load_into_memory();
    loaded->load_into_memory();
    const std::vector<Weight> after = weights_of(*asked), first = weights_of(*loaded);
    for (std::size_t i = 0; i < expected.size(); ++i) {
      CAPTURE(i);
      const std::string bytes = bytes_of(expected[i]);
      CHECK(bytes_of(before[i]) == bytes);
      CHECK(bytes_of(after[i]) == bytes);
      CHECK(bytes_of(first[i]) == bytes);
      CHECK((after[i].data == before[i].data) == (i >= kInPlace));
      CHECK(first[i].dtype == expected[i].dtype);
      CHECK(reinterpret_cast<std::uintptr_t>(first[i].data) % 64 == 0);
    }
    CHECK(loaded->copied_bytes() == mapped->weight_bytes());
    CHECK(loaded->weight_bytes() == mapped->weight_bytes());
  }
  set_num_threads(threads);
}

TEST_CASE("weights that lie misaligned are loaded, and what is no weight stays in the file") {
  for (const std::size_t padding : {0, 1, 2, 3}) {
    const TempFolder folder;
    const auto checkpoint = Checkpoint::open(folder.write("x.safetensors", two_tensors(padding)));
    std::vector<Index> done;
    checkpoint->load_into_memory([&](Index bytes, Index total) {
      CHECK(total == 44);
      done.push_back(bytes);
    });
    CHECK(done.back() == 44);
    CHECK(checkpoint->copied_bytes() == 44);
    CHECK(checkpoint->unused() == std::vector<std::string>{"model.norm.weight", "lm_head.weight", "ids"});
    const Weight weight = checkpoint->matrix("lm_head.weight", 2, 4);
    CHECK(values_of(weight) == counting(8, 10));
    CHECK(values_of(checkpoint->vector("model.norm.weight", 3)) == counting(3));
    checkpoint->load_into_memory([](Index, Index) { FAIL("there is nothing left to load"); });
    CHECK(checkpoint->matrix("lm_head.weight", 2, 4).data == weight.data);
  }
}

TEST_CASE("all files of a sharded model are loaded") {
  const TempFolder folder;
  write_shards(folder);
  const auto checkpoint = Checkpoint::open(folder.path());
  const Weight before = checkpoint->matrix("b", 1, 2);
  checkpoint->load_into_memory();
  CHECK(checkpoint->copied_bytes() == 16);
  CHECK(values_of(checkpoint->matrix("a", 1, 2)) == counting(2, 1));
  CHECK(values_of(checkpoint->matrix("b", 1, 2)) == counting(2, 5));
  CHECK(values_of(before) == counting(2, 5));
}

TEST_CASE("loading and converting go together, in either order") {
  const TempFolder folder;
  folder.write("m.gguf", layer_gguf(DType::kBF16));
  const auto convert = [&](bool load_before, bool load_after) {
    const auto checkpoint = Checkpoint::open(folder.path());
    if (load_before) checkpoint->load_into_memory();
    checkpoint->convert(DType::kQ8_0);
    if (load_after) checkpoint->load_into_memory();
    CHECK((checkpoint->copied_bytes() == checkpoint->weight_bytes()) == (load_before || load_after));
    std::string bytes;
    for (const Weight& weight : weights_of(*checkpoint)) bytes += bytes_of(weight);
    return bytes;
  };
  const std::string expected = convert(false, false);
  CHECK(convert(true, false) == expected);
  CHECK(convert(false, true) == expected);
}

// From here on peak_resident_bytes() is the highest from here on. False where the system cannot do that.
bool restart_peak() {
  std::ofstream file("/proc/self/clear_refs");
  return static_cast<bool>(file << "5" << std::flush);
}

// So many BF16 tensors of [rows, 1000], zeros.
std::filesystem::path write_tensors(const TempFolder& folder, Index tensors, Index rows) {
  const Index bytes = rows * 2000;
  std::string header = "{";
  for (Index i = 0; i < tensors; ++i)
    header += (i > 0 ? ", \"" : "\"") + std::to_string(i) + R"(": {"dtype": "BF16", "shape": [)" +
              std::to_string(rows) + R"(, 1000], "data_offsets": [)" + std::to_string(i * bytes) + ", " +
              std::to_string((i + 1) * bytes) + "]}";
  const auto path = folder.write("model.safetensors", safetensors_bytes(header + "}", ""));
  std::ofstream file(path, std::ios::binary | std::ios::app);
  const std::string row(2000, '\0');
  for (Index i = 0; i < tensors * rows; ++i) file << row;
  return path;
}

TEST_CASE("loaded weights need their own bytes of memory, while they are copied and after") {
  constexpr Index kRows = 49'500, kBytes = kRows * 2000;
  for (const Index tensors : {1, 1500}) {
    CAPTURE(tensors);
    const TempFolder folder;
    const auto checkpoint = Checkpoint::open(write_tensors(folder, tensors, kRows / tensors));
    const Index before = resident_bytes();
    const bool peak_known = restart_peak();
    checkpoint->load_into_memory();
    const Index needed = resident_bytes() - before;
    CHECK(needed > kBytes * 95 / 100);
    CHECK(needed < kBytes * 105 / 100);
    if (peak_known) CHECK(peak_resident_bytes() - before < kBytes * 110 / 100);
  }
}

TEST_CASE("a conversion gives the memory of the originals back on the way") {
  std::vector<TensorSpec> specs;
  for (int i = 0; i < 24; ++i) specs.push_back({std::to_string(i), {4099, 512}});
  constexpr Index kBytes = Index{24} * 4099 * 512 * 2;
  const auto checkpoint = Checkpoint::random(specs, 5);
  const Index before = resident_bytes();
  const bool peak_known = restart_peak();
  checkpoint->convert(DType::kQ8_0);
  CHECK(before - resident_bytes() > kBytes * 20 / 100);  // 47 %, less what a sanitizer keeps
  if (peak_known) CHECK(peak_resident_bytes() - before < kBytes * 10 / 100);
}

}  // namespace
}  // namespace llm
