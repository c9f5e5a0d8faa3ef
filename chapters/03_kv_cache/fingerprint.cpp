#include "chapters/03_kv_cache/fingerprint.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <vector>

#include "common/base/checked.h"
#include "common/base/parallel.h"
#include "common/config/tensor_specs.h"

namespace llm {
namespace {

constexpr Index kPieceBytes = Index{1} << 20;

// One step: a bijection of the state, and of the word, so that nothing is lost.
std::uint64_t mix(std::uint64_t state, std::uint64_t word) {
  state = (state ^ word) * 0x9e3779b97f4a7c15u;
  return state ^ (state >> 29);
}

std::uint64_t hash_piece(std::span<const std::byte> bytes) {
  std::uint64_t state = 0x243f6a8885a308d3u;
  for (; bytes.size() >= 8; bytes = bytes.subspan(8)) {
    std::uint64_t word = 0;
    std::memcpy(&word, bytes.data(), 8);
    state = mix(state, word);
  }
  std::uint64_t rest = 0;
  if (!bytes.empty()) std::memcpy(&rest, bytes.data(), bytes.size());
  return mix(state, rest);
}

std::span<const std::byte> bytes_of(const Weight& weight) {
  return {weight.data, static_cast<std::size_t>(weight.bytes())};
}

}  // namespace

std::uint64_t hash_bytes(std::span<const std::byte> bytes, std::uint64_t seed) {
  const auto size = static_cast<Index>(bytes.size());
  std::vector<std::uint64_t> pieces(static_cast<std::size_t>(ceil_div(size, kPieceBytes)));
  parallel_for(static_cast<Index>(pieces.size()), [&](Index i) {
    const Index begin = i * kPieceBytes, count = std::min(kPieceBytes, size - begin);
    pieces[static_cast<std::size_t>(i)] =
        hash_piece(bytes.subspan(static_cast<std::size_t>(begin), static_cast<std::size_t>(count)));
  });
  std::uint64_t state = mix(seed, static_cast<std::uint64_t>(size));
  for (const std::uint64_t piece : pieces) state = mix(state, piece);
  return state;
}

std::string model_fingerprint(const ModelConfig& config, Checkpoint& checkpoint) {
  const std::string text = to_json(config);
  std::uint64_t state = hash_bytes(std::as_bytes(std::span(text)));
  std::vector<TensorSpec> specs = tensor_specs(config);
  const TensorSpec head{"lm_head.weight", {config.vocab_size, config.hidden_size}};
  const auto is_head = [&](const TensorSpec& spec) { return spec.name == head.name; };
  if (checkpoint.has(head.name) && std::ranges::none_of(specs, is_head)) specs.push_back(head);
  for (const TensorSpec& spec : specs) {
    if (!checkpoint.has(spec.name)) continue;  // tied
    const Weight weight = spec.shape.size() == 2 ? checkpoint.matrix(spec.name, spec.shape[0], spec.shape[1])
                                                 : checkpoint.vector(spec.name, spec.shape[0]);
    state = hash_bytes(bytes_of(weight), mix(state, static_cast<std::uint64_t>(weight.dtype)));
  }
  return fmt::format("{:016x}", state);
}

}  // namespace llm
