// make_processors() with a table of the test's own, in which every processor only has a name.
#include "chapters/07_sampling/processors.h"
#include "tests/course/exercises/07_sampling/rows.h"

namespace llm {
namespace {

// Each kKind is a class of its own.
template <int kKind>
class Named : public LogitsProcessor {
 public:
  explicit Named(std::string label) : label_(std::move(label)) {}
  std::string_view name() const override { return label_; }
  void operator()(View<const Token, 2>, View<float, 2>) const override {}

 private:
  std::string label_;
};

template <int kKind>
ProcessorPtr named(const char* label) {
  return std::make_shared<Named<kKind>>(label);
}

const std::vector<ProcessorKind> kTestKinds = {
    {"temperature", ProcessorPart::kFilter,
     [](const GenerationConfig&, const ProcessorContext&) { return named<3>("temperature"); }},
    {"penalty", ProcessorPart::kPenalty,
     [](const GenerationConfig& c, const ProcessorContext&) {
       return c.repetition_penalty == 1 ? nullptr : named<1>("penalty");
     }},
    {"ban", ProcessorPart::kPenalty,
     [](const GenerationConfig&, const ProcessorContext&) { return named<2>("ban"); }},
    {"last", ProcessorPart::kFinal,
     [](const GenerationConfig& c, const ProcessorContext&) {
       return c.renormalize_logits ? named<5>("last") : nullptr;
     }},
    {"top_k", ProcessorPart::kFilter,
     [](const GenerationConfig&, const ProcessorContext&) { return named<4>("top_k"); }},
};

}  // namespace

std::span<const ProcessorKind> processor_kinds() { return kTestKinds; }

namespace grading {
namespace {

using Names = std::vector<std::string>;

GenerationConfig sampling(double penalty = 1.5) {
  GenerationConfig config;
  config.do_sample = true;
  config.repetition_penalty = penalty;
  config.renormalize_logits = true;
  return config;
}

Names made(const GenerationConfig& config, const std::vector<ProcessorPtr>& custom = {}) {
  const LogitsProcessorList list = make_processors(config, {.prompt_length = 3, .vocab_size = 9}, custom);
  Names names;
  for (const ProcessorPtr& processor : list.processors()) names.emplace_back(processor->name());
  return names;
}

TEST_CASE("the parts one after the other, each in the table's order") {
  expect_equal(
      "a penalty, a ban, two filters, a last one", made(sampling()),
      Names{"penalty", "ban", "temperature", "top_k", "last"},
      {{{"temperature", "penalty", "ban", "last", "top_k"}, "the parts were not kept apart"},
       {{"temperature", "top_k", "penalty", "ban", "last"},
        "the filters came first: a penalty that comes after them can no longer bring back a token that "
        "they have banned"}});
  expect_equal("without the penalty", made(sampling(1.0)), Names{"ban", "temperature", "top_k", "last"});
}

TEST_CASE("filters only where a token is drawn") {
  GenerationConfig config = sampling();
  config.do_sample = false;
  expect_equal(
      "do_sample is false", made(config), Names{"penalty", "ban", "last"},
      {{{"penalty", "ban", "temperature", "top_k", "last"},
        "there are filters although do_sample is false: for the best token they are work for nothing"},
       {{"penalty", "ban"}, "the last part is there always, with do_sample or without"}});
}

TEST_CASE("a custom one comes after the bans and before temperature") {
  expect_equal("two custom ones", made(sampling(), {named<9>("mine"), named<8>("another")}),
               Names{"penalty", "ban", "mine", "another", "temperature", "top_k", "last"},
               {{{"penalty", "ban", "temperature", "top_k", "mine", "another", "last"},
                 "custom ones came after the filters: what they lift has been banned by then"},
                {{"penalty", "ban", "temperature", "top_k", "last", "mine", "another"},
                 "custom ones came at the very end: what they lift has been banned by then"},
                {{"mine", "another", "penalty", "ban", "temperature", "top_k", "last"},
                 "custom ones came first: the penalties would act on what they have done"},
                {{"penalty", "ban", "temperature", "top_k", "last"}, "custom ones were left out"}});
}

TEST_CASE("one of a penalty's class takes its place") {
  expect_equal(
      "a custom penalty", made(sampling(), {named<9>("mine"), named<1>("my penalty")}),
      Names{"my penalty", "ban", "mine", "temperature", "top_k", "last"},
      {{{"penalty", "ban", "mine", "my penalty", "temperature", "top_k", "last"},
        "both penalties are there: every token would be penalised twice. A custom one of the same class "
        "replaces the config's"},
       {{"ban", "mine", "my penalty", "temperature", "top_k", "last"},
        "the custom penalty replaced the config's, but not in its place: it comes where the other was"},
       {{"my penalty", "ban", "mine", "my penalty", "temperature", "top_k", "last"},
        "the custom penalty is there twice: in the place of the other, and once more"}});
  expect_equal("a custom ban", made(sampling(), {named<2>("my ban")}),
               Names{"penalty", "my ban", "temperature", "top_k", "last"});
}

TEST_CASE("nothing to replace where the config has none") {
  expect_equal("a custom penalty, and the config has none", made(sampling(1.0), {named<1>("my penalty")}),
               Names{"ban", "my penalty", "temperature", "top_k", "last"},
               {{{"my penalty", "ban", "temperature", "top_k", "last"},
                 "the config asks for no penalty, so there is none to replace: this one is a custom one like "
                 "others"}});
}

TEST_CASE("one of a filter's class runs in addition") {
  expect_equal("a custom temperature", made(sampling(), {named<3>("my temperature")}),
               Names{"penalty", "ban", "my temperature", "temperature", "top_k", "last"},
               {{{"penalty", "ban", "my temperature", "top_k", "last"},
                 "the config's filter was replaced; only penalties and bans are, as in transformers"},
                {{"penalty", "ban", "my temperature", "my temperature", "top_k", "last"},
                 "the config's filter was replaced; only penalties and bans are, as in transformers"}});
}

}  // namespace
}  // namespace grading
}  // namespace llm
