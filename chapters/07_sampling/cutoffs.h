// Epsilon and eta cutoff: only tokens above a smallest probability.
// Hewitt et al. 2022, "Truncation sampling as language model desmoothing".
#pragma once

#include "chapters/07_sampling/row_processor.h"

namespace llm {

// Bans tokens of probability below epsilon, but none of the min_tokens_to_keep best or what equals them.
// transformers: EpsilonLogitsWarper.
class EpsilonCutoff : public Filter {
 public:
  // epsilon in (0, 1). Errors: kRange.
  explicit EpsilonCutoff(double epsilon, Index min_tokens_to_keep = 1);
  std::string_view name() const override { return "epsilon_cutoff"; }
  void process(std::span<const Token> input_ids, View<float, 1> scores) const override;

 private:
  float epsilon_;
  Index min_tokens_to_keep_;
};

// The same with a limit that sinks where the distribution is flat: min(epsilon, sqrt(epsilon) * exp(-H)), H
// its entropy. transformers: EtaLogitsWarper.
class EtaCutoff : public Filter {
 public:
  // epsilon in (0, 1). Errors: kRange.
  explicit EtaCutoff(double epsilon, Index min_tokens_to_keep = 1);
  std::string_view name() const override { return "eta_cutoff"; }
  void process(std::span<const Token> input_ids, View<float, 1> scores) const override;

 private:
  double epsilon_;
  Index min_tokens_to_keep_;
};

}  // namespace llm
