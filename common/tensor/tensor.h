// The only owner of tensor memory.
#pragma once

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <new>
#include <string>
#include <utility>

#include "common/base/checked.h"
#include "common/base/error.h"
#include "common/tensor/view.h"

namespace llm {

inline constexpr std::size_t kTensorAlignment = 64;  // one cache line, one AVX-512 vector

// Contiguous, 64-byte aligned, move-only. Elements are not initialised unless a value is given.
// Errors: kMemory if the size overflows or the memory is not there.
template <class T, int R>
class Tensor {
  static_assert(std::is_trivially_copyable_v<T>);

 public:
  using Shape = typename View<T, R>::Shape;

  Tensor() = default;
  explicit Tensor(const Shape& shape) : shape_(shape) { allocate(); }
  Tensor(const Shape& shape, T value) : Tensor(shape) { fill(value); }

  Tensor(Tensor&& other) noexcept { *this = std::move(other); }
  Tensor& operator=(Tensor&& other) noexcept {
    data_ = std::move(other.data_);
    shape_ = std::exchange(other.shape_, Shape{});
    return *this;
  }
  Tensor(const Tensor&) = delete;
  Tensor& operator=(const Tensor&) = delete;

  Tensor clone() const {
    Tensor copy(shape_);
    std::copy_n(data(), size(), copy.data());
    return copy;
  }

  void fill(T value) { std::fill_n(data(), size(), value); }

  View<T, R> view() { return {data(), shape_}; }
  View<const T, R> view() const { return {data(), shape_}; }
  operator View<T, R>() { return view(); }
  operator View<const T, R>() const { return view(); }

  T* data() { return data_.get(); }
  const T* data() const { return data_.get(); }
  Index shape(int axis) const { return shape_[axis]; }
  const Shape& shape() const { return shape_; }
  Index size() const { return view().size(); }
  Index bytes() const { return size() * static_cast<Index>(sizeof(T)); }
  bool empty() const { return data_ == nullptr || size() == 0; }

  template <class... I>
  T& operator()(I... index) {
    return view()(index...);
  }
  template <class... I>
  const T& operator()(I... index) const {
    return view()(index...);
  }
  auto operator[](Index i) { return view()[i]; }
  auto operator[](Index i) const { return view()[i]; }

 private:
  struct Free {
    void operator()(T* pointer) const { std::free(pointer); }
  };

  void allocate() {
    std::optional<Index> bytes = static_cast<Index>(sizeof(T));
    for (const Index extent : shape_)
      if (bytes) bytes = checked_mul(*bytes, extent);
    if (bytes) bytes = checked_add(*bytes, static_cast<Index>(kTensorAlignment) - 1);
    void* pointer = nullptr;
    if (bytes) {
      const auto rounded = static_cast<std::size_t>(*bytes) / kTensorAlignment * kTensorAlignment;
      pointer = std::aligned_alloc(kTensorAlignment, std::max(rounded, kTensorAlignment));
    }
    if (pointer == nullptr) {
      std::string text;
      for (const Index extent : shape_) text += (text.empty() ? "[" : ",") + std::to_string(extent);
      fail(ErrorCode::kMemory, {.where = "tensor", .what = "no memory for shape", .got = text + "]"});
    }
    data_.reset(static_cast<T*>(pointer));
  }

  std::unique_ptr<T[], Free> data_;
  Shape shape_{};
};

}  // namespace llm
