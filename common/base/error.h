// Errors that a user can cause: a damaged file, a wrong flag, a text that does not fit.
// A programmer's mistake is an assert instead.
#pragma once

#include <stdexcept>
#include <string>

namespace llm {

enum class ErrorCode {
  kUsage,        // a flag, a field or an argument that makes no sense
  kMissing,      // a file, a tensor or a key that is not there
  kFormat,       // a file that breaks the rules of its format
  kShape,        // sizes that do not fit each other
  kRange,        // a number outside its range
  kUnsupported,  // something real that this program does not do
  kMismatch,     // two things that are fine alone and do not belong together
  kIo,           // the operating system refused
  kMemory,       // more memory than there is
};

// The parts of one message. `where` names the place (file, tensor, key, flag); the rest is optional.
struct ErrorParts {
  std::string where = {};
  std::string what = {};
  std::string got = {};
  std::string expected = {};
  std::string remedy = {};
};

// One clear sentence: "where: what got, expected expected; remedy".
// For example "model.safetensors: tensor 'norm.weight': shape [64], expected [32] (hidden_size)".
class Error : public std::runtime_error {
 public:
  Error(ErrorCode code, ErrorParts parts);

  ErrorCode code() const { return code_; }
  const ErrorParts& parts() const { return parts_; }

 private:
  ErrorCode code_;
  ErrorParts parts_;
};

// Throws an Error; the short form for the usual case. Write
//   fail(ErrorCode::kShape, {.where = file, .what = "shape", .got = "[2]", .expected = "[3]"});
[[noreturn]] void fail(ErrorCode code, ErrorParts parts);

}  // namespace llm
