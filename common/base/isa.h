// Instruction sets: which one this machine has, and which one to use.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

namespace llm {

// In rising order on x86-64; on Arm there is the baseline and NEON only.
enum class Isa { kBaseline = 0, kAvx2, kAvx512, kAvx512Bf16, kNeon };

// "baseline", "avx2", "avx512", "avx512bf16", "neon": the names that NT_ISA takes.
std::string_view isa_name(Isa isa);
std::optional<Isa> isa_from_name(std::string_view name);

// All that this machine can run, the baseline first.
std::vector<Isa> available_isas();

// The best available one, or the one that the environment variable NT_ISA names; read once.
// Errors: kUsage for an unknown name, kUnsupported for one that the machine lacks.
Isa active_isa();

}  // namespace llm
