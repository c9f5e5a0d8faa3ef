#include "common/cli/options.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <charconv>
#include <deque>
#include <functional>
#include <iostream>

#include "common/base/error.h"
#include "common/base/parallel.h"
#include "common/config/generation_fields.h"
#include "common/io/near_match.h"

namespace llm {
namespace {

constexpr std::array<std::string_view, 4> kEngines = {"naive", "cached", "fused", "cuda"};
constexpr std::array<std::string_view, 6> kCaches = {"dynamic", "static", "sliding",
                                                     "int8",    "int4",   "offloaded"};
constexpr std::array<std::string_view, 6> kDTypes = {"file", "f32", "bf16", "f16", "q8_0", "q4_0"};
constexpr std::array<std::string_view, 2> kComputes = {"exact", "fast"};

[[noreturn]] void fail_value(ErrorCode code, const std::string& flag, const std::string& text,
                             const std::string& expected) {
  fail(code, {.where = flag, .what = "got", .got = "'" + text + "'", .expected = expected});
}

// The whole text as a number of type T in [min, max].
template <class T>
T parse_number(const std::string& flag, const std::string& text, T min, T max) {
  const bool integer = std::is_integral_v<T>;
  const std::string expected =
      std::is_same_v<T, std::uint64_t>
          ? "an integer of at least 0"
          : range_text({.min = static_cast<double>(min), .max = static_cast<double>(max)}, integer);
  T value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error == std::errc::result_out_of_range) fail_value(ErrorCode::kRange, flag, text, expected);
  if (error != std::errc() || end != text.data() + text.size())
    fail_value(ErrorCode::kUsage, flag, text, expected);
  if (!(value >= min && value <= max)) fail_value(ErrorCode::kRange, flag, text, expected);
  return value;
}

std::string join(std::span<const std::string_view> names) {
  std::string text;
  for (const std::string_view name : names) text += (text.empty() ? "" : ", ") + std::string(name);
  return text;
}

std::string with_default(const std::string& help, const std::string& value) {
  return value.empty() ? help : help + " (default: " + value + ")";
}

// --top-k for top_k
std::string flag_name(std::string_view field) {
  std::string name(field);
  std::ranges::replace(name, '_', '-');
  return name;
}

}  // namespace

std::span<const std::string_view> engine_names() { return kEngines; }
std::span<const std::string_view> cache_names() { return kCaches; }
std::span<const std::string_view> dtype_names() { return kDTypes; }

struct Options::Impl {
  // One flag: CLI11 collects its texts, `set` checks and stores each after all have been read.
  struct Flag {
    std::string name;  // "--seed", or "PATH" for an argument
    CLI::Option* option = nullptr;
    std::vector<std::string> texts = {};
    bool on = false;  // of a flag without a value
    bool repeatable = false;
    std::function<void(const std::string&)> set = {};
  };

  CLI::App app;
  std::deque<Flag> flags;  // a deque: CLI11 keeps addresses of its elements
  std::string group = "Options";
  std::string examples;
  std::vector<std::function<void()>> after;  // what remains to do when all flags are set

  Flag& add_value(const std::string& name, const std::string& type, const std::string& help,
                  std::function<void(const std::string&)> set) {
    Flag& flag = flags.emplace_back(Flag{.name = "--" + name, .set = std::move(set)});
    flag.option = app.add_option(flag.name, flag.texts, help)->expected(1)->type_name(type)->group(group);
    // One value a flag; the flag twice is refused by set_all(), in clearer words.
    flag.option->multi_option_policy(CLI::MultiOptionPolicy::TakeAll)->allow_extra_args(false);
    return flag;
  }
  Flag& add_switch(const std::string& names, const std::string& help,
                   std::function<void(const std::string&)> set) {
    Flag& flag = flags.emplace_back(Flag{.name = names.substr(0, names.find(',')), .set = std::move(set)});
    flag.option = app.add_flag(names, flag.on, help)->group(group);
    return flag;
  }

