#include "common/text/jinja/filters.h"

#include <algorithm>
#include <array>

namespace llm::jinja {
namespace {

constexpr std::array kFilters = {
    NamedFilter{"abs", filters::abs},
    NamedFilter{"attr", filters::attr},
    NamedFilter{"batch", filters::batch},
    NamedFilter{"capitalize", filters::capitalize},
    NamedFilter{"center", filters::center},
    NamedFilter{"count", filters::length},
    NamedFilter{"d", filters::default_value},
    NamedFilter{"default", filters::default_value},
    NamedFilter{"dictsort", filters::dictsort},
    NamedFilter{"e", filters::escape},
    NamedFilter{"escape", filters::escape},
    NamedFilter{"first", filters::first},
    NamedFilter{"float", filters::to_float},
    NamedFilter{"forceescape", filters::escape},
    NamedFilter{"format", filters::format},
    NamedFilter{"groupby", filters::groupby},
    NamedFilter{"indent", filters::indent},
    NamedFilter{"int", filters::to_int},
    NamedFilter{"items", filters::items},
    NamedFilter{"join", filters::join},
    NamedFilter{"last", filters::last},
    NamedFilter{"length", filters::length},
    NamedFilter{"list", filters::list},
    NamedFilter{"lower", filters::lower},
    NamedFilter{"map", filters::map},
    NamedFilter{"max", filters::max},
    NamedFilter{"min", filters::min},
    NamedFilter{"reject", filters::reject},
    NamedFilter{"rejectattr", filters::rejectattr},
    NamedFilter{"replace", filters::replace},
    NamedFilter{"reverse", filters::reverse},
    NamedFilter{"round", filters::round},
    NamedFilter{"safe", filters::safe},
    NamedFilter{"select", filters::select},
    NamedFilter{"selectattr", filters::selectattr},
    NamedFilter{"slice", filters::slice},
    NamedFilter{"sort", filters::sort},
    NamedFilter{"string", filters::string},
    NamedFilter{"sum", filters::sum},
    NamedFilter{"title", filters::title},
    NamedFilter{"tojson", filters::tojson},
    NamedFilter{"trim", filters::trim},
    NamedFilter{"truncate", filters::truncate},
    NamedFilter{"unique", filters::unique},
    NamedFilter{"upper", filters::upper},
    NamedFilter{"wordcount", filters::wordcount},
};

// Of Jinja, for web pages mostly.
constexpr std::array kMissingFilters = {"filesizeformat", "pprint", "random",   "striptags",
                                        "urlencode",      "urlize", "wordwrap", "xmlattr"};

}  // namespace

bool has_filter(const std::string& name) {
  return std::any_of(kFilters.begin(), kFilters.end(),
                     [&](const NamedFilter& entry) { return name == entry.name; });
}

Filter find_filter(const std::string& name) {
  for (const NamedFilter& entry : kFilters) {
    if (name == entry.name) return entry.filter;
  }
  if (std::find(kMissingFilters.begin(), kMissingFilters.end(), name) != kMissingFilters.end()) {
    unsupported("the filter '" + name + "'");
  }
  fault("no filter named '" + name + "'", ErrorCode::kFormat);
}

Value get_path(Interpreter& interpreter, const Value& item, const Value& path) {
  if (path.is_none()) return item;
  if (!path.is_string()) return interpreter.get_item(item, path);
  Value value = item;
  const std::string& text = path.string();
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find('.', begin), text.size());
    const std::string part = text.substr(begin, end - begin);
    const bool is_number =
        !part.empty() && part.size() < 10 && part.find_first_not_of("0123456789") == std::string::npos;
    value = interpreter.get_item(value, is_number ? Value(Index{std::stoi(part)}) : Value(part));
    begin = end + 1;
  }
  return value;
}

}  // namespace llm::jinja
