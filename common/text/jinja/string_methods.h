// The methods of Python's str.
#pragma once

#include <string>

#include "common/text/jinja/interpreter.h"

namespace llm::jinja {

using StringMethod = Value (*)(Interpreter&, const std::string& self, Arguments);

// Null when str has no method of this name.
StringMethod find_string_method(const std::string& name);
// Of them, those that are called is...().
StringMethod find_string_predicate(const std::string& name);

}  // namespace llm::jinja
