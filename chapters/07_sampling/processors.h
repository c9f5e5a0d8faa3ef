// All processors in one table, in their order, and the list that a generation config asks for.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "chapters/07_sampling/guidance.h"
#include "chapters/07_sampling/logits_processor_list.h"
#include "chapters/07_sampling/prefix_constrained.h"
#include "common/config/generation_config.h"

namespace llm {

// What the processors of a request need to know beyond its config.
struct ProcessorContext {
  Index prompt_length = 0;  // tokens of the prompt, padding included
  Index max_length = 0;     // of prompt and new tokens, padding included
  Index vocab_size = 0;
  std::vector<Index> left_padding = {};  // padding of the prompt; one number for all rows, or one a row
  std::optional<Index> min_tokens_to_keep = {};  // by the sampling filters; by default as beams need it
  PrefixAllowedTokens prefix_allowed_tokens = {};
  UnconditionalLogits unconditional = {};  // for guidance_scale
};

using ProcessorPtr = std::shared_ptr<const LogitsProcessor>;

// --8<-- [start:kinds]
enum class ProcessorPart {
  kPenalty,  // penalties and bans: always; custom ones come after them
  kFilter,   // with do_sample only
  kFinal,    // always, at the very end
};

// A new processor: one pair of files, one row in this table, and one in the table of fields.
struct ProcessorKind {
  std::string_view field;  // of GenerationConfig; also the processor's name()
  ProcessorPart part;
  // Null if the config does not ask for it. Errors: those of the processor's constructor.
  ProcessorPtr (*make)(const GenerationConfig& config, const ProcessorContext& context);
};
// --8<-- [end:kinds]

// In the order in which they act, which is that of transformers.
std::span<const ProcessorKind> processor_kinds();

// The processors that transformers' generate() builds from such a config. custom: those of the caller. One of
// the class of a penalty or ban that the config asks for takes its place; the others come after the bans and
// before the sampling filters, so that one of a filter's class runs in addition to the config's.
// Errors: kUsage for what contradicts itself (see check_combinations), kRange.
LogitsProcessorList make_processors(const GenerationConfig& config, const ProcessorContext& context,
                                    std::span<const ProcessorPtr> custom = {});

// Fields that have no effect, a sentence each: those of check_combinations(), and what acts on an end token
// where there is none. Errors: those of check_combinations().
std::vector<std::string> processor_warnings(const GenerationConfig& config, const std::string& where);

// The fields that this chapter honours: those of chapter 04, and those that it is the first to know.
std::span<const std::string_view> sampling_fields();

}  // namespace llm
