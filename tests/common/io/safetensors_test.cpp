#include "common/io/safetensors.h"

#include <doctest/doctest.h>

#include "common/base/error.h"
#include "tests/common/io/file_builder.h"
#include "tests/message_of.h"
#include "tests/temp_folder.h"

namespace llm {
namespace {

std::string error_of(const std::string& bytes) {
  const TempFolder folder;
  const auto path = folder.write("m.safetensors", bytes);
  const std::string message = message_of([&] { read_safetensors(path); });
  if (message == "no error") return message;
  CHECK(message.starts_with(path.string() + ": "));
  return message.substr(path.string().size() + 2);
}

std::string header_error(std::string_view header, std::size_t data_bytes) {
  return error_of(safetensors_bytes(header, std::string(data_bytes, 'x')));
}

bool mentions(const std::string& message, std::string_view part) {
  CAPTURE(message);
  return message.find(part) != std::string::npos;
}

TEST_CASE("a file's tensors come in the order of their bytes, with metadata") {
  const TempFolder folder;
  const SafetensorsFile file = read_safetensors(folder.write(
      "m.safetensors", safetensors_bytes(R"({"b": {"dtype": "F32", "shape": [2, 2], "data_offsets": [6, 22]},
                            "__metadata__": {"format": "pt", "x": ""},
                            "none": {"dtype": "F16", "shape": [0, 7], "data_offsets": [22, 22]},
                            "a": {"dtype": "BF16", "shape": [3], "data_offsets": [0, 6], "extra": 1},
                            "one": {"dtype": "I64", "shape": [], "data_offsets": [22, 30]}}   )",
                                         std::string(30, 'x'))));
  REQUIRE(file.tensors.size() == 4);
  CHECK(file.tensors[0].name == "a");
  CHECK(file.tensors[0].dtype == DType::kBF16);
  CHECK(file.tensors[0].shape == std::vector<Index>{3});
  CHECK(file.tensors[0].offset == file.file->size() - 30);
  CHECK(file.tensors[1].name == "b");
  CHECK(file.tensors[1].bytes == 16);
  CHECK(file.tensors[2].name == "none");
  CHECK(file.tensors[3].name == "one");
  CHECK(file.tensors[3].dtype_name == "I64");
  CHECK_FALSE(file.tensors[3].dtype.has_value());
  CHECK(file.metadata == std::vector<std::pair<std::string, std::string>>{{"format", "pt"}, {"x", ""}});
}

TEST_CASE("a file without tensors is fine") {
  CHECK(header_error("{}", 0) == "no error");
  CHECK(header_error(R"({"__metadata__": {}})", 0) == "no error");
}

TEST_CASE("every dtype of the format has its size") {
  for (const auto& [bound_dtype, bits] : std::vector<std::pair<std::string, int>>{
           {"F64", 64},    {"F32", 32},    {"F16", 16},    {"BF16", 16},   {"F8_E4M3", 8},
           {"F8_E5M2", 8}, {"F8_E8M0", 8}, {"F6_E2M3", 6}, {"F6_E3M2", 6}, {"F4", 4},
           {"C64", 64},    {"BOOL", 8},    {"I8", 8},      {"U8", 8},      {"I16", 16},
           {"U16", 16},    {"I32", 32},    {"U32", 32},    {"I64", 64},    {"U64", 64}}) {
    const auto& dtype = bound_dtype;  // clang 14 cannot capture the binding itself
    CAPTURE(dtype);
    const std::string start = R"({"a": {"dtype": ")" + dtype + R"(", "shape": [8], "data_offsets": [0, )";
    CHECK(header_error(start + std::to_string(bits) + "]}}", bits) == "no error");
    CHECK(mentions(
        header_error(start + std::to_string(bits + 1) + "]}}", bits + 1),
        "data_offsets span " + std::to_string(bits + 1) + " bytes, expected " + std::to_string(bits)));
  }
  CHECK(mentions(header_error(R"({"a": {"dtype": "F8_E9M9", "shape": [1], "data_offsets": [0, 1]}})", 1),
                 "tensor 'a': dtype: unknown dtype 'F8_E9M9'"));
  CHECK(mentions(header_error(R"({"a": {"dtype": "F4", "shape": [3], "data_offsets": [0, 2]}})", 2),
                 "no whole number of bytes"));
}

