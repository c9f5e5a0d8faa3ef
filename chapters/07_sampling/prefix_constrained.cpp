#include "chapters/07_sampling/prefix_constrained.h"

#include <algorithm>

#include "common/base/error.h"

namespace llm {
namespace {

void check_allowed(std::span<const Token> ids, Index prompt, Index V) {
  const std::string where = "prefix_allowed_tokens_fn: prompt " + std::to_string(prompt);
  if (ids.empty())
    fail(ErrorCode::kUsage, {.where = where,
                             .what = "no token is allowed",
                             .remedy = "allow the end token where nothing else is"});
  for (const Token id : ids)
    if (id < 0 || id >= V)
      fail(ErrorCode::kRange, {.where = where,
                               .what = "got",
                               .got = std::to_string(id),
                               .expected = "token ids from 0 to " + std::to_string(V - 1)});
}

}  // namespace

void PrefixConstrained::operator()(View<const Token, 2> input_ids, View<float, 2> scores) const {
  const auto S = static_cast<std::size_t>(input_ids.shape(1));
  std::vector<std::vector<Token>> allowed(static_cast<std::size_t>(num_beams_));  // of one prompt's rows
  for (Index first = 0; first < scores.shape(0); first += num_beams_) {
    const Index prompt = first / num_beams_, beams = std::min(num_beams_, scores.shape(0) - first);
    bool possible = false;  // is an allowed token left in any beam?
    for (Index beam = 0; beam < beams; ++beam) {
      std::vector<Token>& ids = allowed[static_cast<std::size_t>(beam)];
      const View<float, 1> row = scores[first + beam];
      ids = allowed_(prompt, {input_ids[first + beam].begin(), S});
      check_allowed(ids, prompt, row.size());
      std::ranges::sort(ids);
      for (Index id = 0; id < row.size(); ++id)
        if (!std::ranges::binary_search(ids, static_cast<Token>(id))) row[id] = kBanned;
      possible = possible || std::ranges::any_of(ids, [&](Token id) { return row[id] != kBanned; });
    }
    if (possible) continue;
    for (Index beam = 0; beam < beams; ++beam)
      for (const Token id : allowed[static_cast<std::size_t>(beam)]) scores(first + beam, id) = 0;
  }
}

}  // namespace llm
