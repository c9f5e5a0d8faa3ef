#include "chapters/05_fused_cpu/peak.h"

#include <algorithm>
#include <atomic>
#include <string>
#include <vector>

#include "chapters/05_fused_cpu/peak_kernel.h"
#include "common/base/error.h"
#include "common/base/large_pages.h"
#include "common/base/parallel.h"
#include "common/base/timing.h"

namespace llm {
namespace {

constexpr Index kPieceFloats = Index{256} << 10;  // 1 MiB
constexpr Index kPieceBytes = kPieceFloats * static_cast<Index>(sizeof(float));

const PeakKernels& peak_kernels(Isa isa) {
  const std::vector<Isa> available = available_isas();
  if (std::find(available.begin(), available.end(), isa) == available.end()) {
    fail(ErrorCode::kUnsupported,
         {.where = "peak", .what = "this machine does not have", .got = std::string(isa_name(isa))});
  }
#if defined(__x86_64__)
  if (isa >= Isa::kAvx512) return avx512::kPeakKernels;
  if (isa == Isa::kAvx2) return avx2::kPeakKernels;
#endif
  return baseline::kPeakKernels;
}

// Keeps a result, so that the compiler cannot leave out the work behind it.
void keep(float value) {
  static std::atomic<float> sink;
  sink.store(value, std::memory_order_relaxed);
}

}  // namespace

double peak_flops_per_s(Isa isa, double seconds) {
  const PeakKernels& kernels = peak_kernels(isa);
  const Index threads = num_threads();
  const auto flops_of = [&](Index rounds) {
    return 2.0 * static_cast<double>(kMultiplyAdds * kernels.lanes * rounds);
  };
  const Index short_run = 20'000;
  const Stopwatch calibration;
  keep(kernels.multiply_add(short_run));
  const double wanted = seconds / std::max(calibration.seconds(), 1e-9);
  const auto rounds = static_cast<Index>(wanted * static_cast<double>(short_run)) + 1;

  std::vector<float> results(static_cast<std::size_t>(threads));
  const Stopwatch watch;
  parallel_for(threads, [&](Index thread) {
    results[static_cast<std::size_t>(thread)] = kernels.multiply_add(rounds);
  });
  const double elapsed = watch.seconds();
  for (const float result : results) keep(result);
  return static_cast<double>(threads) * flops_of(rounds) / elapsed;
}

ReadBandwidth::ReadBandwidth(Index bytes) : pieces_({std::max<Index>(1, bytes / kPieceBytes), kPieceFloats}) {
  // Else looking addresses up would be part of the limit.
  prefer_large_pages(pieces_.data(), static_cast<std::size_t>(pieces_.bytes()));
  parallel_for(pieces_.shape(0),
               [&](Index piece) { std::fill_n(pieces_[piece].begin(), kPieceFloats, 1.0f); });
}

double ReadBandwidth::read(Index first_piece, Index num_pieces, Isa isa) const {
  const PeakKernels& kernels = peak_kernels(isa);
  std::vector<float> sums(static_cast<std::size_t>(num_pieces));
  const Stopwatch watch;
  parallel_for(num_pieces, [&](Index i) {
    const Index piece = (first_piece + i) % pieces_.shape(0);
    sums[static_cast<std::size_t>(i)] = kernels.sum(pieces_[piece].begin(), kPieceFloats);
  });
  const double elapsed = watch.seconds();
  for (const float sum : sums) keep(sum);
  return static_cast<double>(num_pieces * kPieceBytes) / elapsed;
}

double ReadBandwidth::bytes_per_s(Isa isa) const { return read(0, pieces_.shape(0), isa); }

double ReadBandwidth::part_bytes_per_s(Index bytes, Isa isa) {
  const Index count = std::clamp<Index>(bytes / kPieceBytes, 1, pieces_.shape(0));
  const double result = read(next_piece_, count, isa);
  next_piece_ = (next_piece_ + count) % pieces_.shape(0);
  return result;
}

}  // namespace llm
