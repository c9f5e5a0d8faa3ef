#include "tests/course/exercises/grading.h"

#include <cstdio>

namespace llm::grading {
namespace {

constexpr Index kItemsShown = 6;
constexpr Index kItemsBefore = 2;  // shown before the first that differs
constexpr Index kBytesShown = 60;

// The length of the valid UTF-8 character at the start of `text`, 0 if there is none.
std::size_t character_length(std::string_view text) {
  const auto lead = static_cast<unsigned char>(text[0]);
  const std::size_t length = lead < 0x80 ? 1 : lead < 0xC2 ? 0 : lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4;
  if (length > text.size() || lead > 0xF4) return 0;
  for (std::size_t i = 1; i < length; ++i)
    if ((static_cast<unsigned char>(text[i]) & 0xC0) != 0x80) return 0;
  return length;
}

std::string escaped(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size();) {
    const std::size_t length = character_length(text.substr(i));
    const auto byte = static_cast<unsigned char>(text[i]);
    if (length == 0 || byte < ' ' || byte == 0x7F) {
      char hex[8];
      std::snprintf(hex, sizeof hex, byte == '\n' ? "\\n" : byte == '\t' ? "\\t" : "\\x%02X", byte);
      out += hex;
      ++i;
      continue;
    }
    if (byte == '"' || byte == '\\') out += '\\';
    out += text.substr(i, length);
    i += length;
  }
  return out;
}

const char* code_name(ErrorCode code) {
  static constexpr const char* kNames[] = {"kUsage",       "kMissing",  "kFormat", "kShape", "kRange",
                                           "kUnsupported", "kMismatch", "kIo",     "kMemory"};
  return kNames[static_cast<int>(code)];
}

// The place of a flat index in a tensor: "index 3" or "[1, 0, 3]".
std::string place(Index flat, const std::vector<Index>& shape) {
  if (shape.size() < 2) return "index " + std::to_string(flat);
  std::string text;
  for (std::size_t axis = shape.size(); axis-- > 0;) {
    text = std::to_string(flat % shape[axis]) + (text.empty() ? "" : ", ") + text;
    flat /= shape[axis];
  }
  return "[" + text + "]";
}

bool close(double a, double b, double tolerance) { return a == b || std::abs(a - b) <= tolerance; }

bool close(const internal::Numbers& a, const internal::Numbers& b, double tolerance) {
  if (a.shape != b.shape) return false;
  for (std::size_t i = 0; i < a.values.size(); ++i)
    if (!close(a.values[i], b.values[i], tolerance)) return false;
  return true;
}

std::string show_numbers(const internal::Numbers& numbers, Index index) {
  if (numbers.shape.empty()) return show(numbers.values.at(0));
  std::vector<std::string> items;
  for (const double value : numbers.values) items.push_back(show(value));
  return show_items(items, index);
}

std::string shape_text(const internal::Numbers& numbers) {
  std::string text;
  for (const Index size : numbers.shape) text += (text.empty() ? "" : ", ") + std::to_string(size);
  return "shape [" + text + "]";
}

}  // namespace

std::string data_path(std::string_view name, std::string_view folder) {
  return std::string(folder) + "/" + std::string(name);
}

std::string show(bool value) { return value ? "true" : "false"; }

std::string show(char32_t value) {
  char text[16];
  std::snprintf(text, sizeof text, "U+%04X", static_cast<unsigned>(value));
  return text;
}

std::string show(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.7g", value);
  return text;
}

std::string show(std::string_view value) { return "\"" + escaped(value) + "\""; }

std::string show_items(const std::vector<std::string>& items, Index index) {
  const auto count = static_cast<Index>(items.size());
  const Index first =
      count <= kItemsShown ? 0 : std::clamp<Index>(index - kItemsBefore, 0, count - kItemsShown);
  const Index last = std::min(count, first + kItemsShown);
  std::string text = first > 0 ? "[..., " : "[";
  for (Index i = first; i < last; ++i) text += (i > first ? ", " : "") + items[static_cast<std::size_t>(i)];
  text += last < count ? ", ...]" : "]";
  return count > kItemsShown ? text + " (" + std::to_string(count) + " of them)" : text;
}

std::string show_around(std::string_view text, Index index) {
  const auto count = static_cast<Index>(text.size());
  if (count <= kBytesShown) return show(text);
  const Index first = std::clamp<Index>(index - kBytesShown / 3, 0, count - kBytesShown);
  const std::string part = show(text.substr(static_cast<std::size_t>(first), kBytesShown));
  return (first > 0 ? "... " : "") + part + (first + kBytesShown < count ? " ..." : "") + " (" +
         std::to_string(count) + " bytes)";
}

void expect_true(std::string_view what, bool condition, std::string_view says, const Location& location) {
  if (!condition) {
    internal::wrong(
        {.what = std::string(what), .expected = "true", .got = "false", .looks_like = std::string(says)},
        location);
  }
}

namespace internal {

void wrong(WrongAnswer answer, const Location& location) {
  answer.file = location.file;
  answer.line = location.line;
  throw answer;
}

void check_close(std::string_view what, const Numbers& got, const Numbers& expected, double tolerance,
                 const std::vector<Mistake<Numbers>>& mistakes, const Location& location) {
  if (close(got, expected, tolerance)) return;
  WrongAnswer answer{.what = std::string(what)};
  for (const auto& mistake : mistakes)
    if (answer.looks_like.empty() && close(got, mistake.value, tolerance)) answer.looks_like = mistake.says;
  if (got.shape != expected.shape) {
    answer.expected = shape_text(expected);
    answer.got = shape_text(got);
    wrong(answer, location);
  }
  std::size_t index = 0;
  while (close(got.values[index], expected.values[index], tolerance)) ++index;
  answer.index = got.shape.empty() ? "" : place(static_cast<Index>(index), got.shape);
  answer.expected = show_numbers(expected, static_cast<Index>(index)) + " within " + show(tolerance);
  answer.got = show_numbers(got, static_cast<Index>(index));
  if (answer.looks_like.empty() && std::isnan(got.values[index]) && !std::isnan(expected.values[index]))
    answer.looks_like =
        "not a number: memory that was never written (the test fills it with NaN), 0/0, or inf - inf";
  wrong(answer, location);
}

void check_error(std::string_view what, ErrorCode expected, const std::optional<ErrorCode>& got,
                 std::string_view message, std::string_view if_accepted, const Location& location) {
  if (got == expected) return;
  const std::string came =
      got ? std::string("Error ") + code_name(*got) + ": " + std::string(message) : "no Error";
  wrong({.what = std::string(what),
         .expected = std::string("an Error of code ") + code_name(expected),
         .got = came,
         .looks_like = got ? std::string() : std::string(if_accepted)},
        location);
}

}  // namespace internal
}  // namespace llm::grading
