// The parts of a tokenizer.
#include <nlohmann/json.hpp>

#include "chapters/01_tokenizer/tokenizer.h"
#include "common/base/error.h"
#include "common/text/chat_template.h"
#include "tests/inspect/inspection.h"

namespace llm {
namespace {

// "Sequence(Prepend, Replace)": the types of a component and of those inside it.
std::string component_text(const Json& component) {
  if (!component.is_object() || !component.contains("type")) return "none";
  std::string text = component["type"].get<std::string>();
  for (const char* list : {"normalizers", "pretokenizers", "processors", "decoders"}) {
    if (!component.contains(list)) continue;
    std::string inner;
    for (const Json& part : component[list]) inner += (inner.empty() ? "" : ", ") + component_text(part);
    text += "(" + inner + ")";
  }
  return text;
}

void check_vocab_size(const Tokenizer& tokenizer, std::optional<Index> vocab_size, const std::string& where) {
  if (!vocab_size || tokenizer.vocab_size() <= *vocab_size) return;
  fail(ErrorCode::kMismatch, {.where = where,
                              .what = "the tokenizer's ids reach to",
                              .got = std::to_string(tokenizer.vocab_size() - 1),
                              .expected = "at most " + std::to_string(*vocab_size - 1) + " (vocab_size " +
                                          std::to_string(*vocab_size) + ")",
                              .remedy = "model and tokenizer do not belong together"});
}

std::string special_tokens_text(const Tokenizer& tokenizer) {
  std::string text;
  Index special = 0;
  constexpr Index kShown = 8;
  for (const auto& [id, token] : tokenizer.added_tokens()) {
    if (!token.special || ++special > kShown) continue;
    text += (text.empty() ? "" : ", ") + token.content + " = " + std::to_string(id);
  }
  if (special > kShown) text += ", and " + std::to_string(special - kShown) + " more";
  return text.empty() ? "none" : text;
}

}  // namespace

Facts tokenizer_facts(const std::filesystem::path& file, std::optional<Index> vocab_size) {
  const Tokenizer tokenizer = Tokenizer::load(file);
  check_vocab_size(tokenizer, vocab_size, file.string());
  const Json json = read_json_file(file);
  const Json& model = json["model"];
  const auto part = [&](const char* name) {
    return json.contains(name) ? component_text(json[name]) : "none";
  };
  return {{"model", component_text(model)},
          {"ids", tokenizer.vocab_size()},
          {"vocabulary", static_cast<Index>(model["vocab"].size())},
          {"merges", static_cast<Index>(model.contains("merges") ? model["merges"].size() : 0)},
          {"added tokens", static_cast<Index>(tokenizer.added_tokens().size())},
          {"special tokens", special_tokens_text(tokenizer)},
          {"normalizer", part("normalizer")},
          {"pre_tokenizer", part("pre_tokenizer")},
          {"post_processor", part("post_processor")},
          {"decoder", part("decoder")}};
}

Facts tokenizer_facts(const GgufFile& gguf, std::optional<Index> vocab_size) {
  Facts facts;
  const std::string model(gguf.string_or("tokenizer.ggml.model", "none"));
  if (model == "none" || model == "no_vocab") return facts;  // ids only, as llama.cpp has it
  const Tokenizer tokenizer = Tokenizer::load(gguf.file()->name());
  check_vocab_size(tokenizer, vocab_size, gguf.file()->name());
  const auto count = [&](const char* key) {
    return static_cast<Index>(gguf.has(key) ? gguf.strings(key).size() : 0);
  };
  facts.emplace_back("model", model);
  facts.emplace_back("ids", tokenizer.vocab_size());
  facts.emplace_back("vocabulary", count("tokenizer.ggml.tokens"));
  facts.emplace_back("merges", count("tokenizer.ggml.merges"));
  facts.emplace_back("special tokens", special_tokens_text(tokenizer));
  facts.emplace_back("pre_tokenizer", std::string(gguf.string_or("tokenizer.ggml.pre", "none")));
  return facts;
}

Facts tokenizer_config_facts(const JsonReader& config) {
  config.expect_object();
  Facts facts;
  facts.emplace_back("class", config.string_or("tokenizer_class", "not named"));
  for (const auto& [name, text] : special_tokens_of(config.json())) facts.emplace_back(name, text);
  const auto chat = config.find("chat_template");
  if (!chat) {
    facts.emplace_back("chat template", "none");
  } else if (chat->is_string()) {
    facts.emplace_back("chat template", std::to_string(chat->string().size()) + " bytes");
  } else {
    chat->expect_array();
    for (Index i = 0; i < chat->size(); ++i)
      facts.emplace_back("chat template '" + chat->at(i).at("name").string() + "'",
                         std::to_string(chat->at(i).at("template").string().size()) + " bytes");
  }
  return facts;
}

}  // namespace llm
