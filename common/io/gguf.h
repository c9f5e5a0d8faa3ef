// The GGUF format (versions 2 and 3): typed metadata, descriptions of the tensors, then their bytes.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "common/io/mapped_file.h"
#include "common/io/tensor_entry.h"

namespace llm {

// The numbers are the format's.
enum class GgufType : std::uint32_t {
  kUint8 = 0,
  kInt8,
  kUint16,
  kInt16,
  kUint32,
  kInt32,
  kFloat32,
  kBool,
  kString,
  kArray,
  kUint64,
  kInt64,
  kFloat64
};
std::string_view gguf_type_name(GgufType type);

// One value of the metadata, still in the file: checked to lie inside it, decoded when asked for.
struct GgufValue {
  std::string key;
  GgufType type = GgufType::kUint8;
  GgufType element_type = GgufType::kUint8;  // of an array
  Index count = 1;                           // elements of an array
  std::string_view bytes;                    // of the value, or of an array's elements
};

class GgufFile {
 public:
  // Errors: those of MappedFile; kFormat and kUnsupported with the place in the file.
  explicit GgufFile(const std::filesystem::path& path);

  const std::shared_ptr<const MappedFile>& file() const { return file_; }
  int version() const { return version_; }
  Index alignment() const { return alignment_; }
  const std::vector<TensorEntry>& tensors() const {
    return tensors_;
  }  // GGUF's own names, shapes outermost first
  const std::vector<GgufValue>& metadata() const { return metadata_; }

  // Typed access to the metadata. Any integer type may hold an integer, any number a number.
  // Errors: kMissing for an absent key, kFormat for another type, kRange outside [min, max].
  const GgufValue* find(std::string_view key) const;
  bool has(std::string_view key) const { return find(key) != nullptr; }
  Index integer(std::string_view key, Index min = INT64_MIN, Index max = INT64_MAX) const;
  double number(std::string_view key) const;
  bool boolean(std::string_view key) const;
  std::string_view string(std::string_view key) const;  // lives as long as this file
  std::vector<Index> integers(std::string_view key) const;
  std::vector<double> numbers(std::string_view key) const;
  std::vector<std::string_view> strings(std::string_view key) const;

  // The same with a value for an absent key.
  Index integer_or(std::string_view key, Index fallback, Index min = INT64_MIN, Index max = INT64_MAX) const;
  double number_or(std::string_view key, double fallback) const;
  bool boolean_or(std::string_view key, bool fallback) const;
  std::string_view string_or(std::string_view key, std::string_view fallback) const;

  // "llama", "qwen3": general.architecture.
  std::string_view architecture() const { return string("general.architecture"); }

 private:
  const GgufValue& get(std::string_view key) const;
  [[noreturn]] void wrong_type(const GgufValue& value, const std::string& expected) const;

  std::shared_ptr<const MappedFile> file_;
  int version_ = 0;
  Index alignment_ = 32;
  std::vector<GgufValue> metadata_;
  std::map<std::string, std::size_t, std::less<>> keys_;
  std::vector<TensorEntry> tensors_;
};

}  // namespace llm
