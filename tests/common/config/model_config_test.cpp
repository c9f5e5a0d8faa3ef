#include "common/config/model_config.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>
#include <span>

#include "common/base/error.h"
#include "common/config/known_shapes.h"
#include "common/config/tensor_specs.h"
#include "common/io/json.h"
#include "tests/message_of.h"
#include "tests/temp_folder.h"

namespace llm {
namespace {

const char* const kGood = R"({"model_type": "qwen3", "vocab_size": 512, "hidden_size": 64,
  "intermediate_size": 160, "num_hidden_layers": 3, "num_attention_heads": 4, "num_key_value_heads": 2,
  "head_dim": 32})";

// kGood with some keys changed; a value of null takes the key away.
std::string changed(const std::string& patch) {
  Json config = Json::parse(kGood);
  config.merge_patch(Json::parse(patch));
  return config.dump();
}

// The message of the error that a config.json gives; all begin with the file's name.
std::string error_of(const std::string& text) {
  const std::string message = message_of([&] { model_config_from_json(text, "m/config.json"); });
  if (message == "no error") return message;
  CHECK(message.starts_with("m/config.json: "));
  return message.substr(15);
}

void check_rope(const RopeParameters& rope, const Json& expected) {
  CHECK(rope_type_name(rope.rope_type) == expected["rope_type"].get<std::string>());
  CHECK(rope.rope_theta == expected["rope_theta"].get<double>());
  const auto number = [&](const char* key, double fallback) {
    const double value = expected.value(key, 0.0);
    return value == 0.0 ? fallback : value;
  };
  CHECK(rope.factor == number("factor", 1.0));
  CHECK(rope.low_freq_factor == number("low_freq_factor", 1.0));
  CHECK(rope.high_freq_factor == number("high_freq_factor", 4.0));
  CHECK(rope.beta_fast == number("beta_fast", 32.0));
  CHECK(rope.beta_slow == number("beta_slow", 1.0));
  CHECK(rope.attention_factor.value_or(-1.0) == number("attention_factor", -1.0));
  CHECK(rope.mscale.value_or(-1.0) == number("mscale", -1.0));
  CHECK(rope.mscale_all_dim.value_or(-1.0) == number("mscale_all_dim", -1.0));
  CHECK(rope.truncate == expected.value("truncate", true));
  CHECK(rope.original_max_position_embeddings ==
        expected.value("original_max_position_embeddings", Index{0}));
}

TEST_CASE("every variant of config.json means what it means to transformers") {
  std::ifstream file(LLM_SOURCE_DIR "/tests/common/config/data/configs.jsonl");
  int count = 0;
  for (std::string line; std::getline(file, line); ++count) {
    const Json golden = Json::parse(line);
    const Json& expected = golden["expected"];
    const std::string name = golden["name"];
    CAPTURE(name);
    const ModelConfig config = model_config_from_json(golden["config"].dump());
    CHECK(config.vocab_size == expected["vocab_size"]);
    CHECK(config.num_key_value_heads == expected["num_key_value_heads"]);
    CHECK(config.head_dim == expected["head_dim"]);
    CHECK(config.max_position_embeddings == expected["max_position_embeddings"]);
    CHECK(config.rms_norm_eps == expected["rms_norm_eps"]);
    CHECK(config.tie_word_embeddings == expected["tie_word_embeddings"]);
    CHECK(config.dtype == expected["dtype"].get<std::string>());
    CHECK(config.eos_token_id == expected["eos_token_id"].get<std::vector<Token>>());
    CHECK(config.bos_token_id.value_or(-1) ==
          (expected["bos_token_id"].is_null() ? Json(-1) : expected["bos_token_id"]));
    CHECK(config.pad_token_id.value_or(-1) ==
          (expected["pad_token_id"].is_null() ? Json(-1) : expected["pad_token_id"]));
    CHECK(config.sliding_window.value_or(-1) ==
          (expected["sliding_window"].is_null() ? Json(-1) : expected["sliding_window"]));
    std::vector<std::string> types;
    for (const LayerType type : config.layer_types) types.emplace_back(layer_type_name(type));
    CHECK(types == expected["layer_types"].get<std::vector<std::string>>());
    check_rope(config.rope_parameters, expected["rope"]);
    CHECK(model_config_from_json(to_json(config)) == config);
  }
  CHECK(count == 48);
}

TEST_CASE("the families differ in biases and in QK-norm") {
  const auto config = [](const std::string& patch) { return model_config_from_json(changed(patch)); };
  const ModelConfig qwen3 = config(R"({"attention_bias": true, "mlp_bias": true})");
  CHECK((qwen3.qk_norm() && qwen3.qkv_bias() && qwen3.output_bias() && !qwen3.mlp_bias));
  const ModelConfig qwen2 = config(R"({"model_type": "qwen2", "attention_bias": false})");
  CHECK((!qwen2.qk_norm() && qwen2.qkv_bias() && !qwen2.output_bias() && !qwen2.mlp_bias));
  const ModelConfig llama = config(R"({"model_type": "llama", "mlp_bias": true})");
  CHECK((!llama.qk_norm() && !llama.qkv_bias() && !llama.output_bias() && llama.mlp_bias));
  CHECK(config(R"({"hidden_act": "swish"})").hidden_act == "silu");
}

