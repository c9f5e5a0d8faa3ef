// What a program with a cache tells about its runs: equality first, then time, work and memory.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "chapters/02_naive_loop/open_model.h"
#include "chapters/02_naive_loop/text_run.h"
#include "chapters/02_naive_loop/transformer.h"
#include "chapters/03_kv_cache/change_key.h"
#include "chapters/03_kv_cache/token_check.h"
#include "common/cli/report.h"

namespace llm {

// One generation: a text, or one turn of a conversation.
struct CachedRun : TextRun {
  std::vector<Token> prompt = {};  // all of it
  Index reused_tokens = 0;         // of it, in the cache before
  Index positions = 0;             // computed, as the cache counts them
  TokenCheck check = {};
};

// What the cache takes, by formula and by the allocator.
struct CacheMemory {
  Index tokens = 0, token_bytes = 0;  // in it now; by formula for one of them
  Index reserved_tokens = 0;          // for which there is room
  Index allocated_bytes = 0;          // Cache::memory_bytes()
  Index moved_bytes = 0;              // copied by growing
  Index used_bytes() const { return tokens * token_bytes; }
  Index reserved_bytes() const { return reserved_tokens * token_bytes; }
};
// Of a cache of dynamic layers.
CacheMemory dynamic_cache_memory(Cache& cache, const ModelConfig& config, const CacheSpec& spec);

struct CachedProgramRun {
  std::string program;  // "03_kv_cache"
  std::string title;    // "Dynamic cache, f32"
  std::vector<CachedRun> runs = {};
  std::optional<Index> prefill_chunk_size = {};
  CacheMemory memory = {};
  std::optional<KeyChange> key_change = {};
  double load_s = 0;
  bool passed() const;  // every check
};

// For people. No speed after a failed check.
void print_report(const OpenModel& opened, const Transformer& model, const CachedProgramRun& program,
                  Report& report);

// As one JSON object: the last turn, all turns, counts, times in seconds, bytes.
std::string json_report(const OpenModel& opened, const Transformer& model, const CachedProgramRun& program);

}  // namespace llm
