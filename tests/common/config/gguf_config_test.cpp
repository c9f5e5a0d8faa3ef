#include <doctest/doctest.h>

#include <cmath>

#include "common/base/error.h"
#include "common/config/model_config.h"
#include "common/io/gguf.h"
#include "tests/common/io/file_builder.h"
#include "tests/message_of.h"
#include "tests/temp_folder.h"

namespace llm {
namespace {

constexpr std::uint32_t kFloat = 6, kBool = 7, kF32 = 0;

// The metadata of a small model: V 40, D 48, F 80, L 2, H 6, KH 2.
GgufBuilder builder_of(const std::string& arch) {
  GgufBuilder builder;
  builder.string("general.architecture", arch);
  builder.uint32(arch + ".block_count", 2).uint32(arch + ".context_length", 300);
  builder.uint32(arch + ".embedding_length", 48).uint32(arch + ".feed_forward_length", 80);
  builder.uint32(arch + ".attention.head_count", 6).uint32(arch + ".attention.head_count_kv", 2);
  builder.value(arch + ".attention.layer_norm_rms_epsilon", kFloat, raw(1e-5F));
  builder.tensor("token_embd.weight", {48, 40}, kF32, std::string(48 * 40 * 4, '\0'));
  return builder;
}

ModelConfig config_of(const GgufBuilder& builder) {
  const TempFolder folder;
  const auto path = folder.write("m.gguf", builder.bytes());
  return model_config_from_gguf(GgufFile(path));
}

std::string error_of(const GgufBuilder& builder) {
  const TempFolder folder;
  const auto path = folder.write("m.gguf", builder.bytes());
  const std::string message = message_of([&] { model_config_from_gguf(GgufFile(path)); });
  if (message == "no error") return message;
  CHECK(message.starts_with(path.string() + ": "));
  return message.substr(path.string().size() + 2);
}

std::string floats(const std::vector<float>& values) {
  std::string bytes;
  for (const float value : values) bytes += raw(value);
  return bytes;
}

TEST_CASE("the metadata of a GGUF file make the same config as a config.json") {
  GgufBuilder builder = builder_of("qwen3");
  builder.uint32("qwen3.attention.key_length", 32).value("qwen3.rope.freq_base", kFloat, raw(5e5F));
  builder.uint32("tokenizer.ggml.eos_token_id", 7).uint32("tokenizer.ggml.eot_token_id", 9);
  builder.uint32("tokenizer.ggml.bos_token_id", 1).uint32("tokenizer.ggml.padding_token_id", 4000);
  const ModelConfig config = config_of(builder);
  CHECK(config.model_type == "qwen3");
  CHECK(config.vocab_size == 40);
  CHECK(config.hidden_size == 48);
  CHECK(config.intermediate_size == 80);
  CHECK(config.num_hidden_layers == 2);
  CHECK(config.num_attention_heads == 6);
  CHECK(config.num_key_value_heads == 2);
  CHECK(config.head_dim == 32);
  CHECK(config.max_position_embeddings == 300);
  CHECK(config.rms_norm_eps == static_cast<double>(1e-5F));
  CHECK(config.rope_parameters.rope_theta == 5e5);
  CHECK(config.rope_parameters.rope_type == RopeType::kDefault);
  CHECK(config.tie_word_embeddings);
  CHECK(config.eos_token_id == std::vector<Token>{7, 9});
  CHECK(config.bos_token_id == 1);
  CHECK_FALSE(config.pad_token_id.has_value());
  CHECK(config.warnings.size() == 1);
  CHECK(config.layer_types.size() == 2);
}

TEST_CASE("head size, key heads, head and biases follow from what the file has") {
  GgufBuilder builder = builder_of("llama");
  builder.tensor("output.weight", {48, 40}, kF32, std::string(48 * 40 * 4, '\0'));
  builder.tensor("blk.0.attn_q.bias", {48}, kF32, std::string(48 * 4, '\0'));
  const ModelConfig config = config_of(builder);
  CHECK(config.head_dim == 8);
  CHECK_FALSE(config.tie_word_embeddings);
  CHECK(config.qkv_bias());
}

TEST_CASE("rope scaling in a GGUF file") {
  GgufBuilder linear = builder_of("llama");
  linear.string("llama.rope.scaling.type", "linear").value("llama.rope.scaling.factor", kFloat, raw(4.0F));
  CHECK(config_of(linear).rope_parameters.rope_type == RopeType::kLinear);
  CHECK(config_of(linear).rope_parameters.factor == 4.0);

  GgufBuilder yarn = builder_of("qwen2");
  yarn.string("qwen2.rope.scaling.type", "yarn").value("qwen2.rope.scaling.factor", kFloat, raw(2.0F));
  yarn.uint32("qwen2.rope.scaling.original_context_length", 150);
  yarn.value("qwen2.rope.scaling.attn_factor", kFloat, raw(3.0F));
  const RopeParameters rope = config_of(yarn).rope_parameters;
  CHECK(rope.rope_type == RopeType::kYarn);
  CHECK(rope.original_max_position_embeddings == 150);
  CHECK(rope.attention_factor.value() == doctest::Approx(3.0 * (0.1 * std::log(2.0) + 1.0)));

  GgufBuilder llama3 = builder_of("llama");
  llama3.tensor("rope_freqs.weight", {4}, kF32, floats({1.0F, 2.5F, 7.0F, 8.0F}));
  const RopeParameters stretched = config_of(llama3).rope_parameters;
  CHECK(stretched.rope_type == RopeType::kLlama3);
  CHECK(stretched.frequency_factors == std::vector<double>{1.0, 2.5, 7.0, 8.0});
}

TEST_CASE("a window is used where the file says for which layers") {
  GgufBuilder silent = builder_of("qwen2");
  silent.uint32("qwen2.attention.sliding_window", 9);
  CHECK_FALSE(config_of(silent).window(1).has_value());
  CHECK(config_of(silent).warnings.size() == 1);
  GgufBuilder pattern = silent;
  pattern.array("qwen2.attention.sliding_window_pattern", kBool, 2, std::string("\0\1", 2));
  CHECK_FALSE(config_of(pattern).window(0).has_value());
  CHECK(config_of(pattern).window(1) == 9);
}

TEST_CASE("a GGUF file that is no model of ours is refused with the key") {
  CHECK(error_of(builder_of("mamba")) == "general.architecture: got 'mamba', expected llama, qwen2 or qwen3");
  CHECK(error_of(builder_of("llama").uint32("llama.expert_count", 8)) ==
        "llama.expert_count: a mixture of experts, expected a dense model");
  CHECK(error_of(builder_of("llama").uint32("llama.rope.dimension_count", 4)) ==
        "llama.rope.dimension_count: rope over a part of the head 4, expected 8 (the head's length)");
  CHECK(error_of(builder_of("llama").uint32("llama.attention.key_length", 7)) ==
        "head_dim: got 7, expected an even number (rotary embeddings turn pairs)");
  CHECK(error_of(builder_of("llama").string("llama.rope.scaling.type", "longrope")) ==
        "llama.rope.scaling.type: rope type 'longrope', expected none, linear or yarn");
  CHECK(error_of(builder_of("llama").tensor("rope_freqs.weight", {3}, kF32, floats({1, 1, 1}))) ==
        "tensor 'rope_freqs.weight': shape [3], expected [4] (half of head_dim)");
  CHECK(error_of(builder_of("llama").tensor("rope_freqs.weight", {4}, kF32, floats({1, 1, 0, 1})))
            .starts_with("tensor 'rope_freqs.weight': got 0"));
  GgufBuilder empty;
  CHECK(error_of(empty.string("general.architecture", "llama")).find("tokenizer.ggml.tokens") !=
        std::string::npos);
}

}  // namespace
}  // namespace llm
