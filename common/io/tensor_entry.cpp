#include "common/io/tensor_entry.h"

namespace llm {

std::string shape_text(std::span<const Index> shape) {
  std::string text = "[";
  for (const Index extent : shape) text += (text.size() > 1 ? "," : "") + std::to_string(extent);
  return text + "]";
}

}  // namespace llm