  [[noreturn]] static void fail_unexpected(const std::string& text) {
    fail(ErrorCode::kUsage,
         {.where = "'" + text + "'", .what = "unexpected argument", .remedy = "see --help"});
  }

  void check_leftovers() const {
    for (const std::string& text : app.remaining()) {
      if (!text.starts_with("-")) fail_unexpected(text);
      const std::string name = text.substr(0, text.find('='));
      std::vector<std::string> names = {"--help"};
      for (const Flag& flag : flags) names.push_back(flag.name);
      const std::string nearest = near_match(name, names);
      fail(ErrorCode::kUsage, {.where = name,
                               .what = "unknown flag",
                               .remedy = nearest.empty() ? "see --help" : "did you mean " + nearest + "?"});
    }
  }

  void set_all() {
    for (Flag& flag : flags) {
      if (flag.option->count() == 0) continue;
      if (flag.texts.size() > 1 && !flag.name.starts_with("--")) fail_unexpected(flag.texts[1]);
      if (flag.texts.size() > 1 && !flag.repeatable)
        fail(ErrorCode::kUsage, {.where = flag.name, .what = "given more than once"});
      if (flag.texts.empty()) flag.set(flag.on ? "true" : "false");
      for (const std::string& text : flag.texts) flag.set(text);
    }
    for (const auto& action : after) action();
  }
};

Options::Options(std::string program, std::string description) : impl_(std::make_unique<Impl>()) {
  impl_->app.name(std::move(program));
  impl_->app.description(std::move(description));
  impl_->app.allow_extras();
  impl_->app.set_help_flag("-h,--help", "print this and exit");
  impl_->app.get_formatter()->column_width(36);
}
Options::~Options() = default;

void Options::add_common(CommonFlags& flags) {
  add_text("model", flags.model, "a model's name, its folder or GGUF file, or random:qwen3-0.6b");
  add_text("prompt", flags.prompt, "the text to continue");
  impl_->add_value("seed", "N", with_default("of all random numbers", std::to_string(flags.seed)),
                   [&flags](const std::string& text) {
                     flags.seed = parse_number<std::uint64_t>("--seed", text, 0, UINT64_MAX);
                   });
  impl_->add_value("threads", "N", with_default("threads to compute with", "all processors"),
                   [&flags](const std::string& text) {
                     flags.threads = parse_number<int>("--threads", text, 1, kMaxThreads);
                     set_num_threads(flags.threads);
                   });
  add_flag("json", flags.json, "the report as JSON on the standard output");
  add_flag("quiet", flags.quiet, "no report and no progress bar");
}

void Options::add_jsonl(bool& jsonl) {
  add_flag("jsonl", jsonl, "answer JSON lines: a request a line in, an answer a line out");
}

void Options::add_engine(EngineFlags& flags, std::span<const std::string_view> names) {
  for (const std::string_view name : names) {
    if (name == "engine") add_choice("engine", flags.engine, kEngines, "what computes the model");
    if (name == "cache") add_choice("cache", flags.cache, kCaches, "how keys and values are kept");
    if (name == "compute") add_choice("compute", flags.compute, kComputes, "how activations are kept");
    if (name == "offload") add_flag("offload", flags.offload, "keep two layers of the cache in reach only");
    if (name == "dtype") {
      add_choice("dtype", flags.dtype, kDTypes, "weights are converted to it when loaded");
      add_choice("quantize", flags.dtype, kDTypes, "another name of --dtype");
    }
  }
  impl_->after.emplace_back([&flags] {
    if (flags.cache != "offloaded") return;
    flags.cache = "dynamic";
    flags.offload = true;
  });
}

void Options::add_generation(GenerationConfig& config, std::span<const std::string_view> fields) {
  const std::string group = std::exchange(impl_->group, "Generation");
  for (const std::string_view name : fields) {
    const GenerationField& field = *find_generation_field(name);
    const std::string flag = flag_name(name);
    const auto set = [&config, name, flag](const std::string& text) {
      set_generation_field(config, name, text, "--" + flag);
    };
    const std::string value = generation_field_json(config, field);
    const bool unset = value == "null" || value == "[]" || value == "\"\"";
    const std::string help = with_default(std::string(field.help), unset ? "" : value);
    if (std::holds_alternative<bool GenerationConfig::*>(field.member))
      impl_->add_switch("--" + flag + ",!--no-" + flag, help, set);
    else
      impl_->add_value(flag, "VALUE", help, set).repeatable = name == "stop_strings";
  }
  impl_->group = group;
}

