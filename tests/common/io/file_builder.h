// Files for tests, made byte by byte.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace llm {

// The bytes of a number, little-endian.
template <class T>
std::string raw(T value) {
  return {reinterpret_cast<const char*>(&value), sizeof(T)};
}

inline std::string safetensors_bytes(std::string_view header, std::string_view data) {
  return raw(static_cast<std::uint64_t>(header.size())) + std::string(header) + std::string(data);
}

// A GGUF file: metadata and tensors in the order in which they are added.
class GgufBuilder {
 public:
  std::uint32_t version = 3;
  std::uint64_t alignment = 32;

  static std::string text(std::string_view value) {
    return raw(static_cast<std::uint64_t>(value.size())) + std::string(value);
  }

  // `bytes` is the value as it stands in the file.
  GgufBuilder& value(std::string_view key, std::uint32_t type, const std::string& bytes) {
    metadata_ += text(key) + raw(type) + bytes;
    ++metadata_count_;
    return *this;
  }
  GgufBuilder& string(std::string_view key, std::string_view value_text) {
    return value(key, 8, text(value_text));
  }
  GgufBuilder& uint32(std::string_view key, std::uint32_t number) { return value(key, 4, raw(number)); }
  GgufBuilder& array(std::string_view key, std::uint32_t element_type, std::uint64_t count,
                     const std::string& bytes) {
    return value(key, 9, raw(element_type) + raw(count) + bytes);
  }

  // dims innermost first, as the format has them. Each tensor starts at the next multiple of the alignment.
  GgufBuilder& tensor(std::string_view name, const std::vector<std::uint64_t>& dims, std::uint32_t type,
                      const std::string& bytes) {
    return tensor_at(name, dims, type, data_.size(), bytes);
  }
  GgufBuilder& tensor_at(std::string_view name, const std::vector<std::uint64_t>& dims, std::uint32_t type,
                         std::uint64_t offset, const std::string& bytes) {
    tensors_ += text(name) + raw(static_cast<std::uint32_t>(dims.size()));
    for (const std::uint64_t dim : dims) tensors_ += raw(dim);
    tensors_ += raw(type) + raw(offset);
    ++tensor_count_;
    data_ += bytes;
    while (data_.size() % alignment != 0) data_ += '\0';
    return *this;
  }

  std::string bytes() const {
    std::string file =
        "GGUF" + raw(version) + raw(tensor_count_) + raw(metadata_count_) + metadata_ + tensors_;
    while (file.size() % alignment != 0) file += '\0';
    return file + data_;
  }

 private:
  std::uint64_t tensor_count_ = 0, metadata_count_ = 0;
  std::string metadata_, tensors_, data_;
};

}  // namespace llm
