#include "chapters/01_tokenizer/trainer.h"

#include <algorithm>
#include <array>
#include <map>
#include <numeric>
#include <utility>

#include "chapters/01_tokenizer/byte_map.h"
#include "chapters/01_tokenizer/known_patterns.h"
#include "chapters/01_tokenizer/pair_merging.h"
#include "common/base/error.h"
#include "common/text/utf8.h"

namespace llm {
namespace {

// The bytes in the order of their ids: '!' first, since its character is the lowest.
std::array<unsigned char, 256> bytes_by_id() {
  std::array<unsigned char, 256> bytes{};
  std::iota(bytes.begin(), bytes.end(), static_cast<unsigned char>(0));
  std::ranges::sort(bytes, {}, byte_to_character);
  return bytes;
}

std::vector<TrainingWord> count_words(std::span<const std::string> texts, std::string_view pattern) {
  const auto matcher =
      make_pattern_matcher(pattern.empty() ? kGpt2Pattern : pattern, "the trainer's pattern");
  std::map<std::string, Index> counts;
  for (const std::string& text : texts) {
    const std::string valid = from_utf8_lossy(text);
    matcher->for_each_match(valid,
                            [&](Index begin, Index end) { ++counts[valid.substr(begin, end - begin)]; });
  }
  std::array<Token, 256> byte_ids{};
  const auto bytes = bytes_by_id();
  for (std::size_t id = 0; id < bytes.size(); ++id) byte_ids[bytes[id]] = static_cast<Token>(id);
  std::vector<TrainingWord> words;
  for (const auto& [text, count] : counts) {
    TrainingWord word{{}, count};
    for (const char byte : text) word.tokens.push_back(byte_ids[static_cast<unsigned char>(byte)]);
    words.push_back(std::move(word));
  }
  return words;
}

}  // namespace

BpeParts train_bpe(std::span<const std::string> texts, const TrainerOptions& options) {
  constexpr Index kBytes = 256;
  if (options.vocab_size < kBytes) {
    fail(ErrorCode::kRange, {.where = "vocab_size",
                             .what = "is",
                             .got = std::to_string(options.vocab_size),
                             .expected = "256 or more, one token for each byte"});
  }
  BpeParts parts;
  std::vector<std::string> spelling;
  const auto add_token = [&](std::string text) {
    parts.vocab.emplace_back(text, static_cast<Token>(spelling.size()));
    spelling.push_back(std::move(text));
  };
  for (const unsigned char byte : bytes_by_id())
    add_token(bytes_to_characters(std::string(1, static_cast<char>(byte))));

  std::vector<TrainingWord> words = count_words(texts, options.pattern);
  // --8<-- [start:train_loop]
  while (static_cast<Index>(spelling.size()) < options.vocab_size) {
    const auto pair = merge_most_frequent(words, std::max<Index>(options.min_frequency, 1),
                                          static_cast<Token>(spelling.size()));
    if (!pair) break;
    parts.merges.emplace_back(spelling[pair->first], spelling[pair->second]);
    add_token(spelling[pair->first] + spelling[pair->second]);
    if (options.progress)
      options.progress(static_cast<Index>(spelling.size()) - kBytes, options.vocab_size - kBytes);
  }
  // --8<-- [end:train_loop]
  return parts;
}

}  // namespace llm
