#include "chapters/02_naive_loop/write_safetensors.h"

#include <fstream>

#include "common/base/error.h"
#include "common/cli/json_writer.h"

namespace llm {

void write_safetensors(const std::filesystem::path& path, std::span<const NamedTensor> tensors) {
  JsonWriter header;
  header.begin_object();
  Index offset = 0;
  for (const NamedTensor& tensor : tensors) {
    const Index end = offset + static_cast<Index>(tensor.values.size() * sizeof(float));
    header.key(tensor.name).begin_object().field("dtype", "F32").field("shape", tensor.shape);
    header.field("data_offsets", std::vector<Index>{offset, end}).end_object();
    offset = end;
  }
  header.end_object();
  std::string text = header.text();
  text.resize((text.size() + 7) / 8 * 8, ' ');  // so that the values are aligned

  std::ofstream file(path, std::ios::binary);
  const std::uint64_t length = text.size();
  file.write(reinterpret_cast<const char*>(&length), sizeof(length));
  file.write(text.data(), static_cast<std::streamsize>(text.size()));
  for (const NamedTensor& tensor : tensors)
    file.write(reinterpret_cast<const char*>(tensor.values.data()),
               static_cast<std::streamsize>(tensor.values.size() * sizeof(float)));
  file.close();
  if (!file) fail(ErrorCode::kIo, {.where = path.string(), .what = "cannot be written"});
}

}  // namespace llm
