// What a part of the code throws that the reader has not written yet.
#pragma once

#include <stdexcept>
#include <string>

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
