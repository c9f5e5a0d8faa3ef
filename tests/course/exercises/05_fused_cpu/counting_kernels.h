// Kernels and a team of threads in plain C++ that count how they are called: they stand where kernels.cpp and
// thread_team.cpp would be linked. For one test program's only file.
#pragma once

#include <cmath>
#include <vector>

#include "chapters/05_fused_cpu/kernels.h"
#include "chapters/05_fused_cpu/thread_team.h"

namespace llm::grading {

struct Counts {
  Index meetings = 0;     // of the threads
  Index norms = 0;        // rows that were normalized
  Index most_swiglu = 0;  // the most numbers that one call of swiglu was given
  Index panels = 0;       // products of up to kPanelRows rows of a weight
};
inline Counts counts;

// Float32 weights only.
inline void plain_product(const ProductPanel& panel) {
  ++counts.panels;
  const View<const float, 2> weight = float_matrix(panel.weight);
  for (Index n = 0; n < panel.N; ++n)
    for (Index m = 0; m < weight.shape(0); ++m) {
      double sum = 0;
      for (Index k = 0; k < weight.shape(1); ++k)
        sum +=
            static_cast<double>(weight(m, k)) * static_cast<double>(panel.x.data[n * panel.x.row_stride + k]);
      panel.out[n * panel.out_stride + m] = static_cast<float>(sum);
    }
}

inline void plain_norm(const RmsNorm& norm) {
  ++counts.norms;
  double squares = 0;
  for (Index i = 0; i < norm.size; ++i)
    squares += static_cast<double>(norm.x[i]) * static_cast<double>(norm.x[i]);
  const double mean = squares / static_cast<double>(norm.size);
  const auto factor = static_cast<float>(1 / std::sqrt(mean + static_cast<double>(norm.eps)));
  for (Index i = 0; i < norm.size; ++i) norm.out[i] = norm.x[i] * factor * norm.weight[i];
}

inline void plain_swiglu(float* gate, const float* up, Index count) {
  counts.most_swiglu = std::max(counts.most_swiglu, count);
  for (Index i = 0; i < count; ++i) gate[i] *= up[i] / (1 + std::exp(-gate[i]));
}

inline const Kernels& counting_kernels() {
  static const Kernels kernels = [] {
    Kernels made = {};
    made.product = plain_product;
    made.rms_norm = plain_norm;
    made.swiglu = plain_swiglu;
    return made;
  }();
  return kernels;
}

}  // namespace llm::grading

namespace llm {

const Kernels& kernels_for(Isa) { return grading::counting_kernels(); }

// One thread, whatever is asked for.
ThreadTeam::ThreadTeam(int) {}
ThreadTeam::~ThreadTeam() = default;
void ThreadTeam::run(Index count, Body body) {
  ++grading::counts.meetings;
  for (Index i = 0; i < count; ++i) body(i, 0);
}

}  // namespace llm
