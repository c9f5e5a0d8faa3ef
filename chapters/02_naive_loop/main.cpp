// The naive loop: feed every token so far, take the best next one, append it, start over.
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <iostream>
#include <nlohmann/json.hpp>

#include "chapters/02_naive_loop/classify_report.h"
#include "chapters/02_naive_loop/dump_layers.h"
#include "chapters/02_naive_loop/full_batch.h"
#include "chapters/02_naive_loop/json_lines.h"
#include "chapters/02_naive_loop/loop_report.h"
#include "chapters/02_naive_loop/sequences.h"
#include "common/base/timing.h"
#include "common/cli/main.h"
#include "common/cli/options.h"
#include "common/cli/progress.h"

namespace llm {
namespace {

// --8<-- [start:loop]
// Hands out one token after the other: the most probable continuation of input_ids, each time. Ends with one
// of eos_token_id, which is part of the result, or after max_new_tokens.
Generator<Token> generate(CausalLM& model, std::vector<Token> input_ids, Index max_new_tokens,
                          std::vector<Token> eos_token_id) {
  for (Index n = 0; n < max_new_tokens; ++n) {
    const FullBatch everything(input_ids);  // [1, T]: the prompt and all new tokens, again
    Logits& logits = model.forward(everything.batch(), nullptr, {.logits_to_keep = 1});
    const Token next = logits.argmax()[0];
    input_ids.push_back(next);
    co_yield next;
    if (std::ranges::count(eos_token_id, next)) co_return;
  }
}
// --8<-- [end:loop]

struct Settings {
  CommonFlags common;
  std::string chat, system, chat_template, dump_layers, classify;
  bool jsonl = false, ignore_eos = false, no_model_config = false, wants_labels = false;
  GenerationConfig generation;
};

bool read_settings(int argc, char** argv, Settings& s) {
  Options options(
      "02_naive_loop",
      "Generates text without a cache: every step feeds all tokens so far and takes the best next one.");
  options.add_common(s.common);
  options.add_text("chat", s.chat, "a message to the model, put into its chat template");
  options.add_text("system", s.system, "with --chat: how the model shall behave");
  options.add_text("template", s.chat_template,
                   "with --chat: chatml, plain or a file, instead of the model's own");
  options.add_flag("ignore-eos", s.ignore_eos, "go on after an end token, to see what comes then");
  options.add_text("classify", s.classify,
                   "which of these labels is the most probable continuation, such as \" yes, no\"; and end");
  options.add_text("dump-layers", s.dump_layers,
                   "write the prompt's hidden states to this safetensors file, and end");
  options.add_flag("no-model-config", s.no_model_config, "do not read the model's generation_config.json");
  options.add_jsonl(s.jsonl);
  options.add_generation(s.generation, greedy_fields());
  options.add_example("02_naive_loop --prompt 'Once upon a time' --max-new-tokens 200");
  options.add_example("02_naive_loop --model models/Qwen3-0.6B --chat 'Why is the sky blue?'");
  options.add_example("02_naive_loop --prompt 'The end.' --ignore-eos");
  options.add_example("02_naive_loop --prompt 'The dog was very' --classify ' happy, sad, tired'");
  if (!options.parse(argc, argv)) return false;
  if (options.given("prompt") && (s.common.prompt.empty() || options.given("chat")))
    fail(ErrorCode::kUsage, {.where = "--prompt",
                             .what = s.common.prompt.empty() ? "is empty" : "does not go with --chat",
                             .remedy = "give the model one text to begin with"});
  if (options.given("classify") && s.jsonl)
    fail(ErrorCode::kUsage, {.where = "--classify", .what = "does not go with --jsonl"});
  s.wants_labels = options.given("classify");
  if (s.chat.empty() && s.common.prompt.empty()) s.common.prompt = "Once upon a time";
  return true;
}

std::vector<Token> encode(const OpenModel& opened, const Settings& s) {
  if (s.chat.empty()) return encode_prompt(opened, s.common.prompt);
  Json messages = Json::array();
  if (!s.system.empty()) messages.push_back({{"role", "system"}, {"content", s.system}});
  messages.push_back({{"role", "user"}, {"content", s.chat}});
  return encode_chat(opened, messages, opened.chat_template(s.chat_template));
}

int dump(const Settings& s, Transformer& model, const std::vector<Token>& ids) {
  const std::vector<NamedTensor> tensors = dump_layers(model, ids);
  write_safetensors(s.dump_layers, tensors);
  Table table({"tensor", "root mean square", "largest"});
  for (const NamedTensor& tensor : tensors) {
    const TensorSize size = size_of(tensor.values);
    table.add_row({tensor.name, fmt::format("{:.4g}", size.rms), fmt::format("{:.4g}", size.largest)});
  }
  Report report(s.common.quiet);
  report.table(table);
  report.text(fmt::format("{} tensors in {}", tensors.size(), s.dump_layers));
  return 0;
}

LoopRun run_loop(const Settings& s, const OpenModel& opened, Transformer& model,
                 const std::vector<Token>& ids, const GenerationConfig& config) {
  const auto prompt_tokens = static_cast<Index>(ids.size());
  const Index limit = new_tokens_limit(model.config(), config, prompt_tokens, prompt_tokens);
  const auto eos = s.ignore_eos ? std::vector<Token>{} : config.eos_token_id;
  TokenPrinter printer(opened, s.common.json);
  if (s.chat.empty()) printer.text(s.common.prompt);
  return {write_text(generate(model, ids, limit, eos), eos, printer), prompt_tokens};
}

int program(int argc, char** argv) {
  Settings s;
  if (!read_settings(argc, argv, s)) return 0;
  const bool quiet = s.common.quiet || s.jsonl;
  Report report(quiet);
  const Stopwatch clock;
  const OpenModel opened = open_model(s.common.model, quiet);
  Transformer model(opened.config, opened.checkpoint, {.progress = progress_bar("float32 copies", quiet)});
  const double load_s = clock.seconds();
  print_warnings(opened, model, report);

  GenerationConfig config = merge_with_model(opened, s.generation, greedy_fields(), s.no_model_config);
  if (s.jsonl) return answer_json_lines(std::cin, std::cout, opened, model, config, s.chat_template);
  const std::vector<Token> ids = encode(opened, s);
  if (!s.dump_layers.empty()) return dump(s, model, ids);
  if (s.wants_labels)
    return classify(opened, model, ids,
                    read_labels(s.classify, *opened.tokenizer, s.chat.empty() ? s.common.prompt : "", ids),
                    s.common.json, s.common.quiet);
  if (!config.max_new_tokens && !config.max_length) config.max_new_tokens = 64;

  LoopRun run = run_loop(s, opened, model, ids, config);
  run.load_s = load_s;
  if (s.common.json) fmt::print("{}\n", json_report(opened, model, run));
  print_report(opened, model, run, report);
  return 0;
}

}  // namespace
}  // namespace llm

int main(int argc, char** argv) { return llm::run_main(argc, argv, llm::program); }
