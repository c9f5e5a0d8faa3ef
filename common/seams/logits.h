// The scores that a forward pass gives, wherever the engine keeps them.
#pragma once

#include <span>
#include <vector>

#include "common/base/error.h"
#include "common/tensor/view.h"

namespace llm {

// For B rows and K kept positions a score for each of V tokens. Belongs to its engine: valid until the next
// forward pass.
class Logits {
 public:
  virtual ~Logits() = default;

  // [B, K, V] in host memory; zeros at padding. An engine on a GPU copies on the first call.
  virtual View<const float, 3> host() = 0;

  // The best token of the last kept position, one a row; ties go to the lowest id.
  // Errors: kRange if a score is NaN.
  virtual std::vector<Token> argmax() = 0;

  // Whether sample() is there. Without it chapter 07 works on host().
  virtual bool has_sample() const { return false; }

  // One token a row from the last kept position: temperature, then top-k (0: off), then top-p (1: off), then
  // the token where the cumulative probability, in the order of ids, passes the row's uniform number in [0,
  // 1). It is the token that chapter 07 picks from the same scores and uniforms. Errors: kUnsupported by
  // default.
  virtual std::vector<Token> sample(float temperature, Index top_k, float top_p,
                                    std::span<const double> uniforms) {
    (void)temperature, (void)top_k, (void)top_p, (void)uniforms;
    fail(ErrorCode::kUnsupported,
         {.where = "Logits::sample", .what = "this engine samples on the host only"});
  }
};

}  // namespace llm
