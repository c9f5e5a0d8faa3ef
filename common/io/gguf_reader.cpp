// GgufFile's constructor: from bytes to checked descriptions.
#include <algorithm>
#include <cstring>
#include <unordered_set>

#include "common/base/checked.h"
#include "common/base/error.h"
#include "common/io/gguf.h"
#include "common/io/gguf_types.h"

namespace llm {
namespace {

constexpr int kMaxArrayDepth = 4;
constexpr int kMaxDims = 4;
constexpr Index kMaxKeyBytes = 65535;

// Reads numbers and strings one behind the other; an Error where the file ends too early.
class ByteReader {
 public:
  explicit ByteReader(const MappedFile& file) : file_(file), text_(file.text()) {}

  Index position() const { return position_; }
  Index left() const { return file_.size() - position_; }

  std::string place() const { return file_.name() + ": byte " + std::to_string(position_); }

  std::string_view take(Index bytes, const char* what) {
    if (bytes > left())
      fail(ErrorCode::kFormat, {.where = place(),
                                .what = std::string("the file ends inside ") + what + ":",
                                .got = std::to_string(left()) + " bytes left",
                                .expected = std::to_string(bytes),
                                .remedy = "the file is truncated or damaged"});
    const std::string_view bytes_taken =
        text_.substr(static_cast<std::size_t>(position_), static_cast<std::size_t>(bytes));
    position_ += bytes;
    return bytes_taken;
  }

  template <class T>
  T number(const char* what) {
    T value;
    std::memcpy(&value, take(sizeof(T), what).data(), sizeof(T));
    return value;
  }

  // A count of things that take at least item_bytes each: more than the file could hold is an error, before
  // anything is allocated for them.
  Index count(Index item_bytes, const char* what) {
    const std::string where = place();
    const auto value = number<std::uint64_t>(what);
    if (value > static_cast<std::uint64_t>(left() / item_bytes))
      fail(ErrorCode::kFormat, {.where = where,
                                .what = what,
                                .got = std::to_string(value),
                                .expected = "at most " + std::to_string(left() / item_bytes) +
                                            " (what the rest of the file could hold)",
                                .remedy = "the file is truncated or damaged"});
    return static_cast<Index>(value);
  }

  std::string_view string(const char* what) { return take(count(1, what), what); }

  std::string name(const char* what) {
    const std::string where = place();
    const std::string_view text = string(what);
    if (text.empty() || static_cast<Index>(text.size()) > kMaxKeyBytes)
      fail(ErrorCode::kFormat, {.where = where,
                                .what = what,
                                .got = std::to_string(text.size()),
                                .expected = "1 to " + std::to_string(kMaxKeyBytes)});
    return std::string(text);
  }

