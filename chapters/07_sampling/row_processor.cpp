#include "chapters/07_sampling/row_processor.h"

#include <fmt/format.h>

#include "common/base/error.h"
#include "common/config/generation_fields.h"

namespace llm {

void expect_in_range(std::string_view field, double value) {
  const NumberRange& range = find_generation_field(field)->range;
  if (range.contains(value)) return;
  fail(ErrorCode::kRange, {.where = std::string(field),
                           .what = "got",
                           .got = fmt::format("{}", value),
                           .expected = range_text(range, false)});
}

}  // namespace llm
