#include "chapters/05_fused_cpu/step_3_simd.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "common/base/error.h"
#include "common/base/parallel.h"

namespace llm {
namespace {

// Fewer numbers than this are worked on before a second thread has heard of them.
constexpr Index kTooSmallToShare = 8192;

}  // namespace

void SimdOperators::each_panel(Index rows, FunctionRef<void(Index, Index, int)> body) {
  team().run((rows + kPanelRows - 1) / kPanelRows, [&](Index panel, int thread) {
    body(panel * kPanelRows, std::min(kPanelRows, rows - panel * kPanelRows), thread);
  });
}

void SimdOperators::each_row(Index N, Index row_size, FunctionRef<void(Index)> body) {
  if (N * row_size >= kTooSmallToShare) return team().run(N, [&](Index n, int) { body(n); });
  for (Index n = 0; n < N; ++n) body(n);
}

View<const float, 2> SimdOperators::normalize(View<const float, 2> x, const Norm& norm) {
  const View<float, 2> normed = normed_.matrix(x.shape(0), x.shape(1));
  each_row(x.shape(0), x.shape(1), [&](Index n) {
    kernels().rms_norm({.x = x[n].begin(),
                        .weight = norm.weight.begin(),
                        .out = normed[n].begin(),
                        .size = x.shape(1),
                        .eps = norm.eps});
  });
  return normed;
}

// Memory for all threads at once: which of them take part in a product is up to chance, and none shall have
// to ask for memory later than the first time.
ProductInput SimdOperators::prepare(View<const float, 2> x, std::span<const Weight* const>) {
  for (ThreadScratch& one : scratch_) {
    (void)one.panel.matrix(1, panel_scratch(x.shape(1)));
    (void)one.out.matrix(x.shape(0), kPanelRows);
    (void)one.up.matrix(x.shape(0), kPanelRows);
  }
  return {.rows = {.data = x.data(), .row_stride = x.stride(0), .packed = false}, .N = x.shape(0)};
}

void SimdOperators::multiply(const ProductInput& x, const Weight& weight, Index first, Index count,
                             float* out, Index out_stride, int thread) {
  product_with(weight)(
      {.x = x.rows,
       .N = x.N,
       .weight = {.dtype = weight.dtype, .rows = count, .cols = weight.cols, .data = weight.row(first)},
       .out = out,
       .out_stride = out_stride,
       .scratch = scratch(thread).panel.matrix(1, panel_scratch(weight.cols)).data()});
}

void SimdOperators::linear(View<const float, 2> x, const Linear& layer, View<float, 2> out) {
  const Weight* weights[] = {&layer.weight};
  const ProductInput input = prepare(x, weights);
  each_panel(layer.weight.rows, [&](Index first, Index count, int thread) {
    multiply(input, layer.weight, first, count, out.data() + first, out.stride(0), thread);
    if (layer.bias.empty()) return;
    for (Index n = 0; n < out.shape(0); ++n)
      for (Index i = first; i < first + count; ++i) out(n, i) += layer.bias[i];
  });
}

void SimdOperators::norm_project(View<const float, 2> hidden, const Norm& norm,
                                 std::span<const Projection> projections) {
  const View<const float, 2> normed = normalize(hidden, norm);
  for (const Projection& projection : projections) linear(normed, *projection.linear, projection.out);
}

void SimdOperators::project_add(View<const float, 2> x, const Linear& layer, View<float, 2> hidden) {
  const View<float, 2> delta = delta_.matrix(hidden.shape(0), hidden.shape(1));
  linear(x, layer, delta);
  each_row(hidden.shape(0), hidden.shape(1), [&](Index n) {
    for (Index i = 0; i < hidden.shape(1); ++i) hidden(n, i) += delta(n, i);
  });
}

void SimdOperators::feed_forward(const DecoderLayer& layer, const Norm& norm, View<float, 2> hidden) {
  const Index N = hidden.shape(0), F = layer.gate_proj.weight.rows;
  const View<float, 2> gate = gate_.matrix(N, F), up = up_.matrix(N, F);
  const View<const float, 2> normed = normalize(hidden, norm);
  linear(normed, layer.gate_proj, gate);
  linear(normed, layer.up_proj, up);
  each_row(N, F, [&](Index n) { kernels().swiglu(gate[n].begin(), up[n].begin(), F); });
  project_add(gate, layer.down_proj, hidden);
}

// Chapter 02's, which shares its work by OpenMP: its threads and the team would fight for the cores, so it
// keeps to one until step 5 replaces it.
void SimdOperators::attend(View<const float, 3> queries, std::span<const AttentionRow> rows,
                           Index num_kv_heads, std::optional<Index> window, View<float, 3> out) {
  const int threads = num_threads();
  set_num_threads(1);
  attention(queries, rows, num_kv_heads, window, attention_, out);
  set_num_threads(threads);
}

std::vector<Token> SimdOperators::best(View<const float, 2> hidden, const Norm& norm, const Linear& head) {
  const View<float, 2> scores = scores_.matrix(hidden.shape(0), head.weight.rows);
  linear(normalize(hidden, norm), head, scores);
  std::vector<Token> tokens;
  for (Index n = 0; n < scores.shape(0); ++n) {
    BestScore best;
    for (Index i = 0; i < scores.shape(1); ++i) best.add(scores(n, i), i);
    tokens.push_back(best.token(n));
  }
  return tokens;
}

void BestScore::add(float other, Index other_id) {
  if (std::isnan(other)) {
    if (not_a_number < 0 || other_id < not_a_number) not_a_number = other_id;
  } else if (id < 0 || other > score || (other == score && other_id < id)) {
    score = other;
    id = other_id;
  }
}

void BestScore::add(const BestScore& other) {
  if (other.id >= 0) add(other.score, other.id);
  if (other.not_a_number >= 0) add(NAN, other.not_a_number);
}

Token BestScore::token(Index row) const {
  if (not_a_number >= 0)
    fail(ErrorCode::kRange,
         {.where = "logits: row " + std::to_string(row),
          .what = "the score of token " + std::to_string(not_a_number) + " is not a number",
          .remedy = "check the model's weights"});
  return static_cast<Token>(id);
}

}  // namespace llm
