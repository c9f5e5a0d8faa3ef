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
  // Releases the loader after a while.
  std::future<void> release_later() {
    return std::async(std::launch::async, [this] {
      std::this_thread::sleep_for(300ms);
      release_now();
    });
  }
};

TEST_CASE("prefetch only asks for the memory, and goes on") {
  Offloaded offloaded;
  const Index before = resident_bytes();
  const std::future<void> later = offloaded.release_later();
  offloaded.layer->prefetch();
  expect_true("prefetch has returned before the loader was ready", !offloaded.released,
              "prefetch waited for the disk: the processor should compute meanwhile");
  expect_true("nothing was read by the thread that computes", resident_bytes() - before < kBytes / 2,
              "the memory was read here and now; give the work to the loader, loader_->run()");
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

TEST_CASE("whoever changes the layer waits until it is loaded") {
  Offloaded offloaded;
  offloaded.layer->prefetch();
  const std::future<void> later = offloaded.release_later();
  offloaded.layer->update({}, {}, {});
  expect_true(
      "the layer was updated after the loading", offloaded.updated_after_release,
      "nobody waits for the loading, and memory moves while it is read: keep what run() returns in loading_");
}

}  // namespace
}  // namespace llm::grading