TEST_CASE("a layer's window is there for sliding layers only") {
  const ModelConfig config = model_config_from_json(
      changed(R"({"use_sliding_window": true, "sliding_window": 7, "max_window_layers": 1})"));
  CHECK_FALSE(config.window(0).has_value());
  CHECK(config.window(1) == 7);
  CHECK(config.window(2) == 7);
}

TEST_CASE("special tokens that are not in the vocabulary are left out with a warning") {
  const ModelConfig config =
      model_config_from_json(changed(R"({"pad_token_id": -1, "eos_token_id": [3, 512, 511]})"));
  CHECK_FALSE(config.pad_token_id.has_value());
  CHECK(config.eos_token_id == std::vector<Token>{3, 511});
  REQUIRE(config.warnings.size() == 2);
  CHECK(config.warnings[0] ==
        "config.json: eos_token_id: 512 is not in the vocabulary (vocab_size 512) and is left out");
}

// What is changed in kGood, and the message that it must give.
struct BadConfig {
  std::string patch;
  std::string message;
};

void check_refused(std::span<const BadConfig> cases) {
  for (const BadConfig& one : cases) {
    CAPTURE(one.patch);
    CHECK(error_of(changed(one.patch)) == one.message);
  }
}

TEST_CASE("a damaged config.json is refused with file, key, got and expected") {
  const BadConfig cases[] = {
      {R"({"hidden_size": null})", "'hidden_size' is missing"},
      {R"({"hidden_size": "64"})", R"(hidden_size: got "64", expected an integer from 1 to 262144)"},
      {R"({"hidden_size": 64.5})", "hidden_size: got 64.5, expected an integer from 1 to 262144"},
      {R"({"hidden_size": true})", "hidden_size: got true, expected an integer from 1 to 262144"},
      {R"({"num_hidden_layers": -3})", "num_hidden_layers: got -3, expected an integer from 1 to 4096"},
      {R"({"num_hidden_layers": 0})", "num_hidden_layers: got 0, expected an integer from 1 to 4096"},
      {R"({"vocab_size": 4611686018427387904})",
       "vocab_size: got 4611686018427387904, expected an integer from 1 to 16777216"},
      {R"({"vocab_size": 18446744073709551615})",
       "vocab_size: got 18446744073709551615, expected an integer from 1 to 16777216"},
      {R"({"num_key_value_heads": 3})",
       "num_key_value_heads: got 3, expected a number by which num_attention_heads (4) is divisible"},
      {R"({"head_dim": 31})", "head_dim: got 31, expected an even number (rotary embeddings turn pairs)"},
      {R"({"model_type": "qwen9"})", "model_type: got 'qwen9', expected llama, qwen2 or qwen3"},
      {R"({"model_type": null})", "'model_type' is missing"},
      {R"({"hidden_act": "sparkle"})", "hidden_act: got 'sparkle', expected 'silu' (also called 'swish')"},
      {R"({"rms_norm_eps": -1e-6})", "rms_norm_eps: got -1e-06, expected a number from 0.0 to 1.0"},
      {R"({"tie_word_embeddings": 1})", "tie_word_embeddings: got 1, expected true or false"},
      {R"({"eos_token_id": "2"})", "eos_token_id: got \"2\", expected an integer"},
      {R"({"model_type": "llama", "hidden_size": 66})",
       "hidden_size: got 66, expected a multiple of num_attention_heads (4)"},
      {R"({"quantization_config": {"quant_method": "gptq"}})",
       "quantization_config: quantized weights ('gptq'), expected float32, float16 or bfloat16; use the "
       "original model, or a GGUF file"},
  };
  check_refused(cases);
  CHECK(error_of("[]") == "got [], expected an object");
  CHECK(error_of(R"({"vocab_size": 1, "vocab_size": 2})").find("vocab_size") != std::string::npos);
  CHECK(error_of("{").find("line 1") != std::string::npos);
}

