#include "chapters/07_sampling/sequence_bias.h"

#include <algorithm>

#include "common/base/error.h"

namespace llm {
namespace {

void expect_tokens(const std::vector<Token>& ids, const char* field) {
  if (ids.empty())
    fail(ErrorCode::kUsage,
         {.where = field, .what = "a sequence without tokens", .expected = "at least one"});
}

// Whether the sequence's next token would be its last one.
bool is_next(std::span<const Token> sequence, std::span<const Token> input_ids) {
  // --8<-- [start:ex07-7]
  const std::size_t before = sequence.size() - 1;
  if (input_ids.size() < before) return false;
  return std::ranges::equal(sequence.first(before), input_ids.last(before));
  // --8<-- [end:ex07-7]
}

}  // namespace

SequenceBiasProcessor::SequenceBiasProcessor(std::vector<SequenceBias> biases) {
  for (SequenceBias& entry : biases) {
    expect_tokens(entry.ids, "sequence_bias");
    const auto same = std::ranges::find(biases_, entry.ids, &SequenceBias::ids);
    if (same == biases_.end())
      biases_.push_back(std::move(entry));
    else
      same->bias = entry.bias;
  }
}

void SequenceBiasProcessor::process(std::span<const Token> input_ids, View<float, 1> scores) const {
  for (const SequenceBias& entry : biases_)
    if (is_next(entry.ids, input_ids) && entry.ids.back() < scores.size())
      scores[entry.ids.back()] += static_cast<float>(entry.bias);
}

BadWords::BadWords(std::vector<std::vector<Token>> words, std::span<const Token> eos_token_id) {
  for (std::vector<Token>& word : words) {
    expect_tokens(word, "bad_words_ids");
    if (word.size() == 1 && std::ranges::count(eos_token_id, word[0])) continue;
    words_.push_back(std::move(word));
  }
}

void BadWords::process(std::span<const Token> input_ids, View<float, 1> scores) const {
  for (const std::vector<Token>& word : words_)
    if (is_next(word, input_ids)) ban(scores, word.back());
}

}  // namespace llm
