// What every Logits must do: common/seams/logits.h.
#pragma once

#include <cmath>
#include <functional>
#include <limits>
#include <memory>
#include <vector>

#include "common/base/rng.h"
#include "common/seams/logits.h"
#include "common/tensor/tensor.h"
#include "tests/common/seams/checks.h"

namespace llm::test {

// Makes the implementation's Logits from scores [B, K, V] in host memory.
using MakeLogits = std::function<std::unique_ptr<Logits>(View<const float, 3> scores)>;

inline Tensor<float, 3> random_scores(Index B, Index K, Index V, std::uint32_t stream) {
  Tensor<float, 3> scores({B, K, V});
  const RngKey key = {.seed = 21, .sequence = stream, .purpose = RngPurpose::kTest};
  for (Index i = 0; i < scores.size(); ++i)
    scores.data()[i] = static_cast<float>(8 * uniform(key, static_cast<std::uint32_t>(i)) - 4);
  return scores;
}

// Temperature, then the top_k best with those that equal the last of them, then the fewest best that hold
// top_p, then the token where the cumulative probability, in the order of ids, passes the uniform. In double.
inline Token sample_oracle(View<const float, 1> scores, double temperature, Index top_k, double top_p,
                           double uniform) {
  const Index V = scores.size();
  std::vector<double> weights;
  for (Index v = 0; v < V; ++v) weights.push_back(scores[v] / temperature);
  const auto drop = [&](Index v) {
    weights[static_cast<std::size_t>(v)] = -std::numeric_limits<double>::infinity();
  };
  if (top_k > 0 && top_k < V) {
    std::vector<double> sorted = weights;
    std::sort(sorted.rbegin(), sorted.rend());
    for (Index v = 0; v < V; ++v)
      if (weights[static_cast<std::size_t>(v)] < sorted[static_cast<std::size_t>(top_k - 1)]) drop(v);
  }
  const double largest = *std::max_element(weights.begin(), weights.end());
  double total = 0;
  for (double& weight : weights) total += weight = std::exp(weight - largest);
  if (top_p < 1) {
    std::vector<Index> order;
    for (Index v = 0; v < V; ++v) order.push_back(v);
    std::stable_sort(order.begin(), order.end(), [&](Index a, Index b) {
      return weights[static_cast<std::size_t>(a)] > weights[static_cast<std::size_t>(b)];
    });
    double before = 0;
    for (const Index v : order) {
      const double weight = weights[static_cast<std::size_t>(v)];
      if (before / total >= top_p) weights[static_cast<std::size_t>(v)] = 0;
      before += weight;
    }
    total = 0;
    for (const double weight : weights) total += weight;
  }
  double sum = 0;
  for (Index v = 0; v < V; ++v) {
    sum += weights[static_cast<std::size_t>(v)];
    if (sum > uniform * total) return static_cast<Token>(v);
  }
  return static_cast<Token>(V - 1);
}

inline Checks logits_conformance(const std::string& name, const MakeLogits& make) {
  Checks checks(name);
  checks.part("host", [&] {
    const auto scores = random_scores(3, 2, 37, 1);
    const auto logits = make(scores);
    const View<const float, 3> host = logits->host();
    checks.that(host.shape() == scores.shape(), "host() is [B, K, V]");
    checks.that(host.shape() == scores.shape() &&
                    std::equal(scores.data(), scores.data() + scores.size(), host.data()),
                "host() has the scores");
  });
  checks.part("argmax", [&] {
    auto scores = random_scores(4, 3, 37, 2);
    scores(0, 0, 5) = 100;  // not the last position
    scores(0, 2, 36) = 10;
    scores(1, 2, 0) = 10;
    scores(2, 2, 20) = scores(2, 2, 9) = scores(2, 2, 30) = 10;  // a tie
    for (Index v = 0; v < 37; ++v) scores(3, 2, v) = -std::numeric_limits<float>::infinity();
    scores(3, 2, 17) = -1e30f;
    const std::vector<Token> best = make(scores)->argmax();
    checks.that(best.size() == 4 && best[0] == 36 && best[1] == 0,
                "argmax is that of the last kept position");
    checks.that(best.size() == 4 && best[2] == 9, "argmax gives the lowest id of a tie");
    checks.that(best.size() == 4 && best[3] == 17, "argmax takes minus infinity for what it is");
    for (const Index v : {0, 18, 36}) {
      auto broken = scores.clone();
      broken(1, 2, v) = std::numeric_limits<float>::quiet_NaN();
      checks.fails(ErrorCode::kRange, "argmax of NaN is an error", [&] { (void)make(broken)->argmax(); });
    }
  });
  checks.part("sample", [&] {
    const auto scores = random_scores(2, 2, 37, 3);
    const auto logits = make(scores);
    const std::vector<double> first = {0.25, 0.75};
    if (!logits->has_sample())
      return checks.fails(ErrorCode::kUnsupported, "sample() that is not there is an error",
                          [&] { (void)logits->sample(1, 0, 1, first); });
    bool same = true;
    for (const float temperature : {0.5f, 1.0f, 2.0f})
      for (const Index top_k : {0, 1, 5, 40})
        for (const float top_p : {0.3f, 0.9f, 1.0f})
          for (const double u : {0.0, 0.17, 0.5, 0.83, 0.999}) {
            const std::vector<double> uniforms = {u, 1 - u == 1 ? 0.5 : 1 - u};
            const std::vector<Token> got = logits->sample(temperature, top_k, top_p, uniforms);
            for (Index b = 0; b < 2 && got.size() == 2; ++b)
              same = same && got[static_cast<std::size_t>(b)] ==
                                 sample_oracle(scores.view()[b][1], temperature, top_k, top_p,
                                               uniforms[static_cast<std::size_t>(b)]);
            same = same && got.size() == 2;
          }
    checks.that(same, "sample() picks what the host picks from the same scores and uniforms");
  });
  return checks;
}

}  // namespace llm::test
