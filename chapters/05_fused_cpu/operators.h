// What a forward pass asks for: a few operators over N tokens. Each step of the ladder is a class that
// overrides some of those of the step before (step_3_simd.h to step_8_int8_cache.h).
#pragma once

#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "chapters/02_naive_loop/attention.h"
#include "chapters/02_naive_loop/decoder_layer.h"
#include "chapters/05_fused_cpu/kernels.h"
#include "chapters/05_fused_cpu/thread_team.h"

namespace llm {

// exact: what is multiplied with the weights stays float32. fast: where the machine has an instruction for
// it, it is rounded to bfloat16 (for BF16 weights) or to INT8 with a scale for each 32 values (for blocks).
enum class Compute { kExact, kFast };

// "exact" or "fast", as --compute says it. Errors: kUsage for another word.
Compute parse_compute(std::string_view text);

struct FusedOptions {
  int num_threads = 1;
  Isa isa = active_isa();
  Compute compute = Compute::kExact;
  bool mapped_weights = false;  // leave them in the pages of the file
};

// A linear layer and where its result goes.
struct Projection {
  const Linear* linear = nullptr;
  View<float, 2> out = {};  // [N, rows of the weight]
};

// An RMSNorm: its weight [D], and what is added to the mean of the squares.
struct Norm {
  View<const float, 1> weight = {};
  float eps = 0;
};

// D: hidden_size. H, KH, Dh: heads, key/value heads, head_dim. V: vocab_size.
class Operators {
 public:
  explicit Operators(const FusedOptions& options)
      : options_(options), kernels_(&kernels_for(options.isa)), team_(options.num_threads) {}
  virtual ~Operators() = default;

  ThreadTeam& team() { return team_; }
  const Kernels& kernels() const { return *kernels_; }
  Compute compute() const { return options_.compute; }
  const FusedOptions& options() const { return options_; }

  // Whether what is multiplied with this weight is rounded before: never, unless compute() is fast.
  virtual bool rounds(const Weight& weight) const { return (void)weight, false; }

  // Each projection of norm(hidden), hidden [N, D].
  virtual void norm_project(View<const float, 2> hidden, const Norm& norm,
                            std::span<const Projection> projections) = 0;

  // hidden += linear(x), x [N, in].
  virtual void project_add(View<const float, 2> x, const Linear& linear, View<float, 2> hidden) = 0;

  // hidden += down(silu(gate(n)) * up(n)) with n = norm(hidden).
  virtual void feed_forward(const DecoderLayer& layer, const Norm& norm, View<float, 2> hidden) = 0;

  // As chapter 02's attention(): queries, out [N, H, Dh].
  virtual void attend(View<const float, 3> queries, std::span<const AttentionRow> rows, Index num_kv_heads,
                      std::optional<Index> window, View<float, 3> out) = 0;

  // The best token of each row of head(norm(hidden)), hidden [N, D]: the highest score, of equal ones the
  // lowest id. Errors: kRange if a score is NaN.
  virtual std::vector<Token> best(View<const float, 2> hidden, const Norm& norm, const Linear& head) = 0;

 private:
  FusedOptions options_;
  const Kernels* kernels_;
  ThreadTeam team_;
};

}  // namespace llm
