#include "common/cli/report.h"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>
#include <utf8proc.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>

#include "common/text/utf8.h"

namespace llm {
namespace {

// Three significant digits, no exponent: "1.19", "14.2", "512".
std::string three_digits(double value) {
  const double size = std::abs(value);
  const int decimals = size < 9.995 ? 2 : size < 99.95 ? 1 : 0;
  return fmt::format("{:.{}f}", value, decimals);
}

bool looks_like_number(std::string_view cell) {
  const std::size_t sign = cell.starts_with('-') || cell.starts_with('+') ? 1 : 0;
  return cell == "-" || (cell.size() > sign && cell[sign] >= '0' && cell[sign] <= '9');
}

std::string padded(std::string_view cell, Index width, bool right) {
  const std::string blanks(static_cast<std::size_t>(std::max<Index>(0, width - display_width(cell))), ' ');
  return right ? blanks + std::string(cell) : std::string(cell) + blanks;
}

constexpr Index kLabelWidth = 22;

}  // namespace

std::string human_bytes(Index bytes) {
  if (bytes < 1000) return fmt::format("{} B", bytes);
  double value = static_cast<double>(bytes);
  for (const char* unit : {"kB", "MB", "GB"}) {
    value /= 1000.0;
    if (value < 999.5) return three_digits(value) + " " + unit;
  }
  return three_digits(value / 1000.0) + " TB";
}

std::string human_seconds(double seconds) {
  if (!std::isfinite(seconds)) return "-";
  if (seconds >= 119.5)
    return fmt::format("{} min {:02} s", std::llround(seconds) / 60, std::llround(seconds) % 60);
  if (seconds >= 0.9995 || seconds == 0.0) return three_digits(seconds) + " s";
  if (seconds >= 0.9995e-3) return three_digits(seconds * 1e3) + " ms";
  if (seconds >= 0.9995e-6) return three_digits(seconds * 1e6) + " us";
  return three_digits(seconds * 1e9) + " ns";
}

std::string human_count(Index count) {
  const std::string digits = std::to_string(count);
  std::string text;
  for (std::size_t i = 0; i < digits.size(); ++i) {
    const std::size_t left = digits.size() - i;
    if (i > 0 && left % 3 == 0 && digits[i - 1] != '-') text += ',';
    text += digits[i];
  }
  return text;
}

std::string human_number(double value) {
  if (!std::isfinite(value)) return "-";
  if (std::abs(value) < 999.5) return three_digits(value);
  return std::abs(value) < 1e15 ? human_count(std::llround(value)) : fmt::format("{:.3g}", value);
}

std::string human_rate(Index tokens, double seconds, std::string_view unit) {
  if (!(seconds > 0.0)) return "-";
  return human_number(static_cast<double>(tokens) / seconds) + " " + std::string(unit);
}

Index display_width(std::string_view text) {
  Index width = 0;
  for (const char32_t c : decode_utf8(text))
    width += std::max(0, utf8proc_charwidth(static_cast<utf8proc_int32_t>(c)));
  return width;
}

std::optional<Index> terminal_width(std::FILE* file) {
  winsize size = {};
  if (::ioctl(fileno(file), TIOCGWINSZ, &size) != 0 || size.ws_col == 0) return {};
  return size.ws_col;
}

std::string Table::text() const {
  std::vector<Index> widths;
  for (const std::string& cell : header_) widths.push_back(display_width(cell));
  for (const auto& row : rows_)
    for (std::size_t column = 0; column < widths.size() && column < row.size(); ++column)
      widths[column] = std::max(widths[column], display_width(row[column]));

  // A column of numbers has its header on the right as well.
  std::vector<bool> right(widths.size(), !rows_.empty());
  for (const auto& row : rows_)
    for (std::size_t column = 0; column < widths.size() && column < row.size(); ++column)
      right[column] = right[column] && (row[column].empty() || looks_like_number(row[column]));

  const auto line = [&](const std::vector<std::string>& cells) {
    std::string text;
    for (std::size_t column = 0; column < widths.size(); ++column)
      text += (column > 0 ? "  " : "") +
              padded(column < cells.size() ? cells[column] : "", widths[column], right[column]);
    text.erase(text.find_last_not_of(' ') + 1);
    return text + "\n";
  };
  std::vector<std::string> rule;
  for (const Index width : widths) rule.emplace_back(static_cast<std::size_t>(width), '-');
  std::string result = line(header_) + line(rule);
  for (const auto& row : rows_) result += line(row);
  return result;
}

Report::Report(bool quiet, std::FILE* file) : quiet_(quiet), colour_(false), file_(file) {
  const char* no_colour = std::getenv("NO_COLOR");
  colour_ = (no_colour == nullptr || *no_colour == '\0') && isatty(fileno(file)) != 0;
}

std::string Report::styled(std::string_view text, Style style) const {
  constexpr std::array<std::string_view, 6> kCodes = {"", "1", "2", "32", "31", "33"};
  const std::string_view code = kCodes[static_cast<std::size_t>(style)];
  if (!colour_ || code.empty()) return std::string(text);
  return fmt::format("\033[{}m{}\033[0m", code, text);
}

void Report::title(std::string_view text) {
  if (!quiet_) fmt::print(file_, "\n{}\n", styled(text, Style::kBold));
}

void Report::line(std::string_view label, std::string_view value) {
  if (!quiet_) fmt::print(file_, "  {}  {}\n", padded(label, kLabelWidth, false), value);
}

void Report::text(std::string_view text, Style style) {
  if (!quiet_) fmt::print(file_, "{}\n", styled(text, style));
}

void Report::table(const Table& table) {
  if (!quiet_) fmt::print(file_, "{}", table.text());
}

void Report::warning(std::string_view text) {
  if (!quiet_) fmt::print(file_, "{} {}\n", styled("warning:", Style::kWarning), text);
}

}  // namespace llm
