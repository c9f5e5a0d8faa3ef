// A tensor that somebody else owns: a pointer, a shape and strides.
#pragma once

#include <array>
#include <cassert>
#include <type_traits>

#include "common/base/types.h"

#ifdef __CUDACC__
#define LLM_HOST_DEVICE __host__ __device__
#else
#define LLM_HOST_DEVICE
#endif

namespace llm {

// Passed by value. T may be const. Strides count elements; the last one is 1 unless somebody transposed.
template <class T, int R>
class View {
  static_assert(R >= 1);

 public:
  using Shape = std::array<Index, R>;

  View() = default;

  // Row-major and contiguous.
  LLM_HOST_DEVICE View(T* data, const Shape& shape) : data_(data), shape_(shape) {
    Index stride = 1;
    for (int axis = R - 1; axis >= 0; --axis) {
      strides_[axis] = stride;
      stride *= shape_[axis];
    }
  }

  LLM_HOST_DEVICE View(T* data, const Shape& shape, const Shape& strides)
      : data_(data), shape_(shape), strides_(strides) {}

  // A view of T as a view of const T.
  LLM_HOST_DEVICE operator View<const T, R>() const { return {data_, shape_, strides_}; }

  LLM_HOST_DEVICE T* data() const { return data_; }
  LLM_HOST_DEVICE Index shape(int axis) const { return shape_[axis]; }
  LLM_HOST_DEVICE Index stride(int axis) const { return strides_[axis]; }
  LLM_HOST_DEVICE const Shape& shape() const { return shape_; }

  LLM_HOST_DEVICE Index size() const {
    Index product = 1;
    for (int axis = 0; axis < R; ++axis) product *= shape_[axis];
    return product;
  }
  LLM_HOST_DEVICE bool empty() const { return size() == 0; }

  // Element [i, j, ...].
  template <class... I>
  LLM_HOST_DEVICE T& operator()(I... index) const {
    static_assert(sizeof...(I) == R, "one index an axis");
    const Index indices[] = {static_cast<Index>(index)...};
    Index offset = 0;
    for (int axis = 0; axis < R; ++axis) {
      assert(indices[axis] >= 0 && indices[axis] < shape_[axis]);
      offset += indices[axis] * strides_[axis];
    }
    return data_[offset];
  }

  // The part [i, ...]: one axis less.
  LLM_HOST_DEVICE View<T, R - 1> operator[](Index i) const requires(R > 1) {
    assert(i >= 0 && i < shape_[0]);
    typename View<T, R - 1>::Shape shape{}, strides{};
    for (int axis = 1; axis < R; ++axis) {
      shape[axis - 1] = shape_[axis];
      strides[axis - 1] = strides_[axis];
    }
    return {data_ + i * strides_[0], shape, strides};
  }
  LLM_HOST_DEVICE T& operator[](Index i) const requires(R == 1) { return (*this)(i); }

  // The part [first, first + count) of the first axis.
  LLM_HOST_DEVICE View slice(Index first, Index count) const {
    assert(first >= 0 && count >= 0 && first + count <= shape_[0]);
    Shape shape = shape_;
    shape[0] = count;
    return {data_ + first * strides_[0], shape, strides_};
  }

  // Whether the elements lie one behind the other, the last axis fastest.
  LLM_HOST_DEVICE bool contiguous() const {
    Index stride = 1;
    for (int axis = R - 1; axis >= 0; --axis) {
      if (shape_[axis] != 1 && strides_[axis] != stride) return false;
      stride *= shape_[axis];
    }
    return true;
  }

  // The same elements in another contiguous shape.
  template <int Q>
  LLM_HOST_DEVICE View<T, Q> reshape(const std::array<Index, Q>& shape) const {
    assert(contiguous());
    return {data_, shape};
  }

  LLM_HOST_DEVICE T* begin() const requires(R == 1) {
    assert(strides_[0] == 1);
    return data_;
  }
  LLM_HOST_DEVICE T* end() const requires(R == 1) { return begin() + shape_[0]; }

 private:
  T* data_ = nullptr;
  Shape shape_{};
  Shape strides_{};
};

}  // namespace llm
