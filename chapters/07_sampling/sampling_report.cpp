#include "chapters/07_sampling/sampling_report.h"

#include <fmt/format.h>

#include <algorithm>

#include "chapters/07_sampling/sampled_check.h"
#include "common/base/timing.h"
#include "common/cli/json_writer.h"

namespace llm {
namespace {

std::string ngram_text(const SampledText& text) {
  const NgramCount count = distinct_ngrams(text.new_tokens, 4);
  if (count.total == 0) return "none";
  return fmt::format("{} of {} ({:.0f} %)", count.distinct, count.total, 100 * count.share());
}

void print_speed(const SamplingRun& run, Report& report) {
  const SampledText& text = run.texts.front();
  const double prefill_s = text.prefill_s();
  report.line("prefill", fmt::format("{} for the first token: {}", human_seconds(prefill_s),
                                     human_rate(std::ssize(run.prompt), prefill_s)));
  const double decode_s = text.decode_s();
  const Index decoded = std::ssize(text.new_tokens) - 1;
  if (decoded < 1) return;
  report.line("decode", fmt::format("{} for the other {}: {}", human_seconds(decode_s), decoded,
                                    human_rate(decoded, decode_s)));
  const double share = run.choose_s * static_cast<double>(decoded) / decode_s;
  report.line("choosing",
              fmt::format("{} a token, {:.1f} % of it", human_seconds(run.choose_s), 100 * share));
  if (run.greedy)
    report.line("greedy", human_rate(std::ssize(run.greedy->new_tokens) - 1, run.greedy->decode_s()));
}

void print_watermark(const WatermarkDetection& found, Report& report) {
  report.line("watermark", fmt::format("{} of {} tokens are green, z = {:.2f}: {}", found.num_green_tokens,
                                       found.num_tokens_scored, found.z_score,
                                       found.prediction ? "there is one" : "none is found"));
}

}  // namespace

bool SamplingRun::passed() const {
  return std::ranges::all_of(texts, [](const SampledText& text) { return text.check.passed(); });
}

double time_choice(const ChoiceRule& rule, std::span<const Token> ids, const std::vector<float>& logits) {
  constexpr int kRuns = 21;
  std::vector<double> seconds;
  TokenChooser chooser(rule, ids, 0, kRuns);
  for (int i = 0; i < kRuns; ++i) {
    const Stopwatch clock;
    chooser.take({logits.data(), {std::ssize(logits)}});
    (void)chooser.choose_next();
    seconds.push_back(clock.seconds());
  }
  std::ranges::nth_element(seconds, seconds.begin() + kRuns / 2);
  return seconds[kRuns / 2];
}

void print_report(const OpenModel& opened, const SamplingRun& run, Report& report) {
  report.title(run.do_sample ? fmt::format("Sampling, seed {}", run.seed) : "The best token every time");
  report.line("model", fmt::format("{}, loaded in {}", opened.name, human_seconds(run.load_s)));
  report.line("engine", run.engine + (run.cache.empty() ? "" : ", " + run.cache));
  report.line("processors",
              run.processors.empty() ? "none" : fmt::format("{}", fmt::join(run.processors, ", ")));
  for (std::size_t i = 0; i < run.texts.size(); ++i) {
    const SampledText& text = run.texts[i];
    if (run.texts.size() > 1) report.title(fmt::format("Text {}", i + 1));
    if (text.check.total > 0) report.line("tokens equal to 02", sampled_check_text(text.check));
    report.line("new tokens", fmt::format("{} ({})", text.new_tokens.size(), text.finish_reason));
    report.line("distinct 4-grams", ngram_text(text));
    if (text.watermark) print_watermark(*text.watermark, report);
  }
  if (run.greedy) report.line("greedy 4-grams", ngram_text(*run.greedy));
  if (!run.passed())
    report.text("the tokens differ from the naive engine's: no speed is shown", Style::kBad);
  else if (!run.texts.empty())
    print_speed(run, report);
}

std::string json_report(const OpenModel& opened, const SamplingRun& run) {
  JsonWriter json;
  json.begin_object().field("model", opened.name).field("engine", run.engine).field("cache", run.cache);
  json.field("processors", run.processors).field("do_sample", run.do_sample).field("seed", run.seed);
  json.field("prompt", run.prompt).key("texts").begin_array();
  const auto write = [&](const SampledText& text) {
    const NgramCount count = distinct_ngrams(text.new_tokens, 4);
    json.begin_object().field("new_tokens", text.new_tokens);
    json.field("text", opened.tokenizer->decode(text.new_tokens, /*skip_special_tokens=*/true));
    json.field("finish_reason", text.finish_reason).field("equal", text.check.equal);
    json.field("distinct_4grams", count.distinct).field("total_4grams", count.total);
    if (run.passed()) json.field("prefill_s", text.prefill_s()).field("decode_s", text.decode_s());
    if (text.watermark)
      json.field("z_score", text.watermark->z_score).field("watermark", text.watermark->prediction);
    json.end_object();
  };
  for (const SampledText& text : run.texts) write(text);
  json.end_array();
  if (run.greedy) {
    json.key("greedy");
    write(*run.greedy);
  }
  if (run.passed()) json.field("choose_s", run.choose_s);
  json.field("load_s", run.load_s).end_object();
  return json.text();
}

}  // namespace llm
