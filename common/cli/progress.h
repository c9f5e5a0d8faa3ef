// A progress bar on the standard error, for work that takes seconds.
#pragma once

#include <string>

#include "common/io/progress.h"

namespace llm {

// A callback that draws "label  [=====>    ]  62 %  744 MB of 1.2 GB" on one line and clears it at the end.
// Empty, so that nobody calls it, unless the standard error is a terminal; also when `quiet`.
// bytes: the counts are bytes; otherwise plain numbers.
Progress progress_bar(const std::string& label, bool quiet, bool bytes = true);

}  // namespace llm
