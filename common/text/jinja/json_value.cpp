#include "common/text/jinja/json_value.h"

#include <nlohmann/json.hpp>

namespace llm::jinja {

Value from_json(const Json& json) {
  switch (json.type()) {
    case Json::value_t::boolean: return Value(json.get<bool>());
    case Json::value_t::number_integer: return Value(json.get<Index>());
    case Json::value_t::number_unsigned:
      if (json.get<std::uint64_t>() > static_cast<std::uint64_t>(INT64_MAX)) return Value(json.get<double>());
      return Value(json.get<Index>());
    case Json::value_t::number_float: return Value(json.get<double>());
    case Json::value_t::string: return Value(json.get_ref<const std::string&>());
    case Json::value_t::array: {
      Items items;
      for (const Json& item : json) items.push_back(from_json(item));
      return Value::list(std::move(items));
    }
    case Json::value_t::object: {
      Dict dict;
      for (const auto& [key, value] : json.items()) dict.set(key, from_json(value));
      return Value::dict(std::move(dict));
    }
    default: return Value();
  }
}

}  // namespace llm::jinja
