#include "tests/fuzz/memory_file.h"
#include "tests/fuzz/read_all_weights.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const llm::MemoryFile file(data, size);
  try {
    const auto checkpoint = llm::Checkpoint::open(file.path());
    llm::read_all_weights(*checkpoint);
    checkpoint->convert(llm::DType::kBF16);
    checkpoint->convert(llm::DType::kQ8_0);
  } catch (const llm::Error&) {
  }
  return 0;
}
