// The program's --train: a corpus in, a tokenizer.json out.
#include <doctest/doctest.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "chapters/01_tokenizer/tokenizer.h"
#include "chapters/01_tokenizer/train_tokenizer.h"
#include "common/base/error.h"
#include "common/io/json.h"
#include "tests/message_of.h"
#include "tests/temp_folder.h"

namespace llm::test {
namespace {

namespace fs = std::filesystem;

std::string error_of(const fs::path& corpus) {
  return message_of([&] { read_corpus(corpus); });
}

TEST_CASE("a corpus is one text, or one a line") {
  const TempFolder folder;
  CHECK(read_corpus(folder.write("a.txt", "one\ntwo\n")) == std::vector<std::string>{"one\ntwo\n"});
  CHECK(read_corpus(folder.write("a.jsonl", "{\"text\": \"one\\ntwo\"}\n{\"text\": \"\"}\n")) ==
        std::vector<std::string>{"one\ntwo", ""});
  CHECK(error_of(folder.write("b.jsonl", "{\"text\": \"a\"}\n{\"txt\": \"b\"}\n")).find("line 2") !=
        std::string::npos);
  CHECK(error_of(folder.write("empty.txt", "")).find("no text") != std::string::npos);
  CHECK(error_of(folder.path() / "missing.txt").find("missing.txt") != std::string::npos);
  CHECK(error_of(folder.path()).find("cannot read") != std::string::npos);
}

TEST_CASE("the ids of a trained tokenizer: bytes in the order of their characters, then merges") {
  const std::vector<std::string> texts = {"abab ab abab \u00e9"};
  const BpeParts parts = train_bpe(texts, {.vocab_size = 258});
  REQUIRE(parts.vocab.size() == 258);
  for (std::size_t id = 0; id < parts.vocab.size(); ++id)
    CHECK(parts.vocab[id].second == static_cast<Token>(id));
  CHECK(parts.vocab[0].first == "!");
  CHECK(parts.vocab[93].first == "~");
  CHECK(parts.vocab[94].first == "\u00a1");
  CHECK(parts.vocab[188].first == "\u0100");       // byte 0
  CHECK(parts.vocab[188 + 32].first == "\u0120");  // the blank
  CHECK(parts.vocab[256].first == "ab");
  // (ab, ab) twice, (blank, ab) twice: ab has id 256, the blank 220, and the lower left id wins.
  CHECK(parts.vocab[257].first == "\u0120ab");
}

TEST_CASE("the written tokenizer.json loads, and gives every text back") {
  const TempFolder folder;
  const fs::path corpus =
      folder.write("corpus.txt", "We'll see 1234 seas, we'll see 5678 ships.\n\n  The end");
  TrainRequest request{.corpus = corpus,
                       .out = folder.path() / "tokenizer.json",
                       .pattern = "qwen2",
                       .vocab_size = 270,
                       .quiet = true};
  CHECK(train_tokenizer(request) == 0);
  const Tokenizer tokenizer = Tokenizer::load(folder.path());
  for (const std::string text : {"We'll see", " 12 \u4f60\u597d \U0001F680\n\n x", "The end"})
    CHECK(tokenizer.decode(tokenizer.encode(text, true), false) == text);
  CHECK(tokenizer.encode(" see", true).size() == 1);
  CHECK(tokenizer.encode("12", true).size() == 2);  // qwen2: each digit alone
}

TEST_CASE("nothing is written over a file when the new one cannot be finished") {
  const TempFolder folder;
  const BpeParts parts = train_bpe(std::vector<std::string>{"aaaa"}, {.vocab_size = 257});
  CHECK_THROWS_AS(write_tokenizer_json(folder.path() / "no" / "such" / "folder.json", parts, ""), Error);
  CHECK_THROWS_AS(write_tokenizer_json(folder.path(), parts, ""), Error);
  CHECK(fs::is_empty(folder.path()));
}

}  // namespace
}  // namespace llm::test
