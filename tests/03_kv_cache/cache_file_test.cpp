// A cache in a file: what comes back, and every way in which a file may be wrong.
#include "chapters/03_kv_cache/cache_file.h"

#include <doctest/doctest.h>
#include <sys/resource.h>

#include <csignal>
#include <fstream>
#include <sstream>

#include "chapters/03_kv_cache/cache_kinds.h"
#include "chapters/03_kv_cache/cached_greedy.h"
#include "chapters/03_kv_cache/fingerprint.h"
#include "common/base/parallel.h"
#include "common/io/safetensors.h"
#include "tests/02_naive_loop/random_model.h"
#include "tests/temp_folder.h"

namespace llm::test {
namespace {

using Ids = std::vector<Token>;
const Ids kText = {3, 1, 4, 1, 5, 9, 2};

std::size_t files_in(const TempFolder& folder) {
  return static_cast<std::size_t>(std::distance(std::filesystem::directory_iterator(folder.path()), {}));
}

struct Model {
  explicit Model(std::uint64_t seed = 5, const char* family = "qwen2")
      : config(awkward_config(family)),
        checkpoint(to_checkpoint(config, random_weights(config, seed))),
        fingerprint(model_fingerprint(config, *checkpoint)),
        model(config, checkpoint, cached_engine(dynamic_cache_kinds())) {}
  CachedText empty(const char* dtype = "f32") const { return {model.make_cache({.cache_dtype = dtype}), {}}; }
  CachedText filled(const char* dtype = "f32") {
    CachedText text = empty(dtype);
    const std::vector<Ids> rows = {kText};
    set_cached_ids(text, kText, cached_greedy(model, *text.cache, rows, 3, {}).new_tokens[0]);
    return text;
  }
  CacheIdentity identity(const char* dtype = "f32") const { return cache_identity(fingerprint, dtype); }

