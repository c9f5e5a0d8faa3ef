// The report of a program with a cache as JSON.
#include "chapters/03_kv_cache/cached_report.h"
#include "chapters/03_kv_cache/phase_work.h"
#include "common/base/parallel.h"
#include "common/base/timing.h"
#include "common/cli/json_writer.h"

namespace llm {
namespace {

double rate(Index tokens, double seconds) { return seconds > 0 ? static_cast<double>(tokens) / seconds : 0; }

void write_check(const TokenCheck& check, JsonWriter& json) {
  json.key("check").begin_object().field("passed", check.passed()).field("equal", check.equal);
  json.field("compared", static_cast<Index>(check.seconds.size())).field("total", check.total);
  if (check.too_close) json.field("too_close_at", *check.too_close);
  if (check.different) json.field("different_at", *check.different);
  json.end_object();
}

void write_turns(const OpenModel& opened, const std::vector<CachedRun>& runs, JsonWriter& json) {
  json.key("turns").begin_array();
  for (const CachedRun& run : runs) {
    json.begin_object().field("prompt_tokens", static_cast<Index>(run.prompt.size()));
    json.field("reused_tokens", run.reused_tokens).field("positions", run.positions);
    json.field("new_tokens", run.new_tokens);
    json.field("text", opened.tokenizer->decode(run.new_tokens, /*skip_special_tokens=*/true));
    json.field("finish_reason", run.finish_reason);
    write_check(run.check, json);
    json.end_object();
  }
  json.end_array();
}

void write_phase(const std::string& name, const PhaseWork& work, JsonWriter& json) {
  json.key(name).begin_object().field("positions", work.positions).field("linear_flops", work.linear);
  json.field("attention_flops", work.attention).field("head_flops", work.head).end_object();
}

void write_speed(const CachedRun& run, JsonWriter& json) {
  const auto computed = static_cast<Index>(run.prompt.size()) - run.reused_tokens;
  json.field("prefill_s", run.prefill_s()).field("decode_s", run.decode_s());
  json.field("prefill_tokens_per_s", rate(computed, run.prefill_s()));
  json.field("decode_tokens_per_s", rate(static_cast<Index>(run.new_tokens.size()) - 1, run.decode_s()));
  json.field("seconds_per_token", run.seconds).field("naive_seconds_per_token", run.check.seconds);
}

}  // namespace

std::string json_report(const OpenModel& opened, const Transformer& model, const CachedProgramRun& program) {
  const CachedRun& run = program.runs.back();
  const auto P = static_cast<Index>(run.prompt.size()), N = static_cast<Index>(run.new_tokens.size());
  const GenerationWork naive = naive_phases(model.config(), P, N);
  const GenerationWork cached =
      cached_phases(model.config(), run.reused_tokens, P, N, program.prefill_chunk_size);
  JsonWriter json;
  json.begin_object().field("program", program.program).field("model", opened.name);
  json.field("text", opened.tokenizer->decode(run.new_tokens, /*skip_special_tokens=*/true));
  json.field("new_tokens", run.new_tokens).field("finish_reason", run.finish_reason);
  write_check(run.check, json);
  write_turns(opened, program.runs, json);
  json.key("stats").begin_object();
  json.field("threads", num_threads()).field("prompt_tokens", P).field("new_tokens", N);
  json.field("reused_tokens", run.reused_tokens).field("load_s", program.load_s);
  json.field("positions", run.positions);
  json.field("naive_positions", naive.prefill.positions + naive.decode.positions);
  if (program.passed()) write_speed(run, json);
  write_phase("naive_prefill", naive.prefill, json);
  write_phase("naive_decode", naive.decode, json);
  write_phase("cached_prefill", cached.prefill, json);
  write_phase("cached_decode", cached.decode, json);
  const CacheMemory& memory = program.memory;
  json.field("cache_tokens", memory.tokens).field("cache_bytes_by_formula", memory.used_bytes());
  json.field("cache_reserved_tokens", memory.reserved_tokens);
  json.field("cache_reserved_bytes_by_formula", memory.reserved_bytes());
  json.field("cache_bytes", memory.allocated_bytes).field("cache_moved_bytes", memory.moved_bytes);
  json.field("weight_bytes", model.weight_bytes()).field("copied_bytes", model.copied_bytes());
  json.field("peak_bytes", peak_resident_bytes()).end_object();
  if (const auto& change = program.key_change) {
    json.key("key_change").begin_object().field("position", change->position).field("moved", change->moved);
    json.field("moved_without_change", change->unchanged).field("largest_score", change->largest);
    json.field("best_before", change->best_before).field("best_after", change->best_after).end_object();
  }
  json.end_object();
  return json.text();
}

}  // namespace llm
