// The loop with a choice: processors change the scores, and one uniform number picks the token.
#include <fmt/format.h>

#include <algorithm>
#include <iostream>

#include "chapters/04_preallocated_cache/cache_spec.h"
#include "chapters/07_sampling/feed.h"
#include "chapters/07_sampling/sampled_check.h"
#include "chapters/07_sampling/sampling_report.h"
#include "chapters/07_sampling/sampling_session.h"
#include "chapters/07_sampling/step_bars.h"
#include "common/base/error.h"
#include "common/base/timing.h"
#include "common/cli/main.h"
#include "common/cli/progress.h"

namespace llm {
namespace {

// --8<-- [start:loop]
// Hands out one token after the other. The cache may be null: then every step feeds everything.
Generator<Token> generate(CausalLM& model, Cache* past_key_values, std::vector<Token> input_ids,
                          ChoiceRule rule, Index max_new_tokens, std::vector<Token> eos_token_id,
                          std::optional<Index> prefill_chunk_size, Observer* observer) {
  Tensor<float, 2> scores({1, model.config().vocab_size});
  for (Index n = 1;; ++n) {
    Logits& logits = feed(model, past_key_values, input_ids, prefill_chunk_size);  // [1, 1, V]
    std::ranges::copy(last_scores(logits, 0), scores.data());
    const View<const Token, 2> row(input_ids.data(), {1, std::ssize(input_ids)});
    rule.processors.run(row, scores, observer, n - 1);
    const Token next = choose(rule, scores[0], std::ssize(input_ids));
    if (observer != nullptr) observer->on_token(0, next);
    input_ids.push_back(next);
    co_yield next;
    if (n == max_new_tokens || std::ranges::count(eos_token_id, next)) co_return;
  }
}
// --8<-- [end:loop]

struct Settings {
  CommonFlags common;
  SamplingFlags flags;
  std::string check;
  Index candidates = 8;
  bool show_steps = false, compare_greedy = false, jsonl = false, ignore_eos = false, no_model_config = false;
  GenerationConfig generation;
};

// What would have no effect.
void check_flags(const Options& options, const Settings& s) {
  if (s.jsonl) {
    if (options.given("negative-prompt"))
      fail(ErrorCode::kUsage, {.where = "--negative-prompt",
                               .what = "does not go with --jsonl",
                               .remedy = "a request has the field negative_prompt"});
    return;
  }
  if (options.given("candidates") && !s.show_steps)
    fail(ErrorCode::kUsage, {.where = "--candidates", .what = "goes with --show-steps only"});
  for (const char* flag : {"cache", "offload", "cache-dtype", "max-cache-len", "prefill-chunk-size"})
    if (options.given(flag) && !find_engine(s.flags.engine).has_cache)
      fail(ErrorCode::kUsage, {.where = std::string("--") + flag,
                               .what = "has no effect with --engine " + s.flags.engine,
                               .remedy = "that engine has no cache"});
  check_cache_flags(options, s.flags.cache);
}

bool read_settings(int argc, char** argv, Settings& s) {
  std::vector<std::string_view> fields(sampling_fields().begin(), sampling_fields().end());
  for (const char* other : {"use_cache", "cache_implementation", "cache_config"}) std::erase(fields, other);
  const std::vector<std::string_view> names = engine_kind_names();
  Options options("07_sampling",
                  "Generates text by drawing tokens, after processors have changed the model's scores. Says "
                  "whether the tokens are those that the naive engine draws before it says how fast it was.");
  options.add_common(s.common);
  options.add_text("chat", s.flags.turns.chat, "a message to the model, put into its chat template");
  options.add_text("system", s.flags.turns.system, "with --chat: how the model shall behave");
  options.add_text("template", s.flags.turns.chat_template, "with --chat: chatml, plain or a file");
  options.add_flag("show-steps", s.show_steps, "show what each processor does to the best tokens, live");
  options.add_integer("candidates", s.candidates, 1, 100, "with --show-steps: how many tokens");
  options.add_flag("compare-greedy", s.compare_greedy, "also take the best token every time, and compare");
  options.add_text("negative-prompt", s.flags.negative_prompt,
                   "with --guidance-scale: lead the text away from this");
  options.add_flag("ignore-eos", s.ignore_eos, "go on after an end token, to see what comes then");
  options.add_text("check", s.check,
                   "compare that many tokens with the naive engine's, or all (default: 10 s)");
  options.add_flag("no-model-config", s.no_model_config, "do not read the model's generation_config.json");
  options.add_jsonl(s.jsonl);
  options.add_choice("engine", s.flags.engine, names, "what computes the scores");
  add_cache_flags(options, s.flags.cache);
  options.add_generation(s.generation, fields);
  options.add_example("07_sampling --prompt 'Once upon a time' --temperature 0.7 --top-p 0.8 --seed 3");
  options.add_example("07_sampling --prompt 'Once upon a time' --top-k 20 --min-p 0.05 --show-steps");
  options.add_example("07_sampling --max-new-tokens 300 --ignore-eos --compare-greedy");
  if (!options.parse(argc, argv)) return false;
  check_turn_flags(options, s.flags.turns, s.common.prompt);
  (void)parse_check_limit(s.check);
  check_flags(options, s);
  return true;
}

TextRun write_text(const Settings& s, const SamplingSession& session, const ChoiceRule& rule, bool shown) {
  const auto eos = s.ignore_eos ? std::vector<Token>{} : session.config().eos_token_id;
  const auto cache = session.make_cache();
  StepBars bars(session.opened().random ? nullptr : session.opened().tokenizer.get(), s.candidates, stderr,
                terminal_width(stderr));
  TokenPrinter printer(session.opened(), s.common.json || !shown);
  printer.text(session.heading());
  return write_text(generate(session.model(), cache.get(), session.prompt(), rule, session.limit(), eos,
                             session.config().prefill_chunk_size, s.show_steps && shown ? &bars : nullptr),
                    eos, printer);
}

SamplingRun run_all(const Settings& s, const SamplingSession& session, const CheckLimit& limit) {
  SamplingRun run = session.begin_run(s.common.seed);
  for (Index i = 0; i < session.config().num_return_sequences; ++i) {
    const ChoiceRule rule = session.rule(run.do_sample, s.common.seed, static_cast<std::uint32_t>(i));
    SampledText& text = run.texts.emplace_back(SampledText{write_text(s, session, rule, true)});
    if (limit.tokens != 0)
      text.check = check_sampled(session.naive(), session.prompt(), text.new_tokens, rule, limit);
    text.watermark = session.find_watermark(text.new_tokens);
  }
  if (s.compare_greedy) run.greedy = SampledText{write_text(s, session, session.rule(false, 0, 0), false)};
  run.choose_s = session.time_choice(session.rule(run.do_sample, s.common.seed, 0));
  return run;
}

int program(int argc, char** argv) {
  Settings s;
  if (!read_settings(argc, argv, s)) return 0;
  const bool quiet = s.common.quiet || s.jsonl;
  Report report(quiet);
  const Stopwatch clock;
  OpenModel opened = open_model(s.common.model, quiet);
  if (s.flags.cache.sliding_window) set_sliding_window(opened.config, *s.flags.cache.sliding_window);
  EngineSet engines(opened, {.progress = progress_bar("float32 copies", quiet)});
  (void)engines.get(s.flags.engine);
  const double load_s = clock.seconds();
  for (const std::string& warning : opened.warnings) report.warning(warning);

  GenerationConfig config = merge_with_model(opened, s.generation, sampling_fields(), s.no_model_config);
  if (s.jsonl) {
    const JsonLinesLoop loop = sampling_json_lines(
        engines, {.engine = s.flags.engine, .cache = s.flags.cache, .seed = s.common.seed});
    return answer_json_lines(std::cin, std::cout, opened, loop, config, s.flags.turns.chat_template);
  }
  if (!config.max_new_tokens && !config.max_length) config.max_new_tokens = 64;
  if (!config.given.contains("do_sample")) config.do_sample = true;
  for (const std::string& warning : processor_warnings(config, "07_sampling")) report.warning(warning);
  if (!s.flags.negative_prompt.empty() && config.guidance_scale.value_or(1) == 1)
    report.warning("--negative-prompt has no effect without --guidance-scale");

  const SamplingSession session(opened, engines, s.flags, config, s.common.prompt);
  SamplingRun run = run_all(s, session, parse_check_limit(s.check));
  run.load_s = load_s;
  if (s.common.json) fmt::print("{}\n", json_report(opened, run));
  print_report(opened, run, report);
  return run.passed() ? 0 : 1;
}

}  // namespace
}  // namespace llm

int main(int argc, char** argv) { return llm::run_main(argc, argv, llm::program); }
