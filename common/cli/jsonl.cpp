#include "common/cli/jsonl.h"

#include <algorithm>
#include <istream>
#include <limits>
#include <new>
#include <nlohmann/json.hpp>
#include <ostream>

#include "common/base/error.h"
#include "common/io/near_match.h"

namespace llm {
namespace {

// The next line without its end, or nothing at the end of the input. `too_long`: the rest was thrown away.
bool read_line(std::istream& in, Index max_bytes, std::string& line, bool& too_long) {
  line.clear();
  too_long = false;
  std::streambuf* buffer = in.rdbuf();
  constexpr int kEnd = std::char_traits<char>::eof();
  int c = buffer->sbumpc();
  if (c == kEnd) return false;
  for (; c != kEnd && c != '\n'; c = buffer->sbumpc()) {
    if (static_cast<Index>(line.size()) < max_bytes)
      line.push_back(static_cast<char>(c));
    else
      too_long = true;
  }
  return true;
}

std::string error_answer(const std::string& message) {
  JsonWriter json;
  json.begin_object().field("error", message).end_object();
  return json.text();
}

std::string answer_line(const std::string& line, const std::string& where,
                        std::span<const std::string_view> fields, JsonLineAnswer answer) {
  if (line.find_first_not_of(" \t\r") == std::string::npos)
    fail(ErrorCode::kFormat,
         {.where = where, .what = "got", .got = "an empty line", .expected = "a JSON object"});
  const Json json = parse_json(line, where);
  const JsonReader request(json, where);
  request.expect_object();
  expect_fields(request, fields);
  JsonWriter writer;
  answer(request, writer);
  return writer.text();
}

[[noreturn]] void fail_shape(const JsonReader& value, Index got, const std::string& expected) {
  fail(
      ErrorCode::kShape,
      {.where = value.place(), .what = "got", .got = std::to_string(got) + " entries", .expected = expected});
}

void expect_rows(const JsonReader& value, const std::string& what) {
  if (!value.is_array() || value.size() == 0) value.fail_expected("a list of at least one row of " + what);
}

// Walks the values themselves: a reader for each of a hundred thousand numbers would only slow us down.
std::vector<Token> read_token_row(const JsonReader& row, Index vocab_size) {
  if (!row.is_array()) row.fail_expected("a list of token ids");
  if (row.size() == 0) row.fail_expected("at least one token id");
  std::vector<Token> ids;
  ids.reserve(static_cast<std::size_t>(row.size()));
  for (const Json& id : row.json()) {
    if (!id.is_number_integer() || id < 0 || id >= vocab_size)
      row.at(static_cast<Index>(ids.size())).integer(0, vocab_size - 1);  // throws
    ids.push_back(id.get<Token>());
  }
  return ids;
}

float read_score(const Json& value, const JsonReader& row, Index column) {
  if (value.is_number()) return static_cast<float>(value.get<double>());
  const std::string text = value.is_string() ? value.get<std::string>() : "";
  if (text == "-inf") return -std::numeric_limits<float>::infinity();
  if (text == "inf") return std::numeric_limits<float>::infinity();
  if (text == "nan") return std::numeric_limits<float>::quiet_NaN();
  row.at(column).fail_expected("a number, \"-inf\", \"inf\" or \"nan\"");
}

}  // namespace

int serve_json_lines(std::istream& in, std::ostream& out, std::span<const std::string_view> fields,
                     JsonLineAnswer answer, Index max_bytes) {
  int status = 0;
  std::string line;
  bool too_long = false;
  for (Index number = 1; read_line(in, max_bytes, line, too_long); ++number) {
    const std::string where = "line " + std::to_string(number);
    std::string result;
    try {
      if (too_long)
        fail(ErrorCode::kRange,
             {.where = where, .what = "longer than " + std::to_string(max_bytes) + " bytes"});
      result = answer_line(line, where, fields, answer);
    } catch (const std::bad_alloc&) {
      result = error_answer(where + ": there is not enough memory for this");
      status = 1;
    } catch (const std::exception& error) {
      const std::string message = error.what();
      result = error_answer(message.starts_with(where) ? message : where + ": " + message);
      status = 1;
    }
    out << result << '\n' << std::flush;
    if (!out) fail(ErrorCode::kIo, {.where = "standard output", .what = "cannot be written"});
  }
  return status;
}

void expect_fields(const JsonReader& object, std::span<const std::string_view> fields) {
  for (const auto& item : object.json().items()) {
    const std::string& name = item.key();
    if (std::ranges::count(fields, std::string_view(name))) continue;
    std::vector<std::string> names;
    std::string list;
    for (const std::string_view known : fields) {
      names.emplace_back(known);
      list += (list.empty() ? "" : ", ") + names.back();
    }
    const std::string nearest = near_match(name, names);
    fail(ErrorCode::kUsage,
         {.where = object.place(),
          .what = "unknown field '" + name + "'",
          .remedy = nearest.empty() ? "there are " + list : "did you mean '" + nearest + "'?"});
  }
}

std::vector<std::vector<Token>> read_token_rows(const JsonReader& value, Index vocab_size) {
  expect_rows(value, "token ids");
  if (value.at(Index{0}).is_number()) return {read_token_row(value, vocab_size)};
  std::vector<std::vector<Token>> rows;
  for (Index row = 0; row < value.size(); ++row) rows.push_back(read_token_row(value.at(row), vocab_size));
  return rows;
}

std::vector<std::vector<Token>> read_input_ids(const JsonReader& value, Index vocab_size) {
  std::vector<std::vector<Token>> rows = read_token_rows(value, vocab_size);
  for (std::size_t row = 1; row < rows.size(); ++row)
    if (rows[row].size() != rows[0].size())
      fail_shape(value.at(static_cast<Index>(row)), static_cast<Index>(rows[row].size()),
                 std::to_string(rows[0].size()) + " as in the first row (pad on the left)");
  return rows;
}

std::vector<std::vector<std::uint8_t>> read_attention_mask(const JsonReader& value,
                                                           std::span<const std::vector<Token>> input_ids) {
  expect_rows(value, "zeros and ones");
  const bool single = input_ids.size() == 1 && value.at(Index{0}).is_number();
  if (!single && value.size() != static_cast<Index>(input_ids.size()))
    fail_shape(value, value.size(), std::to_string(input_ids.size()) + " (the rows of input_ids)");
  std::vector<std::vector<std::uint8_t>> mask;
  for (std::size_t r = 0; r < input_ids.size(); ++r) {
    const JsonReader row = single ? value : value.at(static_cast<Index>(r));
    const std::vector<Index> bits = row.integers(0, 1);
    if (bits.size() != input_ids[r].size())
      fail_shape(row, row.size(), std::to_string(input_ids[r].size()) + " (the ids of that row)");
    if (bits.back() == 0 || !std::ranges::is_sorted(bits))
      fail(ErrorCode::kUnsupported, {.where = row.place(),
                                     .what = "padding inside or on the right",
                                     .expected = "zeros on the left only, and at least one 1"});
    mask.emplace_back(bits.begin(), bits.end());
  }
  return mask;
}

std::vector<std::vector<float>> read_scores(const JsonReader& value, Index columns) {
  expect_rows(value, "scores");
  std::vector<std::vector<float>> rows;
  for (Index r = 0; r < value.size(); ++r) {
    const JsonReader row = value.at(r);
    row.expect_array();
    if (columns == 0) columns = row.size();
    if (row.size() != columns || columns == 0)
      fail_shape(row, row.size(), columns == 0 ? "at least one" : std::to_string(columns));
    std::vector<float>& scores = rows.emplace_back();
    scores.reserve(static_cast<std::size_t>(columns));
    for (const Json& score : row.json())
      scores.push_back(read_score(score, row, static_cast<Index>(scores.size())));
  }
  return rows;
}

}  // namespace llm