void Options::add_flag(const std::string& name, bool& target, const std::string& help) {
  impl_->add_switch("--" + name, help, [&target](const std::string& text) { target = text == "true"; });
}

void Options::add_integer(const std::string& name, Index& target, Index min, Index max,
                          const std::string& help) {
  impl_->add_value(name, "N", with_default(help, std::to_string(target)),
                   [&target, name, min, max](const std::string& text) {
                     target = parse_number<Index>("--" + name, text, min, max);
                   });
}

void Options::add_integer(const std::string& name, std::optional<Index>& target, Index min, Index max,
                          const std::string& help) {
  impl_->add_value(name, "N", with_default(help, target ? std::to_string(*target) : ""),
                   [&target, name, min, max](const std::string& text) {
                     target = parse_number<Index>("--" + name, text, min, max);
                   });
}

void Options::add_number(const std::string& name, double& target, double min, double max,
                         const std::string& help) {
  std::array<char, 32> text{};
  const auto end = std::to_chars(text.data(), text.data() + text.size(), target).ptr;
  impl_->add_value(name, "X", with_default(help, std::string(text.data(), end)),
                   [&target, name, min, max](const std::string& value) {
                     target = parse_number<double>("--" + name, value, min, max);
                   });
}

void Options::add_text(const std::string& name, std::string& target, const std::string& help) {
  impl_->add_value(name, "TEXT", with_default(help, target),
                   [&target](const std::string& text) { target = text; });
}

void Options::add_texts(const std::string& name, std::vector<std::string>& target, const std::string& help) {
  const auto set = [&target](const std::string& text) { target.push_back(text); };
  impl_->add_value(name, "TEXT", help + " (may be repeated)", set).repeatable = true;
}

void Options::add_choice(const std::string& name, std::string& target,
                         std::span<const std::string_view> choices, const std::string& help) {
  const std::string names = join(choices);
  impl_->add_value(name, "NAME", with_default(help + ": " + names, target),
                   [&target, name, names, choices](const std::string& text) {
                     if (!std::ranges::count(choices, text))
                       fail_value(ErrorCode::kUsage, "--" + name, text, "one of " + names);
                     target = text;
                   });
}

void Options::add_argument(const std::string& name, std::string& target, bool required,
                           const std::string& help) {
  Impl::Flag& flag = impl_->flags.emplace_back(Impl::Flag{.name = name});
  flag.set = [&target](const std::string& text) { target = text; };
  flag.option = impl_->app.add_option(name, flag.texts, help)->type_name("");
  if (required)
    impl_->after.emplace_back([&flag] {
      if (flag.texts.empty())
        fail(ErrorCode::kUsage, {.where = flag.name, .what = "is missing", .remedy = "see --help"});
    });
}

void Options::add_example(const std::string& line) {
  impl_->examples += (impl_->examples.empty() ? "Examples:\n  " : "\n  ") + line;
  impl_->app.footer(impl_->examples);
}

bool Options::parse(int argc, const char* const* argv) {
  try {
    impl_->app.parse(argc, argv);
  } catch (const CLI::CallForHelp&) {
    std::cout << impl_->app.help();
    return false;
  } catch (const CLI::ParseError& error) {
    fail(ErrorCode::kUsage, {.where = "command line", .what = error.what(), .remedy = "see --help"});
  }
  impl_->check_leftovers();
  impl_->set_all();
  return true;
}

bool Options::given(const std::string& name) const {
  for (const Impl::Flag& flag : impl_->flags)
    if (flag.name == "--" + name || flag.name == name) return flag.option->count() > 0;
  return false;
}

}  // namespace llm
