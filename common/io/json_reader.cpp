#include <nlohmann/json.hpp>
#include <utility>

#include "common/base/error.h"
#include "common/io/json.h"

namespace llm {
namespace {

// The value as the file has it, shortened to a line.
std::string value_text(const Json& json) {
  if (json.is_object()) return json.empty() ? "{}" : "an object";
  if (json.is_array()) return json.empty() ? "[]" : "an array";
  std::string text = json.dump(-1, ' ', true);  // ASCII only: safe to cut anywhere
  constexpr std::size_t kLongest = 60;
  if (text.size() > kLongest) text.replace(kLongest, std::string::npos, "…");
  return text;
}

std::string range_text(const std::string& kind, const std::string& min, const std::string& max) {
  return kind + " from " + min + " to " + max;
}

}  // namespace

JsonReader::JsonReader(const Json& json, std::string where) : JsonReader(json, std::move(where), {}) {}
JsonReader::JsonReader(const Json& json, std::string where, std::string path)
    : json_(&json), where_(std::move(where)), path_(std::move(path)) {}

std::string JsonReader::place() const { return path_.empty() ? where_ : where_ + ": " + path_; }

bool JsonReader::is_null() const { return json_->is_null(); }
bool JsonReader::is_object() const { return json_->is_object(); }
bool JsonReader::is_array() const { return json_->is_array(); }
bool JsonReader::is_string() const { return json_->is_string(); }
bool JsonReader::is_number() const { return json_->is_number(); }
bool JsonReader::is_integer() const { return json_->is_number_integer(); }
bool JsonReader::is_bool() const { return json_->is_boolean(); }

std::optional<JsonReader> JsonReader::find(std::string_view key) const {
  expect_object();
  std::string name(key);
  const auto member = json_->find(name);
  if (member == json_->end() || member->is_null()) return std::nullopt;
  return JsonReader(*member, where_, path_.empty() ? std::move(name) : path_ + "." + name);
}

JsonReader JsonReader::at(std::string_view key) const {
  if (auto member = find(key)) return *std::move(member);
  fail(ErrorCode::kMissing, {.where = place(), .what = "'" + std::string(key) + "' is missing"});
}

JsonReader JsonReader::at(Index i) const {
  expect_array();
  return {json_->at(static_cast<std::size_t>(i)), where_, path_ + "[" + std::to_string(i) + "]"};
}

Index JsonReader::size() const {
  if (!is_array() && !is_object()) fail_expected("an array or an object");
  return static_cast<Index>(json_->size());
}

Index JsonReader::integer(Index min, Index max) const {
  const bool whole = min == INT64_MIN && max == INT64_MAX;
  const std::string expected =
      whole ? "an integer" : range_text("an integer", std::to_string(min), std::to_string(max));
  if (!is_integer()) fail_expected(expected);
  const bool too_large = json_->is_number_unsigned() && json_->get<std::uint64_t>() > INT64_MAX;
  const Index value = too_large ? INT64_MAX : json_->get<Index>();
  if (too_large || value < min || value > max)
    fail(ErrorCode::kRange,
         {.where = place(), .what = "got", .got = value_text(*json_), .expected = expected});
  return value;
}

double JsonReader::number() const {
  if (!is_number()) fail_expected("a number");
  return json_->get<double>();
}

double JsonReader::number(double min, double max) const {
  const std::string expected = range_text("a number", Json(min).dump(), Json(max).dump());
  if (!is_number()) fail_expected(expected);
  const double value = number();
  if (!(value >= min && value <= max))
    fail(ErrorCode::kRange,
         {.where = place(), .what = "got", .got = value_text(*json_), .expected = expected});
  return value;
}

bool JsonReader::boolean() const {
  if (!is_bool()) fail_expected("true or false");
  return json_->get<bool>();
}

const std::string& JsonReader::string() const {
  if (!is_string()) fail_expected("a string");
  return json_->get_ref<const std::string&>();
}

std::vector<std::string> JsonReader::strings() const {
  std::vector<std::string> values;
  expect_array();
  for (Index i = 0; i < size(); ++i) values.push_back(at(i).string());
  return values;
}

std::vector<Index> JsonReader::integers(Index min, Index max) const {
  std::vector<Index> values;
  expect_array();
  for (Index i = 0; i < size(); ++i) values.push_back(at(i).integer(min, max));
  return values;
}

void JsonReader::expect_object() const {
  if (!is_object()) fail_expected("an object");
}

void JsonReader::expect_array() const {
  if (!is_array()) fail_expected("an array");
}

Index JsonReader::integer_or(std::string_view key, Index fallback, Index min, Index max) const {
  const auto member = find(key);
  return member ? member->integer(min, max) : fallback;
}

double JsonReader::number_or(std::string_view key, double fallback) const {
  const auto member = find(key);
  return member ? member->number() : fallback;
}

bool JsonReader::boolean_or(std::string_view key, bool fallback) const {
  const auto member = find(key);
  return member ? member->boolean() : fallback;
}

std::string JsonReader::string_or(std::string_view key, std::string fallback) const {
  const auto member = find(key);
  return member ? member->string() : std::move(fallback);
}

void JsonReader::fail_here(const std::string& what) const {
  fail(ErrorCode::kFormat, {.where = place(), .what = what});
}

void JsonReader::fail_expected(const std::string& expected) const {
  fail(ErrorCode::kFormat,
       {.where = place(), .what = "got", .got = value_text(*json_), .expected = expected});
}

}  // namespace llm
