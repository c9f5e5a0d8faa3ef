"""Runs the grading programs and turns what they write into one Result an exercise."""
import concurrent.futures
import json
import os
import pathlib
import re
import signal
import subprocess
import tempfile
import time
from dataclasses import dataclass, field

import regions
from exercise_tools import Problem, read_text
from exercises_file import files_of, with_needs

LIMIT_S = 10
SIGNALS = {
    signal.SIGSEGV: "memory that is not yours: an index out of range, a null pointer, or a recursion without end",
    signal.SIGABRT: "an assertion failed or std::terminate was called",
    signal.SIGFPE: "a division of an integer by zero",
    signal.SIGILL: "an instruction that this processor does not have, or the end of a function without return",
    signal.SIGBUS: "memory that is not there",
    signal.SIGKILL: "the system ended it: probably too much memory",
    signal.SIGXFSZ: "it printed more than 64 MB: a loop without end?",
}
# What the standard library's assertions print (libstdc++ with _GLIBCXX_ASSERTIONS).
PAST_END = re.compile(r"std::(?:__cxx11::)?(?:basic_)?(\w+)<.*operator\[\].*"
                      r"Assertion '\w+ <=? (?:this->)?(?:size|_Nm|_Extent)")
# No core files, 64 MB of output and 8 GB of memory at most: a mistake must not fill the reader's machine.
LIMITED = 'ulimit -c 0; ulimit -f 131072; ulimit -v 8388608 2> /dev/null; exec "$0"'
OK, WRONG, NOT_STARTED, LATER = "ok", "WRONG", "not started", "later"
COMPILE, CRASH, HANG = "does not compile", "crash", "no answer"
BAD = (WRONG, COMPILE, CRASH, HANG)  # something is wrong; the others are only unfinished


@dataclass
class Result:
    """How one exercise stands."""
    exercise: object
    status: str
    case: str = ""         # the test case that is told about
    what: str = ""
    expected: str = ""
    got: str = ""
    index: str = ""
    looks_like: str = ""
    place: str = ""        # file:line of the expectation, or of the compiler's error
    message: str = ""      # an exception's text, a signal's meaning, the compiler's error
    context: tuple = ()    # more lines, as they came
    cases: list = field(default_factory=list)  # (name, status) of every case that ran
    waits_for: list = field(default_factory=list)  # ids, where the status is later
    seconds: float = 0.0
    output: str = ""       # what the program printed


def run_program(program, lab, limit_s=LIMIT_S):
    """Runs one program; returns (records, exit status or "hang", output, seconds)."""
    started = time.monotonic()
    with tempfile.TemporaryDirectory() as folder:
        records, printed = pathlib.Path(folder, "records"), pathlib.Path(folder, "printed")
        environment = {**os.environ, "LLM_GRADE_OUT": str(records), "OMP_NUM_THREADS": "2"}
        with open(printed, "wb") as out:
            process = subprocess.Popen(["sh", "-c", LIMITED, program], stdout=out, stderr=subprocess.STDOUT,
                                       stdin=subprocess.DEVNULL, cwd=lab, env=environment, start_new_session=True)
            try:
                status = process.wait(timeout=limit_s)
            except subprocess.TimeoutExpired:
                status = "hang"
            finally:
                if process.poll() is None:
                    os.killpg(process.pid, signal.SIGKILL)
                    process.wait()
        seconds = time.monotonic() - started
        with open(printed, "rb") as file:
            output = file.read(1 << 16).decode("utf-8", "replace")
        return read_records(records), status, output, seconds


def read_records(path):
    """The JSON lines of a grading program; a line that was cut off by a crash is left out."""
    records = []
    for line in path.read_text(encoding="utf-8", errors="replace").splitlines() if path.exists() else []:
        try:
            records.append(json.loads(line))
        except ValueError:
            pass
    return records


