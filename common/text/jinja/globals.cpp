// What every template finds besides its variables.
#include <algorithm>
#include <array>

#include "common/text/jinja/arguments.h"
#include "common/text/jinja/objects.h"
#include "common/text/jinja/operators.h"
#include "common/text/jinja/strings.h"

namespace llm::jinja {
namespace {

Value range(Interpreter&, Arguments arguments) {
  const bool one = arguments.positional.size() == 1;
  if (!arguments.named.empty()) fault("range() takes no keyword arguments");
  const Bound bound("range", std::move(arguments), {"start", "stop", "step"}, 1);
  const Index start = one ? 0 : bound.integer(0, 0);
  const Index stop = one ? bound.integer(0, 0) : bound.integer(1, 0);
  const Index step = bound.integer(2, 1);
  if (step == 0) fault("range() arg 3 must not be zero");
  constexpr Index kFar = Index{1} << 40;
  if (std::max({std::abs(start), std::abs(stop), std::abs(step)}) > kFar)
    fault("range() beyond 2^40", ErrorCode::kRange);
  const Index distance = step > 0 ? stop - start : start - stop;
  const Index count = distance <= 0 ? 0 : (distance - 1) / std::abs(step) + 1;
  if (count > kMaxRange)
    fault("Range too big. The sandbox blocks ranges larger than MAX_RANGE (100000).", ErrorCode::kRange);
  return Value(std::make_shared<Range>(start, stop, step, count));
}

// dict(...) and the attributes of namespace(...): a mapping or pairs, then named values.
Dict make_dict(Interpreter& interpreter, const Arguments& arguments) {
  Dict dict;
  if (arguments.positional.size() > 1) fault("dict expected at most 1 argument");
  if (!arguments.positional.empty()) {
    const Value& source = arguments.positional[0];
    if (source.is(Kind::kDict)) {
      dict = source.dict();
    } else {
      for (const Value& pair : to_items(source, interpreter.budget())) {
        const Items parts = to_items(pair, interpreter.budget());
        if (parts.size() != 2) fault("dictionary update sequence element has not length 2");
        dict.set(parts[0], parts[1]);
      }
    }
  }
  for (const auto& [name, value] : arguments.named) dict.set(name, value);
  return dict;
}

Value dict(Interpreter& interpreter, Arguments arguments) {
  return Value::dict(make_dict(interpreter, arguments));
}

Value make_namespace(Interpreter& interpreter, Arguments arguments) {
  Dict attributes = make_dict(interpreter, arguments);
  for (const auto& [name, value] : attributes.entries()) {
    if (name.is_string() && name.string().starts_with('_')) {
      fault("a namespace has no attributes that start with an underscore");
    }
  }
  const auto object = interpreter.make_namespace();
  object->attributes = std::move(attributes);
  return Value(std::shared_ptr<Object>(object));
}

// The conversation is not what the template wants, and the template says so.
Value raise_exception(Interpreter& interpreter, Arguments arguments) {
  const Bound bound("raise_exception", std::move(arguments), {"message"}, 1);
  fault(to_text(bound[0], interpreter.budget()));
}

Value strftime_now(Interpreter& interpreter, Arguments arguments) {
  const Bound bound("strftime_now", std::move(arguments), {"format"}, 1);
  const std::string& format = bound.text(0);
  if (format.empty()) return Value(std::string());
  std::array<char, 4096> buffer{};
  if (format.size() > buffer.size() / 16) fault("a date format of more than 256 bytes", ErrorCode::kRange);
  const std::size_t size = std::strftime(buffer.data(), buffer.size(), format.c_str(), &interpreter.now());
  return Value(std::string(buffer.data(), size));
}

Value lipsum(Interpreter&, Arguments) { unsupported("the function lipsum()"); }

// joiner(", "): nothing at the first call, then the separator.
Value joiner(Interpreter&, Arguments arguments) {
  const Bound bound("joiner", std::move(arguments), {"sep"});
  const Value separator = bound.value_or(0, Value(std::string(", ")));
  const auto used = std::make_shared<bool>(false);
  return Value(std::make_shared<Function>(
      "joiner",
      [separator, used](Interpreter&, const Arguments&) {
        return std::exchange(*used, true) ? separator : Value(std::string());
      },
      separator.depth() + 1));
}

// cycler(a, b): .next(), .current and .reset().
class Cycler : public Object {
 public:
  explicit Cycler(Items items) : items_(std::move(items)), depth_(Value::list(items_).depth()) {}

  std::string type_name() const override { return "Cycler"; }
  int depth() const override { return depth_; }
  std::optional<Value> attribute(Interpreter&, const std::string& name) override {
    if (name == "current") return items_[*at_];
    if (name != "next" && name != "reset") return std::nullopt;
    const auto body = [items = items_, at = at_, name](Interpreter&, const Arguments&) {
      const std::size_t now = std::exchange(*at, name == "next" ? (*at + 1) % items.size() : 0);
      return name == "next" ? items[now] : Value();
    };
    return Value(std::make_shared<Function>(name, body, depth_ + 1));
  }

 private:
  Items items_;
  int depth_;
  std::shared_ptr<std::size_t> at_ = std::make_shared<std::size_t>(0);
};

Value cycler(Interpreter&, Arguments arguments) {
  if (arguments.positional.empty()) fault("at least one item has to be provided");
  return Value(std::make_shared<Cycler>(std::move(arguments.positional)));
}

constexpr std::array<std::pair<const char*, Value (*)(Interpreter&, Arguments)>, 8> kGlobals = {{
    {"range", range},
    {"dict", dict},
    {"namespace", make_namespace},
    {"raise_exception", raise_exception},
    {"strftime_now", strftime_now},
    {"joiner", joiner},
    {"cycler", cycler},
    {"lipsum", lipsum},
}};

}  // namespace

void add_globals(Scope& scope) {
  for (const auto& [name, body] : kGlobals) scope.set(name, Value(std::make_shared<Function>(name, body)));
}

}  // namespace llm::jinja
