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

// The machine's limits, looked at before, between and after the runs, since others may use it too.
class MachineLimits {
 public:
  // One measurement of each.
  void look() {
    flops_per_s.add(peak_flops_per_s());
    read_bytes_per_s.add(memory_.bytes_per_s());
  }
  // The memory that is read: not the stages' own.
  Index own_bytes() const { return memory_.bytes(); }
  Samples flops_per_s, read_bytes_per_s;

 private:
  ReadBandwidth memory_;
};

// "name": the median, "name_min", "name_max".
void write_samples(JsonWriter& json, const std::string& name, const Samples& samples);

}  // namespace llm
