// Random numbers by counter: a number depends on its key only, not on how many were drawn before.
// So every row of a batch, every thread count and every engine sees the same ones.
// Formula: Philox4x32-10, Salmon et al., "Parallel random numbers: as easy as 1, 2, 3" (SC 2011).
#pragma once

#include <array>
#include <cstdint>

namespace llm {

// What a number is used for; keeps the streams apart.
enum class RngPurpose : std::uint32_t { kSample = 0, kDraftSample, kAccept, kResidual, kWeights, kTest };

struct RngKey {
  std::uint64_t seed = 0;
  std::uint32_t sequence = 0;  // row of the batch, or number of the tensor
  std::uint32_t position = 0;  // position of the token, or row of the tensor
  RngPurpose purpose = RngPurpose::kSample;
};

// Four independent 32-bit words for (key, index).
std::array<std::uint32_t, 4> random_words(const RngKey& key, std::uint32_t index);

// Uniform in [0, 1), 53 random bits.
double uniform(const RngKey& key, std::uint32_t index = 0);

}  // namespace llm
