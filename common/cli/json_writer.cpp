#include "common/cli/json_writer.h"

#include <array>
#include <cassert>
#include <charconv>
#include <cmath>
#include <nlohmann/json.hpp>

namespace llm {
namespace {

template <class T>
std::string number_text(T value) {
  if (std::isnan(value)) return "\"nan\"";
  if (std::isinf(value)) return value > 0 ? "\"inf\"" : "\"-inf\"";
  std::array<char, 32> buffer{};
  const auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value).ptr;
  std::string text(buffer.data(), end);
  if (text.find_first_of(".e") == std::string::npos) text += ".0";  // -0 would be read as an integer
  return text;
}

}  // namespace

std::string json_number(float value) { return number_text(value); }
std::string json_number(double value) { return number_text(value); }

std::string json_string(std::string_view text) {
  return nlohmann::json(text).dump(-1, ' ', true, nlohmann::json::error_handler_t::replace);
}

void JsonWriter::separate() {
  if (after_key_) {
    after_key_ = false;
    return;
  }
  assert(levels_.empty() ? text_.empty() : levels_.back() == Level::kArray);
  if (!first_ && !levels_.empty()) text_ += ", ";
}

JsonWriter& JsonWriter::append(std::string_view piece) {
  separate();
  text_ += piece;
  first_ = false;
  return *this;
}

JsonWriter& JsonWriter::begin_object() {
  append("{");
  levels_.push_back(Level::kObject);
  first_ = true;
  return *this;
}

JsonWriter& JsonWriter::begin_array() {
  append("[");
  levels_.push_back(Level::kArray);
  first_ = true;
  return *this;
}

JsonWriter& JsonWriter::end_object() {
  assert(!levels_.empty() && levels_.back() == Level::kObject && !after_key_);
  levels_.pop_back();
  text_ += "}";
  first_ = false;
  return *this;
}

JsonWriter& JsonWriter::end_array() {
  assert(!levels_.empty() && levels_.back() == Level::kArray);
  levels_.pop_back();
  text_ += "]";
  first_ = false;
  return *this;
}

JsonWriter& JsonWriter::key(std::string_view name) {
  assert(!levels_.empty() && levels_.back() == Level::kObject && !after_key_);
  if (!first_) text_ += ", ";
  text_ += json_string(name) + ": ";
  first_ = false;
  after_key_ = true;
  return *this;
}

JsonWriter& JsonWriter::null() { return append("null"); }

}  // namespace llm
