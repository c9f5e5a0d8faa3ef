// The message of the error that an action must throw.
#pragma once

#include <string>

#include "common/base/error.h"

namespace llm {

// "no error" if it throws none; anything that is no Error passes through.
template <class Action>
std::string message_of(Action&& action) {
  try {
    action();
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

}  // namespace llm
