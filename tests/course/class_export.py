#!/usr/bin/env python3
"""Writes the lab as a template repository for a class, with its autograders. `make class-export TO=../class`.

TO gets the repository for the students: the lab, a README, GitHub Classroom's workflow and autograding.json.
TO-gradescope.zip, beside it, is the autograder to upload to Gradescope.
"""
import argparse
import json
import pathlib
import re
import time
import zipfile

import exercises_file
import lab
import lab_state
import workspace
from exercise_tools import EXERCISES, ROOT, Problem, in_lab, run
from grade_formats import POINTS

TEMPLATES = f"{EXERCISES}/class"
MINUTES = 10  # a test's limit in autograding.json: the first one builds everything


def autograding(exercises):
    """GitHub Classroom's autograding.json: one test an exercise; it passes if its command exits with 0."""
    return {"tests": [{"name": f"{exercise.id} {exercise.title}", "setup": "make setup",
                       "run": f"make grade EX={exercise.id} STRICT=1", "input": "", "output": "",
                       "comparison": "included", "timeout": MINUTES, "points": POINTS} for exercise in exercises]}


def class_files(root, exercises):
    """Path -> bytes of what a class's repository has beside the lab."""
    template = lambda name: (root / TEMPLATES / name).read_text(encoding="utf-8")
    how = (root / workspace.TEMPLATES / "README.md").read_text(encoding="utf-8")
    how = re.sub(r"\A# .*\n", "## How the exercises work\n", how)
    tests = json.dumps(autograding(exercises), indent=1, ensure_ascii=False) + "\n"
    files = {"README.md": template("README.md") + "\n" + how,
             ".github/workflows/classroom.yml": template("classroom.yml"),
             ".github/classroom/autograding.json": tests}
    return {name: text.encode() for name, text in files.items()}


def write_gradescope(path, root, exercises):
    """The zip for Gradescope: setup.sh and run_autograder at its top, the lab in lab/."""
    files = workspace.lab_files(root, exercises)
    files.update(lab_state.bookkeeping(files, exercises))
    temporary = path.with_name(path.name + ".part")
    with zipfile.ZipFile(temporary, "w", zipfile.ZIP_DEFLATED) as archive:
        for name in ("setup.sh", "run_autograder"):
            add(archive, name, (root / TEMPLATES / name).read_bytes(), 0o755)
        for name, data in sorted(files.items()):
            add(archive, f"lab/{name}", data, 0o755 if name.endswith(".sh") else 0o644)
    temporary.replace(path)


def add(archive, name, data, mode):
    info = zipfile.ZipInfo(name, time.localtime()[:6])
    info.external_attr = mode << 16
    info.compress_type = zipfile.ZIP_DEFLATED
    archive.writestr(info, data)


def export(root, folder, exercises):
    """Writes or updates the class's repository and the zip beside it; returns lab.Update and the zip's path."""
    lab.check_place(folder, "make class-export TO=folder")
    update = lab.write_lab(root, folder, exercises, class_files(root, exercises))
    archive = folder.with_name(folder.name + "-gradescope.zip")
    write_gradescope(archive, root, exercises)
    return update, archive


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--to", default="", help="the folder to write, for example ../class")
    args = parser.parse_args()
    if in_lab():
        raise Problem("class-export is a command of the repository of Next Token, not of a lab")
    if not args.to:
        raise Problem("where to? For example: make class-export TO=../class")
    folder, exercises = pathlib.Path(args.to).absolute(), exercises_file.read_toml(ROOT)
    update, archive = export(ROOT, folder, exercises)
    place = lab_state.shown(folder)
    lab.say_kept(update, place)
    print(f"""{place}: {len(exercises)} exercises, {len(exercises) * POINTS} points, without solutions
{lab_state.shown(archive)}: the autograder for Gradescope

GitHub Classroom: make {place} a repository, mark it as a template, name it as the assignment's starter code:
  cd {place} && git init -b main && git add . && git commit -m "Exercises"
  git remote add origin URL && git push -u origin main
  Its workflow grades every push; .github/classroom/autograding.json has the same tests for the older autograder.
Gradescope: upload the zip as the autograder of a programming assignment.
  Students submit their repository or the folder chapters.""")
    return 0


if __name__ == "__main__":
    run(main)
