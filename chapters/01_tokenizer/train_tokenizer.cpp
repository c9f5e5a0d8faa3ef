#include "chapters/01_tokenizer/train_tokenizer.h"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <ostream>

#include "chapters/01_tokenizer/byte_map.h"
#include "chapters/01_tokenizer/known_patterns.h"
#include "chapters/01_tokenizer/tokenizer_view.h"
#include "common/base/error.h"
#include "common/base/timing.h"
#include "common/cli/progress.h"
#include "common/cli/report.h"
#include "common/io/json.h"
#include "common/io/write_file.h"

namespace llm {
namespace {

constexpr std::size_t kShownMerges = 12;

std::string_view find_pattern(std::string_view name) {
  if (name.empty() || name == "gpt2") return kGpt2Pattern;
  if (name == "qwen2") return kQwen2Pattern;
  if (name == "llama3") return kLlama3Pattern;
  if (name == "gpt4o") return kGpt4oPattern;
  return name;
}

// How a token of the byte-level alphabet looks to a reader.
std::string readable(const std::string& token) {
  return visible_token(characters_to_bytes(token).value_or(token));
}

void show_first_merges(const BpeParts& parts) {
  Table table({"id", "merge", "token"});
  for (std::size_t i = 0; i < std::min(kShownMerges, parts.merges.size()); ++i) {
    const auto& [left, right] = parts.merges[i];
    table.add_row({std::to_string(parts.vocab[parts.vocab.size() - parts.merges.size() + i].second),
                   readable(left) + " + " + readable(right), readable(left + right)});
  }
  fmt::print("{}", table.text());
}

}  // namespace

std::vector<std::string> read_corpus(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file || std::filesystem::is_directory(path))
    fail(ErrorCode::kMissing, {.where = "--train", .what = "cannot read", .got = "'" + path.string() + "'"});
  std::vector<std::string> texts;
  if (path.extension() != ".jsonl") {
    texts.emplace_back(std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>());
  } else {
    Index number = 0;
    for (std::string line; std::getline(file, line);) {
      const std::string where = fmt::format("{}: line {}", path.string(), ++number);
      const Json json = parse_json(line, where);
      texts.push_back(JsonReader(json, where).at("text").string());
    }
  }
  if (std::ranges::all_of(texts, [](const std::string& text) { return text.empty(); }))
    fail(ErrorCode::kRange, {.where = path.string(), .what = "has no text to learn from"});
  return texts;
}

void write_tokenizer_json(const std::filesystem::path& path, const BpeParts& parts,
                          std::string_view pattern) {
  Json::object_t vocab;
  for (const auto& [token, id] : parts.vocab)
    vocab.push_back({token, id});  // emplace() would search each time
  const Json split = {{"type", "Split"},
                      {"pattern", {{"Regex", find_pattern(pattern)}}},
                      {"behavior", "Isolated"},
                      {"invert", false}};
  const Json byte_level = {
      {"type", "ByteLevel"}, {"add_prefix_space", false}, {"trim_offsets", false}, {"use_regex", false}};
  const Json json = {{"version", "1.0"},
                     {"truncation", nullptr},
                     {"padding", nullptr},
                     {"added_tokens", Json::array()},
                     {"normalizer", {{"type", "NFC"}}},
                     {"pre_tokenizer", {{"type", "Sequence"}, {"pretokenizers", {split, byte_level}}}},
                     {"post_processor", nullptr},
                     {"decoder", byte_level},
                     {"model", {{"type", "BPE"}, {"vocab", vocab}, {"merges", parts.merges}}}};
  write_file(path, [&](std::ostream& out) { out << json.dump(1) << "\n"; });
}

void add_train_options(Options& options, TrainRequest& request) {
  options.add_text("train", request.corpus,
                   "learn merges from this file: plain text, or .jsonl with a \"text\" a line");
  options.add_integer("vocab-size", request.vocab_size, 256, 1000000,
                      "with --train: 256 bytes and the rest merges");
  options.add_text("pattern", request.pattern,
                   "with --train: what cuts words: gpt2, qwen2, llama3, gpt4o or a regular expression");
  options.add_text("out", request.out, "with --train: the tokenizer.json to write");
  options.after_parse([&options, &request] {
    if (options.given("train") && !request.corpus.empty()) return;
    if (options.given("train")) fail(ErrorCode::kUsage, {.where = "--train", .what = "is empty"});
    for (const std::string flag : {"vocab-size", "pattern", "out"})
      if (options.given(flag))
        fail(ErrorCode::kUsage, {.where = "--" + flag, .what = "goes with --train only"});
  });
}

int train_tokenizer(const TrainRequest& request) {
  const std::vector<std::string> texts = read_corpus(request.corpus);
  const Stopwatch clock;
  const BpeParts parts = train_bpe(texts, {.vocab_size = request.vocab_size,
                                           .pattern = find_pattern(request.pattern),
                                           .progress = progress_bar("merges", request.quiet, false)});
  const double train_s = clock.seconds();
  show_first_merges(parts);
  std::fflush(stdout);
  if (!request.out.empty()) write_tokenizer_json(request.out, parts, request.pattern);

  const auto count = static_cast<Index>(texts.size());
  Index bytes = 0;
  for (const std::string& text : texts) bytes += static_cast<Index>(text.size());
  Report report(request.quiet);
  report.title("Training");
  report.line("corpus", fmt::format("{} in {} {}", human_bytes(bytes), human_count(count),
                                    count == 1 ? "text" : "texts"));
  const auto tokens = static_cast<Index>(parts.vocab.size()),
             merges = static_cast<Index>(parts.merges.size());
  report.line("vocabulary",
              fmt::format("{} tokens: 256 bytes and {} merges", human_count(tokens), human_count(merges)));
  if (tokens < request.vocab_size)
    report.line("", "fewer than asked for: no pair of tokens occurs twice any more");
  report.line("time", human_seconds(train_s));
  if (!request.out.empty()) report.line("written", request.out);
  return 0;
}

}  // namespace llm
