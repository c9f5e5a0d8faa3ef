#include "chapters/05_fused_cpu/step_4_fused.h"

#include <algorithm>

namespace llm {
namespace {

// x[n][i] + bias[first + i]; the bias may be empty.
void add_bias(View<const float, 1> bias, Index first, View<float, 2> x) {
  if (bias.empty()) return;
  for (Index n = 0; n < x.shape(0); ++n)
    for (Index i = 0; i < x.shape(1); ++i) x(n, i) += bias[first + i];
}

Index num_panels(const Weight& weight) { return (weight.rows + kPanelRows - 1) / kPanelRows; }

}  // namespace

// --8<-- [start:norm_project]
void FusedOperators::norm_project(View<const float, 2> hidden, const Norm& norm,
                                  std::span<const Projection> projections) {
  Index panels = 0;
  weights_.clear();
  for (const Projection& p : projections) {
    weights_.push_back(&p.linear->weight);
    panels += num_panels(p.linear->weight);
  }
  const ProductInput x = prepare(normalize(hidden, norm), weights_);
  team().run(panels, [&](Index panel, int thread) {
    const Projection* p = projections.data();
    for (; panel >= num_panels(p->linear->weight); ++p) panel -= num_panels(p->linear->weight);
    const Index first = panel * kPanelRows;
    const Index count = std::min(kPanelRows, p->linear->weight.rows - first);
    const View<float, 2> out = {p->out.data() + first, {x.N, count}, {p->out.stride(0), 1}};
    multiply(x, p->linear->weight, first, count, out.data(), out.stride(0), thread);
    add_bias(p->linear->bias, first, out);
  });
}
// --8<-- [end:norm_project]

void FusedOperators::project_add(View<const float, 2> x, const Linear& layer, View<float, 2> hidden) {
  const Weight* weights[] = {&layer.weight};
  const ProductInput input = prepare(x, weights);
  each_panel(layer.weight.rows, [&](Index first, Index count, int thread) {
    const View<float, 2> delta = scratch(thread).out.matrix(input.N, count);
    multiply(input, layer.weight, first, count, delta.data(), delta.stride(0), thread);
    add_bias(layer.bias, first, delta);
    for (Index n = 0; n < input.N; ++n)
      for (Index i = 0; i < count; ++i) hidden(n, first + i) += delta(n, i);
  });
}

// --8<-- [start:feed_forward]
void FusedOperators::feed_forward(const DecoderLayer& layer, const Norm& norm, View<float, 2> hidden) {
  // --8<-- [start:ex05-4]
  const Index N = hidden.shape(0), F = layer.gate_proj.weight.rows;
  const View<float, 2> gated = gated_.matrix(N, F);
  const Weight* weights[] = {&layer.gate_proj.weight, &layer.up_proj.weight};
  const ProductInput x = prepare(normalize(hidden, norm), weights);
  each_panel(F, [&](Index first, Index count, int thread) {
    const View<float, 2> gate = scratch(thread).out.matrix(N, count);
    const View<float, 2> up = scratch(thread).up.matrix(N, count);
    multiply(x, layer.gate_proj.weight, first, count, gate.data(), count, thread);
    multiply(x, layer.up_proj.weight, first, count, up.data(), count, thread);
    add_bias(layer.gate_proj.bias, first, gate);
    add_bias(layer.up_proj.bias, first, up);
    kernels().swiglu(gate.data(), up.data(), N * count);
    for (Index n = 0; n < N; ++n) std::copy_n(gate[n].begin(), count, gated[n].begin() + first);
  });
  project_add(gated, layer.down_proj, hidden);
  // --8<-- [end:ex05-4]
}
// --8<-- [end:feed_forward]

std::vector<Token> FusedOperators::best(View<const float, 2> hidden, const Norm& norm, const Linear& head) {
  const Index N = hidden.shape(0);
  const Weight* weights[] = {&head.weight};
  const ProductInput x = prepare(normalize(hidden, norm), weights);
  std::vector<BestScore> best(static_cast<std::size_t>(team().num_threads() * N));
  each_panel(head.weight.rows, [&](Index first, Index count, int thread) {
    const View<float, 2> scores = scratch(thread).out.matrix(N, count);
    multiply(x, head.weight, first, count, scores.data(), count, thread);
    for (Index n = 0; n < N; ++n) {
      BestScore& best_of = best[static_cast<std::size_t>(thread * N + n)];
      for (Index i = 0; i < count; ++i) best_of.add(scores(n, i), first + i);
    }
  });
  std::vector<Token> tokens;
  for (Index n = 0; n < N; ++n) {
    BestScore all;
    for (std::size_t i = static_cast<std::size_t>(n); i < best.size(); i += static_cast<std::size_t>(N))
      all.add(best[i]);
    tokens.push_back(all.token(n));
  }
  return tokens;
}

}  // namespace llm
