#include "chapters/02_naive_loop/tokenizer_fit.h"

#include <fmt/format.h>

#include <algorithm>

#include <nlohmann/json.hpp>

#include "common/base/error.h"
#include "common/io/json.h"

namespace llm {
namespace {

// The tokenizer classes of transformers that belong to some families only. Others are used by many
// (PreTrainedTokenizerFast, GPT2Tokenizer, and LlamaTokenizerFast for models distilled into Qwen2).
struct ClassOfFamily {
  std::string_view tokenizer_class;  // also with "Fast" behind it
  std::vector<std::string_view> model_types;
};

const ClassOfFamily kClasses[] = {
    {"Qwen2Tokenizer", {"qwen2", "qwen3"}},
    {"GemmaTokenizer", {}},
};

bool is_class_of_another(std::string_view tokenizer_class, const std::string& model_type) {
  for (const auto& [name, model_types] : kClasses) {
    if (tokenizer_class != name && tokenizer_class != std::string(name) + "Fast") continue;
    return std::find(model_types.begin(), model_types.end(), model_type) == model_types.end();
  }
  return false;
}

}  // namespace

std::string tokenizer_class_of(const std::filesystem::path& folder) {
  const std::filesystem::path file = folder / "tokenizer_config.json";
  if (!std::filesystem::exists(file)) return "";
  const Json json = read_json_file(file);
  return JsonReader(json, file.string()).string_or("tokenizer_class", "");
}

std::vector<std::string> check_tokenizer_fit(const std::string& name, const ModelConfig& config,
                                             const Tokenizer& tokenizer, const std::string& tokenizer_class) {
  const Index known = tokenizer.vocab_size(), rows = config.vocab_size;
  if (known > rows)
    fail(ErrorCode::kMismatch, {.where = name,
                                .what = "the tokenizer's ids reach to",
                                .got = std::to_string(known - 1),
                                .expected = fmt::format("at most {} (vocab_size {})", rows - 1, rows),
                                .remedy = "model and tokenizer do not belong together"});
  std::vector<std::string> warnings;
  const auto warn = [&](const std::string& sign) {
    warnings.push_back(fmt::format("{}: {}; is this the model's own tokenizer?", name, sign));
  };
  if (is_class_of_another(tokenizer_class, config.model_type))
    warn(fmt::format("the tokenizer is a {} and the model a {}", tokenizer_class, config.model_type));
  for (const Token id : config.eos_token_id)
    if (!tokenizer.is_special(id))
      warn(fmt::format("the model ends a text with id {}, which is {} of the tokenizer", id,
                       tokenizer.is_token(id) ? "an ordinary token" : "no token"));
  if (known < rows - rows / 10)
    warn(fmt::format("the tokenizer has {} ids and the model {} rows for them", known, rows));
  return warnings;
}

}  // namespace llm
