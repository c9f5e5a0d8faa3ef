#include "chapters/02_naive_loop/classify_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "chapters/02_naive_loop/classify.h"
#include "common/base/error.h"
#include "common/base/timing.h"
#include "common/cli/json_writer.h"
#include "common/cli/report.h"

namespace llm {
namespace {

struct Verdict {
  const Label* label = nullptr;
  double log_probability = 0;
  double share = 0;
};

std::vector<Verdict> judge(CausalLM& model, const std::vector<Token>& ids, std::span<const Label> labels) {
  std::vector<std::vector<Token>> tokens;
  for (const Label& label : labels) tokens.push_back(label.tokens);
  const std::vector<double> logarithms = label_log_probabilities(model, ids, tokens);
  const std::vector<double> shares = label_shares(logarithms);
  std::vector<Verdict> verdicts;
  for (std::size_t i = 0; i < labels.size(); ++i) verdicts.push_back({&labels[i], logarithms[i], shares[i]});
  std::ranges::stable_sort(verdicts, std::greater<>(), &Verdict::log_probability);
  return verdicts;
}

std::string percent(double share) { return fmt::format("{:.2f} %", 100 * share); }

std::string table_text(std::span<const Verdict> verdicts) {
  Table table({"label", "share", "probability", "log-probability", "tokens"});
  for (const Verdict& v : verdicts)
    table.add_row({fmt::format("\"{}\"", v.label->text), percent(v.share),
                   fmt::format("{:.2g}", std::exp(v.log_probability)),
                   fmt::format("{:.3f}", v.log_probability), std::to_string(v.label->tokens.size())});
  return table.text();
}

std::string json_text(const OpenModel& opened, std::span<const Verdict> verdicts) {
  JsonWriter json;
  json.begin_object().field("program", "02_naive_loop").field("model", opened.name);
  json.field("label", verdicts[0].label->text).key("labels").begin_array();
  for (const Verdict& v : verdicts) {
    json.begin_object().field("label", v.label->text).field("tokens", v.label->tokens);
    json.field("log_probability", v.log_probability).field("probability", std::exp(v.log_probability));
    json.field("share", v.share).end_object();
  }
  json.end_array().end_object();
  return json.text();
}

}  // namespace

std::vector<Label> read_labels(std::string_view text, const Tokenizer& tokenizer, std::string_view prompt,
                               std::span<const Token> ids) {
  const auto refuse = [](const std::string& what) {
    fail(ErrorCode::kUsage, {.where = "--classify",
                             .what = what,
                             .remedy = "write the labels with commas between, such as \" yes, no\""});
  };
  std::vector<Label> labels;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    Label label{std::string(text.substr(begin, end - begin)), {}};
    if (label.text.empty()) refuse("has an empty label");
    if (std::ranges::count(labels, label.text, &Label::text) > 0)
      refuse("has the label '" + label.text + "' twice");
    const std::vector<Token> whole =
        prompt.empty() ? std::vector<Token>() : tokenizer.encode(std::string(prompt) + label.text);
    const bool continues = whole.size() > ids.size() && std::equal(ids.begin(), ids.end(), whole.begin());
    label.fits = continues || prompt.empty();
    if (continues)
      label.tokens.assign(whole.begin() + static_cast<std::ptrdiff_t>(ids.size()), whole.end());
    else
      label.tokens = tokenizer.encode(label.text, /*add_special_tokens=*/false);
    if (label.tokens.empty()) refuse("has the label '" + label.text + "', which has no token");
    labels.push_back(std::move(label));
    begin = end + 1;
  }
  if (labels.size() < 2) refuse("needs two labels or more");
  return labels;
}

int classify(const OpenModel& opened, CausalLM& model, const std::vector<Token>& ids,
             std::span<const Label> labels, bool json, bool quiet) {
  const Stopwatch clock;
  const std::vector<Verdict> verdicts = judge(model, ids, labels);
  const double seconds = clock.seconds();
  fmt::print("{}", json ? json_text(opened, verdicts) + "\n" : table_text(verdicts));

  Report report(quiet);
  for (const Label& label : labels)
    if (!label.fits)
      report.warning(
          fmt::format("the prompt and '{}' behind it are cut into other tokens than each alone: "
                      "should the label begin with a blank, or the prompt end without one?",
                      label.text));
  const double together = std::accumulate(verdicts.begin(), verdicts.end(), 0.0, [](double sum, auto& v) {
    return sum + std::exp(v.log_probability);
  });
  report.title("Classifier: " + opened.name);
  report.line("prompt", fmt::format("{} tokens", ids.size()));
  report.line("forward passes", fmt::format("1, of {} rows: {}", labels.size(), human_seconds(seconds)));
  report.line("labels together", percent(together) + " of the probability; the rest is for other texts");
  return 0;
}

}  // namespace llm
