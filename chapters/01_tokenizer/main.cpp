// Shows how a model's tokenizer takes text apart: its tokens in colour, their ids, and the merges that made
// them.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <iterator>
#include <optional>
#include <string>
#include <vector>

#include "chapters/01_tokenizer/tokenizer.h"
#include "chapters/01_tokenizer/tokenizer_jsonl.h"
#include "chapters/01_tokenizer/tokenizer_view.h"
#include "chapters/01_tokenizer/train_tokenizer.h"
#include "common/base/error.h"
#include "common/base/timing.h"
#include "common/cli/json_writer.h"
#include "common/cli/main.h"
#include "common/cli/model_path.h"
#include "common/cli/options.h"
#include "common/cli/report.h"
#include "common/text/utf8.h"

namespace llm {
namespace {

constexpr const char* kDefaultPrompt =
    "Explain how tokenizers split unbelievable words, 1234 and \u4f60\u597d \U0001F680!";

struct Settings {
  CommonFlags common;
  std::string compare, file;
  Index merges = 2;
  bool no_special_tokens = false, jsonl = false;
  TrainRequest train;
};

bool read_settings(int argc, char** argv, Settings& s) {
  s.common.prompt = kDefaultPrompt;
  Options options(
      "01_tokenizer",
      "Shows a text as the tokens that a model sees, and the merges that lead from bytes to tokens.");
  options.add_common(s.common);
  options.add_text("file", s.file, "read the text from this file instead of --prompt");
  options.add_text("compare", s.compare, "a second model: both tokenizations side by side");
  options.add_integer("merges", s.merges, 0, 1000,
                      "words whose merges are shown step by step, the longest first");
  options.add_flag("no-special-tokens", s.no_special_tokens,
                   "without the tokens that belong around a text (BOS)");
  options.add_jsonl(s.jsonl);
  add_train_options(options, s.train);
  options.add_example("01_tokenizer --prompt 'Explain large language models.' --merges 5");
  options.add_example("01_tokenizer --model models/Qwen3-0.6B --compare storyteller");
  options.add_example("echo '{\"text\": \"Hello\"}' | 01_tokenizer --jsonl     {\"ids\": [...]}");
  options.add_example("01_tokenizer --train stories.txt --vocab-size 1000 --out tokenizer.json");
  options.add_example(
      "echo '{\"ids\": [1, 2], \"stream\": true}' | 01_tokenizer --jsonl     {\"pieces\": [...]}");
  return options.parse(argc, argv);
}

std::string read_text(const Settings& s) {
  if (s.file.empty()) return s.common.prompt;
  std::ifstream file(s.file, std::ios::binary);
  if (!file) fail(ErrorCode::kMissing, {.where = "--file", .what = "cannot read", .got = "'" + s.file + "'"});
  return {std::istreambuf_iterator<char>(file), {}};
}

struct LoadedTokenizer {
  std::string name;
  Tokenizer tokenizer;
  std::vector<Token> ids;
  double load_s = 0, encode_s = 0;
};

LoadedTokenizer load_and_encode(const std::string& name, const std::string& text, bool special) {
  const ModelSource source = find_model(name);
  if (source.is_random()) {
    fail(ErrorCode::kUsage,
         {.where = "--model", .what = "a random model has no tokenizer", .got = "'" + name + "'"});
  }
  Stopwatch watch;
  LoadedTokenizer loaded{source.path.filename().string(), Tokenizer::load(source.path), {}};
  if (loaded.name.empty()) loaded.name = name;
  loaded.load_s = watch.seconds();
  watch.reset();
  loaded.ids = loaded.tokenizer.encode(text, special);
  loaded.encode_s = watch.seconds();
  return loaded;
}

// The words with most merges, each once, in the order of the text.
std::vector<ExplainedWord> words_to_explain(const Tokenizer& tokenizer, const std::string& text,
                                            Index count) {
  std::vector<ExplainedWord> chosen;
  for (ExplainedWord& word : tokenizer.explain(text)) {
    const auto same = [&](const ExplainedWord& other) { return other.text == word.text; };
    if (word.steps.empty() || std::any_of(chosen.begin(), chosen.end(), same)) continue;
    chosen.push_back(std::move(word));
    if (static_cast<Index>(chosen.size()) <= count) continue;
    const auto fewer = [](const ExplainedWord& a, const ExplainedWord& b) {
      return a.steps.size() < b.steps.size();
    };
    chosen.erase(std::min_element(chosen.begin(), chosen.end(), fewer));
  }
  return chosen;
}

void write_json(const std::string& text, const std::vector<const LoadedTokenizer*>& models) {
  JsonWriter json;
  json.begin_object()
      .field("text", text)
      .field("bytes", text.size())
      .field("characters", count_code_points(text));
  json.key("models").begin_array();
  for (const LoadedTokenizer* model : models) {
    json.begin_object().field("name", model->name).field("vocab_size", model->tokenizer.vocab_size());
    json.field("ids", model->ids).key("tokens").begin_array();
    for (const Token id : model->ids) json.value(model->tokenizer.token_bytes(id));
    json.end_array().field("load_s", model->load_s).field("encode_s", model->encode_s).end_object();
  }
  json.end_array().end_object();
  std::cout << json.text() << "\n";
}

void report_counts(const std::string& text, const std::vector<const LoadedTokenizer*>& models, bool quiet) {
  const auto bytes = static_cast<Index>(text.size());
  Table table({"model", "vocabulary", "bytes", "characters", "tokens", "bytes a token", "load", "encode"});
  for (const LoadedTokenizer* model : models) {
    const auto tokens = static_cast<Index>(model->ids.size());
    table.add_row(
        {model->name, human_count(model->tokenizer.vocab_size()), human_count(bytes),
         human_count(count_code_points(text)), human_count(tokens),
         tokens == 0 ? "-" : fmt::format("{:.2f}", static_cast<double>(bytes) / static_cast<double>(tokens)),
         human_seconds(model->load_s), human_seconds(model->encode_s)});
  }
  Report report(quiet);
  report.title("Counts");
  report.table(table);
}

void show(const std::string& text, const LoadedTokenizer& model, const LoadedTokenizer* other, Index merges,
          const ViewOptions& view) {
  if (other != nullptr) {
    std::cout << side_by_side({model.name, &model.tokenizer, model.ids},
                              {other->name, &other->tokenizer, other->ids}, view);
    return;
  }
  std::cout << token_strip(model.tokenizer, model.ids, view) << "\n";
  std::cout << fmt::format("ids [{}]\n", fmt::join(model.ids, ", "));
  for (const ExplainedWord& word : words_to_explain(model.tokenizer, text, merges)) {
    std::cout << fmt::format("\nmerges of '{}'\n", visible_token(word.text))
              << merge_steps_text(model.tokenizer, word, view);
  }
}

int program(int argc, char** argv) {
  Settings s;
  if (!read_settings(argc, argv, s)) return 0;
  s.train.quiet = s.common.quiet;
  if (!s.train.corpus.empty()) return train_tokenizer(s.train);
  if (s.jsonl) {
    const ModelSource source = find_model(s.common.model);
    return serve_tokenizer(Tokenizer::load(source.path), source.path, std::cin, std::cout);
  }
  const std::string text = read_text(s);
  const LoadedTokenizer model = load_and_encode(s.common.model, text, !s.no_special_tokens);
  std::optional<LoadedTokenizer> other;
  if (!s.compare.empty()) other.emplace(load_and_encode(s.compare, text, !s.no_special_tokens));
  std::vector<const LoadedTokenizer*> models = {&model};
  if (other) models.push_back(&*other);
  if (s.common.json) {
    write_json(text, models);
    return 0;
  }
  const char* no_colour = std::getenv("NO_COLOR");
  const bool colour = (no_colour == nullptr || *no_colour == '\0') && isatty(STDOUT_FILENO) != 0;
  show(text, model, other ? &*other : nullptr, s.merges, {.colour = colour});
  std::cout.flush();
  report_counts(text, models, s.common.quiet);
  return 0;
}

}  // namespace
}  // namespace llm

int main(int argc, char** argv) { return llm::run_main(argc, argv, llm::program); }
