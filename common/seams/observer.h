// Watches a generation: bars of scores, a page in the browser, a tree of beams, a trace.
#pragma once

#include <span>
#include <string_view>

#include "common/base/types.h"
#include "common/tensor/view.h"

namespace llm {

// One running beam: the row that it continues, its new token and its summed log-probability.
struct BeamStep {
  Index parent = 0;
  Token token = 0;
  float score = 0;
  bool finished = false;
};

// Every call is optional. What is passed is valid during the call only. Programs hold a pointer that is null
// by default, so that nobody pays for an observer that is not there.
class Observer {
 public:
  virtual ~Observer() = default;

  // step: number of new tokens so far. logits: [B, V], before any processor.
  virtual void on_logits(Index step, View<const float, 2> logits) { (void)step, (void)logits; }

  // before, after: [B, V].
  virtual void on_processor(std::string_view name, View<const float, 2> before, View<const float, 2> after) {
    (void)name, (void)before, (void)after;
  }

  virtual void on_token(Index row, Token token) { (void)row, (void)token; }

  // beams: the running beams of one prompt, best first.
  virtual void on_beams(Index prompt, std::span<const BeamStep> beams) { (void)prompt, (void)beams; }

  // Of these guessed tokens the first num_accepted were accepted.
  virtual void on_draft(std::span<const Token> candidates, Index num_accepted) {
    (void)candidates, (void)num_accepted;
  }
};

}  // namespace llm
