// A bar chart as SVG, readable on light and on dark pages.
#pragma once

#include <string>
#include <vector>

namespace llm {

struct Bar {
  std::string label;
  double value = 0;
  double min = 0, max = 0;  // a thin line over the bar's end
  double limit = 0;         // a dashed line across this bar's row; 0: none
};

struct Chart {
  std::string title;
  std::string unit;  // "tok/s"
  std::vector<Bar> bars;
  std::string limit_label;  // what the dashed lines are
};

std::string to_svg(const Chart& chart);

}  // namespace llm
