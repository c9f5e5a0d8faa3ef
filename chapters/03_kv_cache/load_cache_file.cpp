// Reading a cache file back: nothing that it says is believed before it is checked.
#include <fmt/format.h>

#include <cstring>

#include "chapters/03_kv_cache/cache_file.h"
#include "chapters/03_kv_cache/fingerprint.h"
#include "common/base/error.h"
#include "common/io/safetensors.h"
#include "common/tensor/tensor.h"
#include "common/tensor/weight.h"

namespace llm {
namespace {

class CacheFileReader {
 public:
  CacheFileReader(const std::filesystem::path& path, const ModelConfig& config, const CacheIdentity& identity)
      : file_(read_safetensors(path)), name_(path.string()), config_(config), identity_(identity) {
    check_format();
    check_checksum();
    check_identity();
    check_tensors();
  }

  std::vector<Token> ids() const {
    const TensorEntry& entry = find("input_ids");
    std::vector<Index> wide(static_cast<std::size_t>(entry.shape[0]));
    if (entry.bytes > 0) std::memcpy(wide.data(), bytes(entry).data(), static_cast<std::size_t>(entry.bytes));
    for (const Index id : wide)
      if (id < 0 || id >= config_.vocab_size) damaged(fmt::format("token {}", id));
    return {wide.begin(), wide.end()};
  }

  // Fills the empty layer l with its tokens.
  void fill(Index l, CacheLayer& layer) const {
    const Index S = find("input_ids").shape[0];
    const Tensor<float, 3> keys = read(find(tensor_name(l, "keys")));
    const Tensor<float, 3> values = read(find(tensor_name(l, "values")));
    layer.restore(0, S - keys.shape(0), keys, values);
  }

 private:
  static std::string tensor_name(Index layer, const char* part) {
    return fmt::format("layers.{}.{}", layer, part);
  }
  [[noreturn]] void damaged(const std::string& what) const {
    fail(ErrorCode::kFormat,
         {.where = name_, .what = "the file is damaged: " + what, .remedy = "make it anew: --save-cache"});
  }
  std::string metadata(std::string_view key) const {
    for (const auto& [name, value] : file_.metadata)
      if (name == key) return value;
    return "";
  }
  const TensorEntry& find(const std::string& name) const {
    for (const TensorEntry& entry : file_.tensors)
      if (entry.name == name) return entry;
    damaged("it has no '" + name + "'");
  }
  std::span<const std::byte> bytes(const TensorEntry& entry) const {
    return file_.file->bytes().subspan(static_cast<std::size_t>(entry.offset),
                                       static_cast<std::size_t>(entry.bytes));
  }

  void check_format() const {
    if (metadata("format") == kCacheFileFormat) return;
    fail(ErrorCode::kFormat, {.where = name_,
                              .what = "is no cache file of this course: format",
                              .got = "'" + metadata("format") + "'",
                              .expected = "'" + std::string(kCacheFileFormat) + "'"});
  }

  // The hash of the header, then of each tensor; the last one holds it.
  void check_checksum() const {
    if (file_.tensors.empty()) damaged("it has no checksum");
    const TensorEntry& last = file_.tensors.back();
    if (last.name != "checksum" || last.bytes != sizeof(std::uint64_t)) damaged("it has no checksum");
    const Index data = file_.tensors.front().offset;
    std::uint64_t state = hash_bytes(file_.file->bytes().first(static_cast<std::size_t>(data)));
    for (std::size_t i = 0; i + 1 < file_.tensors.size(); ++i)
      state = hash_bytes(bytes(file_.tensors[i]), state);
    std::uint64_t expected = 0;
    std::memcpy(&expected, bytes(last).data(), sizeof(expected));
    if (state != expected) damaged("its checksum does not fit its contents");
  }

  void check_identity() const {
    if (metadata("model") != identity_.model)
      fail(ErrorCode::kMismatch, {.where = name_,
                                  .what = "was made with another model: fingerprint",
                                  .got = metadata("model"),
                                  .expected = identity_.model,
                                  .remedy = "keys and values of another model mean nothing to this one"});
    if (metadata("cache") != identity_.cache)
      fail(ErrorCode::kMismatch, {.where = name_,
                                  .what = "holds values of another kind:",
                                  .got = metadata("cache"),
                                  .expected = identity_.cache,
                                  .remedy = "run with the same --cache and --cache-dtype as then"});
  }

  void check_tensors() const {
    const TensorEntry& ids = find("input_ids");
    if (ids.dtype_name != "I64" || ids.shape.size() != 1) damaged("input_ids is no list of whole numbers");
    const Index S = ids.shape[0];
    if (S > config_.max_position_embeddings)
      damaged(fmt::format("{} tokens are more than the model reads", S));
    for (Index l = 0; l < config_.num_hidden_layers; ++l)
      for (const char* part : {"keys", "values"}) {
        const TensorEntry& entry = find(tensor_name(l, part));
        const bool fits = entry.dtype && entry.shape.size() == 3 &&
                          entry.shape[0] == config_.num_key_value_heads && entry.shape[1] <= S &&
                          entry.shape[2] == config_.head_dim;
        if (!fits)
          damaged(fmt::format("'{}' is {} {}, expected [{},up to {},{}]", entry.name, entry.dtype_name,
                              shape_text(entry.shape), config_.num_key_value_heads, S, config_.head_dim));
      }
  }

  // [KH, N, Dh] as [N, KH, Dh].
  Tensor<float, 3> read(const TensorEntry& entry) const {
    const Index KH = entry.shape[0], N = entry.shape[1], Dh = entry.shape[2];
    Tensor<float, 3> tokens({N, KH, Dh});
    for (Index head = 0; head < KH; ++head) {
      const Weight rows{*entry.dtype, N, Dh, bytes(entry).data() + head * N * row_bytes(*entry.dtype, Dh)};
      for (Index i = 0; i < N; ++i) {
        float* to = tokens[i][head].begin();
        dequantize_row(rows, i, {to, static_cast<std::size_t>(Dh)});
      }
    }
    return tokens;
  }

  SafetensorsFile file_;
  std::string name_;
  const ModelConfig& config_;
  const CacheIdentity& identity_;
};

}  // namespace

void load_cached_text(const std::filesystem::path& path, CachedText& text, const ModelConfig& config,
                      const CacheIdentity& identity) {
  const CacheFileReader reader(path, config, identity);
  std::vector<Token> ids = reader.ids();
  for (Index l = 0; l < config.num_hidden_layers; ++l) reader.fill(l, text.cache->layer(l));
  text.ids = std::move(ids);
}

}  // namespace llm
