// The request that 02_naive_loop and every later chapter answer on JSON lines, and its answer.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "common/base/types.h"
#include "common/cli/json_writer.h"
#include "common/config/generation_config.h"
#include "common/io/json.h"

namespace llm {

// What a program can do with a request.
struct GenerateProgram {
  std::string name;                                     // "02_naive_loop"
  std::span<const std::string_view> request_fields;     // of generate_request_fields()
  std::span<const std::string_view> generation_fields;  // of the generation config
  std::vector<std::string_view> engines = {};           // that "engine" may name
  std::vector<std::string_view> caches = {};            // that "cache" may name
};

// input_ids, prompt, messages, attention_mask, negative_prompt, negative_prompt_ids,
// negative_prompt_attention_mask, generation_config, assistant_model, engine, cache, offload, seed: all that
// there are.
std::span<const std::string_view> generate_request_fields();

// Exactly one of input_ids, prompt and messages is there.
struct GenerateRequest {
  std::vector<std::vector<Token>> input_ids;              // [B][T], rows of one length, or empty
  std::optional<std::string> prompt;                      // not empty
  std::optional<JsonReader> messages;                     // lives as long as the request's JSON
  std::vector<std::vector<std::uint8_t>> attention_mask;  // [B][T], padding on the left; empty: not given
  std::optional<std::string> negative_prompt;             // not empty
  std::vector<std::vector<Token>> negative_prompt_ids;    // without padding: none, one for all, or a row each
  GenerationConfig generation_config;                     // as requested: not merged with the model's
  std::optional<std::string> assistant_model;
  std::optional<std::string> engine;
  std::optional<std::string> cache;  // "offloaded" is "dynamic" with offload
  bool offload = false;
  std::optional<std::uint64_t> seed;
};

// Reads and checks a request for a model of vocab_size tokens. Errors name line, field, got and expected:
// those of jsonl.h and generation_config.h; kUsage for no or several of input_ids, prompt and messages, and
// for two negative prompts; kUnsupported for a field or a value that the program does not know.
GenerateRequest read_generate_request(const JsonReader& request, const GenerateProgram& program,
                                      Index vocab_size);

// What transformers assumes about a batch without attention_mask: where pad_token_id is set and is no end
// token, ids equal to it are padding. Empty if nothing is. Errors: kUnsupported for padding that is not on
// the left.
std::vector<std::vector<std::uint8_t>> infer_attention_mask(std::span<const std::vector<Token>> input_ids,
                                                            const GenerationConfig& config);

// One entry a returned sequence.
struct GenerateAnswer {
  std::vector<std::vector<Token>> sequences;          // prompt and new tokens, padded on the right
  std::vector<std::string> text;                      // new tokens, special ones skipped
  std::vector<std::string> finish_reason;             // eos, length, stop_string, time, custom, cancelled
  std::vector<float> sequences_scores;                // beam search only; empty: not written
  std::vector<std::pair<std::string, double>> stats;  // whole numbers are written as such
};

void write_generate_answer(const GenerateAnswer& answer, JsonWriter& json);

}  // namespace llm
