// How a long job says how far it is.
#pragma once

#include <functional>

#include "common/base/types.h"

namespace llm {

// Called with what is done and what there is to do, in the same unit, from the calling thread, now and then
// and once at the end. Empty: nobody wants to know.
using Progress = std::function<void(Index done, Index total)>;

}  // namespace llm
