// --dtype and --quantize: the weights in another number format.
#pragma once

#include <string>

#include "chapters/02_naive_loop/open_model.h"

namespace llm {

// dtype: as --dtype; "file" changes nothing. Matrices whose rows do not divide into the format's blocks stay
// as they are: opened.warnings then has a sentence that names them. Call it before an engine is made.
void convert_weights(OpenModel& opened, const std::string& dtype, bool quiet);

}  // namespace llm
