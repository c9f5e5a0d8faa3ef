#include "common/io/safetensors.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <nlohmann/json.hpp>

#include "common/base/checked.h"
#include "common/base/error.h"
#include "common/io/json.h"

namespace llm {
namespace {

constexpr Index kLengthBytes = 8;
constexpr Index kMaxHeaderBytes = 100'000'000;

struct FormatDType {
  std::string_view name;
  Index bits;
  std::optional<DType> dtype = std::nullopt;
};

// All that the reference parser knows; the ones without a dtype are listed, but are no weights for us.
constexpr std::array<FormatDType, 22> kDTypes = {{
    {"F32", 32, DType::kF32},
    {"F16", 16, DType::kF16},
    {"BF16", 16, DType::kBF16},
    {"F64", 64},
    {"F8_E4M3", 8},
    {"F8_E4M3FNUZ", 8},
    {"F8_E5M2", 8},
    {"F8_E5M2FNUZ", 8},
    {"F8_E8M0", 8},
    {"F6_E2M3", 6},
    {"F6_E3M2", 6},
    {"F4", 4},
    {"C64", 64},
    {"BOOL", 8},
    {"I8", 8},
    {"U8", 8},
    {"I16", 16},
    {"U16", 16},
    {"I32", 32},
    {"U32", 32},
    {"I64", 64},
    {"U64", 64},
}};

const FormatDType& find_dtype(const JsonReader& field) {
  const std::string& name = field.string();
  for (const FormatDType& entry : kDTypes)
    if (entry.name == name) return entry;
  fail(ErrorCode::kUnsupported, {.where = field.place(), .what = "unknown dtype", .got = "'" + name + "'"});
}

// The JSON text between the length and the tensors' bytes.
std::string_view header_text(const MappedFile& file) {
  const std::string_view text = file.text();
  if (file.size() < kLengthBytes)
    fail(ErrorCode::kFormat, {.where = file.name(),
                              .what = "too short for a header:",
                              .got = std::to_string(file.size()) + " bytes",
                              .expected = "8 bytes of header length first"});
  std::uint64_t length = 0;
  for (int i = 0; i < kLengthBytes; ++i)
    length |= static_cast<std::uint64_t>(static_cast<unsigned char>(text[i])) << (8 * i);
  const Index room = file.size() - kLengthBytes;
  if (length > static_cast<std::uint64_t>(std::min(room, kMaxHeaderBytes)))
    fail(ErrorCode::kFormat,
         {.where = file.name(),
          .what = "header length",
          .got = std::to_string(length),
          .expected = "at most " + std::to_string(std::min(room, kMaxHeaderBytes)) +
                      (room < kMaxHeaderBytes ? " (the bytes that follow)" : " (the format's limit)"),
          .remedy = "the file is truncated or no safetensors file"});
  const std::string_view header = text.substr(kLengthBytes, length);
  if (header.empty() || header.front() != '{')
    fail(ErrorCode::kFormat, {.where = file.name(), .what = "the header does not begin with '{'"});
  return header;
}

std::vector<std::pair<std::string, std::string>> read_metadata(const JsonReader& metadata) {
  std::vector<std::pair<std::string, std::string>> pairs;
  metadata.expect_object();
  for (const auto& [key, value] : metadata.json().items()) pairs.emplace_back(key, metadata.at(key).string());
  return pairs;
}

// The bytes that a tensor of this shape takes; the product is checked for overflow.
Index bytes_needed(const TensorEntry& tensor, Index bits_each, const std::string& where) {
  std::optional<Index> bits = bits_each;
  for (const Index extent : tensor.shape)
    if (bits) bits = checked_mul(*bits, extent);
  if (!bits)
    fail(ErrorCode::kFormat,
         {.where = where, .what = "size overflows: shape", .got = shape_text(tensor.shape)});
  if (*bits % 8 != 0)
    fail(ErrorCode::kFormat, {.where = where,
                              .what = "no whole number of bytes: shape",
                              .got = shape_text(tensor.shape) + " of " + tensor.dtype_name});
  return *bits / 8;
}

// One tensor of the header. Its offsets count from data_begin.
TensorEntry read_entry(const JsonReader& entry, const std::string& name, Index data_begin, Index file_size) {
  entry.expect_object();
  const FormatDType& format = find_dtype(entry.at("dtype"));
  TensorEntry tensor{.name = name,
                     .dtype_name = std::string(format.name),
                     .dtype = format.dtype,
                     .shape = entry.at("shape").integers(0)};
  const std::vector<Index> offsets = entry.at("data_offsets").integers(0);
  const std::string where = entry.place();
  if (offsets.size() != 2 || offsets[0] > offsets[1])
    fail(ErrorCode::kFormat,
         {.where = where, .what = "data_offsets", .got = shape_text(offsets), .expected = "begin and end"});
  if (!range_fits(data_begin, offsets[1], file_size))
    fail(ErrorCode::kFormat, {.where = where,
                              .what = "data_offsets",
                              .got = shape_text(offsets) + " reach beyond the file",
                              .expected = "at most " + std::to_string(file_size - data_begin),
                              .remedy = "the file is truncated"});
  tensor.offset = data_begin + offsets[0];
  tensor.bytes = offsets[1] - offsets[0];
  const Index needed = bytes_needed(tensor, format.bits, where);
  if (needed != tensor.bytes)
    fail(ErrorCode::kFormat, {.where = where,
                              .what = "data_offsets span",
                              .got = std::to_string(tensor.bytes) + " bytes",
                              .expected = std::to_string(needed) + " (shape " + shape_text(tensor.shape) +
                                          " of dtype " + tensor.dtype_name + ")"});
  return tensor;
}

std::string tensor_place(const std::string& file, const std::string& name) {
  return file + ": tensor '" + name + "'";
}

// The tensors must cover the bytes from data_begin to the end of the file, each byte once.
void check_coverage(const std::vector<TensorEntry>& tensors, Index data_begin, const MappedFile& file) {
  Index covered = data_begin;
  for (const TensorEntry& tensor : tensors) {
    const Index gap = tensor.offset - covered;
    if (gap != 0)
      fail(ErrorCode::kFormat, {.where = tensor_place(file.name(), tensor.name),
                                .what = gap > 0 ? "a hole before the tensor: data offset"
                                                : "overlaps the tensor before it: data offset",
                                .got = std::to_string(tensor.offset - data_begin),
                                .expected = std::to_string(covered - data_begin)});
    covered += tensor.bytes;
  }
  if (covered != file.size())
    fail(ErrorCode::kFormat, {.where = file.name(),
                              .what = std::to_string(file.size() - covered) +
                                      " trailing bytes behind the last tensor, which no tensor covers"});
}

}  // namespace

SafetensorsFile read_safetensors(const std::filesystem::path& path) {
  SafetensorsFile result{.file = std::make_shared<MappedFile>(path), .tensors = {}};
  const MappedFile& file = *result.file;
  const std::string_view text = header_text(file);
  const Json header = parse_json(text, file.name() + ": header");
  const Index data_begin = kLengthBytes + static_cast<Index>(text.size());
  for (const auto& [name, value] : header.items()) {
    if (name == "__metadata__") {
      result.metadata = read_metadata(JsonReader(value, file.name() + ": __metadata__"));
    } else {
      const JsonReader entry(value, tensor_place(file.name(), name));
      result.tensors.push_back(read_entry(entry, name, data_begin, file.size()));
    }
  }
  std::sort(result.tensors.begin(), result.tensors.end(), [](const TensorEntry& a, const TensorEntry& b) {
    return std::pair(a.offset, a.bytes) < std::pair(b.offset, b.bytes);
  });
  check_coverage(result.tensors, data_begin, file);
  return result;
}

}  // namespace llm
