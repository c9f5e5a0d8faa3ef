#!/usr/bin/env python3
"""Says what this machine can do for the course: a line a capability, what follows, and what would help.

Called by `make doctor`. Standard library only; needs nothing built.
"""
import os
import pathlib
import platform
import re
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
SMOLLM2 = ROOT / "models" / "SmolLM2-135M-Instruct.Q4_1.gguf"
SMOLLM2_BYTES = 98362432

# What each instruction set needs of the flags in /proc/cpuinfo; common/base/isa.cpp chooses in the same way.
X86_SETS = [
    ("avx2", {"avx2", "fma"}),
    ("avx512", {"avx512f", "avx512bw", "avx512vl", "avx512dq"}),
    ("avx512bf16", {"avx512_bf16", "avx512_vnni"}),
]


def output(*command):
    """The command's standard output, or "" where it is missing or fails."""
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=20)
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return done.stdout if done.returncode == 0 else ""


def version_of(text):
    found = re.search(r"\d+(\.\d+)+", text)
    return found[0] if found else ""


def at_least(version, *wanted):
    return tuple(int(part) for part in version.split(".")[:len(wanted)]) >= wanted


def read(path):
    try:
        return pathlib.Path(path).read_text(errors="replace")
    except OSError:
        return ""


# Each function gives (found, what follows, remedy or ""). `found` says what is there, in words.

def compiler():
    command = os.environ.get("CXX", "c++").split()[0]
    macros = output("sh", "-c", f"{command} -dM -E -x c++ /dev/null")
    number = lambda name: (re.search(rf"#define {name} (\d+)", macros) or [0, "0"])[1]
    if "__clang__" in macros:
        name, version, wanted = "clang", f"{number('__clang_major__')}.{number('__clang_minor__')}", 14
    else:
        name, version, wanted = "g++", f"{number('__GNUC__')}.{number('__GNUC_MINOR__')}", 12
    if not macros:
        return "none found", "nothing can be built", "make setup (installs g++)"
    if not at_least(version, wanted):
        return (f"{name} {version}, too old", f"C++20 coroutines need {name} {wanted}",
                "apt-get install g++-12, then make clean && make run CXX=g++-12")
    return f"{name} {version}", "builds all chapters", ""


def cmake():
    version = version_of(output("cmake", "--version"))
    if not version:
        return "not found", "nothing can be built", "make setup"
    if not at_least(version, 3, 25):
        return f"{version}, too old", "3.25 is needed", "Debian 12 or Ubuntu 24.04, or: pip install cmake"
    ninja = "with Ninja" if shutil.which("ninja") else "with plain make (Ninja is a little faster: make setup)"
    return version, f"configures the build, {ninja}", ""


def libraries():
    missing = output(ROOT / "common/cmake/setup.sh", "missing", "build").split()
    if missing:
        return f"missing: {', '.join(missing)}", "the build cannot start", "make setup"
    return "all found", "fmt, Eigen, JSON, CLI11, PCRE2, utf8proc, doctest", ""


def openmp():
    command = os.environ.get("CXX", "c++").split()[0]
    source = "#include <omp.h>\nint main() { return omp_get_num_procs() > 0 ? 0 : 1; }\n"
    try:
        done = subprocess.run([command, "-fopenmp", "-fsyntax-only", "-x", "c++", "-"], input=source, text=True,
                              capture_output=True, timeout=30)
        found = done.returncode == 0
    except (OSError, subprocess.TimeoutExpired):
        found = False
    cores = os.cpu_count() or 1
    if found:
        return f"yes, {cores} core{'s' if cores > 1 else ''}", f"work is shared by up to {cores} threads (--threads)", ""
    return "not found", "CMake will refuse to configure", "install libomp-dev (clang) or use g++, which brings its own"


def instruction_sets():
    machine = platform.machine()
    if machine in ("aarch64", "arm64"):
        return "neon", "the NEON kernels are used", ""
    if machine not in ("x86_64", "AMD64"):
        return f"baseline ({machine})", "plain C++ only: right, and slow", "an x86-64 or Arm machine is faster"
    flags = re.search(r"^flags\s*:(.*)$", read("/proc/cpuinfo"), re.MULTILINE)
    words = set(flags[1].split()) if flags else set(output("sysctl", "-n", "machdep.cpu.leaf7_features").lower().split())
    sets = ["baseline"]
    for name, needed in X86_SETS:
        if not needed <= words:
            break
        sets.append(name)
    if sets[-1] == "baseline":
        return "baseline", "SSE2 only: right, and several times slower", "a processor with AVX2 (2013 and later)"
    return ", ".join(sets), f"kernels use {sets[-1]}; NT_ISA={sets[0]} forces another", ""