TEST_CASE("the header's length is checked before it is used") {
  CHECK(error_of("") == "the file is empty");
  CHECK(mentions(error_of("1234567"), "too short for a header: 7 bytes"));
  CHECK(mentions(error_of(raw(std::uint64_t{3}) + "{}"), "header length 3, expected at most 2"));
  CHECK(mentions(error_of(raw(~std::uint64_t{0}) + "{}"), "header length 18446744073709551615"));
  CHECK(mentions(error_of(raw(std::uint64_t{1} << 63) + "{}"), "header length"));
  CHECK(mentions(error_of(raw(std::uint64_t{0})), "does not begin with '{'"));
  CHECK(mentions(header_error(" {}", 0), "does not begin with '{'"));
}

TEST_CASE("a header of more than 100 MB is refused even where the file is large enough") {
  const TempFolder folder;
  const auto path = folder.write("m.safetensors", raw(std::uint64_t{100'000'001}) + "{");
  std::filesystem::resize_file(path, 200'000'000);  // the rest takes no room on the disk
  CHECK_THROWS_WITH_AS(
      read_safetensors(path),
      doctest::Contains("header length 100000001, expected at most 100000000 (the format's limit)"), Error);
}

TEST_CASE("the header must be one JSON object of the right form") {
  CHECK(mentions(header_error("{\"a\": }", 0), "header: line 1, column 7: invalid JSON"));
  CHECK(mentions(header_error("{\"\xff\": 1}", 0), "not UTF-8"));
  CHECK(mentions(header_error("{} x", 0), "invalid JSON"));
  CHECK(mentions(header_error(R"({"a": 3})", 0), "tensor 'a': got 3, expected an object"));
  CHECK(mentions(header_error(R"({"__metadata__": {"a": 1}})", 0),
                 "__metadata__: a: got 1, expected a string"));
  CHECK(mentions(header_error(R"({"__metadata__": []})", 0), "__metadata__: got [], expected an object"));
  const std::string good = R"("dtype": "U8", "shape": [2], "data_offsets": [0, 2])";
  CHECK(mentions(header_error("{\"a\": {" + good + "}, \"a\": {" + good + "}}", 2), "duplicate key 'a'"));
  CHECK(mentions(header_error(R"({"a": {"shape": [2], "data_offsets": [0, 2]}})", 2), "'dtype' is missing"));
  CHECK(mentions(header_error(R"({"a": {"dtype": "U8", "data_offsets": [0, 2]}})", 2), "'shape' is missing"));
  CHECK(mentions(header_error(R"({"a": {"dtype": "U8", "shape": [2]}})", 2), "'data_offsets' is missing"));
  CHECK(mentions(header_error(R"({"a": {"dtype": 3, "shape": [2], "data_offsets": [0, 2]}})", 2),
                 "dtype: got 3"));
  CHECK(mentions(header_error(R"({"a": {"dtype": "U8", "shape": [2.0], "data_offsets": [0, 2]}})", 2),
                 "shape[0]"));
  CHECK(mentions(header_error(R"({"a": {"dtype": "U8", "shape": [-2], "data_offsets": [0, 2]}})", 2),
                 "shape[0]"));
  CHECK(mentions(header_error(R"({"a": {"dtype": "U8", "shape": 2, "data_offsets": [0, 2]}})", 2),
                 "shape: got 2"));
}

TEST_CASE("offsets must be two numbers within the file") {
  const auto with_offsets = [](const std::string& offsets) {
    return header_error(R"({"a": {"dtype": "U8", "shape": [2], "data_offsets": )" + offsets + "}}", 2);
  };
  CHECK(with_offsets("[0, 2]") == "no error");
  CHECK(mentions(with_offsets("[0, 1, 2]"), "data_offsets [0,1,2], expected begin and end"));
  CHECK(mentions(with_offsets("[2]"), "data_offsets [2]"));
  CHECK(mentions(with_offsets("[2, 0]"), "data_offsets [2,0]"));
  CHECK(mentions(with_offsets("[0, 3]"), "reach beyond the file"));
  CHECK(mentions(with_offsets("[-1, 1]"), "data_offsets[0]: got -1"));
  CHECK(mentions(with_offsets("[0, 9223372036854775807]"), "reach beyond the file"));
  CHECK(mentions(with_offsets("[0, 18446744073709551615]"), "data_offsets[1]"));
  CHECK(mentions(with_offsets("[0.0, 2]"), "data_offsets[0]: got 0.0"));
}

