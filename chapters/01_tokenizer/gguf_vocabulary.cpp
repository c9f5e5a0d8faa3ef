#include "chapters/01_tokenizer/gguf_tokenizer.h"
#include "common/io/gguf.h"

namespace llm {
namespace {

std::string key(std::string_view name) { return "tokenizer.ggml." + std::string(name); }

std::vector<std::string> read_strings(const GgufFile& file, std::string_view name) {
  if (!file.has(key(name))) return {};
  const std::vector<std::string_view> views = file.strings(key(name));
  return {views.begin(), views.end()};
}

std::optional<Token> read_id(const GgufFile& file, std::string_view name) {
  if (!file.has(key(name))) return std::nullopt;
  return static_cast<Token>(file.integer(key(name), 0, BpeModel::kMaxTokens - 1));
}

std::optional<bool> read_flag(const GgufFile& file, std::string_view name) {
  if (!file.has(key(name))) return std::nullopt;
  return file.boolean(key(name));
}

}  // namespace

GgufVocabulary read_gguf_vocabulary(const GgufFile& file) {
  GgufVocabulary vocabulary;
  vocabulary.model = file.string(key("model"));
  vocabulary.pre = file.string_or(key("pre"), "");
  const std::vector<std::string_view> tokens = file.strings(key("tokens"));
  vocabulary.tokens.assign(tokens.begin(), tokens.end());
  vocabulary.merges = read_strings(file, "merges");
  if (file.has(key("token_type"))) vocabulary.token_types = file.integers(key("token_type"));
  if (file.has(key("scores"))) vocabulary.scores = file.numbers(key("scores"));
  vocabulary.bos_token_id = read_id(file, "bos_token_id");
  vocabulary.eos_token_id = read_id(file, "eos_token_id");
  vocabulary.unknown_token_id = read_id(file, "unknown_token_id");
  vocabulary.padding_token_id = read_id(file, "padding_token_id");
  vocabulary.add_bos_token = read_flag(file, "add_bos_token");
  vocabulary.add_eos_token = read_flag(file, "add_eos_token");
  vocabulary.add_space_prefix = read_flag(file, "add_space_prefix").value_or(true);
  return vocabulary;
}

}  // namespace llm
