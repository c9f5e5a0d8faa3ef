// A model's weights by name, wherever they come from: a safetensors file, a sharded model, a GGUF file, or
// random numbers.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "common/io/gguf.h"
#include "common/io/mapped_file.h"
#include "common/io/progress.h"
#include "common/io/tensor_entry.h"
#include "common/tensor/tensor.h"
#include "common/tensor/weight.h"

namespace llm {

// What a random checkpoint is made from: a name and a shape of one axis (all ones) or two.
struct TensorSpec {
  std::string name;
  std::vector<Index> shape;
};

// Tensors have the names that Hugging Face's files give them ("model.layers.3.self_attn.q_proj.weight");
// those of a GGUF file are translated, and the rows of a llama-architecture GGUF's q and k projections are
// put back into Hugging Face's order. Names unknown to the translation ("rope_freqs.weight") stay as they
// are. Bytes stay in the mapped file. Only a tensor that lies misaligned, in another order of rows, or is to
// be converted is copied, once. Matrices and vectors that it hands out live as long as it does. Not for
// several threads at a time.
class Checkpoint {
 public:
  struct Entry {
    TensorEntry tensor;  // with the translated name
    std::string file;    // what messages call the file
  };

  // path: a folder with model.safetensors or model.safetensors.index.json, a .safetensors file, or a .gguf
  // file (a folder that holds exactly one .gguf file and no safetensors also does). Errors: kMissing when
  // there is none of them, those of the readers.
  static std::shared_ptr<Checkpoint> open(const std::filesystem::path& path);

  // BF16 matrices of normally distributed values (mean 0, standard deviation 0.02), vectors of ones: a model
  // that computes like a trained one and says nothing. The same for any number of threads.
  static std::shared_ptr<Checkpoint> random(std::span<const TensorSpec> specs, std::uint64_t seed,
                                            const Progress& progress = {});

  ~Checkpoint();
  Checkpoint(const Checkpoint&) = delete;
  Checkpoint& operator=(const Checkpoint&) = delete;

  bool has(std::string_view name) const;

  // The named tensor. `why` says where the expected numbers come from, for the message about a wrong shape:
  // "num_key_value_heads 2 * head_dim 16".
  // Errors: kMissing (with the name that comes nearest), kShape, kUnsupported for a format that cannot be
  // used.
  Weight matrix(std::string_view name, Index rows, Index cols, std::string_view why = {});
  Weight vector(std::string_view name, Index size, std::string_view why = {});

  // All tensors, in the order of their bytes, file by file.
  const std::vector<Entry>& entries() const { return entries_; }
  // Names that nobody has asked for yet.
  std::vector<std::string> unused() const;

  // From now on all matrices are of this format (F32, F16, BF16, Q8_0 or Q4_0); vectors stay as they are.
  // Each matrix is converted once, here; progress counts bytes of the originals. Views handed out before stay
  // valid only for matrices that already had the format.
  // Errors: kUnsupported for another format, kShape for a matrix whose rows do not divide into its blocks.
  void convert(DType dtype, const Progress& progress = {});

  // The GGUF file behind it, for its metadata (config, tokenizer); null for the other kinds.
  const GgufFile* gguf() const { return gguf_.get(); }
  // What messages call the whole: the path, or "random".
  const std::string& name() const { return name_; }

 private:
  struct Slot;  // where a tensor's bytes are now

  Checkpoint();
  void add(TensorEntry tensor, const std::shared_ptr<const MappedFile>& file);
  Slot& find_slot(std::string_view name, std::span<const Index> shape, std::string_view why);
  Weight weight_of(Slot& slot, Index rows, Index cols);

  std::string name_;
  std::unique_ptr<GgufFile> gguf_;
  std::vector<std::shared_ptr<const MappedFile>> files_;
  std::vector<Entry> entries_;
  std::vector<Slot> slots_;  // one an entry
  std::unordered_map<std::string, std::size_t> index_;
};

}  // namespace llm
