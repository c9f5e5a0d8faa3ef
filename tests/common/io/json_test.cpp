#include "common/io/json.h"

#include <doctest/doctest.h>

#include <nlohmann/json.hpp>

#include "common/base/error.h"
#include "common/base/timing.h"
#include "tests/message_of.h"
#include "tests/temp_folder.h"

namespace llm {
namespace {

std::string parse_error(std::string_view text) {
  return message_of([&] { parse_json(text, "f"); });
}

TEST_CASE("values of every kind are read, objects in the order of the file") {
  const Json json = parse_json(R"( {"z": [1, -2, 3.5, 18446744073709551615, 1e2], "a": {"b": null},
                                   "t": [true, false], "s": "\u00e9\ud83d\ude00\n", "e": {}, "n": []} )",
                               "f");
  CHECK(json.dump() == R"({"z":[1,-2,3.5,18446744073709551615,100.0],"a":{"b":null},)"
                       R"("t":[true,false],"s":"é😀\n","e":{},"n":[]})");
  CHECK(parse_json("3", "f") == 3);
  CHECK(parse_json("\"x\"", "f") == "x");
  CHECK(parse_json("null", "f").is_null());
}

TEST_CASE("what is no JSON is refused with line and column") {
  CHECK(parse_error("{\"a\": 1,\n \"b\": tru }").starts_with("f: line 2, column 10: invalid JSON: "));
  CHECK(parse_error("").find("invalid JSON") != std::string::npos);
  for (const char* text :
       {"{",           "[1,]",         "{\"a\":1,}", "[1 2]",      "{'a':1}", "01",       "+1",
        ".5",          "1.",           "NaN",        "[Infinity]", "\"a",     "\"\x01\"", "\"\\x\"",
        "\"\\ud800\"", "\"\\udc00x\"", "// no\n1",   "1 1",        "{}x",     "tru"}) {
    CAPTURE(text);
    CHECK(parse_error(text).find("invalid JSON") != std::string::npos);
  }
}

TEST_CASE("a column counts characters, not bytes") {
  CHECK(parse_error("[\"éé\" x]").starts_with("f: line 1, column 7: "));
}

TEST_CASE("a key that appears twice in one object is refused, in two objects it is fine") {
  CHECK(parse_error("{\"a\": 1,\n  \"b\": {}, \"a\": 2}") ==
        "f: line 2, column 14: invalid JSON: duplicate key 'a'");
  CHECK(parse_error("{\"a\": {\"\\u0061\": 1, \"a\": 2}}").find("duplicate key 'a'") != std::string::npos);
  CHECK(parse_json(R"([{"a": 1}, {"a": {"a": 2}}])", "f").size() == 2);
}

TEST_CASE("text that is not UTF-8 is refused where it stops being so") {
  const std::string_view invalid[] = {
      "\x80",     "\xc0\xaf", "\xe0\x80\x80", "\xed\xa0\x80", "\xf5\x80\x80\x80", "\xf4\x90\x80\x80",
      "\xe2\x82", "\xff"};
  for (const std::string_view bytes : invalid)
    CHECK(parse_error("[\"ab" + std::string(bytes) + "\"]") ==
          "f: line 1, column 5: invalid JSON: not UTF-8");
  CHECK(parse_json("\"\xf4\x8f\xbf\xbf\xed\x9f\xbf\xee\x80\x80\"", "f").is_string());
}

TEST_CASE("nesting is limited, so that no file can exhaust the stack") {
  const auto nested = [](std::size_t depth) { return std::string(depth, '[') + std::string(depth, ']'); };
  CHECK(parse_json(nested(kMaxJsonDepth), "f").size() == 1);
  CHECK(parse_error(nested(kMaxJsonDepth + 1)) ==
        "f: line 1, column 129: invalid JSON: nested deeper than 128 levels");
  CHECK(parse_error(std::string(1'000'000, '[')).find("nested deeper") != std::string::npos);
}

TEST_CASE("a number beyond double is refused") {
  CHECK(parse_error("[1e999]").find("invalid JSON: number overflow") != std::string::npos);
  CHECK(parse_json("123456789012345678901234567890", "f").get<double>() ==
        doctest::Approx(1.2345678901234568e29));
}

