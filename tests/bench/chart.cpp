#include "tests/bench/chart.h"

#include <fmt/format.h>

#include <algorithm>

#include "common/cli/report.h"

namespace llm {
namespace {

constexpr int kWidth = 720, kLeft = 150, kRight = 110, kTop = 64, kRow = 30, kBarHeight = 18;

// The page's colour scheme decides, also where the picture stands in an <img>.
constexpr const char* kStyle =
    "text{font:14px system-ui,sans-serif;fill:#1f2328}.title{font-weight:600}.small{font-size:12px}"
    ".bar{fill:#0a7ea4}.range{stroke:#1f2328}.limit{stroke:#c4432b;stroke-width:2;stroke-dasharray:5 "
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

// One bar: its name, itself, its range, its limit, its value at the right edge. scale: pixels a unit.
std::string row(const Bar& bar, const std::string& unit, int y, double scale) {
  const double middle = y + kBarHeight / 2.0;
  const auto x = [&](double value) { return kLeft + value * scale; };
  std::string svg = fmt::format("<text x=\"{}\" y=\"{}\" text-anchor=\"end\">{}</text>\n", kLeft - 10, y + 14,
                                escaped(bar.label));
  svg += fmt::format("<rect class=\"bar\" x=\"{}\" y=\"{}\" width=\"{:.1f}\" height=\"{}\" rx=\"2\"/>\n",
                     kLeft, y, bar.value * scale, kBarHeight);
  svg += fmt::format("<line class=\"range\" x1=\"{:.1f}\" x2=\"{:.1f}\" y1=\"{}\" y2=\"{}\"/>\n", x(bar.min),
                     x(bar.max), middle, middle);
  if (bar.limit > 0)
    svg += fmt::format("<line class=\"limit\" x1=\"{0:.1f}\" x2=\"{0:.1f}\" y1=\"{1}\" y2=\"{2}\"/>\n",
                       x(bar.limit), y - (kRow - kBarHeight) / 2, y + (kRow + kBarHeight) / 2);
  return svg + fmt::format("<text class=\"small\" x=\"{}\" y=\"{}\" text-anchor=\"end\">{} {}</text>\n",
                           kWidth - 12, y + 14, human_number(bar.value), escaped(unit));
}

}  // namespace

std::string to_svg(const Chart& chart) {
  double largest = 1e-9;
  for (const Bar& bar : chart.bars) largest = std::max({largest, bar.value, bar.max, bar.limit});
  const double scale = (kWidth - kLeft - kRight) / largest;
  const int height = kTop + kRow * static_cast<int>(chart.bars.size()) + 10;
  const std::string title = escaped(chart.title);

  std::string svg = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {0} {1}\" width=\"{0}\" height=\"{1}\" "
      "role=\"img\">\n<title>{2}</title>\n<style>{3}</style>\n<text class=\"title\" x=\"12\" "
      "y=\"24\">{2}</text>\n",
      kWidth, height, title, kStyle);
  svg += fmt::format(
      "<line class=\"limit\" x1=\"12\" x2=\"40\" y1=\"42\" y2=\"42\"/>\n"
      "<text class=\"small limit-text\" x=\"48\" y=\"46\">{}</text>\n",
      escaped(chart.limit_label));
  int y = kTop;
  for (const Bar& bar : chart.bars) {
    svg += row(bar, chart.unit, y, scale);
    y += kRow;
  }
  return svg + "</svg>\n";
}

}  // namespace llm
