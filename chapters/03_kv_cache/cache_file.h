// A cache in a file: the long beginning of many prompts, computed once.
#pragma once

#include <filesystem>
#include <string>

#include "chapters/03_kv_cache/cached_text.h"
#include "common/config/model_config.h"

namespace llm {

inline constexpr const char* kCacheFileFormat = "next token kv cache 1";

// What a cache belongs to.
struct CacheIdentity {
  std::string model;                 // model_fingerprint()
  std::string cache = "f32";         // how values are kept; a file fits only caches of the same
  KvFormat format = KvFormat::kF32;  // how the file keeps them: f32, bf16 or f16
};

// The identity of a float cache. cache_dtype: f32, bf16 or f16.
CacheIdentity cache_identity(const std::string& fingerprint, const std::string& cache_dtype);

// Writes the file, whole or not at all, in the safetensors format: "input_ids" I64 [S]; for each layer l
// "layers.l.keys" and "layers.l.values" [KH, N, Dh], the newest N of the S tokens; "checksum" U64 [1] of all
// bytes before it. Its metadata are the identity. Errors: kIo.
void save_cached_text(const std::filesystem::path& path, CachedText& text, const ModelConfig& config,
                      const CacheIdentity& identity);

// Before the work whose result shall be saved. Errors: kIo if there is no such folder, or a folder of the
// name.
void expect_can_save(const std::filesystem::path& path);

// Fills an empty cache of one row from a file, and its ids. Everything is checked before the first token is
// stored. Errors: kMissing and kIo as MappedFile; kFormat for a damaged file or another kind of file;
// kMismatch for one that was made with another model or another kind of cache.
void load_cached_text(const std::filesystem::path& path, CachedText& text, const ModelConfig& config,
                      const CacheIdentity& identity);

}  // namespace llm
