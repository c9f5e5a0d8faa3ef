// What the program says: whether tokens are equal, how much work it was, what is asked in which turn.
#include <doctest/doctest.h>

#include "chapters/02_naive_loop/flops.h"
#include "chapters/03_kv_cache/cache_kinds.h"
#include "chapters/03_kv_cache/cached_greedy.h"
#include "chapters/03_kv_cache/cached_report.h"
#include "chapters/03_kv_cache/change_key.h"
#include "chapters/03_kv_cache/phase_work.h"
#include "chapters/03_kv_cache/token_check.h"
#include "chapters/03_kv_cache/turns.h"
#include "common/base/error.h"
#include "tests/02_naive_loop/fixtures.h"
#include "tests/02_naive_loop/random_model.h"

namespace llm::test {
namespace {

using Ids = std::vector<Token>;

// Tokens 3 and 8 have the same row in the head: their scores are always equal.
std::unique_ptr<Transformer> twin_model() {
  const ModelConfig config = awkward_config("llama");
  WeightMap weights = random_weights(config, 21);
  std::vector<float>& head =
      weights.contains("lm_head.weight") ? weights["lm_head.weight"] : weights["model.embed_tokens.weight"];
  std::copy_n(head.begin() + 3 * 20, 20, head.begin() + 8 * 20);
  return std::make_unique<Transformer>(config, to_checkpoint(config, weights),
                                       cached_engine(dynamic_cache_kinds()));
}

TEST_CASE("right tokens pass, as many as are asked for; a wrong one is named") {
  const auto model = twin_model();
  const Ids prompt = {1, 2, 4};
  Ids tokens = greedy(*model, {prompt}, 10, {}).new_tokens[0];
  const TokenCheck all = check_tokens(*model, prompt, tokens, {}, 1e-4);
  CHECK(all.passed());
  CHECK(all.text() == "10/10");
  CHECK(check_tokens(*model, prompt, tokens, {.tokens = 4}, 1e-4).text() == "4/4, of 10 new ones");
  CHECK(check_tokens(*model, prompt, tokens, {.tokens = 0}, 1e-4).text() == "0/0, of 10 new ones");
  CHECK(check_tokens(*model, prompt, tokens, {.tokens = 99}, 1e-4).equal == 10);
  CHECK(check_tokens(*model, prompt, tokens, {.seconds = 0}, 1e-4).equal == 1);  // one at least
  const Token right = tokens[6];
  tokens[6] = static_cast<Token>((right + 5) % 37);
  const TokenCheck wrong = check_tokens(*model, prompt, tokens, {}, 1e-4);
  CHECK(!wrong.passed());
  CHECK(wrong.equal == 6);
  CHECK(wrong.text() ==
        "6/7: token 7 is " + std::to_string(tokens[6]) + ", expected " + std::to_string(right));
}

TEST_CASE("where the two best scores are equal, either token may win, and the step is named") {
  const auto model = twin_model();
  bool found = false;
  for (Token first = 0; first < 37 && !found; ++first) {
    Ids tokens = greedy(*model, {{first}}, 12, {}).new_tokens[0];
    const auto tie = std::ranges::find(tokens, 3);
    if (tie == tokens.end()) continue;
    found = true;
    *tie = 8;
    const TokenCheck check = check_tokens(*model, {first}, tokens, {}, 1e-4);
    CHECK(check.passed());
    REQUIRE(check.too_close);
    CHECK(*check.too_close == tie - tokens.begin());
    CHECK(check.equal == *check.too_close);
    CHECK(check.text().find("token " + std::to_string(*check.too_close + 1)) != std::string::npos);
    *tie = 9;
    CHECK(!check_tokens(*model, {first}, tokens, {}, 1e-4).passed());
  }
  CHECK(found);
}

TEST_CASE("--check: a number, all, or nothing") {
  CHECK(!parse_check_limit("").tokens);
  CHECK(parse_check_limit("").seconds == 10);
  CHECK(*parse_check_limit("12").tokens == 12);
  CHECK(*parse_check_limit("0").tokens == 0);
  CHECK(*parse_check_limit("all").tokens > 1'000'000);
  for (const char* bad : {"-1", "x", "3x", " 3", "1e3"}) CHECK_THROWS_AS(parse_check_limit(bad), Error);
}

TEST_CASE("work by phases: 2,336 and 68 positions, sums as chapter 02 counts them") {
  ModelConfig config = awkward_config("qwen3");
  config.sliding_window = 4;
  config.layer_types[1] = LayerType::kSlidingAttention;
  const GenerationWork naive = naive_phases(config, 5, 64), cached = cached_phases(config, 0, 5, 64);
  CHECK(naive.prefill.positions == 5);
  CHECK(naive.prefill.positions + naive.decode.positions == 2336);
  CHECK(cached.prefill.positions == 5);
  CHECK(cached.decode.positions == 63);
  CHECK(naive.prefill.total() == doctest::Approx(forward_flops(config, 0, 5, 1)));
  CHECK(naive.prefill.total() + naive.decode.total() == doctest::Approx(naive_work(config, 5, 64).flops));
  CHECK(cached.prefill.total() + cached.decode.total() == doctest::Approx(cached_work(config, 5, 64).flops));
  CHECK(cached.decode.linear == doctest::Approx(63.0 * 3 * static_cast<double>(linear_flops(config))));
  CHECK(cached.decode.head == doctest::Approx(63.0 * static_cast<double>(head_flops(config))));
  // What the cache held before is not computed, but seen.
  const GenerationWork continued = cached_phases(config, 30, 40, 2, 4);
  CHECK(continued.prefill.positions == 10);
  CHECK(continued.prefill.attention == doctest::Approx(attention_pass_flops(config, 30, 10)));
  CHECK(continued.prefill.head == doctest::Approx(3.0 * static_cast<double>(head_flops(config))));
  CHECK(cached_phases(config, 0, 5, 0).prefill.positions == 0);
}

TEST_CASE("a changed key moves the scores, and everything is as before afterwards") {
  const auto model = twin_model();
  CachedText text{model->make_cache({}), {}};
  const std::vector<Ids> rows = {{1, 2, 4, 7, 9}};
  set_cached_ids(text, rows[0], cached_greedy(*model, *text.cache, rows, 4, {}).new_tokens[0]);
  const KeyChange change = change_key(*model, text, 0);
  CHECK(change.unchanged == 0);
  CHECK(change.moved > 1e-3 * change.largest);
  CHECK(change_key(*model, text, 0).moved == change.moved);
  CHECK(change_key(*model, text, 6).unchanged == 0);
  CHECK(text.cache->get_seq_length(0) == 8);
  for (const Index position : {-1, 7, 8}) CHECK_THROWS_AS(change_key(*model, text, position), Error);
}

TEST_CASE("memory of a cache: what is in it and what is reserved, each by formula; the allocator agrees") {
  const auto model = twin_model();
  for (const char* dtype : {"f32", "bf16"}) {
    const CacheSpec spec{.cache_dtype = dtype};
    const auto cache = model->make_cache(spec);
    (void)cached_greedy(*model, *cache, std::vector<Ids>{{1, 2, 4}}, 9, {});
    const CacheMemory memory = dynamic_cache_memory(*cache, model->config(), spec);
    CHECK(memory.tokens == 11);
    CHECK(memory.token_bytes == 2 * 3 * 2 * 6 * (dtype[0] == 'f' ? 4 : 2));
    CHECK(memory.reserved_tokens >= 11);
    CHECK(memory.reserved_bytes() == memory.allocated_bytes);
    CHECK(memory.allocated_bytes == cache->memory_bytes());
    CHECK(memory.moved_bytes > 0);
  }
}

TEST_CASE("turns: one text, or a conversation that grows by the model's answers") {
  const OpenModel opened = open_model(model_path("tiny-qwen3").string(), /*quiet=*/true);
  Turns one(opened, {}, "The old teacher");
  CHECK(one.next({}) == encode_prompt(opened, "The old teacher"));
  CHECK(one.heading() == "The old teacher");
  CHECK(!one.next({5}));

  Turns chat(opened, {.chat = "Hi", .system = "Be kind", .chat_template = "chatml", .then = {"Why?"}}, "");
  const auto first = chat.next({});
  REQUIRE(first);
  const std::string text = opened.tokenizer->decode(*first, false);
  CHECK(text.find("Be kind") != std::string::npos);
  CHECK(text.find("Hi") > text.find("Be kind"));
  const Ids reply = opened.tokenizer->encode(" very well");
  const auto second = chat.next(reply);
  REQUIRE(second);
  const std::string more = opened.tokenizer->decode(*second, false);
  CHECK(more.find("very well") != std::string::npos);
  CHECK(more.find("Why?") > more.find("very well"));
  CHECK(std::equal(first->begin(), first->end(), second->begin()));  // so that the cache can be used again
  CHECK(!chat.next(reply));
}

}  // namespace
}  // namespace llm::test
