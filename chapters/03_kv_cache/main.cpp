// The loop with a cache: feed the prompt once, then only the newest token.
#include <fmt/format.h>

#include <algorithm>
#include <iostream>

#include "chapters/02_naive_loop/loop_report.h"
#include "chapters/02_naive_loop/sequences.h"
#include "chapters/03_kv_cache/cache_file.h"
#include "chapters/03_kv_cache/cache_kinds.h"
#include "chapters/03_kv_cache/cached_json_lines.h"
#include "chapters/03_kv_cache/cached_report.h"
#include "chapters/03_kv_cache/fingerprint.h"
#include "chapters/03_kv_cache/kv_format.h"
#include "chapters/03_kv_cache/new_tokens.h"
#include "chapters/03_kv_cache/turns.h"
#include "common/base/timing.h"
#include "common/cli/main.h"
#include "common/cli/options.h"
#include "common/cli/progress.h"

namespace llm {
namespace {

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
  EngineFlags engine;
  TurnFlags turns;
  std::string cache_dtype = "f32", check, load_cache, save_cache;
  std::optional<Index> change_key;
  bool jsonl = false, ignore_eos = false, no_model_config = false;
  GenerationConfig generation;
};

// The fields that have a flag: without a cache this program would be chapter 02's.
std::vector<std::string_view> generation_flags() {
  std::vector<std::string_view> names(cached_fields().begin(), cached_fields().end());
  std::erase(names, "use_cache");
  return names;
}

bool read_settings(int argc, char** argv, Settings& s) {
  static constexpr std::string_view kEngineFlags[] = {"cache"};
  static constexpr std::string_view kCacheDTypes[] = {"f32", "bf16", "f16"};
  Options options(
      "03_kv_cache",
      "Generates text with a cache of keys and values: every token is computed once. Compares the "
      "tokens with chapter 02's before it says how fast it was.");
  options.add_common(s.common);
  add_turn_flags(options, s.turns);
  options.add_flag("ignore-eos", s.ignore_eos, "go on after an end token, to see what comes then");
  options.add_text("check", s.check, "compare that many tokens with chapter 02's, or all (default: 10 s)");
  s.engine.cache = "dynamic";
  options.add_engine(s.engine, kEngineFlags);
  options.add_choice("cache-dtype", s.cache_dtype, kCacheDTypes, "number format of keys and values");
  options.add_text("save-cache", s.save_cache, "write the cache to this file at the end");
  options.add_text("load-cache", s.load_cache, "begin with the cache in this file");
  options.add_integer("change-key", s.change_key, 0, INT64_MAX,
                      "turn the sign of the key at this position, and see what the scores do");
  options.add_flag("no-model-config", s.no_model_config, "do not read the model's generation_config.json");
  options.add_jsonl(s.jsonl);
  options.add_generation(s.generation, generation_flags());
  options.add_example("03_kv_cache --prompt 'Once upon a time' --max-new-tokens 200");
  options.add_example("03_kv_cache --model M --chat 'Name three colours.' --then 'And three more.'");
  options.add_example("03_kv_cache --prompt 'Once upon a time' --save-cache story.safetensors");
  options.add_example("03_kv_cache --prompt 'Once upon a time' --change-key 1");
  if (!options.parse(argc, argv)) return false;
  check_turn_flags(options, s.turns, s.common.prompt);
  (void)find_cache_kind(dynamic_cache_kinds(), s.engine.offload ? "offloaded" : s.engine.cache);
  (void)parse_check_limit(s.check);
  return true;
}

// One text or turn: what the cache does not hold yet is read, then the answer is written.
CachedRun run_turn(const Settings& s, const OpenModel& opened, Transformer& model, CachedText& text,
                   const std::vector<Token>& ids, const std::string& heading,
                   const GenerationConfig& config) {
  const auto length = static_cast<Index>(ids.size());
  const Index limit = new_tokens_limit(model.config(), config, length, length);
  const auto eos = s.ignore_eos ? std::vector<Token>{} : config.eos_token_id;
  const Index reused_tokens = keep_common_prefix(text, ids);
  const std::vector<Token> rest(ids.begin() + reused_tokens, ids.end());
  TokenPrinter printer(opened, s.common.json);
  printer.text(heading);
  CachedRun run{
      write_text(generate(model, *text.cache, rest, limit, eos, config.prefill_chunk_size), eos, printer),
      ids, reused_tokens};
  run.positions = text.cache->get_seq_length(0) - reused_tokens;
  set_cached_ids(text, ids, run.new_tokens);
  return run;
}

CachedProgramRun run_all(const Settings& s, const OpenModel& opened, Transformer& model,
                         const GenerationConfig& config) {
  const CacheSpec spec = {.cache = s.engine.cache, .cache_dtype = s.cache_dtype};
  CachedText text{model.make_cache(spec), {}};
  CacheIdentity identity;
  if (!s.load_cache.empty() || !s.save_cache.empty())
    identity = cache_identity(model_fingerprint(opened.config, *opened.checkpoint), s.cache_dtype);
  if (!s.save_cache.empty()) expect_can_save(s.save_cache);
  if (!s.load_cache.empty()) load_cached_text(s.load_cache, text, opened.config, identity);

  CachedProgramRun all{.program = "03_kv_cache", .title = fmt::format("Dynamic cache, {}", s.cache_dtype)};
  all.prefill_chunk_size = config.prefill_chunk_size;
  Turns turns(opened, s.turns, s.common.prompt);
  for (auto ids = turns.next({}); ids; ids = turns.next(all.runs.back().new_tokens))
    all.runs.push_back(run_turn(s, opened, model, text, *ids, turns.heading(), config));
  all.memory = dynamic_cache_memory(*text.cache, opened.config, spec);
  if (s.change_key) all.key_change = change_key(model, text, *s.change_key);

  CheckLimit limit = parse_check_limit(s.check);
  limit.seconds /= static_cast<double>(all.runs.size());
  for (CachedRun& run : all.runs)
    run.check = check_tokens(model, run.prompt, run.new_tokens, limit, tie_tolerance(s.cache_dtype));
  if (all.passed() && !s.save_cache.empty()) save_cached_text(s.save_cache, text, opened.config, identity);
  return all;
}

int program(int argc, char** argv) {
  Settings s;
  if (!read_settings(argc, argv, s)) return 0;
  const bool quiet = s.common.quiet || s.jsonl;
  Report report(quiet);
  const Stopwatch clock;
  const OpenModel opened = open_model(s.common.model, quiet);
  Transformer model(opened.config, opened.checkpoint,
                    cached_engine(dynamic_cache_kinds(), progress_bar("float32 copies", quiet)));
  const double load_s = clock.seconds();
  print_warnings(opened, model, report);

  GenerationConfig config = merge_with_model(opened, s.generation, cached_fields(), s.no_model_config);
  if (s.jsonl) {
    const auto spec_of = [&](const GenerateRequest& request, const GenerationConfig&) {
      return CacheSpec{.cache = request.cache.value_or(s.engine.cache), .cache_dtype = s.cache_dtype};
    };
    const JsonLinesLoop loop = cached_json_lines(model, {.cache_spec = spec_of});
    return answer_json_lines(std::cin, std::cout, opened, loop, config, s.turns.chat_template);
  }
  if (!config.max_new_tokens && !config.max_length) config.max_new_tokens = 64;

  CachedProgramRun run = run_all(s, opened, model, config);
  run.load_s = load_s;
  if (s.common.json) fmt::print("{}\n", json_report(opened, model, run));
  print_report(opened, model, run, report);
  if (run.passed() && !s.save_cache.empty()) report.line("cache saved", s.save_cache);
  return run.passed() ? 0 : 1;
}

}  // namespace
}  // namespace llm

int main(int argc, char** argv) { return llm::run_main(argc, argv, llm::program); }
