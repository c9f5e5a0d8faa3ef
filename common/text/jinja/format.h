// Python's three ways to put values into a text: "%s" % x, "{}".format(x), and the format specs of the
// latter.
#pragma once

#include <string>
#include <string_view>

#include "common/text/jinja/value.h"

namespace llm::jinja {

// "..." % values: values is a tuple, a dict (for %(name)s) or one value.
// Errors: kMismatch as Python's TypeError and ValueError.
std::string percent_format(std::string_view format, const Value& values, Budget& budget);

// "...".format(...). Attributes and items in a field are looked up by the interpreter's (the sandbox's)
// rules.
std::string brace_format(std::string_view format, const Arguments& arguments, Interpreter& interpreter);

// How one value is laid out, in both ways: [[fill]align][sign][#][0][width][grouping][.precision][type].
struct FormatSpec {
  char32_t fill = ' ';
  char align = 0;  // '<', '>', '^', '=', or 0 for the type's own
  char sign = '-';
  bool alternate = false;
  Index width = 0;
  char grouping = 0;  // ',' or '_'
  Index precision = -1;
  char type = 0;
};
inline constexpr Index kMaxWidth = 10'000;  // of one field; Python has no limit, a template needs far less
FormatSpec parse_format_spec(std::string_view text);
std::string format_integer(Index number, const FormatSpec& spec);
std::string format_float(double number, const FormatSpec& spec);
std::string format_value(const Value& value, const FormatSpec& spec, Budget& budget);

}  // namespace llm::jinja
