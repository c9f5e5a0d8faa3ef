#!/usr/bin/env python3
"""Proves every exercise: its stub compiles and reports itself, its solution passes with nothing later written, each
wrong answer is caught by its case with its sentence, and no line of a solution stands in the lab. `make prove`."""
import argparse
import concurrent.futures
import datetime
import pathlib
import re
import subprocess
import threading
import time

import exercises_file
import grade_build
import grade_report
import grade_run
import lab_state
import prove_leaks
import regions
import workspace
from exercise_tools import EXERCISES, ROOT, Problem, run, write_if_new
from grade_run import LATER, NOT_STARTED, OK, WRONG
from prove_states import LIMIT_S, States


class Proof:
    """Counts what holds and prints what does not."""

    def __init__(self, verbose):
        self.passed, self.failed, self.verbose = 0, 0, verbose
        self.lock, self.told = threading.Lock(), set()

    def check(self, title, problem):
        with self.lock:
            self.failed += bool(problem)
            self.passed += not problem
            if problem:
                print(f"FAILED {title}\n       {problem}", flush=True)
            elif self.verbose:
                print(f"ok     {title}", flush=True)


def check_regions(proof, root, exercises):
    """Markers are balanced, every exercise has its region of 3 to 30 lines, every region its exercise."""
    for exercise in exercises:
        problem = ""
        try:
            regions.check_size((root / exercise.file).read_text(encoding="utf-8"), exercise.region, exercise.file)
        except Problem as error:
            problem = str(error)
        proof.check(f"{exercise.id} region", problem)
    known, chapters = {exercise.region for exercise in exercises}, {exercise.chapter for exercise in exercises}
    where = {}
    for path in sorted((root / "chapters").glob("*/*.*")):
        name = path.relative_to(root).as_posix()
        if path.suffix not in (".h", ".cpp", ".cu", ".cuh") or path.parent.name[:2] not in chapters:
            continue
        for region in regions.find_regions(path.read_text(encoding="utf-8"), name):
            if region.startswith("ex"):
                where.setdefault(region, []).append(name)
    for region, names in where.items():
        problem = f"{names[0]}: no entry in exercises.toml" if region not in known else ""
        proof.check(f"{region} stands once", problem or (f"in {', '.join(names)}" if len(names) > 1 else ""))


def make_lab(root, folder, exercises):
    """A fresh lab in the proof's own folder; files that are right already keep their time, so little is rebuilt."""
    files = workspace.lab_files(root, exercises)
    files.update(lab_state.bookkeeping(files, exercises))
    for path in folder.rglob("*"):
        if path.is_file() and path.relative_to(folder).as_posix() not in files and folder / "build" not in path.parents:
            path.unlink()
    for name, data in files.items():
        write_if_new(folder / name, data)
    return files


def check_stubs(proof, lab, build, exercises):
    """All stubs compile with warnings as errors; every exercise reports itself as not started or later."""
    made = grade_build.build_programs(lab, build, exercises)
    problem = "; ".join(f"{error.file}:{error.line}: {error.message}" for error in made.errors)
    proof.check("all stubs compile without warnings", problem or (made.output[-1500:] if made.stale else ""))
    for result in grade_run.grade(lab, build, made, exercises, exercises, LIMIT_S):
        proof.check(f"{result.exercise.id} before it is begun", unexpected(result, unsolved=True))
    return not made.stale


def unexpected(result, unsolved):
    """What is wrong with a result: of an exercise not begun, or of a solved one; "" if nothing."""
    kind = result.exercise.kind
    wanted = (OK,) if not unsolved or kind == "given" else (WRONG, LATER) if kind == "fix" else (NOT_STARTED, LATER)
    if result.status in wanted:
        return ""
    told = grade_report.sentence(result)
    return f"is {result.status!r}, expected {' or '.join(wanted)}{': ' + told if told else ''}"


def check_prefix(proof, states, exercises, position):
    """Solutions up to this exercise, stubs after it: all up to it pass, none after it does."""
    solved = states.solved({exercise.id for exercise in exercises[:position + 1]})
    results = [states.run(exercise, solved) for exercise in exercises]
    grade_run.put_root_causes_first(results)
    problems = [f"{result.exercise.id} {text}" for number, result in enumerate(results)
                if (text := unexpected(result, unsolved=number > position))]
    with proof.lock:  # one broken exercise breaks the states of all later ones: it is told once
        new = [problem for problem in problems if problem not in proof.told]
        proof.told.update(problems)
    proof.check(f"{exercises[position].id} solved, nothing later",
                "; ".join(new) or (f"{problems[0].split(' ')[0]}, as above" if problems else ""))


