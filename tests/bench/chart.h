// A bar chart as SVG, readable on light and on dark pages.
#pragma once

#include <string>
#include <vector>

namespace llm {

struct Bar {
  std::string label;
  double value = 0;
  double min = 0, max = 0;  // a thin line over the bar's end
};

struct Chart {
  std::string title;
  std::string unit;  // "tok/s"
  std::vector<Bar> bars;
  double limit = 0;  // a dashed line across all bars
  std::string limit_label;
};

std::string to_svg(const Chart& chart);

}  // namespace llm
