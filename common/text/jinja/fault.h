// What goes wrong while a template runs, and the limits that keep a hostile template from running for ever.
#pragma once

#include <stdexcept>
#include <string>

#include "common/base/error.h"
#include "common/base/types.h"

namespace llm::jinja {

// A mistake whose place is not known yet; the interpreter adds the line and throws an Error.
class Fault : public std::runtime_error {
 public:
  Fault(ErrorCode code, const std::string& message) : std::runtime_error(message), code_(code) {}
  ErrorCode code() const { return code_; }

 private:
  ErrorCode code_;
};

// kMismatch: what Python would call a TypeError, a ValueError and so on; the template and the conversation
// do not fit each other.
[[noreturn]] inline void fault(const std::string& message, ErrorCode code = ErrorCode::kMismatch) {
  throw Fault(code, message);
}

// Something that Jinja has and this interpreter lacks.
[[noreturn]] inline void unsupported(const std::string& construct) {
  throw Fault(ErrorCode::kUnsupported, construct + " is not supported");
}

// The remedy for a template that cannot be run.
inline constexpr const char* kOtherTemplates =
    "use --template chatml or --template plain instead of the model's own template";

inline constexpr Index kMaxSteps = 10'000'000;              // evaluated nodes and elements looked at
inline constexpr Index kMaxTraffic_bytes = Index{1} << 31;  // text and list slots read or made, in all
inline constexpr Index kMaxObject_bytes = Index{1} << 26;   // one string, or the slots of one list
inline constexpr int kMaxNesting = 200;                     // lists in lists, brackets in brackets
inline constexpr int kMaxDepth = 1000;       // evaluations inside evaluations, macro calls included
inline constexpr Index kMaxRange = 100'000;  // Jinja's sandbox has the same limit

// Counts what a rendering has used so far.
class Budget {
 public:
  void step(Index count = 1) {
    steps_ += count;
    if (steps_ > kMaxSteps) fault("the template does not come to an end", ErrorCode::kRange);
  }
  // For text that is read or made; call it before the memory is asked for.
  void use_bytes(Index bytes) {
    if (bytes > kMaxObject_bytes || (traffic_bytes_ += bytes) > kMaxTraffic_bytes) {
      fault("the template makes too much text", ErrorCode::kRange);
    }
  }

 private:
  Index steps_ = 0;
  Index traffic_bytes_ = 0;
};

}  // namespace llm::jinja
