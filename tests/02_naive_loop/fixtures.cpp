#include "tests/02_naive_loop/fixtures.h"

#include <doctest/doctest.h>

#include <cmath>
#include <cstring>
#include <limits>

#include "common/io/safetensors.h"

namespace llm::test {
namespace {

template <class T>
std::vector<T> read_values(const SafetensorsFile& file, const TensorEntry& entry) {
  std::vector<T> values(static_cast<std::size_t>(entry.bytes) / sizeof(T));
  std::memcpy(values.data(), file.file->bytes().data() + entry.offset, static_cast<std::size_t>(entry.bytes));
  return values;
}

template <class T>
Tensor<T, 2> to_tensor(const SafetensorsFile& file, const TensorEntry& entry) {
  Tensor<T, 2> tensor({entry.shape[0], entry.shape[1]});
  const auto values = read_values<std::int64_t>(file, entry);
  for (std::size_t i = 0; i < values.size(); ++i) tensor.data()[i] = static_cast<T>(values[i]);
  return tensor;
}

}  // namespace

std::filesystem::path model_path(const std::string& name) {
  return std::filesystem::path(LLM_SOURCE_DIR) / "tests/data/models" / name;
}

std::filesystem::path data_path(const std::string& name) {
  return std::filesystem::path(LLM_SOURCE_DIR) / "tests/02_naive_loop/data" / name;
}

std::unique_ptr<Transformer> load_model(const std::string& name) {
  const auto path = model_path(name);
  return std::make_unique<Transformer>(load_model_config(path), Checkpoint::open(path));
}

const OpenModel* open_smollm2() {
  const auto path = std::filesystem::path(LLM_SOURCE_DIR) / "models/SmolLM2-135M-Instruct.Q4_1.gguf";
  if (!std::filesystem::exists(path)) {
    MESSAGE("skipped: SmolLM2 is not there (make model fetches it)");
    return nullptr;
  }
  static const OpenModel opened = open_model(path.string(), /*quiet=*/true);
  return &opened;
}

Batch Golden::batch() const {
  return {.input_ids = input_ids.view(),
          .inputs_embeds = {},
          .position_ids = position_ids.view(),
          .attention_mask = attention_mask.view(),
          .rows = {}};
}

Golden load_golden(const std::string& name) {
  return read_golden(data_path("forward/" + name + ".safetensors"));
}

Golden read_golden(const std::filesystem::path& path) {
  const SafetensorsFile file = read_safetensors(path);
  Golden golden;
  for (const TensorEntry& entry : file.tensors) {
    if (entry.name == "input_ids") golden.input_ids = to_tensor<Token>(file, entry);
    if (entry.name == "position_ids") golden.position_ids = to_tensor<Index>(file, entry);
    if (entry.name == "attention_mask") golden.attention_mask = to_tensor<std::uint8_t>(file, entry);
    if (entry.dtype == DType::kF32)
      golden.tensors[entry.name] = {entry.shape, read_values<float>(file, entry)};
  }
  if (golden.attention_mask.empty() && !golden.input_ids.empty())
    golden.attention_mask = Tensor<std::uint8_t, 2>(golden.input_ids.shape(), std::uint8_t{1});
  return golden;
}

double relative_error(std::span<const float> got, std::span<const float> expected) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  if (got.size() != expected.size() || got.empty()) return kInfinity;
  double largest = 0, error = 0;
  for (std::size_t i = 0; i < got.size(); ++i) {
    const double difference = std::abs(static_cast<double>(got[i]) - static_cast<double>(expected[i]));
    if (!(difference <= kInfinity)) return kInfinity;
    error = std::max(error, difference);
    largest = std::max(largest, std::abs(static_cast<double>(expected[i])));
  }
  return largest > 0 ? error / largest : error;
}

std::vector<float> run(Transformer& model, const Batch& batch, const ForwardOptions& options) {
  const View<const float, 3> logits = model.forward(batch, nullptr, options).host();
  return {logits.data(), logits.data() + logits.size()};
}

}  // namespace llm::test
