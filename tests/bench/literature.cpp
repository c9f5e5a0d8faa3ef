#include "tests/bench/literature.h"

#include "common/config/known_shapes.h"
#include "common/config/tensor_specs.h"

namespace llm {
namespace {

constexpr LiteratureRow kRows[] = {
    {.method = "naive", .m4_cpu = 5, .m4_gpu = 27, .h100 = 51, .ours = "naive"},
    {.method = "+ KV cache", .m4_cpu = 29, .m4_gpu = 41, .h100 = 48, .ours = "cached dynamic"},
    {.method = "+ torch.compile", .m4_cpu = 5, .m4_gpu = 43, .h100 = 164, .ours = ""},
    {.method = "+ both", .m4_cpu = 68, .m4_gpu = 71, .h100 = 141, .ours = "fused bf16"},
};

}  // namespace

std::span<const LiteratureRow> literature() { return kRows; }

bool has_literature(const ModelConfig& config) {
  const ModelConfig known = random_config("qwen3-0.6b");
  return config.model_type == known.model_type && config.head_dim == known.head_dim &&
         config.num_attention_heads == known.num_attention_heads &&
         num_parameters(config) == num_parameters(known);
}

}  // namespace llm
