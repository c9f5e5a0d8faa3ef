// Where merges come from: a byte-level BPE trainer.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "chapters/01_tokenizer/bpe_model.h"
#include "common/base/types.h"
#include "common/io/progress.h"

namespace llm {

struct TrainerOptions {
  Index vocab_size = 1000;        // 256 bytes and then merges, until this is reached or no pair is left
  Index min_frequency = 2;        // pairs that occur less often are not merged
  std::string_view pattern = {};  // cuts texts into words; empty: GPT-2's
  Progress progress = {};         // in merges
};

// Counts the words of all texts and merges, again and again, the pair of tokens that occurs most often. Of
// pairs that occur equally often the one with the lower left id comes first, then the one with the lower
// right id; so the same texts give the same vocabulary everywhere. Ids 0 to 255 are the bytes in the order of
// their characters (byte_map.h), as in GPT-2's and Qwen's vocabularies: '!' is 0. Then come the merges in
// their order: the tokenizers library's BpeTrainer makes the same. The result spells bytes in the byte-level
// alphabet: BpeModel(parts, true, "...") makes a model of it. Errors: kRange for a vocab_size under 256.
BpeParts train_bpe(std::span<const std::string> texts, const TrainerOptions& options);

}  // namespace llm
