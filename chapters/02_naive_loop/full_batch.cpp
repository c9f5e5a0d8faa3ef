#include "chapters/02_naive_loop/full_batch.h"

#include <algorithm>

namespace llm {

FullBatch::FullBatch(std::span<const std::vector<Token>> rows) {
  const auto B = static_cast<Index>(rows.size());
  std::size_t T = 0;
  for (const auto& row : rows) T = std::max(T, row.size());
  input_ids_ = Tensor<Token, 2>({B, static_cast<Index>(T)}, 0);
  position_ids_ = Tensor<Index, 2>({B, static_cast<Index>(T)}, 0);
  attention_mask_ = Tensor<std::uint8_t, 2>({B, static_cast<Index>(T)}, 0);
  for (Index b = 0; b < B; ++b) {
    const std::vector<Token>& row = rows[static_cast<std::size_t>(b)];
    const auto padding = static_cast<Index>(T - row.size());
    for (std::size_t i = 0; i < row.size(); ++i) {
      const Index t = padding + static_cast<Index>(i);
      input_ids_(b, t) = row[i];
      position_ids_(b, t) = static_cast<Index>(i);
      attention_mask_(b, t) = 1;
    }
  }
}

Batch FullBatch::batch() const {
  return {.input_ids = input_ids_.view(),
          .inputs_embeds = {},
          .position_ids = position_ids_.view(),
          .attention_mask = attention_mask_.view(),
          .rows = {}};
}

}  // namespace llm
