#include "chapters/07_sampling/step_bars.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <numeric>

#include "chapters/07_sampling/candidates.h"
#include "common/cli/report.h"
#include "common/text/utf8.h"

namespace llm {
namespace {

constexpr Index kBarWidth = 8, kColumnWidth = 18, kLabelWidth = 18;
constexpr float kIsBanned = -1;

std::string padded(std::string text, Index width) {
  const Index missing = width - display_width(text);
  return missing > 0 ? text.append(static_cast<std::size_t>(missing), ' ') : text;
}

std::string shortened(const std::string& name, Index width) {
  return std::ssize(name) <= width ? name : name.substr(0, static_cast<std::size_t>(width - 1)) + "…";
}

// In quotes, control characters spelled out, and cut where it would be too wide for a label.
std::string quoted(const std::string& text) {
  std::string result = "\"";
  for (const char32_t c : decode_utf8(text)) {
    std::string piece = encode_utf8({&c, 1});
    if (c == '\n')
      piece = "\\n";
    else if (c < ' ' || c == 0x7f)
      piece = fmt::format("\\x{:02x}", static_cast<unsigned>(c));
    if (display_width(result + piece) > kLabelWidth - 3) return result + "…\"";
    result += piece;
  }
  return result + "\"";
}

std::string cell(float probability) {
  if (probability == kIsBanned) return padded("·", kColumnWidth);
  return padded(share_bar(probability, kBarWidth) + fmt::format("{:6.2f} %", 100 * probability),
                kColumnWidth);
}

}  // namespace

std::string share_bar(double share, Index width) {
  static constexpr std::array<const char*, 8> kEighths = {"", "▏", "▎", "▍", "▌", "▋", "▊", "▉"};
  const auto eighths = static_cast<Index>(std::clamp(share, 0.0, 1.0) * static_cast<double>(8 * width) + 0.5);
  std::string bar;
  for (Index i = 0; i < eighths / 8; ++i) bar += "█";
  bar += kEighths[static_cast<std::size_t>(eighths % 8)];
  return padded(std::move(bar), width);
}

void StepBars::add_stage(std::string_view name, View<const float, 1> scores) {
  Stage& stage = stages_.emplace_back();
  stage.name = name;
  stage.probabilities.assign(static_cast<std::size_t>(scores.size()), kIsBanned);
  const Distribution distribution = distribution_of(scores);
  for (const Candidate& candidate : distribution.candidates)
    stage.probabilities[static_cast<std::size_t>(candidate.id)] =
        static_cast<float>(distribution.probability(candidate));
}

void StepBars::on_logits(Index step, View<const float, 2> logits) {
  step_ = step;
  stages_.clear();
  unchanged_.clear();
  add_stage("model", logits[0]);
}

void StepBars::on_processor(std::string_view name, View<const float, 2> before, View<const float, 2> after) {
  if (std::ranges::equal(before[0], after[0]))
    unchanged_.emplace_back(name);
  else
    add_stage(name, after[0]);
}

// The best tokens at the beginning and at the end, and the one that was chosen.
std::vector<Token> StepBars::lines(Token chosen) const {
  const auto n = static_cast<std::size_t>(candidates_);
  std::vector<Token> result;
  const auto add_best = [&](const std::vector<float>& p, std::size_t up_to) {
    std::vector<Token> order(p.size());
    std::iota(order.begin(), order.end(), 0);
    const auto at = [&](Token id) { return p[static_cast<std::size_t>(id)]; };
    const auto count = std::min(n, order.size());
    std::partial_sort(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(count), order.end(),
                      [&](Token a, Token b) { return at(a) != at(b) ? at(a) > at(b) : a < b; });
    for (std::size_t i = 0; i < count && result.size() < up_to; ++i)
      if (at(order[i]) > 0 && std::ranges::count(result, order[i]) == 0) result.push_back(order[i]);
  };
  add_best(stages_.front().probabilities, n - n / 4);
  add_best(stages_.back().probabilities, n);
  if (std::ranges::count(result, chosen) == 0) result.push_back(chosen);
  return result;
}

std::string StepBars::label(Token token) const {
  if (tokenizer_ == nullptr) return std::to_string(token);
  return quoted(tokenizer_->decode(std::span(&token, 1), /*skip_special_tokens=*/false));
}

// Heads, a line for each token that is shown, and what the others have together.
std::string StepBars::table(std::span<const Stage> stages, const std::vector<Token>& shown,
                            Token chosen) const {
  std::string text = padded("", kLabelWidth + 2);
  for (const Stage& stage : stages) text += padded(shortened(stage.name, kColumnWidth - 2), kColumnWidth);
  text += '\n';
  for (const Token id : shown) {
    text += (id == chosen ? "> " : "  ") + padded(label(id), kLabelWidth);
    for (const Stage& stage : stages) text += cell(stage.probabilities[static_cast<std::size_t>(id)]);
    text += '\n';
  }
  text += "  " + padded("all others", kLabelWidth);
  for (const Stage& stage : stages) {
    double rest = 1;
    for (const Token id : shown) rest -= std::max(0.0f, stage.probabilities[static_cast<std::size_t>(id)]);
    const auto left = std::ranges::count_if(stage.probabilities, [](float p) { return p != kIsBanned; });
    text +=
        padded(fmt::format("{} left, {:.1f} %", human_count(left), 100 * std::max(0.0, rest)), kColumnWidth);
  }
  return text + '\n';
}

void StepBars::on_token(Index, Token token) {
  std::string text = fmt::format("\nstep {}: {}\n", step_ + 1, label(token));
  const std::vector<Token> shown = lines(token);
  const std::span<const Stage> stages = stages_;
  const auto fit = static_cast<std::size_t>(
      width_ ? std::max<Index>(1, (*width_ - kLabelWidth - 2) / kColumnWidth) : std::ssize(stages));
  for (std::size_t first = 0; first < stages.size(); first += fit)
    text += table(stages.subspan(first, std::min(fit, stages.size() - first)), shown, token);
  if (!unchanged_.empty()) text += fmt::format("  changed nothing: {}\n", fmt::join(unchanged_, ", "));
  std::fputs(text.c_str(), file_);
  std::fflush(file_);
}

}  // namespace llm
