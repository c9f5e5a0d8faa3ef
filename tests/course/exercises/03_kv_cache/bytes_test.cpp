#include "chapters/03_kv_cache/cache_kinds.h"
#include "chapters/03_kv_cache/kv_format.h"
#include "tests/course/exercises/grading.h"

namespace llm::grading {
namespace {

struct Shape {
  const char* name;
  Index L, H, KH, Dh, D;
};
constexpr Shape kQwen3 = {"Qwen3-0.6B", 28, 16, 8, 128, 1024};
constexpr Shape kQwen2 = {"Qwen2.5-7B", 28, 28, 4, 128, 3584};
constexpr Shape kSmol = {"SmolLM2-135M", 30, 9, 3, 64, 576};
constexpr Shape kOdd = {"another shape", 3, 15, 5, 14, 45};

ModelConfig config_of(const Shape& shape) {
  ModelConfig config;
  config.num_hidden_layers = shape.L;
  config.num_attention_heads = shape.H;
  config.num_key_value_heads = shape.KH;
  config.head_dim = shape.Dh;
  config.hidden_size = shape.D;
  config.layer_types.assign(static_cast<std::size_t>(shape.L), LayerType::kFullAttention);
  return config;
}

void check(const Shape& shape, Index S, const std::string& dtype, Index bytes) {
  const ModelConfig config = config_of(shape);
  const CacheSpec spec = {.cache_dtype = dtype};
  Index all = 0;
  for (Index l = 0; l < shape.L; ++l) all += kDynamicCacheKind.layer_bytes(config, spec, l, S);
  const Index right = 2 * shape.L * S * shape.KH * shape.Dh * bytes;
  expect_equal<Index>(
      std::string(shape.name) + ", " + dtype + ", all layers, tokens: " + std::to_string(S), all, right,
      {{right / 2, bytes == 2 ? "half as much: there are keys and values, and each number has 2 bytes here"
                              : "every number was counted with 2 bytes; f32 has 4"},
       {right / shape.KH * shape.H,
        "heads of queries were counted: what is stored is the heads of keys and values, num_key_value_heads"},
       {2 * shape.L * S * shape.D * bytes,
        "hidden_size was taken for KH * Dh: they are equal in some models, by chance"},
       {2 * shape.L * S * shape.KH * (shape.D / shape.H) * bytes,
        "head_dim was computed as hidden_size / num_attention_heads; the config says what it is"},
       {right / bytes * 4, "every number was counted with 4 bytes; bf16 and f16 have 2"},
       {right / bytes, "numbers were counted, not bytes"},
       {right * shape.L, "all layers were counted; the function is asked for one layer after the other"}});
}

TEST_CASE("a shape in which no two sizes are equal") { check(kOdd, 13, "bf16", 2); }

TEST_CASE("Qwen3-0.6B at 1,024 tokens in bf16: 112 MiB") { check(kQwen3, 1024, "bf16", 2); }

TEST_CASE("models with other shapes") {
  check(kQwen2, 1000, "bf16", 2);
  check(kSmol, 77, "f16", 2);
}

TEST_CASE("float32 takes twice as much") {
  check(kSmol, 1, "f32", 4);
  check(kOdd, 7, "f32", 4);
}

}  // namespace
}  // namespace llm::grading
