#!/usr/bin/env python3
"""Builds the grading programs of a lab, runs them and says how each exercise stands. `make grade` calls it.

Exit status 1 while something is wrong; 0 if exercises are only not started or wait for others (--strict: 1, too).
"""
import argparse
import pathlib
import sys

import exercises_file
import grade_build
import grade_formats
import grade_report
import grade_run
import lab_state
from exercise_tools import ROOT, Problem, in_lab, read_text, run
from grade_run import BAD, OK

WARNINGS_SHOWN = 5


class Progress:
    """The compiler's steps on one line of a terminal; nothing elsewhere."""

    def __init__(self):
        self.on = sys.stderr.isatty()

    def __call__(self, line):
        if self.on and line.startswith("["):
            step, _, what = line.strip().partition("] ")
            sys.stderr.write(f"\r\033[K{step}] {pathlib.PurePath(what.split()[-1]).name if what else ''}")
            sys.stderr.flush()

    def end(self):
        if self.on:
            sys.stderr.write("\r\033[K")
            sys.stderr.flush()


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--lab", default="", help="the lab's folder (default: lab)")
    parser.add_argument("--chapter", default="", help="only this chapter, for example 02")
    parser.add_argument("--exercise", default="", help="only this exercise, for example 02-3")
    parser.add_argument("--limit", default="", help=f"seconds for a test program (default: {grade_run.LIMIT_S})")
    parser.add_argument("--strict", action="store_true", help="exit status 1 unless every exercise is ok")
    parser.add_argument("--results", default="", help="folder for the results (default: results in the lab)")
    return parser.parse_args()


def limit_of(text):
    try:
        limit = float(text or grade_run.LIMIT_S)
    except ValueError:
        limit = 0
    if not 0 < limit <= 3600:
        raise Problem(f"LIMIT={text}: expected seconds, more than 0 and at most 3600")
    return limit


def main():
    args = arguments()
    limit, lab = limit_of(args.limit), lab_state.find_lab(args.lab)
    exercises = exercises_file.read_json(lab / "exercises.json")
    chosen = exercises_file.choose(exercises, args.chapter, args.exercise)
    needed = [other for exercise in chosen for other in exercises_file.with_needs(exercise, exercises)]
    build_folder, progress = lab / "build", Progress()
    if not (build_folder / "build.ninja").is_file():
        print(f"building the grading programs in {lab_state.shown(build_folder)}, once ...", flush=True)
    grade_build.configure(lab, build_folder)
    build = grade_build.build_programs(lab, build_folder, list({item.id: item for item in needed}.values()), progress)
    progress.end()
    results = grade_run.grade(lab, build_folder, build, exercises, chosen, limit,
                              workers=int(grade_build.jobs(lab)))
    ids = {exercise.id for exercise in chosen}
    own = [result for result in results if result.exercise.id in ids]
    told = [result for result in results if result.exercise.id in ids or result.status != OK]
    report(told, own, lab, build, bool(args.exercise))
    say_if_old(lab)
    grade_formats.write(pathlib.Path(args.results) if args.results else lab / "results", own)
    wrong = any(result.status in BAD for result in told)
    return 1 if wrong or args.strict and any(result.status != OK for result in own) else 0


def say_if_old(lab):
    """Where the course has other exercises than the lab, says so."""
    try:
        if not in_lab() and exercises_file.to_json(exercises_file.read_toml(ROOT)) != read_text(lab / "exercises.json"):
            print("The course has new or changed exercises: make lab brings your lab up to date.")
    except Problem:
        pass  # the course's own list is being edited


def report(told, own, lab, build, one):
    paint = grade_report.Paint(grade_report.colours_wanted())
    prefix = lab_state.shown(lab) + "/"
    prefix = "" if prefix == "./" else prefix
    hints = lab_state.read_state(lab)["hints"]
    print("\n".join(grade_report.render(told, lab, prefix, hints, paint, one)))
    files = {result.exercise.file for result in told}
    found = [warning for warning in grade_build.warnings(build.output, lab) if warning[0] in files]
    if found:
        print("\nThe compiler warns:")
        for file, line, message in found[:WARNINGS_SHOWN]:
            print(f"  {prefix}{file}:{line}: {message}")
    print("\n".join(grade_report.closing(told, own, lab, prefix, paint)), flush=True)


if __name__ == "__main__":
    run(main)
