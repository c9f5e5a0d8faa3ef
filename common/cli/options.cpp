#include "common/cli/options.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <charconv>
#include <deque>
#include <functional>
#include <iostream>

#include "common/base/error.h"
#include "common/cli/parse_number.h"
#include "common/io/near_match.h"

namespace llm {
namespace {

std::string join(std::span<const std::string_view> names) {
  std::string text;
  for (const std::string_view name : names) text += (text.empty() ? "" : ", ") + std::string(name);
  return text;
}

std::string with_default(const std::string& help, const std::string& value) {
  return value.empty() ? help : help + " (default: " + value + ")";
}

}  // namespace

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
      if (flag.texts.empty()) flag.set("");
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

std::string Options::group(const std::string& heading) { return std::exchange(impl_->group, heading); }

void Options::after_parse(std::function<void()> action) { impl_->after.push_back(std::move(action)); }

void Options::add_value(const std::string& name, const std::string& type, const std::string& help,
                        std::function<void(const std::string&)> set, bool repeatable) {
  Impl::Flag& flag = impl_->flags.emplace_back(
      Impl::Flag{.name = "--" + name, .repeatable = repeatable, .set = std::move(set)});
  flag.option = impl_->app.add_option(flag.name, flag.texts, help)->expected(1)->type_name(type);
  // One value a flag; the flag twice is refused by set_all(), in clearer words.
  flag.option->multi_option_policy(CLI::MultiOptionPolicy::TakeAll)->allow_extra_args(false);
  flag.option->group(impl_->group);
}

void Options::add_switch(const std::string& name, const std::string& help, std::function<void(bool)> set) {
  Impl::Flag& flag = impl_->flags.emplace_back(Impl::Flag{.name = "--" + name});
  flag.set = [&flag, set = std::move(set)](const std::string&) { set(flag.on); };
  flag.option = impl_->app.add_flag(flag.name, flag.on, help)->group(impl_->group);
}

void Options::add_flag(const std::string& name, bool& target, const std::string& help) {
  add_switch(name, help, [&target](bool on) { target = on; });
}

void Options::add_integer(const std::string& name, Index& target, Index min, Index max,
                          const std::string& help) {
  add_value(name, "N", with_default(help, std::to_string(target)),
            [&target, name, min, max](const std::string& text) {
              target = parse_number<Index>("--" + name, text, min, max);
            });
}

void Options::add_integer(const std::string& name, std::optional<Index>& target, Index min, Index max,
                          const std::string& help) {
  add_value(name, "N", with_default(help, target ? std::to_string(*target) : ""),
            [&target, name, min, max](const std::string& text) {
              target = parse_number<Index>("--" + name, text, min, max);
            });
}

void Options::add_number(const std::string& name, double& target, double min, double max,
                         const std::string& help) {
  std::array<char, 32> text{};
  const auto end = std::to_chars(text.data(), text.data() + text.size(), target).ptr;
  add_value(name, "X", with_default(help, std::string(text.data(), end)),
            [&target, name, min, max](const std::string& value) {
              target = parse_number<double>("--" + name, value, min, max);
            });
}

void Options::add_text(const std::string& name, std::string& target, const std::string& help) {
  add_value(name, "TEXT", with_default(help, target), [&target, name](const std::string& text) {
    if (text.empty()) fail(ErrorCode::kUsage, {.where = "--" + name, .what = "is empty"});
    target = text;
  });
}

void Options::add_texts(const std::string& name, std::vector<std::string>& target, const std::string& help) {
  const auto set = [&target](const std::string& text) { target.push_back(text); };
  add_value(name, "TEXT", help + " (may be repeated)", set, true);
}

void Options::add_choice(const std::string& name, std::string& target,
                         std::span<const std::string_view> choices, const std::string& help) {
  const std::string names = join(choices);
  add_value(name, "NAME", with_default(help + ": " + names, target),
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
