"""What may not stand in a file: flags, pragmas, names of machines, unformatted code."""
import re
import shutil
import subprocess

from lint_tree import is_generated_or_data

TOP_LEVEL = {"CMakeLists.txt", "CMakePresets.json", "Makefile", "README.md", "LICENSE",
             "common", "chapters", "tests", "data", "docs"}
# Where OpenMP may be spoken: the one parallel loop, and the ladder that chapter 05 teaches.
OPENMP_FILES = re.compile(r"common/base/parallel\.cpp|chapters/05_\w+/ladder\w*\.(cpp|h)")
CLANG_FORMAT_VERSION = 14  # others format a little differently


def check_text(tree):
    """No trailing white space, no tab in C++, a newline at the end."""
    for name in tree.sources(".cpp", ".h", ".cu", ".cuh", ".py", ".sh", ".cmake", ".md", "CMakeLists.txt", "Makefile",
                             "CMakePresets.json", ".ci/run"):
        if is_generated_or_data(name) and not name.endswith(".py"):
            continue
        is_cpp = name.endswith((".cpp", ".h", ".cu", ".cuh"))
        for number, line in enumerate(tree.lines(name), 1):
            if line != line.rstrip():
                yield name, number, "trailing white space"
            if is_cpp and "\t" in line:
                yield name, number, "a tab"
        if tree.text(name) and not tree.text(name).endswith("\n"):
            yield name, len(tree.lines(name)), "no newline at the end of the file"


def check_flags(tree):
    """Builds are portable and exact: no -march=native, no -ffast-math, no -Ofast."""
    flags = re.compile(r"-m(?:arch|tune|cpu)=native|-ffast-math|-Ofast|-funsafe-math")
    for name in tree.files:
        if not name.endswith((".cmake", "CMakeLists.txt", "CMakePresets.json", "Makefile", ".sh", ".cpp", ".h", ".ci/run")):
            continue
        for number, line in enumerate(tree.lines(name), 1):
            if found := flags.search(re.sub(r"(#|//).*", "", line) if name.endswith((".cmake", ".txt")) else line):
                yield name, number, found[0]


def check_openmp(tree):
    """OpenMP stays in common/base/parallel.cpp and in chapter 05's ladder; `omp simd` may stand anywhere."""
    for name in tree.sources():
        if OPENMP_FILES.fullmatch(name):
            continue
        for number, line in enumerate(tree.lines(name), 1):
            if re.search(r"#\s*pragma\s+omp\s+(?!simd\b|declare\s+simd\b)|#\s*include\s*<omp\.h>", line):
                yield name, number, "OpenMP: use parallel_for (common/base/parallel.h)"


def check_machine_names(tree):
    """Nothing about one machine: no home folders, no scratch paths, no host names of package registries."""
    names = re.compile(r"(?<![\w.])/(?:home|root|work|Users)/\w|pypi\.org|pythonhosted\.org|deb\.debian\.org"
                       r"|archive\.ubuntu\.com|registry\.npmjs")
    for name in tree.files:
        if name.startswith("tests/course/lint") or is_generated_or_data(name) and not name.endswith((".py", ".md")):
            continue
        for number, line in enumerate(tree.lines(name), 1):
            if found := names.search(line):
                yield name, number, f"'{found[0]}' belongs to one machine or service"


def check_top_level(tree):
    """At the top stand only the files and folders that the README names, and dot files."""
    for entry in sorted({name.split("/")[0] for name in tree.files}):
        if not entry.startswith(".") and entry not in TOP_LEVEL:
            yield entry, 1, "does not belong at the top level"


def clang_format():
    """clang-format of the version that the sources are formatted with, or None."""
    for program in (f"clang-format-{CLANG_FORMAT_VERSION}", "clang-format"):
        if path := shutil.which(program):
            version = subprocess.run([path, "--version"], capture_output=True, text=True).stdout
            if re.search(rf"version {CLANG_FORMAT_VERSION}\.", version):
                return path
    return None


def check_format(tree):
    """C++ sources are as clang-format 14 leaves them (left out where that version is not installed)."""
    program, names = clang_format(), tree.sources()
    if program is None or not names or not (tree.root / ".clang-format").exists():
        return
    done = subprocess.run([program, "--dry-run", *names], cwd=tree.root, capture_output=True, text=True)
    last = None
    for name, line in re.findall(r"^(\S+?):(\d+):\d+: warning: code should be clang-formatted", done.stderr, re.MULTILINE):
        if name != last:  # one a file is enough: `make format` mends them all
            yield name, int(line), "not formatted: make format"
        last = name
