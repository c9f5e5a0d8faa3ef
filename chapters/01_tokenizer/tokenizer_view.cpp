#include "chapters/01_tokenizer/tokenizer_view.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>

#include "common/cli/report.h"
#include "common/text/utf8.h"

namespace llm {
namespace {

// Light backgrounds of the 256-colour palette, under black letters: readable on dark and light terminals.
constexpr std::array<int, 6> kBackgrounds = {153, 223, 157, 225, 229, 195};
constexpr Index kWidestColumn = 44;

std::string painted(const std::string& text, std::size_t number, const ViewOptions& options) {
  if (!options.colour) return text;
  return fmt::format("\033[38;5;16;48;5;{}m{}\033[0m", kBackgrounds[number % kBackgrounds.size()], text);
}

std::string dim(const std::string& text, const ViewOptions& options) {
  return options.colour ? "\033[2m" + text + "\033[0m" : text;
}

std::string joined(const Tokenizer& tokenizer, std::span<const Token> ids, std::size_t first_number,
                   const ViewOptions& options) {
  std::string text;
  for (std::size_t i = 0; i < ids.size(); ++i) {
    if (i > 0 && !options.colour) text += '|';
    text += painted(visible_token(tokenizer.token_bytes(ids[i])), first_number + i, options);
  }
  return text;
}

Index shown_width(const Tokenizer& tokenizer, std::span<const Token> ids, const ViewOptions& options) {
  return display_width(joined(tokenizer, ids, 0, {.colour = false})) -
         (options.colour && !ids.empty() ? static_cast<Index>(ids.size()) - 1 : 0);
}

// Where each token ends in the text's bytes. A blank that a tokenizer puts in front of the text is not
// counted.
std::vector<Index> token_ends(const NamedTokens& tokens, bool skip_blank) {
  std::vector<Index> ends;
  Index end = skip_blank ? -1 : 0;
  for (const Token id : tokens.ids) {
    end += static_cast<Index>(tokens.tokenizer->token_bytes(id).size());
    ends.push_back(end);
  }
  return ends;
}

bool begins_with_blank(const NamedTokens& tokens) {
  return !tokens.ids.empty() && tokens.tokenizer->token_bytes(tokens.ids[0]).starts_with(' ');
}

struct Row {
  std::span<const Token> left, right;
};

std::vector<Row> rows_of(const NamedTokens& left, const NamedTokens& right) {
  const bool left_blank = begins_with_blank(left), right_blank = begins_with_blank(right);
  const std::vector<Index> left_ends = token_ends(left, left_blank && !right_blank);
  const std::vector<Index> right_ends = token_ends(right, right_blank && !left_blank);
  std::vector<Row> rows;
  std::size_t l = 0, r = 0, left_from = 0, right_from = 0;
  while (l < left_ends.size() || r < right_ends.size()) {
    const bool take_left = r >= right_ends.size() || (l < left_ends.size() && left_ends[l] <= right_ends[r]);
    const bool meet = l < left_ends.size() && r < right_ends.size() && left_ends[l] == right_ends[r];
    if (take_left) ++l;
    if (!take_left || meet) ++r;
    const bool last = l == left_ends.size() && r == right_ends.size();
    if (!meet && !last) continue;
    rows.push_back({std::span(left.ids).subspan(left_from, l - left_from),
                    std::span(right.ids).subspan(right_from, r - right_from)});
    left_from = l;
    right_from = r;
  }
  return rows;
}

}  // namespace

std::string visible_token(std::string_view bytes) {
  std::string text;
  for (Index at = 0; at < static_cast<Index>(bytes.size());) {
    const DecodedCodePoint c = decode_code_point(bytes, at);
    const std::string_view own = bytes.substr(at, c.length);
    if (!c.valid) {
      for (const char byte : own) text += fmt::format("⟨{:02X}⟩", static_cast<unsigned char>(byte));
    } else if (c.value == ' ') {
      text += "·";
    } else if (c.value == '\n') {
      text += "⏎";
    } else if (c.value == '\t') {
      text += "⇥";
    } else if (c.value < 0x20 || (c.value >= 0x7F && c.value < 0xA0)) {
      text += fmt::format("⟨{:02X}⟩", static_cast<unsigned>(c.value));
    } else {
      text += own;
    }
    at += c.length;
  }
  return text;
}

std::string token_strip(const Tokenizer& tokenizer, std::span<const Token> ids, const ViewOptions& options) {
  std::string text;
  bool line_start = true;
  for (std::size_t i = 0; i < ids.size(); ++i) {
    const std::string bytes = tokenizer.token_bytes(ids[i]);
    if (!line_start && !options.colour) text += '|';
    text += painted(visible_token(bytes), i, options);
    line_start = bytes.ends_with('\n');
    if (line_start) text += '\n';
  }
  if (!line_start) text += '\n';
  return text;
}

std::string merge_steps_text(const Tokenizer& tokenizer, const ExplainedWord& word,
                             const ViewOptions& options) {
  std::string text = "  " + joined(tokenizer, word.symbols, 0, options) + "\n";
  const Index width = shown_width(tokenizer, word.symbols, options);
  for (const MergeStep& step : word.steps) {
    const std::string note =
        fmt::format("{} + {}  rank {}", visible_token(tokenizer.token_bytes(step.left)),
                    visible_token(tokenizer.token_bytes(step.right)), human_count(step.rank));
    const Index padding = std::max<Index>(width - shown_width(tokenizer, step.tokens, options), 0) + 3;
    text += "  " + joined(tokenizer, step.tokens, 0, options) + std::string(padding, ' ') +
            dim(note, options) + "\n";
  }
  return text;
}

std::string side_by_side(const NamedTokens& left, const NamedTokens& right, const ViewOptions& options) {
  const std::vector<Row> rows = rows_of(left, right);
  Index width = display_width(left.name);
  for (const Row& row : rows) width = std::max(width, shown_width(*left.tokenizer, row.left, options));
  width = std::min(width, kWidestColumn);
  const auto cell = [&](const std::string& text, Index shown) {
    return "  " + text + std::string(static_cast<std::size_t>(std::max<Index>(width - shown, 0) + 2), ' ');
  };
  std::string text = cell(left.name, display_width(left.name)) + right.name + "\n";
  std::size_t left_number = 0, right_number = 0;
  for (const Row& row : rows) {
    text += cell(joined(*left.tokenizer, row.left, left_number, options),
                 shown_width(*left.tokenizer, row.left, options));
    text += joined(*right.tokenizer, row.right, right_number, options) + "\n";
    left_number += row.left.size();
    right_number += row.right.size();
  }
  return text;
}

}  // namespace llm
