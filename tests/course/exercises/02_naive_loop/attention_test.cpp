#include "chapters/02_naive_loop/attention.h"
#include "chapters/02_naive_loop/kv_rows.h"
#include "tests/course/exercises/02_naive_loop/noise.h"
#include "tests/course/exercises/grading.h"

namespace llm::grading {
namespace {

constexpr Index kHeads = 6, kKvHeads = 2, kGroup = 3, kDim = 5;

// A sequence: its first `past` tokens are known, `count` new ones ask.
struct Sequence {
  Index past, count;
  Tensor<float, 3> keys, values;  // [past + count, KH, Dh]

  Sequence(Index past_tokens, Index new_tokens, std::uint64_t seed)
      : past(past_tokens),
        count(new_tokens),
        keys(noise_tensor<3>({past + count, kKvHeads, kDim}, seed, 0, 2)),
        values(noise_tensor<3>({past + count, kKvHeads, kDim}, seed + 1, 0.5f)) {}

  // In blocks of at most `length` tokens.
  std::vector<KvBlock> blocks(Index length) const {
    std::vector<KvBlock> parts;
    for (Index first = 0; first < past + count; first += length) {
      const Index size = std::min(length, past + count - first);
      parts.push_back(
          {kv_view(keys.view().slice(first, size)), kv_view(values.view().slice(first, size)), first, size});
    }
    return parts;
  }
};

// Straight from the formula, in double precision. Each flag is a mistake.
struct Oracle {
  bool modulo = false, no_scale = false, no_mask = false, scaled_by_dim = false, mean_of_values = false;

  void operator()(View<const float, 3> queries, const Sequence& s, Index begin, std::optional<Index> window,
                  View<double, 3> out) const {
    for (Index t = 0; t < s.count; ++t)
      for (Index h = 0; h < kHeads; ++h) {
        const Index group = modulo ? h % kKvHeads : h / kGroup;
        const Index last = no_mask ? s.past + s.count : s.past + t + 1;
        const Index first = window ? std::max<Index>(0, s.past + t + 1 - *window) : 0;
        std::vector<double> weights;
        double total = 0;
        for (Index j = first; j < last; ++j) {
          double product = 0;
          for (Index i = 0; i < kDim; ++i) product += queries(begin + t, h, i) * s.keys(j, group, i);
          const double scale = no_scale ? 1 : scaled_by_dim ? 1.0 / kDim : 1 / std::sqrt(1.0 * kDim);
          weights.push_back(mean_of_values ? 1 : std::exp(product * scale));
          total += weights.back();
        }
        for (Index i = 0; i < kDim; ++i) {
          out(begin + t, h, i) = 0;
          for (Index j = first; j < last; ++j)
            out(begin + t, h, i) +=
                weights[static_cast<std::size_t>(j - first)] / total * s.values(j, group, i);
        }
      }
  }
};

void check(std::string_view what, const std::vector<Sequence>& sequences, Index block_length,
           std::optional<Index> window = std::nullopt) {
  Index N = 0;
  std::vector<std::vector<KvBlock>> blocks;
  std::vector<AttentionRow> rows;
  for (const Sequence& s : sequences) {
    blocks.push_back(s.blocks(block_length));
    rows.push_back({{static_cast<Index>(rows.size()), N, s.count}, s.past, {}});
    N += s.count;
  }
  for (std::size_t b = 0; b < rows.size(); ++b) rows[b].blocks = blocks[b];
  const auto queries = noise_tensor<3>({N, kHeads, kDim}, 77, 0, 2);
  Tensor<float, 3> out({N, kHeads, kDim}, std::numeric_limits<float>::quiet_NaN());
  AttentionWorkspace workspace;
  attention(queries, rows, kKvHeads, window, workspace, out);

  const auto oracle = [&](const Oracle& mistake) {
    Tensor<double, 3> expected({N, kHeads, kDim}, 0.0);
    for (std::size_t b = 0; b < rows.size(); ++b)
      mistake(queries, sequences[b], rows[b].tokens.begin, window, expected);
    return internal::Numbers(expected.view());
  };
  expect_close(what, out.view(), oracle({}), 2e-5,
               {{oracle({.modulo = true}),
                 "query head h took key/value head h % KH; it is h / G: G heads in a row "
                 "share one"},
                {oracle({.no_mask = true}),
                 "tokens saw those behind them: each row of scores has its own visible "
                 "keys"},
                {oracle({.no_scale = true}), "the scores were not divided by sqrt(Dh)"},
                {oracle({.scaled_by_dim = true}), "the scores were divided by Dh; it is its square root"},
                {oracle({.mean_of_values = true}), "the values were averaged, whatever the scores were"}});
}

TEST_CASE("one token that sees four keys") {
  std::vector<Sequence> sequences;
  sequences.emplace_back(3, 1, 10);
  check("one token behind three", sequences, 100);
}

TEST_CASE("several tokens, each with its own visible keys") {
  std::vector<Sequence> sequences;
  sequences.emplace_back(0, 7, 20);
  check("seven tokens", sequences, 100);
  check("seven tokens, window 3", sequences, 100, 3);
}

TEST_CASE("keys in several blocks, rows of different lengths") {
  std::vector<Sequence> sequences;
  sequences.emplace_back(3, 4, 30);
  sequences.emplace_back(0, 50, 40);  // more than one tile
  sequences.emplace_back(9, 1, 50);
  check("three rows in blocks of four", sequences, 4);
  check("three rows in blocks of three, window 6", sequences, 3, 6);
}

}  // namespace
}  // namespace llm::grading