def memory():
    total = re.search(r"MemTotal:\s*(\d+)", read("/proc/meminfo"))
    free = re.search(r"MemAvailable:\s*(\d+)", read("/proc/meminfo"))
    if not total or not free:
        size = output("sysctl", "-n", "hw.memsize").strip()
        gib = int(size) / 2**30 if size.isdigit() else 0
        if gib == 0:
            return "unknown", "2 GiB build the course, 4 GiB run a 0.6 B model", ""
        free_gib = gib
    else:
        gib, free_gib = int(total[1]) / 2**20, int(free[1]) / 2**20
    found = f"{free_gib:.1f} of {gib:.1f} GiB free"
    if free_gib < 1.5:
        return found, "compilers may run out of memory", "close programs, or build with make JOBS=1"
    largest = "Qwen3-0.6B" if free_gib < 8 else "Qwen3-1.7B" if free_gib < 20 else "Qwen3-4B"
    if free_gib < 4:
        return found, "enough for the models here and SmolLM2-135M", "4 GiB free for a 0.6 B model in chapter 02"
    return found, f"enough for models up to about {largest} in bfloat16", ""


def cuda_toolkit():
    version = version_of((re.search(r"release .*", output("nvcc", "--version")) or [""])[0])
    if version:
        return version, "what chapter 06 (CUDA) needs to be built", ""
    return "not found", "only chapter 06 (CUDA) wants it", (
        "worth it only with an NVIDIA GPU: install the CUDA Toolkit 12 and put nvcc on the PATH")


def gpu():
    name = output("nvidia-smi", "--query-gpu=name,memory.total", "--format=csv,noheader").strip()
    if name:
        return name.splitlines()[0], "chapter 06 (CUDA) can run on it", ""
    return "none (NVIDIA)", "everything runs on the CPU; nothing but chapter 06 wants a GPU", ""


def python():
    version = platform.python_version()
    if sys.version_info < (3, 11):
        return f"{version}, old", "the course's scripts are tested with 3.11", "install Python 3.11 or later"
    missing = [name for name in ("torch", "transformers") if output(
        sys.executable, "-c", f"import importlib.util as u; print(u.find_spec({name!r}) or '')").strip() == ""]
    if missing:
        return version, "tests and lint run; retraining the models needs torch and transformers", (
            "if you want that: python3 -m venv .cache/venv && "
            ".cache/venv/bin/pip install -r data/models/requirements.txt")
    return f"{version} with torch", "tests, lint and the training of data/models run", ""


def smollm2():
    if SMOLLM2.exists() and SMOLLM2.stat().st_size == SMOLLM2_BYTES:
        return "fetched", f"--model {SMOLLM2.relative_to(ROOT)} works; its tests run", ""
    if SMOLLM2.exists():
        return "damaged", "it will be refused", "make model (fetches it again)"
    return "not fetched", "the storyteller models work; the tests with SmolLM2 are skipped", "make model (94 MiB)"


def system():
    name = re.search(r'PRETTY_NAME="?([^"\n]*)', read("/etc/os-release"))
    release = read("/proc/sys/kernel/osrelease")
    if platform.system() == "Darwin":
        return f"macOS {platform.mac_ver()[0]}", "not tested; should build with Homebrew's packages", "report what breaks"
    if platform.system() != "Linux":
        return platform.system(), "not supported", "on Windows: wsl --install, then Ubuntu 24.04 in it"
    wsl = " in WSL" if "microsoft" in release.lower() else ""
    found = f"{name[1] if name else 'Linux'}{wsl}"
    if shutil.which("apt-get"):
        return found, "make setup installs what is missing", ""
    return found, "make setup cannot install here, only name what is missing", "your package manager"


LINES = [("System", system), ("C++ compiler", compiler), ("CMake", cmake), ("Libraries", libraries), ("OpenMP", openmp),
         ("Instructions", instruction_sets), ("Memory", memory), ("CUDA Toolkit", cuda_toolkit), ("GPU", gpu),
         ("Python", python), ("SmolLM2", smollm2)]


def main():
    bold, dim, end = ("\033[1m", "\033[2m", "\033[0m") if sys.stdout.isatty() else ("", "", "")
    for name, look in LINES:
        found, follows, remedy = look()
        print(f"{bold}{name:13}{end} {found}: {follows}")
        if remedy:
            print(f"{'':13} {dim}remedy: {remedy}{end}")


if __name__ == "__main__":
    main()
