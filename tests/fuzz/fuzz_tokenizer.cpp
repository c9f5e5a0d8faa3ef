#include "chapters/01_tokenizer/tokenizer.h"
#include "common/base/error.h"
#include "tests/fuzz/memory_file.h"

// A tokenizer that loads must encode and decode.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const llm::MemoryFile file(data, size);
  try {
    const llm::Tokenizer tokenizer = llm::Tokenizer::load(file.path());
    const std::string_view text = "Hello, world! It's 12345 \xc3\xa9\xf0\x9f\x98\x80\xff  <s> \n\n x";
    const std::vector<llm::Token> ids = tokenizer.encode(text);
    (void)tokenizer.decode(ids);
    (void)tokenizer.decode(ids, true);
    (void)tokenizer.explain(text);
  } catch (const llm::Error&) {
  }
  return 0;
}
