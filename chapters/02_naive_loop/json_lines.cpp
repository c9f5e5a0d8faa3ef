#include "chapters/02_naive_loop/json_lines.h"

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <optional>

#include "chapters/02_naive_loop/sequences.h"
#include "common/cli/jsonl.h"

namespace llm {
namespace {

constexpr std::array<std::string_view, 5> kGreedyFields = {"max_new_tokens", "max_length", "eos_token_id",
                                                           "pad_token_id", "bos_token_id"};
constexpr std::array<std::string_view, 7> kRequestFields = {
    "input_ids", "prompt", "messages", "attention_mask", "generation_config", "engine", "seed"};

using Rows = std::vector<std::vector<Token>>;

// The rows without their padding.
Rows real_tokens(const Rows& rows, const std::vector<std::vector<std::uint8_t>>& mask) {
  if (mask.empty()) return rows;
  Rows real(rows.size());
  for (std::size_t b = 0; b < rows.size(); ++b)
    for (std::size_t t = 0; t < rows[b].size(); ++t)
      if (mask[b][t] != 0) real[b].push_back(rows[b][t]);
  return real;
}

// Each element `times` times.
template <class T>
std::vector<T> repeat(const std::vector<T>& items, Index times) {
  std::vector<T> repeated;
  for (const T& item : items) repeated.insert(repeated.end(), static_cast<std::size_t>(times), item);
  return repeated;
}

class Answerer {
 public:
  Answerer(const OpenModel& opened, const JsonLinesLoop& loop, const GenerationConfig& base,
           std::string template_choice)
      : opened_(opened), loop_(loop), base_(base), template_choice_(std::move(template_choice)) {}

  void answer(const JsonReader& json, JsonWriter& out) {
    if (!loop_.other.marker.empty() && json.has(loop_.other.marker)) {
      expect_fields(json, loop_.other.fields);
      return loop_.other.answer(json, out);
    }
    const ModelConfig& config = opened_.config;
    const GenerateRequest request = read_generate_request(json, loop_.program, config.vocab_size);
    const GenerationConfig generation = merge(request.generation_config, base_);
    Rows prompts = prompt_rows(request);
    auto mask = request.attention_mask;
    if (mask.empty() && !request.input_ids.empty()) mask = infer_attention_mask(prompts, generation);
    prompts = repeat(prompts, generation.num_return_sequences);
    mask = repeat(mask, generation.num_return_sequences);
    const Rows rows = real_tokens(prompts, mask);

    std::size_t longest = 0;
    for (const auto& row : rows) longest = std::max(longest, row.size());
    const Index limit = new_tokens_limit(config, generation, static_cast<Index>(prompts[0].size()),
                                         static_cast<Index>(longest));
    const GreedyResult result = loop_.generate(request, generation, rows, limit);
    write(prompts, rows, result, generation, out);
  }

 private:
  Rows prompt_rows(const GenerateRequest& request) {
    if (request.prompt) return {encode_prompt(opened_, *request.prompt)};
    if (!request.messages) return request.input_ids;
    if (!chat_template_) chat_template_ = opened_.chat_template(template_choice_);
    return {encode_chat(opened_, request.messages->json(), *chat_template_)};
  }

  void write(const Rows& prompts, const Rows& rows, const GreedyResult& result,
             const GenerationConfig& generation, JsonWriter& out) const {
    GenerateAnswer answer;
    answer.sequences = to_sequences(prompts, result, generation);
    double prompt_tokens = 0, new_tokens = 0;
    for (std::size_t b = 0; b < rows.size(); ++b) {
      prompt_tokens += static_cast<double>(rows[b].size());
      new_tokens += static_cast<double>(result.new_tokens[b].size());
      answer.text.push_back(opened_.tokenizer->decode(result.new_tokens[b], /*skip_special_tokens=*/true));
      answer.finish_reason.emplace_back(finish_reason_name(result.finish_reason[b]));
    }
    answer.stats = {{"prompt_tokens", prompt_tokens},
                    {"new_tokens", new_tokens},
                    {"forwards", static_cast<double>(result.forwards)},
                    {"positions", static_cast<double>(result.positions)},
                    {"prefill_s", result.prefill_s},
                    {"total_s", result.total_s}};
    write_generate_answer(answer, out);
  }

  const OpenModel& opened_;
  const JsonLinesLoop& loop_;
  const GenerationConfig& base_;
  std::string template_choice_;
  std::optional<ChatTemplate> chat_template_;
};

}  // namespace

std::span<const std::string_view> greedy_fields() { return kGreedyFields; }

int answer_json_lines(std::istream& in, std::ostream& out, const OpenModel& opened, const JsonLinesLoop& loop,
                      const GenerationConfig& base, const std::string& template_choice) {
  Answerer answerer(opened, loop, base, template_choice);
  std::vector<std::string_view> fields(generate_request_fields().begin(), generate_request_fields().end());
  fields.insert(fields.end(), loop.other.fields.begin(), loop.other.fields.end());
  return serve_json_lines(in, out, fields, [&](const JsonReader& request, JsonWriter& answer) {
    answerer.answer(request, answer);
  });
}

int answer_json_lines(std::istream& in, std::ostream& out, const OpenModel& opened, CausalLM& model,
                      const GenerationConfig& base, const std::string& template_choice) {
  const JsonLinesLoop loop = {.program = {.name = "02_naive_loop",
                                          .request_fields = kRequestFields,
                                          .generation_fields = kGreedyFields,
                                          .engines = {"naive"}},
                              .generate = [&model](const GenerateRequest&, const GenerationConfig& config,
                                                   std::vector<std::vector<Token>> rows, Index limit) {
                                return greedy(model, std::move(rows), limit, config.eos_token_id);
                              }};
  return answer_json_lines(in, out, opened, loop, base, template_choice);
}

}  // namespace llm
