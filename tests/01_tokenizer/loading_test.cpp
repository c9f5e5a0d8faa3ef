// What loading refuses, and what it says; what it accepts although it looks odd.
#include <doctest/doctest.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "common/base/error.h"
#include "common/io/json.h"
#include "tests/01_tokenizer/support.h"

namespace llm::test {
namespace {

std::string lowercase_ascii(std::string text) {
  for (char& c : text) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return text;
}

TEST_CASE("malformed files are refused with the file and what is wrong") {
  const auto folder = std::filesystem::path(LLM_SOURCE_DIR) / "tests/bad_input/data";
  int count = 0;
  for (const Json& entry : read_json_file(folder / "manifest.json")) {
    if (entry["kind"] != "tokenizer") continue;
    ++count;
    const auto file = folder / entry["file"].get<std::string>();
    CAPTURE(file.string());
    std::string message;
    try {
      Tokenizer::load(file);
    } catch (const Error& error) {
      message = error.what();
    }
    CAPTURE(message);
    CHECK(message.find(file.string()) != std::string::npos);
    bool named = false;
    for (const Json& word : entry["words_any_of"]) {
      named = named ||
              lowercase_ascii(message).find(lowercase_ascii(word.get<std::string>())) != std::string::npos;
    }
    CHECK(named);
  }
  CHECK(count == 9);
}

struct Refused {
  std::string json, words;  // words: parts of the message, separated by "|"
};

// A function, since the texts are put together.
std::vector<Refused> refused_cases() {
  return {
      {"[]", "object"},
      {R"({"model":{"type":"WordPiece","vocab":{}}})", "model|WordPiece|BPE"},
      {R"({"model":{"type":"BPE","merges":[]}})", "model|vocab"},
      {tokenizer_json({.merges = R"([["a"]])"}), "model.merges[0]|two tokens"},
      {tokenizer_json({.merges = R"(["a b","a b c"])"}), "model.merges[1]|two tokens"},
      {tokenizer_json({.merges = R"([["a","c"]])"}), "model.merges[0]|'ac'"},
      {tokenizer_json({.vocab = R"({"a":1.5})"}), "model.vocab|'a'|1.5"},
      {tokenizer_json({.vocab = R"({"a":99999999999})"}), "model.vocab|99999999999"},
      {tokenizer_json({.vocab = R"({"a":"0"})"}), "model.vocab"},
      {tokenizer_json({.model_options = R"("dropout":0.1)"}), "dropout|0.1"},
      {tokenizer_json({.model_options = R"("unk_token":"<unk>")"}), "unk_token|<unk>"},
      {tokenizer_json({.normalizer = R"({"type":"Nmt"})"}), "normalizer|Nmt"},
      {tokenizer_json(
           {.normalizer = R"({"type":"Sequence","normalizers":[{"type":"NFC"},{"type":"BertNormalizer"}]})"}),
       "normalizer.normalizers[1]|BertNormalizer"},
      {tokenizer_json({.pre_tokenizer = R"({"type":"UnicodeScripts"})"}), "pre_tokenizer|UnicodeScripts"},
      {tokenizer_json(
           {.pre_tokenizer =
                R"({"type":"Split","pattern":{"Regex":"("},"behavior":"Isolated","invert":false})"}),
       "pre_tokenizer.pattern.Regex|'('"},
      {tokenizer_json(
           {.pre_tokenizer = R"({"type":"Split","pattern":{"Regex":"[a&&b]"},"behavior":"Isolated"})"}),
       "&&"},
      {tokenizer_json(
           {.pre_tokenizer = R"({"type":"Split","pattern":{"String":"a"},"behavior":"Sideways"})"}),
       "behavior|Sideways|Isolated"},
      {tokenizer_json({.pre_tokenizer = R"({"type":"Split","pattern":{},"behavior":"Isolated"})"}),
       "pattern|Regex"},
      {tokenizer_json({.pre_tokenizer = R"({"type":"Metaspace","replacement":"ab"})"}),
       "replacement|one character"},
      {tokenizer_json(
           {.pre_tokenizer = R"({"type":"Metaspace","replacement":"_","prepend_scheme":"often"})"}),
       "prepend_scheme|often"},
      {tokenizer_json({.post_processor = R"({"type":"BertProcessing","sep":["a",0],"cls":["b",1]})"}),
       "post_processor|BertProcessing"},
      {tokenizer_json({.post_processor =
                           R"({"type":"TemplateProcessing","single":[{"SpecialToken":{"id":"x","type_id":0}}],
                                            "special_tokens":{}})"}),
       "post_processor.special_tokens|'x' is missing"},
      {tokenizer_json(
           {.post_processor = R"({"type":"TemplateProcessing","single":[{"Sequence":{"id":"B","type_id":0}}],
                                            "special_tokens":{}})"}),
       "post_processor.single[0]"},
      {tokenizer_json({.decoder = R"({"type":"WordPiece"})"}), "decoder|WordPiece"},
      {tokenizer_json({.decoder = R"({"type":"Strip","content":" ","start":-1,"stop":0})"}),
       "decoder.start|-1"},
      {tokenizer_json({.added_tokens = R"([{"id":0,"content":"a"},{"id":1}])"}), "added_tokens[1]|content"},
      {tokenizer_json({.added_tokens = R"([{"id":-1,"content":"a"}])"}), "added_tokens[0].id|-1"},
      {tokenizer_json({.truncation = R"({"max_length":-1})"}), "truncation.max_length"},
  };
}

TEST_CASE("each part that this course lacks or that makes no sense is named") {
  for (const Refused& refused : refused_cases()) {
    CAPTURE(refused.json);
    const std::string message = loading_error(refused.json);
    CAPTURE(message);
    CHECK(message.find("tokenizer.json") != std::string::npos);
    for (std::size_t at = 0; at <= refused.words.size();) {
      const std::size_t end = std::min(refused.words.find('|', at), refused.words.size());
      const std::string word = refused.words.substr(at, end - at);
      CAPTURE(word);
      CHECK(message.find(word) != std::string::npos);
      at = end + 1;
    }
  }
}

TEST_CASE("a folder without a tokenizer.json and a file that is not there are errors") {
  CHECK_THROWS_AS(Tokenizer::load("/no/such/folder"), Error);
  CHECK_THROWS_AS(Tokenizer::load(data_path("")), Error);
}

TEST_CASE("older ways to write a file are read") {
  CHECK(make_tokenizer({.merges = R"(["#version: 0.2","a b"])"}).encode("abc") == std::vector<Token>{3, 2});
  CHECK(load_json(R"({"model":{"vocab":{"a":0},"merges":[]}})").encode("aa") == std::vector<Token>{0, 0});
  const Tokenizer metaspace = make_tokenizer(
      {.vocab = R"({"a":0,"_":1})",
       .merges = "[]",
       .pre_tokenizer = R"({"type":"Metaspace","replacement":"_","str_rep":"_","add_prefix_space":true})"});
  CHECK(metaspace.encode("a a") == std::vector<Token>{1, 0, 1, 0});
}

TEST_CASE("added tokens: longest first, words only, with the blanks around, before or after normalization") {
  const auto tokenizer = [](const std::string& added) {
    return make_tokenizer({.vocab = R"({"a":0,"b":1,"c":2," ":3})",
                           .merges = "[]",
                           .normalizer = R"({"type":"Lowercase"})",
                           .added_tokens = added});
  };
  // Ids in the file are not used: new tokens are numbered from the vocabulary's size on.
  const Tokenizer longest =
      tokenizer(R"([{"id":40,"content":"<x"},{"id":50,"content":"<x>"},{"id":0,"content":"a"}])");
  CHECK(longest.encode("b<x>c<xa") == std::vector<Token>{1, 5, 2, 4, 0});
  CHECK(longest.vocab_size() == 6);

  const Tokenizer word = tokenizer(R"([{"id":4,"content":"ab","single_word":true}])");
  CHECK(word.encode("ab abc ab") == std::vector<Token>{4, 3, 0, 1, 2, 3, 4});

  const Tokenizer strip =
      tokenizer(R"([{"id":4,"content":"<l>","lstrip":true},{"id":5,"content":"<r>","rstrip":true}])");
  CHECK(strip.encode("a \n<l> b <r> \tc") == std::vector<Token>{0, 4, 3, 1, 3, 5, 2});

  const Tokenizer normalized = tokenizer(R"([{"id":4,"content":"ABC","normalized":true}])");
  CHECK(normalized.encode("aBcABC") == std::vector<Token>{4, 4});
  CHECK(*normalized.id_to_token(4) == "abc");
  const Tokenizer raw = tokenizer(R"([{"id":4,"content":"ABC","normalized":false}])");
  CHECK(raw.encode("abcABC") == std::vector<Token>{0, 1, 2, 4});
}

TEST_CASE("special tokens around the text, truncation and padding") {
  const std::string post =
      R"({"type":"Sequence","processors":[{"type":"ByteLevel"},{"type":"TemplateProcessing",
    "single":[{"SpecialToken":{"id":"<s>","type_id":0}},{"Sequence":{"id":"A","type_id":0}},
              {"SpecialToken":{"id":"<s>","type_id":0}}],
    "special_tokens":{"<s>":{"id":"<s>","ids":[7,8],"tokens":["<s>","x"]}}}]})";
  CHECK(make_tokenizer({.post_processor = post}).encode("abc") == std::vector<Token>{7, 8, 3, 2, 7, 8});
  CHECK(make_tokenizer({.post_processor = post}).encode("abc", false) == std::vector<Token>{3, 2});
  // Behind a template that made two parts the pair's template is used; behind three parts there is none.
  const std::string twice = R"({"type":"Sequence","processors":[
    {"type":"TemplateProcessing","single":[{"SpecialToken":{"id":"<s>","type_id":0}},
               {"Sequence":{"id":"A","type_id":0}}],
     "special_tokens":{"<s>":{"id":"<s>","ids":[7],"tokens":["<s>"]}}},
    {"type":"TemplateProcessing","single":[{"Sequence":{"id":"A","type_id":0}}],
     "pair":[{"Sequence":{"id":"B","type_id":1}},{"SpecialToken":{"id":"<s>","type_id":0}},
             {"Sequence":{"id":"A","type_id":0}}],
     "special_tokens":{"<s>":{"id":"<s>","ids":[9],"tokens":["<s>"]}}}]})";
  CHECK(make_tokenizer({.post_processor = twice}).encode("abc") == std::vector<Token>{3, 2, 9, 7});
  CHECK(make_tokenizer({.post_processor = twice}).encode("abc", false) == std::vector<Token>{3, 2});
  const auto limited = [&](const std::string& truncation, const std::string& padding) {
    return make_tokenizer({.post_processor = post, .truncation = truncation, .padding = padding});
  };
  const std::string five = R"({"direction":"Right","max_length":5,"strategy":"LongestFirst","stride":0})";
  CHECK(limited(five, "null").encode("cab") == std::vector<Token>{7, 8, 2, 7, 8});
  CHECK(limited(R"({"direction":"Left","max_length":5,"strategy":"LongestFirst","stride":0})", "null")
            .encode("cab") == std::vector<Token>{7, 8, 3, 7, 8});
  const std::string pad = R"({"strategy":{"Fixed":6},"direction":"Left","pad_to_multiple_of":4,"pad_id":9})";
  CHECK(limited("null", pad).encode("c", false) == std::vector<Token>{9, 9, 9, 9, 9, 9, 9, 2});
}

}  // namespace
}  // namespace llm::test