TEST_CASE("rope parameters and layer types are checked as closely") {
  const BadConfig cases[] = {
      {R"({"rope_theta": 0})", "rope_theta: got 0, expected a number above 1.0"},
      {R"({"rope_theta": "big"})", "rope_theta: got \"big\", expected a number"},
      {R"({"rope_scaling": 4})", "rope_scaling: got 4, expected an object"},
      {R"({"rope_scaling": {"type": "linear"}})", "rope_scaling: 'factor' is missing"},
      {R"({"rope_scaling": {"type": "linear", "factor": -2}})",
       "rope_scaling.factor: got -2, expected a number above 0.0"},
      {R"({"rope_scaling": {"type": "dynamic", "factor": 2}})",
       "rope_scaling.type: rope type 'dynamic', expected default, linear, llama3 or yarn"},
      {R"({"rope_parameters": {"rope_type": "longrope"}})",
       "rope_parameters.rope_type: rope type 'longrope', expected default, linear, llama3 or yarn"},
      {R"({"rope_scaling": {"type": "yarn"}})", "rope_scaling: 'factor' is missing"},
      {R"({"rope_scaling": {"type": "llama3", "factor": 8, "low_freq_factor": 4, "high_freq_factor": 4}})",
       "rope_scaling.high_freq_factor: got 4, expected a number above 4.0"},
      {R"({"rope_parameters": {"partial_rotary_factor": 0.5}})",
       "rope_parameters.partial_rotary_factor: rope over a part of the head 0.5, expected 1.0"},
      {R"({"rope_parameters": {"full_attention": {}}})",
       "rope_parameters.full_attention: rope parameters for one type of layer, expected one set for all "
       "layers"},
      {R"({"layer_types": ["full_attention"]})",
       "layer_types: got 1 entries, expected 3 (num_hidden_layers)"},
      {R"({"layer_types": ["full_attention", "linear_attention", "full_attention"]})",
       "layer_types[1]: got 'linear_attention', expected 'full_attention' or 'sliding_attention'"},
      {R"({"sliding_window": 5,
           "layer_types": ["full_attention", "sliding_attention", "full_attention"]})",
       "layer_types: some layers are 'sliding_attention' and there is no window; set sliding_window and "
       "use_sliding_window"},
  };
  check_refused(cases);
}

TEST_CASE("a folder without a config.json is named") {
  const TempFolder folder;
  CHECK_THROWS_WITH_AS(load_model_config(folder.path()),
                       (folder.path().string() +
                        ": there is no config.json; give a folder as Hugging Face has them, or a GGUF file")
                           .c_str(),
                       Error);
  folder.write("config.json", kGood);
  CHECK(load_model_config(folder.path()).head_dim == 32);
}

TEST_CASE("a ModelConfig made by hand is checked like a file") {
  ModelConfig config = model_config_from_json(kGood);
  validate(config, "mine");
  config.head_dim = 0;
  CHECK_THROWS_WITH_AS(validate(config, "mine"), "mine: head_dim: got 0, expected an integer from 1 to 8192",
                       Error);
}

TEST_CASE("the known shapes have as many parameters as the real models") {
  CHECK(num_parameters(random_config("qwen3-0.6b")) == 596049920);
  CHECK(num_parameters(random_config("qwen3-1.7b")) == 1720574976);
  CHECK(num_parameters(random_config("qwen3-4b")) == 4022468096);
  CHECK(num_parameters(random_config("smollm2-135m")) == 134515008);
  CHECK(num_parameters(random_config("llama-3.2-1b")) == 1235814400);
  CHECK(random_config("llama-3.2-1b").rope_parameters.factor == 32.0);
  CHECK_THROWS_WITH_AS(random_config("qwen3-9b"),
                       "random:qwen3-9b: unknown shape 'qwen3-9b', expected one of qwen3-0.6b, qwen3-1.7b, "
                       "qwen3-4b, smollm2-135m, llama-3.2-1b",
                       Error);
}

TEST_CASE("tensor specs name each weight of the family with its shape") {
  const auto specs_of = [](const std::string& patch) {
    std::string text;
    for (const TensorSpec& spec : tensor_specs(model_config_from_json(changed(patch))))
      if (!spec.name.starts_with("model.layers.") || spec.name.starts_with("model.layers.2."))
        text += spec.name + " " + shape_text(spec.shape) + "\n";
    return text;
  };
  CHECK(specs_of("{}") ==
        "model.embed_tokens.weight [512,64]\n"
        "model.layers.2.input_layernorm.weight [64]\n"
        "model.layers.2.self_attn.q_proj.weight [128,64]\n"
        "model.layers.2.self_attn.k_proj.weight [64,64]\n"
        "model.layers.2.self_attn.v_proj.weight [64,64]\n"
        "model.layers.2.self_attn.o_proj.weight [64,128]\n"
        "model.layers.2.self_attn.q_norm.weight [32]\n"
        "model.layers.2.self_attn.k_norm.weight [32]\n"
        "model.layers.2.post_attention_layernorm.weight [64]\n"
        "model.layers.2.mlp.gate_proj.weight [160,64]\n"
        "model.layers.2.mlp.up_proj.weight [160,64]\n"
        "model.layers.2.mlp.down_proj.weight [64,160]\n"
        "model.norm.weight [64]\n"
        "lm_head.weight [512,64]\n");
  const std::string qwen2 = specs_of(R"({"model_type": "qwen2", "tie_word_embeddings": true})");
  CHECK(qwen2.find("model.layers.2.self_attn.k_proj.bias [64]\n") != std::string::npos);
  CHECK(qwen2.find("o_proj.bias") == std::string::npos);
  CHECK(qwen2.find("lm_head") == std::string::npos);
  CHECK(qwen2.find("q_norm") == std::string::npos);
}

}  // namespace
}  // namespace llm
