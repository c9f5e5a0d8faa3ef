// What must hold for every text.
#include <doctest/doctest.h>

#include <thread>

#include "chapters/01_tokenizer/byte_map.h"
#include "chapters/01_tokenizer/streaming_decoder.h"
#include "common/base/timing.h"
#include "common/text/utf8.h"
#include "tests/01_tokenizer/support.h"

namespace llm::test {
namespace {

// The byte-level tokenizer of a tiny model without its normalizer: nothing is lost on the way.
Tokenizer byte_level() {
  return make_tokenizer({.vocab =
                             [] {
                               std::string vocab = "{";
                               for (int i = 0; i < 256; ++i) {
                                 std::string character;
                                 append_code_point(character,
                                                   byte_to_character(static_cast<unsigned char>(i)));
                                 if (character == "\"" || character == "\\") character.insert(0, "\\");
                                 vocab += "\"" + character + "\":" + std::to_string(i) + ",";
                               }
                               return vocab + "\"\u0120a\":256,\"\u00c3\u00a9\":257}";
                             }(),
                         .merges = R"([["\u0120","a"],["\u00c3","\u00a9"]])",
                         .pre_tokenizer = R"({"type":"ByteLevel","add_prefix_space":false,"use_regex":true})",
                         .decoder = R"({"type":"ByteLevel"})"});
}

TEST_CASE("byte-level: any text comes back, also token by token") {
  const Tokenizer tokenizer = byte_level();
  for (std::uint32_t seed = 0; seed < 500; ++seed) {
    const std::string text = random_text(seed, seed % 60);
    const std::vector<Token> ids = tokenizer.encode(text);
    CAPTURE(text);
    CHECK(tokenizer.decode(ids) == text);
    StreamingDecoder stream(tokenizer);
    std::string streamed;
    for (const Token id : ids) {
      const std::string piece = stream.put(id);
      CHECK(is_valid_utf8(piece));
      streamed += piece;
    }
    CHECK(streamed + stream.end() == text);
    std::string bytes;
    for (const Token id : ids) bytes += tokenizer.token_bytes(id);
    CHECK(bytes == text);
  }
}

TEST_CASE("invalid UTF-8 goes in as U+FFFD, and comes out as U+FFFD") {
  const Tokenizer tokenizer = byte_level();
  for (std::uint32_t seed = 0; seed < 300; ++seed) {
    const std::string bytes = random_bytes(seed, seed % 50);
    CHECK(tokenizer.encode(bytes) == tokenizer.encode(from_utf8_lossy(bytes)));
    std::vector<Token> ids;
    for (const char byte : bytes)
      ids.push_back(static_cast<unsigned char>(byte));  // id = position in the table above
    std::string raw;
    for (const Token id : ids) raw += tokenizer.token_bytes(id);
    CHECK(tokenizer.decode(ids) == from_utf8_lossy(raw));
    StreamingDecoder stream(tokenizer);
    std::string streamed;
    for (const Token id : ids) streamed += stream.put(id);
    CHECK(streamed + stream.end() == from_utf8_lossy(raw));
  }
}

TEST_CASE("ids that are no token leave no trace") {
  const Tokenizer& tokenizer = qwen3();
  CHECK(tokenizer.decode(std::vector<Token>{-1, 9707, 151669, 2147483647, 11}) == "Hello,");
  CHECK_FALSE(tokenizer.is_token(151669));
  CHECK_FALSE(tokenizer.is_token(-1));
  CHECK(tokenizer.is_token(151668));
  CHECK(tokenizer.id_to_token(151669) == nullptr);
  CHECK(tokenizer.token_bytes(-5).empty());
}

TEST_CASE("several threads can encode at the same time") {
  const Tokenizer& tokenizer = qwen3();
  std::vector<std::string> texts;
  std::vector<std::vector<Token>> expected, found(8);
  for (std::uint32_t i = 0; i < 8; ++i) {
    texts.push_back(random_text(i, 3000));
    expected.push_back(tokenizer.encode(texts.back()));
  }
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < 8; ++i) threads.emplace_back([&, i] { found[i] = tokenizer.encode(texts[i]); });
  for (std::thread& thread : threads) thread.join();
  CHECK(found == expected);
}

TEST_CASE("no text takes quadratic time") {
  const Tokenizer& tokenizer = qwen3();
  const auto llama = Tokenizer::load(data_path("tiny-llama"));
  for (const std::string unit :
       {"a", " ", "\n", "\U0001F600", "\u0301", "'", "\u4e00", "a ", " \n", "1", "A\u4e00"}) {
    std::string text;
    while (text.size() < 300000) text += unit;
    CAPTURE(unit);
    for (const Tokenizer* each : {&tokenizer, &llama}) {
      Stopwatch watch;
      const std::vector<Token> ids = each->encode(text, false);
      CHECK(watch.seconds() < 20);  // quadratic time would be minutes; the speed itself is measured elsewhere
      CHECK(each->decode(ids).size() > text.size() / 2);
    }
  }
}

TEST_CASE("explain shows the words, their merges and the same tokens as encode") {
  const Tokenizer& tokenizer = qwen3();
  const std::string text = "Explain <think>large</think> language\nmodels, caf\u00e9!";
  std::vector<Token> ids;
  std::string words;
  for (const ExplainedWord& word : tokenizer.explain(text)) {
    ids.insert(ids.end(), word.tokens.begin(), word.tokens.end());
    words += word.text;
    CHECK(word.added_token.has_value() == word.text.ends_with("think>"));
    if (!word.steps.empty()) CHECK(word.steps.back().tokens == word.tokens);
    CHECK(word.symbols.size() == (word.added_token ? 0 : word.text.size()));
  }
  CHECK(ids == tokenizer.encode(text));
  CHECK(words == text);
}

}  // namespace
}  // namespace llm::test
