// Writes JSON piece by piece, numbers with as few digits as read back to the same value.
#pragma once

#include <concepts>
#include <cstdint>
#include <ranges>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/types.h"

namespace llm {

// The shortest decimal that reads back as the same float or double: "0.1", "1e-07", "-0.0", always with a
// point or an exponent. Infinities and NaN, which JSON lacks, are the strings "inf", "-inf" and "nan", with
// their quotes.
std::string json_number(float value);
std::string json_number(double value);

// The text in quotes: ASCII only, other characters as \uXXXX, invalid UTF-8 as U+FFFD.
std::string json_string(std::string_view text);

// Commas and nesting are taken care of:
//   JsonWriter json;
//   json.begin_object().field("ids", ids).key("stats").begin_object().field("s", 0.5).end_object();
//   json.end_object();
//   json.text();  // {"ids": [1, 2], "stats": {"s": 0.5}}
// Using it in an order that makes no JSON is an assert.
class JsonWriter {
 public:
  JsonWriter& begin_object();
  JsonWriter& end_object();
  JsonWriter& begin_array();
  JsonWriter& end_array();
  JsonWriter& key(std::string_view name);
  JsonWriter& null();

  // One value, or a range of values (of ranges ...) as an array.
  template <class T>
  JsonWriter& value(const T& item) {
    if constexpr (std::same_as<T, bool>) {
      return append(item ? "true" : "false");
    } else if constexpr (std::floating_point<T>) {
      return append(json_number(item));
    } else if constexpr (std::integral<T>) {
      return append(std::to_string(item));
    } else if constexpr (std::convertible_to<const T&, std::string_view>) {
      return append(json_string(item));
    } else {
      static_assert(std::ranges::range<const T>, "a value is a bool, a number, a text or a range of values");
      begin_array();
      for (const auto& element : item) value(element);
      return end_array();
    }
  }

  template <class T>
  JsonWriter& field(std::string_view name, const T& item) {
    return key(name).value(item);
  }

  // A piece of JSON text, as it is.
  JsonWriter& raw(std::string_view json) { return append(json); }

  const std::string& text() const { return text_; }

 private:
  JsonWriter& append(std::string_view piece);
  void separate();

  enum class Level : std::uint8_t { kObject, kArray };
  std::string text_;
  std::vector<Level> levels_;
  bool first_ = true;       // no member or element of the innermost level yet
  bool after_key_ = false;  // a key waits for its value
};

}  // namespace llm
