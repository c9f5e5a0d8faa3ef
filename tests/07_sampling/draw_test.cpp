// The draw, and that nothing is allocated for each token.
#include "chapters/07_sampling/draw.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "chapters/07_sampling/distinct_ngrams.h"
#include "chapters/07_sampling/processors.h"
#include "chapters/07_sampling/step_bars.h"
#include "chapters/07_sampling/token_chooser.h"
#include "common/cli/report.h"
#include "tests/04_preallocated_cache/count_news.h"
#include "tests/message_of.h"

namespace llm {
namespace {

Token draw_from(std::vector<float> scores, double uniform) {
  return draw({scores.data(), {std::ssize(scores)}}, uniform);
}

TEST_CASE("the token at which the cumulative probability passes the number, in the order of ids") {
  const float no = -INFINITY, log2 = std::log(2.0f);
  const std::vector<float> scores = {no, log2, 0, no, 0};  // probabilities 0, 1/2, 1/4, 0, 1/4
  CHECK(draw_from(scores, 0.0) == 1);
  CHECK(draw_from(scores, 0.49999) == 1);
  CHECK(draw_from(scores, 0.50001) == 2);
  CHECK(draw_from(scores, 0.74999) == 2);
  CHECK(draw_from(scores, 0.75001) == 4);
  CHECK(draw_from(scores, std::nextafter(1.0, 0.0)) == 4);
  CHECK(draw_from({no, no, 3}, 0.0) == 2);
  CHECK(draw_from({-5}, 0.7) == 0);
  CHECK(draw_from({-1000, 1000}, 0.0) == 1);  // a weight of 0 is never drawn
}

TEST_CASE("no distribution, no token") {
  CHECK(message_of([] {
          (void)draw_from({-INFINITY, -INFINITY}, 0.5);
        }).find("every token is banned") != std::string::npos);
  CHECK(message_of([] { (void)draw_from({1, NAN}, 0.1); }).find("token 1 is NaN") != std::string::npos);
  CHECK(message_of([] {
          (void)draw_from({1, 2, INFINITY}, 0.1);
        }).find("token 2 is infinite") != std::string::npos);
}

// A row of scores that is another one at each step.
struct Source {
  std::vector<float> scores = std::vector<float>(5000);
  View<const float, 1> next(Index step) {
    for (std::size_t v = 0; v < scores.size(); ++v)
      scores[v] = static_cast<float>((v * 7919 + static_cast<std::size_t>(step) * 104729) % 1000) / 100;
    return {scores.data(), {std::ssize(scores)}};
  }
};

GenerationConfig everything() {
  GenerationConfig config;
  const auto set = [&](const char* name, const char* value) {
    set_generation_field(config, name, value, "t");
  };
  set("do_sample", "true"), set("temperature", "0.7"), set("top_k", "200"), set("top_p", "0.95");
  set("min_p", "0.001"), set("typical_p", "0.9"), set("epsilon_cutoff", "0.0001"),
      set("eta_cutoff", "0.0001");
  set("top_h", "0.95"), set("repetition_penalty", "1.1"), set("no_repeat_ngram_size", "3");
  set("bad_words_ids", "[[6], [5, 9]]"), set("sequence_bias", "[[[3], -2.0], [[7, 4], 5.0]]");
  set("suppress_tokens", "1,2"), set("encoder_repetition_penalty", "1.1"), set("renormalize_logits", "true");
  set("watermarking_config", "{}"), set("eos_token_id", "0"), set("min_new_tokens", "400");
  return config;
}

TEST_CASE("nothing is allocated for a token, whatever the processors") {
  Source source;
  const std::vector<Token> prompt = {4, 8, 15, 16};
  const LogitsProcessorList list = make_processors(
      everything(), {.prompt_length = 4, .max_length = 500, .vocab_size = 5000, .left_padding = {0}});
  TokenChooser chooser({.processors = list, .do_sample = true, .seed = 1}, prompt, 0, 400);
  const auto step = [&](Index i) {
    chooser.take(source.next(i));
    (void)chooser.choose_next();
  };
  for (Index i = 0; i < 20; ++i) step(i);  // memory grows to what the vocabulary needs
  const long before = test::count_news();
  for (Index i = 20; i < 320; ++i) step(i);
  CHECK(test::count_news() == before);
}

TEST_CASE("a row's numbers do not depend on the other rows, its padding or the order of the draws") {
  Source source;
  const std::vector<Token> prompt = {4, 8, 15}, padded = {0, 0, 4, 8, 15};
  const auto text = [&](std::span<const Token> ids, Index padding, std::uint64_t seed, std::uint32_t row) {
    TokenChooser chooser({.do_sample = true, .seed = seed, .sequence = row}, ids, padding, 20);
    std::vector<Token> tokens;
    for (Index i = 0; i < 20; ++i) {
      chooser.take(source.next(i));
      tokens.push_back(chooser.choose_next());
    }
    return tokens;
  };
  const auto alone = text(prompt, 0, 7, 0);
  CHECK(text(prompt, 0, 7, 0) == alone);
  CHECK(text(padded, 2, 7, 0) == alone);
  CHECK(text(prompt, 0, 7, 1) != alone);
  CHECK(text(prompt, 0, 8, 0) != alone);
}

TEST_CASE("distinct 4-grams") {
  const std::vector<Token> ids = {1, 2, 1, 2, 1, 2, 3};
  CHECK(distinct_ngrams(ids, 4).total == 4);
  CHECK(distinct_ngrams(ids, 4).distinct == 3);
  CHECK(distinct_ngrams(ids, 2).distinct == 3);
  CHECK(distinct_ngrams(ids, 8).total == 0);
}

// What --show-steps prints about a token, in lines.
std::vector<std::string> shown_lines(std::optional<Index> width) {
  std::FILE* file = std::tmpfile();
  StepBars bars(nullptr, 3, file, width);
  std::vector<float> before = {1, 4, 2}, after = {1, 4, kBanned};
  const auto row = [](std::vector<float>& scores) { return View<const float, 2>(scores.data(), {1, 3}); };
  bars.on_logits(0, row(before));
  for (const char* name : {"first", "second", "third"}) bars.on_processor(name, row(before), row(after));
  bars.on_processor("idle", row(after), row(after));
  bars.on_token(0, 1);
  std::rewind(file);
  std::vector<std::string> lines = {""};
  for (int c; (c = std::fgetc(file)) != EOF;) {
    if (c == '\n')
      lines.emplace_back();
    else
      lines.back().push_back(static_cast<char>(c));
  }
  std::fclose(file);
  return lines;
}

TEST_CASE("--show-steps: columns that do not fit into a line stand below, with the tokens once more") {
  const auto count = [](const std::vector<std::string>& lines, const std::string& words) {
    return std::ranges::count_if(lines,
                                 [&](const auto& line) { return line.find(words) != std::string::npos; });
  };
  const std::vector<std::string> wide = shown_lines({}), narrow = shown_lines(60), tiny = shown_lines(5);
  CHECK(count(wide, "> 1") == 1);
  CHECK(count(wide, "first") == 1);
  CHECK(count(narrow, "> 1") == 2);  // four columns, two of them beside each other
  CHECK(count(tiny, "> 1") == 4);
  for (const char* name : {"model", "first", "second", "third", "changed nothing: idle"})
    CHECK(count(narrow, name) == 1);
  for (const std::string& line : narrow) CHECK_MESSAGE(display_width(line) <= 60, line);
}

TEST_CASE("bars have eighths") {
  CHECK(share_bar(0, 3) == "   ");
  CHECK(share_bar(1, 3) == "███");
  CHECK(share_bar(0.5, 3) == "█▌ ");
  CHECK(share_bar(1.0 / 24, 3) == "▏  ");
}

}  // namespace
}  // namespace llm
