#include "common/text/jinja/arguments.h"

#include <algorithm>

#include "common/text/jinja/operators.h"

namespace llm::jinja {

Bound::Bound(std::string_view function, Arguments arguments, std::initializer_list<std::string_view> names,
             std::size_t required)
    : function_(function), names_(names), values_(names.size()) {
  if (arguments.positional.size() > names_.size()) {
    fault(function_ + "() takes at most " + std::to_string(names_.size()) + " arguments (" +
          std::to_string(arguments.positional.size()) + " given)");
  }
  for (std::size_t i = 0; i < arguments.positional.size(); ++i)
    values_[i] = std::move(arguments.positional[i]);
  for (auto& [name, value] : arguments.named) {
    const auto place = std::find(names_.begin(), names_.end(), name);
    if (place == names_.end()) fault(function_ + "() got an unexpected keyword argument '" + name + "'");
    std::optional<Value>& slot = values_[static_cast<std::size_t>(place - names_.begin())];
    if (slot) fault(function_ + "() got multiple values for argument '" + name + "'");
    slot = std::move(value);
  }
  for (std::size_t i = 0; i < required; ++i) {
    if (!values_[i]) fault(function_ + "() missing the argument '" + std::string(names_[i]) + "'");
  }
}

const Value& Bound::operator[](std::size_t i) const {
  static const Value kNone;
  return values_[i] ? *values_[i] : kNone;
}

bool Bound::flag(std::size_t i, bool otherwise) const { return values_[i] ? truth(*values_[i]) : otherwise; }

Index Bound::integer(std::size_t i, Index otherwise, bool none_is_missing) const {
  if (!values_[i] || (none_is_missing && values_[i]->is_none())) return otherwise;
  return as_index(*values_[i], function_ + "() argument '" + std::string(names_[i]) + "'");
}

const std::string& Bound::text(std::size_t i) const {
  const Value& value = (*this)[i];
  if (value.is_undefined()) fault_undefined(value);
  if (!value.is_string()) {
    fault(function_ + "() argument '" + std::string(names_[i]) + "' must be str, not " + type_name(value));
  }
  return value.string();
}

std::optional<std::string> Bound::optional_text(std::size_t i) const {
  if ((*this)[i].is_none()) return std::nullopt;
  return text(i);
}

}  // namespace llm::jinja
