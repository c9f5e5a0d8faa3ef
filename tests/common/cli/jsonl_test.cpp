#include "common/cli/jsonl.h"

#include <doctest/doctest.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <sstream>

#include "common/base/error.h"
#include "tests/message_of.h"

namespace llm {
namespace {

constexpr std::string_view kFields[] = {"text", "ids"};

// Answers {"length": bytes of text}; the text "no" is refused, "memory" runs out of it.
std::string serve(const std::string& input, int expected_status, Index max_bytes = 200) {
  std::istringstream in(input);
  std::ostringstream out;
  const auto answer = [](const JsonReader& request, JsonWriter& json) {
    json.begin_object();  // half an answer must not show when an error follows
    const std::string& text = request.at("text").string();
    if (text == "no") fail(ErrorCode::kRange, {.where = request.place(), .what = "no means no"});
    if (text == "memory") throw std::bad_alloc();
    if (text == "elsewhere") fail(ErrorCode::kFormat, {.where = "chat template", .what = "no such field"});
    json.field("length", text.size()).end_object();
  };
  CHECK(serve_json_lines(in, out, kFields, answer, max_bytes) == expected_status);
  return out.str();
}

TEST_CASE("one answer a line, in order, with or without a last line end") {
  CHECK(serve("", 0).empty());
  CHECK(serve("{\"text\": \"ab\"}", 0) == "{\"length\": 2}\n");
  CHECK(serve("{\"text\": \"ab\"}\r\n {\"text\": \"\"} \n", 0) == "{\"length\": 2}\n{\"length\": 0}\n");
}

TEST_CASE("a bad line gives an error in its place, and the rest are still answered") {
  const std::string good = "{\"text\": \"abc\"}\n";
  const std::string answer = "{\"length\": 3}\n";
  struct Case {
    std::string line;
    std::string error;
  };
  const Case cases[] = {
      {"[1]", "line 2: got an array, expected an object"},
      {"", "line 2: got an empty line, expected a JSON object"},
      {"{\"text\": \"no\"}", "line 2: no means no"},
      {"{\"text\": \"elsewhere\"}", "line 2: chat template: no such field"},
      {"{\"text\": \"memory\"}", "line 2: there is not enough memory for this"},
      {"{\"texts\": 1}", "line 2: unknown field 'texts'; did you mean 'text'?"},
      {"{\"zzzzzzzzz\": 1}", "line 2: unknown field 'zzzzzzzzz'; there are text, ids"},
      {"{\"ids\": 1}", "line 2: 'text' is missing"},
      {"{\"text\": 5}", "line 2: text: got 5, expected a string"},
      {std::string(201, ' '), "line 2: longer than 200 bytes"},
  };
  for (const Case& one : cases) {
    CAPTURE(one.line);
    const std::string output = serve(good + one.line + "\n" + good, 1);
    JsonWriter error;
    error.begin_object().field("error", one.error).end_object();
    CHECK(output == answer + error.text() + "\n" + answer);
  }
}

TEST_CASE("damaged JSON and UTF-8 are errors that are JSON themselves") {
  for (const std::string line : {"{", "{\"text\": \"\xff\"}", "{\"text\": 1, \"text\": 2}", "\xff\xfe", "nul",
                                 "{\"text\": NaN}", "{\"text\": \"a\"} {}", "{\"text\": \"\\ud800\"}"}) {
    CAPTURE(line);
    const Json output = Json::parse(serve(line, 1));
    CHECK(output["error"].get<std::string>().starts_with("line 1"));
  }
  const std::string deep = std::string(5000, '[') + "\n";
  CHECK(Json::parse(serve(deep, 1, 10000)).contains("error"));
}

TEST_CASE("token ids are rows of one length with ids of the vocabulary") {
  const auto read = [](const char* text) {
    const Json json = {{"x", Json::parse(text)}};
    return read_input_ids(JsonReader(json, "line 3").at("x"), 10);
  };
  CHECK(read("[[1, 2], [9, 0]]") == std::vector<std::vector<Token>>{{1, 2}, {9, 0}});
  CHECK(read("[4, 5]") == std::vector<std::vector<Token>>{{4, 5}});
  const auto message = [&](const char* text) { return message_of([&] { read(text); }); };
  CHECK(message("[[1, 2], [3]]") ==
        "line 3: x[1]: got 1 entries, expected 2 as in the first row (pad on the left)");
  CHECK(message("[[1, 10]]") == "line 3: x[0][1]: got 10, expected an integer from 0 to 9");
  CHECK(message("[[-1]]") == "line 3: x[0][0]: got -1, expected an integer from 0 to 9");
  CHECK(message("[[1.5]]") == "line 3: x[0][0]: got 1.5, expected an integer from 0 to 9");
  CHECK(message("[[18446744073709551615]]").find("expected an integer from 0 to 9") != std::string::npos);
  CHECK(message("[[4294967297]]").find("expected an integer from 0 to 9") != std::string::npos);
  CHECK(message("[[\"1\"]]") == "line 3: x[0][0]: got \"1\", expected an integer from 0 to 9");
  CHECK(message("[]") == "line 3: x: got [], expected a list of at least one row of token ids");
  CHECK(message("[[]]") == "line 3: x[0]: got [], expected at least one token id");
  CHECK(message("{}") == "line 3: x: got {}, expected a list of at least one row of token ids");
}

TEST_CASE("an attention mask has the shape of the ids and padding on the left only") {
  const std::vector<std::vector<Token>> ids = {{1, 2, 3}, {4, 5, 6}};
  const auto read = [&](const char* text) {
    const Json json = {{"x", Json::parse(text)}};
    return read_attention_mask(JsonReader(json, "line 3").at("x"), ids);
  };
  CHECK(read("[[0, 0, 1], [1, 1, 1]]") == std::vector<std::vector<std::uint8_t>>{{0, 0, 1}, {1, 1, 1}});
  const auto message = [&](const char* text) { return message_of([&] { read(text); }); };
  CHECK(message("[[1, 1, 1]]") == "line 3: x: got 1 entries, expected 2 (the rows of input_ids)");
  CHECK(message("[[1, 1], [1, 1, 1]]") == "line 3: x[0]: got 2 entries, expected 3 (the ids of that row)");
  CHECK(message("[[1, 2, 1], [1, 1, 1]]") == "line 3: x[0][1]: got 2, expected an integer from 0 to 1");
  const std::string padding =
      ": padding inside or on the right, expected zeros on the left only, and at least one 1";
  CHECK(message("[[1, 0, 1], [1, 1, 1]]") == "line 3: x[0]" + padding);
  CHECK(message("[[1, 1, 1], [1, 1, 0]]") == "line 3: x[1]" + padding);
  CHECK(message("[[1, 1, 1], [0, 0, 0]]") == "line 3: x[1]" + padding);
}

TEST_CASE("scores may be infinite or no number, spelt as strings") {
  const auto read = [](const char* text, Index columns = 0) {
    const Json json = {{"x", Json::parse(text)}};
    return read_scores(JsonReader(json, "line 3").at("x"), columns);
  };
  const auto rows = read(R"([[1, -2.5, "-inf"], ["inf", "nan", 0.1]])");
  CHECK(rows[0] == std::vector<float>{1.0F, -2.5F, -INFINITY});
  CHECK(rows[1][0] == INFINITY);
  CHECK(std::isnan(rows[1][1]));
  CHECK(rows[1][2] == 0.1F);
  const auto message = [&](const char* text, Index columns) {
    return message_of([&] { read(text, columns); });
  };
  CHECK(message("[[1, 2], [3]]", 0) == "line 3: x[1]: got 1 entries, expected 2");
  CHECK(message("[[1, 2]]", 3) == "line 3: x[0]: got 2 entries, expected 3");
  CHECK(message("[[]]", 0) == "line 3: x[0]: got 0 entries, expected at least one");
  CHECK(message("[[1, \"x\"]]", 0) ==
        "line 3: x[0][1]: got \"x\", expected a number, \"-inf\", \"inf\" or \"nan\"");
  CHECK(message("[[1, null]]", 0) ==
        "line 3: x[0][1]: got null, expected a number, \"-inf\", \"inf\" or \"nan\"");
}

}  // namespace
}  // namespace llm
