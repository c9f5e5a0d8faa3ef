// Each component of a tokenizer.json, as the tokenizers library runs it.
#include <doctest/doctest.h>

#include "chapters/01_tokenizer/byte_map.h"
#include "chapters/01_tokenizer/normalizer.h"
#include "chapters/01_tokenizer/pre_tokenizer.h"
#include "chapters/01_tokenizer/streaming_decoder.h"
#include "chapters/01_tokenizer/unicode_data.h"
#include "tests/01_tokenizer/support.h"

namespace llm::test {
namespace {

using Strings = std::vector<std::string>;

Strings cut(const PreTokenizer& pre_tokenizer, const std::string& text) {
  Strings pieces;
  pre_tokenizer.cut({text, text.empty() ? 0 : 1},
                    [&](const Piece& piece) { pieces.emplace_back(piece.text); });
  return pieces;
}

Strings split(const std::string& text, const std::string& literal, SplitBehavior behavior,
              bool invert = false) {
  return cut(*make_split(make_literal_matcher(literal), behavior, invert), text);
}

Strings split_regex(const std::string& text, const std::string& pattern) {
  return cut(*make_split(make_regex_matcher(pattern, "test"), SplitBehavior::kIsolated, false), text);
}

TEST_CASE("every behavior of Split, also inverted") {
  const std::string text = "the-final--countdown";
  CHECK(split(text, "-", SplitBehavior::kRemoved) == Strings{"the", "final", "countdown"});
  CHECK(split(text, "-", SplitBehavior::kIsolated) == Strings{"the", "-", "final", "-", "-", "countdown"});
  CHECK(split(text, "-", SplitBehavior::kMergedWithPrevious) == Strings{"the-", "final-", "-", "countdown"});
  CHECK(split(text, "-", SplitBehavior::kMergedWithNext) == Strings{"the", "-final", "-", "-countdown"});
  CHECK(split(text, "-", SplitBehavior::kContiguous) == Strings{"the", "-", "final", "--", "countdown"});
  CHECK(split(text, "-", SplitBehavior::kRemoved, true) == Strings{"-", "-", "-"});
  CHECK(split(text, "-", SplitBehavior::kMergedWithPrevious, true) ==
        Strings{"the", "-final", "-", "-countdown"});
  CHECK(split("a-", "-", SplitBehavior::kMergedWithNext) == Strings{"a", "-"});
  CHECK(split("ab", "", SplitBehavior::kIsolated) == Strings{"a", "b"});
}

TEST_CASE("regular expressions speak Oniguruma's dialect") {
  CHECK(split_regex("x1F g", R"(\h+)") == Strings{"x", "1F", " g"});  // hexadecimal digits, not blanks
  CHECK(split_regex("a\u180eb", R"(\s)") == Strings{"a\u180eb"});     // no blank since Unicode 6.3
  CHECK(split_regex("a1234b", R"(\p{N}{1,3}+)") == Strings{"a", "1234", "b"});  // repeats, is not possessive
  CHECK(split_regex("aab", "a{,2}") == Strings{"aa", "b"});
  CHECK(split_regex("a\nb", "(?m:a.)") == Strings{"a\n", "b"});
  CHECK(split_regex("a\nb", "(?:a.)") == Strings{"a\nb"});
  CHECK(split_regex("\u20acx", R"(\u20ac)") == Strings{"\u20ac", "x"});
  CHECK(split_regex("a\nb", "^b") == Strings{"a\n", "b"});                     // ^ after every line end
  CHECK(split_regex("x'\u017fy", "(?i:'s)") == Strings{"x", "'\u017f", "y"});  // long s is an s
  CHECK(split_regex("a\u00b2 ", R"(\w+)") ==
        Strings{"a\u00b2", " "});  // superscript two: a word by itself ...
  CHECK(split_regex("a\u00b2 ", R"([\w]+)") == Strings{"a", "\u00b2 "});  // ... but not in brackets
  CHECK(split_regex("\u4e00\u3042", R"(\p{Han}+)") == Strings{"\u4e00", "\u3042"});
  CHECK(split_regex("a\U0002EBF0b", R"([^\p{L}]+)") ==
        Strings{"a\U0002EBF0b"});  // a letter since Unicode 15.1
  CHECK(split_regex("a b", R"([^\S\n]+)") == Strings{"a", " ", "b"});
  CHECK(split_regex("a.b", R"([[:punct:]])") == Strings{"a", ".", "b"});
}

TEST_CASE("Digits, Punctuation, Whitespace and WhitespaceSplit") {
  const auto pieces = [](const std::string& pre_tokenizer, const std::string& text) {
    // With the whole alphabet unknown every piece becomes one unknown token: count them.
    const Tokenizer tokenizer = make_tokenizer({.vocab = R"({"<unk>":0})",
                                                .merges = "[]",
                                                .pre_tokenizer = pre_tokenizer,
                                                .model_options = R"("unk_token":"<unk>","fuse_unk":true)"});
    Strings words;
    for (const ExplainedWord& word : tokenizer.explain(text)) words.push_back(word.text);
    return words;
  };
  CHECK(pieces(R"({"type":"Digits","individual_digits":true})", "a12\u00bdb") ==
        Strings{"a", "1", "2", "\u00bd", "b"});
  CHECK(pieces(R"({"type":"Digits","individual_digits":false})", "a12\u00bdb") ==
        Strings{"a", "12\u00bd", "b"});
  CHECK(pieces(R"({"type":"Punctuation"})", "a,b+\u00bf c") == Strings{"a", ",", "b", "+", "\u00bf", " c"});
  CHECK(pieces(R"({"type":"Punctuation","behavior":"Contiguous"})", "a,,b") == Strings{"a", ",,", "b"});
  CHECK(pieces(R"({"type":"Whitespace"})", " Hey, you\u00b2 ?! ") ==
        Strings{"Hey", ",", "you", "\u00b2", "?!"});
  CHECK(pieces(R"({"type":"WhitespaceSplit"})", " Hey, \u3000you?\n") == Strings{"Hey,", "you?"});
}

TEST_CASE("Metaspace puts its blank in front of every piece, the first, or none") {
  const std::string text = "Hey  friend";
  CHECK(cut(*make_metaspace("\u2581", PrependScheme::kAlways, true), text) ==
        Strings{"\u2581Hey", "\u2581", "\u2581friend"});
  CHECK(cut(*make_metaspace("\u2581", PrependScheme::kNever, true), text) ==
        Strings{"Hey", "\u2581", "\u2581friend"});
  CHECK(cut(*make_metaspace("_", PrependScheme::kFirst, false), text) == Strings{"_Hey__friend"});
  CHECK(cut(*make_metaspace("_", PrependScheme::kFirst, false), " Hey") == Strings{"_Hey"});
  // "first" is about the beginning of the user's text: not after an added token.
  const Tokenizer first =
      make_tokenizer({.vocab = R"({"a":0,"_":1,"<s>":2})",
                      .merges = "[]",
                      .pre_tokenizer = R"({"type":"Metaspace","replacement":"_","prepend_scheme":"first"})",
                      .added_tokens = R"([{"id":2,"content":"<s>","special":true,"normalized":false}])"});
  CHECK(first.encode("a<s>a") == std::vector<Token>{1, 0, 2, 0});
  CHECK(first.encode("<s>a") == std::vector<Token>{2, 0});
}

TEST_CASE("normalizers change the text in order") {
  const auto normalized = [](NormalizerPtr normalizer, const std::string& text) {
    NormalizedText whole{text, 0};
    normalizer->apply(whole);
    return whole.text;
  };
  CHECK(normalized(make_unicode_normalizer(NormalForm::kNfc), "e\u0301 \u1e9b\u0323 \uac00") ==
        "\u00e9 \u1e9b\u0323 \uac00");
  CHECK(normalized(make_unicode_normalizer(NormalForm::kNfd), "\u00e9\uac00") == "e\u0301\u1100\u1161");
  CHECK(normalized(make_unicode_normalizer(NormalForm::kNfkc), "\ufb01 \u00b2 \u1e9b\u0323") ==
        "fi 2 \u1e69");
  CHECK(normalized(make_unicode_normalizer(NormalForm::kNfkd), "\uff21\u00bd") == "A1\u20442");
  CHECK(normalized(make_unicode_normalizer(NormalForm::kNfc), "a\u0315\u0300") ==
        "\u00e0\u0315");  // reordered
  CHECK(normalized(make_unicode_normalizer(NormalForm::kNfc), "a\u0898\u0300") ==
        "a\u0898\u0300");  // not known to it
  CHECK(normalized(make_strip_normalizer(true, true), " \u3000a b\n") == "a b");
  CHECK(normalized(make_strip_normalizer(true, false), " a ") == "a ");
  CHECK(normalized(make_strip_normalizer(false, true), " a ") == " a");
  CHECK(normalized(make_strip_normalizer(true, false), "  ") == "");
  CHECK(normalized(make_lowercase_normalizer(), "\u0130\u03a3A\u1e9e") == "i\u0307\u03c3a\u00df");
  CHECK(normalized(make_prepend_normalizer("_"), "") == "");
  CHECK(normalized(make_prepend_normalizer("_"), "a") == "_a");
  CHECK(normalized(make_replace_normalizer(make_regex_matcher(R"(\s+)", "t"), "_"), "a  b\n") == "a_b_");
}

TEST_CASE("long texts are normalised in parts, with the same result") {
  for (std::uint32_t seed = 0; seed < 200; ++seed) {
    const std::string text = random_text(seed, 40);
    for (const NormalForm form : {NormalForm::kNfc, NormalForm::kNfd, NormalForm::kNfkc, NormalForm::kNfkd}) {
      const std::string once = normalize_unicode(text, form);
      CHECK(normalize_unicode(once, form) == once);
      CHECK(normalize_unicode(text + "\n" + text, form) == once + "\n" + once);
    }
  }
}

TEST_CASE("the byte alphabet is GPT-2's, and reversible") {
  CHECK(bytes_to_characters(" a\n\x7f\xad\xff") == "\u0120a\u010a\u0121\u0143\u00ff");
  std::string all;
  for (int byte = 0; byte < 256; ++byte) all += static_cast<char>(byte);
  CHECK(characters_to_bytes(bytes_to_characters(all)).value() == all);
  CHECK_FALSE(characters_to_bytes("\u4e00").has_value());
  CHECK_FALSE(characters_to_bytes(" ").has_value());
}

struct DecoderCase {
  std::string decoder, text;
  std::vector<Token> ids;
};

TEST_CASE("decoders, whole and token by token") {
  const std::string vocab = R"({"\u2581a":0,"b":1,"<0xE4>":2,"<0xBD>":3,"<0xA0>":4,)"
                            R"("\u0120\u00e4":5,"\u00bd":6,"\u0142":7,"\u2581":8})";
  const std::vector<DecoderCase> cases = {
      {"null", "\u2581a b", {0, 1}},
      {R"({"type":"Fuse"})", "\u2581ab", {0, 1}},
      {R"({"type":"Metaspace","replacement":"\u2581","prepend_scheme":"first"})", "ab a", {0, 1, 0}},
      {R"({"type":"Metaspace","replacement":"\u2581","prepend_scheme":"never"})", " ab", {0, 1}},
      {R"({"type":"ByteFallback"})", "b\u4f60b", {1, 2, 3, 4, 1}},
      {R"({"type":"ByteFallback"})", "\ufffd\ufffdb", {2, 3, 1}},
      {R"({"type":"ByteLevel"})", "b\ufffd", {1, 6}},
      {R"({"type":"Replace","pattern":{"String":"\u2581"},"content":" "})", " ab", {0, 1}},
      {R"({"type":"Strip","content":"b","start":1,"stop":0})", "\u2581a", {0, 1}},
      {R"({"type":"Sequence","decoders":[{"type":"Replace","pattern":{"String":"\u2581"},"content":" "},
           {"type":"ByteFallback"},
           {"type":"Fuse"},{"type":"Strip","content":" ","start":1,"stop":0}]})",
       "a\u4f60 a",
       {0, 2, 3, 4, 0}},
      {R"({"type":"Sequence","decoders":[{"type":"Fuse"},
           {"type":"Strip","content":"b","start":0,"stop":2}]})",
       "b\u2581ab",
       {1, 0, 1, 1, 1}},
      {R"({"type":"Sequence","decoders":[{"type":"Fuse"},
           {"type":"Replace","pattern":{"String":"ab"},"content":"x"}]})",
       "\u2581xb",
       {0, 1, 1}},
  };
  for (const DecoderCase& c : cases) {
    const Tokenizer tokenizer = make_tokenizer({.vocab = vocab, .merges = "[]", .decoder = c.decoder});
    CAPTURE(c.decoder);
    CHECK(tokenizer.decode(c.ids) == c.text);
    StreamingDecoder stream(tokenizer);
    std::string text;
    for (const Token id : c.ids) text += stream.put(id);
    CHECK(text + stream.end() == c.text);
  }
}

TEST_CASE("a character is shown as soon as its last byte is there, never before") {
  const Tokenizer& tokenizer = qwen3();
  StreamingDecoder stream(tokenizer);
  // Woman, joiner, laptop: the joiner's bytes are two tokens.
  const std::vector<Token> ids = tokenizer.encode("\U0001F469\u200D\U0001F4BB");
  Strings pieces;
  for (const Token id : ids) pieces.push_back(stream.put(id));
  CHECK(pieces == Strings{"\U0001F469", "", "\u200D", "\U0001F4BB"});
  CHECK(stream.end().empty());
  CHECK(stream.put(ids[0]) == "\U0001F469");
  CHECK(stream.put(ids[1]).empty());
  CHECK(stream.end() == "\uFFFD");
  CHECK(stream.put(ids[0]) == "\U0001F469");  // as new
}

TEST_CASE("a streaming decoder can leave special tokens out") {
  StreamingDecoder stream(qwen3(), true);
  CHECK(stream.put(151644).empty());
  CHECK(stream.put(151667) == "<think>");
}

}  // namespace
}  // namespace llm::test
