// Opening a checkpoint: which files a path stands for, and what is in them.
#include <algorithm>
#include <cstring>
#include <system_error>

#include "common/base/error.h"
#include "common/io/checkpoint.h"
#include "common/io/gguf_names.h"
#include "common/io/path_exists.h"
#include "common/io/safetensors.h"

namespace llm {
namespace {

namespace fs = std::filesystem;

bool is_folder(const fs::path& path) {
  std::error_code error;
  return fs::is_directory(path, error);
}

// The file that a folder's weights are read from.
fs::path weights_file(const fs::path& folder) {
  for (const char* name : {"model.safetensors", "model.safetensors.index.json"})
    if (path_exists(folder / name)) return folder / name;
  std::vector<fs::path> ggufs;
  std::error_code error;
  for (const auto& file : fs::directory_iterator(folder, error))
    if (file.path().extension() == ".gguf") ggufs.push_back(file.path());
  if (error) fail(ErrorCode::kIo, {.where = folder.string(), .what = "cannot be read: " + error.message()});
  if (ggufs.size() == 1) return ggufs.front();
  if (ggufs.size() > 1)
    fail(ErrorCode::kMissing,
         {.where = folder.string(), .what = "holds several .gguf files", .remedy = "name one of them"});
  fail(ErrorCode::kMissing, {.where = folder.string(),
                             .what = "there are no weights in this folder",
                             .expected = "model.safetensors, model.safetensors.index.json or a .gguf file"});
}

bool is_gguf(const fs::path& path) {
  const MappedFile file(path);
  return file.text().starts_with("GGUF") || path.extension() == ".gguf";
}

// The number of heads whose rows a llama GGUF interleaves, for the q and k projections; 0 for other tensors.
Index interleaved_heads(const GgufFile& gguf, const std::string& name) {
  const bool q = name.find(".self_attn.q_proj.") != std::string::npos;
  const bool k = name.find(".self_attn.k_proj.") != std::string::npos;
  if ((!q && !k) || gguf.architecture() != "llama") return 0;
  constexpr Index kMostHeads = 1 << 20;
  const Index heads = gguf.integer("llama.attention.head_count", 1, kMostHeads);
  return q ? heads : gguf.integer_or("llama.attention.head_count_kv", heads, 1, kMostHeads);
}

}  // namespace

std::shared_ptr<Checkpoint> Checkpoint::open(const fs::path& path) {
  if (!path_exists(path))
    fail(ErrorCode::kMissing, {.where = path.string(), .what = "no such file or folder"});
  const fs::path file = is_folder(path) ? weights_file(path) : path;
  std::shared_ptr<Checkpoint> checkpoint(new Checkpoint);
  checkpoint->name_ = file.string();
  if (file.extension() == ".json") {
    for (const SafetensorsFile& shard : read_sharded_safetensors(file))
      checkpoint->add_file(shard.file, shard.tensors);
  } else if (is_gguf(file)) {
    checkpoint->add_gguf(std::make_unique<GgufFile>(file));
  } else {
    const SafetensorsFile single = read_safetensors(file);
    checkpoint->add_file(single.file, single.tensors);
  }
  return checkpoint;
}

void Checkpoint::add_file(const std::shared_ptr<const MappedFile>& file,
                          const std::vector<TensorEntry>& tensors) {
  for (const TensorEntry& tensor : tensors) {
    const auto bytes = file->bytes().subspan(static_cast<std::size_t>(tensor.offset),
                                             static_cast<std::size_t>(tensor.bytes));
    add({.tensor = tensor, .file = file->name(), .name_in_file = tensor.name},
        {.dtype = tensor.dtype.value_or(DType::kF32), .file = file, .copy = {}, .bytes = bytes});
  }
}

void Checkpoint::add_gguf(std::unique_ptr<GgufFile> gguf) {
  gguf_ = std::move(gguf);
  if (const Index parts = gguf_->integer_or("split.count", 1); parts > 1)
    fail(ErrorCode::kUnsupported, {.where = gguf_->file()->name(),
                                   .what = "is one of " + std::to_string(parts) + " parts of a split model",
                                   .remedy = "merge them with llama.cpp's gguf-split"});
  std::vector<TensorEntry> tensors = gguf_->tensors();
  for (TensorEntry& tensor : tensors) tensor.name = hugging_face_name(tensor.name);
  add_file(gguf_->file(), tensors);
  for (std::size_t i = 0; i < entries_.size(); ++i) {
    Entry& entry = entries_[i];
    entry.name_in_file = gguf_->tensors()[i].name;
    const Index heads = interleaved_heads(*gguf_, entry.tensor.name);
    const Index rows = entry.tensor.shape.empty() ? 1 : entry.tensor.shape[0];
    if (heads > 0 && (rows == 0 || rows % (2 * heads) != 0))
      fail(ErrorCode::kShape, {.where = place(entry),
                               .what = "rows",
                               .got = std::to_string(rows),
                               .expected = "an even number for each of " + std::to_string(heads) + " heads"});
    slots_[i].interleaved_heads = heads;
  }
}

}  // namespace llm
