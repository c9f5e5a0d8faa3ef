// Reading tokenizer.json, the file format of Hugging Face's tokenizers library.
#pragma once

#include <filesystem>

#include "chapters/01_tokenizer/tokenizer.h"

namespace llm {

// `path` is the file or a folder that has a tokenizer.json.
// Errors: kMissing, kFormat and kRange with file and key; kUnsupported for a model that is not BPE or a
// component that is not listed in the chapter.
TokenizerParts load_tokenizer_parts(const std::filesystem::path& path);

}  // namespace llm
