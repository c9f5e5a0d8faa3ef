// bench_matmul: how close the matrix product comes to what the machine can do, both measured in one run.
#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

#include "chapters/05_fused_cpu/peak.h"
#include "chapters/05_fused_cpu/samples.h"
#include "common/base/error.h"
#include "common/base/parallel.h"
#include "common/base/rng.h"
#include "common/base/timing.h"
#include "common/cli/json_writer.h"
#include "common/cli/main.h"
#include "common/cli/options.h"
#include "common/cli/report.h"
#include "common/tensor/matmul.h"

namespace llm {
namespace {

// weight [M, K] times N rows.
struct Shape {
  std::string name;
  Index M = 0, K = 0;
};

const std::vector<Shape> kQwenShapes = {
    {"o", 1024, 2048},    {"k or v", 1024, 1024},     {"q", 2048, 1024},     {"gate or up", 3072, 1024},
    {"down", 1024, 3072}, {"q, k and v", 4096, 1024}, {"head", 151936, 1024}};
constexpr Index kColdBytes = Index{256} << 20;  // enough weights that no cache holds them from use to use
constexpr double kSlowFlops = 30e9;             // products beyond that are left out

struct Settings {
  Index threads = num_threads();
  bool json = false;
  std::string rows = "1,4,6,16,30,64,128,512";
  std::string isa = "active";
  double seconds = 0.3;
};

struct Result {
  Isa isa = Isa::kBaseline;
  Shape shape;
  Index N = 0;
  Samples flops_per_s, peak_flops_per_s, read_bytes_per_s;

