// What a part of the code throws that the reader has not written yet. Every file with an exercise includes
// this, and so the usual parts of the standard library: a solution may want others than the finished code
// does.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>
#include <optional>
#include <set>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace llm {

class NotStarted : public std::runtime_error {
 public:
  // `exercise` is an id such as "02-3".
  explicit NotStarted(const std::string& exercise)
      : std::runtime_error("exercise " + exercise + " is not started"), exercise_(exercise) {}

  const std::string& exercise() const { return exercise_; }

 private:
  std::string exercise_;
};

}  // namespace llm
