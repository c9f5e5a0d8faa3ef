// What this machine showed it can do, measured in between other measurements.
#pragma once

#include "chapters/05_fused_cpu/peak.h"
#include "chapters/05_fused_cpu/samples.h"

namespace llm {

struct MachineLimits {
  Samples flops_per_s, read_bytes_per_s;
  void add(const MachineLimits& other) {
    flops_per_s.add(other.flops_per_s);
    read_bytes_per_s.add(other.read_bytes_per_s);
  }
};

// Looks at the limits. It holds the memory that it reads: 1 GiB unless told otherwise.
class MachineProbe {
 public:
  explicit MachineProbe(Index bytes = Index{1} << 30) : memory_(bytes) {}
  // One measurement of each.
  void look(MachineLimits& limits) const {
    limits.flops_per_s.add(peak_flops_per_s());
    limits.read_bytes_per_s.add(memory_.bytes_per_s());
  }

 private:
  ReadBandwidth memory_;
};

inline MachineLimits look_at_machine(Index looks = 3) {
  const MachineProbe probe;
  MachineLimits limits;
  for (Index i = 0; i < looks; ++i) probe.look(limits);
  return limits;
}

}  // namespace llm
