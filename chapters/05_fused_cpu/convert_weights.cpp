#include "chapters/05_fused_cpu/convert_weights.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "common/cli/progress.h"

namespace llm {

void convert_weights(OpenModel& opened, const std::string& dtype, bool quiet) {
  if (dtype == "file") return;
  constexpr std::size_t kNamed = 3;
  const DTypeInfo& format = info(*dtype_from_name(dtype));
  const Progress progress = progress_bar("weights to " + std::string(format.name), quiet);
  const std::vector<std::string> left_out = opened.checkpoint->convert(format.dtype, progress);
  if (left_out.empty()) return;
  std::string names;
  for (std::size_t i = 0; i < std::min(kNamed, left_out.size()); ++i)
    names += fmt::format("{}'{}'", i == 0 ? "" : ", ", left_out[i]);
  if (left_out.size() > kNamed) names += fmt::format(" and {} more", left_out.size() - kNamed);
  const bool one = left_out.size() == 1;
  opened.warnings.push_back(fmt::format("{} {} as {}: the rows are no multiples of {}, the block of {}",
                                        names, one ? "stays" : "stay", one ? "it is" : "they are",
                                        format.block_values, format.name));
}

}  // namespace llm
