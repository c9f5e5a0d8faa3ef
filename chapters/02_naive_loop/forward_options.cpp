#include "chapters/02_naive_loop/forward_options.h"

#include <fmt/format.h>

#include <algorithm>

#include "common/base/error.h"

namespace llm {

void check_cache(const CausalLM& engine, Cache& past, std::span<const RowTokens> rows) {
  if (past.maker() != &engine)
    fail(ErrorCode::kMismatch, {.where = fmt::format("engine '{}'", engine.name()),
                                .what = "the cache was made by another engine",
                                .remedy = "use this engine's make_cache()"});
  for (const RowTokens& row : rows)
    if (row.row < 0 || row.row >= past.num_rows())
      fail(ErrorCode::kRange, {.where = "batch: rows",
                               .what = "cache row",
                               .got = std::to_string(row.row),
                               .expected = fmt::format("0 to {}", past.num_rows() - 1)});
}

Index layers_to_run(const ForwardOptions& options, const ModelConfig& config) {
  const Index layers = options.num_layers.value_or(config.num_hidden_layers);
  if (layers < 0 || layers > config.num_hidden_layers)
    fail(ErrorCode::kRange,
         {.where = "forward: num_layers",
          .what = "got",
          .got = std::to_string(layers),
          .expected = fmt::format("0 to {} (num_hidden_layers)", config.num_hidden_layers)});
  return layers;
}

Index positions_to_keep(const ForwardOptions& options, Index T) {
  if (options.logits_to_keep < 0)
    fail(ErrorCode::kRange, {.where = "forward: logits_to_keep", .what = "is negative"});
  return options.logits_to_keep == 0 ? T : std::min(options.logits_to_keep, T);
}

void show_hidden(Index layer, View<const float, 2> hidden, const PackedBatch& batch,
                 const ForwardOptions& options, Buffer& padded) {
  if (!options.on_hidden_state) return;
  const Index D = hidden.shape(1);
  const View<float, 3> all = padded.matrix(batch.B * batch.T, D).reshape<3>({batch.B, batch.T, D});
  unpack(hidden, batch, all);
  options.on_hidden_state(layer, all);
}

}  // namespace llm
