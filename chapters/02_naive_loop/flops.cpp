#include "chapters/02_naive_loop/flops.h"

#include <algorithm>

namespace llm {

Index linear_flops(const ModelConfig& c) {
  const Index D = c.hidden_size, F = c.intermediate_size;
  const Index query = c.num_attention_heads * c.head_dim, key = c.num_key_value_heads * c.head_dim;
  return 2 * (2 * D * query + 2 * D * key + 3 * D * F);
}

Index attention_flops(const ModelConfig& c, Index keys) {
  return 4 * c.num_attention_heads * c.head_dim * keys;
}

Index head_flops(const ModelConfig& c) { return 2 * c.hidden_size * c.vocab_size; }

double attention_share(const ModelConfig& c, Index keys) {
  const auto attention = static_cast<double>(attention_flops(c, keys));
  return attention / (attention + static_cast<double>(linear_flops(c)));
}

double attention_break_even(const ModelConfig& c) {
  return static_cast<double>(linear_flops(c)) / static_cast<double>(attention_flops(c, 1));
}

namespace {

// The sum of the numbers of keys that positions [first, first + count) see.
Index visible_keys(Index first, Index count, Index window) {
  const auto triangle = [](Index n) { return n * (n + 1) / 2; };  // 1 + 2 + ... + n
  const auto up_to = [&](Index n) {
    return triangle(std::min(n, window)) + std::max<Index>(0, n - window) * window;
  };
  return up_to(first + count) - up_to(first);
}

}  // namespace

double attention_pass_flops(const ModelConfig& c, Index first, Index count) {
  double flops = 0;
  for (Index l = 0; l < c.num_hidden_layers; ++l) {
    const Index window = c.window(l).value_or(first + count);
    flops += static_cast<double>(attention_flops(c, visible_keys(first, count, window)));
  }
  return flops;
}

double forward_flops(const ModelConfig& c, Index first, Index count, Index kept) {
  const double linear =
      static_cast<double>(count * c.num_hidden_layers) * static_cast<double>(linear_flops(c));
  const double head = static_cast<double>(kept) * static_cast<double>(head_flops(c));
  return linear + attention_pass_flops(c, first, count) + head;
}

// --8<-- [start:naive_work]
LoopWork naive_work(const ModelConfig& c, Index prompt_tokens, Index new_tokens) {
  LoopWork work{.needed = new_tokens > 0 ? prompt_tokens + new_tokens - 1 : 0};
  for (Index i = 0; i < new_tokens; ++i) {
    work.positions += prompt_tokens + i;
    work.flops += forward_flops(c, 0, prompt_tokens + i, 1);
  }
  return work;
}
// --8<-- [end:naive_work]

LoopWork cached_work(const ModelConfig& c, Index prompt_tokens, Index new_tokens) {
  LoopWork work;
  for (Index i = 0; i < new_tokens; ++i) {
    const Index first = i == 0 ? 0 : prompt_tokens + i - 1;
    const Index count = i == 0 ? prompt_tokens : 1;
    work.positions += count;
    work.flops += forward_flops(c, first, count, 1);
  }
  work.needed = work.positions;
  return work;
}

}  // namespace llm