TEST_CASE("a large object takes linear time") {
  std::string text = "{";
  for (int i = 0; i < 100'000; ++i) text += "\"token" + std::to_string(i) + "\":" + std::to_string(i) + ",";
  text.back() = '}';
  const Stopwatch watch;
  CHECK(parse_json(text, "f").size() == 100'000);
  CHECK(watch.seconds() < 5);  // a tenth of a second when linear, minutes when not
}

TEST_CASE("a reader names file, key, what it got and what it expected") {
  const Json json =
      parse_json(R"({"size": "64", "rope": {"factor": 2.5, "list": [1, "x"]}, "none": null})", "f");
  const JsonReader reader(json, "config.json");
  CHECK(message_of([&] { reader.at("size").integer(1, 9); }) ==
        "config.json: size: got \"64\", expected an integer from 1 to 9");
  CHECK(message_of([&] { reader.at("rope").at("factor").integer(); }) ==
        "config.json: rope.factor: got 2.5, expected an integer");
  CHECK(message_of([&] { reader.at("rope").at("list").integers(); }) ==
        "config.json: rope.list[1]: got \"x\", expected an integer");
  CHECK(message_of([&] { reader.at("rope").at("factor").number(0, 1); }) ==
        "config.json: rope.factor: got 2.5, expected a number from 0.0 to 1.0");
  CHECK(message_of([&] { reader.at("layers"); }) == "config.json: 'layers' is missing");
  CHECK(message_of([&] { reader.at("rope").at("none"); }) == "config.json: rope: 'none' is missing");
  CHECK(message_of([&] { reader.at("none"); }) == "config.json: 'none' is missing");
  CHECK(message_of([&] { reader.at("size").at("x"); }) ==
        "config.json: size: got \"64\", expected an object");
  CHECK(message_of([&] { reader.at("rope").boolean(); }) ==
        "config.json: rope: got an object, expected true or false");
  CHECK(message_of([&] { reader.string(); }) == "config.json: got an object, expected a string");
  CHECK(message_of([&] { reader.at("rope").at("list").strings(); }) ==
        "config.json: rope.list[0]: got 1, expected a string");
}

TEST_CASE("numbers keep their kind and range") {
  const Json json = parse_json(R"({"i": -7, "big": 18446744073709551615, "f": 2.0, "b": true})", "f");
  const JsonReader reader(json, "f");
  CHECK(reader.at("i").integer() == -7);
  CHECK(reader.at("i").number() == -7.0);
  CHECK(message_of([&] { reader.at("i").integer(0, 5); }) == "f: i: got -7, expected an integer from 0 to 5");
  CHECK(message_of([&] { reader.at("big").integer(); }) ==
        "f: big: got 18446744073709551615, expected an integer");
  CHECK_THROWS_AS(reader.at("f").integer(), Error);  // a point makes it no integer, as in Python
  CHECK(reader.at("f").number() == 2.0);
  CHECK_THROWS_AS(reader.at("b").number(), Error);
  CHECK_THROWS_AS(reader.at("b").integer(), Error);
  CHECK_THROWS_AS(reader.at("i").boolean(), Error);
}

TEST_CASE("absent and null members give the fallback, members of a wrong type do not") {
  const Json json = parse_json(R"({"n": null, "i": 5, "s": "x", "b": false, "d": 0.5})", "f");
  const JsonReader reader(json, "f");
  CHECK(reader.integer_or("n", 3) == 3);
  CHECK(reader.integer_or("absent", 4) == 4);
  CHECK(reader.integer_or("i", 3) == 5);
  CHECK(reader.number_or("d", 1.0) == 0.5);
  CHECK(reader.boolean_or("b", true) == false);
  CHECK(reader.boolean_or("n", true) == true);
  CHECK(reader.string_or("s", "y") == "x");
  CHECK(reader.string_or("absent", "y") == "y");
  CHECK_THROWS_AS(reader.integer_or("s", 3), Error);
  CHECK_THROWS_AS(reader.integer_or("i", 3, 6, 9), Error);
  CHECK_FALSE(reader.has("n"));
  CHECK(reader.has("i"));
}

TEST_CASE("a JSON file is called by its path") {
  const TempFolder folder;
  const auto path = folder.write("x.json", "{\"a\" 1}");
  CHECK(message_of([&] {
          read_json_file(path);
        }).starts_with(path.string() + ": line 1, column 6: invalid JSON"));
  CHECK(read_json_file(folder.write("y.json", "[1]")) == Json({1}));
}

}  // namespace
}  // namespace llm
