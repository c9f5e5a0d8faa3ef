// The loop with every kind of cache: preallocated, a ring, int8 and int4, in files.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <iostream>
#include <iterator>

#include "chapters/02_naive_loop/loop_report.h"
#include "chapters/02_naive_loop/sequences.h"
#include "chapters/03_kv_cache/cached_json_lines.h"
#include "chapters/03_kv_cache/new_tokens.h"
#include "chapters/03_kv_cache/turns.h"
#include "chapters/04_preallocated_cache/all_cache_kinds.h"
#include "chapters/04_preallocated_cache/cache_flags.h"
#include "chapters/04_preallocated_cache/cache_memory.h"
#include "chapters/04_preallocated_cache/cache_report.h"
#include "chapters/04_preallocated_cache/cache_spec.h"
#include "common/base/timing.h"
#include "common/cli/main.h"
#include "common/cli/progress.h"

namespace llm {
namespace {

// Chapter 03's loop as it was: which cache it is, is said where the cache is made.
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

struct Settings {
  CommonFlags common;
  CacheFlags cache;
  TurnFlags turns;
  std::string check, perplexity;
  Index perplexity_tokens = 4096;
  bool memory_table = false, jsonl = false, ignore_eos = false, no_model_config = false;
  GenerationConfig generation;
};

// What would have no effect, or where two flags ask for different things.
void check_modes(const Options& options, const Settings& s) {
  const std::array<const char*, 3> modes = {"memory-table", "perplexity", "jsonl"};
  const auto given = [&](const char* mode) { return options.given(mode); };
  const auto* const first = std::ranges::find_if(modes, given);
  const auto* const second = std::find_if(first == modes.end() ? first : first + 1, modes.end(), given);
  if (second != modes.end())
    fail(ErrorCode::kUsage,
         {.where = std::string("--") + *second, .what = std::string("does not go with --") + *first});
  if (options.given("perplexity-tokens") && s.perplexity.empty())
    fail(ErrorCode::kUsage, {.where = "--perplexity-tokens", .what = "goes with --perplexity only"});
  if (first == modes.end()) check_cache_flags(options, s.cache);
}

bool read_settings(int argc, char** argv, Settings& s) {
  static constexpr std::string_view kFields[] = {"max_new_tokens", "max_length", "eos_token_id",
                                                 "prefill_chunk_size", "max_cache_len"};
  Options options(
      "04_preallocated_cache",
      "Generates text with a cache of any kind: preallocated, a ring, int8 or int4 codes, or in "
      "temporary files. Says whether the tokens are the right ones before it says how fast it was.");
  options.add_common(s.common);
  options.add_text("chat", s.turns.chat, "a message to the model, put into its chat template");
  options.add_text("system", s.turns.system, "with --chat: how the model shall behave");
  options.add_text("template", s.turns.chat_template, "with --chat: chatml, plain or a file");
  options.add_flag("ignore-eos", s.ignore_eos, "go on after an end token, to see what comes then");
  options.add_text("check", s.check, "compare that many tokens with chapter 02's, or all (default: 10 s)");
  options.add_flag("memory-table", s.memory_table, "show what caches of well-known models need, and end");
  options.add_text("perplexity", s.perplexity, "how well each kind of cache foretells the text in this file");
  options.add_integer("perplexity-tokens", s.perplexity_tokens, 2, INT32_MAX, "of that text");
  options.add_flag("no-model-config", s.no_model_config, "do not read the model's generation_config.json");
  options.add_jsonl(s.jsonl);
  s.cache.engine.cache = "static";
  add_cache_flags(options, s.cache);
  options.add_generation(s.generation, kFields);
  options.add_example("04_preallocated_cache --cache int8 --residual-length 16 --prompt 'Once upon a time'");
  options.add_example("04_preallocated_cache --cache sliding --sliding-window 32 --max-new-tokens 200");
  options.add_example("04_preallocated_cache --model M --perplexity data/texts/lighthouse.txt");
  options.add_example("04_preallocated_cache --memory-table");
  if (!options.parse(argc, argv)) return false;
  check_turn_flags(options, s.turns, s.common.prompt);
  (void)parse_check_limit(s.check);
  check_modes(options, s);
  return true;
}

TextRun run_text(const Settings& s, Transformer& model, Cache& cache, const std::vector<Token>& ids,
                 const GenerationConfig& config, Index limit, TokenPrinter& printer) {
  const auto eos = s.ignore_eos ? std::vector<Token>{} : config.eos_token_id;
  return write_text(generate(model, cache, ids, limit, eos, config.prefill_chunk_size), eos, printer);
}

CacheRun run_all(const Settings& s, const OpenModel& opened, Transformer& model,
                 const GenerationConfig& config) {
  Turns turns(opened, s.turns, s.common.prompt);
  CacheRun run{.spec = {}, .prompt = *turns.next({})};
  const auto length = static_cast<Index>(run.prompt.size());
  const Index limit = new_tokens_limit(model.config(), config, length, length);
  run.spec = cache_spec(s.cache, config, length + limit - 1);
  const auto cache = model.make_cache(run.spec);
  TokenPrinter printer(opened, s.common.json), quiet(opened, true);
  printer.text(turns.heading());
  run.text = run_text(s, model, *cache, run.prompt, config, limit, printer);
  run.tokens = cache->get_seq_length(0);
  run.memory_bytes = cache->memory_bytes();
  run.formula_bytes = cache_bytes(all_cache_kinds(), model.config(), run.spec, run.tokens);
  run.peak_bytes = peak_resident_bytes();
  const CheckLimit compare = parse_check_limit(s.check);
  if (compare.tokens == 0) return run;

  const auto dynamic = model.make_cache({});
  run.dynamic = run_text(s, model, *dynamic, run.prompt, config, limit, quiet);
  if (run.spec.cache != "int8" && run.spec.cache != "int4") {
    run.check =
        check_tokens(model, run.prompt, run.text.new_tokens, compare, tie_tolerance(run.spec.cache_dtype));
  } else {
    std::vector<Token> all = run.prompt;
    all.insert(all.end(), run.text.new_tokens.begin(), run.text.new_tokens.end() - 1);
    cache->reset();
    run.codes = compare_scores(model, *cache, all, length - 1);
  }
  return run;
}

int run_perplexity(const Settings& s, const OpenModel& opened, Transformer& model, Report& report) {
  std::ifstream file(s.perplexity, std::ios::binary);
  if (!file) fail(ErrorCode::kMissing, {.where = s.perplexity, .what = "cannot be read"});
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  std::vector<Token> ids = encode_prompt(opened, text);
  const Index length = std::min(
      {static_cast<Index>(ids.size()), s.perplexity_tokens + 1, model.config().max_position_embeddings + 1});
  ids.resize(static_cast<std::size_t>(length));
  CacheSpec options;  // those of the command line that concern codes
  options.group_size = s.cache.group_size;
  options.residual_length = s.cache.residual_length;
  const std::vector<QualityRow> rows = measure_quality(model, ids, compared_caches(model.config()), options);
  if (s.common.json) fmt::print("{}\n", json_quality(opened, rows));
  print_quality(opened, rows, report);
  return 0;
}

int program(int argc, char** argv) {
  Settings s;
  if (!read_settings(argc, argv, s)) return 0;
  const bool quiet = s.common.quiet || s.jsonl;
  Report report(quiet);
  const Stopwatch clock;
  OpenModel opened = open_model(s.common.model, quiet);
  if (s.cache.sliding_window) set_sliding_window(opened.config, *s.cache.sliding_window);
  if (s.memory_table) {
    if (s.common.json) fmt::print("{}\n", json_memory_tables(opened.name, opened.config));
    return print_memory_tables(opened.name, opened.config, report), 0;
  }
  Transformer model(opened.config, opened.checkpoint,
                    any_cache_engine(progress_bar("float32 copies", quiet)));
  const double load_s = clock.seconds();
  print_warnings(opened, model, report);
  if (!s.perplexity.empty()) return run_perplexity(s, opened, model, report);

  const auto fields = any_cache_generation_fields();
  GenerationConfig config = merge_with_model(opened, s.generation, fields, s.no_model_config);
  if (s.jsonl) {
    const JsonLinesLoop loop = cached_json_lines(
        model, {.name = "04_preallocated_cache",
                .request_fields = any_cache_request_fields(),
                .generation_fields = fields,
                .caches = {cache_names().begin(), cache_names().end()},
                .cache_spec = [&](const GenerateRequest& request, const GenerationConfig& merged) {
                  return cache_spec(s.cache, request, merged);
                }});
    return answer_json_lines(std::cin, std::cout, opened, loop, config, s.turns.chat_template);
  }
  if (!config.max_new_tokens && !config.max_length) config.max_new_tokens = 64;
  CacheRun run = run_all(s, opened, model, config);
  run.load_s = load_s;
  if (s.common.json) fmt::print("{}\n", json_report(opened, model, run));
  print_report(opened, model, run, report);
  return run.passed() ? 0 : 1;
}

}  // namespace
}  // namespace llm

int main(int argc, char** argv) { return llm::run_main(argc, argv, llm::program); }
