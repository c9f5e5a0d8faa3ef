// What the tests of checkpoints share: small files and their values.
#pragma once

#include <numeric>
#include <span>
#include <string>
#include <vector>

#include "common/base/error.h"
#include "common/io/checkpoint.h"
#include "tests/common/io/file_builder.h"
#include "tests/message_of.h"
#include "tests/temp_folder.h"

namespace llm {

inline std::string floats(const std::vector<float>& values) {
  return {reinterpret_cast<const char*>(values.data()), values.size() * sizeof(float)};
}

inline std::vector<float> counting(std::size_t count, float first = 0) {
  std::vector<float> values(count);
  std::iota(values.begin(), values.end(), first);
  return values;
}

inline std::vector<float> values_of(const Weight& weight) {
  std::vector<float> values(static_cast<std::size_t>(weight.rows * weight.cols));
  for (Index r = 0; r < weight.rows; ++r)
    dequantize_row(weight, r, std::span(values).subspan(r * weight.cols, weight.cols));
  return values;
}

// "model.norm.weight" of 3 values from 0, and a 2 x 4 matrix of values from 10; the padding of the header
// decides how the data lie in memory.
inline std::string two_tensors(std::size_t padding = 0) {
  return safetensors_bytes(R"({"model.norm.weight": {"dtype": "F32", "shape": [3], "data_offsets": [0, 12]},
    "lm_head.weight": {"dtype": "F32", "shape": [2, 4], "data_offsets": [12, 44]},
    "ids": {"dtype": "I64", "shape": [1], "data_offsets": [44, 52]}})" +
                               std::string(padding, ' '),
                           floats(counting(3)) + floats(counting(8, 10)) + "12345678");
}

// A sharded model in the folder: "a" is 1, 2 in the first file, "b" 5, 6 in the second.
inline void write_shards(const TempFolder& folder) {
  const auto shard = [](const std::string& name, float first) {
    return safetensors_bytes(
        "{\"" + name + R"(": {"dtype": "F32", "shape": [1, 2], "data_offsets": [0, 8]}})",
        floats(counting(2, first)));
  };
  folder.write("model-00001-of-00002.safetensors", shard("a", 1));
  folder.write("model-00002-of-00002.safetensors", shard("b", 5));
  folder.write("model.safetensors.index.json", R"({"weight_map": {
               "b": "model-00002-of-00002.safetensors", "a": "model-00001-of-00002.safetensors"}})");
}

// Row r of the q or k projection in Hugging Face's order holds the values r * 100 + 0, 1, ...; a llama GGUF
// stores the halves of each head's rows interleaved: 0, half, 1, half + 1, ...
inline std::string interleaved(std::size_t heads, std::size_t rows_per_head, std::size_t cols) {
  std::string bytes;
  for (std::size_t head = 0; head < heads; ++head)
    for (std::size_t pair = 0; pair < rows_per_head / 2; ++pair)
      for (const std::size_t half : {std::size_t{0}, rows_per_head / 2})
        bytes += floats(counting(cols, static_cast<float>((head * rows_per_head + pair + half) * 100)));
  return bytes;
}

}  // namespace llm
