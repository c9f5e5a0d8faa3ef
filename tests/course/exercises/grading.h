// The expectations of the tests that grade the exercises. A failed one ends its test case and says what was
// expected, what came, where they first differ, and which mistake gives exactly what came.
#pragma once

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "common/base/error.h"
#include "common/base/types.h"
#include "common/tensor/view.h"
#include "tests/course/exercises/not_started.h"

namespace llm::grading {

// What a mistake would give, computed by an oracle that makes it, and the sentence that the reader is told.
template <class T>
struct Mistake {
  T value;
  std::string says;
};

template <class T>
using Mistakes = std::vector<Mistake<std::type_identity_t<T>>>;

// Where an expectation stands (clang 14 has no std::source_location).
struct Location {
  const char* file;
  unsigned line;
  static constexpr Location current(const char* file = __builtin_FILE(), unsigned line = __builtin_LINE()) {
    return {file, line};
  }
};

// Thrown by the expectations; the reporter in grading_main.cpp writes it down.
struct WrongAnswer {
  std::string what = {};
  std::string expected = {};
  std::string got = {};
  std::string index = {};       // the first place that differs, "" where there is no such place
  std::string looks_like = {};  // the mistake that gives what came, "" if none of the known ones
  std::string file = {};        // of the expectation
  unsigned line = 0;
};

#ifndef LLM_EXERCISE_DATA
#define LLM_EXERCISE_DATA "."
#endif
// The file `name` in the folder data/ beside the test.
std::string data_path(std::string_view name, std::string_view folder = LLM_EXERCISE_DATA);

// How a value is shown: strings in quotes with invisible bytes as \xNN, lists as [a, b, ...].
std::string show(bool value);
std::string show(char32_t value);
std::string show(double value);
std::string show(std::string_view value);
inline std::string show(const std::string& value) { return show(std::string_view(value)); }
inline std::string show(const char* value) { return show(std::string_view(value)); }
inline std::string show(float value) { return show(static_cast<double>(value)); }
template <class T>
requires std::is_integral_v<T> std::string show(T value) { return std::to_string(value); }
template <class A, class B>
std::string show(const std::pair<A, B>& value);
template <class T>
std::string show(const std::optional<T>& value);
template <class T>
std::string show(const std::vector<T>& values);

// `items` around `index` as "[a, b, ...]", where the list is too long to be shown whole.
std::string show_items(const std::vector<std::string>& items, Index index);
// `text` around byte `index`, where it is too long to be shown whole.
std::string show_around(std::string_view text, Index index);

template <class A, class B>
std::string show(const std::pair<A, B>& value) {
  return "(" + show(value.first) + ", " + show(value.second) + ")";
}

template <class T>
std::string show(const std::optional<T>& value) {
  return value ? show(*value) : "nothing";
}

template <class T>
std::string show(const std::vector<T>& values) {
  std::vector<std::string> items;
  for (const auto& value : values) items.push_back(show(static_cast<const T&>(value)));
  return show_items(items, 0);
}

namespace internal {

[[noreturn]] void wrong(WrongAnswer answer, const Location& location);

// The numbers of a tensor, row after row, and its shape.
struct Numbers {
  std::vector<Index> shape;
  std::vector<double> values;

  Numbers() = default;
  Numbers(double number) : values{number} {}
  template <class T>
  Numbers(const std::vector<T>& list)
      : shape{static_cast<Index>(list.size())}, values(list.begin(), list.end()) {}
  template <class T, int R>
  Numbers(View<T, R> view) : shape(view.shape().begin(), view.shape().end()) {
    add(view);
  }

 private:
  template <class T, int R>
  void add(View<T, R> view) {
    for (Index i = 0; i < view.shape(0); ++i) {
      if constexpr (R == 1) {
        values.push_back(static_cast<double>(view[i]));
      } else {
        add(view[i]);
      }
    }
  }
};

void check_close(std::string_view what, const Numbers& got, const Numbers& expected, double tolerance,
                 const std::vector<Mistake<Numbers>>& mistakes, const Location& location);
void check_error(std::string_view what, ErrorCode expected, const std::optional<ErrorCode>& got,
                 std::string_view message, std::string_view if_accepted, const Location& location);

// Where two values first differ; -1 where there is no such place.
template <class T>
Index first_difference(const T&, const T&) {
  return -1;
}
template <class T>
Index first_difference(const std::vector<T>& a, const std::vector<T>& b) {
  return std::mismatch(a.begin(), a.end(), b.begin(), b.end()).first - a.begin();
}
inline Index first_difference(const std::string& a, const std::string& b) {
  return std::mismatch(a.begin(), a.end(), b.begin(), b.end()).first - a.begin();
}

// What the place of a difference counts.
template <class T>
std::string place_name() {
  return std::is_same_v<T, std::string> ? "byte " : "index ";
}

template <class T>
std::string shown(const T& value, Index) {
  return show(value);
}
template <class T>
std::string shown(const std::vector<T>& values, Index index) {
  std::vector<std::string> items;
  for (const auto& value : values) items.push_back(show(static_cast<const T&>(value)));
  return show_items(items, index);
}
inline std::string shown(const std::string& text, Index index) { return show_around(text, index); }

}  // namespace internal

// `got` is `expected`: numbers, strings, pairs, optionals and vectors of them. NaN is never equal.
template <class T>
void expect_equal(std::string_view what, const T& got, const std::type_identity_t<T>& expected,
                  const Mistakes<T>& mistakes = {}, const Location& location = Location::current()) {
  if (got == expected) return;
  const Index index = internal::first_difference(got, expected);
  WrongAnswer answer{.what = std::string(what),
                     .expected = internal::shown(expected, index),
                     .got = internal::shown(got, index),
                     .index = index < 0 ? std::string() : internal::place_name<T>() + std::to_string(index)};
  for (const auto& mistake : mistakes)
    if (answer.looks_like.empty() && got == mistake.value) answer.looks_like = mistake.says;
  internal::wrong(answer, location);
}

// Every number of `got` is within `tolerance` of `expected`. Each may be a number, a vector or a View (of any
// rank; the first difference is then named as [row, column, ...]). NaN is never close to anything.
inline void expect_close(std::string_view what, const internal::Numbers& got,
                         const internal::Numbers& expected, double tolerance,
                         const std::vector<Mistake<internal::Numbers>>& mistakes = {},
                         const Location& location = Location::current()) {
  internal::check_close(what, got, expected, tolerance, mistakes, location);
}

// `condition` holds; `says` is the sentence for whom it does not.
void expect_true(std::string_view what, bool condition, std::string_view says = {},
                 const Location& location = Location::current());

// f() throws an Error of this code. `if_accepted` is the sentence for whoever throws nothing.
template <class F>
void expect_error(std::string_view what, ErrorCode code, const F& f, std::string_view if_accepted = {},
                  const Location& location = Location::current()) {
  std::optional<ErrorCode> got;
  std::string message;
  try {
    f();
  } catch (const Error& error) {
    got = error.code();
    message = error.what();
  }
  internal::check_error(what, code, got, message, if_accepted, location);
}

}  // namespace llm::grading
