#include "chapters/01_tokenizer/tokenizer_jsonl.h"

#include <array>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "chapters/01_tokenizer/streaming_decoder.h"
#include "common/base/error.h"
#include "common/cli/jsonl.h"
#include "common/io/gguf.h"
#include "common/text/chat_template.h"

namespace llm {
namespace {

constexpr std::array<std::string_view, 9> kFields = {"text",   "add_special_tokens",    "ids",
                                                     "stream", "skip_special_tokens",   "messages",
                                                     "tools",  "add_generation_prompt", "enable_thinking"};

class Server {
 public:
  Server(const Tokenizer& tokenizer, const std::filesystem::path& model)
      : tokenizer_(tokenizer), model_(model) {}

  void answer(const JsonReader& request, JsonWriter& out) {
    const auto text = request.find("text"), ids = request.find("ids"), messages = request.find("messages");
    if (text.has_value() + ids.has_value() + messages.has_value() != 1) {
      fail(ErrorCode::kUsage,
           {.where = request.place(), .what = "expected exactly one of text, ids and messages"});
    }
    out.begin_object();
    if (text) {
      out.field("ids", tokenizer_.encode(text->string(), request.boolean_or("add_special_tokens", true)));
    } else if (messages) {
      out.field("text", render(request, messages->json()));
    } else if (request.boolean_or("stream", false)) {
      out.field("pieces", pieces(read_ids(*ids), request.boolean_or("skip_special_tokens", false)));
    } else {
      out.field("text", tokenizer_.decode(read_ids(*ids), request.boolean_or("skip_special_tokens", false)));
    }
    out.end_object();
  }

 private:
  std::vector<Token> read_ids(const JsonReader& json) const {
    std::vector<Token> ids;
    for (const Index id : json.integers(0, tokenizer_.vocab_size() - 1))
      ids.push_back(static_cast<Token>(id));
    return ids;
  }

  std::vector<std::string> pieces(const std::vector<Token>& ids, bool skip_special_tokens) const {
    StreamingDecoder decoder(tokenizer_, skip_special_tokens);
    std::vector<std::string> pieces;
    for (const Token id : ids) pieces.push_back(decoder.put(id));
    pieces.push_back(decoder.end());
    return pieces;
  }

  std::string render(const JsonReader& request, const Json& messages) {
    if (!template_) template_ = load_template();
    ChatOptions options;
    options.add_generation_prompt = request.boolean_or("add_generation_prompt", false);
    if (const auto thinking = request.find("enable_thinking")) options.enable_thinking = thinking->boolean();
    if (const auto tools = request.find("tools")) options.tools = tools->json().dump();
    return template_->render_json(messages, options);
  }

  ChatTemplate load_template() const {
    if (std::filesystem::is_directory(model_)) return load_chat_template(model_);
    if (model_.extension() == ".json") return load_chat_template(model_.parent_path());
    const GgufFile file(model_);
    SpecialTokens tokens;
    for (const auto* name : {"bos", "eos"}) {
      const std::string key = std::string("tokenizer.ggml.") + name + "_token_id";
      if (!file.has(key)) continue;
      const std::string* token =
          tokenizer_.id_to_token(static_cast<Token>(file.integer(key, 0, BpeModel::kMaxTokens)));
      if (token != nullptr) tokens.emplace_back(std::string(name) + "_token", *token);
    }
    return ChatTemplate(std::string(file.string("tokenizer.chat_template")), tokens);
  }

  const Tokenizer& tokenizer_;
  const std::filesystem::path& model_;
  std::optional<ChatTemplate> template_;
};

}  // namespace

int serve_tokenizer(const Tokenizer& tokenizer, const std::filesystem::path& model, std::istream& in,
                    std::ostream& out) {
  Server server(tokenizer, model);
  return serve_json_lines(in, out, kFields, [&](const JsonReader& request, JsonWriter& answer) {
    server.answer(request, answer);
  });
}

}  // namespace llm
