// A watermark: a secret list of "green" tokens is preferred, and whoever knows the secret can count them.
// Kirchenbauer et al. 2023, "A watermark for large language models".
#pragma once

#include <memory>
#include <vector>

#include "chapters/07_sampling/row_processor.h"
#include "common/config/generation_config.h"

namespace llm {

// The green lists: for each context a share greenlist_ratio of the vocabulary, the same that transformers
// draws on a CPU (Mersenne Twister and Fisher-Yates shuffle).
class GreenLists {
 public:
  // Errors: kRange unless 0 < greenlist_ratio < 1, context_width >= 1 and vocab_size >= 1; kUsage for an
  // unknown seeding_scheme.
  GreenLists(WatermarkingConfig config, Index vocab_size);

  const WatermarkingConfig& config() const { return config_; }
  bool selfhash() const { return table_ != nullptr; }

  // The list after these tokens, of which the last one (lefthash) or the last context_width ones (selfhash:
  // the token in question is the last) decide. Valid until the thread's next call.
  std::span<const Token> list(std::span<const Token> context) const;
  bool is_green(Token id, std::span<const Token> context) const;

 private:
  std::uint32_t seed(std::span<const Token> context) const;

  WatermarkingConfig config_;
  Index vocab_size_;
  std::shared_ptr<const std::vector<std::int32_t>> table_;  // selfhash: a fixed permutation
};

// Adds the bias to the green tokens' scores. With "selfhash" only the 40 best tokens are looked at, each with
// the list that it would itself bring about. Nothing happens while a row has fewer than context_width tokens.
// transformers: WatermarkLogitsProcessor.
class Watermark : public RowProcessor {
 public:
  // Errors: those of GreenLists.
  Watermark(WatermarkingConfig config, Index vocab_size) : lists_(std::move(config), vocab_size) {}
  std::string_view name() const override { return "watermarking_config"; }
  void process(std::span<const Token> input_ids, View<float, 1> scores) const override;

 private:
  GreenLists lists_;
};

}  // namespace llm
