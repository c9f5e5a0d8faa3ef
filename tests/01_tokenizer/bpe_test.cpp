// The algorithm itself: merges by rank, long words, unknown characters, training.
#include <doctest/doctest.h>

#include "chapters/01_tokenizer/bpe_model.h"
#include "chapters/01_tokenizer/byte_map.h"
#include "chapters/01_tokenizer/gguf_tokenizer.h"
#include "chapters/01_tokenizer/trainer.h"
#include "common/base/error.h"
#include "common/base/rng.h"
#include "tests/01_tokenizer/support.h"

namespace llm::test {
namespace {

std::vector<Token> encode(const BpeModel& model, std::string_view word) {
  BpeState state;
  std::vector<Token> tokens, again;
  model.encode(word, tokens, state);
  model.encode(word, again, state);
  CHECK(tokens == again);  // the second time from the cache
  return tokens;
}

// The definition: of all pairs with a merge the one of the lowest rank, the leftmost of equal ones, again and
// again.
std::vector<Token> merged_by_definition(const BpeModel& model, std::string_view word) {
  const std::vector<MergeStep> steps = model.merge_steps(word);
  return steps.empty() ? model.symbols(word) : steps.back().tokens;
}

BpeParts letters(std::vector<std::pair<std::string, std::string>> merges) {
  BpeParts parts;
  for (const char letter : std::string("abcd")) {
    parts.vocab.emplace_back(std::string(1, letter), static_cast<Token>(parts.vocab.size()));
  }
  for (const auto& [left, right] : merges) {
    parts.vocab.emplace_back(left + right, static_cast<Token>(parts.vocab.size()));
  }
  parts.merges = std::move(merges);
  return parts;
}

TEST_CASE("the lowest rank is merged first, the leftmost of equal ones") {
  // ab has rank 1, bc rank 0: "abc" is a|bc although ab stands further left.
  const BpeModel model(letters({{"b", "c"}, {"a", "b"}, {"a", "a"}, {"aa", "a"}}), false, "test");
  CHECK(encode(model, "abc") == std::vector<Token>{0, 4});
  CHECK(encode(model, "abab") == std::vector<Token>{5, 5});
  CHECK(encode(model, "aaaa") == std::vector<Token>{6, 6});  // two pairs, not a triple and one
  CHECK(encode(model, "aaa") == std::vector<Token>{7});      // aa|a, leftmost first
  CHECK(encode(model, "aab") == std::vector<Token>{0, 5});   // ab comes before aa
  CHECK(encode(model, "d") == std::vector<Token>{3});
}

TEST_CASE("a merge that is listed twice has its last rank") {
  BpeParts parts = letters({{"a", "b"}, {"b", "c"}});
  parts.merges.emplace_back("a", "b");
  const BpeModel model(std::move(parts), false, "test");
  CHECK(encode(model, "abc") == std::vector<Token>{0, 5});
}

TEST_CASE("words of any length are merged as the definition says") {
  const BpeModel model(letters({{"a", "b"},
                                {"b", "a"},
                                {"ab", "ab"},
                                {"c", "ab"},
                                {"ba", "c"},
                                {"abab", "d"},
                                {"d", "d"},
                                {"dd", "dd"},
                                {"a", "a"}}),
                       false, "test");
  for (std::uint32_t seed = 0; seed < 300; ++seed) {
    std::string word;
    for (std::uint32_t i = 0; i < 1 + seed % 97; ++i) {
      word += static_cast<char>('a' + random_words({.seed = seed, .purpose = RngPurpose::kTest}, i)[0] % 4);
    }
    CAPTURE(word);
    CHECK(encode(model, word) == merged_by_definition(model, word));
  }
}

TEST_CASE("Qwen3's long words are merged as the definition says") {
  const Tokenizer& tokenizer = qwen3();
  for (const std::string unit : {"a", "ab", "the", "Donaudampfschiff", "\u65e5\u672c", "\u0e01\u0e49"}) {
    std::string word;
    while (word.size() < 300) word += unit;
    const std::vector<ExplainedWord> words = tokenizer.explain(word);
    for (const ExplainedWord& explained : words) {
      CHECK(explained.tokens ==
            (explained.steps.empty() ? explained.symbols : explained.steps.back().tokens));
    }
  }
}

TEST_CASE("unknown characters: nothing, one unknown token each or together, or their bytes") {
  const std::string vocab = R"({"a":0,"<unk>":1,"<0xC3>":2,"<0xA9>":3})";
  const auto ids = [&](const std::string& options, const std::string& text) {
    return make_tokenizer({.vocab = vocab, .merges = "[]", .model_options = options}).encode(text);
  };
  CHECK(ids("", "ab\u00e9ca") == std::vector<Token>{0, 0});
  CHECK(ids(R"("unk_token":"<unk>")", "ab\u00e9ca") == std::vector<Token>{0, 1, 1, 1, 0});
  CHECK(ids(R"("unk_token":"<unk>","fuse_unk":true)", "ab\u00e9ca") == std::vector<Token>{0, 1, 0});
  // \u00e9 is C3 A9, both of which the vocabulary has; \u00ea would be C3 AA.
  CHECK(ids(R"("byte_fallback":true,"unk_token":"<unk>")", "a\u00e9\u00ea") ==
        std::vector<Token>{0, 2, 3, 1});
}

TEST_CASE("ignore_merges takes a word that is a token as it is") {
  const std::string vocab = R"({"a":0,"b":1,"c":2,"ab":3,"bc":4,"abc":5})";
  const std::string merges = R"([["b","c"]])";
  CHECK(make_tokenizer({.vocab = vocab, .merges = merges}).encode("abc") == std::vector<Token>{0, 4});
  CHECK(make_tokenizer({.vocab = vocab, .merges = merges, .model_options = R"("ignore_merges":true)"})
            .encode("abc") == std::vector<Token>{5});
}

TEST_CASE("prefix and suffix of word parts") {
  const std::string vocab = R"({"a":0,"##b":1,"ab":2,"b</w>":3,"##c</w>":4,"abc</w>":5,"##b</w>":6})";
  const Tokenizer both =
      make_tokenizer({.vocab = vocab,
                      .merges = R"([["a","##b"],["ab","##c</w>"]])",
                      .model_options = R"("continuing_subword_prefix":"##","end_of_word_suffix":"</w>")"});
  CHECK(both.encode("abc") == std::vector<Token>{5});
  CHECK(both.encode("b") == std::vector<Token>{3});
  CHECK(both.encode("ab") == std::vector<Token>{0, 6});
}

TEST_CASE("the trainer merges the most frequent pair, of equals the one with the lower ids") {
  const std::vector<std::string> texts = {
      "low low low low low lower lower newest newest newest newest newest newest", " widest widest widest"};
  const BpeParts parts = train_bpe(texts, {.vocab_size = 256 + 4});
  // es: 9 (newest 6, widest 3); st: 9. e is byte 101, s 115, t 116: (e,s) before (s,t).
  REQUIRE(parts.merges.size() == 4);
  CHECK(parts.merges[0] == std::pair<std::string, std::string>("e", "s"));
  CHECK(parts.merges[1] == std::pair<std::string, std::string>("es", "t"));
  CHECK(parts.merges[2] == std::pair<std::string, std::string>("l", "o"));
  CHECK(parts.merges[3] == std::pair<std::string, std::string>("lo", "w"));
  CHECK(parts.vocab.size() == 260);
  CHECK(parts.vocab[256].first == "es");
}

TEST_CASE("a trained vocabulary encodes its text back to itself, and training stops when no pair is left") {
  const std::vector<std::string> texts = {"caf\u00e9 caf\u00e9, na\u00efve: na\u00efve\nca ca"};
  BpeParts parts = train_bpe(texts, {.vocab_size = 100000});
  CHECK(parts.vocab.size() < 300);
  CHECK(parts.vocab.size() == 256 + parts.merges.size());
  const BpeModel model(std::move(parts), true, "test");
  std::string bytes;
  for (const Token token : encode(model, texts[0]))
    bytes += characters_to_bytes(*model.vocab().text(token)).value();
  CHECK(bytes == texts[0]);
  CHECK_THROWS_AS(train_bpe(texts, {.vocab_size = 255}), Error);
}

GgufVocabulary small_gguf() {
  GgufVocabulary gguf;
  gguf.model = "llama";
  gguf.tokens = {"<unk>", "<s>", "</s>", "<0x0A>", "\u2581", "a", "b", "ab", "\u2581a", "\u2581ab"};
  gguf.token_types = {2, 3, 3, 6, 1, 1, 1, 1, 1, 1};
  gguf.scores = {0, 0, 0, 0, -10, -11, -12, -1, -2, -3};
  gguf.bos_token_id = 1;
  gguf.eos_token_id = 2;
  gguf.unknown_token_id = 0;
  return gguf;
}

TEST_CASE("GGUF's llama kind: merges by score, BOS by default, a blank in front") {
  const Tokenizer tokenizer(make_gguf_tokenizer(small_gguf(), "test.gguf"));
  CHECK(tokenizer.encode("ab") == std::vector<Token>{1, 9});  // a+b (-1), then the blank (-3)
  CHECK(tokenizer.encode("ab\nb", false) == std::vector<Token>{9, 3, 6});
  CHECK(tokenizer.encode("a</s>x", false) == std::vector<Token>{8, 2, 4, 0});
  CHECK(tokenizer.decode(std::vector<Token>{1, 9, 3, 6}, true) == "ab\nb");
  GgufVocabulary other = small_gguf();
  other.add_bos_token = false;
  other.add_eos_token = true;
  other.add_space_prefix = false;
  CHECK(Tokenizer(make_gguf_tokenizer(other, "test.gguf")).encode("ab") == std::vector<Token>{7, 2});
}

TEST_CASE("GGUF vocabularies that make no sense are refused") {
  const auto message = [](auto change) -> std::string {
    GgufVocabulary gguf = small_gguf();
    change(gguf);
    try {
      make_gguf_tokenizer(gguf, "test.gguf");
    } catch (const Error& error) {
      return error.what();
    }
    return "";
  };
  CHECK(message([](GgufVocabulary&) {}).empty());
  CHECK(message([](GgufVocabulary& g) { g.model = "bert"; }).find("bert") != std::string::npos);
  CHECK(message([](GgufVocabulary& g) { g.scores.pop_back(); }).find("scores") != std::string::npos);
  CHECK(message([](GgufVocabulary& g) { g.scores.clear(); }).find("scores") != std::string::npos);
  CHECK(message([](GgufVocabulary& g) { g.token_types.push_back(1); }).find("token_type") !=
        std::string::npos);
  CHECK(message([](GgufVocabulary& g) { g.bos_token_id = 10; }).find("bos_token_id") != std::string::npos);
  CHECK(message([](GgufVocabulary& g) { g.tokens.clear(); }).find("tokens") != std::string::npos);
  CHECK(message([](GgufVocabulary& g) {
          g.model = "gpt2";
          g.pre = "telepathy";
        }).find("telepathy") != std::string::npos);
  CHECK(message([](GgufVocabulary& g) {
          g.model = "gpt2";
          g.merges = {"a b", "ab"};
        }).find("merges[1]") != std::string::npos);
  CHECK(message([](GgufVocabulary& g) {
          g.model = "gpt2";
          g.merges = {"b a"};
        }).find("'ba' is not in") != std::string::npos);
}

}  // namespace
}  // namespace llm::test
