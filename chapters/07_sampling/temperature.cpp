#include "chapters/07_sampling/temperature.h"

#include <fmt/format.h>

#include <cmath>

#include "common/base/error.h"

namespace llm {

Temperature::Temperature(double temperature) : temperature_(static_cast<float>(temperature)) {
  if (!(temperature_ > 0 && std::isfinite(temperature_)))
    fail(ErrorCode::kRange, {.where = "temperature",
                             .what = "got",
                             .got = fmt::format("{}", temperature),
                             .expected = "a number above 0",
                             .remedy = "for the best token every time set do_sample=false"});
}

void Temperature::process(std::span<const Token>, View<float, 1> scores) const {
  // --8<-- [start:ex07-1]
  for (float& score : scores) {
    score /= temperature_;
  }
  // --8<-- [end:ex07-1]
}

}  // namespace llm
