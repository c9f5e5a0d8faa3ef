#include "tests/common/seams/loop_seams_conformance.h"

#include "tests/common/seams/logits_conformance.h"
#include "tests/common/seams/logits_processor_conformance.h"

namespace llm::test {
namespace {

// --- Logits -----------------------------------------------------------------------------------------------

enum class LogitsFault { kNone, kFirstPosition, kHighestTie, kTakesNan, kNoTopP, kIgnoresUniform };

class TestLogits : public Logits {
 public:
  TestLogits(View<const float, 3> scores, LogitsFault fault, bool sample) : fault_(fault), sample_(sample) {
    scores_ = Tensor<float, 3>(scores.shape());
    std::copy_n(scores.data(), scores.size(), scores_.data());
  }
  View<const float, 3> host() override { return scores_.view(); }
  std::vector<Token> argmax() override {
    std::vector<Token> best;
    for (Index b = 0; b < scores_.shape(0); ++b) {
      const auto row = host()[b][fault_ == LogitsFault::kFirstPosition ? 0 : scores_.shape(1) - 1];
      Index top = 0;
      for (Index v = 0; v < row.size(); ++v) {
        if (std::isnan(row[v]) && fault_ != LogitsFault::kTakesNan)
          fail(ErrorCode::kRange, {.where = "test", .what = "NaN"});
        if (row[v] > row[top] || (fault_ == LogitsFault::kHighestTie && row[v] == row[top])) top = v;
      }
      best.push_back(static_cast<Token>(top));
    }
    return best;
  }
  bool has_sample() const override { return sample_; }
  std::vector<Token> sample(float temperature, Index top_k, float top_p,
                            std::span<const double> uniforms) override {
    if (!sample_) return Logits::sample(temperature, top_k, top_p, uniforms);
    std::vector<Token> ids;
    for (Index b = 0; b < scores_.shape(0); ++b)
      ids.push_back(sample_oracle(
          host()[b][scores_.shape(1) - 1], temperature, top_k,
          fault_ == LogitsFault::kNoTopP ? 1.0 : static_cast<double>(top_p),
          fault_ == LogitsFault::kIgnoresUniform ? 0.4 : uniforms[static_cast<std::size_t>(b)]));
    return ids;
  }

 private:
  Tensor<float, 3> scores_;
  LogitsFault fault_;
  bool sample_;
};

Checks check_logits(LogitsFault fault, bool sample = true) {
  return logits_conformance("test", [&](View<const float, 3> scores) -> std::unique_ptr<Logits> {
    return std::make_unique<TestLogits>(scores, fault, sample);
  });
}

TEST_CASE("logits conform, with sample() and without, and mistakes are caught") {
  expect_conforms(check_logits(LogitsFault::kNone));
  expect_conforms(check_logits(LogitsFault::kNone, false));
  expect_caught(check_logits(LogitsFault::kFirstPosition), "last kept position");
  expect_caught(check_logits(LogitsFault::kHighestTie), "lowest id of a tie");
  expect_caught(check_logits(LogitsFault::kTakesNan), "argmax of NaN");
  expect_caught(check_logits(LogitsFault::kNoTopP), "sample() picks");
  expect_caught(check_logits(LogitsFault::kIgnoresUniform), "sample() picks");
}

// --- LogitsProcessor --------------------------------------------------------------------------------------

enum class ProcessorFault { kNone, kCounts, kUsesRowNumber, kRevives, kDoesNothing, kMakesNan };

// Halves the scores of tokens that the row has, bans token 0.
class TestProcessor : public LogitsProcessor {
 public:
  explicit TestProcessor(ProcessorFault fault) : fault_(fault) {}
  std::string_view name() const override { return "test"; }
  void operator()(View<const Token, 2> input_ids, View<float, 2> scores) const override {
    ++calls_;
    if (fault_ == ProcessorFault::kDoesNothing) return;
    for (Index b = 0; b < scores.shape(0); ++b) {
      for (Index s = 0; s < input_ids.shape(1); ++s) scores(b, input_ids(b, s)) *= 0.5f;
      scores(b, 0) = -std::numeric_limits<float>::infinity();
      if (fault_ == ProcessorFault::kCounts) scores(b, 1) += static_cast<float>(calls_);
      if (fault_ == ProcessorFault::kUsesRowNumber) scores(b, 1) += static_cast<float>(b);
      if (fault_ == ProcessorFault::kRevives) scores(b, 3) = std::max(scores(b, 3), -1e9f);
      if (fault_ == ProcessorFault::kMakesNan) scores(b, 3) -= scores(b, 3);
    }
  }

