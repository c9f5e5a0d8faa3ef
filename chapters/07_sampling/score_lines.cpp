#include "chapters/07_sampling/score_lines.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <nlohmann/json.hpp>

#include "chapters/07_sampling/named_processor.h"
#include "chapters/07_sampling/processors.h"
#include "common/base/error.h"
#include "common/cli/jsonl.h"

namespace llm {
namespace {

constexpr std::array<std::string_view, 6> kFields = {"input_ids",     "attention_mask",    "scores",
                                                     "prompt_length", "generation_config", "processors"};

template <class T>
Tensor<T, 2> to_tensor(const std::vector<std::vector<T>>& rows) {
  Tensor<T, 2> tensor({static_cast<Index>(rows.size()), static_cast<Index>(rows[0].size())});
  for (std::size_t b = 0; b < rows.size(); ++b)
    std::ranges::copy(rows[b], tensor[static_cast<Index>(b)].begin());
  return tensor;
}

// The padding of each row. The mask is for all tokens, or for the prompt's.
std::vector<Index> read_padding(const JsonReader& value, std::vector<std::vector<Token>> input_ids,
                                Index prompt_length) {
  const JsonReader first = value.is_array() && value.size() > 0 ? value.at(Index{0}) : value;
  if (first.is_array() && first.size() == prompt_length)
    for (auto& row : input_ids) row.resize(static_cast<std::size_t>(prompt_length));
  std::vector<Index> padding;
  for (const auto& row : read_attention_mask(value, input_ids)) padding.push_back(std::ranges::count(row, 0));
  return padding;
}

GenerationConfig read_config(const JsonReader& value, Index vocab_size) {
  std::vector<std::string_view> fields(sampling_fields().begin(), sampling_fields().end());
  fields.insert(fields.end(), {"num_beams", "length_penalty", "early_stopping"});
  const GenerationConfig config = generation_config_from_json(value);
  expect_honoured(config, fields, "07_sampling", value.place());
  expect_ids_below(config, vocab_size, value.place());
  (void)check_combinations(config, value.place());
  return config;
}

LogitsProcessorList read_processors(const JsonReader& request, ProcessorContext context) {
  std::vector<ProcessorPtr> named;
  if (const auto list = request.find("processors")) {
    if (!list->is_array()) list->fail_expected("a list of processors");
    for (Index i = 0; i < list->size(); ++i)
      if (ProcessorPtr processor = read_named_processor(list->at(i), context))
        named.push_back(std::move(processor));
  }
  const auto value = request.find("generation_config");
  if (!value) return LogitsProcessorList(std::move(named));
  const GenerationConfig config = read_config(*value, context.vocab_size);
  if (!config.forced_eos_token_id.empty())
    context.max_length = max_total_tokens(config, context.prompt_length);
  return make_processors(config, context, named);
}

bool has_nan(View<const float, 2> scores) {
  return std::any_of(scores.data(), scores.data() + scores.size(), [](float s) { return std::isnan(s); });
}

void run_checked(const LogitsProcessorList& list, View<const Token, 2> input_ids, View<float, 2> scores,
                 const std::string& where) {
  std::string culprit = has_nan(scores) ? "scores" : "";
  for (const ProcessorPtr& processor : list.processors()) {
    (*processor)(input_ids, scores);
    if (!has_nan(scores))
      culprit.clear();
    else if (culprit.empty())
      culprit = processor->name();
  }
  if (!culprit.empty())
    fail(ErrorCode::kRange, {.where = where + ": " + culprit,
                             .what = "a score is NaN",
                             .remedy = "remove_invalid_values replaces such scores"});
}

}  // namespace

std::span<const std::string_view> score_line_fields() { return kFields; }

void answer_score_line(const JsonReader& request, JsonWriter& answer) {
  Tensor<float, 2> scores = to_tensor(read_scores(request.at("scores")));
  const Index V = scores.shape(1);
  const auto rows = read_input_ids(request.at("input_ids"), V);
  if (static_cast<Index>(rows.size()) != scores.shape(0))
    fail(ErrorCode::kShape, {.where = request.place() + ": input_ids",
                             .what = "got",
                             .got = std::to_string(rows.size()) + " rows",
                             .expected = std::to_string(scores.shape(0)) + " (the rows of scores)"});
  const auto S = static_cast<Index>(rows[0].size());
  ProcessorContext context{.prompt_length = request.integer_or("prompt_length", S, 0, S), .vocab_size = V};
  if (const auto mask = request.find("attention_mask"))
    context.left_padding = read_padding(*mask, rows, context.prompt_length);
  const LogitsProcessorList list = read_processors(request, context);
  run_checked(list, to_tensor(rows), scores, request.place());

  answer.begin_object().key("scores").begin_array();
  for (Index b = 0; b < scores.shape(0); ++b) answer.value(std::span(scores[b].begin(), scores[b].end()));
  answer.end_array().end_object();
}

}  // namespace llm
