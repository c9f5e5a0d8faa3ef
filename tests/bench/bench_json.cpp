// The report as JSON.
#include "common/base/isa.h"
#include "common/base/parallel.h"
#include "tests/bench/bench_report.h"
#include "tests/bench/literature.h"

namespace llm {
namespace {

void write_machine(JsonWriter& json, const MachineLimits& limits) {
  const MachineInfo machine = machine_info();
  json.key("machine").begin_object();
  json.field("cpu", machine.cpu).field("system", machine.system).field("isa", isa_name(active_isa()));
  json.field("threads", num_threads());
  write_samples(json, "peak_flops_per_s", limits.flops_per_s);
  write_samples(json, "read_bytes_per_s", limits.read_bytes_per_s);
  json.end_object();
  json.field("compiler", machine.compiler).field("flags", machine.flags).field("date", machine.date);
}

void write_choice(JsonWriter& json, const StageResult& r) {
  json.field("stage", r.name).field("engine", r.stage.engine);
  json.field("cache", r.stage.cache.cache).field("cache_dtype", r.stage.cache.cache_dtype);
  json.field("offload", r.stage.cache.offload).field("dtype", r.stage.dtype).field("weights", r.weights);
  json.field("compute", r.stage.compute);
}

void write_stage(JsonWriter& json, const BenchReport& bench, const StageResult& r) {
  json.begin_object();
  write_choice(json, r);
  json.field("runs", r.prefill_tokens_per_s.count());
  write_samples(json, "prefill_tokens_per_s", r.prefill_tokens_per_s);
  json.field("prefill_share_of_flops", r.prefill_share_of_flops());
  write_samples(json, "decode_tokens_per_s", r.decode_tokens_per_s);
  json.field("decode_share_of_flops", r.decode_share_of_flops());
  json.field("decode_share_of_bandwidth", r.decode_share_of_bandwidth());
  json.field("bytes_per_token", r.decode_bytes).field("memory_bytes", r.memory_bytes);
  json.field("load_s", r.load_s).field("first_prefill_s", r.first_prefill_s);
  json.field("prefill_s", r.prefill_s).field("first_step_s", r.first_step_s).field("step_s", r.step_s);
  write_samples(json, "peak_flops_per_s", r.machine.flops_per_s);
  write_samples(json, "read_bytes_per_s", r.machine.read_bytes_per_s);
  json.field("tokens", r.tokens).field("tokens_equal_to_first_stage", bench.equal_tokens(r));
  json.key("seconds_to").begin_array();
  for (const Reach& reach : r.reach)
    json.begin_object()
        .field("new_tokens", reach.tokens)
        .field("seconds", reach.seconds)
        .field("measured", reach.measured)
        .end_object();
  json.end_array().end_object();
}

void write_literature(JsonWriter& json) {
  json.key("literature_tokens_per_s").begin_array();
  for (const LiteratureRow& row : literature())
    json.begin_object()
        .field("method", row.method)
        .field("m4_cpu", row.m4_cpu)
        .field("m4_gpu", row.m4_gpu)
        .field("h100", row.h100)
        .field("our_stage", row.ours)
        .end_object();
  json.end_array();
}

}  // namespace

std::string json_report(const BenchReport& bench) {
  JsonWriter json;
  json.begin_object();
  write_machine(json, bench.machine());
  const Workload& work = bench.work;
  json.field("model", bench.model).field("batch", work.batch).field("prompt_tokens", work.prompt_tokens);
  json.field("new_tokens", work.new_tokens).field("depth", work.depth);
  json.key("stages").begin_array();
  for (const StageResult& r : bench.results) write_stage(json, bench, r);
  json.end_array();
  json.field("left_out", bench.left_out);
  if (has_literature(bench.config)) write_literature(json);
  return json.end_object().text();
}

}  // namespace llm
