// `01_tokenizer --train`: from texts to a tokenizer.json.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "chapters/01_tokenizer/trainer.h"
#include "common/cli/options.h"

namespace llm {

// The texts of a corpus: the "text" of each line of a .jsonl file; any other file is one text.
// Errors: kMissing for a file that cannot be read, kFormat or kMissing with the line for a line without a
// "text", kRange if all of it is empty.
std::vector<std::string> read_corpus(const std::filesystem::path& path);

// Writes what train_bpe() found as a tokenizer.json that this course and the tokenizers library load: NFC,
// the pattern, byte-level BPE. Special tokens are for its owner to add. Errors: kIo.
void write_tokenizer_json(const std::filesystem::path& path, const BpeParts& parts, std::string_view pattern);

struct TrainRequest {
  std::string corpus;       // --train
  std::string out;          // --out; empty: nothing is written
  std::string pattern;      // --pattern: gpt2, qwen2, llama3, gpt4o or a regular expression; empty: gpt2
  Index vocab_size = 1000;  // --vocab-size
  bool quiet = false;
};

// Declares --train and the flags that go with it. parse() fails with kUsage for one of them without --train.
void add_train_options(Options& options, TrainRequest& request);

// The program's mode: trains, shows the first merges on standard output, reports how far the text shrank.
int train_tokenizer(const TrainRequest& request);

}  // namespace llm
