// Temperature: how much the better tokens are preferred.
#pragma once

#include "chapters/07_sampling/row_processor.h"

namespace llm {

// score / temperature. Below 1 the distribution is sharper, above 1 flatter.
// transformers: TemperatureLogitsWarper.
class Temperature : public RowProcessor {
 public:
  // Errors: kRange unless temperature > 0 and finite.
  explicit Temperature(double temperature);
  std::string_view name() const override { return "temperature"; }
  void process(std::span<const Token> input_ids, View<float, 1> scores) const override;

 private:
  float temperature_;
};

}  // namespace llm
