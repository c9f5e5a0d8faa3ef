#include "common/cli/json_writer.h"

#include <doctest/doctest.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <nlohmann/json.hpp>

#include "common/base/rng.h"

namespace llm {
namespace {

TEST_CASE("numbers are the shortest decimals that read back as the same float32") {
  CHECK(json_number(0.1F) == "0.1");
  CHECK(json_number(0.1) == "0.1");
  CHECK(json_number(static_cast<double>(0.1F)) == "0.10000000149011612");
  CHECK(json_number(1.0F) == "1.0");
  CHECK(json_number(-0.0F) == "-0.0");
  CHECK(json_number(1e-7F) == "1e-07");
  CHECK(json_number(16777216.0F) == "16777216.0");
  CHECK(json_number(-INFINITY) == "\"-inf\"");
  CHECK(json_number(std::numeric_limits<double>::infinity()) == "\"inf\"");
  CHECK(json_number(std::nanf("")) == "\"nan\"");
  for (std::uint32_t i = 0; i < 20000; ++i) {
    const std::uint32_t bits = random_words({.seed = 5, .purpose = RngPurpose::kTest}, i)[0];
    float value = 0;
    std::memcpy(&value, &bits, sizeof(value));
    if (!std::isfinite(value)) continue;
    const float back = static_cast<float>(nlohmann::json::parse(json_number(value)).get<double>());
    std::uint32_t back_bits = 0;
    std::memcpy(&back_bits, &back, sizeof(back));
    CHECK(back_bits == bits);
  }
}

TEST_CASE("texts are ASCII and survive a round trip; invalid bytes become U+FFFD") {
  const std::string text = std::string("a\"\\\n\0\x7f\x1f", 7) + "é\u2028\U0001F600";
  const std::string json = json_string(text);
  for (const char c : json) CHECK((c >= ' ' && c < '\x7f') == (c != '\x7f'));
  CHECK(nlohmann::json::parse(json).get<std::string>() == text);
  CHECK(json_string("\U0001F600") == "\"\\ud83d\\ude00\"");
  CHECK(nlohmann::json::parse(json_string("a\xff\xe2\x82z")).get<std::string>() == "a\uFFFD\uFFFDz");
}

TEST_CASE("commas and nesting") {
  JsonWriter json;
  json.begin_object().field("ids", std::vector<std::vector<int>>{{1, 2}, {}, {3}});
  json.key("empty").begin_object().end_object().key("list").begin_array().value(true).null().raw("[7]");
  json.begin_object().field("x", 0.5F).field("name", "n").end_object().end_array();
  json.field("last", std::vector<std::string>{"a"}).end_object();
  CHECK(json.text() ==
        R"({"ids": [[1, 2], [], [3]], "empty": {}, "list": [true, null, [7], {"x": 0.5, "name": "n"}], )"
        R"("last": ["a"]})");
}

}  // namespace
}  // namespace llm
