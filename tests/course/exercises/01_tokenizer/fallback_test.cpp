#include <cstdio>

#include "chapters/01_tokenizer/bpe_model.h"
#include "tests/course/exercises/grading.h"

namespace llm::grading {
namespace {

using Ids = std::vector<Token>;

constexpr Token kUnk = 0, kA = 1, kB = 2;
Token byte_id(int byte) { return 300 - byte; }  // so that an id is no byte

// Letters a and b, and the tokens <0x00> to <0xFF> but for those of `missing`.
BpeModel make_model(const std::vector<int>& missing = {}) {
  BpeParts parts;
  parts.vocab = {{"<unk>", kUnk}, {"a", kA}, {"b", kB}};
  for (int byte = 0; byte < 256; ++byte) {
    if (std::find(missing.begin(), missing.end(), byte) != missing.end()) continue;
    char name[8];
    std::snprintf(name, sizeof name, "<0x%02X>", static_cast<unsigned>(byte));
    parts.vocab.emplace_back(name, byte_id(byte));
  }
  parts.unk_token = "<unk>";
  parts.byte_fallback = true;
  return BpeModel(std::move(parts), false, "test");
}

Ids bytes(std::initializer_list<int> values) {
  Ids ids;
  for (const int value : values) ids.push_back(byte_id(value));
  return ids;
}

Ids around(const Ids& middle) {
  Ids ids = {kA};
  ids.insert(ids.end(), middle.begin(), middle.end());
  ids.push_back(kB);
  return ids;
}

TEST_CASE("an unknown character becomes the tokens of its UTF-8 bytes") {
  const BpeModel model = make_model();
  expect_equal<Ids>("the tokens of \"a€b\"", model.symbols("a€b"), around(bytes({0xE2, 0x82, 0xAC})),
                    {{around({kUnk}), "the character became <unk> although all its bytes have tokens"},
                     {around({kUnk, kUnk, kUnk}), "each byte became <unk>; each has a token of its own"},
                     {around(bytes({0xAC})),
                      "one token, for the low byte of the code point U+20AC; it is the "
                      "bytes of the UTF-8 that have tokens: E2 82 AC"},
                     {around({}), "the character was dropped: what the model never sees it cannot repeat"},
                     {around(bytes({0xAC, 0x82, 0xE2})), "the bytes are in the wrong order"}});
  expect_equal<Ids>("the tokens of \"😀\"", model.symbols("😀"), bytes({0xF0, 0x9F, 0x98, 0x80}));
  expect_equal<Ids>("the tokens of \"éa\"", model.symbols("éa"), {byte_id(0xC3), byte_id(0xA9), kA});
}

TEST_CASE("where a byte has no token, the whole character is unknown") {
  const BpeModel model = make_model({0x82});
  expect_equal<Ids>(
      "the tokens of \"a€b\" without <0x82>", model.symbols("a€b"), around({kUnk}),
      {{around(bytes({0xE2, 0xAC})),
        "the bytes that have tokens were written, the other left out: half a "
        "character; it must be all of them or none"},
       {around({byte_id(0xE2), kUnk, byte_id(0xAC)}),
        "the bytes that have tokens were written, with <unk> for the other; it must be all or none"},
       {around({byte_id(0xE2), kUnk}),
        "bytes were written before it was known that all have tokens; it must be all of them or none"},
       {around({byte_id(0xE2), -1, byte_id(0xAC)}), "-1 was written: it means that the byte has no token"}});
  expect_equal<Ids>("the tokens of \"é\", which does not need <0x82>", model.symbols("é"),
                    bytes({0xC3, 0xA9}));
}

}  // namespace
}  // namespace llm::grading