def judge(exercise, records, status, output, seconds, lab, limit_s=LIMIT_S):
    """The Result that a program's records and its end amount to."""
    result = Result(exercise, OK, seconds=seconds, output=output)
    ended = [record for record in records if record["status"] != "started"]
    result.cases = [(record["case"], record["status"]) for record in ended]
    unfinished = records[-1]["case"] if records and records[-1]["status"] == "started" else ""
    bad = [record for record in ended if record["status"] in ("wrong", "error")]
    waiting = [record for record in ended if record["status"] == "not_started"]
    if bad:
        # The case that knows the mistake tells most.
        fill(result, next((record for record in bad if record.get("looks_like")), bad[0]), lab)
    elif status == "hang":
        result.status, result.case = HANG, unfinished
        result.message = f"no answer in {limit_s:g} s: a loop that does not end?"
    elif unfinished or status not in (0, 1):
        result.status, result.case = CRASH, unfinished
        result.message, result.context = how_it_ended(status, output)
    elif waiting:
        missing = list(dict.fromkeys(record["needs"] for record in waiting))
        result.status = NOT_STARTED if exercise.id in missing else LATER
        result.case = waiting[0]["case"]
        result.waits_for = [] if result.status == NOT_STARTED else missing
    elif not ended:
        result.status, result.message = CRASH, "the test program ended before its first case"
        result.context = tuple(output.strip().splitlines()[-3:])
    return result


def fill(result, record, lab):
    result.status, result.case = WRONG, record["case"]
    for key in ("what", "expected", "got", "index", "looks_like", "message"):
        setattr(result, key, record.get(key, ""))
    if record["status"] == "error":
        result.message = f"an exception left your code: {record.get('message', '')}"
    if record.get("file"):
        name = os.path.relpath(record["file"], lab) if os.path.isabs(record["file"]) else record["file"]
        result.place = f"{name}:{record.get('line', '')}"


def how_it_ended(status, output):
    """The exit status in words, and the last lines that were printed."""
    last = tuple(output.strip().splitlines()[-3:])
    if past_end := PAST_END.search(output):
        return f"SIGABRT: an index past the end of a std::{past_end[1]}", ()
    if isinstance(status, int) and status < 0:
        try:
            name = signal.Signals(-status)
        except ValueError:
            return f"ended by signal {-status}", last
        return f"{name.name}: {SIGNALS.get(name, 'ended by this signal')}", last
    return f"the program ended itself with status {status} in the middle of a test", last


def owner_of(error, exercise, lab, exercises):
    """The exercise that an error of the compiler belongs to: the one in whose region it stands; outside of all regions
    the given one, if it stands in its file, else the first of that file."""
    there = [other for other in exercises if other.file == error.file]
    for other in there:
        try:
            region = regions.region_of(read_text(lab / error.file), other.region, error.file)
        except Problem:
            continue  # a damaged marker: only the file is known
        if region.start < error.line <= region.end + 1:
            return other
    return exercise if exercise in there or not there else there[0]


def build_failure(exercise, build, lab, exercises, wanted):
    """The Result of an exercise whose program could not be built. If the error stands in another exercise's region or
    file, and that one is reported as well, it comes first."""
    files = [*files_of(exercise, exercises), exercise.test_file]
    errors = sorted(build.errors, key=lambda error: not any(
        error.output.endswith(name + ".o") or error.file == name for name in files))
    result = Result(exercise, COMPILE, message="its program could not be built")
    if errors:
        error, owner = errors[0], owner_of(errors[0], exercise, lab, wanted)
        result.message, result.context = error.message, error.context
        result.place = f"{error.file}:{error.line}" if error.file else ""
        if owner.id != exercise.id:
            result.status, result.waits_for = LATER, [owner.id]
    return result


def grade(lab, folder, build, exercises, chosen, limit_s=LIMIT_S, workers=2):
    """Results of the chosen exercises and of all that they need, in the order of the course."""
    ids = {other.id for exercise in chosen for other in with_needs(exercise, exercises)}
    wanted = [exercise for exercise in exercises if exercise.id in ids]

    def one(exercise):
        if exercise.id in build.stale:
            return build_failure(exercise, build, lab, exercises, wanted)
        program = folder / "exercises" / f"exercise-{exercise.id}"
        return judge(exercise, *run_program(program, lab, limit_s), lab, limit_s)

    with concurrent.futures.ThreadPoolExecutor(workers) as pool:
        results = list(pool.map(one, wanted))
    put_root_causes_first(results)
    return results


def put_root_causes_first(results):
    """An exercise that is not ok and whose needs are not ok either is `later`: their cause comes first."""
    status = {}
    for result in results:
        behind = [other for other in result.exercise.needs if status.get(other, OK) != OK]
        if behind and result.status != OK:
            result.status, result.waits_for = LATER, behind
        status[result.exercise.id] = result.status