  ModelConfig config;
  std::shared_ptr<Checkpoint> checkpoint;
  std::string fingerprint;
  Transformer model;
};

std::string read_file(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}
void write_text(const std::filesystem::path& path, const std::string& text) {
  std::ofstream(path, std::ios::binary) << text;
}

// The error of loading, or "" where it loads; the cache must then still be empty.
std::string load_error(Model& m, const std::filesystem::path& path, const CacheIdentity& identity,
                       std::optional<ErrorCode> code = {}) {
  CachedText text = m.empty();
  try {
    load_cached_text(path, text, m.config, identity);
  } catch (const Error& error) {
    if (code) CHECK(error.code() == *code);
    CHECK(text.cache->get_seq_length(0) == 0);
    CHECK(text.ids.empty());
    return error.what();
  }
  return "";
}

TEST_CASE("what was saved goes on as if nothing had happened, in every format, to the bit") {
  const TempFolder folder;
  Model m;
  for (const char* dtype : {"f32", "bf16", "f16"}) {
    CAPTURE(dtype);
    CachedText before = m.filled(dtype);
    const auto path = folder.path() / "cache.safetensors";
    save_cached_text(path, before, m.config, m.identity(dtype));
    CachedText after = m.empty(dtype);
    load_cached_text(path, after, m.config, m.identity(dtype));
    CHECK(after.ids == before.ids);
    CHECK(after.cache->get_seq_length(0) == 9);
    save_cached_text(folder.path() / "again.safetensors", after, m.config, m.identity(dtype));
    CHECK(read_file(path) == read_file(folder.path() / "again.safetensors"));
    const std::vector<Ids> next = {{7, 8}};
    const auto expected = cached_greedy(m.model, *before.cache, next, 5, {}).new_tokens;
    CHECK(cached_greedy(m.model, *after.cache, next, 5, {}).new_tokens == expected);
  }
}

TEST_CASE("it is a safetensors file: ids, then keys and values of each layer by head") {
  const TempFolder folder;
  Model m;
  CachedText text = m.filled("bf16");
  save_cached_text(folder.path() / "c", text, m.config, m.identity("bf16"));
  const SafetensorsFile file = read_safetensors(folder.path() / "c");
  REQUIRE(file.tensors.size() == 1 + 3 * 2 + 1);
  CHECK(file.tensors[0].name == "input_ids");
  CHECK(file.tensors[0].shape == std::vector<Index>{9});
  CHECK(file.tensors[4].name == "layers.1.values");
  CHECK(file.tensors[4].dtype_name == "BF16");
  CHECK(file.tensors[4].shape == std::vector<Index>{2, 9, 6});
}

TEST_CASE("an empty text can be saved and loaded") {
  const TempFolder folder;
  Model m;
  CachedText text = m.empty();
  save_cached_text(folder.path() / "c", text, m.config, m.identity());
  CHECK(load_error(m, folder.path() / "c", m.identity()) == "");
}

TEST_CASE("another model, other weights or another dtype: refused, with the reason") {
  const TempFolder folder;
  Model m;
  CachedText text = m.filled();
  save_cached_text(folder.path() / "c", text, m.config, m.identity());
  for (const auto& [seed, family] : {std::pair(6, "qwen2"), std::pair(5, "llama")}) {
    Model other(static_cast<std::uint64_t>(seed), family);
    CHECK(other.fingerprint != m.fingerprint);
    CHECK(load_error(other, folder.path() / "c", other.identity(), ErrorCode::kMismatch)
              .find("another model") != std::string::npos);
  }
  CHECK(load_error(m, folder.path() / "c", m.identity("bf16"), ErrorCode::kMismatch).find("cache-dtype") !=
        std::string::npos);
  CHECK(Model(5).fingerprint == m.fingerprint);
}

TEST_CASE("the fingerprint: any weight and any number of the config change it, threads do not") {
  const ModelConfig config = awkward_config("qwen3");
  WeightMap weights = random_weights(config, 5);
  const auto fingerprint = [&](const ModelConfig& c) {
    return model_fingerprint(c, *to_checkpoint(config, weights));
  };
  const std::string original = fingerprint(config);
  CHECK(original.size() == 16);
  ModelConfig other = config;
  other.rope_parameters.rope_theta = 20000;
  CHECK(fingerprint(other) != original);
  for (auto& [bound_name, values] : weights) {
    const std::string& name = bound_name;  // clang 14 cannot capture the binding itself
    CAPTURE(name);
    const float kept = values.back();
    values.back() += 0.5f;
    CHECK(fingerprint(config) != original);
    values.back() = kept;
  }
  CHECK(fingerprint(config) == original);
  const std::vector<std::byte> bytes((std::size_t{5} << 20) + 3, std::byte{7});
  set_num_threads(1);
  const std::uint64_t one = hash_bytes(bytes);
  set_num_threads(3);
  CHECK(hash_bytes(bytes) == one);
  set_num_threads(2);
  CHECK(hash_bytes(std::span(bytes).first(bytes.size() - 1)) != one);
}

TEST_CASE("every single changed byte is noticed, and so is every missing one") {
  const TempFolder folder;
  Model m;
  CachedText text = m.empty();
  const std::vector<Ids> rows = {{5}};
  set_cached_ids(text, rows[0], cached_greedy(m.model, *text.cache, rows, 1, {}).new_tokens[0]);
  const auto path = folder.path() / "c";
  save_cached_text(path, text, m.config, m.identity());
  const std::string good = read_file(path);
  Index accepted = 0;
  for (std::size_t i = 0; i < good.size(); ++i)
    for (const int flip : {1, 2, 0x42, 0x80}) {
      std::string bad = good;
      bad[i] = static_cast<char>(bad[i] ^ flip);
      write_text(path, bad);
      accepted += load_error(m, path, m.identity()).empty() ? 1 : 0;
    }
  CHECK(accepted == 0);
  for (std::size_t size = 1; size < good.size(); size += 3) {
    write_text(path, good.substr(0, size));
    CHECK(load_error(m, path, m.identity(), ErrorCode::kFormat) != "");
  }
  write_text(path, good + "\n");
  CHECK(load_error(m, path, m.identity(), ErrorCode::kFormat) != "");
  write_text(path, good);
  CHECK(load_error(m, path, m.identity()) == "");
}

TEST_CASE("a model's weights, an empty file, a folder, nothing: no cache file") {
  const TempFolder folder;
  Model m;
  const std::filesystem::path weights =
      std::filesystem::path(LLM_SOURCE_DIR) / "tests/data/models/tiny-qwen3/model.safetensors";
  CHECK(load_error(m, weights, m.identity(), ErrorCode::kFormat).find("no cache file") != std::string::npos);
  const std::string header = R"({"__metadata__":{"format":"next token kv cache 1"}})";
  write_text(folder.path() / "none",
             static_cast<char>(header.size()) + std::string(7, '\0') + header);  // no tensors
  CHECK(load_error(m, folder.path() / "none", m.identity(), ErrorCode::kFormat).find("no checksum") !=
        std::string::npos);
  write_text(folder.path() / "empty", "");
  CHECK(load_error(m, folder.path() / "empty", m.identity(), ErrorCode::kFormat) != "");
  CHECK(load_error(m, folder.path() / "", m.identity(), ErrorCode::kIo) != "");
  CHECK(load_error(m, folder.path() / "nothing", m.identity(), ErrorCode::kMissing) != "");
}

TEST_CASE("a disk that fills up: an error, the old file is as it was, nothing else is left") {
  const TempFolder folder;
  Model m;
  CachedText text = m.filled();
  const auto path = folder.path() / "c";
  save_cached_text(path, text, m.config, m.identity());
  const std::string before = read_file(path);
  (void)cached_greedy(m.model, *text.cache, std::vector<Ids>{{1, 2, 3}}, 9, {});
  text.ids.resize(static_cast<std::size_t>(text.cache->get_seq_length(0)), 1);

  struct rlimit old {};
  ::getrlimit(RLIMIT_FSIZE, &old);
  const auto handler = std::signal(SIGXFSZ, SIG_IGN);
  const struct rlimit small { 2048, old.rlim_max };
  ::setrlimit(RLIMIT_FSIZE, &small);
  CHECK_THROWS_AS(save_cached_text(path, text, m.config, m.identity()), Error);
  ::setrlimit(RLIMIT_FSIZE, &old);
  std::signal(SIGXFSZ, handler);

  CHECK(read_file(path) == before);
  CHECK(files_in(folder) == 1);
  CHECK_THROWS_AS(save_cached_text(folder.path() / "no/such", text, m.config, m.identity()), Error);
  CHECK_THROWS_AS(save_cached_text(folder.path() / "", text, m.config, m.identity()), Error);
  CHECK(files_in(folder) == 1);
}

}  // namespace
}  // namespace llm::test
