#include "chapters/01_tokenizer/gguf_tokenizer.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>
#include <tuple>
#include <unordered_map>

#include "chapters/01_tokenizer/known_patterns.h"
#include "chapters/01_tokenizer/unicode_data.h"
#include "common/base/error.h"
#include "common/text/utf8.h"

namespace llm {
namespace {

constexpr std::string_view kMetaspace = "\u2581";
constexpr auto kNormal = static_cast<Index>(GgufTokenType::kNormal);

// How a named pre-tokenizer cuts text: numbers first, where they are cut apart, then by a pattern.
struct KnownPreTokenizer {
  std::string_view name;
  std::string_view pattern;
  bool digits_alone = false;
  bool nfc = false;            // the family's own tokenizer.json normalises
  bool ignore_merges = false;  // and takes words that are tokens as they are
};

constexpr std::array<KnownPreTokenizer, 11> kPreTokenizers = {{
    {"", kGpt2Pattern},
    {"default", kGpt2Pattern},
    {"gpt-2", kGpt2Pattern},
    {"smollm", kGpt2Pattern, true},
    {"starcoder", kGpt2Pattern, true},
    {"qwen2", kQwen2Pattern, false, true},
    {"llama-bpe", kLlama3Pattern, false, false, true},
    {"llama3", kLlama3Pattern, false, false, true},
    {"llama-v3", kLlama3Pattern, false, false, true},
    {"gpt-4o", kGpt4oPattern},
    {"llama4", kGpt4oPattern},
}};

const KnownPreTokenizer& find_pre_tokenizer(const std::string& name, const std::string& where) {
  std::string names;
  for (const KnownPreTokenizer& known : kPreTokenizers) {
    if (known.name == name) return known;
    if (!known.name.empty()) names += (names.empty() ? "" : ", ") + std::string(known.name);
  }
  fail(ErrorCode::kUnsupported, {.where = where + ": tokenizer.ggml.pre",
                                 .what = "the pre-tokenizer",
                                 .got = "'" + name + "' is not supported",
                                 .expected = "one of " + names});
}

void check(const GgufVocabulary& vocabulary, const std::string& where) {
  const auto count = static_cast<Index>(vocabulary.tokens.size());
  if (count == 0 || count > BpeModel::kMaxTokens) {
    fail(ErrorCode::kFormat, {.where = where + ": tokenizer.ggml.tokens",
                              .what = fmt::format("{} tokens,", count),
                              .expected = fmt::format("1 to {}", BpeModel::kMaxTokens)});
  }
  const auto check_length = [&](std::string_view key, std::size_t length) {
    if (length == 0 || static_cast<Index>(length) == count) return;
    fail(ErrorCode::kFormat, {.where = fmt::format("{}: tokenizer.ggml.{}", where, key),
                              .what = fmt::format("{} entries,", length),
                              .expected = fmt::format("{}, one a token", count)});
  };
  check_length("token_type", vocabulary.token_types.size());
  check_length("scores", vocabulary.scores.size());
  const auto check_id = [&](std::string_view key, const std::optional<Token>& id) {
    if (!id || (*id >= 0 && *id < count)) return;
    fail(ErrorCode::kRange, {.where = fmt::format("{}: tokenizer.ggml.{}", where, key),
                             .what = "the id is",
                             .got = std::to_string(*id),
                             .expected = fmt::format("0 to {}", count - 1)});
  };
  check_id("bos_token_id", vocabulary.bos_token_id);
  check_id("eos_token_id", vocabulary.eos_token_id);
  check_id("unknown_token_id", vocabulary.unknown_token_id);
  check_id("padding_token_id", vocabulary.padding_token_id);
}

// Control tokens are special, tokens that a user defined are found in the text as well.
std::vector<AddedToken> added_tokens(const GgufVocabulary& vocabulary) {
  std::vector<AddedToken> added;
  for (std::size_t id = 0; id < vocabulary.token_types.size(); ++id) {
    const auto type = static_cast<GgufTokenType>(vocabulary.token_types[id]);
    const bool special = type == GgufTokenType::kControl || type == GgufTokenType::kUnknown;
    if (!special && type != GgufTokenType::kUserDefined) continue;
    AddedToken token;
    token.content = vocabulary.tokens[id];
    token.normalized = false;
    token.special = special;
    added.push_back(std::move(token));
  }
  return added;
}

void add_special_ids(const GgufVocabulary& vocabulary, bool bos_by_default, PostProcessor& post_processor) {
  std::vector<TemplatePiece> pieces;
  if (vocabulary.bos_token_id && vocabulary.add_bos_token.value_or(bos_by_default)) {
    pieces.push_back({.ids = {*vocabulary.bos_token_id}});
  }
  pieces.push_back({.text = 0});
  if (vocabulary.eos_token_id && vocabulary.add_eos_token.value_or(false)) {
    pieces.push_back({.ids = {*vocabulary.eos_token_id}});
  }
  if (pieces.size() > 1) post_processor.add_template({std::move(pieces)});
}

BpeParts vocabulary_parts(const GgufVocabulary& vocabulary) {
  BpeParts parts;
  parts.vocab.reserve(vocabulary.tokens.size());
  for (std::size_t id = 0; id < vocabulary.tokens.size(); ++id) {
    parts.vocab.emplace_back(vocabulary.tokens[id], static_cast<Token>(id));
  }
  return parts;
}

TokenizerParts byte_level_parts(const GgufVocabulary& vocabulary, const std::string& where) {
  const KnownPreTokenizer& known = find_pre_tokenizer(vocabulary.pre, where);
  TokenizerParts parts;
  parts.added_tokens = added_tokens(vocabulary);
  if (known.nfc) parts.normalizer = make_unicode_normalizer(NormalForm::kNfc);
  std::vector<PreTokenizerPtr> steps;
  if (known.digits_alone) {
    steps.push_back(make_split(make_class_matcher(is_number, false), SplitBehavior::kIsolated, false));
  }
  steps.push_back(make_split(make_pattern_matcher(known.pattern, where), SplitBehavior::kIsolated, false));
  steps.push_back(make_byte_level(false, false, true));
  parts.pre_tokenizer = make_pre_tokenizer_sequence(std::move(steps));

  BpeParts bpe = vocabulary_parts(vocabulary);
  bpe.ignore_merges = known.ignore_merges;
  for (const std::string& merge : vocabulary.merges) {
    const std::size_t blank = merge.find(' ', 1);
    if (blank == std::string::npos) {
      fail(ErrorCode::kFormat,
           {.where = fmt::format("{}: tokenizer.ggml.merges[{}]", where, bpe.merges.size()),
            .what = "the merge is",
            .got = "'" + merge + "'",
            .expected = "two tokens with a blank between them"});
    }
    bpe.merges.emplace_back(merge.substr(0, blank), merge.substr(blank + 1));
  }
  parts.model = std::make_unique<BpeModel>(std::move(bpe), true, where);
  parts.decoder.push_back(make_byte_level_decoder());
  add_special_ids(vocabulary, false, parts.post_processor);
  return parts;
}

// SentencePiece's files have no merges, but a score for each token: a token may be made of any two that add
// up to it, and the higher its score, the earlier that is done. Equal scores: the longer left part first,
// then the longer right one (as transformers converts such files).
std::vector<std::pair<std::string, std::string>> merges_from_scores(const GgufVocabulary& vocabulary) {
  struct Candidate {
    double score;
    Index left_length, right_length;  // in characters
    Token left, right;
  };
  std::unordered_map<std::string_view, Token> ids;
  for (std::size_t id = 0; id < vocabulary.tokens.size(); ++id)
    ids[vocabulary.tokens[id]] = static_cast<Token>(id);
  std::vector<Candidate> candidates;
  for (std::size_t id = 0; id < vocabulary.tokens.size(); ++id) {
    if (!vocabulary.token_types.empty() && vocabulary.token_types[id] != kNormal)
      continue;  // never made of parts
    const std::string_view token = vocabulary.tokens[id];
    const auto first = candidates.size();
    const Index length = count_code_points(token);
    Index characters = 1;
    for (Index at = 0; at < static_cast<Index>(token.size()); ++characters) {
      at += decode_code_point(token, at).length;
      const auto left = ids.find(token.substr(0, at)), right = ids.find(token.substr(at));
      if (at == static_cast<Index>(token.size()) || left == ids.end() || right == ids.end()) continue;
      candidates.push_back(
          {vocabulary.scores[id], characters, length - characters, left->second, right->second});
    }
    std::sort(candidates.begin() + static_cast<std::ptrdiff_t>(first), candidates.end(),
              [](const Candidate& a, const Candidate& b) {
                return std::tie(a.left, a.right) < std::tie(b.left, b.right);
              });
  }
  std::stable_sort(candidates.begin(), candidates.end(), [](const Candidate& a, const Candidate& b) {
    return std::tie(a.score, a.left_length, a.right_length) >
           std::tie(b.score, b.left_length, b.right_length);
  });
  std::vector<std::pair<std::string, std::string>> merges;
  merges.reserve(candidates.size());
  for (const Candidate& c : candidates)
    merges.emplace_back(vocabulary.tokens[c.left], vocabulary.tokens[c.right]);
  return merges;
}

TokenizerParts sentence_piece_parts(const GgufVocabulary& vocabulary, const std::string& where) {
  if (vocabulary.scores.empty()) {
    fail(ErrorCode::kMissing, {.where = where, .what = "'tokenizer.ggml.scores' is missing"});
  }
  TokenizerParts parts;
  parts.added_tokens = added_tokens(vocabulary);
  std::vector<NormalizerPtr> normalizers;
  if (vocabulary.add_space_prefix) normalizers.push_back(make_prepend_normalizer(std::string(kMetaspace)));
  normalizers.push_back(make_replace_normalizer(make_literal_matcher(" "), std::string(kMetaspace)));
  parts.normalizer = make_normalizer_sequence(std::move(normalizers));

  BpeParts bpe = vocabulary_parts(vocabulary);
  bpe.merges = merges_from_scores(vocabulary);
  bpe.byte_fallback = true;
  bpe.fuse_unk = true;
  if (vocabulary.unknown_token_id) bpe.unk_token = vocabulary.tokens[*vocabulary.unknown_token_id];
  parts.model = std::make_unique<BpeModel>(std::move(bpe), false, where);

  parts.decoder.push_back(make_replace_decoder(make_literal_matcher(std::string(kMetaspace)), " ", true));
  parts.decoder.push_back(make_byte_fallback_decoder());
  parts.decoder.push_back(make_fuse_decoder());
  if (vocabulary.add_space_prefix) parts.decoder.push_back(make_strip_decoder(U' ', 1, 0));
  add_special_ids(vocabulary, true, parts.post_processor);
  return parts;
}

}  // namespace

TokenizerParts make_gguf_tokenizer(const GgufVocabulary& vocabulary, const std::string& where) {
  check(vocabulary, where);
  if (vocabulary.model == "gpt2") return byte_level_parts(vocabulary, where);
  if (vocabulary.model == "llama") return sentence_piece_parts(vocabulary, where);
  fail(ErrorCode::kUnsupported, {.where = where + ": tokenizer.ggml.model",
                                 .what = "the tokenizer",
                                 .got = "'" + vocabulary.model + "' is not supported",
                                 .expected = "gpt2 (byte-level BPE) or llama (SentencePiece BPE)"});
}

}  // namespace llm
