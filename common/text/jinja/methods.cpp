#include "common/text/jinja/methods.h"

#include <algorithm>
#include <array>

#include "common/text/jinja/arguments.h"
#include "common/text/jinja/objects.h"
#include "common/text/jinja/operators.h"
#include "common/text/jinja/string_methods.h"
#include "common/text/jinja/strings.h"

namespace llm::jinja {
namespace {

using Method = Value (*)(Interpreter&, const Value& self, Arguments);

template <std::size_t N>
bool is_in(const std::array<const char*, N>& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

Value view(const Value& dict, DictView::What what, Arguments arguments) {
  const Bound bound("dict view", std::move(arguments), {});
  return Value(std::make_shared<DictView>(dict, what));
}

Value dict_keys(Interpreter&, const Value& self, Arguments arguments) {
  return view(self, DictView::What::kKeys, std::move(arguments));
}

Value dict_values(Interpreter&, const Value& self, Arguments arguments) {
  return view(self, DictView::What::kValues, std::move(arguments));
}

Value dict_items(Interpreter&, const Value& self, Arguments arguments) {
  return view(self, DictView::What::kItems, std::move(arguments));
}

Value dict_get(Interpreter&, const Value& self, Arguments arguments) {
  if (!arguments.named.empty()) fault("dict.get() takes no keyword arguments");
  const Bound bound("get", std::move(arguments), {"key", "default"}, 1);
  const Value* value = self.dict().find(bound[0]);
  return value == nullptr ? bound[1] : *value;
}

Value copy(Interpreter&, const Value& self, Arguments arguments) {
  const Bound bound("copy", std::move(arguments), {});
  return self;
}

Value count(Interpreter& interpreter, const Value& self, Arguments arguments) {
  const Bound bound("count", std::move(arguments), {"value"}, 1);
  Index found = 0;
  for (const Value& item : self.items()) {
    if (item.same_object(bound[0]) || equals(item, bound[0], interpreter.budget())) ++found;
  }
  return Value(found);
}

Value index(Interpreter& interpreter, const Value& self, Arguments arguments) {
  const Bound bound("index", std::move(arguments), {"value", "start", "stop"}, 1);
  const auto size = static_cast<Index>(self.items().size());
  const SliceRange range = resolve_slice(bound[1], bound[2], Value(), size);
  for (Index i = range.start; i < range.start + range.count; ++i) {
    const Value& item = self.items()[static_cast<std::size_t>(i)];
    if (item.same_object(bound[0]) || equals(item, bound[0], interpreter.budget())) return Value(i);
  }
  fault(repr(bound[0], interpreter.budget()) + " is not in list");
}

struct NamedMethod {
  const char* name;
  Method method;
};

constexpr std::array kDictMethods = {NamedMethod{"keys", dict_keys}, NamedMethod{"values", dict_values},
                                     NamedMethod{"items", dict_items}, NamedMethod{"get", dict_get},
                                     NamedMethod{"copy", copy}};
constexpr std::array kListMethods = {NamedMethod{"count", count}, NamedMethod{"index", index},
                                     NamedMethod{"copy", copy}};

// These would change the object.
constexpr std::array kHiddenDictMethods = {"clear", "pop", "popitem", "setdefault", "update"};
constexpr std::array kHiddenListMethods = {"append", "clear",  "extend",  "insert",
                                           "pop",    "remove", "reverse", "sort"};

Value bind(const Value& self, const NamedMethod& named) {
  return Value(std::make_shared<Function>(
      named.name,
      [self, method = named.method](Interpreter& interpreter, Arguments arguments) {
        interpreter.budget().use_bytes(self.size_bytes());
        return method(interpreter, self, std::move(arguments));
      },
      self.depth() + 1));
}

template <std::size_t N>
std::optional<Value> find_in(const std::array<NamedMethod, N>& methods, const Value& self,
                             const std::string& name) {
  for (const NamedMethod& named : methods) {
    if (name == named.name) return bind(self, named);
  }
  return std::nullopt;
}

Value hidden(const Value& object, const std::string& name) {
  return Value::undefined("access to attribute '" + name + "' of '" + type_name(object) +
                          "' object is unsafe.");
}

}  // namespace

std::optional<Value> find_method(const Value& object, const std::string& name) {
  switch (object.kind()) {
    case Kind::kString: {
      const StringMethod method = find_string_method(name);
      if (method == nullptr) return std::nullopt;
      return Value(
          std::make_shared<Function>(name, [object, method](Interpreter& interpreter, Arguments arguments) {
            interpreter.budget().use_bytes(object.size_bytes());
            return method(interpreter, object.string(), std::move(arguments));
          }));
    }
    case Kind::kDict:
      if (is_in(kHiddenDictMethods, name)) return hidden(object, name);
      return find_in(kDictMethods, object, name);
    case Kind::kList:
      if (is_in(kHiddenListMethods, name)) return hidden(object, name);
      return find_in(kListMethods, object, name);
    case Kind::kTuple: return name == "copy" ? std::nullopt : find_in(kListMethods, object, name);
    default: return std::nullopt;
  }
}

}  // namespace llm::jinja
