#include "common/base/error.h"

#include <utility>

namespace llm {
namespace {

std::string sentence(const ErrorParts& parts) {
  std::string text = parts.where;
  if (!parts.what.empty()) text += (text.empty() ? "" : ": ") + parts.what;
  if (!parts.got.empty()) text += " " + parts.got;
  if (!parts.expected.empty()) text += ", expected " + parts.expected;
  if (!parts.remedy.empty()) text += "; " + parts.remedy;
  return text;
}

}  // namespace

Error::Error(ErrorCode code, ErrorParts parts)
    : std::runtime_error(sentence(parts)), code_(code), parts_(std::move(parts)) {}

void fail(ErrorCode code, ErrorParts parts) { throw Error(code, std::move(parts)); }

}  // namespace llm
