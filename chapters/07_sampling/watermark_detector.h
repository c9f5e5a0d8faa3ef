// Is there a watermark in a text?
#pragma once

#include <optional>
#include <vector>

#include "chapters/07_sampling/watermark.h"

namespace llm {

struct WatermarkDetection {
  Index num_tokens_scored = 0;
  Index num_green_tokens = 0;
  double green_fraction = 0;
  double z_score = 0;     // standard deviations above what chance gives
  double p_value = 0;     // the probability that chance gives as many green tokens or more
  double confidence = 0;  // 1 - p_value
  bool prediction = false;
};

// Counts how many tokens are on the green list that the tokens before them bring about. The text should not
// contain the prompt. transformers: WatermarkDetector.
class WatermarkDetector {
 public:
  // ignore_repeated_ngrams: a token in the same context counts once. bos_token_id: skipped at the beginning.
  WatermarkDetector(WatermarkingConfig config, Index vocab_size, std::optional<Token> bos_token_id = {},
                    bool ignore_repeated_ngrams = false)
      : lists_(std::move(config), vocab_size),
        bos_token_id_(bos_token_id),
        ignore_repeated_ngrams_(ignore_repeated_ngrams) {}

  // z = (green - ratio * n) / sqrt(n * ratio * (1 - ratio)); a watermark above z_threshold.
  // Errors: kRange for a text of no more than context_width tokens.
  WatermarkDetection operator()(std::span<const Token> ids, double z_threshold = 3.0) const;

 private:
  GreenLists lists_;
  std::optional<Token> bos_token_id_;
  bool ignore_repeated_ngrams_;
};

}  // namespace llm
