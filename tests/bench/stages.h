// The stages of the course, as the bench runs them: an engine, its cache, its weights.
#pragma once

#include <string>
#include <vector>

#include "chapters/02_naive_loop/open_model.h"
#include "common/cli/options.h"
#include "common/seams/cache.h"

namespace llm {

struct Stage {
  std::string engine;          // a name of chapter 07's table
  CacheSpec cache;             // num_rows and max_cache_len are the run's; unused where there is no cache
  std::string dtype = "file";  // as --dtype
  std::string compute = "exact";
};

// Chapters 02 to 04 make float32 of all weights; later engines compute with the file's own format.
bool computes_float32(const std::string& engine);

// What is known of a model without reading or making its weights.
struct ModelFacts {
  ModelConfig config;
  std::string dtype;  // "bf16": the matrices' number format; of a file with several that of most bytes
};
// name: as --model. Errors: those of the readers.
ModelFacts model_facts(const std::string& name);

// The number format that the stage reads at each step: "f32", "bf16", "q8_0".
std::string weights_name(const Stage& stage, const ModelFacts& model);

// "naive", "cached static", "fused q8_0", "fused bf16 int8 fast".
std::string stage_name(const Stage& stage, const ModelFacts& model);

// What `bench` runs without a choice, in the order of the chapters: every engine of the table; dynamic,
// static and int8 caches with the chapters' own engine; each number format with those that keep it, exact
// and, where there are products of rounded activations for it, fast.
std::vector<Stage> all_stages(const ModelFacts& model);

// What a model is to the bench: its shape and weights, without a tokenizer (which a GGUF file of random
// weights does not have).
// dtype: as --dtype. Errors: those of the readers; kShape if rows do not divide into the format's blocks.
OpenModel open_weights(const std::string& name, const std::string& dtype, bool quiet);

}  // namespace llm
