// The program's interface for other programs: JSON lines (docs: `01_tokenizer --help`).
#pragma once

#include <filesystem>
#include <iosfwd>

#include "chapters/01_tokenizer/tokenizer.h"

namespace llm {

// {"text"} -> {"ids"}; {"ids"} -> {"text"}; {"ids", "stream": true} -> {"pieces"}; {"messages"} -> {"text"}.
// `model` is where the chat template is looked for, when the first messages come. Returns the exit status.
int serve_tokenizer(const Tokenizer& tokenizer, const std::filesystem::path& model, std::istream& in,
                    std::ostream& out);

}  // namespace llm