TEST_CASE("tensors cover every byte once") {
  const auto two = [](const std::string& first, const std::string& second, std::size_t data_bytes) {
    return header_error(R"({"a": {"dtype": "U8", "shape": [4], "data_offsets": )" + first +
                            R"(}, "b": {"dtype": "U8", "shape": [4], "data_offsets": )" + second + "}}",
                        data_bytes);
  };
  CHECK(two("[0, 4]", "[4, 8]", 8) == "no error");
  CHECK(two("[4, 8]", "[0, 4]", 8) == "no error");
  CHECK(mentions(two("[0, 4]", "[3, 7]", 7),
                 "tensor 'b': overlaps the tensor before it: data offset 3, expected 4"));
  CHECK(mentions(two("[0, 4]", "[0, 4]", 4), "overlaps"));
  CHECK(mentions(two("[0, 4]", "[5, 9]", 9),
                 "tensor 'b': a hole before the tensor: data offset 5, expected 4"));
  CHECK(mentions(two("[1, 5]", "[5, 9]", 9), "tensor 'a': a hole"));
  CHECK(mentions(two("[0, 4]", "[4, 8]", 9), "1 trailing bytes"));
  CHECK(mentions(header_error("{}", 1), "1 trailing bytes"));
}

TEST_CASE("a shape whose size overflows is refused") {
  const auto with_shape = [](const std::string& shape) {
    return header_error(R"({"a": {"dtype": "F32", "shape": )" + shape + R"(, "data_offsets": [0, 0]}})", 0);
  };
  CHECK(mentions(with_shape("[4294967296, 4294967296]"), "size overflows: shape [4294967296,4294967296]"));
  CHECK(mentions(with_shape("[4611686018427387904]"), "size overflows"));  // times 4 bytes is 0 in 64 bits
  CHECK(with_shape("[0, 5]") == "no error");
}

const char* const kShard = R"({"NAME": {"dtype": "U8", "shape": [2], "data_offsets": [0, 2]}})";

// A folder with one-tensor shards named after their tensors, and the given index.
std::string index_error(const std::vector<std::string>& tensors, const std::string& index) {
  const TempFolder folder;
  for (const std::string& tensor : tensors) {
    std::string header = kShard;
    header.replace(header.find("NAME"), 4, tensor);
    folder.write(tensor + ".safetensors", safetensors_bytes(header, "xy"));
  }
  try {
    const auto files = read_sharded_safetensors(folder.write("model.safetensors.index.json", index));
    CHECK(files.size() == tensors.size());
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

TEST_CASE("an index and its shards must agree") {
  CHECK(index_error({"a", "b"}, R"({"metadata": {"total_size": 4},
                                    "weight_map": {"a": "a.safetensors", "b": "b.safetensors"}})") ==
        "no error");
  CHECK(mentions(index_error({}, "{}"), "'weight_map' is missing"));
  CHECK(mentions(index_error({}, "[]"), "expected an object"));
  CHECK(mentions(index_error({}, R"({"weight_map": []})"), "weight_map: got [], expected an object"));
  CHECK(mentions(index_error({"a"}, R"({"weight_map": {"a": 3}})"),
                 "weight_map: 'a': got 3, expected a string"));
  CHECK(mentions(index_error({"a"}, R"({"weight_map": {"a": "a.safetensors", "c": "c.safetensors"}})"),
                 "the shard 'c.safetensors', which is missing"));
  CHECK(mentions(index_error({"a"}, R"({"weight_map": {"a": "a.safetensors", "c": "a.safetensors"}})"),
                 "tensor 'c' is not in the shard 'a.safetensors'"));
  CHECK(mentions(index_error({"a", "b"}, R"({"weight_map": {"a": "b.safetensors", "b": "b.safetensors"}})"),
                 "tensor 'a' is not in the shard 'b.safetensors'"));
  CHECK(mentions(index_error({"a", "b"}, R"({"weight_map": {"a": "a.safetensors", "b": "a.safetensors",
                                                            "c": "b.safetensors"}})"),
                 "tensor 'b': is in the shard 'a.safetensors' according to"));
}

TEST_CASE("an index cannot name files outside the folder") {
  for (const char* name : {"../a.safetensors", "/etc/passwd", "x/../../a.safetensors", "", "..", "x/"}) {
    CAPTURE(name);
    CHECK(mentions(index_error({"a"}, R"({"weight_map": {"a": ")" + std::string(name) + R"("}})"),
                   "expected the name of a file in the model's folder"));
  }
}

}  // namespace
}  // namespace llm