  double share_of_peak() const { return flops_per_s.median() / peak_flops_per_s.median(); }
  double weight_bytes_per_s() const { return flops_per_s.median() / static_cast<double>(N) * 2; }
  double share_of_bandwidth() const { return weight_bytes_per_s() / read_bytes_per_s.median(); }
};

// Values in [-1, 1): one random row, begun at another place in each row.
Tensor<float, 2> random_matrix(Index rows, Index columns) {
  std::vector<float> row(static_cast<std::size_t>(2 * columns));
  for (Index i = 0; i < columns; ++i) {
    const RngKey key = {.purpose = RngPurpose::kTest};
    const auto value = static_cast<float>(2 * uniform(key, static_cast<std::uint32_t>(i)) - 1);
    row[static_cast<std::size_t>(i)] = row[static_cast<std::size_t>(i + columns)] = value;
  }
  Tensor<float, 2> matrix({rows, columns});
  parallel_for(rows, [&](Index r) {
    std::copy_n(row.begin() + static_cast<std::ptrdiff_t>(r % columns), columns, matrix.view()[r].begin());
  });
  return matrix;
}

// Product, peak and memory take turns, so that a busy machine slows all of them.
Result measure(const Shape& shape, Index N, Isa isa, const Settings& settings, View<const float, 2> weights,
               ReadBandwidth& memory) {
  Result result = {
      .isa = isa, .shape = shape, .N = N, .flops_per_s = {}, .peak_flops_per_s = {}, .read_bytes_per_s = {}};
  const Index copies = weights.shape(0) / shape.M;
  const auto x = random_matrix(N, shape.K);
  Tensor<float, 2> out({N, shape.M});
  const double flops = 2.0 * static_cast<double>(N * shape.M * shape.K);
  matmul(x, weights.slice(0, shape.M), out, isa);  // warm-up
  const Stopwatch watch;
  for (Index run = 1; run <= 5 || (watch.seconds() < settings.seconds && run <= 100); ++run) {
    result.peak_flops_per_s.add(peak_flops_per_s(isa, 0.005));
    result.read_bytes_per_s.add(memory.part_bytes_per_s(Index{64} << 20, isa));
    const Stopwatch product;
    matmul(x, weights.slice(run % copies * shape.M, shape.M), out, isa);
    result.flops_per_s.add(flops / product.seconds());
  }
  return result;
}

std::vector<Isa> wanted_isas(const std::string& name) {
  if (name == "active") return {active_isa()};
  const std::vector<Isa> available = available_isas();
  if (name == "all") return available;
  const auto isa = isa_from_name(name);
  if (!isa || std::find(available.begin(), available.end(), *isa) == available.end()) {
    std::string names;
    for (const Isa one : available) names += std::string(isa_name(one)) + ", ";
    fail(ErrorCode::kUsage, {.where = "--isa",
                             .what = "instruction set",
                             .got = "'" + name + "'",
                             .expected = "one of " + names + "active, all"});
  }
  return {*isa};
}

// "1,6,64"
std::vector<Index> read_rows(const std::string& text) {
  std::vector<Index> rows;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    const std::string number = text.substr(begin, end - begin);
    const bool digits =
        !number.empty() && number.size() <= 5 &&
        std::all_of(number.begin(), number.end(), [](char c) { return c >= '0' && c <= '9'; });
    rows.push_back(digits ? std::stoll(number) : 0);
    if (rows.back() < 1)
      fail(ErrorCode::kUsage, {.where = "--rows",
                               .what = "number of rows",
                               .got = "'" + number + "'",
                               .expected = "1 to 99999, separated by commas"});
    begin = end + 1;
  }
  return rows;
}

std::string percent(double share) { return fmt::format("{:.0f} %", 100 * share); }

std::string giga(const Samples& samples) {
  return fmt::format("{} ({} to {})", human_number(samples.median() / 1e9), human_number(samples.min() / 1e9),
                     human_number(samples.max() / 1e9));
}

void print(const std::vector<Result>& results, Report& report) {
  report.title(fmt::format("Products of N rows with cold float32 weights [M, K]; {} threads; medians (range)",
                           num_threads()));
  Table table({"set", "weight", "M", "K", "N", "GFLOP/s", "peak", "share", "weights GB/s", "read", "share"});
  for (const Result& r : results) {
    table.add_row({std::string(isa_name(r.isa)), r.shape.name, std::to_string(r.shape.M),
                   std::to_string(r.shape.K), std::to_string(r.N), giga(r.flops_per_s),
                   human_number(r.peak_flops_per_s.median() / 1e9), percent(r.share_of_peak()),
                   human_number(r.weight_bytes_per_s() / 1e9),
                   human_number(r.read_bytes_per_s.median() / 1e9), percent(r.share_of_bandwidth())});
  }
  report.table(table);
  report.text("peak: multiply-adds in registers; read: sums over memory; each measured between the products");
}

std::string to_json(const std::vector<Result>& results) {
  JsonWriter json;
  json.begin_object().field("threads", num_threads()).key("products").begin_array();
  for (const Result& r : results) {
    json.begin_object().field("isa", isa_name(r.isa)).field("weight", r.shape.name);
    json.field("M", r.shape.M).field("K", r.shape.K).field("N", r.N).field("runs", r.flops_per_s.count());
    const auto samples = [&](const std::string& name, const Samples& s) {
      json.field(name, s.median()).field(name + "_min", s.min()).field(name + "_max", s.max());
    };
    samples("flops_per_s", r.flops_per_s);
    samples("peak_flops_per_s", r.peak_flops_per_s);
    samples("read_bytes_per_s", r.read_bytes_per_s);
    json.field("share_of_peak", r.share_of_peak()).field("share_of_bandwidth", r.share_of_bandwidth());
    json.end_object();
  }
  json.end_array().end_object();
  return json.text();
}

int program(int argc, char** argv) {
  Settings settings;
  Options options(
      "bench_matmul",
      "Measures the float32 matrix product on the shapes of Qwen3-0.6B, beside the machine's peak "
      "of multiply-adds and its read bandwidth.");
  options.add_integer("threads", settings.threads, 1, kMaxThreads, "threads of everything that is measured");
  options.add_text("rows", settings.rows, "numbers of rows N");
  options.add_text("isa", settings.isa, "instruction set: baseline, avx2, avx512, active or all");
  options.add_number("seconds", settings.seconds, 0, 60, "time for one shape, at least five runs");
  options.add_flag("json", settings.json, "the results as JSON on the standard output");
  options.add_example("bench_matmul --threads 2 --rows 6,64,512 --isa all");
  if (!options.parse(argc, argv)) return 0;
  set_num_threads(static_cast<int>(settings.threads));

  const std::vector<Isa> isas = wanted_isas(settings.isa);
  const std::vector<Index> rows = read_rows(settings.rows);
  ReadBandwidth memory;
  std::vector<Result> results;
  for (const Shape& shape : kQwenShapes) {
    const Index copies = std::max<Index>(1, kColdBytes / (shape.M * shape.K * 4));
    const auto weights = random_matrix(copies * shape.M, shape.K);
    for (const Isa isa : isas)
      for (const Index N : rows)
        if (2.0 * static_cast<double>(N * shape.M * shape.K) <= kSlowFlops)
          results.push_back(measure(shape, N, isa, settings, weights, memory));
  }
  Report report;
  print(results, report);
  if (settings.json) fmt::print("{}\n", to_json(results));
  return 0;
}

}  // namespace
}  // namespace llm

int main(int argc, char** argv) { return llm::run_main(argc, argv, llm::program); }
