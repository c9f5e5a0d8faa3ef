// The report that programs print on the standard error: aligned lines, tables, units.
#pragma once

#include <cstdio>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "common/base/types.h"

namespace llm {

// "512 B", "14.2 kB", "1.19 GB": powers of 1000, three significant digits.
std::string human_bytes(Index bytes);
// "850 ns", "12.4 ms", "3.20 s", "4 min 05 s".
std::string human_seconds(double seconds);
// "0.42", "18.3", "1,250": three significant digits, thousands separated; infinite or NaN: "-".
std::string human_number(double value);
// "1,234,567"
std::string human_count(Index count);
// "37.5 tok/s"; "-" for no time.
std::string human_rate(Index tokens, double seconds, std::string_view unit = "tok/s");

// Width on a terminal: code points, wide ones (CJK, emoji) counting two.
Index display_width(std::string_view text);

// Columns of the terminal that the file is; nothing if it is none.
std::optional<Index> terminal_width(std::FILE* file);

// Columns are aligned; numbers (anything that starts with a digit or a sign) to the right.
class Table {
 public:
  explicit Table(std::vector<std::string> header) : header_(std::move(header)) {}
  void add_row(std::vector<std::string> cells) { rows_.push_back(std::move(cells)); }
  // Lines that end in "\n", two blanks between columns, a rule under the header.
  std::string text() const;

 private:
  std::vector<std::string> header_;
  std::vector<std::vector<std::string>> rows_;
};

enum class Style { kPlain, kBold, kDim, kGood, kBad, kWarning };

// Prints unless quiet. In colour on a terminal only, and not where NO_COLOR is set.
class Report {
 public:
  explicit Report(bool quiet = false, std::FILE* file = stderr);

  void title(std::string_view text);                              // bold, after an empty line
  void line(std::string_view label, std::string_view value);      // "  weights      1.19 GB"
  void text(std::string_view text, Style style = Style::kPlain);  // one line as it is
  void table(const Table& table);
  void warning(std::string_view text);  // "warning: ..."
  bool quiet() const { return quiet_; }

 private:
  std::string styled(std::string_view text, Style style) const;

  bool quiet_;
  bool colour_;
  std::FILE* file_;
};

}  // namespace llm
