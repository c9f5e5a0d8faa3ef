#include "chapters/01_tokenizer/tokenizer_json.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "chapters/01_tokenizer/tokenizer_components.h"
#include "common/base/error.h"
#include "common/io/json.h"

namespace llm {
namespace {

// Vocabulary and merges are walked directly: a reader for each of 300,000 entries would take longer than the
// rest.
std::vector<std::pair<std::string, Token>> read_vocab(const JsonReader& vocab) {
  vocab.expect_object();
  std::vector<std::pair<std::string, Token>> entries;
  entries.reserve(vocab.json().size());
  for (const auto& [text, id] : vocab.json().items()) {
    if (!id.is_number_integer() || id < 0 || id >= BpeModel::kMaxTokens) {
      fail(ErrorCode::kRange, {.where = vocab.place(),
                               .what = "the id of token '" + text + "' is",
                               .got = id.dump(),
                               .expected = fmt::format("an integer from 0 to {}", BpeModel::kMaxTokens - 1)});
    }
    entries.emplace_back(text, id.get<Token>());
  }
  return entries;
}

// A merge is ["a", "b"] or, in older files, "a b".
std::pair<std::string, std::string> read_merge(const Json& merge, const std::string& place) {
  if (merge.is_array() && merge.size() == 2 && merge[0].is_string() && merge[1].is_string()) {
    return {merge[0].get_ref<const std::string&>(), merge[1].get_ref<const std::string&>()};
  }
  if (merge.is_string()) {
    const auto& text = merge.get_ref<const std::string&>();
    const std::size_t blank = text.find(' ');
    if (blank != std::string::npos && text.find(' ', blank + 1) == std::string::npos) {
      return {text.substr(0, blank), text.substr(blank + 1)};
    }
  }
  fail(ErrorCode::kFormat, {.where = place,
                            .what = "the merge is",
                            .got = merge.dump(-1, ' ', true).substr(0, 80),
                            .expected = "two tokens, [\"a\", \"b\"] or \"a b\""});
}

std::vector<std::pair<std::string, std::string>> read_merges(const JsonReader& merges) {
  merges.expect_array();
  std::vector<std::pair<std::string, std::string>> pairs;
  pairs.reserve(merges.json().size());
  for (const Json& merge : merges.json()) {
    if (merge.is_string() && merge.get_ref<const std::string&>().starts_with("#version")) continue;
    pairs.push_back(read_merge(merge, fmt::format("{}[{}]", merges.place(), pairs.size())));
  }
  return pairs;
}

BpeParts read_model(const JsonReader& model) {
  if (model.string_or("type", "BPE") != "BPE") fail_unsupported(model, "model", "BPE");
  if (model.number_or("dropout", 0) != 0) {
    fail(ErrorCode::kUnsupported, {.where = model.place() + ".dropout",
                                   .what = "merges that are left out at random are not supported: got",
                                   .got = model.at("dropout").json().dump(),
                                   .expected = "null or 0"});
  }
  BpeParts parts;
  parts.vocab = read_vocab(model.at("vocab"));
  parts.merges = read_merges(model.at("merges"));
  if (const auto unk = model.find("unk_token")) parts.unk_token = unk->string();
  parts.continuing_subword_prefix = model.string_or("continuing_subword_prefix", "");
  parts.end_of_word_suffix = model.string_or("end_of_word_suffix", "");
  parts.fuse_unk = model.boolean_or("fuse_unk", false);
  parts.byte_fallback = model.boolean_or("byte_fallback", false);
  parts.ignore_merges = model.boolean_or("ignore_merges", false);
  return parts;
}

std::vector<AddedToken> read_added_tokens(const JsonReader& list) {
  std::vector<AddedToken> tokens;
  for (Index i = 0; i < list.size(); ++i) {
    const JsonReader entry = list.at(i);
    AddedToken token;
    token.content = entry.at("content").string();
    entry.at("id").integer(0, BpeModel::kMaxTokens - 1);
    token.special = entry.boolean_or("special", false);
    token.single_word = entry.boolean_or("single_word", false);
    token.lstrip = entry.boolean_or("lstrip", false);
    token.rstrip = entry.boolean_or("rstrip", false);
    token.normalized = entry.boolean_or("normalized", !token.special);
    tokens.push_back(std::move(token));
  }
  return tokens;
}

void read_limits(const JsonReader& root, PostProcessor& post_processor) {
  constexpr Index kMost = Index{1} << 40;
  if (const auto truncation = root.find("truncation")) {
    post_processor.truncation = Truncation{truncation->at("max_length").integer(0, kMost),
                                           truncation->string_or("direction", "Right") == "Left"};
  }
  if (const auto padding = root.find("padding")) {
    Padding pad;
    const JsonReader strategy = padding->at("strategy");
    if (strategy.is_object()) pad.length = strategy.at("Fixed").integer(0, kMost);
    pad.multiple_of = padding->integer_or("pad_to_multiple_of", 0, 0, kMost);
    pad.pad_id = static_cast<Token>(padding->integer_or("pad_id", 0, 0, BpeModel::kMaxTokens - 1));
    pad.on_left = padding->string_or("direction", "Right") == "Left";
    post_processor.padding = pad;
  }
}

}  // namespace

TokenizerParts load_tokenizer_parts(const std::filesystem::path& path) {
  const std::filesystem::path file = std::filesystem::is_directory(path) ? path / "tokenizer.json" : path;
  const Json json = read_json_file(file);
  const JsonReader root(json, file.string());
  const JsonReader model = root.at("model");
  const auto pre_tokenizer = root.find("pre_tokenizer");

  TokenizerParts parts;
  if (const auto added = root.find("added_tokens")) parts.added_tokens = read_added_tokens(*added);
  if (const auto normalizer = root.find("normalizer")) parts.normalizer = read_normalizer(*normalizer);
  BpeParts bpe = read_model(model);
  const bool bytes = pre_tokenizer && ends_in_byte_level(*pre_tokenizer) &&
                     bpe.continuing_subword_prefix.empty() && bpe.end_of_word_suffix.empty();
  if (pre_tokenizer) parts.pre_tokenizer = read_pre_tokenizer(*pre_tokenizer, bytes);
  parts.model = std::make_unique<BpeModel>(std::move(bpe), bytes, file.string());
  if (const auto post = root.find("post_processor")) read_post_processor(*post, parts.post_processor);
  read_limits(root, parts.post_processor);
  if (const auto decoder = root.find("decoder")) read_decoder(*decoder, parts.decoder);
  return parts;
}

}  // namespace llm
