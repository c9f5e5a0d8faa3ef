#include "common/text/jinja/filters.h"
#include "common/text/jinja/format.h"
#include "common/text/jinja/strings.h"
#include "common/text/utf8.h"

namespace llm::jinja::filters {
namespace {

std::string text_of(const FilterCall& call) { return to_text(call.subject, call.budget()); }

// A change of the text that keeps it markup when it was.
Value like(const Value& subject, std::string text) {
  return subject.is_markup() ? Value::markup(std::move(text)) : Value(std::move(text));
}

bool starts_word(char32_t c) {
  return is_space(c) || c == '-' || c == '(' || c == '{' || c == '[' || c == '<';
}

bool is_word_char(char32_t c) { return is_alpha(c) || is_numeric(c) || c == '_'; }

}  // namespace

Value capitalize(FilterCall call) {
  call.bind({});
  return like(call.subject, jinja::capitalize(text_of(call)));
}

Value center(FilterCall call) {
  const Bound bound = call.bind({"width"});
  const Value method = call.interpreter.get_attribute(Value(text_of(call)), "center");
  return call.interpreter.call(method, {{Value(bound.integer(0, 80))}, {}});
}

Value escape(FilterCall call) {
  call.bind({});
  if (call.subject.is_markup() && call.name != "forceescape") return call.subject;
  return Value::markup(escape_html(text_of(call)));
}

// "%s" | format(x)
Value format(FilterCall call) {
  if (!call.arguments.positional.empty() && !call.arguments.named.empty()) {
    fault("format wants either positional or named arguments");
  }
  Value values = Value::tuple(call.arguments.positional);
  if (!call.arguments.named.empty()) {
    Dict dict;
    for (const auto& [name, value] : call.arguments.named) dict.set(name, value);
    values = Value::dict(std::move(dict));
  }
  return Value(percent_format(text_of(call), values, call.budget()));
}

Value indent(FilterCall call) {
  const Bound bound = call.bind({"width", "first", "blank"});
  if (call.subject.is_undefined()) fault_undefined(call.subject);
  if (!call.subject.is_string()) fault("indent wants text, not " + type_name(call.subject));
  const Index width = bound.has(0) && bound[0].is_string() ? 0 : std::max<Index>(0, bound.integer(0, 4));
  call.budget().use_bytes(width);
  const std::string indention = bound.has(0) && bound[0].is_string()
                                    ? bound[0].string()
                                    : std::string(static_cast<std::size_t>(width), ' ');
  std::string result;
  bool is_first = true;
  for (const std::string& line : split_lines(call.subject.string() + "\n", false)) {
    if (!is_first) result += '\n';
    const bool indented = is_first ? bound.flag(1) : bound.flag(2) || !line.empty();
    const std::string part = (indented ? indention : "") + line;
    call.budget().use_bytes(static_cast<Index>(result.size() + part.size()) > kMaxObject_bytes
                                ? kMaxObject_bytes + 1
                                : static_cast<Index>(part.size()));
    result += part;
    is_first = false;
  }
  return like(call.subject, std::move(result));
}

Value join(FilterCall call) {
  const Bound bound = call.bind({"d", "attribute"});
  const std::string separator = bound.has(0) ? to_text(bound[0], call.budget()) : "";
  std::string result;
  bool is_first = true;
  const Next next = iterate(call.subject, call.budget());
  while (const std::optional<Value> item = next()) {
    const Value value = get_path(call.interpreter, *item, bound[1]);
    const std::string part = (is_first ? "" : separator) + to_text(value, call.budget());
    const auto size = static_cast<Index>(result.size() + part.size());
    call.budget().use_bytes(size > kMaxObject_bytes ? size : static_cast<Index>(part.size()));
    result += part;
    is_first = false;
  }
  return Value(std::move(result));
}

Value lower(FilterCall call) {
  call.bind({});
  return like(call.subject, to_lower(text_of(call)));
}

Value replace(FilterCall call) {
  const Bound bound = call.bind({"old", "new", "count"}, 2);
  const std::string old = to_text(bound[0], call.budget());
  const std::string replacement = to_text(bound[1], call.budget());
  return Value(jinja::replace(text_of(call), old, replacement, bound.integer(2, -1, true), call.budget()));
}

Value safe(FilterCall call) {
  call.bind({});
  return Value::markup(text_of(call));
}

Value string(FilterCall call) {
  call.bind({});
  return like(call.subject, text_of(call));
}

// Jinja's own title: a word starts behind white space or one of - ( { [ <, and nowhere else.
Value title(FilterCall call) {
  call.bind({});
  std::string result;
  std::u32string word;
  const auto flush = [&] {
    if (word.empty()) return;
    result += to_upper(encode_utf8(word.substr(0, 1))) + to_lower(encode_utf8(word.substr(1)));
    word.clear();
  };
  for (const char32_t c : decode_utf8(text_of(call))) {
    if (starts_word(c)) {
      flush();
      append_code_point(result, c);
    } else {
      word += c;
    }
  }
  flush();
  return like(call.subject, std::move(result));
}

// As transformers defines it: no escapes for HTML, characters as they are.
Value tojson(FilterCall call) {
  const Bound bound = call.bind({"ensure_ascii", "indent", "separators", "sort_keys"});
  JsonStyle style;
  style.ensure_ascii = bound.flag(0);
  style.sort_keys = bound.flag(3);
  if (bound[1].is_string()) {
    style.indent = bound[1].string();
  } else if (!bound[1].is_none()) {
    const Index width = std::max<Index>(0, bound.integer(1, 0));
    if (width > 1000) fault("tojson with an indent above 1000", ErrorCode::kRange);
    style.indent = std::string(static_cast<std::size_t>(width), ' ');
  }
  if (!bound[2].is_none()) {
    const Items separators = to_items(bound[2], call.budget());
    if (separators.size() != 2 || !separators[0].is_string() || !separators[1].is_string()) {
      fault("tojson wants two texts as separators");
    }
    style.item_separator = separators[0].string();
    style.key_separator = separators[1].string();
  }
  return Value(to_json(call.subject, style, call.budget()));
}

Value trim(FilterCall call) {
  const Bound bound = call.bind({"chars"});
  const std::optional<std::string> chars = bound.optional_text(0);
  const std::string text = text_of(call);
  return like(call.subject, std::string(chars ? strip(text, *chars) : strip(text)));
}

Value truncate(FilterCall call) {
  const Bound bound = call.bind({"length", "killwords", "end", "leeway"});
  const std::string end = bound.has(2) ? bound.text(2) : "...";
  const Index limit = bound.integer(0, 255);
  const Index leeway = bound.integer(3, 5, true);
  const Index kept = limit - count_code_points(end);
  if (kept < 0 || leeway < 0)
    fault("truncate wants a length of at least that of its end, and no negative leeway");
  const std::optional<Index> length = jinja::length(call.subject);
  if (!length) fault("object of type '" + type_name(call.subject) + "' has no len()");
  if (*length <= limit + leeway) return call.subject;
  if (!call.subject.is_string()) fault("truncate wants text, not " + type_name(call.subject));
  const std::string& text = call.subject.string();
  const std::string cut = text.substr(0, byte_offset(text, kept));
  return Value((bound.flag(1) ? cut : split(cut, " ", 1, true)[0]) + end);
}

Value upper(FilterCall call) {
  call.bind({});
  return like(call.subject, to_upper(text_of(call)));
}

Value wordcount(FilterCall call) {
  call.bind({});
  Index count = 0;
  bool in_word = false;
  for (const char32_t c : decode_utf8(text_of(call))) {
    const bool is_word = is_word_char(c);
    if (is_word && !in_word) ++count;
    in_word = is_word;
  }
  return Value(count);
}

}  // namespace llm::jinja::filters
