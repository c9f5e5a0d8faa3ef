// A list of numbers that knows its smallest one: a tree in which every node is the least of its sixteen
// children.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <vector>

#include "common/base/types.h"

namespace llm {

// Changing a number and finding the smallest each touch one node a level: a word of 16 symbols has one level,
// a text of a million has five. Its memory stays from one use to the next.
class MinTree {
 public:
  static constexpr std::int32_t kNothing = std::numeric_limits<std::int32_t>::max();

  // `count` numbers, all kNothing; to be set with fill(), then build().
  void reset(Index count) {
    depth_ = 0;
    for (Index size = std::max<Index>(count, 1);; size = (size + kWidth - 1) / kWidth) {
      if (static_cast<Index>(levels_.size()) == depth_) levels_.emplace_back();
      const Index padded = (size + kWidth - 1) / kWidth * kWidth;
      levels_[depth_++].assign(static_cast<std::size_t>(padded), kNothing);
      if (size <= kWidth) return;
    }
  }
  void fill(Index i, std::int32_t number) { levels_[0][i] = number; }
  void build() {
    for (Index level = 1; level < depth_; ++level) {
      const Index nodes = static_cast<Index>(levels_[level - 1].size()) / kWidth;
      for (Index node = 0; node < nodes; ++node) levels_[level][node] = least_child(level, node);
    }
  }

  void set(Index i, std::int32_t number) {
    levels_[0][i] = number;
    for (Index level = 1; level < depth_; ++level) {
      i /= kWidth;
      const std::int32_t least = least_child(level, i);
      if (levels_[level][i] == least) return;
      levels_[level][i] = least;
    }
  }

  // Where the smallest number stands, the leftmost of equal ones; -1 if all are kNothing.
  Index smallest() const {
    const std::int32_t least = least_child(depth_, 0);
    if (least == kNothing) return -1;
    Index node = 0;
    for (Index level = depth_; level-- > 0;) {
      const std::int32_t* children = &levels_[level][node * kWidth];
      node = node * kWidth + (std::find(children, children + kWidth, least) - children);
    }
    return node;
  }

 private:
  static constexpr Index kWidth = 16;

  // The least of the children of a node, which are on the level below.
  std::int32_t least_child(Index level, Index node) const {
    const std::int32_t* children = &levels_[level - 1][node * kWidth];
    std::int32_t least = children[0];
    for (Index i = 1; i < kWidth; ++i) least = std::min(least, children[i]);
    return least;
  }

  std::vector<std::vector<std::int32_t>> levels_;  // the numbers first
  Index depth_ = 0;                                // levels in use
};

}  // namespace llm
