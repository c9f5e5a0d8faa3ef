#include "chapters/02_naive_loop/workspace.h"

namespace llm {
namespace {

// Calls f for every buffer of a Workspace, const or not.
template <class W, class F>
void each_buffer(W& w, F f) {
  for (auto* buffer : {&w.hidden, &w.normed, &w.query, &w.key, &w.value, &w.heads, &w.delta, &w.gate, &w.up,
                       &w.cosines, &w.sines, &w.kept, &w.logits, &w.padded})
    f(*buffer);
  for (auto& s : w.attention.scratch)
    for (auto* buffer : {&s.queries, &s.scores, &s.keys, &s.values, &s.part, &s.sum}) f(*buffer);
}

}  // namespace

void Workspace::poison() {
  each_buffer(*this, [](Buffer& buffer) { buffer.poison(); });
}

Index Workspace::bytes() const {
  Index total = 0;
  each_buffer(*this, [&](const Buffer& buffer) { total += buffer.bytes(); });
  return total;
}

}  // namespace llm
