#!/usr/bin/env python3
"""Writes a lab: the workspace in which a reader solves the exercises. `make lab` calls it.

A lab that is there is brought up to date; what its reader wrote stays, and is said.
"""
import argparse
import pathlib

import exercises_file
import lab_state
import regions
import workspace
from exercise_tools import ROOT, Problem, in_lab, read_text, run, write_file


class Update:
    """Brings one lab up to date, file by file."""

    def __init__(self, lab):
        self.lab, self.manifest = lab, lab_state.read_manifest(lab)
        self.written, self.left, self.saved = 0, [], []

    def put(self, name, data):
        """Writes one file, unless that would lose what the reader did."""
        path = self.lab / name
        present = path.read_bytes() if path.is_file() else None
        if present == data:
            return
        if present is None or lab_state.digest(present) == self.manifest.get(name):
            write_file(path, data)
            self.written += 1
        elif name.startswith("chapters/"):
            self._keep_work(name, present, data)
        else:  # tests and scripts: a changed one would grade wrongly
            self._replace(name, data)

    def _replace(self, name, data):
        if saved := lab_state.save(self.lab, name):
            self.saved.append(saved)
        write_file(self.lab / name, data)
        self.written += 1

    def _keep_work(self, name, present, data):
        """A chapter's file that the reader changed: the course's new text around his or her regions, where nothing
        but regions was changed; else it stays as it is."""
        original = self.lab / lab_state.ORIGINAL / name
        if not original.is_file():
            self.left.append((name, "you changed it"))
            return
        try:
            mine, first, new = present.decode(), original.read_text(), data.decode()
            if regions.skeleton(new, name) == regions.skeleton(first, name):
                return  # nothing around the exercises is new
            if regions.skeleton(mine, name) != regions.skeleton(first, name):
                self.left.append((name, "you changed it outside of the exercises, and the course has a new version"))
                return
            for region in regions.find_regions(mine, name):
                body = regions.body_of(mine, region, name)
                if region in regions.find_regions(new, name) and body != regions.body_of(first, region, name):
                    new = regions.replace(new, region, body, name)
        except (Problem, UnicodeDecodeError) as problem:
            self.left.append((name, str(problem)))
            return
        self._replace(name, new.encode())

    def remove(self, name):
        """Removes a file that a lab no longer has, unless the reader changed it."""
        path = self.lab / name
        if path.is_file():
            if lab_state.digest(path.read_bytes()) == self.manifest[name]:
                path.unlink()
            else:
                self.left.append((name, "it is no longer part of a lab"))


def check_place(lab, other="make lab LAB=folder"):
    """A lab goes into a new or empty folder, or into one that is a lab; `other` takes another folder."""
    if lab.exists() and not lab.is_dir():
        raise Problem(f"{lab_state.shown(lab)} is a file; {other} takes another folder")
    if lab.is_dir() and any(lab.iterdir()) and not (lab / lab_state.MANIFEST).is_file() \
            and not (lab / ".course").is_dir():
        raise Problem(f"{lab_state.shown(lab)} has other files in it and is no lab; {other} takes another")


def write_lab(root, lab, exercises, more=None):
    """Writes or updates a lab, with `more` files (path -> bytes) in it; returns the Update."""
    check_place(lab)
    files = {**workspace.lab_files(root, exercises), **(more or {})}
    lab.mkdir(parents=True, exist_ok=True)
    (lab / ".course").mkdir(exist_ok=True)
    update = Update(lab)
    for name, data in files.items():
        update.put(name, data)
    for name in sorted(set(update.manifest) - set(files)):
        update.remove(name)
    for name, data in lab_state.bookkeeping(files, exercises).items():
        write_file(lab / name, data)  # the manifest comes last
    return update


def say_kept(update, place):
    """Says which of the reader's changes were left or saved."""
    for name, why in update.left:
        print(f"left as it is: {place}/{name} ({why})")
    for name in update.saved:
        print(f"updated; your version: {place}/{name}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--lab", default="", help="the lab's folder (default: lab)")
    args = parser.parse_args()
    if in_lab():
        raise Problem("this is a lab already; make lab is a command of the repository of Next Token")
    lab = pathlib.Path(args.lab) if args.lab else ROOT / "lab"
    is_new = not (lab / lab_state.MANIFEST).is_file()
    exercises = exercises_file.read_toml(ROOT)
    update = write_lab(ROOT, lab.absolute(), exercises)
    place = lab_state.shown(lab)
    say_kept(update, place)
    chapters = ", ".join(dict.fromkeys(exercise.chapter for exercise in exercises))
    if is_new:
        print(f"{place}: {len(exercises)} exercises of chapters {chapters}; begin with {place}/README.md")
        where = f" LAB={args.lab}" if lab.resolve() != ROOT / "lab" else ""
        print(f"next: make grade CHAPTER={exercises[0].chapter}{where}")
    else:
        print(f"{place} is up to date: {update.written} files written, {len(exercises)} exercises, your work is kept")
    return 0


if __name__ == "__main__":
    run(main)
