// Filters (x | name) and tests (x is name): tables of functions.
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>

#include "common/text/jinja/arguments.h"
#include "common/text/jinja/interpreter.h"

namespace llm::jinja {

// One use of a filter or a test.
struct FilterCall {
  Interpreter& interpreter;
  const std::string& name;
  const Value& subject;
  Arguments arguments;

  Budget& budget() const { return interpreter.budget(); }
  Bound bind(std::initializer_list<std::string_view> names, std::size_t required = 0) {
    return Bound(name, std::move(arguments), names, required);
  }
};

using Filter = Value (*)(FilterCall);

struct NamedFilter {
  const char* name;
  Filter filter;
};

// Errors: kUnsupported for one that Jinja has and this interpreter lacks, kFormat for one that Jinja lacks
// too.
Filter find_filter(const std::string& name);
Filter find_test(const std::string& name);
bool has_filter(const std::string& name);
bool has_test(const std::string& name);

// Looks up "a.b.0" in an item, one part after the other.
Value get_path(Interpreter& interpreter, const Value& item, const Value& path);
// The text in lower case, unless case matters; anything else as it is. What sorting and comparing look at.
Value sort_key(const Value& value, bool case_sensitive);

// The filters, by what they work on.
namespace filters {
// filters_text.cpp
Value capitalize(FilterCall call);
Value center(FilterCall call);
Value escape(FilterCall call);
Value format(FilterCall call);
Value indent(FilterCall call);
Value join(FilterCall call);
Value lower(FilterCall call);
Value replace(FilterCall call);
Value safe(FilterCall call);
Value string(FilterCall call);
Value title(FilterCall call);
Value tojson(FilterCall call);
Value trim(FilterCall call);
Value truncate(FilterCall call);
Value upper(FilterCall call);
Value wordcount(FilterCall call);
// filters_numbers.cpp
Value abs(FilterCall call);
Value to_float(FilterCall call);
Value to_int(FilterCall call);
Value max(FilterCall call);
Value min(FilterCall call);
Value round(FilterCall call);
Value sum(FilterCall call);
// filters_sequences.cpp
Value attr(FilterCall call);
Value batch(FilterCall call);
Value default_value(FilterCall call);
Value first(FilterCall call);
Value items(FilterCall call);
Value last(FilterCall call);
Value length(FilterCall call);
Value list(FilterCall call);
Value reverse(FilterCall call);
Value slice(FilterCall call);
// filters_select.cpp
Value dictsort(FilterCall call);
Value groupby(FilterCall call);
Value map(FilterCall call);
Value reject(FilterCall call);
Value rejectattr(FilterCall call);
Value select(FilterCall call);
Value selectattr(FilterCall call);
Value sort(FilterCall call);
Value unique(FilterCall call);
}  // namespace filters

}  // namespace llm::jinja
