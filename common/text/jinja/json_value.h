// JSON as values of the template language.
#pragma once

#include "common/io/json.h"
#include "common/text/jinja/value.h"

namespace llm::jinja {

// Keeps the order of the keys.
Value from_json(const Json& json);

}  // namespace llm::jinja
