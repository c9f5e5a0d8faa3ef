// What the tests of this chapter share: tiny models and the goldens that transformers made with them.
#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "chapters/02_naive_loop/open_model.h"
#include "chapters/02_naive_loop/transformer.h"
#include "common/tensor/tensor.h"

namespace llm::test {

// tests/data/models/NAME and tests/02_naive_loop/data/NAME.
std::filesystem::path model_path(const std::string& name);
std::filesystem::path data_path(const std::string& name);

std::unique_ptr<Transformer> load_model(const std::string& name);

// SmolLM2-135M-Instruct, opened once. Null, with a message, where its file has not been fetched.
const OpenModel* open_smollm2();

// A forward fixture: the batch and named tensors with their shapes.
struct Golden {
  struct Values {
    std::vector<Index> shape;
    std::vector<float> values;
  };
  Tensor<Token, 2> input_ids;
  Tensor<Index, 2> position_ids;
  Tensor<std::uint8_t, 2> attention_mask;  // all ones where the fixture has none
  std::map<std::string, Values> tensors;

  Index B() const { return input_ids.shape(0); }
  Index T() const { return input_ids.shape(1); }
  Batch batch() const;
};
Golden load_golden(const std::string& name);  // "tiny-qwen3.len7"

// The same from any file of that kind.
Golden read_golden(const std::filesystem::path& path);

// The largest |got - expected| over the largest |expected|; infinite where something is NaN or missing.
double relative_error(std::span<const float> got, std::span<const float> expected);

// The logits of a forward pass, copied.
std::vector<float> run(Transformer& model, const Batch& batch, const ForwardOptions& options = {});

}  // namespace llm::test
