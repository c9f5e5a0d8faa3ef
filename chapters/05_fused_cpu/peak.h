// What this machine can do at most: multiply-adds and bytes read a second. Every speed is judged against it.
#pragma once

#include "common/base/isa.h"
#include "common/tensor/tensor.h"

namespace llm {

// Floating-point operations (a multiply-add is two) a second that num_threads() threads do in vector
// registers alone; one measurement of about `seconds`. Without a fused instruction (baseline x86) it is a
// multiplication and an addition.
// Errors: kUnsupported for an instruction set that this machine lacks.
double peak_flops_per_s(Isa isa = active_isa(), double seconds = 0.01);

// Memory to be read: 1 GiB unless told otherwise, every page touched by the thread that will read it.
class ReadBandwidth {
 public:
  explicit ReadBandwidth(Index bytes = Index{1} << 30);
  Index bytes() const { return pieces_.bytes(); }
  // Bytes a second of one sum over all of it by num_threads() threads.
  double bytes_per_s(Isa isa = active_isa()) const;
  // The same over a part, for a quick look between other measurements; the next call reads the next part.
  double part_bytes_per_s(Index bytes, Isa isa = active_isa());

 private:
  double read(Index first_piece, Index num_pieces, Isa isa) const;

  Tensor<float, 2> pieces_;  // [pieces, 256 Ki]
  Index next_piece_ = 0;
};

}  // namespace llm
