#include "chapters/02_naive_loop/open_model.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "chapters/02_naive_loop/tokenizer_fit.h"
#include "common/base/error.h"
#include "common/cli/model_path.h"
#include "common/cli/progress.h"
#include "common/config/known_shapes.h"
#include "common/config/tensor_specs.h"

namespace llm {
namespace {

constexpr std::uint64_t kRandomSeed = 1;
constexpr const char* kTokenizerOfRandomModels = "storyteller";

void open_random(const std::string& shape, bool quiet, OpenModel& model) {
  model.random = true;
  model.config = random_config(shape);
  model.checkpoint =
      Checkpoint::random(tensor_specs(model.config), kRandomSeed, progress_bar("random weights", quiet));
  model.path = find_model(kTokenizerOfRandomModels).path;
  model.tokenizer = std::make_shared<Tokenizer>(Tokenizer::load(model.path));
}

void open_file(OpenModel& model) {
  model.checkpoint = Checkpoint::open(model.path);
  if (const GgufFile* gguf = model.checkpoint->gguf()) {
    model.config = model_config_from_gguf(*gguf);
    model.generation_config = generation_config_from_model(model.config);
  } else {
    if (!std::filesystem::is_directory(model.path)) model.path = model.path.parent_path();
    model.config = load_model_config(model.path);
    model.generation_config = load_generation_config(model.path, model.config);
  }
  model.tokenizer = std::make_shared<Tokenizer>(Tokenizer::load(model.path));
}

}  // namespace

OpenModel open_model(const std::string& name, bool quiet) {
  OpenModel model;
  model.name = name;
  const ModelSource source = find_model(name);
  if (source.is_random()) {
    open_random(source.random_name, quiet, model);
  } else {
    model.path = source.path;
    open_file(model);
  }
  model.warnings = model.config.warnings;
  const bool own_tokenizer = !model.random;  // a random model borrows the storyteller's
  const auto signs = check_tokenizer_fit(name, model.config, *model.tokenizer,
                                         own_tokenizer ? tokenizer_class_of(model.folder()) : "");
  if (own_tokenizer) model.warnings.insert(model.warnings.end(), signs.begin(), signs.end());
  return model;
}

std::filesystem::path OpenModel::folder() const {
  return std::filesystem::is_directory(path) ? path : path.parent_path();
}

ChatTemplate OpenModel::chat_template(std::string_view choice) const {
  const GgufFile* gguf = checkpoint->gguf();
  if (gguf == nullptr) return load_chat_template(path, choice);
  if (!choice.empty() || !gguf->has("tokenizer.chat_template")) return load_chat_template(folder(), choice);
  SpecialTokens tokens;
  for (const std::string part : {"bos", "eos"}) {
    const Index id = gguf->integer_or("tokenizer.ggml." + part + "_token_id", -1);
    if (const std::string* token = tokenizer->id_to_token(static_cast<Token>(id)))
      tokens.emplace_back(part + "_token", *token);
  }
  return {std::string(gguf->string("tokenizer.chat_template")), std::move(tokens)};
}

GenerationConfig merge_with_model(const OpenModel& model, const GenerationConfig& asked,
                                  std::span<const std::string_view> honoured, bool no_model_config) {
  const GenerationConfig own =
      no_model_config ? GenerationConfig{} : keep_honoured(model.generation_config, honoured);
  GenerationConfig config = merge(asked, own);
  expect_ids_below(config, model.config.vocab_size, model.name);
  return config;
}

std::vector<Token> encode_prompt(const OpenModel& model, std::string_view text) {
  std::vector<Token> ids = model.tokenizer->encode(text);
  if (ids.empty())
    fail(ErrorCode::kUsage,
         {.where = "prompt", .what = "is empty", .remedy = "give the model a word to begin with"});
  return ids;
}

std::vector<Token> encode_chat(const OpenModel& model, const Json& messages,
                               const ChatTemplate& chat_template) {
  ChatOptions options;
  options.add_generation_prompt = true;
  return model.tokenizer->encode(chat_template.render_json(messages, options),
                                 chat_template.wants_special_tokens());
}

}  // namespace llm
