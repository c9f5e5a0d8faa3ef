#include <utility>

#include "chapters/01_tokenizer/decoder.h"

namespace llm {

DecoderChain::DecoderChain(const std::vector<DecoderPtr>* steps, bool eager) {
  if (steps->empty()) return;
  StreamOptions options{.fused = false, .eager = eager};
  for (const DecoderPtr& step : *steps) {
    streams_.push_back(step->stream(options));
    options.fused = options.fused || step->fuses();
  }
}

std::string DecoderChain::put(std::string token) {
  std::string text;
  if (streams_.empty()) {
    if (!first_) text = " ";
    first_ = false;
    return text + token;
  }
  run(0, std::move(token), text);
  return text;
}

std::string DecoderChain::end() {
  std::string text;
  finish(0, text);
  return text;
}

void DecoderChain::run(std::size_t step, std::string token, std::string& text) {
  if (step == streams_.size()) {
    text += token;
    return;
  }
  streams_[step]->put(std::move(token), [&](std::string part) { run(step + 1, std::move(part), text); });
}

void DecoderChain::finish(std::size_t step, std::string& text) {
  if (step == streams_.size()) return;
  streams_[step]->end([&](std::string part) { run(step + 1, std::move(part), text); });
  finish(step + 1, text);
}

}  // namespace llm
