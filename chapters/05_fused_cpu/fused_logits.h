// Scores that are computed when somebody asks, and only as much of them as is asked for.
#pragma once

#include "chapters/02_naive_loop/buffer.h"
#include "chapters/05_fused_cpu/operators.h"
#include "common/seams/logits.h"

namespace llm {

// B rows, K kept positions, D: hidden_size, V: vocab_size.
class FusedLogits : public Logits {
 public:
  // hidden: [B*K, D], the layers' output at the kept positions, which lives until the next pass.
  void set(Operators& operators, View<const float, 2> hidden, Index B, const Norm& norm, const Linear& head);

  View<const float, 3> host() override;  // [B, K, V]
  // Without writing the scores, where nobody asked for them before.
  std::vector<Token> argmax() override;

 private:
  Operators* operators_ = nullptr;
  View<const float, 2> hidden_;
  Index B_ = 0;
  Norm norm_;
  const Linear* head_ = nullptr;
  bool computed_ = false;
  Buffer scores_, last_;
};

}  // namespace llm
