#include "chapters/05_fused_cpu/fused_settings.h"

#include <array>

#include "chapters/03_kv_cache/token_check.h"
#include "common/base/error.h"

namespace llm {
namespace {

// What would have no effect.
void check_modes(const Options& options, const FusedSettings& s) {
  static constexpr std::array kLadderOnly = {"prompt-tokens", "new-tokens", "runs", "depth"};
  static constexpr std::array kNotLadder = {"jsonl",
                                            "autotune",
                                            "prompt",
                                            "chat",
                                            "system",
                                            "check",
                                            "compute",
                                            "cache",
                                            "cache-dtype",
                                            "offload",
                                            "ignore-eos",
                                            "group-size",
                                            "residual-length",
                                            "sliding-window",
                                            "max-chunk",
                                            "max-new-tokens",
                                            "max-length",
                                            "template",
                                            "prefill-chunk-size",
                                            "max-cache-len",
                                            "eos-token-id"};
  if (s.ladder) {
    for (const char* flag : kNotLadder)
      if (options.given(flag))
        fail(ErrorCode::kUsage, {.where = std::string("--") + flag, .what = "does not go with --ladder"});
    return;
  }
  for (const char* flag : kLadderOnly)
    if (options.given(flag))
      fail(ErrorCode::kUsage, {.where = std::string("--") + flag, .what = "goes with --ladder only"});
  if (!s.jsonl) check_cache_flags(options, s.cache);
}

}  // namespace

bool read_settings(int argc, char** argv, FusedSettings& s) {
  static constexpr std::string_view kEngineFlags[] = {"dtype", "compute"};
  static constexpr std::string_view kFields[] = {"max_new_tokens", "max_length", "eos_token_id",
                                                 "prefill_chunk_size", "max_cache_len"};
  Options options(
      "05_fused_cpu",
      "Generates text with fused kernels for this machine's processor, on the weights as they are "
      "in the file. Says whether the tokens are the right ones before it says how fast it was, and "
      "what the machine could do.");
  options.add_common(s.common);
  options.add_text("chat", s.turns.chat, "a message to the model, put into its chat template");
  options.add_text("system", s.turns.system, "with --chat: how the model shall behave");
  options.add_text("template", s.turns.chat_template, "with --chat: chatml, plain or a file");
  options.add_flag("ignore-eos", s.ignore_eos, "go on after an end token, to see what comes then");
  options.add_text("check", s.check, "compare that many tokens with chapter 02's, or all (default: 10 s)");
  options.add_engine(s.cache.engine, kEngineFlags);
  options.add_flag("mapped-weights", s.mapped_weights, "no copy of the file's weights in large pages");
  options.add_flag("autotune", s.autotune, "time kernels and numbers of threads, and take the fastest");
  options.add_flag("no-model-config", s.no_model_config, "do not read the model's generation_config.json");
  options.add_jsonl(s.jsonl);
  const std::string before = options.group("Ladder");
  options.add_flag("ladder", s.ladder, "time this chapter's steps one by one, and end");
  options.add_integer("prompt-tokens", s.work.prompt_tokens, 1, INT32_MAX, "random ones, read at once");
  options.add_integer("new-tokens", s.work.new_tokens, 1, INT32_MAX, "read one at a time after them");
  options.add_integer("runs", s.work.runs, 1, 1000, "of each step; the medians are shown");
  options.add_integer("depth", s.work.depth, 0, INT32_MAX, "tokens that the cache holds before");
  options.group(before);
  s.cache.engine.cache = "dynamic";
  add_cache_flags(options, s.cache);
  options.add_generation(s.generation, kFields);
  options.add_example("05_fused_cpu --prompt 'Once upon a time' --max-new-tokens 200");
  options.add_example("05_fused_cpu --model M --quantize q8_0 --compute fast");
  options.add_example("05_fused_cpu --model M --ladder");
  options.add_example("NT_ISA=avx2 05_fused_cpu --model M --autotune");
  if (!options.parse(argc, argv)) return false;
  check_turn_flags(options, s.turns, s.common.prompt);
  (void)parse_check_limit(s.check);
  check_modes(options, s);
  s.work.seed = s.common.seed;
  s.work.mapped_weights = s.mapped_weights;
  return true;
}

}  // namespace llm
