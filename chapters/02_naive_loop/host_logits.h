// Scores in host memory.
#pragma once

#include "common/seams/logits.h"

namespace llm {

// Looks at scores that its engine keeps.
class HostLogits : public Logits {
 public:
  void set(View<const float, 3> scores) { scores_ = scores; }  // [B, K, V]

  View<const float, 3> host() override { return scores_; }
  std::vector<Token> argmax() override;

 private:
  View<const float, 3> scores_;
};

// The index of the largest of V scores, the lowest where several are equal.
// Errors: kRange if a score is NaN. `where` begins the message.
Token argmax(View<const float, 1> scores, const std::string& where);

}  // namespace llm
