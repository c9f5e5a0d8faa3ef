#include "common/io/gguf.h"

#include <doctest/doctest.h>

#include <limits>

#include "common/base/error.h"
#include "tests/common/io/file_builder.h"
#include "tests/message_of.h"
#include "tests/temp_folder.h"

namespace llm {
namespace {

constexpr std::uint32_t kF32 = 0, kQ4_0 = 2, kIq4Xs = 23, kI32 = 26;

std::string error_of(const std::string& bytes) {
  const TempFolder folder;
  const auto path = folder.write("m.gguf", bytes);
  const std::string message = message_of([&] { const GgufFile file(path); });
  if (message == "no error") return message;
  CHECK(message.starts_with(path.string() + ": "));
  return message.substr(path.string().size() + 2);
}

bool mentions(const std::string& message, std::string_view part) {
  CAPTURE(message);
  return message.find(part) != std::string::npos;
}

std::string zeros(std::size_t count) { return std::string(count, '\0'); }

TEST_CASE("tensors are described with shapes outermost first and offsets from the file's beginning") {
  for (const std::uint32_t version : {2u, 3u}) {
    GgufBuilder builder;
    builder.version = version;
    builder.string("general.architecture", "llama");
    builder.tensor("m", {32, 3}, kQ4_0, std::string(54, 'q')).tensor("v", {5}, kF32, std::string(20, 'f'));
    builder.tensor("iq", {256, 2}, kIq4Xs, std::string(272, 'i')).tensor("scalar", {}, kI32, "1234");
    builder.tensor("cube", {2, 3, 4, 5}, kF32, std::string(480, 'c'));
    const TempFolder folder;
    const GgufFile file(folder.write("m.gguf", builder.bytes()));
    CHECK(file.version() == static_cast<int>(version));
    CHECK(file.architecture() == "llama");
    REQUIRE(file.tensors().size() == 5);
    const TensorEntry& matrix = file.tensors()[0];
    CHECK(matrix.name == "m");
    CHECK(matrix.dtype == DType::kQ4_0);
    CHECK(matrix.shape == std::vector<Index>{3, 32});
    CHECK(matrix.bytes == 54);
    CHECK(file.file()->text().substr(matrix.offset, 54) == std::string(54, 'q'));
    const TensorEntry& vector = file.tensors()[1];
    CHECK(file.file()->text().substr(vector.offset, vector.bytes) == std::string(20, 'f'));
    CHECK(file.tensors()[2].dtype_name == "IQ4_XS");
    CHECK_FALSE(file.tensors()[2].dtype.has_value());
    CHECK(file.tensors()[2].bytes == 272);
    CHECK(file.tensors()[3].bytes == 4);
    CHECK(file.tensors()[4].shape == std::vector<Index>{5, 4, 3, 2});
  }
}

TEST_CASE("metadata of every type is read") {
  GgufBuilder builder;
  builder.value("u8", 0, raw(std::uint8_t{200})).value("i8", 1, raw(std::int8_t{-5}));
  builder.value("u16", 2, raw(std::uint16_t{60000})).value("i16", 3, raw(std::int16_t{-300}));
  builder.value("u32", 4, raw(std::uint32_t{4'000'000'000})).value("i32", 5, raw(std::int32_t{-70000}));
  builder.value("f32", 6, raw(0.5f)).value("bool", 7, raw(std::uint8_t{1})).string("s", "caf\xc3\xa9");
  builder.value("u64", 10, raw(std::uint64_t{1} << 40)).value("i64", 11, raw(std::int64_t{-1} << 40));
  builder.value("f64", 12, raw(1e-300)).value("huge", 10, raw(~std::uint64_t{0}));
  builder.value("inf", 6, raw(std::numeric_limits<float>::infinity()));
  builder.array("ints", 3, 3, raw(std::int16_t{1}) + raw(std::int16_t{-2}) + raw(std::int16_t{3}));
  builder.array("floats", 6, 2, raw(1.5f) + raw(-2.0f)).array("none", 8, 0, "");
  builder.array("strings", 8, 3, GgufBuilder::text("a") + GgufBuilder::text("") + GgufBuilder::text("ccc"));
  builder.array("nested", 9, 2, raw(4u) + raw(std::uint64_t{1}) + raw(7u) + raw(8u) + raw(std::uint64_t{0}));
  const TempFolder folder;
  const GgufFile file(folder.write("m.gguf", builder.bytes()));
  CHECK(file.integer("u8") == 200);
  CHECK(file.integer("i8") == -5);
  CHECK(file.integer("u16") == 60000);
  CHECK(file.integer("i16") == -300);
  CHECK(file.integer("u32") == 4'000'000'000);
  CHECK(file.integer("i32") == -70000);
  CHECK(file.integer("u64") == Index{1} << 40);
  CHECK(file.integer("i64") == -(Index{1} << 40));
  CHECK(file.number("f32") == 0.5);
  CHECK(file.number("f64") == 1e-300);
  CHECK(file.number("i8") == -5.0);
  CHECK(file.number("huge") == 18446744073709551615.0);
  CHECK(file.boolean("bool"));
  CHECK(file.string("s") == "café");
  CHECK(file.integers("ints") == std::vector<Index>{1, -2, 3});
  CHECK(file.numbers("floats") == std::vector<double>{1.5, -2.0});
  CHECK(file.numbers("ints") == std::vector<double>{1, -2, 3});
  CHECK(file.strings("strings") == std::vector<std::string_view>{"a", "", "ccc"});
  CHECK(file.strings("none").empty());
  CHECK(file.find("nested")->count == 2);
  CHECK(file.find("nested")->element_type == GgufType::kArray);

  CHECK_THROWS_WITH_AS(file.integer("f32"), doctest::Contains("f32: has type float32, expected an integer"),
                       Error);
  CHECK_THROWS_WITH_AS(file.string("ints"), doctest::Contains("has type array of int16, expected string"),
                       Error);
  CHECK_THROWS_WITH_AS(file.strings("nested"), doctest::Contains("has type array of array"), Error);
  CHECK_THROWS_WITH_AS(file.integer("u8", 0, 9),
                       doctest::Contains("u8: got 200, expected an integer from 0 to 9"), Error);
  CHECK_THROWS_WITH_AS(file.integer("huge"), doctest::Contains("beyond 2^63 - 1"), Error);
  CHECK_THROWS_WITH_AS(file.number("inf"), doctest::Contains("not a finite number"), Error);
  CHECK_THROWS_WITH_AS(file.boolean("missing"), doctest::Contains("no key 'missing'"), Error);
  CHECK_THROWS_AS(file.boolean("u8"), Error);
  CHECK_THROWS_AS(file.integers("floats"), Error);
  CHECK_THROWS_AS(file.numbers("strings"), Error);
  CHECK(file.integer_or("missing", 7) == 7);
  CHECK(file.integer_or("u8", 7) == 200);
  CHECK(file.string_or("missing", "x") == "x");
  CHECK(file.number_or("f32", 3) == 0.5);
  CHECK(file.boolean_or("missing", true));
  CHECK_THROWS_AS(file.integer_or("s", 7), Error);
}

TEST_CASE("the beginning of a file says what it is") {
  CHECK(mentions(error_of("GGU"), "wrong magic"));
  CHECK(mentions(error_of("GGML" + zeros(40)), "wrong magic"));
  CHECK(mentions(error_of("GGUF"), "the file ends inside the version"));
  CHECK(mentions(error_of("GGUF" + raw(1u) + zeros(16)), "GGUF version 1, expected 2 or 3"));
  CHECK(mentions(error_of("GGUF" + raw(4u) + zeros(16)), "GGUF version 4"));
  CHECK(mentions(error_of(std::string("GGUF\0\0\0\x03", 8) + zeros(16)), "big-endian"));
  CHECK(error_of("GGUF" + raw(3u) + zeros(16)) == "no error");
}

TEST_CASE("a file cut anywhere is an error, never a crash") {
  GgufBuilder builder;
  builder.string("general.architecture", "llama").uint32("x", 3);
  builder.array("a", 8, 2, GgufBuilder::text("one") + GgufBuilder::text("two"));
  builder.tensor("t", {4, 2}, kF32, std::string(32, 'x'));
  const std::string whole = builder.bytes();
  CHECK(error_of(whole) == "no error");
  for (std::size_t length = 1; length < whole.size(); ++length) {
    CAPTURE(length);
    CHECK(error_of(whole.substr(0, length)) != "no error");
  }
}

TEST_CASE("counts and lengths beyond the file are refused before anything is allocated") {
  const std::string head = "GGUF" + raw(3u);
  const std::uint64_t huge = std::uint64_t{1} << 60;
  CHECK(mentions(error_of(head + raw(huge) + raw(std::uint64_t{0}) + zeros(99)),
                 "tensor count 1152921504606846976"));
  CHECK(mentions(error_of(head + raw(std::uint64_t{0}) + raw(~std::uint64_t{0}) + zeros(99)),
                 "metadata count"));
  const std::string one_value = head + raw(std::uint64_t{0}) + raw(std::uint64_t{1});
  CHECK(mentions(error_of(one_value + raw(huge) + zeros(99)), "key length"));
  CHECK(
      mentions(error_of(one_value + raw(std::uint64_t{0}) + zeros(99)), "key length 0, expected 1 to 65535"));
  GgufBuilder text;
  CHECK(mentions(error_of(text.value("k", 8, raw(huge)).bytes()), "string length"));
  GgufBuilder array;
  CHECK(mentions(error_of(array.array("k", 8, huge, zeros(99)).bytes()), "array length"));
  GgufBuilder numbers;
  CHECK(mentions(error_of(numbers.array("k", 12, (std::uint64_t{1} << 61) + 1, zeros(99)).bytes()),
                 "array length"));
}

TEST_CASE("metadata that breaks the rules is refused") {
  CHECK(mentions(error_of(GgufBuilder().value("k", 13, zeros(8)).bytes()),
                 "metadata type 13, expected 0 to 12"));
  CHECK(mentions(error_of(GgufBuilder().array("k", 99, 0, "").bytes()), "metadata type 99"));
  CHECK(mentions(error_of(GgufBuilder().value("k", 7, raw(std::uint8_t{2})).bytes()), "neither 0 nor 1"));
  CHECK(mentions(error_of(GgufBuilder().uint32("k", 1).string("k", "x").bytes()), "duplicate key 'k'"));
  std::string nested;
  for (int depth = 0; depth < 100; ++depth) nested += raw(9u) + raw(std::uint64_t{1});
  CHECK(mentions(error_of(GgufBuilder().value("k", 9, nested + raw(4u) + raw(std::uint64_t{0})).bytes()),
                 "nested deeper"));
}

TEST_CASE("the alignment is a power of two, and tensors keep to it") {
  for (const std::uint32_t bad : {0u, 3u, 48u, 0x80000000u})
    CHECK(mentions(error_of(GgufBuilder().uint32("general.alignment", bad).bytes()), "general.alignment"));
  CHECK(mentions(error_of(GgufBuilder().string("general.alignment", "32").bytes()),
                 "general.alignment: has type"));
  GgufBuilder wide;
  wide.alignment = 128;
  wide.uint32("general.alignment", 128).tensor("a", {1}, kF32, "aaaa").tensor("b", {1}, kF32, "bbbb");
  const TempFolder folder;
  const GgufFile file(folder.write("m.gguf", wide.bytes()));
  CHECK(file.file()->text().substr(file.tensors()[1].offset, 4) == "bbbb");
  CHECK(mentions(error_of(GgufBuilder().tensor_at("a", {1}, kF32, 16, zeros(64)).bytes()),
                 "offset 16, expected a multiple of the alignment, 32"));
}

TEST_CASE("tensors that break the rules are refused") {
  const auto one = [](const std::vector<std::uint64_t>& dims, std::uint32_t type, std::uint64_t offset = 0) {
    return error_of(GgufBuilder().tensor_at("t", dims, type, offset, zeros(64)).bytes());
  };
  CHECK(one({16}, kF32) == "no error");
  CHECK(mentions(one({17}, kF32), "tensor 't': reaches beyond the file"));
  CHECK(mentions(one({1}, kF32, 64), "reaches beyond the file"));
  CHECK(mentions(one({1}, kF32, std::uint64_t{1} << 40), "beyond the file"));
  CHECK(mentions(one({1}, kF32, ~std::uint64_t{31}), "beyond the file"));
  CHECK(mentions(one({1, 1, 1, 1, 1}, kF32), "dimensions 5, expected at most 4"));
  CHECK(mentions(one({1}, 250), "unknown tensor type 250"));
  CHECK(mentions(one({1}, 4), "unknown tensor type 4"));  // Q4_2, which ggml took back
  CHECK(mentions(one({33}, kQ4_0), "rows of 33, expected a multiple of 32 (type Q4_0)"));
  CHECK(mentions(one({1ull << 32, 1ull << 32}, kF32), "size overflows"));
  CHECK(mentions(one({1ull << 62}, kF32), "size overflows"));
  CHECK(mentions(one({1ull << 63}, kF32), "dimension 9223372036854775808"));
  GgufBuilder twice;
  CHECK(mentions(error_of(twice.tensor("t", {1}, kF32, "aaaa").tensor("t", {1}, kF32, "bbbb").bytes()),
                 "duplicate tensor 't'"));
  GgufBuilder overlapping;
  overlapping.tensor_at("a", {16}, kF32, 0, zeros(64)).tensor_at("b", {8}, kF32, 32, "");
  CHECK(mentions(error_of(overlapping.bytes()), "tensor 'b': overlaps the tensor before it: offset 32"));
}

}  // namespace
}  // namespace llm
