// Processors one after the other.
#pragma once

#include <memory>
#include <vector>

#include "common/seams/logits_processor.h"
#include "common/seams/observer.h"
#include "common/tensor/tensor.h"

namespace llm {

// A list is a processor itself. The processors may be shared with other lists: they keep nothing.
class LogitsProcessorList : public LogitsProcessor {
 public:
  LogitsProcessorList() = default;
  explicit LogitsProcessorList(std::vector<std::shared_ptr<const LogitsProcessor>> processors)
      : processors_(std::move(processors)) {}

  std::string_view name() const override { return "processors"; }
  void add(std::shared_ptr<const LogitsProcessor> processor) { processors_.push_back(std::move(processor)); }
  const std::vector<std::shared_ptr<const LogitsProcessor>>& processors() const { return processors_; }

  // Each in its turn, in place.
  void operator()(View<const Token, 2> input_ids, View<float, 2> scores) const override;

  // The same for a generation: the observer, if there is one, sees the scores before and after each, and
  // afterwards every row has a token that can be chosen. step: number of new tokens so far.
  // Errors: kRange if a score is NaN, or the largest one of a row is infinite: the message names the
  // processor after which that was so.
  void run(View<const Token, 2> input_ids, View<float, 2> scores, Observer* observer = nullptr,
           Index step = 0) const;

 private:
  std::vector<std::shared_ptr<const LogitsProcessor>> processors_;
};

// What is wrong with a row of scores as a distribution; empty if nothing is. A largest score of minus
// infinity means that every token is banned.
std::string trouble_of(View<const float, 1> scores);

}  // namespace llm
