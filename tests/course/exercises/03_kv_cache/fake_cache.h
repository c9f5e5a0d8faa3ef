// A cache that only remembers which tokens it was given at which positions, and a model whose scores depend
// on nothing but that: for the tests of loops.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "common/seams/causal_lm.h"
#include "common/tensor/tensor.h"

namespace llm::grading {

using Tokens = std::vector<Token>;
using Positions = std::vector<Index>;

class FakeCache : public Cache {
 public:
  explicit FakeCache(std::vector<Tokens> texts = {{}}) : Cache(nullptr), tokens(std::move(texts)) {
    for (const Tokens& text : tokens) {
      positions.emplace_back();
      for (std::size_t i = 0; i < text.size(); ++i) positions.back().push_back(static_cast<Index>(i));
    }
  }

  std::vector<Tokens> tokens;        // of each row
  std::vector<Positions> positions;  // of these
  Index lost = 0;                    // a ring: what is cropped to fewer tokens, but not to none, is refused
  Index resets = 0;

  Index num_layers() const override { return 1; }
  CacheLayer& layer(Index) override {
    fail(ErrorCode::kUnsupported, {.where = "fake cache", .what = "has no layers"});
  }
  Index num_rows() const override { return static_cast<Index>(tokens.size()); }
  Index get_seq_length(Index row) const override {
    return static_cast<Index>(tokens.at(static_cast<std::size_t>(row)).size());
  }
  void crop(Index row, Index length) override {
    if (length < lost || length > get_seq_length(row))
      fail(ErrorCode::kRange,
           {.where = "fake cache", .what = "cannot go back to", .got = std::to_string(length)});
    tokens[static_cast<std::size_t>(row)].resize(static_cast<std::size_t>(length));
    positions[static_cast<std::size_t>(row)].resize(static_cast<std::size_t>(length));
  }
  void reorder(std::span<const Index>) override {}
  void add_rows(Index) override {}
  void reset() override {
    ++resets;
    for (Tokens& row : tokens) row.clear();
    for (Positions& row : positions) row.clear();
  }
  Index memory_bytes() const override { return 0; }
};

// The scores after what a row of the cache holds are one-hot: next(tokens, positions) is the best token.
class FakeCachedModel : public CausalLM, private Logits {
 public:
  using Next = std::function<Token(const Tokens&, const Positions&)>;
  FakeCachedModel(Index vocab_size, Next next) : next_(std::move(next)) { config_.vocab_size = vocab_size; }

  Index forwards = 0, computed = 0;  // passes, and real tokens in all of them
  Index widest = 0;                  // columns of the widest batch

  std::string_view name() const override { return "fake"; }
  const ModelConfig& config() const override { return config_; }
  std::unique_ptr<Cache> make_cache(const CacheSpec&) const override { return nullptr; }

  Logits& forward(const Batch& batch, Cache* past, const ForwardOptions&) override {
    auto& cache = dynamic_cast<FakeCache&>(*past);
    const Index B = batch.input_ids.shape(0), T = batch.input_ids.shape(1);
    logits_ = Tensor<float, 3>({B, 1, config_.vocab_size}, 0.0f);
    ++forwards;
    widest = std::max(widest, T);
    for (Index b = 0; b < B; ++b) {
      const auto row = batch.rows.empty() ? static_cast<std::size_t>(b)
                                          : static_cast<std::size_t>(batch.rows[static_cast<std::size_t>(b)]);
      for (Index t = 0; t < T; ++t) {
        if (!batch.attention_mask.empty() && batch.attention_mask(b, t) == 0) continue;
        cache.tokens.at(row).push_back(batch.input_ids(b, t));
        cache.positions.at(row).push_back(batch.position_ids(b, t));
        ++computed;
      }
      logits_(b, 0, next_(cache.tokens[row], cache.positions[row])) = 1;
    }
    return *this;
  }

 private:
  View<const float, 3> host() override { return logits_.view(); }
  std::vector<Token> argmax() override {
    std::vector<Token> best;
    for (Index b = 0; b < logits_.shape(0); ++b) {
      const View<float, 1> row = logits_.view()[b][0];
      best.push_back(static_cast<Token>(std::max_element(row.begin(), row.end()) - row.begin()));
    }
    return best;
  }

  ModelConfig config_;
  Next next_;
  Tensor<float, 3> logits_;
};

}  // namespace llm::grading
