#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstring>
#include <fstream>

#include "chapters/04_preallocated_cache/offloaded_layer.h"
#include "tests/course/exercises/grading.h"

namespace llm::grading {
namespace {

using namespace std::chrono_literals;

constexpr Index kBytes = Index{8} << 20;

Index resident_bytes() {
  std::ifstream file("/proc/self/statm");
  Index size = 0, resident = 0;
  file >> size >> resident;
  return resident * ::sysconf(_SC_PAGESIZE);
}

// A layer that only says when it is asked for something.
class FakeLayer : public CacheLayer {
 public:
  explicit FakeLayer(std::function<void()> on_update) : on_update_(std::move(on_update)) {}
  void update(View<const float, 3>, View<const float, 3>, std::span<const RowTokens>) override {
    on_update_();
  }
  std::span<const KvBlock> blocks(Index) const override { return {}; }
  Index num_rows() const override { return 1; }
  Index get_seq_length(Index) const override { return 0; }
  void crop(Index, Index) override {}
  void reorder(std::span<const Index>) override {}
  void add_rows(Index) override {}
  void reset() override {}
  Index memory_bytes() const override { return kBytes; }

 private:
  std::function<void()> on_update_;
};

// A layer in a file, and a loader that is busy with something else until it is released.
struct Offloaded {
  std::promise<void> release;
  std::shared_ptr<BackgroundThread> loader = std::make_shared<BackgroundThread>();
  FileMemory* memory = nullptr;
  std::unique_ptr<OffloadedLayer> layer;
  KvBuffer buffer;
  std::atomic<bool> released = false;
  bool updated_after_release = false;

  Offloaded() {
    auto file = std::make_unique<FileMemory>();
    memory = file.get();
    buffer = KvBuffer(kBytes, memory);
    std::memset(buffer.data(), 1, static_cast<std::size_t>(kBytes));
    layer = std::make_unique<OffloadedLayer>(
        std::move(file), std::make_unique<FakeLayer>([this] { updated_after_release = released; }), loader);
    layer->offload();
    (void)loader->run([busy = release.get_future().share()] { busy.wait(); });
  }
  ~Offloaded() {
    release_now();
    loader->run([] {}).wait();  // nobody looks at the memory any more
    buffer = KvBuffer();
  }

  void release_now() {
    if (!released.exchange(true)) release.set_value();
  }
  // Releases the loader after that time, or as soon as `early` is ready.
  std::future<void> release_later(std::chrono::milliseconds time, std::shared_future<void> early) {
    return std::async(std::launch::async, [this, time, early] {
      (void)early.wait_for(time);
      release_now();
    });
  }
};

TEST_CASE("prefetch only asks for the memory, and goes on") {
  Offloaded offloaded;
  const Index before = resident_bytes();
  std::promise<void> returned;
  const std::future<void> later = offloaded.release_later(2s, returned.get_future().share());
  offloaded.layer->prefetch();
  const bool waited = offloaded.released;
  const Index after = resident_bytes();
  returned.set_value();
  expect_true("prefetch has returned before the loader was ready", !waited,
              "prefetch waited for the disk: the processor should compute meanwhile");
  expect_true("nothing was read by the thread that computes", after - before < kBytes / 2,
              "the memory was read here and now; give the work to the loader, loader_->run()");
}

TEST_CASE("whoever changes the layer waits until it is loaded") {
  Offloaded offloaded;
  offloaded.layer->prefetch();
  std::promise<void> never;
  const std::future<void> later = offloaded.release_later(300ms, never.get_future().share());
  offloaded.layer->update({}, {}, {});
  expect_true(
      "the layer was updated after the loading", offloaded.updated_after_release,
      "nobody waits for the loading, and memory moves while it is read: keep what run() returns in loading_");
}

TEST_CASE("the loader brings the memory back") {
  Offloaded offloaded;
  offloaded.layer->prefetch();
  offloaded.release_now();
  offloaded.layer->crop(0, 0);  // waits
  const Index loaded = resident_bytes();
  offloaded.memory->load();
  expect_true("nothing is left to load", resident_bytes() - loaded < kBytes / 2, "nothing was loaded");
}

}  // namespace
}  // namespace llm::grading
