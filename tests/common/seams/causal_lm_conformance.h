// What every engine must do: common/seams/causal_lm.h. The model may be of any size; its vocabulary has at
// least 8 tokens, its text at least 16 positions.
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "common/seams/causal_lm.h"
#include "tests/common/seams/checks.h"

namespace llm::test {

struct CausalLMTraits {
  std::string name;
  CausalLM* model = nullptr;
  bool has_cache = false;
  float tolerance = 1e-4f;  // of scores, relative to the largest
};

// A batch with memory of its own: rows padded on the left with ids and positions that nobody may look at.
class PaddedBatch {
 public:
  // first_positions: of each row's first token; empty: 0.
  explicit PaddedBatch(const std::vector<std::vector<Token>>& rows,
                       const std::vector<Index>& first_positions = {}, std::vector<Index> cache_rows = {})
      : cache_rows_(std::move(cache_rows)), B_(static_cast<Index>(rows.size())) {
    for (const auto& row : rows) T_ = std::max(T_, static_cast<Index>(row.size()));
    for (std::size_t b = 0; b < rows.size(); ++b) {
      const auto padding = static_cast<Index>(T_ - static_cast<Index>(rows[b].size()));
      for (Index t = 0; t < T_; ++t) {
        const bool real = t >= padding;
        const Index first = first_positions.empty() ? 0 : first_positions[b];
        ids_.push_back(real ? rows[b][static_cast<std::size_t>(t - padding)] : -7);
        positions_.push_back(real ? first + t - padding : -9);
        mask_.push_back(real ? 1 : 0);
      }
    }
  }
  Batch batch() const {
    return {.input_ids = {ids_.data(), {B_, T_}},
            .position_ids = {positions_.data(), {B_, T_}},
            .attention_mask = {mask_.data(), {B_, T_}},
            .rows = cache_rows_};
  }
  Index T() const { return T_; }

 private:
  std::vector<Token> ids_;
  std::vector<Index> positions_;
  std::vector<std::uint8_t> mask_;
  std::vector<Index> cache_rows_;
  Index B_, T_ = 0;
};

using Scores = std::vector<float>;

class LMDriver {
 public:
  LMDriver(const CausalLMTraits& traits, Checks& checks) : traits_(traits), checks_(checks) {}

  CausalLM& model() const { return *traits_.model; }
  Index V() const { return model().config().vocab_size; }
  Index D() const { return model().config().hidden_size; }

  // Ids that do not repeat soon, within the vocabulary.
  std::vector<Token> text(Index length, Index seed) const {
    std::vector<Token> ids;
    for (Index i = 0; i < length; ++i)
      ids.push_back(static_cast<Token>((7 * seed + 3 * i * i + 5 * i + i % 3) % std::min<Index>(V(), 251)));
    return ids;
  }

  // All scores of a pass: [B, K, V].
  Scores run(const Batch& batch, Cache* cache = nullptr, ForwardOptions options = {}) const {
    const View<const float, 3> scores = model().forward(batch, cache, options).host();
    return {scores.data(), scores.data() + scores.size()};
  }
  // The scores [T, V] of one text alone, without a cache.
  Scores alone(const std::vector<Token>& text, ForwardOptions options = {}) const {
    const PaddedBatch padded({text});
    return run(padded.batch(), nullptr, options);
  }

  // The last `count` positions of got against those of expected.
  void equal(const Scores& got, const Scores& expected, Index count, const std::string& claim) const {
    const auto n = static_cast<std::size_t>(count * V());
    if (got.size() < n || expected.size() < n) return checks_.that(false, claim + " (not as many scores)");
    float largest = 0, error = 0;
    for (std::size_t i = 1; i <= n; ++i) {
      const float want = expected[expected.size() - i];
      largest = std::max(largest, std::abs(want));
      const float difference = std::abs(got[got.size() - i] - want);
      if (!(difference <= error)) error = difference;  // NaN stays
    }
    checks_.that(error <= traits_.tolerance * largest, claim);
  }
  // Row b of [B, K, V].
  Scores row(const Scores& scores, Index b, Index K) const {
    const auto begin = scores.begin() + b * K * V();
    return {begin, begin + K * V()};
  }

