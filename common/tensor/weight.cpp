#include "common/tensor/weight.h"

#include <cassert>

namespace llm {

void dequantize_row(const Weight& weight, Index r, std::span<float> out) {
  assert(r >= 0 && r < weight.rows && static_cast<Index>(out.size()) == weight.cols);
  visit(weight, [&]<class Block>(View<const Block, 2> blocks) {
    float* values = out.data();
    for (const Block& block : blocks[r]) {
      to_float(block, values);
      values += Block::kValues;
    }
  });
}

}  // namespace llm
