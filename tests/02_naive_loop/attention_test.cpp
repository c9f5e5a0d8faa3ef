// Attention alone, on numbers that can be followed by hand.
#include "chapters/02_naive_loop/attention.h"

#include <doctest/doctest.h>

#include <cmath>

#include "chapters/02_naive_loop/kv_rows.h"
#include "common/tensor/tensor.h"

namespace llm::test {
namespace {

// Four keys and values of one head of two, in one row. Key s is (0, s), value s is (s, 10 s).
struct Memory {
  Tensor<float, 3> keys = Tensor<float, 3>({4, 1, 2}, 0.0f);
  Tensor<float, 3> values = Tensor<float, 3>({4, 1, 2}, 0.0f);
  Memory() {
    for (Index s = 0; s < 4; ++s) {
      keys(s, 0, 1) = values(s, 0, 0) = static_cast<float>(s);
      values(s, 0, 1) = 10.0f * static_cast<float>(s);
    }
  }
  KvBlock block(Index first, Index count) const {
    return {kv_view(keys.view().slice(first, count)), kv_view(values.view().slice(first, count)), first,
            count};
  }
};

// What one query of one head takes over, at index 3.
std::vector<float> attend(View<const float, 3> query, const std::vector<KvBlock>& blocks,
                          std::optional<Index> window = {}) {
  Tensor<float, 3> out(query.shape());
  AttentionWorkspace workspace;
  const AttentionRow row{.tokens = {0, 0, 1}, .past_seen_tokens = 3, .blocks = blocks};
  attention(query, {&row, 1}, 1, window, workspace, out);
  return {out.data(), out.data() + out.size()};
}

TEST_CASE("a query without a preference takes the mean of the values that it sees") {
  const Memory memory;
  const Tensor<float, 3> query({1, 1, 2}, 0.0f);
  CHECK(attend(query, {memory.block(0, 4)}) == std::vector<float>{1.5, 15});
  CHECK(attend(query, {memory.block(0, 1), memory.block(1, 3)}) == std::vector<float>{1.5, 15});
  CHECK(attend(query, {memory.block(0, 4)}, 2) == std::vector<float>{2.5, 25});
  CHECK(attend(query, {memory.block(0, 4)}, 1) == std::vector<float>{3, 30});
  // A ring has lost the oldest keys: what is stored counts, from its first position on.
  CHECK(attend(query, {memory.block(2, 2)}) == std::vector<float>{2.5, 25});
  CHECK(attend(query, {memory.block(2, 1), memory.block(3, 1)}, 3) == std::vector<float>{2.5, 25});
}

TEST_CASE("weights are the softmax of products over the square root of head_dim") {
  const Memory memory;
  Tensor<float, 3> query({1, 1, 2}, 0.0f);
  query(0, 0, 1) = static_cast<float>(std::sqrt(2.0) * std::log(2.0));  // scores 0, ln 2, 2 ln 2, 3 ln 2
  const std::vector<float> got = attend(query, {memory.block(0, 4)});
  CHECK(got[0] == doctest::Approx((0 * 1 + 1 * 2 + 2 * 4 + 3 * 8) / 15.0));
  query(0, 0, 1) = 1e6f;  // exp() of this would overflow
  CHECK(attend(query, {memory.block(0, 4)}) == std::vector<float>{3, 30});
}

TEST_CASE("heads of a group share keys: head h of six looks at key/value head h / 3") {
  Tensor<float, 3> query({1, 6, 2}, 0.0f), keys({1, 2, 2}, 0.0f), values({1, 2, 2}), out({1, 6, 2});
  for (Index i = 0; i < 4; ++i) values.data()[i] = static_cast<float>(i);
  const KvBlock block{kv_view(keys), kv_view(values), 0, 1};
  const AttentionRow row{.tokens = {0, 0, 1}, .past_seen_tokens = 0, .blocks = {&block, 1}};
  AttentionWorkspace workspace;
  attention(query, {&row, 1}, 2, std::nullopt, workspace, out);
  for (Index h = 0; h < 6; ++h) CHECK(out(0, h, 1) == (h < 3 ? 1 : 3));
}

}  // namespace
}  // namespace llm::test
