// --show-steps: what each processor does to the best tokens, as bars in the terminal.
#pragma once

#include <cstdio>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "chapters/01_tokenizer/tokenizer.h"
#include "common/seams/observer.h"

namespace llm {

// Watches one row. After each token it prints a table: a line for each of the best tokens, a column for the
// model and for each processor that changed something. Columns that do not fit into a line stand below.
class StepBars : public Observer {
 public:
  // tokenizer: for the tokens' texts; null: ids only. candidates: lines of a table. width: of a line; null:
  // as wide as it gets. The tokenizer and the file outlive this.
  StepBars(const Tokenizer* tokenizer, Index candidates, std::FILE* file = stderr,
           std::optional<Index> width = {})
      : tokenizer_(tokenizer), candidates_(candidates), file_(file), width_(width) {}

  void on_logits(Index step, View<const float, 2> logits) override;
  void on_processor(std::string_view name, View<const float, 2> before, View<const float, 2> after) override;
  void on_token(Index row, Token token) override;

 private:
  struct Stage {
    std::string name;
    std::vector<float> probabilities;  // [V]; negative: banned
  };
  void add_stage(std::string_view name, View<const float, 1> scores);
  std::vector<Token> lines(Token chosen) const;
  std::string table(std::span<const Stage> stages, const std::vector<Token>& shown, Token chosen) const;
  std::string label(Token token) const;

  const Tokenizer* tokenizer_;
  Index candidates_;
  std::FILE* file_;
  std::optional<Index> width_;
  Index step_ = 0;
  std::vector<Stage> stages_;
  std::vector<std::string> unchanged_;
};

// A bar of `width` characters for a share from 0 to 1, in steps of an eighth of a character.
std::string share_bar(double share, Index width);

}  // namespace llm