 private:
  ProcessorFault fault_;
  mutable int calls_ = 0;
};

Checks check_processor(ProcessorFault fault) {
  const TestProcessor processor(fault);
  ProcessorCase c = {processor, {{1, 2}, {4, 4}, {2, 5}}, Tensor<float, 2>({3, 6}), false};
  for (Index i = 0; i < c.scores.size(); ++i) c.scores.data()[i] = static_cast<float>(i % 7) - 2.5f;
  for (Index b = 0; b < 3; ++b) c.scores(b, 3) = -std::numeric_limits<float>::infinity();
  return logits_processor_conformance(c);
}

TEST_CASE("a processor conforms, and mistakes are caught") {
  expect_conforms(check_processor(ProcessorFault::kNone));
  expect_caught(check_processor(ProcessorFault::kCounts), "nothing is kept between calls");
  expect_caught(check_processor(ProcessorFault::kUsesRowNumber), "rows may change places");
  expect_caught(check_processor(ProcessorFault::kRevives), "minus infinity stays");
  expect_caught(check_processor(ProcessorFault::kDoesNothing), "changed in place");
  expect_caught(check_processor(ProcessorFault::kMakesNan), "NaN");
}

// --- StoppingCriteria -------------------------------------------------------------------------------------

class TestCriterion : public StoppingCriteria {
 public:
  TestCriterion(Token end, bool latches) : end_(end), latches_(latches) {}
  FinishReason reason() const override { return FinishReason::kEos; }
  bool operator()(std::span<const Token> input_ids, std::span<const float>) const override {
    const bool now = !input_ids.empty() && input_ids.back() == end_;
    done_ = now || (latches_ && done_);
    return done_;
  }

 private:
  Token end_;
  bool latches_;
  mutable bool done_ = false;
};

TEST_CASE("a stopping criterion conforms, and mistakes are caught") {
  const std::vector<Token> text = {3, 1, 4, 9};
  expect_conforms(stopping_criteria_conformance(TestCriterion(9, false), text, 4));
  expect_caught(stopping_criteria_conformance(TestCriterion(1, false), text, 4), "false before its time");
  expect_caught(stopping_criteria_conformance(TestCriterion(5, false), text, 4), "true at its time");
  expect_caught(stopping_criteria_conformance(TestCriterion(9, true), text, 4), "nothing is kept");
}

// --- Streamer ---------------------------------------------------------------------------------------------

enum class StreamerFault { kNone, kFirstOfMany, kTakesBack, kTalksAlone };

class TestStreamer : public Streamer {
 public:
  TestStreamer(std::string& shown, StreamerFault fault) : shown_(shown), fault_(fault) {}
  void put(std::span<const Token> ids) override {
    const bool prompt = std::exchange(prompt_, false);
    for (std::size_t i = 0; i < ids.size() && !prompt; ++i)
      if (i == 0 || fault_ != StreamerFault::kFirstOfMany) shown_ += static_cast<char>('a' + ids[i]);
  }
  void end() override {
    if (fault_ == StreamerFault::kTakesBack && !shown_.empty()) shown_.pop_back();
    if (fault_ == StreamerFault::kTalksAlone) shown_ += "\n";
  }

 private:
  std::string& shown_;
  StreamerFault fault_;
  bool prompt_ = true;
};

Checks check_streamer(StreamerFault fault) {
  std::vector<std::unique_ptr<std::string>> texts;
  const auto make = [&] {
    texts.push_back(std::make_unique<std::string>());
    std::string& text = *texts.back();
    return StreamerUnderTest{std::make_unique<TestStreamer>(text, fault), [&text] { return text; }};
  };
  return streamer_conformance("test", make, {1, 2}, {3, 4, 5, 6, 7});
}

TEST_CASE("a streamer conforms, and mistakes are caught") {
  expect_conforms(check_streamer(StreamerFault::kNone));
  expect_caught(check_streamer(StreamerFault::kFirstOfMany), "several tokens at once");
  expect_caught(check_streamer(StreamerFault::kTakesBack), "takes nothing back");
  expect_caught(check_streamer(StreamerFault::kTalksAlone), "without a token");
}

// --- Observer ---------------------------------------------------------------------------------------------

class FixedSizeObserver : public Observer {
 public:
  void on_beams(Index, std::span<const BeamStep> beams) override {
    if (beams.empty()) fail(ErrorCode::kRange, {.what = "no beams"});
  }
};

TEST_CASE("the observer that does nothing conforms; one that expects too much does not") {
  Observer silent;
  expect_conforms(observer_conformance("silent", silent));
  FixedSizeObserver strict;
  expect_caught(observer_conformance("strict", strict), "throws");
}

// --- CandidateGenerator -----------------------------------------------------------------------------------

// Guesses that the last token is followed by its successors.
class CountingGenerator : public CandidateGenerator {
 public:
  CountingGenerator(Index extra, Token offset) : extra_(extra), offset_(offset) {}
  Candidates get_candidates(std::span<const Token> input_ids, Index max_candidates) override {
    Candidates guess;
    for (Index i = 0; i < max_candidates + extra_; ++i)
      guess.ids.push_back(static_cast<Token>((input_ids.back() + 1 + i) % 10) + offset_);
    return guess;
  }
  void update_candidate_strategy(std::span<const Token>, Index, Index) override {}

 private:
  Index extra_;
  Token offset_;
};

TEST_CASE("a candidate generator conforms, and mistakes are caught") {
  const std::vector<Token> truth = {1, 2, 3, 4, 6, 7, 8, 9, 0, 1};
  const auto check = [&](CountingGenerator generator) {
    return candidate_generator_conformance("counting", generator, truth, 2, 10);
  };
  expect_conforms(check(CountingGenerator(0, 0)));
  expect_caught(check(CountingGenerator(1, 0)), "no more than max_candidates");
  expect_caught(check(CountingGenerator(0, 5)), "in the vocabulary");
}

}  // namespace
}  // namespace llm::test
