#include <cstddef>
#include <cstdint>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "common/cli/generate_request.h"
#include "common/cli/jsonl.h"
#include "common/config/generation_fields.h"

// Each line gets one answer, whatever is in it.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  constexpr llm::Index kVocabSize = 512;
  std::vector<std::string_view> fields;
  for (const llm::GenerationField& field : llm::generation_fields()) fields.push_back(field.name);
  const llm::GenerateProgram program{.name = "fuzz",
                                     .request_fields = llm::generate_request_fields(),
                                     .generation_fields = fields,
                                     .engines = {"naive", "cached"},
                                     .caches = {"dynamic", "static"}};
  std::istringstream in(std::string(reinterpret_cast<const char*>(data), size));
  std::ostringstream out;
  llm::serve_json_lines(in, out, llm::generate_request_fields(),
                        [&](const llm::JsonReader& request, llm::JsonWriter& answer) {
                          const auto read = llm::read_generate_request(request, program, kVocabSize);
                          answer.value(read.input_ids);
                        });
  return 0;
}
