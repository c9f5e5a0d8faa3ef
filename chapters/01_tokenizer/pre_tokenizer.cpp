#include "chapters/01_tokenizer/pre_tokenizer.h"

#include <optional>

#include "chapters/01_tokenizer/byte_map.h"
#include "chapters/01_tokenizer/known_patterns.h"

namespace llm {
namespace {

// Joins and drops the spans between and at the matches of a pattern, as a behavior wants.
class SpanJoiner {
 public:
  SpanJoiner(SplitBehavior behavior, FunctionRef<void(Index, Index)> emit)
      : behavior_(behavior), emit_(emit) {}

  void add(Index begin, Index end, bool is_match) {
    if (pending_ && joins(is_match)) {
      pending_->end = end;
      pending_->is_match = is_match;
      return;
    }
    flush();
    if (is_match && behavior_ == SplitBehavior::kRemoved) return;
    pending_ = Span{begin, end, is_match};
  }

  void flush() {
    if (pending_ && pending_->begin < pending_->end) emit_(pending_->begin, pending_->end);
    pending_.reset();
  }

 private:
  struct Span {
    Index begin, end;
    bool is_match;  // of what was added last
  };

  // Whether the next span belongs to the one that waits.
  bool joins(bool next_is_match) const {
    switch (behavior_) {
      case SplitBehavior::kMergedWithPrevious: return next_is_match && !pending_->is_match;
      case SplitBehavior::kMergedWithNext: return !next_is_match && pending_->is_match;
      case SplitBehavior::kContiguous: return next_is_match == pending_->is_match;
      default: return false;
    }
  }

  SplitBehavior behavior_;
  FunctionRef<void(Index, Index)> emit_;
  std::optional<Span> pending_;
};

class Split final : public PreTokenizer {
 public:
  Split(std::unique_ptr<Matcher> matcher, SplitBehavior behavior, bool invert)
      : matcher_(std::move(matcher)), behavior_(behavior), invert_(invert) {}

  void cut(const Piece& piece, FunctionRef<void(const Piece&)> emit) const override {
    const auto emit_part = [&](Index begin, Index end) { emit(piece.part(begin, end)); };
    SpanJoiner spans(behavior_, emit_part);
    Index done = 0;
    matcher_->for_each_match(piece.text, [&](Index begin, Index end) {
      if (done < begin) spans.add(done, begin, invert_);
      spans.add(begin, end, !invert_);
      done = end;
    });
    const auto size = static_cast<Index>(piece.text.size());
    if (done < size) spans.add(done, size, invert_);
    spans.flush();
  }

 private:
  std::unique_ptr<Matcher> matcher_;
  SplitBehavior behavior_;
  bool invert_;
};

class ByteLevel final : public PreTokenizer {
 public:
  ByteLevel(bool add_prefix_space, bool use_regex, bool keep_bytes)
      : add_prefix_space_(add_prefix_space), keep_bytes_(keep_bytes) {
    if (use_regex) matcher_ = make_pattern_matcher(kGpt2Pattern, "ByteLevel");
  }

  void cut(const Piece& piece, FunctionRef<void(const Piece&)> emit) const override {
    if (!add_prefix_space_ || piece.text.starts_with(' ')) return cut_words(piece, emit);
    const std::string spaced = " " + std::string(piece.text);
    cut_words({spaced, piece.from_start_bytes > 0 ? piece.from_start_bytes + 1 : 0}, emit);
  }

 private:
  void cut_words(const Piece& piece, FunctionRef<void(const Piece&)> emit) const {
    if (!matcher_) return emit_word(piece, emit);
    // GPT-2's pattern matches every character: nothing lies between the matches.
    matcher_->for_each_match(piece.text,
                             [&](Index begin, Index end) { emit_word(piece.part(begin, end), emit); });
  }

  void emit_word(const Piece& word, FunctionRef<void(const Piece&)> emit) const {
    if (keep_bytes_) return emit(word);
    const std::string characters = bytes_to_characters(word.text);
    const std::string start = bytes_to_characters(word.text.substr(0, word.from_start_bytes));
    emit({characters, static_cast<Index>(start.size())});
  }

  bool add_prefix_space_, keep_bytes_;
  std::unique_ptr<Matcher> matcher_;
};

class PreTokenizerSequence final : public PreTokenizer {
 public:
  explicit PreTokenizerSequence(std::vector<PreTokenizerPtr> steps) : steps_(std::move(steps)) {}

  void cut(const Piece& piece, FunctionRef<void(const Piece&)> emit) const override { run(0, piece, emit); }

 private:
  void run(std::size_t step, const Piece& piece, FunctionRef<void(const Piece&)> emit) const {
    if (step == steps_.size()) return emit(piece);
    steps_[step]->cut(piece, [&](const Piece& part) { run(step + 1, part, emit); });
  }

  std::vector<PreTokenizerPtr> steps_;
};

}  // namespace

PreTokenizerPtr make_split(std::unique_ptr<Matcher> matcher, SplitBehavior behavior, bool invert) {
  return std::make_unique<Split>(std::move(matcher), behavior, invert);
}

PreTokenizerPtr make_byte_level(bool add_prefix_space, bool use_regex, bool keep_bytes) {
  return std::make_unique<ByteLevel>(add_prefix_space, use_regex, keep_bytes);
}

PreTokenizerPtr make_pre_tokenizer_sequence(std::vector<PreTokenizerPtr> steps) {
  return std::make_unique<PreTokenizerSequence>(std::move(steps));
}

}  // namespace llm