def check_wrong(proof, states, exercise, wrong):
    """A wrong answer is caught by its case, and the report says its sentence."""
    code = {**states.bodies,
            exercise.id: regions.fit(wrong.code, states.finished[exercise.file], exercise.region, exercise.file)}
    result = states.run(exercise, code)
    problem = ""
    if result.status != WRONG:
        problem = f"is {result.status!r}, expected WRONG: {result.message}"
    elif (wrong.case, "wrong") not in result.cases and (wrong.case, "error") not in result.cases:
        bad = [name for name, status in result.cases if status in ("wrong", "error")]
        problem = f"is not caught by {wrong.case!r}, but by {bad}"
    elif wrong.says not in grade_report.plain(result):
        problem = f"the report does not say {wrong.says!r} but: {result.looks_like or 'nothing'} (case {result.case!r})"
    proof.check(f"{exercise.id} wrong answer: {wrong.name}", problem)


def changed_chapters(root, commits):
    """The chapters that the last commits touched and one more, drawn by date; all where git's history is missing."""
    numbers = sorted(path.parent.name[:2] for path in (root / EXERCISES).glob("*/exercises.toml"))
    git = lambda *words: subprocess.run(["git", "-C", root, *words], capture_output=True, text=True)
    log = git("log", f"-{commits}", "--format=", "--name-only")
    if log.returncode != 0 or git("rev-parse", "--is-shallow-repository").stdout.strip() != "false":
        return numbers
    touched = set(re.findall(r"^(?:chapters|tests/course/exercises)/(\d\d)_", log.stdout, re.MULTILINE))
    others = [number for number in numbers if number not in touched]
    drawn = [others[datetime.date.today().toordinal() % len(others)]] if others else []
    return sorted([number for number in numbers if number in touched] + drawn)


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--chapter", default="", help="only this chapter, for example 02")
    parser.add_argument("--changed-since", type=int, metavar="COMMITS", default=0,
                        help="the chapters that the last COMMITS commits changed, and one more, drawn by date")
    parser.add_argument("--build", default="build-prove", help="where to build (default: build-prove)")
    parser.add_argument("--root", default=ROOT, type=pathlib.Path, help="the checkout (default: this one)")
    parser.add_argument("--jobs", type=int, default=int(grade_build.jobs(ROOT)))
    parser.add_argument("--verbose", action="store_true", help="print what holds, too")
    return parser.parse_args()


def main():
    args, started = arguments(), time.monotonic()
    root, lab = args.root.resolve(), pathlib.Path(args.build).resolve() / "lab"
    chapters = [exercises_file.chapter_number(args.chapter)] if args.chapter else \
        changed_chapters(root, args.changed_since) if args.changed_since else None
    proof, exercises = Proof(args.verbose), exercises_file.read_toml(root, chapters)
    shown = [exercise for exercise in exercises if not chapters or exercise.chapter in chapters]
    print(f"proving {len(shown)} exercises of chapters {', '.join(dict.fromkeys(item.chapter for item in shown))} ...",
          flush=True)
    check_regions(proof, root, exercises)
    if proof.failed == 0:
        prove_all(proof, root, lab, exercises, shown, args.jobs)
    print(f"{time.monotonic() - started:.0f} s\n{proof.passed} passed, {proof.failed} failed")
    return 1 if proof.failed else 0


def prove_all(proof, root, lab, exercises, shown, workers):
    files = make_lab(root, lab, exercises)
    leaks = prove_leaks.find_leaks(root, exercises, files)
    for exercise in shown:
        found = [f"{name} has {line}" for other, line, name in leaks if other is exercise]
        proof.check(f"{exercise.id} no line of the solution is in the lab", "; ".join(found))
    grade_build.configure(lab, lab / "build", "-DLLM_WERROR=ON")
    if not check_stubs(proof, lab, lab / "build", exercises):
        return
    print(f"stubs are built; {len(shown)} solutions and {sum(len(item.wrong) for item in shown)} wrong answers ...",
          flush=True)
    states = States(root, lab, lab / "build", exercises)
    with concurrent.futures.ThreadPoolExecutor(workers) as pool:
        work = [pool.submit(check_prefix, proof, states, exercises, exercises.index(exercise)) for exercise in shown]
        work += [pool.submit(check_wrong, proof, states, exercise, wrong)
                 for exercise in shown for wrong in exercise.wrong]
        for done in concurrent.futures.as_completed(work):
            done.result()
    proof.check("all solved, the files are the finished ones", "" if all(
        states.text(name, states.bodies) == workspace.add_include(text)
        for name, text in states.finished.items()) else "replacing regions by their own bodies changes the file")


if __name__ == "__main__":
    run(main)
