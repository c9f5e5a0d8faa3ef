// A cache in files: what it holds is what it would hold otherwise, the memory is given back, and no file is
// left behind.
#include <doctest/doctest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "chapters/03_kv_cache/dynamic_layer.h"
#include "chapters/04_preallocated_cache/all_cache_kinds.h"
#include "chapters/04_preallocated_cache/offloaded_layer.h"
#include "chapters/04_preallocated_cache/static_layer.h"
#include "tests/02_naive_loop/random_model.h"
#include "tests/04_preallocated_cache/numbered_tokens.h"
#include "tests/temp_folder.h"

namespace llm::test {
namespace {

namespace fs = std::filesystem;

// A folder of its own, to which TMPDIR points for a while.
class TmpdirFolder {
 public:
  TmpdirFolder() {
    if (const char* old = std::getenv("TMPDIR")) old_ = old;
    ::setenv("TMPDIR", path().c_str(), 1);
  }
  ~TmpdirFolder() { old_.empty() ? ::unsetenv("TMPDIR") : ::setenv("TMPDIR", old_.c_str(), 1); }
  const fs::path& path() const { return folder_.path(); }
  bool empty() const { return fs::is_empty(path()); }

 private:
  TempFolder folder_;
  std::string old_;
};

Index resident_bytes() {
  std::ifstream file("/proc/self/statm");
  Index size = 0, resident = 0;
  file >> size >> resident;
  return resident * ::sysconf(_SC_PAGESIZE);
}

std::unique_ptr<OffloadedLayer> offloaded_static(Index capacity, Index KH = 2, Index Dh = 4) {
  auto memory = std::make_unique<FileMemory>();
  auto layer = std::make_unique<StaticLayer>(1, KvShape{KH, Dh, KvFormat::kF32}, capacity, memory.get());
  return std::make_unique<OffloadedLayer>(std::move(memory), std::move(layer),
                                          std::make_shared<BackgroundThread>());
}

TEST_CASE("offload takes the layer out of this process's memory; prefetch brings it back") {
  const Index capacity = 4096;  // of 4 heads of 128, keys and values: 16 MiB
  const auto layer = offloaded_static(capacity, 4, 128);
  Tensor<float, 3> tokens({capacity, 4, 128});
  for (Index i = 0; i < tokens.size(); ++i) tokens.data()[i] = static_cast<float>(i % 99991);
  const RowTokens row{.row = 0, .begin = 0, .count = capacity};
  layer->update(tokens.view(), tokens.view(), {&row, 1});
  const Index full = resident_bytes();
  layer->offload();
  CHECK(full - resident_bytes() > (Index{12} << 20));
  layer->prefetch();
  layer->crop(0, capacity);  // waits
  CHECK(full - resident_bytes() < (Index{4} << 20));
  layer->offload();
  bool same = true;  // also without prefetch
  for (Index i = 0; i < capacity; ++i)
    for (Index head = 0; head < 4; ++head)
      for (Index d = 0; d < 128; ++d)
        same = same && kv_value(layer->blocks(0)[0].values, head, i, d) == tokens(i, head, d);
  CHECK(same);
}

TEST_CASE("files have no name while they are used, and none is left when the program is killed") {
  const TmpdirFolder folder;
  {
    const auto layer = offloaded_static(100);
    append_numbered(*layer, 0, 0, 50);
    CHECK(folder.empty());
    CHECK(holds_numbered(*layer, 0, 50));
  }
  CHECK(folder.empty());
  const pid_t child = ::fork();
  REQUIRE(child >= 0);
  if (child == 0) {
    const auto layer = offloaded_static(100);
    append_numbered(*layer, 0, 0, 50);
    layer->prefetch();
    ::raise(SIGKILL);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  CHECK(WIFSIGNALED(status));
  CHECK(folder.empty());
}

TEST_CASE("TMPDIR says where: a folder that is not there is an error") {
  TmpdirFolder folder;
  ::setenv("TMPDIR", "/no/such/folder", 1);
  CHECK_THROWS_WITH_AS(offloaded_static(10), doctest::Contains("/no/such/folder"), Error);
}

// Nothing may be written beyond this many bytes of a file, for a while: the nearest thing to a full disk
// that a test can make.
class FileLimit {
 public:
  explicit FileLimit(rlim_t bytes) {
    ::getrlimit(RLIMIT_FSIZE, &old_);
    rlimit limit = old_;
    limit.rlim_cur = bytes;
    ::setrlimit(RLIMIT_FSIZE, &limit);
  }
  ~FileLimit() { ::setrlimit(RLIMIT_FSIZE, &old_); }

 private:
  rlimit old_{};
};

TEST_CASE("no room on the disk: an error that names the folder, nothing lost, nothing left behind") {
  const TmpdirFolder folder;
  auto memory = std::make_unique<FileMemory>();
  auto inner = std::make_unique<DynamicLayer>(KvShape{2, 4, KvFormat::kF32}, 1, memory.get());
  OffloadedLayer layer(std::move(memory), std::move(inner), std::make_shared<BackgroundThread>());
  append_numbered(layer, 0, 0, 100);
  {
    const FileLimit limit(4096);
    try {
      append_numbered(layer, 0, 100, 200);
      FAIL("there was room");
    } catch (const Error& error) {
      CHECK(error.code() == ErrorCode::kIo);
      CHECK(std::string(error.what()).find(folder.path().string()) != std::string::npos);
      CHECK(std::string(error.what()).find("TMPDIR") != std::string::npos);
    }
  }
  CHECK(holds_numbered(layer, 0, 100));
  append_numbered(layer, 0, 100, 200);
  CHECK(holds_numbered(layer, 0, 300));
  CHECK(folder.empty());
}

TEST_CASE("more than any disk has") { CHECK_THROWS_AS(offloaded_static(Index{1} << 46), Error); }

TEST_CASE("the background thread does all tasks, in order, and hands their errors on") {
  std::vector<int> done;
  std::atomic<int> ended = 0;
  {
    BackgroundThread thread;
    for (int i = 0; i < 50; ++i) thread.run([&done, &ended, i] { done.push_back(i), ++ended; });
    CHECK_THROWS_AS(thread.run([] { fail(ErrorCode::kIo, {.what = "no"}); }).get(), Error);
    CHECK(ended == 50);
    for (int i = 50; i < 60; ++i) thread.run([&done, &ended, i] { done.push_back(i), ++ended; });
  }
  REQUIRE(ended == 60);
  for (int i = 0; i < 60; ++i) CHECK(done[static_cast<std::size_t>(i)] == i);
}

// Records what is asked of it.
class Recorder : public DynamicLayer {
 public:
  Recorder(Index number, std::vector<std::string>& log, const KvShape& shape)
      : DynamicLayer(shape, 1), number_(std::to_string(number)), log_(log) {}
  void update(View<const float, 3> k, View<const float, 3> v, std::span<const RowTokens> r) override {
    log_.push_back("use " + number_);
    DynamicLayer::update(k, v, r);
  }
  void prefetch() override { log_.push_back("fetch " + number_); }
  void offload() override { log_.push_back("away " + number_); }

 private:
  std::string number_;
  std::vector<std::string>& log_;
};

TEST_CASE("a forward pass fetches the next layer before it uses one, and sends each away after use") {
  const ModelConfig config = awkward_config("llama");
  std::vector<std::string> log;
  TransformerOptions options;
  options.cache_factory = [&](const void* maker, const ModelConfig& c, const CacheSpec&) {
    std::vector<std::unique_ptr<CacheLayer>> layers;
    for (Index l = 0; l < 3; ++l)
      layers.push_back(
          std::make_unique<Recorder>(l, log, KvShape{c.num_key_value_heads, c.head_dim, KvFormat::kF32}));
    return std::make_unique<LayeredCache>(maker, std::move(layers));
  };
  Transformer model(config, to_checkpoint(config, random_weights(config, 1)), options);
  const auto cache = model.make_cache({});
  const Token id = 5;
  const Index position = 0;
  model.forward({.input_ids = {&id, {1, 1}}, .position_ids = {&position, {1, 1}}}, cache.get(), {});
  CHECK(log == std::vector<std::string>{"fetch 1", "use 0", "away 0", "fetch 2", "use 1", "away 1", "fetch 0",
                                        "use 2", "away 2"});
}

}  // namespace
}  // namespace llm::test
