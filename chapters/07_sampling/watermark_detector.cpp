#include "chapters/07_sampling/watermark_detector.h"

#include <cmath>
#include <map>

#include "common/base/error.h"

namespace llm {

WatermarkDetection WatermarkDetector::operator()(std::span<const Token> ids, double z_threshold) const {
  if (!ids.empty() && bos_token_id_ && ids.front() == *bos_token_id_) ids = ids.subspan(1);
  const auto width = static_cast<std::size_t>(lists_.config().context_width);
  if (ids.size() <= width)
    fail(ErrorCode::kRange, {.where = "watermark",
                             .what = "got",
                             .got = std::to_string(ids.size()) + " tokens",
                             .expected = "more than context_width (" + std::to_string(width) + ")"});
  // A piece is a token with the context that decides about it.
  const std::size_t length = lists_.selfhash() ? width : width + 1;
  std::map<std::vector<Token>, Index> pieces;
  for (std::size_t i = 0; i + length <= ids.size(); ++i)
    ++pieces[{ids.begin() + static_cast<std::ptrdiff_t>(i),
              ids.begin() + static_cast<std::ptrdiff_t>(i + length)}];

  WatermarkDetection result;
  for (const auto& [piece, times] : pieces) {
    const std::span<const Token> context(piece.data(), lists_.selfhash() ? length : length - 1);
    const Index count = ignore_repeated_ngrams_ ? 1 : times;
    result.num_tokens_scored += count;
    if (lists_.is_green(piece.back(), context)) result.num_green_tokens += count;
  }
  const auto n = static_cast<double>(result.num_tokens_scored);
  const auto green = static_cast<double>(result.num_green_tokens);
  const double ratio = lists_.config().greenlist_ratio;
  result.green_fraction = green / n;
  result.z_score = (green - ratio * n) / std::sqrt(n * ratio * (1 - ratio));
  result.p_value = 0.5 * std::erfc(result.z_score / std::sqrt(2.0));
  result.confidence = 1 - result.p_value;
  result.prediction = result.z_score > z_threshold;
  return result;
}

}  // namespace llm
