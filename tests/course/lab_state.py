"""What a lab remembers in .course/: the files as they were written, hints that were shown, saved versions."""
import hashlib
import json
import pathlib
import time

import exercises_file
import regions
from exercise_tools import ROOT, Problem, in_lab, read_text, write_file

MANIFEST, STATE, ORIGINAL, SAVED = (f".course/{name}" for name in ("manifest.json", "state.json", "original", "saved"))


def digest(data):
    return hashlib.sha256(data).hexdigest()


def bookkeeping(files, exercises):
    """Path -> bytes of .course/: the manifest, and the files with exercises as they were at first."""
    originals = {f"{ORIGINAL}/{name}": files[name] for name in exercises_file.region_files(exercises)}
    manifest = {"files": {name: digest(data) for name, data in sorted(files.items())}}
    return {**originals, MANIFEST: (json.dumps(manifest, indent=1) + "\n").encode()}


def find_lab(argument):
    """The lab's folder: the one that LAB= names, or the one that these scripts stand in."""
    lab = pathlib.Path(argument or (ROOT if in_lab() else ROOT / "lab"))
    if not lab.is_dir():
        raise Problem(f"{shown(lab)}: there is no lab yet; make lab writes it")
    if not (lab / MANIFEST).is_file() or not (lab / "exercises.json").is_file():
        raise Problem(f"{shown(lab)}: is not a lab of the exercises; make lab LAB=folder writes one into a new folder")
    return lab.resolve()


def shown(path):
    """A path as a person at the current folder would write it."""
    path, here = pathlib.Path(path).resolve(), pathlib.Path.cwd().resolve()
    return path.relative_to(here).as_posix() if path.is_relative_to(here) else str(path)


def read_manifest(lab):
    try:
        return json.loads((lab / MANIFEST).read_text())["files"]
    except (OSError, ValueError, KeyError, TypeError):
        return {}


def read_state(lab):
    """A damaged state is an empty one: only the number of hints is lost."""
    try:
        state = json.loads((lab / STATE).read_text())
        return {"hints": {key: int(value) for key, value in state["hints"].items()}}
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return {"hints": {}}


def write_state(lab, state):
    write_file(lab / STATE, json.dumps(state, indent=1) + "\n")


def save(lab, name):
    """Keeps the present version of a file of the lab; returns where, or "" where it was never changed."""
    path = lab / name
    if not path.is_file() or digest(path.read_bytes()) == read_manifest(lab).get(name):
        return ""
    stamp, number = time.strftime("%Y-%m-%d_%H%M%S"), 0
    while (folder := lab / SAVED / (stamp + (f"_{number}" if number else ""))).joinpath(name).exists():
        number += 1
    write_file(folder / name, path.read_bytes())
    return (folder / name).relative_to(lab).as_posix()


def put_region(lab, exercise, body):
    """Writes a body into an exercise's region of the reader's file; returns where the old version was saved."""
    text = region_text(lab, exercise)
    changed = regions.replace(text, exercise.region, body, exercise.file)
    if changed == text:
        return None
    saved = save(lab, exercise.file)
    write_file(lab / exercise.file, changed)
    return saved


def region_text(lab, exercise):
    """The text of the file that holds an exercise; a Problem with the remedy where its markers are damaged."""
    path = lab / exercise.file
    if not path.is_file():
        raise Problem(f"{shown(path)} is missing; make reset EX={exercise.id} WHOLE=1 writes it anew")
    try:
        text = read_text(path)
        regions.region_of(text, exercise.region, shown(path))
    except Problem as problem:
        raise Problem(f"{problem}; or start the file over with make reset EX={exercise.id} WHOLE=1 "
                      "(your version is saved first)") from None
    return text
