#include "common/tensor/tensor.h"

#include <doctest/doctest.h>

#include <cstdint>
#include <numeric>

namespace llm {
namespace {

TEST_CASE("a view finds elements by their strides") {
  int data[24];
  std::iota(data, data + 24, 0);
  const View<int, 3> view(data, {2, 3, 4});
  CHECK(view(1, 2, 3) == 23);
  CHECK(view(0, 2, 1) == 9);
  CHECK(view[1](0, 2) == 14);
  CHECK(view[1][2][3] == 23);
  CHECK(view.size() == 24);
  CHECK(view.slice(1, 1)(0, 1, 0) == 16);
  CHECK(view.slice(1, 1).shape(0) == 1);
  CHECK(view.reshape<2>({6, 4})(4, 2) == 18);
  CHECK(*(view[0][1].end() - 1) == 7);

  const View<const int, 2> transposed(data, {4, 6}, {1, 4});
  CHECK(transposed(3, 5) == 23);
  CHECK(transposed(1, 2) == 9);
  CHECK_FALSE(transposed.contiguous());
  CHECK(view.contiguous());
  CHECK(View<const int, 3>(view).contiguous());
  CHECK(View<int, 2>(data, {1, 5}, {77, 1}).contiguous());  // a stride of an axis of one does not matter
}

TEST_CASE("a tensor owns aligned memory, moves and clones") {
  Tensor<float, 2> tensor({3, 5}, 1.5f);
  CHECK(reinterpret_cast<std::uintptr_t>(tensor.data()) % kTensorAlignment == 0);
  tensor(2, 4) = 7.0f;
  const Tensor<float, 2> copy = tensor.clone();
  tensor(2, 4) = 8.0f;
  CHECK(copy(2, 4) == 7.0f);
  CHECK(copy(0, 0) == 1.5f);
  CHECK(copy.bytes() == 60);

  const float* data = tensor.data();
  const Tensor<float, 2> moved = std::move(tensor);
  CHECK(moved.data() == data);
  CHECK(tensor.data() == nullptr);  // NOLINT: what is left behind is empty, on purpose
  CHECK(tensor.size() == 0);
  CHECK(tensor.empty());
}

TEST_CASE("a tensor without elements is fine, one without memory is an error") {
  const Tensor<float, 2> nothing({0, 7});
  CHECK(nothing.empty());
  CHECK(nothing.clone().size() == 0);
  using Matrix = Tensor<double, 2>;
  CHECK_THROWS_AS(Matrix({Index{1} << 40, Index{1} << 40}), Error);
  CHECK_THROWS_AS(Matrix({-1, 4}), Error);
}

}  // namespace
}  // namespace llm