 private:
  const MappedFile& file_;
  std::string_view text_;
  Index position_ = 0;
};

GgufType read_type(ByteReader& reader) {
  const std::string where = reader.place();
  const auto number = reader.number<std::uint32_t>("a metadata type");
  if (number > static_cast<std::uint32_t>(GgufType::kFloat64))
    fail(ErrorCode::kFormat,
         {.where = where, .what = "metadata type", .got = std::to_string(number), .expected = "0 to 12"});
  return static_cast<GgufType>(number);
}

void skip_array(ByteReader& reader, GgufValue& value, int depth);

// Moves over `count` values of one type, checking them on the way.
void skip_values(ByteReader& reader, GgufType type, Index count, int depth) {
  if (type == GgufType::kString) {
    for (Index i = 0; i < count; ++i) reader.string("string length");
  } else if (type == GgufType::kArray) {
    GgufValue inner;
    for (Index i = 0; i < count; ++i) skip_array(reader, inner, depth + 1);
  } else {
    const std::string where = reader.place();
    const std::string_view bytes = reader.take(count * gguf_type_bytes(type), "a metadata value");
    if (type == GgufType::kBool &&
        std::any_of(bytes.begin(), bytes.end(), [](char c) { return c != 0 && c != 1; }))
      fail(ErrorCode::kFormat, {.where = where, .what = "a bool that is neither 0 nor 1"});
  }
}

void skip_array(ByteReader& reader, GgufValue& value, int depth) {
  if (depth >= kMaxArrayDepth)
    fail(ErrorCode::kFormat,
         {.where = reader.place(), .what = "arrays nested deeper than " + std::to_string(kMaxArrayDepth)});
  value.element_type = read_type(reader);
  Index smallest = gguf_type_bytes(value.element_type);
  if (value.element_type == GgufType::kString) smallest = 8;
  if (value.element_type == GgufType::kArray) smallest = 12;
  value.count = reader.count(smallest, "array length");
  skip_values(reader, value.element_type, value.count, depth);
}

GgufValue read_value(ByteReader& reader, const MappedFile& file) {
  GgufValue value;
  value.key = reader.name("key length");
  value.type = read_type(reader);
  Index begin = reader.position();
  if (value.type == GgufType::kArray) {
    skip_array(reader, value, 0);
    begin += 4 + 8;  // the element type and the count
  } else {
    skip_values(reader, value.type, 1, 0);
  }
  value.bytes = file.text().substr(static_cast<std::size_t>(begin),
                                   static_cast<std::size_t>(reader.position() - begin));
  return value;
}

// Sets shape and bytes from the dimensions, which the file lists innermost first.
void read_dims(ByteReader& reader, TensorEntry& tensor, const std::string& where) {
  const auto dims = reader.number<std::uint32_t>("a tensor's description");
  if (dims > kMaxDims)
    fail(ErrorCode::kFormat, {.where = where,
                              .what = "dimensions",
                              .got = std::to_string(dims),
                              .expected = "at most " + std::to_string(kMaxDims)});
  for (std::uint32_t i = 0; i < dims; ++i) {
    const auto extent = reader.number<std::uint64_t>("a tensor's description");
    if (extent > static_cast<std::uint64_t>(INT64_MAX))
      fail(ErrorCode::kFormat, {.where = where, .what = "dimension", .got = std::to_string(extent)});
    tensor.shape.insert(tensor.shape.begin(), static_cast<Index>(extent));
  }
}

void read_tensor_type(ByteReader& reader, TensorEntry& tensor, const std::string& where) {
  const auto number = reader.number<std::uint32_t>("a tensor's description");
  const auto type = gguf_tensor_type(number);
  if (!type)
    fail(ErrorCode::kUnsupported,
         {.where = where, .what = "unknown tensor type", .got = std::to_string(number)});
  tensor.dtype_name = std::string(type->name);
  tensor.dtype = dtype_from_name(type->name);
  const Index row = tensor.shape.empty() ? 1 : tensor.shape.back();
  if (row % type->block_values != 0)
    fail(ErrorCode::kFormat, {.where = where,
                              .what = "rows of",
                              .got = std::to_string(row),
                              .expected = "a multiple of " + std::to_string(type->block_values) + " (type " +
                                          tensor.dtype_name + ")"});
  std::optional<Index> bytes = checked_mul(row / type->block_values, type->block_bytes);
  for (std::size_t axis = 0; axis + 1 < tensor.shape.size(); ++axis)
    if (bytes) bytes = checked_mul(*bytes, tensor.shape[axis]);
  if (!bytes)
    fail(ErrorCode::kFormat,
         {.where = where, .what = "size overflows: shape", .got = shape_text(tensor.shape)});
  tensor.bytes = *bytes;
}

// One tensor's description; its offset still counts from the beginning of the data.
TensorEntry read_tensor(ByteReader& reader, const MappedFile& file, Index alignment) {
  TensorEntry tensor;
  tensor.name = reader.name("tensor name length");
  const std::string where = file.name() + ": tensor '" + tensor.name + "'";
  read_dims(reader, tensor, where);
  read_tensor_type(reader, tensor, where);
  const auto offset = reader.number<std::uint64_t>("a tensor's description");
  if (offset > static_cast<std::uint64_t>(file.size()))
    fail(ErrorCode::kFormat,
         {.where = where, .what = "offset", .got = std::to_string(offset) + " is beyond the file"});
  tensor.offset = static_cast<Index>(offset);
  if (tensor.offset % alignment != 0)
    fail(ErrorCode::kFormat, {.where = where,
                              .what = "offset",
                              .got = std::to_string(offset),
                              .expected = "a multiple of the alignment, " + std::to_string(alignment)});
  return tensor;
}

int read_version(ByteReader& reader, const MappedFile& file) {
  if (file.size() < 4 || reader.take(4, "the magic") != "GGUF")
    fail(ErrorCode::kFormat,
         {.where = file.name(), .what = "no GGUF file: wrong magic bytes", .expected = "'GGUF'"});
  const auto version = reader.number<std::uint32_t>("the version");
  if (version != 0 && (version & 0xffff) == 0)
    fail(ErrorCode::kUnsupported,
         {.where = file.name(), .what = "a big-endian GGUF file", .expected = "a little-endian one"});
  if (version != 2 && version != 3)
    fail(
        ErrorCode::kUnsupported,
        {.where = file.name(), .what = "GGUF version", .got = std::to_string(version), .expected = "2 or 3"});
  return static_cast<int>(version);
}

// Makes offsets count from the beginning of the file, and checks that no tensor leaves it or meets another.
void place_tensors(std::vector<TensorEntry>& tensors, Index data_begin, const MappedFile& file) {
  std::sort(tensors.begin(), tensors.end(), [](const TensorEntry& a, const TensorEntry& b) {
    return std::pair(a.offset, a.bytes) < std::pair(b.offset, b.bytes);
  });
  Index covered = 0;
  for (TensorEntry& tensor : tensors) {
    const std::string where = file.name() + ": tensor '" + tensor.name + "'";
    if (tensor.offset < covered)
      fail(ErrorCode::kFormat, {.where = where,
                                .what = "overlaps the tensor before it: offset",
                                .got = std::to_string(tensor.offset),
                                .expected = "at least " + std::to_string(covered)});
    const auto begin = checked_add(data_begin, tensor.offset);
    if (!begin || !range_fits(*begin, tensor.bytes, file.size()))
      fail(ErrorCode::kFormat,
           {.where = where,
            .what = "reaches beyond the file: offset",
            .got = std::to_string(tensor.offset) + ", " + std::to_string(tensor.bytes) + " bytes",
            .expected = std::to_string(std::max<Index>(file.size() - data_begin, 0)) + " bytes of data",
            .remedy = "the file is truncated"});
    covered = tensor.offset + tensor.bytes;
    tensor.offset = *begin;
  }
}

}  // namespace

GgufFile::GgufFile(const std::filesystem::path& path) : file_(std::make_shared<MappedFile>(path)) {
  ByteReader reader(*file_);
  version_ = read_version(reader, *file_);
  constexpr Index kSmallestTensor = 8 + 1 + 4 + 4 + 8, kSmallestValue = 8 + 1 + 4 + 1;
  const Index tensor_count = reader.count(kSmallestTensor, "tensor count");
  const Index metadata_count = reader.count(kSmallestValue, "metadata count");
  for (Index i = 0; i < metadata_count; ++i) {
    GgufValue value = read_value(reader, *file_);
    if (!keys_.emplace(value.key, metadata_.size()).second)
      fail(ErrorCode::kFormat, {.where = reader.place(), .what = "duplicate key '" + value.key + "'"});
    metadata_.push_back(std::move(value));
  }
  constexpr Index kDefaultAlignment = 32, kMaxAlignment = Index{1} << 30;
  alignment_ = integer_or("general.alignment", kDefaultAlignment);
  if (alignment_ < 1 || alignment_ > kMaxAlignment || (alignment_ & (alignment_ - 1)) != 0)
    fail(ErrorCode::kFormat, {.where = file_->name(),
                              .what = "general.alignment",
                              .got = std::to_string(alignment_),
                              .expected = "a power of two"});
  std::unordered_set<std::string> names;
  for (Index i = 0; i < tensor_count; ++i) {
    tensors_.push_back(read_tensor(reader, *file_, alignment_));
    if (!names.insert(tensors_.back().name).second)
      fail(ErrorCode::kFormat,
           {.where = reader.place(), .what = "duplicate tensor '" + tensors_.back().name + "'"});
  }
  place_tensors(tensors_, ceil_div(reader.position(), alignment_) * alignment_, *file_);
}

}  // namespace llm
