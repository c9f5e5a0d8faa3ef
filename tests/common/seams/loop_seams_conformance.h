// The small seams around a generation loop, a function each: stopping criteria, streamers, observers and
// candidate generators.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "common/seams/candidate_generator.h"
#include "common/seams/observer.h"
#include "common/seams/stopping_criteria.h"
#include "common/seams/streamer.h"
#include "tests/common/seams/checks.h"

namespace llm::test {

// text: a row for which the criterion is true from its done_at-th token on, and false before.
inline Checks stopping_criteria_conformance(const StoppingCriteria& criterion, const std::vector<Token>& text,
                                            std::size_t done_at, bool is_clock = false) {
  Checks checks(std::string(finish_reason_name(criterion.reason())));
  checks.that(criterion.reason() != FinishReason::kNone, "it names a reason");
  const auto done = [&](std::size_t length) { return criterion({text.data(), length}, {}); };
  bool before = false;
  for (std::size_t length = 1; length < done_at; ++length) before = before || done(length);
  checks.that(!before, "it is false before its time, also without scores");
  checks.that(done(done_at), "it is true at its time");
  if (!is_clock) checks.that(!done(done_at - 1) && done(done_at), "nothing is kept between calls");
  return checks;
}

// make: a new streamer, and a function that tells the text it has shown so far.
struct StreamerUnderTest {
  std::unique_ptr<Streamer> streamer;
  std::function<std::string()> shown;
};
inline Checks streamer_conformance(const std::string& name, const std::function<StreamerUnderTest()>& make,
                                   const std::vector<Token>& prompt, const std::vector<Token>& tokens) {
  Checks checks(name);
  const auto show = [&](std::size_t chunk) {
    const StreamerUnderTest test = make();
    test.streamer->put(prompt);
    std::string before;
    for (std::size_t i = 0; i < tokens.size(); i += chunk) {
      test.streamer->put({tokens.data() + i, std::min(chunk, tokens.size() - i)});
      const std::string now = test.shown();
      checks.that(now.starts_with(before), "what was shown stays");
      before = now;
    }
    test.streamer->end();
    checks.that(test.shown().starts_with(before), "end() takes nothing back");
    return test.shown();
  };
  checks.part("put and end", [&] {
    const std::string one = show(1);
    checks.that(!one.empty(), "something is shown");
    checks.that(show(3) == one && show(tokens.size()) == one, "several tokens at once show the same text");
  });
  checks.part("no tokens", [&] {
    const StreamerUnderTest test = make();
    test.streamer->end();
    checks.that(test.shown().empty(), "end() without a token shows nothing");
  });
  return checks;
}

// An observer may be called with anything that the seam allows, in any order, also with nothing in it.
inline Checks observer_conformance(const std::string& name, Observer& observer) {
  Checks checks(name);
  checks.part("calls", [&] {
    const std::vector<float> scores = {0.5f, -1, 2, 0, 0, 1};
    const View<const float, 2> two_rows(scores.data(), {2, 3});
    observer.on_logits(0, two_rows);
    observer.on_processor("top_k", two_rows, two_rows);
    observer.on_token(1, 2);
    observer.on_beams(0, {});
    const std::vector<BeamStep> beams = {{.parent = 1, .token = 2, .score = -0.5f, .finished = true}, {}};
    observer.on_beams(0, beams);
    observer.on_draft({}, 0);
    observer.on_draft(std::vector<Token>{1, 2}, 2);
    observer.on_logits(1, {scores.data(), {1, 6}});  // fewer rows, another vocabulary
  });
  return checks;
}

// truth: a text that goes on after the prompt's tokens; vocab_size bounds the guesses.
inline Checks candidate_generator_conformance(const std::string& name, CandidateGenerator& generator,
                                              const std::vector<Token>& truth, std::size_t prompt,
                                              Index vocab_size) {
  Checks checks(name);
  checks.part("guesses", [&] {
    std::size_t length = prompt;
    while (length < truth.size()) {
      const std::span<const Token> so_far(truth.data(), length);
      const auto left = static_cast<Index>(truth.size() - length);
      checks.that(generator.get_candidates(so_far, 0).ids.empty(),
                  "no more than max_candidates: none of none");
      const Candidates guess = generator.get_candidates(so_far, std::min<Index>(4, left));
      const auto K = static_cast<Index>(guess.ids.size());
      checks.that(K <= std::min<Index>(4, left), "no more than max_candidates");
      checks.that(guess.scores.empty() || (guess.scores.shape(0) == K && guess.scores.shape(1) == vocab_size),
                  "scores are [K, V] or empty");
      Index matches = 0;
      bool valid = true;
      for (Index i = 0; i < K; ++i) {
        const Token id = guess.ids[static_cast<std::size_t>(i)];
        valid = valid && id >= 0 && id < vocab_size;
        if (matches == i && matches < left && id == truth[length + static_cast<std::size_t>(i)]) ++matches;
      }
      checks.that(valid, "guesses are in the vocabulary");
      length = std::min(length + static_cast<std::size_t>(matches) + 1, truth.size());
      generator.update_candidate_strategy({truth.data(), length}, K, matches);
      if (!checks.failures().empty()) return;
    }
  });
  return checks;
}

}  // namespace llm::test
