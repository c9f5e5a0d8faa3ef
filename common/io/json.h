// The only place that turns text into JSON; everything else goes through here, so that every file is held to
// the same rules and every message has the same form.
#pragma once

#include <cstdint>
#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/types.h"

namespace llm {

// Objects keep the order of their keys (chat templates print them). Looking a key up is a linear search: walk
// large objects, such as a vocabulary, with items() instead.
using Json = nlohmann::ordered_json;

inline constexpr int kMaxJsonDepth = 128;

// `where` is what error messages call the text ("config.json", "line 3").
// Errors (kFormat, with line and column): invalid JSON or UTF-8, a key twice in one object, nesting deeper
// than kMaxJsonDepth, a number too large for a double.
Json parse_json(std::string_view text, const std::string& where);

// The same for a file, called by its path. Errors: those of MappedFile too.
Json read_json_file(const std::filesystem::path& path);

// Reads a parsed value with checks. A reader is a value together with its place ("config.json:
// rope_parameters.factor"), so that an error says where, what it got and what it expected:
//
//   const JsonReader config(json, "config.json");
//   const Index layers = config.at("num_hidden_layers").integer(1, 10000);
//   const double theta = config.number_or("rope_theta", 10000.0);
//
// Valid as long as the Json that it looks at.
class JsonReader {
 public:
  JsonReader(const Json& json, std::string where);

  const Json& json() const { return *json_; }
  std::string place() const;  // "config.json: rope_parameters.factor"

  bool is_null() const;
  bool is_object() const;
  bool is_array() const;
  bool is_string() const;
  bool is_number() const;
  bool is_integer() const;
  bool is_bool() const;

  // The member `key` of an object. A member that is null counts as absent, as in Hugging Face's files.
  // Errors: kFormat when this is no object; at(): kMissing when the key is absent.
  JsonReader at(std::string_view key) const;
  std::optional<JsonReader> find(std::string_view key) const;
  bool has(std::string_view key) const { return find(key).has_value(); }

  // Element i of an array, and how many elements an array or object has. Errors: kFormat when it is neither.
  JsonReader at(Index i) const;
  Index size() const;

  // Errors: kFormat for another type, kRange outside [min, max]. An integer is written without point and
  // exponent, as in Python; number() also takes integers.
  Index integer(Index min = INT64_MIN, Index max = INT64_MAX) const;
  double number() const;
  double number(double min, double max) const;
  bool boolean() const;
  const std::string& string() const;
  std::vector<std::string> strings() const;                                         // array of strings
  std::vector<Index> integers(Index min = INT64_MIN, Index max = INT64_MAX) const;  // array of integers
  void expect_object() const;
  void expect_array() const;

  // A member or, when it is absent or null, the fallback.
  Index integer_or(std::string_view key, Index fallback, Index min = INT64_MIN, Index max = INT64_MAX) const;
  double number_or(std::string_view key, double fallback) const;
  bool boolean_or(std::string_view key, bool fallback) const;
  std::string string_or(std::string_view key, std::string fallback) const;

  // Throws: "place: what", with the value in `got` (shortened) when `expected` is given.
  [[noreturn]] void fail_here(const std::string& what) const;
  [[noreturn]] void fail_expected(const std::string& expected) const;

 private:
  JsonReader(const Json& json, std::string where, std::string path);

  const Json* json_;
  std::string where_;  // the file or the line
  std::string path_;   // "rope_parameters.factor", "added_tokens[3].content"; empty at the top
};

}  // namespace llm
