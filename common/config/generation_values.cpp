#include <cmath>
#include <nlohmann/json.hpp>
#include <sstream>

#include "common/base/error.h"
#include "common/config/generation_fields.h"
#include "common/io/json.h"

namespace llm {
namespace {

using G = GenerationConfig;

[[noreturn]] void fail_range(const JsonReader& value, const std::string& expected) {
  fail(ErrorCode::kRange,
       {.where = value.place(), .what = "got", .got = value.json().dump(), .expected = expected});
}

Index read_index(const NumberRange& range, const JsonReader& value) {
  return value.integer(static_cast<Index>(range.min), static_cast<Index>(range.max));
}

Token read_token(const NumberRange& range, const JsonReader& value) {
  return static_cast<Token>(read_index(range, value));
}

double read_number(const NumberRange& range, const JsonReader& value) {
  if (!value.is_number()) value.fail_expected(range_text(range, false));
  const double number = value.number();
  if (!range.contains(number)) fail_range(value, range_text(range, false));
  return number;
}

// A number, or the strings "inf" and "-inf".
double read_bias(const JsonReader& value) {
  if (value.is_string() && value.string() == "-inf") return -INFINITY;
  if (value.is_string() && value.string() == "inf") return INFINITY;
  if (!value.is_number()) value.fail_expected("a number or \"-inf\"");
  return value.number();
}

// Token ids: one, or a list that may have to hold at least one.
std::vector<Token> read_tokens(const NumberRange& range, const JsonReader& value, bool may_be_empty) {
  if (value.is_integer()) return {read_token(range, value)};
  if (!value.is_array()) value.fail_expected("a token id or a list of them");
  std::vector<Token> ids;
  for (Index i = 0; i < value.size(); ++i) ids.push_back(read_token(range, value.at(i)));
  if (ids.empty() && !may_be_empty) value.fail_expected("at least one token id");
  return ids;
}

void expect_entries(const JsonReader& value, const std::string& what) {
  if (!value.is_array() || value.size() == 0) value.fail_expected("a list of at least one " + what);
}

// One overload a type of member. f is the field's row, v the JSON value, t the member.
void read(const GenerationField&, const JsonReader& v, bool& t) { t = v.boolean(); }
void read(const GenerationField& f, const JsonReader& v, Index& t) { t = read_index(f.range, v); }
void read(const GenerationField& f, const JsonReader& v, double& t) { t = read_number(f.range, v); }
void read(const GenerationField& f, const JsonReader& v, std::optional<Index>& t) {
  t = read_index(f.range, v);
}
void read(const GenerationField& f, const JsonReader& v, std::optional<double>& t) {
  t = read_number(f.range, v);
}
void read(const GenerationField& f, const JsonReader& v, std::optional<Token>& t) {
  t = read_token(f.range, v);
}
void read(const GenerationField& f, const JsonReader& v, std::vector<Token>& t) {
  t = read_tokens(f.range, v, true);
}

void read(const GenerationField& f, const JsonReader& v, std::string& t) {
  std::istringstream choices{std::string(f.choices)};
  std::string names;
  for (std::string choice; choices >> choice;) {
    if (v.is_string() && v.string() == choice) {
      t = choice;
      return;
    }
    names += (names.empty() ? "" : ", ") + choice;
  }
  v.fail_expected("one of " + names);
}

void read(const GenerationField&, const JsonReader& v, EarlyStopping& t) {
  if (v.is_bool())
    t = v.boolean() ? EarlyStopping::kTrue : EarlyStopping::kFalse;
  else if (v.is_string() && v.string() == "never")
    t = EarlyStopping::kNever;
  else
    v.fail_expected("true, false or \"never\"");
}

void read(const GenerationField& f, const JsonReader& v, std::vector<std::vector<Token>>& t) {
  expect_entries(v, "list of token ids");
  t.clear();
  for (Index i = 0; i < v.size(); ++i) {
    if (!v.at(i).is_array()) v.at(i).fail_expected("a list of token ids");
    t.push_back(read_tokens(f.range, v.at(i), false));
  }
}

void read(const GenerationField&, const JsonReader& v, std::vector<std::string>& t) {
  t = v.is_string() ? std::vector<std::string>{v.string()} : v.strings();
  for (const std::string& text : t)
    if (text.empty()) v.fail_expected("no empty text");
}

void read(const GenerationField& f, const JsonReader& v, std::vector<SequenceBias>& t) {
  expect_entries(v, "[token ids, bias]");
  t.clear();
  for (Index i = 0; i < v.size(); ++i) {
    const JsonReader entry = v.at(i);
    if (!entry.is_array() || entry.size() != 2 || !entry.at(Index{0}).is_array())
      entry.fail_expected("[token ids, bias]");
    t.push_back({read_tokens(f.range, entry.at(Index{0}), false), read_bias(entry.at(Index{1}))});
  }
}

void read(const GenerationField&, const JsonReader& v, std::optional<ExponentialDecay>& t) {
  if (!v.is_array() || v.size() != 2) v.fail_expected("[start, factor]");
  t = {.start = v.at(Index{0}).integer(0, INT32_MAX),
       .factor = read_number({.min = 0, .open_min = true}, v.at(Index{1}))};
}

void read(const GenerationField&, const JsonReader& v, std::optional<WatermarkingConfig>& t) {
  WatermarkingConfig config;
  v.expect_object();
  for (const auto& [key, item] : v.json().items()) {
    if (item.is_null()) continue;
    const JsonReader value = v.at(key);
    if (key == "greenlist_ratio")
      config.greenlist_ratio = read_number({.min = 0, .max = 1, .open_min = true, .open_max = true}, value);
    else if (key == "bias")
      config.bias = value.number();
    else if (key == "hashing_key")
      config.hashing_key = value.integer(0);
    else if (key == "context_width")
      config.context_width = value.integer(1, 1024);
    else if (key == "seeding_scheme" && (item == "lefthash" || item == "selfhash"))
      config.seeding_scheme = value.string();
    else if (key == "seeding_scheme")
      value.fail_expected("\"lefthash\" or \"selfhash\"");
    else
      value.fail_here(
          "unknown field; there are greenlist_ratio, bias, hashing_key, seeding_scheme, context_width");
  }
  t = config;
}

void read(const GenerationField&, const JsonReader& v, std::optional<QuantizedCacheConfig>& t) {
  QuantizedCacheConfig config;
  v.expect_object();
  for (const auto& [key, item] : v.json().items()) {
    if (item.is_null()) continue;
    const JsonReader value = v.at(key);
    if (key == "nbits" && value.integer() != 4 && value.integer() != 8)
      fail_range(value, "4 or 8");
    else if (key == "nbits")
      config.nbits = value.integer();
    else if (key == "q_group_size")
      config.q_group_size = value.integer(1, 8192);
    else if (key == "residual_length")
      config.residual_length = value.integer(0, INT32_MAX);
    else if (key != "backend" && key != "axis_key" && key != "axis_value")  // how, not what: ours are fixed
      value.fail_here("unknown field; there are nbits, q_group_size, residual_length");
  }
  t = config;
}

// The same back to JSON.
Json write(bool t) { return t; }
Json write(Index t) { return t; }
Json write(double t) { return std::isinf(t) ? Json(t > 0 ? "inf" : "-inf") : Json(t); }
Json write(const std::string& t) { return t; }
Json write(Token t) { return t; }
Json write(const std::vector<Token>& t) { return t.size() == 1 ? Json(t.front()) : Json(t); }
Json write(const std::vector<std::vector<Token>>& t) { return t; }
Json write(const std::vector<std::string>& t) { return t; }
Json write(EarlyStopping t) {
  return t == EarlyStopping::kNever ? Json("never") : Json(t == EarlyStopping::kTrue);
}
Json write(const std::vector<SequenceBias>& t) {
  Json list = Json::array();
  for (const SequenceBias& entry : t) list.push_back(Json::array({entry.ids, write(entry.bias)}));
  return list;
}
Json write(const ExponentialDecay& t) { return Json::array({t.start, t.factor}); }
Json write(const WatermarkingConfig& t) {
  return {{"greenlist_ratio", t.greenlist_ratio},
          {"bias", t.bias},
          {"hashing_key", t.hashing_key},
          {"seeding_scheme", t.seeding_scheme},
          {"context_width", t.context_width}};
}
Json write(const QuantizedCacheConfig& t) {
  return {{"nbits", t.nbits}, {"q_group_size", t.q_group_size}, {"residual_length", t.residual_length}};
}

template <class T>
Json write(const std::optional<T>& t) {
  return t ? write(*t) : Json(nullptr);
}

}  // namespace

std::string range_text(const NumberRange& range, bool integer) {
  const std::string kind = integer ? "an integer" : "a number";
  const auto text = [](double number) {
    return number == std::floor(number) && std::abs(number) < 1e15
               ? std::to_string(static_cast<Index>(number))
               : Json(number).dump();
  };
  const bool low = !std::isinf(range.min), high = !std::isinf(range.max);
  if (low && high && !range.open_min && !range.open_max)
    return kind + " from " + text(range.min) + " to " + text(range.max);
  std::string result = kind;
  if (low) result += (range.open_min ? " above " : " of at least ") + text(range.min);
  if (high)
    result += (low ? " and " : " ") + std::string(range.open_max ? "below " : "at most ") + text(range.max);
  return result;
}

void read_generation_field(GenerationConfig& config, const GenerationField& field, const JsonReader& value) {
  std::visit([&](auto member) { read(field, value, config.*member); }, field.member);
  config.given.insert(field.name);
}

std::string generation_field_json(const GenerationConfig& config, const GenerationField& field) {
  return std::visit([&](auto member) { return write(config.*member).dump(-1, ' ', true); }, field.member);
}

bool is_neutral(const GenerationConfig& config, const GenerationField& field) {
  static const GenerationConfig defaults;
  return std::visit(
      [&](auto member) {
        const auto& value = config.*member;
        if (value == defaults.*member) return true;
        if constexpr (std::is_constructible_v<std::optional<double>, decltype(value)>)
          return field.off.has_value() && std::optional<double>(value) == field.off;
        else
          return false;
      },
      field.member);
}

}  // namespace llm
