#include "chapters/01_tokenizer/tokenizer.h"

#include <algorithm>
#include <mutex>

#include "chapters/01_tokenizer/byte_map.h"
#include "chapters/01_tokenizer/gguf_tokenizer.h"
#include "chapters/01_tokenizer/tokenizer_json.h"
#include "common/io/gguf.h"
#include "common/text/utf8.h"

namespace llm {
namespace {

// What threads that encode at the same time remember from word to word: taken from here and put back.
class StatePool {
 public:
  std::unique_ptr<BpeState> take() {
    const std::lock_guard lock(mutex_);
    if (idle_.empty()) return std::make_unique<BpeState>();
    std::unique_ptr<BpeState> state = std::move(idle_.back());
    idle_.pop_back();
    return state;
  }

  void give_back(std::unique_ptr<BpeState> state) {
    const std::lock_guard lock(mutex_);
    idle_.push_back(std::move(state));
  }

 private:
  std::mutex mutex_;
  std::vector<std::unique_ptr<BpeState>> idle_;
};

}  // namespace

struct Tokenizer::State {
  TokenizerParts parts;
  AddedTokens added;
  mutable StatePool states;

  // Calls word(text, added token or -1) for every word and added token of the text.
  void for_each_word(std::string_view text, FunctionRef<void(std::string_view, Token)> word) const;
  void cut_normalized(const NormalizedText& text, FunctionRef<void(std::string_view, Token)> word) const;
};

// --8<-- [start:words]
void Tokenizer::State::for_each_word(std::string_view text,
                                     FunctionRef<void(std::string_view, Token)> word) const {
  added.split(text, false, [&](Index begin, Index end, Token id) {
    const std::string_view part = text.substr(begin, end - begin);
    if (id >= 0) return word(part, id);
    NormalizedText normalized{std::string(part), 0};
    if (begin == 0) normalized.from_start_bytes = decode_code_point(text, 0).length;
    if (parts.normalizer) parts.normalizer->apply(normalized);
    cut_normalized(normalized, word);
  });
}

void Tokenizer::State::cut_normalized(const NormalizedText& text,
                                      FunctionRef<void(std::string_view, Token)> word) const {
  const Piece whole{text.text, text.from_start_bytes};
  added.split(text.text, true, [&](Index begin, Index end, Token id) {
    const Piece piece = whole.part(begin, end);
    if (id >= 0) return word(piece.text, id);
    if (!parts.pre_tokenizer) return word(piece.text, -1);
    parts.pre_tokenizer->cut(piece, [&](const Piece& part) { word(part.text, -1); });
  });
}
// --8<-- [end:words]

Tokenizer::Tokenizer(TokenizerParts parts) : state_(std::make_unique<State>()) {
  state_->parts = std::move(parts);
  const BpeModel& model = *state_->parts.model;
  const auto model_id = [&](const std::string& token) { return model.vocab().find(token); };
  const auto normalize = [this](const std::string& content) {
    NormalizedText text{content, 0};
    if (state_->parts.normalizer) state_->parts.normalizer->apply(text);
    return text.text;
  };
  state_->added.add(state_->parts.added_tokens, model.vocab().size(), model_id, normalize);
}

Tokenizer::Tokenizer(Tokenizer&&) noexcept = default;
Tokenizer& Tokenizer::operator=(Tokenizer&&) noexcept = default;
Tokenizer::~Tokenizer() = default;

Tokenizer Tokenizer::load(const std::filesystem::path& path) {
  if (path.extension() != ".gguf") return Tokenizer(load_tokenizer_parts(path));
  return Tokenizer(make_gguf_tokenizer(read_gguf_vocabulary(GgufFile(path)), path.string()));
}

// --8<-- [start:encode]
std::vector<Token> Tokenizer::encode(std::string_view text, bool add_special_tokens) const {
  std::string repaired;
  if (!is_valid_utf8(text)) text = repaired = from_utf8_lossy(text);
  std::unique_ptr<BpeState> memory = state_->states.take();
  std::vector<Token> ids;
  state_->for_each_word(text, [&](std::string_view word, Token added_token) {
    if (added_token >= 0) return ids.push_back(added_token);
    state_->parts.model->encode(word, ids, *memory);
  });
  state_->states.give_back(std::move(memory));
  return state_->parts.post_processor.apply(std::move(ids), add_special_tokens);
}
// --8<-- [end:encode]

std::string Tokenizer::decode(std::span<const Token> ids, bool skip_special_tokens) const {
  DecoderChain chain(&state_->parts.decoder, false);
  std::string text;
  for (const Token id : ids) {
    const std::string* token = id_to_token(id);
    if (token == nullptr || (skip_special_tokens && is_special(id))) continue;
    text += chain.put(*token);
  }
  return text + chain.end();
}

Index Tokenizer::vocab_size() const {
  return std::max(state_->parts.model->vocab().max_id(), state_->added.max_id()) + 1;
}

bool Tokenizer::is_special(Token id) const {
  const std::string* token = id_to_token(id);
  return token != nullptr && state_->added.is_special(*token);
}

std::optional<Token> Tokenizer::token_to_id(std::string_view token) const {
  const auto added = state_->added.find_id(token);
  return added ? added : state_->parts.model->vocab().find(token);
}

const std::string* Tokenizer::id_to_token(Token id) const {
  const std::string* added = state_->added.find(id);
  return added != nullptr ? added : state_->parts.model->vocab().text(id);
}

std::string Tokenizer::token_bytes(Token id) const {
  const std::string* token = id_to_token(id);
  if (token == nullptr) return {};
  std::string bytes = *token;
  if (state_->added.find(id) != nullptr) return bytes;
  for (const DecoderPtr& step : state_->parts.decoder) bytes = step->token_bytes(std::move(bytes));
  return bytes;
}

const std::map<Token, AddedToken>& Tokenizer::added_tokens() const { return state_->added.by_id(); }

std::vector<ExplainedWord> Tokenizer::explain(std::string_view text) const {
  const std::string valid = from_utf8_lossy(text);
  const BpeModel& model = *state_->parts.model;
  BpeState memory;
  std::vector<ExplainedWord> words;
  state_->for_each_word(valid, [&](std::string_view word, Token added_token) {
    ExplainedWord explained;
    explained.text = word;
    if (added_token >= 0) {
      explained.added_token = added_token;
      explained.tokens = {added_token};
    } else {
      explained.symbols = model.symbols(word);
      explained.steps = model.merge_steps(word);
      model.encode(word, explained.tokens, memory);
    }
    words.push_back(std::move(explained));
  });
  return words;
}

const std::vector<DecoderPtr>& Tokenizer::decoder() const { return state_->parts.decoder; }

}  // namespace llm
