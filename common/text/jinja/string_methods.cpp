#include "common/text/jinja/string_methods.h"

#include <algorithm>
#include <array>

#include "common/text/jinja/arguments.h"
#include "common/text/jinja/format.h"
#include "common/text/jinja/operators.h"
#include "common/text/jinja/strings.h"
#include "common/text/utf8.h"

namespace llm::jinja {
namespace {

Value text_list(std::vector<std::string> texts) {
  Items items;
  for (std::string& text : texts) items.emplace_back(Value(std::move(text)));
  return Value::list(std::move(items));
}

template <std::string (*change)(std::string_view)>
Value changed(Interpreter&, const std::string& self, Arguments arguments) {
  const Bound bound("str method", std::move(arguments), {});
  return Value(change(self));
}

template <Side side>
Value stripped(Interpreter&, const std::string& self, Arguments arguments) {
  const Bound bound("strip", std::move(arguments), {"chars"});
  const std::optional<std::string> chars = bound.optional_text(0);
  return Value(std::string(chars ? strip(self, *chars, side) : strip(self, {}, side)));
}

template <bool from_right>
Value split_method(Interpreter&, const std::string& self, Arguments arguments) {
  const Bound bound("split", std::move(arguments), {"sep", "maxsplit"});
  const std::optional<std::string> separator = bound.optional_text(0);
  const Index max_split = bound.integer(1, -1);
  if (!separator) return text_list(split_spaces(self, max_split, from_right));
  if (separator->empty()) fault("empty separator");
  return text_list(split(self, *separator, max_split, from_right));
}

Value split_lines_method(Interpreter&, const std::string& self, Arguments arguments) {
  const Bound bound("splitlines", std::move(arguments), {"keepends"});
  return text_list(split_lines(self, bound.flag(0)));
}

template <bool from_right>
Value partition(Interpreter&, const std::string& self, Arguments arguments) {
  const Bound bound("partition", std::move(arguments), {"sep"}, 1);
  const std::string& separator = bound.text(0);
  if (separator.empty()) fault("empty separator");
  const std::size_t at = from_right ? self.rfind(separator) : self.find(separator);
  Items parts;
  if (at == std::string::npos) {
    parts = {Value(self), Value(std::string()), Value(std::string())};
    if (from_right) std::reverse(parts.begin(), parts.end());
  } else {
    parts = {Value(self.substr(0, at)), Value(separator), Value(self.substr(at + separator.size()))};
  }
  return Value::tuple(std::move(parts));
}

// The part of the text between the code points start and stop, as slices take them.
struct Window {
  std::string_view text;
  Index first = 0;  // code points before it
  bool is_valid = true;
};

Window window(std::string_view text, const Value& start, const Value& stop) {
  if (start.is_none() && stop.is_none()) return {text, 0, true};
  const Index size = count_code_points(text);
  const SliceRange range = resolve_slice(start, stop, Value(), size);
  const bool starts_behind_end = !start.is_none() && as_index(start, "start") > size;
  const std::size_t begin = byte_offset(text, range.start);
  const std::size_t length = byte_offset(text.substr(begin), range.count);
  return {text.substr(begin, length), range.start, !starts_behind_end};
}

template <bool at_start>
Value has_affix(Interpreter&, const std::string& self, Arguments arguments) {
  const Bound bound("startswith", std::move(arguments), {"affix", "start", "end"}, 1);
  const Window part = window(self, bound[1], bound[2]);
  const auto matches = [&](const Value& affix) {
    if (affix.is_undefined()) fault_undefined(affix);
    if (!affix.is_string())
      fault("startswith and endswith want str or a tuple of str, not " + type_name(affix));
    if (!part.is_valid) return false;
    return at_start ? part.text.starts_with(affix.string()) : part.text.ends_with(affix.string());
  };
  if (!bound[0].is(Kind::kTuple)) return Value(matches(bound[0]));
  return Value(std::any_of(bound[0].items().begin(), bound[0].items().end(), matches));
}

// find, rfind, index, rindex: the position in code points, or nothing.
std::optional<Index> position(const std::string& self, Arguments arguments, bool from_right) {
  const Bound bound("find", std::move(arguments), {"sub", "start", "end"}, 1);
  const Window part = window(self, bound[1], bound[2]);
  const std::string& wanted = bound.text(0);
  const std::size_t at = from_right ? part.text.rfind(wanted) : part.text.find(wanted);
  if (at == std::string_view::npos || !part.is_valid) return std::nullopt;
  return part.first + count_code_points(part.text.substr(0, at));
}

template <bool from_right>
Value find_method(Interpreter&, const std::string& self, Arguments arguments) {
  return Value(position(self, std::move(arguments), from_right).value_or(-1));
}

template <bool from_right>
Value index_method(Interpreter&, const std::string& self, Arguments arguments) {
  const std::optional<Index> at = position(self, std::move(arguments), from_right);
  if (!at) fault("substring not found");
  return Value(*at);
}

Value count_method(Interpreter&, const std::string& self, Arguments arguments) {
  const Bound bound("count", std::move(arguments), {"sub", "start", "end"}, 1);
  const Window part = window(self, bound[1], bound[2]);
  const std::string& wanted = bound.text(0);
  if (!part.is_valid) return Value(Index{0});
  if (wanted.empty()) return Value(count_code_points(part.text) + 1);
  return Value(static_cast<Index>(split(part.text, wanted, -1, false).size()) - 1);
}

Value replace_method(Interpreter& interpreter, const std::string& self, Arguments arguments) {
  if (!arguments.named.empty()) fault("str.replace() takes no keyword arguments");
  const Bound bound("replace", std::move(arguments), {"old", "new", "count"}, 2);
  return Value(replace(self, bound.text(0), bound.text(1), bound.integer(2, -1), interpreter.budget()));
}

Value join_method(Interpreter& interpreter, const std::string& self, Arguments arguments) {
  const Bound bound("join", std::move(arguments), {"iterable"}, 1);
  std::string text;
  bool first = true;
  for (const Value& item : to_items(bound[0], interpreter.budget())) {
    if (!item.is_string()) fault("sequence item: expected str instance, " + type_name(item) + " found");
    const std::string part = (first ? "" : self) + item.string();
    interpreter.budget().use_bytes(static_cast<Index>(text.size() + part.size()) > kMaxObject_bytes
                                       ? kMaxObject_bytes + 1
                                       : static_cast<Index>(part.size()));
    text += part;
    first = false;
  }
  return Value(std::move(text));
}

template <bool is_prefix>
Value remove_affix(Interpreter&, const std::string& self, Arguments arguments) {
  const Bound bound("removeprefix", std::move(arguments), {"affix"}, 1);
  const std::string& affix = bound.text(0);
  if (is_prefix ? !self.starts_with(affix) : !self.ends_with(affix)) return Value(self);
  return Value(is_prefix ? self.substr(affix.size()) : self.substr(0, self.size() - affix.size()));
}

// ljust, rjust, center: missing characters on the left are a share of all missing ones.
template <char align>
Value justified(Interpreter& interpreter, const std::string& self, Arguments arguments) {
  const Bound bound("justify", std::move(arguments), {"width", "fillchar"}, 1);
  const std::u32string fill = decode_utf8(bound.has(1) ? bound.text(1) : " ");
  if (fill.size() != 1) fault("The fill character must be exactly one character long");
  const Index missing = std::max<Index>(0, bound.integer(0, 0) - count_code_points(self));
  interpreter.budget().use_bytes(missing > kMaxObject_bytes / 4 ? kMaxObject_bytes + 1 : 4 * missing);
  // Python's center puts the odd character on the left when the width is odd.
  const Index left = align == '<'   ? 0
                     : align == '>' ? missing
                                    : missing / 2 + (missing & bound.integer(0, 0) & 1);
  std::string before;
  std::string after;
  for (Index i = 0; i < missing; ++i) append_code_point(i < left ? before : after, fill[0]);
  return Value(before + self + after);
}

Value zfill(Interpreter& interpreter, const std::string& self, Arguments arguments) {
  const Bound bound("zfill", std::move(arguments), {"width"}, 1);
  const Index missing = std::max<Index>(0, bound.integer(0, 0) - count_code_points(self));
  interpreter.budget().use_bytes(missing);
  const std::size_t sign = self.starts_with('-') || self.starts_with('+') ? 1 : 0;
  return Value(self.substr(0, sign) + std::string(static_cast<std::size_t>(missing), '0') +
               self.substr(sign));
}

Value expand_tabs(Interpreter& interpreter, const std::string& self, Arguments arguments) {
  const Bound bound("expandtabs", std::move(arguments), {"tabsize"});
  const Index tab = std::max<Index>(0, bound.integer(0, 8));
  if (tab > 1000) fault("expandtabs with a tab size above 1000", ErrorCode::kRange);
  std::string text;
  Index column = 0;
  for (const char32_t c : decode_utf8(self)) {
    const Index spaces = tab == 0 ? 0 : tab - column % tab;
    if (c == '\t') {
      text.append(static_cast<std::size_t>(spaces), ' ');
      column += spaces;
    } else {
      append_code_point(text, c);
      column = c == '\n' || c == '\r' ? 0 : column + 1;
    }
  }
  interpreter.budget().use_bytes(static_cast<Index>(text.size()));
  return Value(std::move(text));
}

Value format_method(Interpreter& interpreter, const std::string& self, Arguments arguments) {
  return Value(brace_format(self, arguments, interpreter));
}

template <const char* const& name>
Value unsupported_method(Interpreter&, const std::string&, Arguments) {
  unsupported(std::string("the method str.") + name);
}
const char* const kEncode = "encode";
const char* const kTranslate = "translate";
const char* const kMakeTrans = "maketrans";
const char* const kFormatMap = "format_map";

constexpr std::array<std::pair<const char*, StringMethod>, 35> kMethods = {{
    {"capitalize", changed<capitalize>},
    {"casefold", changed<fold_case>},
    {"center", justified<'^'>},
    {"count", count_method},
    {"encode", unsupported_method<kEncode>},
    {"endswith", has_affix<false>},
    {"expandtabs", expand_tabs},
    {"find", find_method<false>},
    {"format", format_method},
    {"format_map", unsupported_method<kFormatMap>},
    {"index", index_method<false>},
    {"join", join_method},
    {"ljust", justified<'<'>},
    {"lower", changed<to_lower>},
    {"lstrip", stripped<Side::kLeft>},
    {"maketrans", unsupported_method<kMakeTrans>},
    {"partition", partition<false>},
    {"removeprefix", remove_affix<true>},
    {"removesuffix", remove_affix<false>},
    {"replace", replace_method},
    {"rfind", find_method<true>},
    {"rindex", index_method<true>},
    {"rjust", justified<'>'>},
    {"rpartition", partition<true>},
    {"rsplit", split_method<true>},
    {"rstrip", stripped<Side::kRight>},
    {"split", split_method<false>},
    {"splitlines", split_lines_method},
    {"startswith", has_affix<true>},
    {"strip", stripped<Side::kBoth>},
    {"swapcase", changed<swap_case>},
    {"title", changed<title>},
    {"translate", unsupported_method<kTranslate>},
    {"upper", changed<to_upper>},
    {"zfill", zfill},
}};

}  // namespace

StringMethod find_string_method(const std::string& name) {
  const auto known =
      std::find_if(kMethods.begin(), kMethods.end(), [&](const auto& entry) { return name == entry.first; });
  return known == kMethods.end() ? find_string_predicate(name) : known->second;
}

}  // namespace llm::jinja
