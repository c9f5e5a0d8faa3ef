#!/usr/bin/env python3
"""Builds a chapter's program from the reader's code and runs it. `make run CHAPTER=02` in a lab calls it."""
import argparse
import os
import sys

import exercises_file
import grade_build
import lab_state
from exercise_tools import Problem, run


def program_of(lab, chapter):
    """The name of a chapter's program."""
    if not chapter:
        raise Problem("which program? For example: make run CHAPTER=02")
    programs = sorted(path.parent.name for path in (lab / "chapters").glob("*/main.cpp"))
    for name in programs:
        if name.startswith(exercises_file.chapter_number(chapter) + "_"):
            return name
    known = ", ".join(name[:2] for name in programs)
    raise Problem(f"CHAPTER={chapter}: no program there; chapters with programs are {known or 'not in this lab yet'}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--lab", default="", help="the lab's folder (default: lab)")
    parser.add_argument("--chapter", required=True, help="for example 02")
    parser.add_argument("arguments", nargs="*", help="for the program")
    args = parser.parse_args()
    lab = lab_state.find_lab(args.lab)
    program, build = program_of(lab, args.chapter), lab / "build"
    grade_build.configure(lab, build)
    status, output = grade_build.run_ninja(build, "-j", grade_build.jobs(lab), program,
                                           progress=lambda line: print(line, end="", flush=True))
    if status != 0:
        errors = grade_build.parse_errors(output, lab)
        first = f"{errors[0].file}:{errors[0].line}: {errors[0].message}" if errors else "see above"
        raise Problem(f"{program} does not compile: {first}")
    sys.stdout.flush()
    path = build / "bin" / program
    os.execv(path, [str(path), *args.arguments])


if __name__ == "__main__":
    run(main)
