// The methods that texts, lists and dictionaries have in Python, as far as the sandbox lets templates use
// them.
#pragma once

#include <optional>
#include <string>

#include "common/text/jinja/value.h"

namespace llm::jinja {

// object.name as a function; an undefined value for a method that would change the object (the sandbox hides
// those); nothing when Python's type has no such method.
std::optional<Value> find_method(const Value& object, const std::string& name);

}  // namespace llm::jinja
