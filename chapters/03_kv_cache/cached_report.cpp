#include "chapters/03_kv_cache/cached_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "chapters/03_kv_cache/cache_kinds.h"
#include "chapters/03_kv_cache/dynamic_layer.h"
#include "chapters/03_kv_cache/phase_work.h"
#include "common/base/timing.h"
#include "common/config/tensor_specs.h"

namespace llm {
namespace {

Index size(const std::vector<Token>& tokens) { return static_cast<Index>(tokens.size()); }

double sum(std::span<const double> seconds) { return std::accumulate(seconds.begin(), seconds.end(), 0.0); }

std::string giga(double flops) { return human_number(flops / 1e9); }

// The steps after the first that both stages took.
struct SameSteps {
  Index count = 0;
  double naive_s = 0, cached_s = 0;
};
SameSteps same_steps(const CachedRun& run) {
  const std::size_t n = std::min(run.check.seconds.size(), run.seconds.size());
  if (n < 2) return {};
  return {static_cast<Index>(n) - 1, sum(std::span(run.check.seconds).subspan(1, n - 1)),
          sum(std::span(run.seconds).subspan(1, n - 1))};
}

void print_turns(const CachedProgramRun& program, Report& report) {
  Table table({"turn", "prompt", "reused", "computed", "new", "tokens equal to 02"});
  for (std::size_t i = 0; i < program.runs.size(); ++i) {
    const CachedRun& run = program.runs[i];
    table.add_row({std::to_string(i + 1), human_count(size(run.prompt)), human_count(run.reused_tokens),
                   human_count(size(run.prompt) - run.reused_tokens), human_count(size(run.new_tokens)),
                   run.check.text()});
  }
  report.table(table);
}

void print_time(const CachedRun& run, Report& report) {
  const Index computed = size(run.prompt) - run.reused_tokens;
  const Index decoded = size(run.new_tokens) - 1;
  report.title("Time");
  report.line("prefill", fmt::format("{} for {} tokens: {}", human_seconds(run.prefill_s()), computed,
                                     human_rate(computed, run.prefill_s())));
  if (decoded > 0)
    report.line("decode", fmt::format("{} for the other {}: {}", human_seconds(run.decode_s()), decoded,
                                      human_rate(decoded, run.decode_s())));
  const SameSteps same = same_steps(run);
  if (same.count < 1) return;
  report.line("02, without a cache",
              fmt::format("{} for {} tokens after the first: {}", human_seconds(same.naive_s), same.count,
                          human_rate(same.count, same.naive_s)));
  report.line("the same with one",
              fmt::format("{}: {}, {} times as fast", human_seconds(same.cached_s),
                          human_rate(same.count, same.cached_s), human_number(same.naive_s / same.cached_s)));
}

void print_work(const ModelConfig& config, const CachedProgramRun& program, Report& report) {
  const CachedRun& run = program.runs.back();
  const Index P = size(run.prompt), N = size(run.new_tokens);
  const GenerationWork naive = naive_phases(config, P, N);
  const GenerationWork cached = cached_phases(config, run.reused_tokens, P, N, program.prefill_chunk_size);
  report.title("Work");
  report.line("positions computed",
              fmt::format("{} (without a cache: {})", human_count(run.positions),
                          human_count(naive.prefill.positions + naive.decode.positions)));
  Table table({"GFLOP", "positions", "linear layers", "attention", "head", "sum"});
  const auto add = [&](const char* name, const PhaseWork& work) {
    table.add_row({name, human_count(work.positions), giga(work.linear), giga(work.attention),
                   giga(work.head), giga(work.total())});
  };
  add("prefill, no cache", naive.prefill);
  add("prefill, cache", cached.prefill);
  add("decode, no cache", naive.decode);
  add("decode, cache", cached.decode);
  report.table(table);
}

void print_memory(const Transformer& model, const CacheMemory& memory, double load_s, Report& report) {
  report.title("Memory");
  report.line("cache by formula", fmt::format("{} for {} tokens, {} each: 2 L KH Dh bytes a value",
                                              human_bytes(memory.used_bytes()), human_count(memory.tokens),
                                              human_bytes(memory.token_bytes)));
  report.line("  with room for more", fmt::format("{} for {} tokens", human_bytes(memory.reserved_bytes()),
                                                  human_count(memory.reserved_tokens)));
  const bool equal = memory.allocated_bytes == memory.reserved_bytes();
  report.line("cache by allocator",
              fmt::format("{}: {}", human_bytes(memory.allocated_bytes), equal ? "equal" : "NOT EQUAL"));
  report.line("  copied by growing", human_bytes(memory.moved_bytes));
  report.line("weights", human_bytes(model.weight_bytes()));
  report.line("float32 copies", model.copied_bytes() > 0 ? human_bytes(model.copied_bytes())
                                                         : "none: the file is float32 already");
  report.line("peak", human_bytes(peak_resident_bytes()));
  report.line("load", human_seconds(load_s));
}

void print_key_change(const OpenModel& opened, const KeyChange& change, Report& report) {
  const auto text = [&](Token id) {
    return opened.random ? std::to_string(id) : "'" + opened.tokenizer->decode({{id}}, false) + "'";
  };
  report.title(fmt::format("The key at position {}, its sign turned", change.position));
  report.line("scores move by", fmt::format("up to {} (the largest is {}); with nothing changed by {}",
                                            human_number(change.moved), human_number(change.largest),
                                            human_number(change.unchanged)));
  report.line("best next token",
              fmt::format("{} before, {} after", text(change.best_before), text(change.best_after)));
}

}  // namespace

bool CachedProgramRun::passed() const {
  return std::ranges::all_of(runs, [](const CachedRun& run) { return run.check.passed(); });
}

CacheMemory dynamic_cache_memory(Cache& cache, const ModelConfig& config, const CacheSpec& spec) {
  CacheMemory memory{.tokens = cache.get_seq_length(0),
                     .token_bytes = cache_bytes(dynamic_cache_kinds(), config, spec, 1),
                     .allocated_bytes = cache.memory_bytes()};
  for (Index l = 0; l < cache.num_layers(); ++l) {
    const auto& layer = dynamic_cast<const DynamicLayer&>(cache.layer(l));
    memory.reserved_tokens = layer.reserved_tokens();
    memory.moved_bytes += layer.moved_bytes();
  }
  return memory;
}

void print_report(const OpenModel& opened, const Transformer& model, const CachedProgramRun& program,
                  Report& report) {
  const ModelConfig& config = model.config();
  const CachedRun& run = program.runs.back();
  report.title(fmt::format("{}: {} ({}, {} layers, {} parameters)", program.title, opened.name,
                           config.model_type, config.num_hidden_layers, human_count(num_parameters(config))));
  report.line("prompt", fmt::format("{} tokens{}", size(run.prompt),
                                    run.reused_tokens > 0
                                        ? fmt::format(", {} of them in the cache already", run.reused_tokens)
                                        : ""));
  report.line("new", fmt::format("{} tokens, ended by {}", size(run.new_tokens),
                                 run.finish_reason == "eos" ? "an end token" : "the limit"));
  report.line("tokens equal to 02", run.check.text());
  if (program.runs.size() > 1) print_turns(program, report);
  if (!program.passed()) return report.text("The tokens are wrong: no speed is worth telling.", Style::kBad);
  print_time(run, report);
  print_work(config, program, report);
  print_memory(model, program.memory, program.load_s, report);
  if (program.key_change) print_key_change(opened, *program.key_change, report);
}

}  // namespace llm
