#include "tests/common/seams/causal_lm_conformance.h"

#include "tests/common/seams/toy_model.h"

namespace llm::test {
namespace {

Checks check_toy(EngineFault fault) {
  ToyModel model(fault), other;
  const auto foreign = other.make_cache({});
  return causal_lm_conformance({.name = "toy", .model = &model, .has_cache = true}, *foreign);
}

TEST_CASE("a correct engine conforms") { expect_conforms(check_toy(EngineFault::kNone)); }

TEST_CASE("every mistake in an engine is caught, by the claim that names it") {
  const std::pair<EngineFault, const char*> kFaults[] = {
      {EngineFault::kSeesLaterTokens, "a token changes nothing before it"},
      {EngineFault::kSeesPadding, "a row of a batch is the row alone"},
      {EngineFault::kIgnoresPositions, "position ids count"},
      {EngineFault::kKeepsFirstLogits, "logits_to_keep keeps the last positions"},
      {EngineFault::kPaddingScores, "scores at padding are zeros"},
      {EngineFault::kTakesAnyCache, "another engine's cache is an error"},
      {EngineFault::kTakesAnyId, "an id outside the vocabulary is an error"},
      {EngineFault::kIgnoresRows, "rows name the cache's rows"},
      {EngineFault::kForgetsCache, "chunks through a cache are the whole text"},
      {EngineFault::kSkipsEmbeddings, "the callback sees the embeddings"},
      {EngineFault::kIgnoresNumLayers, "num_layers stops"},
  };
  for (const auto& [bound_fault, claim] : kFaults) {
    const auto& fault = bound_fault;  // clang 14 cannot capture the binding itself
    CAPTURE(static_cast<int>(fault));
    expect_caught(check_toy(fault), claim);
  }
}

}  // namespace
}  // namespace llm::test
