#include "chapters/05_fused_cpu/autotune.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>

#include "chapters/02_naive_loop/flops.h"
#include "chapters/03_kv_cache/new_tokens.h"
#include "chapters/05_fused_cpu/fused_model.h"
#include "chapters/05_fused_cpu/ladder_steps.h"
#include "chapters/05_fused_cpu/samples.h"
#include "chapters/05_fused_cpu/step_work.h"
#include "common/base/timing.h"
#include "common/cli/progress.h"

namespace llm {
namespace {

constexpr Index kRuns = 3;  // after one that is not counted

std::vector<Isa> isas_to_time(const FusedOptions& options) {
  if (const char* wanted = std::getenv("NT_ISA"); wanted != nullptr && *wanted != '\0') return {options.isa};
  std::vector<Isa> all = available_isas(), isas;
  std::ranges::reverse(all);
  for (const Isa isa : all) {
    const auto same = [&](Isa other) {
      const Kernels &a = kernels_for(isa), &b = kernels_for(other);
      const bool exact = options.compute == Compute::kExact;
      return a.product == b.product &&
             (exact || (a.product_codes == b.product_codes && a.product_bf16 == b.product_bf16));
    };
    if (std::ranges::none_of(isas, same)) isas.push_back(isa);
  }
  return isas;
}

std::vector<int> threads_to_time(int most) {
  std::vector<int> counts;
  for (int threads = 1; threads < most; threads *= 2) counts.push_back(threads);
  counts.push_back(most);
  return counts;
}

// Seconds of a forward pass over `ids` and the best token after it.
double median_seconds(FusedModel& model, std::span<const Token> ids, Cache& past,
                      const ForwardOptions& options) {
  Samples seconds;
  for (Index run = 0; run <= kRuns; ++run) {
    past.reset();
    const NewTokens tokens(ids, past);
    const Stopwatch watch;
    (void)model.forward(tokens.batch(), &past, options).argmax();
    if (run > 0) seconds.add(watch.seconds());
  }
  return seconds.median();
}

// A prompt is timed in the first layers only: slow kernels would take minutes for a large model.
Variant time_variant(const OpenModel& opened, const FusedOptions& options) {
  FusedModel model(opened.config, opened.checkpoint, make_operators(options));
  const auto past = model.make_cache({});
  std::vector<Token> ids;
  for (Index i = 0; i < kTunedTokens; ++i) ids.push_back(static_cast<Token>(i % opened.config.vocab_size));

  ModelConfig part = opened.config;
  part.num_hidden_layers = std::min<Index>(4, part.num_hidden_layers);
  const ForwardOptions first_layers{.logits_to_keep = 1, .num_layers = part.num_hidden_layers};
  const double prefill_s = median_seconds(model, ids, *past, first_layers);

  const double step_s = median_seconds(model, std::span(ids).first(1), *past, {.logits_to_keep = 1});

  const Index bytes = weight_formats(opened.config, *opened.checkpoint, model.operators()).step_bytes;
  Variant variant{.options = options};
  variant.prefill_flops_per_s = forward_flops(part, 0, kTunedTokens, 1) / prefill_s;
  variant.step_bytes_per_s = static_cast<double>(bytes) / step_s;
  variant.seconds = forward_flops(opened.config, 0, kTunedTokens, 1) / variant.prefill_flops_per_s +
                    static_cast<double>(kTunedTokens) * step_s;
  return variant;
}

}  // namespace

std::vector<Variant> time_variants(const OpenModel& opened, const FusedOptions& options, bool quiet) {
  std::vector<FusedOptions> all;
  for (const Isa isa : isas_to_time(options))
    for (const int threads : threads_to_time(options.num_threads)) {
      FusedOptions& one = all.emplace_back(options);
      one.num_threads = threads;
      one.isa = isa;
    }
  const Progress progress = progress_bar("autotune", quiet, /*bytes=*/false);
  std::vector<Variant> variants;
  for (const FusedOptions& one : all) {
    variants.push_back(time_variant(opened, one));
    if (progress) progress(std::ssize(variants), std::ssize(all));
  }
  return variants;
}

const Variant& fastest(const std::vector<Variant>& variants) {
  return *std::ranges::min_element(variants, {}, &Variant::seconds);
}

void print_variants(const std::vector<Variant>& variants, Report& report) {
  report.title(fmt::format("Autotune: {} tokens of prompt, {} new ones", kTunedTokens, kTunedTokens));
  Table table({"instruction set", "threads", "prefill GFLOP/s", "decode GB/s", "time", ""});
  for (const Variant& variant : variants)
    table.add_row({std::string(isa_name(variant.options.isa)), std::to_string(variant.options.num_threads),
                   human_number(variant.prefill_flops_per_s * 1e-9),
                   human_number(variant.step_bytes_per_s * 1e-9), human_seconds(variant.seconds),
                   &variant == &fastest(variants) ? "chosen" : ""});
  report.table(table);
}

}  // namespace llm
