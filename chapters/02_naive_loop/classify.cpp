#include "chapters/02_naive_loop/classify.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "chapters/02_naive_loop/full_batch.h"

namespace llm {

double log_probability(View<const float, 1> logits, Token token) {
  const double largest = *std::max_element(logits.begin(), logits.end());
  double sum = 0;
  for (const float logit : logits) sum += std::exp(logit - largest);
  return logits[token] - largest - std::log(sum);
}

std::vector<double> label_log_probabilities(CausalLM& model, const std::vector<Token>& prompt,
                                            std::span<const std::vector<Token>> labels) {
  // --8<-- [start:ex02-9]
  std::vector<std::vector<Token>> rows;  // the prompt and a label, but for its last token: nothing follows it
  std::size_t longest = 0;
  for (const std::vector<Token>& label : labels) {
    rows.push_back(prompt);
    rows.back().insert(rows.back().end(), label.begin(), label.end() - 1);
    longest = std::max(longest, label.size());
  }
  const auto K = static_cast<Index>(longest);
  const FullBatch batch(rows);
  const auto logits = model.forward(batch.batch(), nullptr, {.logits_to_keep = K}).host();  // [B, K, V]

  std::vector<double> sums(labels.size());
  for (std::size_t b = 0; b < labels.size(); ++b) {
    const auto n = static_cast<Index>(labels[b].size());
    for (Index i = 0; i < n; ++i)
      sums[b] +=
          log_probability(logits[static_cast<Index>(b)][K - n + i], labels[b][static_cast<std::size_t>(i)]);
  }
  return sums;
  // --8<-- [end:ex02-9]
}

std::vector<double> label_shares(std::span<const double> log_probabilities) {
  const double largest = *std::ranges::max_element(log_probabilities);
  std::vector<double> shares;
  for (const double logarithm : log_probabilities) shares.push_back(std::exp(logarithm - largest));
  const double sum = std::accumulate(shares.begin(), shares.end(), 0.0);
  for (double& share : shares) share /= sum;
  return shares;
}

}  // namespace llm
