// What a conformance function finds out about an implementation of a seam.
#pragma once

#include <doctest/doctest.h>

#include <string>
#include <string_view>
#include <vector>

#include "common/base/error.h"

namespace llm::test {

// Claims that did not hold, rather than test failures at once: so that a test can also show that a wrong
// implementation is caught, and by which claim.
class Checks {
 public:
  explicit Checks(std::string subject) : subject_(std::move(subject)) {}

  void that(bool holds, const std::string& claim) {
    if (!holds) failures_.push_back(subject_ + ": " + claim);
  }

  // Whether f() throws an Error with that code.
  template <class F>
  void fails(ErrorCode code, const std::string& claim, F&& f) {
    try {
      f();
    } catch (const Error& error) {
      return that(error.code() == code, claim + ", with the right code; got: " + error.what());
    }
    that(false, claim);
  }

  // Runs one part of a conformance check; an exception in it is a failed claim.
  template <class F>
  void part(const std::string& name, F&& f) {
    try {
      f();
    } catch (const std::exception& error) {
      that(false, name + " throws: " + error.what());
    }
  }

  const std::vector<std::string>& failures() const { return failures_; }

 private:
  std::string subject_;
  std::vector<std::string> failures_;
};

// In a test case: everything must hold.
inline void expect_conforms(const Checks& checks) {
  for (const std::string& failure : checks.failures()) FAIL_CHECK(failure);
  CHECK(checks.failures().empty());
}

// In a test case: a broken implementation must be caught by a claim with these words.
inline void expect_caught(const Checks& checks, std::string_view words) {
  bool found = false;
  std::string all;
  for (const std::string& failure : checks.failures()) {
    found = found || failure.find(words) != std::string::npos;
    all += failure + "\n";
  }
  INFO("looked for: ", words, "\nfailed claims:\n", all);
  CHECK(found);
}

}  // namespace llm::test
