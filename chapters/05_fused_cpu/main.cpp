// The same loop with an engine that runs at the machine's limits.
#include <fmt/format.h>

#include <algorithm>
#include <iostream>

#include "chapters/02_naive_loop/loop_report.h"
#include "chapters/02_naive_loop/sequences.h"
#include "chapters/03_kv_cache/cached_json_lines.h"
#include "chapters/03_kv_cache/new_tokens.h"
#include "chapters/04_preallocated_cache/all_cache_kinds.h"
#include "chapters/04_preallocated_cache/cache_spec.h"
#include "chapters/05_fused_cpu/autotune.h"
#include "chapters/05_fused_cpu/convert_weights.h"
#include "chapters/05_fused_cpu/fused_model.h"
#include "chapters/05_fused_cpu/fused_report.h"
#include "chapters/05_fused_cpu/fused_settings.h"
#include "chapters/05_fused_cpu/ladder_steps.h"
#include "common/base/parallel.h"
#include "common/base/timing.h"
#include "common/cli/main.h"
#include "common/cli/progress.h"

namespace llm {
namespace {

// Chapter 04's loop as it was: which engine it is, is said where the model is made. The best token is found
// while the scores are computed: they are never written.
// --8<-- [start:loop]
// Hands out one token after the other: the most probable continuation of what the cache holds and input_ids.
// Ends with one of eos_token_id, which is part of the result, or after max_new_tokens.
Generator<Token> generate(CausalLM& model, Cache& past_key_values, std::vector<Token> input_ids,
                          Index max_new_tokens, std::vector<Token> eos_token_id,
                          std::optional<Index> prefill_chunk_size) {
  Logits* logits = &prefill(model, past_key_values, input_ids, prefill_chunk_size);
  for (Index n = 1;; ++n) {
    const std::vector<Token> next = {logits->argmax()[0]};
    co_yield next[0];
    if (n == max_new_tokens || std::ranges::count(eos_token_id, next[0])) co_return;  // nothing to compute
    const NewTokens step(next, past_key_values);  // [1, 1]; its position is the length of the cache
    logits = &model.forward(step.batch(), &past_key_values, {.logits_to_keep = 1});
  }
}
// --8<-- [end:loop]

TextRun run_text(const FusedSettings& s, CausalLM& model, Cache& cache, const std::vector<Token>& ids,
                 const GenerationConfig& config, Index limit, TokenPrinter& printer) {
  const auto eos = s.ignore_eos ? std::vector<Token>{} : config.eos_token_id;
  return write_text(generate(model, cache, ids, limit, eos, config.prefill_chunk_size), eos, printer);
}

// Fills in what chapters 02 and 04 get from the same weights.
void compare(const FusedSettings& s, const OpenModel& opened, FusedModel& model, Cache& cache,
             const GenerationConfig& config, Index limit, FusedRun& run) {
  const CheckLimit compare = parse_check_limit(s.check);
  if (compare.tokens == 0) return;
  const bool no_bar = s.common.quiet;
  Transformer exact(opened.config, opened.checkpoint,
                    any_cache_engine(progress_bar("float32 copies", no_bar)));
  TokenPrinter quiet(opened, true);
  const auto past = exact.make_cache(run.spec);
  run.earlier = run_text(s, exact, *past, run.prompt, config, limit, quiet);
  const bool codes = run.spec.cache == "int8" || run.spec.cache == "int4";
  if (!codes && run.weights.rounded_bytes == 0) {
    run.check =
        check_tokens(exact, run.prompt, run.text.new_tokens, compare, tie_tolerance(run.spec.cache_dtype));
  } else {
    std::vector<Token> all = run.prompt;
    all.insert(all.end(), run.text.new_tokens.begin(), run.text.new_tokens.end() - 1);
    run.rounded = check_rounding(exact, model, cache, all, std::ssize(run.prompt));
    if (run.spec.cache == "int4") run.rounded->tolerance = kFourBitTolerance;
  }
}

FusedRun run_all(const FusedSettings& s, const OpenModel& opened, FusedModel& model,
                 const GenerationConfig& config) {
  Turns turns(opened, s.turns, s.common.prompt);
  FusedRun run{.spec = {}, .options = model.operators().options(), .prompt = *turns.next({})};
  run.weights = weight_formats(opened.config, *opened.checkpoint, model.operators());
  const Index length = std::ssize(run.prompt);
  const Index limit = new_tokens_limit(opened.config, config, length, length);
  run.spec = cache_spec(s.cache, config, length + limit - 1);
  const auto cache = model.make_cache(run.spec);
  TokenPrinter printer(opened, s.common.json);
  printer.text(turns.heading());
  run.text = run_text(s, model, *cache, run.prompt, config, limit, printer);
  run.tokens = cache->get_seq_length(0);
  run.cache_bytes = cache->memory_bytes();
  run.peak_bytes = peak_resident_bytes();
  compare(s, opened, model, *cache, config, limit, run);
  if (run.passed() && (s.common.json || !s.common.quiet)) run.machine = look_at_machine();
  return run;
}

int run_ladder(const FusedSettings& s, const OpenModel& opened, Report& report) {
  const Ladder ladder = run_ladder(opened, s.work, report.quiet());
  if (s.common.json) fmt::print("{}\n", json_ladder(ladder));
  print_ladder(ladder, report);
  return ladder.passed() ? 0 : 1;
}

int program(int argc, char** argv) {
  FusedSettings s;
  if (!read_settings(argc, argv, s)) return 0;
  const bool quiet = s.common.quiet || s.jsonl;
  Report report(quiet);
  FusedOptions fused{.num_threads = num_threads(),
                     .compute = parse_compute(s.cache.engine.compute),
                     .mapped_weights = s.mapped_weights};
  const Stopwatch clock;
  OpenModel opened = open_model(s.common.model, quiet);
  convert_weights(opened, s.cache.engine.dtype, quiet);
  if (s.cache.sliding_window) set_sliding_window(opened.config, *s.cache.sliding_window);
  if (s.ladder) return run_ladder(s, opened, report);
  if (s.autotune) {
    const std::vector<Variant> variants = time_variants(opened, fused, quiet);
    print_variants(variants, report);
    fused = fastest(variants).options;
  }
  FusedModel model(opened.config, opened.checkpoint, make_operators(fused), progress_bar("weights", quiet));
  const double load_s = clock.seconds();
  print_warnings(opened, model.unused_tensors(), report);

  const auto fields = any_cache_generation_fields();
  GenerationConfig config = merge_with_model(opened, s.generation, fields, s.no_model_config);
  if (s.jsonl) {
    JsonLinesLoop loop = cached_json_lines(
        model, {.name = "05_fused_cpu",
                .request_fields = any_cache_request_fields(),
                .generation_fields = fields,
                .caches = {cache_names().begin(), cache_names().end()},
                .cache_spec = [&](const GenerateRequest& request, const GenerationConfig& merged) {
                  return cache_spec(s.cache, request, merged);
                }});
    loop.program.engines = {"fused"};
    return answer_json_lines(std::cin, std::cout, opened, loop, config, s.turns.chat_template);
  }
  if (!config.max_new_tokens && !config.max_length) config.max_new_tokens = 64;
  FusedRun run = run_all(s, opened, model, config);
  run.load_s = load_s;
  if (s.common.json) fmt::print("{}\n", json_report(opened, run));
  print_report(opened, run, report);
  return run.passed() ? 0 : 1;
}

}  // namespace
}  // namespace llm

int main(int argc, char** argv) { return llm::run_main(argc, argv, llm::program); }
