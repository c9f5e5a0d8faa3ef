#include "chapters/07_sampling/no_repeat_ngram.h"

#include <algorithm>

#include "common/base/error.h"

namespace llm {
namespace {

std::size_t checked_size(const char* field, Index n) {
  if (n < 1)
    fail(ErrorCode::kRange,
         {.where = field, .what = "got", .got = std::to_string(n), .expected = "an integer of at least 1"});
  return static_cast<std::size_t>(n);
}

// The last n - 1 tokens of input_ids are the beginning. Wherever `text` has it too, what follows there is
// banned.
void ban_completions(std::size_t n, std::span<const Token> text, std::span<const Token> input_ids,
                     View<float, 1> scores) {
  // --8<-- [start:ex07-6]
  if (input_ids.size() + 1 < n) return;
  const std::span<const Token> beginning = input_ids.last(n - 1);
  for (std::size_t i = 0; i + n <= text.size(); ++i)
    if (std::ranges::equal(text.subspan(i, n - 1), beginning)) ban(scores, text[i + n - 1]);
  // --8<-- [end:ex07-6]
}

}  // namespace

NoRepeatNgram::NoRepeatNgram(Index n) : n_(checked_size("no_repeat_ngram_size", n)) {}

void NoRepeatNgram::process(std::span<const Token> input_ids, View<float, 1> scores) const {
  ban_completions(n_, input_ids, input_ids, scores);
}

EncoderNoRepeatNgram::EncoderNoRepeatNgram(Index n, Index prompt_length)
    : n_(checked_size("encoder_no_repeat_ngram_size", n)),
      prompt_length_(static_cast<std::size_t>(prompt_length)) {}

void EncoderNoRepeatNgram::process(std::span<const Token> input_ids, View<float, 1> scores) const {
  ban_completions(n_, input_ids.first(std::min(prompt_length_, input_ids.size())), input_ids, scores);
}

}  // namespace llm
