#include "chapters/03_kv_cache/cache_file.h"

#include <ostream>

#include "chapters/03_kv_cache/fingerprint.h"
#include "chapters/03_kv_cache/kv_format.h"
#include "chapters/03_kv_cache/kv_tokens.h"
#include "common/base/error.h"
#include "common/cli/json_writer.h"
#include "common/io/write_file.h"

namespace llm {
namespace {

constexpr Index kChecksumBytes = 8;

const char* dtype_of(KvFormat format) {
  return format == KvFormat::kF32 ? "F32" : format == KvFormat::kBF16 ? "BF16" : "F16";
}

std::string tensor_name(Index layer, const char* part) {
  return "layers." + std::to_string(layer) + "." + part;
}

// The JSON header; offsets are counted as entries are added.
class Header {
 public:
  explicit Header(const CacheIdentity& identity) {
    json_.begin_object().key("__metadata__").begin_object();
    json_.field("format", kCacheFileFormat).field("model", identity.model).field("cache", identity.cache);
    json_.end_object();
  }
  void add(const std::string& name, const char* dtype, const std::vector<Index>& shape, Index bytes) {
    json_.key(name).begin_object().field("dtype", dtype).field("shape", shape);
    json_.field("data_offsets", std::vector<Index>{offset_, offset_ + bytes}).end_object();
    offset_ += bytes;
  }
  // With its length in front, filled up so that the tensors are aligned.
  std::string finish() {
    json_.end_object();
    std::string text = json_.text();
    text.resize((text.size() + 7) / 8 * 8, ' ');
    std::string length(8, '\0');
    for (std::size_t i = 0; i < 8; ++i) length[i] = static_cast<char>(text.size() >> (8 * i) & 255);
    return length + text;
  }

 private:
  JsonWriter json_;
  Index offset_ = 0;
};

// [N, KH, Dh] as the file keeps it, [KH, N, Dh].
std::vector<std::byte> to_file_order(View<const float, 3> tokens, KvFormat format) {
  const Index N = tokens.shape(0), KH = tokens.shape(1), Dh = tokens.shape(2);
  const Index bytes = Dh * kv_value_bytes(format);
  std::vector<std::byte> stored(static_cast<std::size_t>(N * KH * bytes));
  for (Index head = 0; head < KH; ++head)
    for (Index i = 0; i < N; ++i)
      store_values({tokens[i][head].begin(), static_cast<std::size_t>(Dh)}, format,
                   stored.data() + (head * N + i) * bytes);
  return stored;
}

}  // namespace

CacheIdentity cache_identity(const std::string& fingerprint, const std::string& cache_dtype) {
  return {.model = fingerprint, .cache = cache_dtype, .format = float_kv_format(cache_dtype)};
}

void expect_can_save(const std::filesystem::path& path) {
  const std::filesystem::path folder = path.has_parent_path() ? path.parent_path() : ".";
  if (std::filesystem::is_directory(folder) && !std::filesystem::is_directory(path)) return;
  fail(ErrorCode::kIo,
       {.where = path.string(),
        .what = std::filesystem::is_directory(folder) ? "is a folder" : "has no folder to be in",
        .expected = "the name of a file to write"});
}

void save_cached_text(const std::filesystem::path& path, CachedText& text, const ModelConfig& config,
                      const CacheIdentity& identity) {
  const Index L = config.num_hidden_layers, KH = config.num_key_value_heads, Dh = config.head_dim;
  const auto S = static_cast<Index>(text.ids.size());
  Header header(identity);
  header.add("input_ids", "I64", {S}, S * 8);
  for (Index l = 0; l < L; ++l) {
    const std::span<const KvBlock> blocks = text.cache->layer(l).blocks(0);
    const Index N = S - (blocks.empty() ? S : blocks.front().first_position);
    for (const char* part : {"keys", "values"})
      header.add(tensor_name(l, part), dtype_of(identity.format), {KH, N, Dh},
                 KH * N * Dh * kv_value_bytes(identity.format));
  }
  header.add("checksum", "U64", {1}, kChecksumBytes);

  const std::string head = header.finish();
  const std::vector<Index> ids(text.ids.begin(), text.ids.end());
  write_file(path, [&](std::ostream& file) {
    std::uint64_t checksum = 0;
    const auto write = [&](std::span<const std::byte> bytes) {
      file.write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
      checksum = hash_bytes(bytes, checksum);
    };
    write(std::as_bytes(std::span(head)));
    write(std::as_bytes(std::span(ids)));
    for (Index l = 0; l < L; ++l) {
      const KvTokens tokens = read_tokens(text.cache->layer(l), 0, 0, KH, Dh);
      write(to_file_order(tokens.keys, identity.format));
      write(to_file_order(tokens.values, identity.format));
    }
    write(std::as_bytes(std::span(&checksum, 1)));
  });
}

}  // namespace llm
