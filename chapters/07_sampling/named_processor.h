// A processor by its name, as JSON lines give it.
#pragma once

#include "chapters/07_sampling/processors.h"
#include "common/io/json.h"

namespace llm {

// {"name": "top_p", "value": 0.9, "min_tokens_to_keep": 2}. The name is a field of the generation config, and
// the value what that field takes. Further fields, where the processor needs them: min_tokens_to_keep,
// eos_token_id, prompt_length, prompt_ignore_length, begin_index, max_length, unconditional_scores.
// context: what the entry does not say itself. Null where the value changes nothing.
// Errors: kUsage for an unknown name or field, kMissing, kFormat and kRange with the field's range.
ProcessorPtr read_named_processor(const JsonReader& entry, ProcessorContext context);

}  // namespace llm
