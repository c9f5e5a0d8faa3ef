#include "tests/bench/chart.h"

#include <fmt/format.h>

#include <algorithm>

#include "common/cli/report.h"

namespace llm {
namespace {

constexpr int kWidth = 720, kLeft = 150, kRight = 90, kTop = 64, kRow = 34, kBarHeight = 20;

// The page's colour scheme decides, also where the picture stands in an <img>.
constexpr const char* kStyle =
    "text{font:14px system-ui,sans-serif;fill:#1f2328}.title{font-weight:600}.small{font-size:12px}"
    ".bar{fill:#0a7ea4}.range{stroke:#1f2328}.limit{stroke:#c4432b;stroke-dasharray:5 "
    "4}.limit-text{fill:#c4432b}"
    "@media(prefers-color-scheme:dark){text{fill:#e6edf3}.bar{fill:#4cb8d8}.range{stroke:#e6edf3}"
    ".limit{stroke:#ff8a70}.limit-text{fill:#ff8a70}}";

std::string escaped(const std::string& text) {
  std::string result;
  for (const char c : text) {
    if (c == '&')
      result += "&amp;";
    else if (c == '<')
      result += "&lt;";
    else
      result += c;
  }
  return result;
}

}  // namespace

std::string to_svg(const Chart& chart) {
  double largest = std::max(chart.limit, 1e-9);
  for (const Bar& bar : chart.bars) largest = std::max({largest, bar.value, bar.max});
  const auto x = [&](double value) { return kLeft + value / largest * (kWidth - kLeft - kRight); };
  const int height = kTop + kRow * static_cast<int>(chart.bars.size()) + 16;

  std::string svg = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {} {}\" width=\"{}\" height=\"{}\" "
      "role=\"img\">\n"
      "<title>{}</title>\n<style>{}</style>\n<text class=\"title\" x=\"12\" y=\"24\">{}</text>\n",
      kWidth, height, kWidth, height, escaped(chart.title), kStyle, escaped(chart.title));
  int y = kTop;
  for (const Bar& bar : chart.bars) {
    const double middle = y + kBarHeight / 2.0;
    svg += fmt::format("<text x=\"{}\" y=\"{}\" text-anchor=\"end\">{}</text>\n", kLeft - 10, y + 15,
                       escaped(bar.label));
    svg += fmt::format("<rect class=\"bar\" x=\"{}\" y=\"{}\" width=\"{:.1f}\" height=\"{}\" rx=\"2\"/>\n",
                       kLeft, y, x(bar.value) - kLeft, kBarHeight);
    svg += fmt::format("<line class=\"range\" x1=\"{:.1f}\" x2=\"{:.1f}\" y1=\"{}\" y2=\"{}\"/>\n",
                       x(bar.min), x(bar.max), middle, middle);
    svg += fmt::format("<text class=\"small\" x=\"{:.1f}\" y=\"{}\">{} {}</text>\n",
                       x(std::max(bar.value, bar.max)) + 8, y + 15, human_number(bar.value),
                       escaped(chart.unit));
    y += kRow;
  }
  if (chart.limit > 0) {
    svg += fmt::format("<line class=\"limit\" x1=\"{0:.1f}\" x2=\"{0:.1f}\" y1=\"{1}\" y2=\"{2}\"/>\n",
                       x(chart.limit), kTop - 10, y);
    svg +=
        fmt::format("<text class=\"small limit-text\" x=\"{:.1f}\" y=\"{}\" text-anchor=\"end\">{}</text>\n",
                    x(chart.limit) + 4, kTop - 16, escaped(chart.limit_label));
  }
  return svg + "</svg>\n";
}

}  // namespace llm
