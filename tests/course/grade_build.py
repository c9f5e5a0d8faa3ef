"""Builds a lab's grading programs and says which could not be built, and why."""
import os
import pathlib
import re
import shutil
import subprocess
from dataclasses import dataclass

from exercise_tools import Problem

CONFIGURE_LIMIT_S, BUILD_LIMIT_S = 300, 1800
FAILED = re.compile(r"^FAILED: (?:\[code=\d+\] )?(.+)$")
ERROR = re.compile(r"^(?P<file>[^\s:][^:\n]*):(?P<line>\d+):(?:(?P<column>\d+):)? (?:fatal )?error: (?P<message>.+)$")
WARNING = re.compile(r"^(?P<file>[^\s:][^:\n]*):(?P<line>\d+):(?:\d+:)? warning: (?P<message>.+)$")
LINKER = re.compile(r"undefined reference to|multiple definition of|undefined symbol|ld(?:\.\w+)?: .*error")


@dataclass
class BuildError:
    """The first error of one thing that could not be built."""
    output: str   # what could not be made: an object file or a program
    file: str     # where the compiler saw the error, "" if it did not say
    line: int
    message: str
    context: tuple = ()  # what the compiler prints below: the line and a mark under the place


@dataclass
class Build:
    errors: list    # BuildError
    stale: set      # ids of the exercises whose program could not be brought up to date
    output: str     # all that was printed


def jobs(lab):
    """How many compilers may run at once."""
    if os.environ.get("JOBS", "").isdigit():
        return os.environ["JOBS"]
    script = lab / "common" / "cmake" / "setup.sh"
    done = subprocess.run(["bash", script, "jobs"], capture_output=True, text=True)
    return done.stdout.strip() if done.returncode == 0 and done.stdout.strip() else "2"


def configure(lab, build, *flags):
    """Configures the lab once; CMake notices later changes itself. A lab that was moved is built anew."""
    cache = build / "CMakeCache.txt"
    home = re.search(r"^CMAKE_HOME_DIRECTORY:\w+=(.*)$", cache.read_text(), re.MULTILINE) if cache.is_file() else None
    if home and pathlib.Path(home[1]).resolve() != lab.resolve():
        shutil.rmtree(build)
    if (build / "build.ninja").is_file() and not flags:
        return
    for program, remedy in (("cmake", "cmake"), ("ninja", "ninja-build")):
        if shutil.which(program) is None:
            raise Problem(f"{program} is not installed; make setup installs it (apt-get install {remedy})")
    compilers = os.environ.get("CXX", "").split()[:1] or ["c++", "g++", "clang++"]
    if not any(map(shutil.which, compilers)):
        raise Problem(f"there is no C++ compiler {' or '.join(compilers)}; make setup installs g++")
    build.mkdir(parents=True, exist_ok=True)
    done = subprocess.run(["cmake", "-S", lab, "-B", build, "-G", "Ninja", *flags], capture_output=True, text=True,
                          timeout=CONFIGURE_LIMIT_S)
    (build / "configure.log").write_text(done.stdout + done.stderr)
    if done.returncode != 0:
        (build / "build.ninja").unlink(missing_ok=True)
        reason = re.search(r"CMake Error[^\n]*\n\s*(.+?)(?:\n\s*\n|\Z)", done.stderr, re.DOTALL)
        text = " ".join(reason[1].split()) if reason else done.stderr.strip()[-300:]
        raise Problem(f"CMake cannot configure {lab}: {text} (whole log: {build / 'configure.log'})")


def run_ninja(build, *arguments, limit=BUILD_LIMIT_S, progress=None):
    """Runs ninja; returns (exit status, what it printed). `progress` is called with each line."""
    # The compiler's quotation marks and messages are those that this script knows.
    environment = {**os.environ, "LC_ALL": "C", "NINJA_STATUS": "[%f/%t] ", "CLICOLOR_FORCE": "0", "GCC_COLORS": ""}
    process = subprocess.Popen(["ninja", "-C", build, *arguments], stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                               text=True, errors="replace", env=environment)
    lines = []
    try:
        for line in process.stdout:
            lines.append(line)
            if progress:
                progress(line)
        return process.wait(timeout=limit), "".join(lines)
    finally:
        if process.poll() is None:
            process.kill()
            process.wait()


def build_programs(lab, build, exercises, progress=None):
    """Builds the programs of these exercises, as many as can be built."""
    targets = [f"exercises/exercise-{exercise.id}" for exercise in exercises]
    status, output = run_ninja(build, "-k", "0", "-j", jobs(lab), *targets, progress=progress)
    if status == 0:
        return Build([], set(), output)
    if "error: loading 'build.ninja'" in output or "CMake Error" in output:
        raise Problem(f"CMake cannot configure {lab}; remove {build} and try again (its log follows)\n{output[-2000:]}")
    errors = parse_errors(output, lab)
    # A dry run names every program that is not up to date.
    _, remaining = run_ninja(build, "-n", *targets)
    stale = {match[1] for match in re.finditer(r"exercises/exercise-(\d\d-\d+)\b", remaining)}
    return Build(errors, stale, output)


def parse_errors(output, lab):
    """One BuildError for each thing that ninja says FAILED."""
    errors, lines = [], output.splitlines()
    starts = [number for number, line in enumerate(lines) if FAILED.match(line)]
    for start in starts:
        end = start + 1
        while end < len(lines) and not re.match(r"\[\d+/\d+\]|FAILED: |ninja: ", lines[end]):
            end += 1
        errors.append(first_error(FAILED.match(lines[start])[1].strip(), lines[start + 1:end], lab))
    return errors


def first_error(output, lines, lab):
    for number, line in enumerate(lines):
        if match := ERROR.match(line):
            following = [text for text in lines[number + 1:number + 3] if re.match(r"\s+(\d+ )?\|", text)
                         or re.match(r"[ \t~^]+$", text) or not re.match(r"\S+:\d+", text)]
            return BuildError(output, relative(match["file"], lab), int(match["line"]), match["message"].strip(),
                              tuple(following))
    for line in lines:
        if LINKER.search(line):
            return BuildError(output, "", 0, "the linker says: " + re.sub(r"^.*?(undefined|multiple)", r"\1", line))
    text = [line for line in lines[1:] if line.strip()]
    return BuildError(output, "", 0, text[0].strip() if text else "the compiler failed without a word")


def warnings(output, lab):
    """(file, line, message) of each warning, once."""
    found = {}
    for line in output.splitlines():
        if match := WARNING.match(line):
            found[relative(match["file"], lab), int(match["line"]), match["message"]] = None
    return list(found)


def relative(name, lab):
    """A file's name as it is seen from the lab."""
    path = pathlib.Path(os.path.abspath(os.path.join(lab, name)) if not os.path.isabs(name) else name)
    try:
        return path.resolve().relative_to(pathlib.Path(lab).resolve()).as_posix()
    except ValueError:
        return name
