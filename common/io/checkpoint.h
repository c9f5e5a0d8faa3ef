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

#include "common/base/large_pages.h"
#include "common/io/gguf.h"
#include "common/io/mapped_file.h"
#include "common/io/progress.h"
#include "common/io/tensor_entry.h"
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
// are. Bytes stay in the mapped file, unless load_into_memory() is called: only a tensor that lies
// misaligned, in another order of rows, or is to be converted is copied, once. Matrices and vectors that it
// hands out live as long as it does. Not for several threads at a time.
class Checkpoint {
 public:
  struct Entry {
    TensorEntry tensor;        // with the translated name
    std::string file;          // what messages call the file
    std::string name_in_file;  // before the translation
  };

  // path: a folder with model.safetensors or model.safetensors.index.json, a .safetensors file, such an
  // index, or a .gguf file (a folder that holds one .gguf file and no safetensors also does). Errors:
  // kMissing when there is none of them, those of the readers.
  static std::shared_ptr<Checkpoint> open(const std::filesystem::path& path);

  // BF16 matrices of nearly normally distributed values (mean 0, standard deviation 0.02), vectors of ones: a
  // model that computes like a trained one and says nothing. The same for any number of threads.
  // progress counts bytes.
  static std::shared_ptr<Checkpoint> random(std::span<const TensorSpec> specs, std::uint64_t seed,
                                            const Progress& progress = {});

  ~Checkpoint();
  Checkpoint(const Checkpoint&) = delete;
  Checkpoint& operator=(const Checkpoint&) = delete;

  bool has(std::string_view name) const { return index_.contains(std::string(name)); }

  // The named tensor. `why` says where the expected numbers come from, for the message about a wrong shape:
  // "num_key_value_heads 2 * head_dim 16".
  // Errors: kMissing (with the name that comes nearest), kShape, kUnsupported for a format that is no
  // weight's.
  Weight matrix(std::string_view name, Index rows, Index cols, std::string_view why = {});
  Weight vector(std::string_view name, Index size, std::string_view why = {});

  // The same checks without touching or copying anything. shape: [size] or [rows, cols].
  void expect(std::string_view name, std::span<const Index> shape, std::string_view why = {}) const;

  // All tensors, in the order of their bytes, file by file.
  const std::vector<Entry>& entries() const { return entries_; }
  // Names that nobody has asked for yet.
  std::vector<std::string> unused() const;

  // From now on matrices are of this format (F32, F16, BF16, Q8_0 or Q4_0); vectors and tensors that are no
  // weights stay as they are, and so do matrices whose rows do not divide into the format's blocks: returns
  // the names of the latter. Each is converted once, here; progress counts bytes of the originals. Call it
  // before asking for weights: those handed out earlier may dangle.
  // Errors: kUnsupported for another format.
  std::vector<std::string> convert(DType dtype, const Progress& progress = {});

  // Copies the weights that lie in mapped files into memory in large pages, which the processor reads faster:
  // the pages of a file are small ones. As aligned, and with their rows in the order, as matrix() and
  // vector() would hand them out. Those handed out earlier stay valid, and copies stay where they are. Needs
  // little more memory than the copies themselves. progress counts bytes. Errors: kMemory.
  void load_into_memory(const Progress& progress = {});

  // Bytes of all tensors as they are now (after a conversion, the converted ones), and those of them that are
  // copies in memory rather than pages of a file.
  Index weight_bytes() const;
  Index copied_bytes() const;

  // The GGUF file behind it, for its metadata (config, tokenizer); null for the other kinds.
  const GgufFile* gguf() const { return gguf_.get(); }
  // What messages call the whole: the path, or "random".
  const std::string& name() const { return name_; }

 private:
  // Where a tensor's bytes are now.
  struct Slot {
    DType dtype = DType::kF32;
    std::shared_ptr<const MappedFile> file;  // or null
    std::shared_ptr<LargeBlock> copy;        // or null
    std::span<const std::byte> bytes;        // in the copy; without one, in the file
    Index interleaved_heads = 0;             // the rows are still in a llama GGUF's order
    bool used = false;

    void release(std::span<const std::byte> part) const;  // nobody needs it any more
  };

  Checkpoint();
  void add_file(const std::shared_ptr<const MappedFile>& file, const std::vector<TensorEntry>& tensors);
  void add_gguf(std::unique_ptr<GgufFile> gguf);
  std::size_t add(Entry entry, Slot slot);
  std::string place(const Entry& entry) const;
  std::size_t find(std::string_view name) const;
  std::size_t find_shaped(std::string_view name, std::span<const Index> shape, std::string_view why) const;
  Weight weight(std::size_t i, Index rows, Index cols);
  void prepare(std::size_t i);
  void convert_one(std::size_t i, DType dtype, const std::shared_ptr<LargeBlock>& block,
                   const Progress& progress);

  std::string name_;
  std::unique_ptr<GgufFile> gguf_;
  std::vector<Entry> entries_;
  std::vector<Slot> slots_;  // one an entry
  std::unordered_map<std::string, std::size_t> index_;
};

}  // namespace llm
