#include "chapters/01_tokenizer/trainer.h"

#include <algorithm>
#include <array>
#include <map>
#include <numeric>
#include <utility>

#include "chapters/01_tokenizer/byte_map.h"
#include "chapters/01_tokenizer/known_patterns.h"
#include "common/base/error.h"
#include "common/text/utf8.h"

namespace llm {
namespace {

using Pair = std::pair<Token, Token>;

struct Word {
  std::vector<Token> tokens;
  Index count = 0;
};

// The bytes in the order of their ids: '!' first, since its character is the lowest.
std::array<unsigned char, 256> bytes_by_id() {
  std::array<unsigned char, 256> bytes{};
  std::iota(bytes.begin(), bytes.end(), static_cast<unsigned char>(0));
  std::ranges::sort(bytes, {}, byte_to_character);
  return bytes;
}

std::vector<Word> count_words(std::span<const std::string> texts, std::string_view pattern) {
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
  std::vector<Word> words;
  for (const auto& [text, count] : counts) {
    Word word{{}, count};
    for (const char byte : text) word.tokens.push_back(byte_ids[static_cast<unsigned char>(byte)]);
    words.push_back(std::move(word));
  }
  return words;
}

// The pair to merge next; its count is 0 when there is none.
std::pair<Pair, Index> most_frequent_pair(const std::vector<Word>& words) {
  std::map<Pair, Index> counts;  // in the order of the ids, so that the first of equals wins
  for (const Word& word : words) {
    for (std::size_t i = 0; i + 1 < word.tokens.size(); ++i) {
      counts[{word.tokens[i], word.tokens[i + 1]}] += word.count;
    }
  }
  std::pair<Pair, Index> best{{}, 0};
  for (const auto& [pair, count] : counts) {
    if (count > best.second) best = {pair, count};
  }
  return best;
}

void merge(std::vector<Word>& words, const Pair& pair, Token merged) {
  for (Word& word : words) {
    std::vector<Token>& tokens = word.tokens;
    std::size_t kept = 0;
    for (std::size_t i = 0; i < tokens.size(); ++kept) {
      const bool here = i + 1 < tokens.size() && tokens[i] == pair.first && tokens[i + 1] == pair.second;
      tokens[kept] = here ? merged : tokens[i];
      i += here ? 2 : 1;
    }
    tokens.resize(kept);
  }
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

  std::vector<Word> words = count_words(texts, options.pattern);
  while (static_cast<Index>(spelling.size()) < options.vocab_size) {
    const auto [pair, count] = most_frequent_pair(words);
    if (count < std::max<Index>(options.min_frequency, 1)) break;
    parts.merges.emplace_back(spelling[pair.first], spelling[pair.second]);
    merge(words, pair, static_cast<Token>(spelling.size()));
    add_token(spelling[pair.first] + spelling[pair.second]);
    if (options.progress)
      options.progress(static_cast<Index>(spelling.size()) - kBytes, options.vocab_size - kBytes);
  }
  return parts;
}

}  // namespace llm
