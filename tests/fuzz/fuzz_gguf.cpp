#include "common/config/model_config.h"
#include "tests/fuzz/memory_file.h"
#include "tests/fuzz/read_all_weights.h"

namespace {

// Reads every value of the metadata in each way; all but one give an Error.
void read_metadata(const llm::GgufFile& gguf) {
  for (const llm::GgufValue& value : gguf.metadata()) {
    const auto attempt = [&](auto&& read) {
      try {
        read(value.key);
      } catch (const llm::Error&) {
      }
    };
    attempt([&](const std::string& key) { return gguf.integer(key); });
    attempt([&](const std::string& key) { return gguf.number(key); });
    attempt([&](const std::string& key) { return gguf.boolean(key); });
    attempt([&](const std::string& key) { return gguf.string(key); });
    attempt([&](const std::string& key) { return gguf.integers(key); });
    attempt([&](const std::string& key) { return gguf.numbers(key); });
    attempt([&](const std::string& key) { return gguf.strings(key); });
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const llm::MemoryFile file(data, size);
  try {
    const auto checkpoint = llm::Checkpoint::open(file.path());
    llm::read_all_weights(*checkpoint);
    if (checkpoint->gguf() == nullptr) return 0;
    read_metadata(*checkpoint->gguf());
    llm::model_config_from_gguf(*checkpoint->gguf());
  } catch (const llm::Error&) {
  }
  return 0;
}
