#include "common/io/json.h"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <nlohmann/json.hpp>
#include <unordered_set>
#include <utility>

#include "common/base/error.h"
#include "common/io/mapped_file.h"

namespace llm {
namespace {

// Where the first byte is that no valid UTF-8 has there; text.size() when there is none.
// Table 3-7 of the Unicode standard: the second byte's range depends on the first.
std::size_t first_invalid_utf8(std::string_view text) {
  const auto byte = [&](std::size_t i) { return i < text.size() ? static_cast<unsigned char>(text[i]) : 0u; };
  std::size_t i = 0;
  while (i < text.size()) {
    const unsigned lead = byte(i);
    if (lead < 0x80) {
      ++i;
      continue;
    }
    if (lead < 0xc2 || lead > 0xf4) return i;
    const unsigned length = lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4;
    unsigned low = 0x80, high = 0xbf;
    if (lead == 0xe0) low = 0xa0;
    if (lead == 0xed) high = 0x9f;
    if (lead == 0xf0) low = 0x90;
    if (lead == 0xf4) high = 0x8f;
    if (byte(i + 1) < low || byte(i + 1) > high) return i;
    for (unsigned k = 2; k < length; ++k)
      if ((byte(i + k) & 0xc0) != 0x80) return i;
    i += length;
  }
  return i;
}

// An iterator over the text that tells the builder below how far the parser has read.
class Cursor {
 public:
  using iterator_category = std::input_iterator_tag;
  using value_type = char;
  using difference_type = std::ptrdiff_t;
  using pointer = const char*;
  using reference = const char&;

  Cursor(const char* here, const char** progress) : here_(here), progress_(progress) {}
  const char& operator*() const { return *here_; }
  Cursor& operator++() {
    *progress_ = ++here_;
    return *this;
  }
  bool operator==(const Cursor& other) const { return here_ == other.here_; }
  bool operator!=(const Cursor& other) const { return here_ != other.here_; }

 private:
  const char* here_;
  const char** progress_;
};

// Builds the value from the parser's events. (The library's own builder looks up every key in a list, which
// takes minutes for a vocabulary, and keeps the last of two equal keys.)
class Builder : public nlohmann::json_sax<Json> {
 public:
  Builder(std::string_view text, const std::string& where) : text_(text), where_(where), read_(text.data()) {}

  Json build() {
    const Cursor begin(text_.data(), &read_), end(text_.data() + text_.size(), &read_);
    Json::sax_parse(begin, end, this);
    return std::move(root_);
  }

  bool null() override { return add(nullptr); }
  bool boolean(bool value) override { return add(value); }
  bool number_integer(std::int64_t value) override { return add(value); }
  bool number_unsigned(std::uint64_t value) override { return add(value); }
  bool number_float(double value, const std::string&) override { return add(value); }
  bool string(std::string& value) override { return add(std::move(value)); }
  bool binary(Json::binary_t&) override { return false; }  // not in text

  bool start_object(std::size_t) override { return open(Json::object()); }
  bool start_array(std::size_t) override { return open(Json::array()); }
  bool end_object() override { return close(); }
  bool end_array() override { return close(); }

  bool key(std::string& name) override {
    if (!open_.back().keys.insert(name).second) fail_at(read_, "invalid JSON: duplicate key '" + name + "'");
    open_.back().key = std::move(name);
    return true;
  }

  bool parse_error(std::size_t read, const std::string&, const nlohmann::detail::exception& error) override {
    std::string message = error.what();  // "[json.exception.…] parse error at line 1, column 7: reason"
    message.erase(0, message.find("] ") + 2);
    if (message.starts_with("parse error")) message.erase(0, message.find(": ") + 2);
    constexpr std::size_t kLongest = 200;
    if (message.size() > kLongest) {
      std::size_t cut = kLongest;
      while (cut > 0 && (static_cast<unsigned char>(message[cut]) & 0xc0) == 0x80) --cut;
      message.replace(cut, std::string::npos, "…");
    }
    fail_at(text_.data() + std::min(read, text_.size()), "invalid JSON: " + message);
  }

  // Throws with line and column of the last byte before `position`, both counted from 1.
  [[noreturn]] void fail_at(const char* position, const std::string& what) const {
    const std::string_view before(text_.data(), static_cast<std::size_t>(position - text_.data()));
    const auto line = std::count(before.begin(), before.end(), '\n') + 1;
    const std::size_t newline = before.rfind('\n');
    std::string_view in_line = newline == std::string_view::npos ? before : before.substr(newline + 1);
    in_line.remove_suffix(in_line.empty() ? 0 : 1);
    const auto column = 1 + std::count_if(in_line.begin(), in_line.end(), [](char c) {
                          return (static_cast<unsigned char>(c) & 0xc0) != 0x80;
                        });
    fail(ErrorCode::kFormat,
         {.where = where_ + ": line " + std::to_string(line) + ", column " + std::to_string(column),
          .what = what});
  }

 private:
  struct Open {
    Json value;
    std::string key;                       // the member that is being read
    std::unordered_set<std::string> keys;  // those that were there already
  };

  bool add(Json value) {
    if (open_.empty()) {
      root_ = std::move(value);
    } else if (Open& parent = open_.back(); parent.value.is_array()) {
      parent.value.get_ref<Json::array_t&>().push_back(std::move(value));
    } else {
      auto& members = static_cast<Json::object_t::Container&>(parent.value.get_ref<Json::object_t&>());
      members.emplace_back(std::move(parent.key), std::move(value));
    }
    return true;
  }

  bool open(Json value) {
    if (open_.size() == kMaxJsonDepth)
      fail_at(read_, "invalid JSON: nested deeper than " + std::to_string(kMaxJsonDepth) + " levels");
    open_.push_back({std::move(value), {}, {}});
    return true;
  }

  bool close() {
    Json value = std::move(open_.back().value);
    open_.pop_back();
    return add(std::move(value));
  }

  std::string_view text_;
  const std::string& where_;
  const char* read_;  // just behind the last byte that the parser took
  Json root_;
  std::vector<Open> open_;  // objects and arrays that have not ended, outermost first
};

}  // namespace

Json parse_json(std::string_view text, const std::string& where) {
  Builder builder(text, where);
  const std::size_t invalid = first_invalid_utf8(text);
  if (invalid < text.size()) builder.fail_at(text.data() + invalid + 1, "invalid JSON: not UTF-8");
  return builder.build();
}

Json read_json_file(const std::filesystem::path& path) {
  const MappedFile file(path);
  return parse_json(file.text(), file.name());
}

}  // namespace llm
