// The answer to one line about scores.
#pragma once

#include <string>

#include "common/io/json.h"

namespace llm {

Json score_answer(const std::string& line);

}  // namespace llm
