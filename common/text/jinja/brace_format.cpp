// "{}".format(x)
#include "common/text/jinja/format.h"
#include "common/text/jinja/interpreter.h"
#include "common/text/jinja/strings.h"

namespace llm::jinja {
namespace {

bool is_number(std::string_view text) {
  return !text.empty() && text.size() < 10 && text.find_first_not_of("0123456789") == std::string_view::npos;
}

class BraceFormatter {
 public:
  BraceFormatter(const Arguments& arguments, Interpreter& interpreter)
      : arguments_(arguments), interpreter_(interpreter) {}

  std::string run(std::string_view format, int nesting = 0) {
    if (nesting > 1) fault("Max string recursion exceeded");
    std::string result;
    for (std::size_t at = 0; at < format.size();) {
      const char c = format[at++];
      if (c != '{' && c != '}') {
        result += c;
      } else if (at < format.size() && format[at] == c) {
        result += c;
        ++at;
      } else if (c == '}') {
        fault("Single '}' encountered in format string");
      } else {
        const std::size_t end = field_end(format, at);
        result += field(format.substr(at, end - at), nesting);
        at = end + 1;
      }
      interpreter_.budget().use_bytes(
          static_cast<Index>(result.size()) > kMaxObject_bytes ? kMaxObject_bytes + 1 : 1);
    }
    return result;
  }

 private:
  // The brace that closes a field; fields may stand in its format spec.
  static std::size_t field_end(std::string_view format, std::size_t at) {
    int open = 1;
    for (; at < format.size(); ++at) {
      if (format[at] == '{') ++open;
      if (format[at] == '}' && --open == 0) return at;
    }
    fault("expected '}' before end of string");
  }

  // name[!conversion][:spec]
  std::string field(std::string_view text, int nesting) {
    const std::size_t name_end = std::min(text.find_first_of("!:"), text.size());
    Value value = lookup(text.substr(0, name_end));
    text.remove_prefix(name_end);
    if (text.starts_with('!')) {
      if (text.size() < 2 || (text.size() > 2 && text[2] != ':'))
        fault("expected ':' after conversion specifier");
      if (text[1] == 's') {
        value = Value(to_text(value, interpreter_.budget()));
      } else if (text[1] == 'r' || text[1] == 'a') {
        value = Value(repr(value, interpreter_.budget()));
      } else {
        fault("Unknown conversion specifier " + std::string(text.substr(1, 1)));
      }
      text.remove_prefix(2);
    }
    if (text.size() < 2) return to_text(value, interpreter_.budget());
    return format_value(value, parse_format_spec(run(text.substr(1), nesting + 1)), interpreter_.budget());
  }

  // "0.content[role]", "name", or nothing for the next argument.
  Value lookup(std::string_view path) {
    const std::size_t first_end = std::min(path.find_first_of(".["), path.size());
    Value value = argument(path.substr(0, first_end));
    path.remove_prefix(first_end);
    while (!path.empty()) {
      if (path[0] == '.') {
        const std::size_t end = std::min(path.find_first_of(".[", 1), path.size());
        value = interpreter_.get_attribute(value, std::string(path.substr(1, end - 1)));
        path.remove_prefix(end);
        continue;
      }
      const std::size_t end = path.find(']');
      if (path[0] != '[' || end == std::string_view::npos) fault("Missing ']' in format string");
      const std::string key(path.substr(1, end - 1));
      value = interpreter_.get_item(value, is_number(key) ? Value(Index{std::stoi(key)}) : Value(key));
      path.remove_prefix(end + 1);
    }
    return value;
  }

  Value argument(std::string_view name) {
    if (name.empty() || is_number(name)) {
      const std::size_t index =
          name.empty() ? next_++ : static_cast<std::size_t>(std::stoi(std::string(name)));
      if (index >= arguments_.positional.size()) {
        fault("Replacement index " + std::to_string(index) + " out of range for positional args tuple");
      }
      return arguments_.positional[index];
    }
    for (const auto& [known, value] : arguments_.named) {
      if (known == name) return value;
    }
    fault("format() got no argument '" + std::string(name) + "'");
  }

  const Arguments& arguments_;
  Interpreter& interpreter_;
  std::size_t next_ = 0;
};

}  // namespace

std::string brace_format(std::string_view format, const Arguments& arguments, Interpreter& interpreter) {
  return BraceFormatter(arguments, interpreter).run(format);
}

}  // namespace llm::jinja
