// The arguments of one call, put in the order of the function's parameters.
#pragma once

#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "common/text/jinja/value.h"

namespace llm::jinja {

class Bound {
 public:
  // Errors: kMismatch for too many arguments, a name that is none of `names`, one given twice, and when one
  // of the first `required` is missing.
  Bound(std::string_view function, Arguments arguments, std::initializer_list<std::string_view> names,
        std::size_t required = 0);

  bool has(std::size_t i) const { return values_[i].has_value(); }
  // The argument, or None where it is missing.
  const Value& operator[](std::size_t i) const;
  Value value_or(std::size_t i, Value otherwise) const { return values_[i].value_or(std::move(otherwise)); }
  bool flag(std::size_t i, bool otherwise = false) const;
  // A whole number; missing: otherwise. None is a mismatch unless none_is_missing.
  Index integer(std::size_t i, Index otherwise, bool none_is_missing = false) const;
  // A text; its type is checked.
  const std::string& text(std::size_t i) const;
  // A text, or nothing where it is missing or None.
  std::optional<std::string> optional_text(std::size_t i) const;

 private:
  std::string function_;
  std::vector<std::string_view> names_;
  std::vector<std::optional<Value>> values_;
};

}  // namespace llm::jinja
