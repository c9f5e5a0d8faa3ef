#include "chapters/01_tokenizer/tokenizer_components.h"

#include <array>
#include <nlohmann/json.hpp>
#include <utility>

#include "chapters/01_tokenizer/known_patterns.h"
#include "chapters/01_tokenizer/unicode_data.h"
#include "common/base/error.h"
#include "common/text/utf8.h"

namespace llm {
namespace {

std::string type_of(const JsonReader& json) { return json.at("type").string(); }

// A string of exactly one character.
std::string read_character(const JsonReader& json) {
  const std::string text = json.string();
  if (count_code_points(text) != 1) json.fail_expected("a string of one character");
  return text;
}

// The value that the string of a field names. Errors: kFormat with the names there are.
template <class Value, std::size_t N>
Value read_choice(const JsonReader& json, const std::array<std::pair<std::string_view, Value>, N>& choices) {
  std::string names;
  for (const auto& [name, value] : choices) {
    if (json.string() == name) return value;
    names += (names.empty() ? "" : ", ") + std::string(name);
  }
  json.fail_expected("one of " + names);
}

SplitBehavior read_behavior(const JsonReader& json) {
  static constexpr std::array<std::pair<std::string_view, SplitBehavior>, 5> kChoices = {{
      {"Removed", SplitBehavior::kRemoved},
      {"Isolated", SplitBehavior::kIsolated},
      {"MergedWithPrevious", SplitBehavior::kMergedWithPrevious},
      {"MergedWithNext", SplitBehavior::kMergedWithNext},
      {"Contiguous", SplitBehavior::kContiguous},
  }};
  return read_choice(json, kChoices);
}

// Files older than tokenizers 0.15 have add_prefix_space instead of prepend_scheme.
PrependScheme read_prepend_scheme(const JsonReader& json) {
  static constexpr std::array<std::pair<std::string_view, PrependScheme>, 3> kChoices = {{
      {"always", PrependScheme::kAlways},
      {"first", PrependScheme::kFirst},
      {"never", PrependScheme::kNever},
  }};
  if (const auto scheme = json.find("prepend_scheme")) return read_choice(*scheme, kChoices);
  return json.boolean_or("add_prefix_space", true) ? PrependScheme::kAlways : PrependScheme::kNever;
}

PreTokenizerPtr read_split(const JsonReader& json) {
  return make_split(read_pattern(json.at("pattern")), read_behavior(json.at("behavior")),
                    json.boolean_or("invert", false));
}

PreTokenizerPtr read_pre_tokenizer_sequence(const JsonReader& list, bool keep_bytes) {
  std::vector<PreTokenizerPtr> steps;
  for (Index i = 0; i < list.size(); ++i) {
    steps.push_back(read_pre_tokenizer(list.at(i), keep_bytes && i + 1 == list.size()));
  }
  return make_pre_tokenizer_sequence(std::move(steps));
}

// The pieces "single" or "pair"; a pair's second text is "B".
std::vector<TemplatePiece> read_template(const JsonReader& list, const JsonReader& special_tokens,
                                         bool pair) {
  std::vector<TemplatePiece> pieces;
  for (Index i = 0; i < list.size(); ++i) {
    const JsonReader entry = list.at(i);
    if (const auto sequence = entry.find("Sequence")) {
      const std::string& text = sequence->at("id").string();
      if (text != "A" && !(pair && text == "B")) {
        sequence->at("id").fail_expected(pair ? "\"A\" or \"B\"" : "\"A\" in the template for one text");
      }
      pieces.push_back({.text = text == "A" ? 0 : 1});
      continue;
    }
    TemplatePiece piece;
    const JsonReader token = special_tokens.at(entry.at("SpecialToken").at("id").string());
    for (const Index id : token.at("ids").integers(0, BpeModel::kMaxTokens - 1)) {
      piece.ids.push_back(static_cast<Token>(id));
    }
    pieces.push_back(std::move(piece));
  }
  return pieces;
}

Template read_templates(const JsonReader& json) {
  const JsonReader special_tokens = json.at("special_tokens");
  Template steps{read_template(json.at("single"), special_tokens, false)};
  if (const auto pair = json.find("pair")) steps.pair = read_template(*pair, special_tokens, true);
  return steps;
}

DecoderPtr read_strip_decoder(const JsonReader& json) {
  constexpr Index kMost = 1 << 20;
  return make_strip_decoder(decode_utf8(read_character(json.at("content")))[0],
                            json.at("start").integer(0, kMost), json.at("stop").integer(0, kMost));
}

}  // namespace

void fail_unsupported(const JsonReader& json, const std::string& kind, const std::string& supported) {
  fail(ErrorCode::kUnsupported, {.where = json.place(),
                                 .what = "the " + kind + " type",
                                 .got = "'" + type_of(json) + "' is not supported",
                                 .expected = "one of " + supported});
}

std::unique_ptr<Matcher> read_pattern(const JsonReader& json, bool* per_character) {
  if (per_character != nullptr) *per_character = false;
  if (const auto literal = json.find("String")) {
    if (per_character != nullptr) *per_character = count_code_points(literal->string()) == 1;
    return make_literal_matcher(literal->string());
  }
  const auto regex = json.find("Regex");
  if (!regex) json.fail_expected("{\"String\": ...} or {\"Regex\": ...}");
  return make_pattern_matcher(regex->string(), regex->place());
}

NormalizerPtr read_normalizer(const JsonReader& json) {
  const std::string type = type_of(json);
  if (type == "NFC") return make_unicode_normalizer(NormalForm::kNfc);
  if (type == "NFD") return make_unicode_normalizer(NormalForm::kNfd);
  if (type == "NFKC") return make_unicode_normalizer(NormalForm::kNfkc);
  if (type == "NFKD") return make_unicode_normalizer(NormalForm::kNfkd);
  if (type == "Lowercase") return make_lowercase_normalizer();
  if (type == "Prepend") return make_prepend_normalizer(json.at("prepend").string());
  if (type == "Replace")
    return make_replace_normalizer(read_pattern(json.at("pattern")), json.at("content").string());
  if (type == "Strip") {
    return make_strip_normalizer(json.boolean_or("strip_left", true), json.boolean_or("strip_right", true));
  }
  if (type == "Sequence") {
    const JsonReader list = json.at("normalizers");
    std::vector<NormalizerPtr> steps;
    for (Index i = 0; i < list.size(); ++i) steps.push_back(read_normalizer(list.at(i)));
    return make_normalizer_sequence(std::move(steps));
  }
  fail_unsupported(json, "normalizer", "NFC, NFD, NFKC, NFKD, Lowercase, Prepend, Replace, Strip, Sequence");
}

PreTokenizerPtr read_pre_tokenizer(const JsonReader& json, bool keep_bytes) {
  const std::string type = type_of(json);
  if (type == "Split") return read_split(json);
  if (type == "ByteLevel") {
    return make_byte_level(json.boolean_or("add_prefix_space", true), json.boolean_or("use_regex", true),
                           keep_bytes);
  }
  if (type == "Metaspace") {
    return make_metaspace(read_character(json.at("replacement")), read_prepend_scheme(json),
                          json.boolean_or("split", true));
  }
  if (type == "Digits") {
    const bool runs = !json.boolean_or("individual_digits", false);
    return make_split(make_class_matcher(is_number, runs), SplitBehavior::kIsolated, false);
  }
  if (type == "Punctuation") {
    const auto behavior = json.find("behavior");
    return make_split(make_class_matcher(is_punctuation, false),
                      behavior ? read_behavior(*behavior) : SplitBehavior::kIsolated, false);
  }
  if (type == "Whitespace") return make_split(make_word_matcher(), SplitBehavior::kRemoved, true);
  if (type == "WhitespaceSplit") {
    return make_split(make_class_matcher(is_whitespace, false), SplitBehavior::kRemoved, false);
  }
  if (type == "Sequence") return read_pre_tokenizer_sequence(json.at("pretokenizers"), keep_bytes);
  fail_unsupported(json, "pre_tokenizer",
                   "Split, ByteLevel, Metaspace, Digits, Punctuation, Whitespace, WhitespaceSplit, Sequence");
}

bool ends_in_byte_level(const JsonReader& json) {
  const std::string type = type_of(json);
  if (type != "Sequence") return type == "ByteLevel";
  const JsonReader list = json.at("pretokenizers");
  return list.size() > 0 && ends_in_byte_level(list.at(list.size() - 1));
}

void read_post_processor(const JsonReader& json, PostProcessor& post_processor) {
  const std::string type = type_of(json);
  if (type == "TemplateProcessing") return post_processor.add_template(read_templates(json));
  if (type == "ByteLevel") return;  // moves the offsets of tokens in the text, which we do not report
  if (type == "Sequence") {
    const JsonReader list = json.at("processors");
    for (Index i = 0; i < list.size(); ++i) read_post_processor(list.at(i), post_processor);
    return;
  }
  fail_unsupported(json, "post_processor", "TemplateProcessing, ByteLevel, Sequence");
}

void read_decoder(const JsonReader& json, std::vector<DecoderPtr>& steps) {
  const std::string type = type_of(json);
  if (type == "ByteLevel") {
    steps.push_back(make_byte_level_decoder());
  } else if (type == "ByteFallback") {
    steps.push_back(make_byte_fallback_decoder());
  } else if (type == "Fuse") {
    steps.push_back(make_fuse_decoder());
  } else if (type == "Replace") {
    bool per_character = false;
    std::shared_ptr<const Matcher> what = read_pattern(json.at("pattern"), &per_character);
    steps.push_back(make_replace_decoder(std::move(what), json.at("content").string(), per_character));
  } else if (type == "Strip") {
    steps.push_back(read_strip_decoder(json));
  } else if (type == "Metaspace") {
    steps.push_back(
        make_metaspace_decoder(read_character(json.at("replacement")), read_prepend_scheme(json)));
  } else if (type == "Sequence") {
    const JsonReader list = json.at("decoders");
    for (Index i = 0; i < list.size(); ++i) read_decoder(list.at(i), steps);
  } else {
    fail_unsupported(json, "decoder", "ByteLevel, ByteFallback, Fuse, Replace, Strip, Metaspace, Sequence");
  }
}

}  // namespace llm
