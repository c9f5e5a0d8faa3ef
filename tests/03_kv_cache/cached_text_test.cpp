// What is kept from one turn of a conversation to the next, and what a changed key does.
#include "chapters/03_kv_cache/cached_text.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>

#include "chapters/02_naive_loop/full_batch.h"
#include "chapters/03_kv_cache/cache_kinds.h"
#include "chapters/03_kv_cache/cached_greedy.h"
#include "chapters/03_kv_cache/change_key.h"
#include "chapters/03_kv_cache/dynamic_layer.h"
#include "chapters/03_kv_cache/kv_tokens.h"
#include "chapters/03_kv_cache/new_tokens.h"
#include "tests/02_naive_loop/fixtures.h"
#include "tests/02_naive_loop/random_model.h"

namespace llm::test {
namespace {

using Ids = std::vector<Token>;

struct Model {
  Model()
      : config(awkward_config("qwen3")),
        model(config, to_checkpoint(config, random_weights(config, 5)),
              cached_engine(dynamic_cache_kinds())) {}
  ModelConfig config;
  Transformer model;

  // One turn: returns the reused tokens; the new ones must be those of the loop without a cache.
  Index turn(CachedText& text, const Ids& ids, Index count) {
    const Index reused = keep_common_prefix(text, ids);
    CHECK(text.cache->get_seq_length(0) == reused);
    const std::vector<Ids> rest = {{ids.begin() + reused, ids.end()}};
    const GreedyResult result = cached_greedy(model, *text.cache, rest, count, {});
    CHECK(result.new_tokens == greedy(model, {ids}, count, {}).new_tokens);
    set_cached_ids(text, ids, result.new_tokens[0]);
    CHECK(static_cast<Index>(text.ids.size()) == text.cache->get_seq_length(0));
    reply = result.new_tokens[0];
    return reused;
  }
  Ids reply;
};

TEST_CASE("turns reuse what they begin with, wherever they part") {
  Model m;
  CachedText text{m.model.make_cache({}), {}};
  const Ids first = {5, 6, 7, 8, 9};
  CHECK(m.turn(text, first, 4) == 0);
  Ids second = first;
  second.insert(second.end(), m.reply.begin(), m.reply.end());
  second.insert(second.end(), {20, 21, 22});
  CHECK(m.turn(text, second, 4) == 5 + 3);  // the reply's last token was never fed
  Ids third = second;                       // as a template that leaves out the first reply
  third.erase(third.begin() + 5, third.begin() + 9);
  third.push_back(30);
  const auto same = std::mismatch(third.begin(), third.end(), second.begin(), second.end());
  CHECK(m.turn(text, third, 3) == same.first - third.begin());
  CHECK(m.turn(text, {1, 2}, 3) == 0);
}

TEST_CASE("the same text again: its last token is computed once more, for its scores") {
  Model m;
  CachedText text{m.model.make_cache({}), {}};
  const Ids ids = {5, 6, 7};
  CHECK(m.turn(text, ids, 6) == 0);
  CHECK(m.turn(text, ids, 6) == 2);
  CHECK(m.turn(text, {5}, 2) == 0);
}

// Refuses to go back, as a ring that has lost its oldest keys.
class RingLike : public DynamicLayer {
 public:
  using DynamicLayer::DynamicLayer;
  void check_crop(Index row, Index length) const override {
    if (length < get_seq_length(row)) fail(ErrorCode::kRange, {.where = "ring", .what = "has lost it"});
  }
};

TEST_CASE("a cache that cannot go back starts anew") {
  Model m;
  const KvShape shape{m.config.num_key_value_heads, m.config.head_dim, KvFormat::kF32};
  CachedText text{
      std::make_unique<LayeredCache>(
          &m.model, 3, 1, [&](Index, Index rows) { return std::make_unique<RingLike>(shape, rows); }),
      {}};
  CHECK(m.turn(text, {5, 6, 7, 8}, 3) == 0);
  CHECK(m.turn(text, {5, 6, 9}, 3) == 0);
  Ids longer = text.ids;
  longer.push_back(11);
  CHECK(m.turn(text, longer, 2) == static_cast<Index>(longer.size()) - 1);
}

std::vector<float> next_scores(Model& m, Cache& cache) {
  const NewTokens step(Ids{13}, cache);
  const View<const float, 3> scores = m.model.forward(step.batch(), &cache, {}).host();
  const std::vector<float> copy(scores.data(), scores.data() + scores.size());
  cache.crop(0, cache.get_seq_length(0) - 1);
  return copy;
}

TEST_CASE("an early cached key still matters: change one, and the scores move") {
  Model m;
  const auto cache = m.model.make_cache({});
  (void)prefill(m.model, *cache, Ids{3, 1, 4, 1, 5, 9, 2, 6});
  const std::vector<float> before = next_scores(m, *cache);
  CHECK(next_scores(m, *cache) == before);  // nothing else moves them
  const KvTokens kept = read_tokens(cache->layer(1), 0, 0, 2, 6);
  negate_key(*cache, 1, 2, 2, 6);
  CHECK(cache->get_seq_length(0) == 8);
  const KvTokens changed = read_tokens(cache->layer(1), 0, 0, 2, 6);
  for (Index i = 0; i < 8; ++i)
    for (Index h = 0; h < 2; ++h)
      for (Index d = 0; d < 6; ++d) {
        CHECK(changed.keys(i, h, d) == (i == 2 ? -kept.keys(i, h, d) : kept.keys(i, h, d)));
        CHECK(changed.values(i, h, d) == kept.values(i, h, d));
      }
  const std::vector<float> moved = next_scores(m, *cache);
  CHECK(relative_error(moved, before) > 1e-3);
  negate_key(*cache, 1, 2, 2, 6);
  CHECK(next_scores(m, *cache) == before);
  for (const Index position : {-1, 8}) CHECK_THROWS_AS(negate_key(*cache, 0, position, 2, 6), Error);
  CHECK_THROWS_AS(negate_key(*cache, 3, 0, 2, 6), Error);
}

TEST_CASE("reading back: from any position, in any format") {
  for (const auto format : {KvFormat::kF32, KvFormat::kF16, KvFormat::kBF16}) {
    DynamicLayer layer({2, 3, format}, 1);
    Tensor<float, 3> values({5, 2, 3});
    for (Index i = 0; i < values.size(); ++i) values.data()[i] = static_cast<float>(i);
    const RowTokens all{.row = 0, .begin = 0, .count = 5};
    layer.update(values, values, {&all, 1});
    for (Index first = 0; first <= 5; ++first) {
      const KvTokens tokens = read_tokens(layer, 0, first, 2, 3);
      CHECK(tokens.first_position == first);
      CHECK(
          std::equal(tokens.keys.data(), tokens.keys.data() + tokens.keys.size(), values.data() + first * 6));
      CHECK(tokens.values.size() == (5 - first) * 6);
    }
  }
}

}  // namespace
}  // namespace llm::test
