// Short numbers that stand for many bytes: whether a file is damaged, whether a model is the same.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "common/config/model_config.h"
#include "common/io/checkpoint.h"

namespace llm {

// A 64-bit hash of the bytes and their number. seed: the hash of what came before, to chain several pieces.
// Any change within eight neighbouring bytes changes it for certain, any other change all but certainly; it
// is no protection against somebody who wants to deceive. The same for any number of threads.
std::uint64_t hash_bytes(std::span<const std::byte> bytes, std::uint64_t seed = 0);

// "0f3a...": 16 digits for a model's config and all its weights. A cache belongs to one model: the same shape
// with other weights has other keys.
std::string model_fingerprint(const ModelConfig& config, Checkpoint& checkpoint);

}  // namespace llm