 private:
  const CausalLMTraits& traits_;
  Checks& checks_;
};

inline void check_shapes(const LMDriver& lm, Checks& checks) {
  const PaddedBatch padded({lm.text(5, 1), lm.text(3, 2)});
  const View<const float, 3> all = lm.model().forward(padded.batch(), nullptr, {}).host();
  checks.that(all.shape() == View<const float, 3>::Shape{2, 5, lm.V()},
              "scores of all positions are [B, T, V]");
  bool zeros = true;
  for (Index t = 0; t < 2; ++t)
    for (Index v = 0; v < lm.V(); ++v) zeros = zeros && all(1, t, v) == 0;
  checks.that(zeros, "scores at padding are zeros");
  const Scores whole = lm.alone(lm.text(5, 1));
  for (const Index K : {1, 2, 5}) {
    const PaddedBatch one({lm.text(5, 1)});
    const View<const float, 3> kept = lm.model().forward(one.batch(), nullptr, {.logits_to_keep = K}).host();
    checks.that(kept.shape() == View<const float, 3>::Shape{1, K, lm.V()}, "logits_to_keep keeps that many");
    lm.equal({kept.data(), kept.data() + kept.size()}, whole, K, "logits_to_keep keeps the last positions");
  }
}

inline void check_batches(const LMDriver& lm, Checks& checks) {
  const std::vector<std::vector<Token>> rows = {lm.text(7, 1), lm.text(2, 3), lm.text(7, 4), lm.text(1, 2)};
  const Scores together = lm.run(PaddedBatch(rows).batch());
  for (std::size_t b = 0; b < rows.size(); ++b) {
    const auto count = static_cast<Index>(rows[b].size());
    lm.equal(lm.row(together, static_cast<Index>(b), 7), lm.alone(rows[b]), count,
             "a row of a batch is the row alone");
  }
  std::vector<Token> changed = rows[0];
  changed[5] = static_cast<Token>((changed[5] + 1) % lm.V());
  const Scores before = lm.alone(rows[0]), after = lm.alone(changed);
  const auto five = static_cast<std::ptrdiff_t>(5 * lm.V());
  lm.equal({after.begin(), after.begin() + five}, {before.begin(), before.begin() + five}, 5,
           "a token changes nothing before it");
  checks.that(!std::equal(after.end() - lm.V(), after.end(), before.end() - lm.V()),
              "a token changes what follows");
  // No token but the order: position ids must count.
  const std::vector<Token> text = lm.text(6, 5);
  std::vector<Index> spread = {0, 1, 2, 5, 9, 15};
  const PaddedBatch near({text});
  Batch far = near.batch();
  far.position_ids = {spread.data(), {1, 6}};
  checks.that(lm.run(far) != lm.run(near.batch()), "position ids count");
}

inline void check_hidden_states(const LMDriver& lm, Checks& checks) {
  const Index L = lm.model().config().num_hidden_layers;
  const PaddedBatch padded({lm.text(4, 1), lm.text(2, 2)});
  std::vector<Index> layers;
  bool shapes = true, zeros = true, moving = true;
  std::vector<float> last, embeddings;
  const auto see = [&](Index layer, View<const float, 3> hidden) {
    layers.push_back(layer);
    shapes = shapes && hidden.shape() == View<const float, 3>::Shape{2, 4, lm.D()};
    for (Index d = 0; d < lm.D(); ++d) zeros = zeros && hidden(1, 1, d) == 0;
    const std::vector<float> now(hidden.data(), hidden.data() + hidden.size());
    if (layer == 0) embeddings = now;
    moving = moving && now != last;
    last = now;
  };
  lm.run(padded.batch(), nullptr, {.on_hidden_state = see});
  std::vector<Index> expected;
  for (Index l = 0; l <= L; ++l) expected.push_back(l);
  checks.that(layers == expected, "the callback sees the embeddings and every layer, in order");
  checks.that(shapes, "hidden states are [B, T, D]");
  checks.that(zeros, "hidden states at padding are zeros");
  checks.that(moving, "every layer changes the hidden states");

  layers.clear();
  lm.run(padded.batch(), nullptr, {.num_layers = L - 1, .on_hidden_state = see});
  expected.pop_back();
  checks.that(layers == expected, "num_layers stops after that many layers");
  checks.that(lm.alone(lm.text(4, 1), {.num_layers = L - 1}) != lm.alone(lm.text(4, 1)),
              "num_layers changes the scores");
  checks.fails(ErrorCode::kRange, "more layers than there are is an error",
               [&] { lm.alone(lm.text(2, 1), {.num_layers = L + 1}); });

  // The embeddings that the callback saw, instead of the ids.
  if (embeddings.empty()) return;
  Batch embedded = padded.batch();
  embedded.input_ids = {};
  embedded.inputs_embeds = {embeddings.data(), {2, 4, lm.D()}};
  lm.equal(lm.run(embedded), lm.run(padded.batch()), 8, "inputs_embeds instead of ids gives the same scores");
}

inline void check_errors(const LMDriver& lm, Checks& checks) {
  const std::vector<Token> good = lm.text(3, 1);
  const Scores before = lm.alone(good);
  for (const Token bad : {Token{-1}, static_cast<Token>(lm.V())}) {
    std::vector<Token> text = good;
    text[1] = bad;
    checks.fails(ErrorCode::kRange, "an id outside the vocabulary is an error", [&] { lm.alone(text); });
  }
  const Index longest = lm.model().config().max_position_embeddings;
  checks.fails(ErrorCode::kRange, "a position beyond the model's length is an error",
               [&] { lm.run(PaddedBatch({good}, {longest - 2}).batch()); });
  const PaddedBatch kept({good});
  Batch wrong = kept.batch();
  wrong.position_ids = {wrong.position_ids.data(), {1, 2}};
  checks.fails(ErrorCode::kShape, "position_ids of another shape are an error", [&] { lm.run(wrong); });
  const std::vector<std::uint8_t> right_padding = {1, 1, 0};
  Batch right = kept.batch();
  right.attention_mask = {right_padding.data(), {1, 3}};
  checks.fails(ErrorCode::kUnsupported, "right padding is an error", [&] { lm.run(right); });
  checks.that(lm.alone(good) == before, "an error leaves the engine as it was");
}

inline void check_no_cache(const LMDriver& lm, Checks& checks) {
  checks.fails(ErrorCode::kUnsupported, "make_cache of an engine without a cache is an error",
               [&] { (void)lm.model().make_cache({}); });
}

inline void check_cache(const LMDriver& lm, Checks& checks) {
  const std::vector<Token> text = lm.text(9, 1), other = lm.text(4, 2);
  const Scores whole = lm.alone(text);
  for (const std::vector<Index>& chunks : std::vector<std::vector<Index>>{{9}, {1, 8}, {4, 1, 4}, {8, 1}}) {
    const auto cache = lm.model().make_cache({.max_cache_len = 16});
    Scores pieces;
    Index first = 0;
    for (const Index count : chunks) {
      const std::vector<Token> piece(text.begin() + first, text.begin() + first + count);
      const Scores scores = lm.run(PaddedBatch({piece}, {first}).batch(), cache.get());
      pieces.insert(pieces.end(), scores.begin(), scores.end());
      first += count;
    }
    lm.equal(pieces, whole, 9, "chunks through a cache are the whole text");
    checks.that(cache->get_seq_length(0) == 9, "the cache holds every token");
  }
  // Two rows of different lengths, prefilled with padding, then a step for the second row only and for both.
  const auto cache = lm.model().make_cache({.num_rows = 2, .max_cache_len = 16});
  const std::vector<Token> start(text.begin(), text.begin() + 7),
      other_start(other.begin(), other.begin() + 2);
  lm.run(PaddedBatch({start, other_start}).batch(), cache.get());
  checks.that(cache->get_seq_length(0) == 7 && cache->get_seq_length(1) == 2, "padding is not stored");
  lm.run(PaddedBatch({{other[2]}}, {2}, {1}).batch(), cache.get());
  const Scores step = lm.run(PaddedBatch({{other[3]}, {text[7]}}, {3, 7}, {1, 0}).batch(), cache.get());
  lm.equal(lm.row(step, 0, 1), lm.alone(other), 1, "rows name the cache's rows");
  lm.equal(lm.row(step, 1, 1), {whole.begin(), whole.end() - lm.V()}, 1,
           "a cached row does not see the others");
  cache->crop(0, 5);
  const std::vector<Token> again(text.begin() + 5, text.end());
  lm.equal(lm.run(PaddedBatch({again}, {5}, {0}).batch(), cache.get()), whole, 4,
           "a cropped cache can be continued");
}

inline void check_foreign_cache(const LMDriver& lm, Checks& checks, Cache& foreign) {
  checks.fails(ErrorCode::kMismatch, "another engine's cache is an error",
               [&] { lm.run(PaddedBatch({lm.text(2, 1)}).batch(), &foreign); });
}

// foreign: any cache that the engine did not make, of the right shape.
inline Checks causal_lm_conformance(const CausalLMTraits& traits, Cache& foreign) {
  Checks checks(traits.name);
  const LMDriver lm(traits, checks);
  checks.part("shapes", [&] { check_shapes(lm, checks); });
  checks.part("batches", [&] { check_batches(lm, checks); });
  checks.part("hidden states", [&] { check_hidden_states(lm, checks); });
  checks.part("errors", [&] { check_errors(lm, checks); });
  if (traits.has_cache)
    checks.part("cache", [&] { check_cache(lm, checks); });
  else
    checks.part("no cache", [&] { check_no_cache(lm, checks); });
  checks.part("foreign cache", [&] { check_foreign_cache(lm, checks, foreign); });
  return checks;
}

}  // namespace llm::test
