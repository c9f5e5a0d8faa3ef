// The safetensors format: 8 bytes of header length, a JSON header, then the tensors' bytes.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "common/io/mapped_file.h"
#include "common/io/tensor_entry.h"

namespace llm {

struct SafetensorsFile {
  std::shared_ptr<const MappedFile> file;
  std::vector<TensorEntry> tensors;                                // in the order of their bytes
  std::vector<std::pair<std::string, std::string>> metadata = {};  // "__metadata__"
};

// Maps the file and checks the whole header by the rules of the reference parser (safetensors 0.8, Rust):
// header length within the file and at most 100 MB, tensors that cover the rest of the file without hole,
// overlap or bytes left over, sizes that follow from dtype and shape. No tensor's bytes are touched.
// Errors: those of MappedFile, and kFormat with the tensor's name.
SafetensorsFile read_safetensors(const std::filesystem::path& path);

// The same for a sharded model: `index_path` is its model.safetensors.index.json. One entry a shard.
// Errors: those above; kFormat for a damaged index, kMissing for a shard or tensor that is not there,
// kMismatch when index and shards disagree.
std::vector<SafetensorsFile> read_sharded_safetensors(const std::filesystem::path& index_path);

}  // namespace llm
