// Where a measurement was made, and what that machine could do while it was made.
#pragma once

#include <string>

#include "common/cli/json_writer.h"
#include "tests/bench/peak.h"
#include "tests/bench/samples.h"

namespace llm {

// What stands beside every stored result.
struct MachineInfo {
  std::string cpu;       // "AMD EPYC ...", as the system calls it; "unknown" where it does not tell
  std::string system;    // "Linux x86_64"
  std::string compiler;  // "gcc 12.2.0"
  std::string flags;     // of the build
  std::string date;      // "2026-01-31", UTC
};
MachineInfo machine_info();

// What the machine showed between the runs of one stage, or of all: others may use it too.
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

// From here on peak_resident_bytes() is the highest from here on, where the system can do that. Memory that
// was freed goes back to the system first. Returns what is resident now.
Index restart_peak_memory();

// "name": the median, "name_min", "name_max".
void write_samples(JsonWriter& json, const std::string& name, const Samples& samples);

}  // namespace llm
