#include <algorithm>
#include <typeinfo>

#include "chapters/07_sampling/processors.h"

namespace llm {
namespace {

bool same_class(const LogitsProcessor& a, const LogitsProcessor& b) { return typeid(a) == typeid(b); }

}  // namespace

LogitsProcessorList make_processors(const GenerationConfig& config, const ProcessorContext& context,
                                    std::span<const ProcessorPtr> custom) {
  (void)check_combinations(config, "generation_config");
  LogitsProcessorList list;
  // --8<-- [start:ex07-9]
  const auto add_part = [&](ProcessorPart part) {
    for (const ProcessorKind& kind : processor_kinds()) {
      ProcessorPtr own = kind.part == part ? kind.make(config, context) : nullptr;
      if (own == nullptr) continue;
      const auto replacement =
          std::ranges::find_if(custom, [&](const ProcessorPtr& other) { return same_class(*other, *own); });
      list.add(part == ProcessorPart::kPenalty && replacement != custom.end() ? *replacement
                                                                              : std::move(own));
    }
  };
  add_part(ProcessorPart::kPenalty);
  for (const ProcessorPtr& processor : custom)
    if (std::ranges::count(list.processors(), processor) == 0) list.add(processor);
  if (config.do_sample) add_part(ProcessorPart::kFilter);
  add_part(ProcessorPart::kFinal);
  // --8<-- [end:ex07-9]
  return list;
}

}  // namespace llm
