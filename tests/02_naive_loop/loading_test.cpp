// Weights by name and shape: what is missing, has another shape, or has no place, is named.
#include <doctest/doctest.h>

#include "chapters/02_naive_loop/families.h"
#include "chapters/02_naive_loop/full_batch.h"
#include "chapters/02_naive_loop/write_safetensors.h"
#include "common/config/tensor_specs.h"
#include "tests/02_naive_loop/fixtures.h"
#include "tests/02_naive_loop/random_model.h"
#include "tests/message_of.h"
#include "tests/temp_folder.h"

namespace llm::test {
namespace {

std::string error_of(const ModelConfig& config, std::shared_ptr<Checkpoint> checkpoint) {
  return message_of([&] { Transformer model(config, std::move(checkpoint)); });
}

TEST_CASE("each family asks for exactly the tensors that its config implies") {
  for (const Family* family : families()) {
    for (const bool flag : {false, true}) {
      ModelConfig config = awkward_config(std::string(family->model_type));
      config.attention_bias = flag && config.model_type != "qwen2";
      config.mlp_bias = flag && config.model_type == "llama";
      config.tie_word_embeddings = flag;
      CAPTURE(config.model_type);
      const Transformer model(config, to_checkpoint(config, random_weights(config, 1)));
      CHECK(model.unused_tensors().empty());
    }
  }
}

TEST_CASE("every tensor is needed: without it, its name is in the message") {
  ModelConfig config = awkward_config("qwen3");
  config.attention_bias = true;
  const WeightMap all = random_weights(config, 1);
  for (const TensorSpec& spec : tensor_specs(config)) {
    WeightMap some = all;
    some.erase(spec.name);
    CAPTURE(spec.name);
    CHECK(error_of(config, to_checkpoint(config, some)).find(spec.name) != std::string::npos);
  }
}

TEST_CASE("another shape: tensor, got, expected and where the numbers come from") {
  ModelConfig config = awkward_config("llama");
  const auto checkpoint = to_checkpoint(config, random_weights(config, 1));
  config.num_key_value_heads = 3;
  const std::string message = error_of(config, checkpoint);
  for (const char* part :
       {"model.layers.0.self_attn.k_proj.weight", "[12,20]", "[18,20]", "num_key_value_heads 3 * head_dim 6"})
    CHECK_MESSAGE(message.find(part) != std::string::npos, message);
}

TEST_CASE("a tensor too many is named, buffers that old files have are not") {
  const ModelConfig config = awkward_config("llama");
  const WeightMap weights = random_weights(config, 1);
  std::vector<NamedTensor> tensors = {{"model.layers.1.self_attn.q_proj.bias", {36}, std::vector<float>(36)},
                                      {"model.layers.0.self_attn.rotary_emb.inv_freq", {3}, {1, 2, 3}}};
  for (const TensorSpec& spec : tensor_specs(config))
    tensors.push_back({spec.name, spec.shape, weights.at(spec.name)});
  const TempFolder folder;
  const auto path = folder.path() / "model.safetensors";
  write_safetensors(path, tensors);
  const Transformer model(config, Checkpoint::open(path));
  CHECK(model.unused_tensors() == std::vector<std::string>{"model.layers.1.self_attn.q_proj.bias"});
}

TEST_CASE("a family that is not in the table") {
  CHECK_THROWS_WITH_AS(find_family("gpt2"), doctest::Contains("llama, qwen2, qwen3"), Error);
}

TEST_CASE("copies are made in steps that add up") {
  const auto path = model_path("tiny-llama-linear");  // float16
  Index last = 0, total_bytes = 0;
  const Transformer model(load_model_config(path), Checkpoint::open(path),
                          {.progress = [&](Index done, Index total) {
                            CHECK(done > last);
                            last = done;
                            total_bytes = total;
                          }});
  CHECK(last == total_bytes);
  CHECK(total_bytes == model.copied_bytes());
  // The embedding table is not the head here, so that it stays float16.
  CHECK(total_bytes == 4 * (num_parameters(model.config()) - 560 * 48));
}

TEST_CASE("the same model in one file, in shards, in bfloat16") {
  // tiny-qwen3-bf16 has the weights of tiny-qwen3, rounded.
  const auto exact = load_model("tiny-qwen3"), rounded = load_model("tiny-qwen3-bf16");
  const FullBatch batch(std::vector<Token>{1, 2, 3, 500});
  const double error = relative_error(run(*rounded, batch.batch()), run(*exact, batch.batch()));
  CHECK(error < 0.05);
  CHECK(error > 1e-5);
}

}  // namespace
}  // namespace llm::test
