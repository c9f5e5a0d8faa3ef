// A fast hash of short byte strings, for the tables that are asked for every word.
#pragma once

#include <cstdint>
#include <cstring>
#include <string_view>

namespace llm {

// Eight bytes at a time, multiplied and folded. All 64 bits are well mixed; not for keys that an enemy
// chooses.
inline std::uint64_t hash_bytes(std::string_view bytes) {
  const auto load = [](const char* from, std::size_t count) {
    std::uint64_t value = 0;
    std::memcpy(&value, from, count);
    return value;
  };
  const auto mix = [](std::uint64_t x) {
    x *= 0xD6E8FEB86659FD93u;
    return x ^ x >> 32;
  };
  std::uint64_t hash = bytes.size() * 0x9E3779B97F4A7C15u;
  std::size_t at = 0;
  for (; at + 8 <= bytes.size(); at += 8) hash = mix(hash ^ load(bytes.data() + at, 8));
  return mix(mix(hash ^ load(bytes.data() + at, bytes.size() - at)));
}

}  // namespace llm
