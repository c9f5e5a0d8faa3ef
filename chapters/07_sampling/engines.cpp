#include "chapters/07_sampling/engines.h"

#include <algorithm>

#include "chapters/02_naive_loop/transformer.h"
#include "chapters/04_preallocated_cache/all_cache_kinds.h"
#include "chapters/05_fused_cpu/fused_model.h"
#include "chapters/05_fused_cpu/ladder_steps.h"
#include "common/base/error.h"
#include "common/base/parallel.h"

namespace llm {
namespace {

void expect_exact(std::string_view engine, const EngineOptions& options) {
  if (options.compute != "exact")
    fail(ErrorCode::kUnsupported, {.where = "--compute",
                                   .what = "engine " + std::string(engine) + " does not have",
                                   .got = std::string(options.compute),
                                   .expected = "exact"});
}

std::unique_ptr<CausalLM> make_naive(const OpenModel& opened, const EngineOptions& options) {
  expect_exact("naive", options);
  return std::make_unique<Transformer>(opened.config, opened.checkpoint,
                                       TransformerOptions{.progress = options.progress});
}

std::unique_ptr<CausalLM> make_cached(const OpenModel& opened, const EngineOptions& options) {
  expect_exact("cached", options);
  return std::make_unique<Transformer>(opened.config, opened.checkpoint, any_cache_engine(options.progress));
}

std::unique_ptr<CausalLM> make_fused(const OpenModel& opened, const EngineOptions& options) {
  return std::make_unique<FusedModel>(
      opened.config, opened.checkpoint,
      make_operators({.num_threads = num_threads(), .compute = parse_compute(options.compute)}),
      options.progress);
}

constexpr EngineKind kEngines[] = {
    {.name = "naive", .has_cache = false, .make = make_naive},
    {.name = "cached", .has_cache = true, .make = make_cached},
    {.name = "fused", .has_cache = true, .make = make_fused},
};

}  // namespace

std::span<const EngineKind> engines() { return kEngines; }

const EngineKind& find_engine(std::string_view name) {
  const auto* const found = std::ranges::find(kEngines, name, &EngineKind::name);
  if (found != std::end(kEngines)) return *found;
  std::string names;
  for (const EngineKind& kind : kEngines) names += (names.empty() ? "" : ", ") + std::string(kind.name);
  fail(ErrorCode::kUnsupported, {.where = "engine",
                                 .what = "there is no",
                                 .got = "'" + std::string(name) + "' in this program",
                                 .expected = names});
}

std::vector<std::string_view> engine_kind_names() {
  std::vector<std::string_view> names;
  for (const EngineKind& kind : kEngines) names.push_back(kind.name);
  return names;
}

}  // namespace llm
