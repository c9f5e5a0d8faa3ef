// GgufFile's access to the metadata.
#include "common/io/gguf.h"

#include <cmath>
#include <cstring>

#include "common/base/error.h"
#include "common/io/gguf_types.h"

namespace llm {
namespace {

template <class T>
T load(const char* bytes) {
  T value;
  std::memcpy(&value, bytes, sizeof(T));
  return value;
}

bool is_integer(GgufType type) {
  return type < GgufType::kFloat32 || type == GgufType::kUint64 || type == GgufType::kInt64;
}

bool is_number(GgufType type) {
  return is_integer(type) || type == GgufType::kFloat32 || type == GgufType::kFloat64;
}

// Nothing for a number beyond Index's range.
std::optional<Index> load_integer(GgufType type, const char* bytes) {
  switch (type) {
    case GgufType::kUint8: return load<std::uint8_t>(bytes);
    case GgufType::kInt8: return load<std::int8_t>(bytes);
    case GgufType::kUint16: return load<std::uint16_t>(bytes);
    case GgufType::kInt16: return load<std::int16_t>(bytes);
    case GgufType::kUint32: return load<std::uint32_t>(bytes);
    case GgufType::kInt32: return load<std::int32_t>(bytes);
    case GgufType::kInt64: return load<std::int64_t>(bytes);
    default: break;
  }
  const auto value = load<std::uint64_t>(bytes);
  if (value > static_cast<std::uint64_t>(INT64_MAX)) return std::nullopt;
  return static_cast<Index>(value);
}

double load_number(GgufType type, const char* bytes) {
  if (type == GgufType::kFloat32) return static_cast<double>(load<float>(bytes));
  if (type == GgufType::kFloat64) return load<double>(bytes);
  if (type == GgufType::kUint64) return static_cast<double>(load<std::uint64_t>(bytes));
  return static_cast<double>(load_integer(type, bytes).value_or(0));
}

std::string type_text(const GgufValue& value) {
  std::string text(gguf_type_name(value.type));
  if (value.type == GgufType::kArray) text += " of " + std::string(gguf_type_name(value.element_type));
  return text;
}

}  // namespace

void GgufFile::wrong_type(const GgufValue& value, const std::string& expected) const {
  fail(ErrorCode::kFormat, {.where = file_->name() + ": " + value.key,
                            .what = "has type",
                            .got = type_text(value),
                            .expected = expected});
}

const GgufValue* GgufFile::find(std::string_view key) const {
  const auto found = keys_.find(key);
  return found == keys_.end() ? nullptr : &metadata_[found->second];
}

const GgufValue& GgufFile::get(std::string_view key) const {
  if (const GgufValue* value = find(key)) return *value;
  fail(ErrorCode::kMissing,
       {.where = file_->name(), .what = "the metadata has no key", .got = "'" + std::string(key) + "'"});
}

Index GgufFile::integer(std::string_view key, Index min, Index max) const {
  const GgufValue& value = get(key);
  if (!is_integer(value.type)) wrong_type(value, "an integer");
  const auto number = load_integer(value.type, value.bytes.data());
  if (!number || *number < min || *number > max)
    fail(ErrorCode::kRange,
         {.where = file_->name() + ": " + value.key,
          .what = "got",
          .got = number ? std::to_string(*number) : "a number beyond 2^63 - 1",
          .expected = "an integer from " + std::to_string(min) + " to " + std::to_string(max)});
  return *number;
}

double GgufFile::number(std::string_view key) const {
  const GgufValue& value = get(key);
  if (!is_number(value.type)) wrong_type(value, "a number");
  const double number = load_number(value.type, value.bytes.data());
  if (!std::isfinite(number))
    fail(ErrorCode::kRange, {.where = file_->name() + ": " + value.key, .what = "is not a finite number"});
  return number;
}

bool GgufFile::boolean(std::string_view key) const {
  const GgufValue& value = get(key);
  if (value.type != GgufType::kBool) wrong_type(value, "bool");
  return value.bytes[0] != 0;
}

std::string_view GgufFile::string(std::string_view key) const {
  const GgufValue& value = get(key);
  if (value.type != GgufType::kString) wrong_type(value, "string");
  return value.bytes.substr(sizeof(std::uint64_t));
}

std::vector<Index> GgufFile::integers(std::string_view key) const {
  const GgufValue& value = get(key);
  if (value.type != GgufType::kArray || !is_integer(value.element_type))
    wrong_type(value, "array of integers");
  std::vector<Index> integers;
  integers.reserve(static_cast<std::size_t>(value.count));
  for (Index i = 0; i < value.count; ++i) {
    const char* bytes = value.bytes.data() + i * gguf_type_bytes(value.element_type);
    const auto number = load_integer(value.element_type, bytes);
    if (!number)
      fail(ErrorCode::kRange, {.where = file_->name() + ": " + value.key + "[" + std::to_string(i) + "]",
                               .what = "a number beyond 2^63 - 1"});
    integers.push_back(*number);
  }
  return integers;
}

std::vector<double> GgufFile::numbers(std::string_view key) const {
  const GgufValue& value = get(key);
  if (value.type != GgufType::kArray || !is_number(value.element_type)) wrong_type(value, "array of numbers");
  std::vector<double> numbers;
  numbers.reserve(static_cast<std::size_t>(value.count));
  for (Index i = 0; i < value.count; ++i)
    numbers.push_back(
        load_number(value.element_type, value.bytes.data() + i * gguf_type_bytes(value.element_type)));
  return numbers;
}

std::vector<std::string_view> GgufFile::strings(std::string_view key) const {
  const GgufValue& value = get(key);
  if (value.type != GgufType::kArray || value.element_type != GgufType::kString)
    wrong_type(value, "array of string");
  std::vector<std::string_view> strings;
  strings.reserve(static_cast<std::size_t>(value.count));
  std::string_view rest = value.bytes;
  for (Index i = 0; i < value.count; ++i) {
    const auto length = load<std::uint64_t>(rest.data());
    strings.push_back(rest.substr(sizeof(length), length));
    rest.remove_prefix(sizeof(length) + length);
  }
  return strings;
}

Index GgufFile::integer_or(std::string_view key, Index fallback, Index min, Index max) const {
  return has(key) ? integer(key, min, max) : fallback;
}
double GgufFile::number_or(std::string_view key, double fallback) const {
  return has(key) ? number(key) : fallback;
}
bool GgufFile::boolean_or(std::string_view key, bool fallback) const {
  return has(key) ? boolean(key) : fallback;
}
std::string_view GgufFile::string_or(std::string_view key, std::string_view fallback) const {
  return has(key) ? string(key) : fallback;
}

}  // namespace llm
