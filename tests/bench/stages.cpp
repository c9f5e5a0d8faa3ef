#include "tests/bench/stages.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <functional>

#include "chapters/05_fused_cpu/step_6_rounded.h"
#include "chapters/07_sampling/engines.h"
#include "common/base/error.h"
#include "common/cli/model_path.h"
#include "common/cli/progress.h"
#include "common/config/known_shapes.h"
#include "common/config/tensor_specs.h"

namespace llm {
namespace {

constexpr std::uint64_t kRandomSeed = 1;

std::string lower(std::string_view text) {
  std::string result(text);
  std::ranges::transform(result, result.begin(), [](unsigned char c) { return std::tolower(c); });
  return result;
}

// The format of most bytes among the matrices.
std::string file_dtype(const Checkpoint& checkpoint) {
  std::array<Index, kNumDTypes> bytes{};
  for (const Checkpoint::Entry& entry : checkpoint.entries())
    if (entry.tensor.shape.size() == 2 && entry.tensor.dtype)
      bytes[static_cast<std::size_t>(*entry.tensor.dtype)] += entry.tensor.bytes;
  const auto most = std::ranges::max_element(bytes) - bytes.begin();
  return lower(dtype_name(static_cast<DType>(most)));
}

// f32, bf16, q8_0, q4_0 and the file's own, which is called "file": from the largest to the smallest.
std::vector<std::string> dtypes_with(const std::string& own) {
  std::vector<std::string> dtypes = {"f32", "bf16", "q8_0", "q4_0"};
  if (!std::ranges::count(dtypes, own)) dtypes.push_back(own);
  std::ranges::stable_sort(dtypes, std::greater(), [](const std::string& dtype) {
    const DTypeInfo& format = info(*dtype_from_name(dtype));
    return static_cast<double>(format.block_bytes) / static_cast<double>(format.block_values);
  });
  std::ranges::replace(dtypes, own, "file");
  return dtypes;
}

void convert(OpenModel& model, const std::string& dtype, bool quiet) {
  const DType target = *dtype_from_name(dtype);
  const auto left_out = model.checkpoint->convert(target, progress_bar("weights to " + dtype, quiet));
  if (left_out.empty()) return;
  const auto& entries = model.checkpoint->entries();
  const auto named = [&](const Checkpoint::Entry& entry) { return entry.tensor.name == left_out.front(); };
  const Index cols = std::ranges::find_if(entries, named)->tensor.shape[1];
  fail(ErrorCode::kShape,
       {.where = "--dtype " + dtype,
        .what = fmt::format("'{}' and {} other matrices have rows of", left_out.front(), left_out.size() - 1),
        .got = fmt::format("{} values", cols),
        .expected = fmt::format("multiples of {}, which share a block", info(target).block_values),
        .remedy = "take f32, bf16 or f16"});
}

}  // namespace

bool computes_float32(const std::string& engine) { return engine == "naive" || engine == "cached"; }

std::string weights_name(const Stage& stage, const ModelFacts& model) {
  if (computes_float32(stage.engine)) return "f32";
  return stage.dtype == "file" ? model.dtype : stage.dtype;
}

std::string stage_name(const Stage& stage, const ModelFacts& model) {
  const bool float32 = computes_float32(stage.engine);
  std::string name = stage.engine;
  if (!float32) name += " " + weights_name(stage, model);
  if (find_engine(stage.engine).has_cache) {
    const CacheSpec& cache = stage.cache;
    const bool plain = cache.cache == "dynamic" && cache.cache_dtype == "f32" && !cache.offload;
    if (float32 || !plain) name += " " + cache.cache;
    if (cache.cache_dtype != "f32") name += " " + cache.cache_dtype;
    if (cache.offload) name += " offloaded";
  }
  if (float32 && stage.dtype != "file") name += " of " + stage.dtype;
  return stage.compute == "exact" ? name : name + " " + stage.compute;
}

std::vector<Stage> all_stages(const ModelFacts& model) {
  std::vector<Stage> stages;
  for (const EngineKind& kind : engines()) {
    const std::string engine(kind.name);
    if (!kind.has_cache) {
      stages.push_back({.engine = engine, .cache = {}});
    } else if (computes_float32(engine)) {
      for (const char* cache : {"dynamic", "static", "int8"})
        stages.push_back({.engine = engine, .cache = {.cache = cache}});
    } else {
      for (const std::string& dtype : dtypes_with(model.dtype)) {
        stages.push_back({.engine = engine, .cache = {}, .dtype = dtype});
        const DType format = *dtype_from_name(weights_name(stages.back(), model));
        if (engine == "fused" && has_rounded_product(kernels_for(), format))
          stages.push_back({.engine = engine, .cache = {}, .dtype = dtype, .compute = "fast"});
      }
    }
  }
  return stages;
}

ModelFacts model_facts(const std::string& name) {
  if (const ModelSource source = find_model(name); source.is_random())
    return {.config = random_config(source.random_name), .dtype = "bf16"};
  const OpenModel model = open_weights(name, "file", /*quiet=*/true);
  return {.config = model.config, .dtype = file_dtype(*model.checkpoint)};
}

OpenModel open_weights(const std::string& name, const std::string& dtype, bool quiet) {
  OpenModel model;
  model.name = name;
  const ModelSource source = find_model(name);
  model.random = source.is_random();
  if (model.random) {
    model.config = random_config(source.random_name);
    const Progress progress = progress_bar("random weights", quiet);
    model.checkpoint = Checkpoint::random(tensor_specs(model.config), kRandomSeed, progress);
  } else {
    model.path = source.path;
    model.checkpoint = Checkpoint::open(model.path);
    const GgufFile* gguf = model.checkpoint->gguf();
    model.config = gguf != nullptr ? model_config_from_gguf(*gguf) : load_model_config(model.folder());
  }
  if (dtype != "file") convert(model, dtype, quiet);
  return model;
}

}  // namespace llm
