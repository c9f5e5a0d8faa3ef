"""No line of a solution may stand in a lab.

The rule: a line of a region counts if it has at least 16 characters beside white space, comments left out. It may
not stand in any text file of the lab, alone or within a longer line, white space aside. Excused is a line that also
stands outside of every exercise's region in the finished code of common/ or chapters/ (the head of a usual loop, for
example): the reader is shown it there anyway; so is the head of a function that is declared there. And a line of the
exercise's own stub, where the exercise is to correct the stub.
"""
import re

import regions
import workspace

MIN_CHARACTERS = 16
TEXT = re.compile(r".*\.(h|cpp|cu|cuh|py|md|txt|cmake|json|sh|toml|yml)|(.*/)?(Makefile|[\w.]*ignore)")


def squeezed(line):
    return re.sub(r"\s+", "", line)


def significant(body):
    """The lines of a region that would give something away, without white space and comments."""
    lines = [squeezed(re.sub(r"//.*", "", line)) for line in body.splitlines()]
    return [line for line in dict.fromkeys(lines) if len(line) >= MIN_CHARACTERS]


def shown_anyway(root, exercises, files):
    """The finished code that stands outside of all regions of exercises, line by line, without white space."""
    lines = []
    for name in files:
        if not name.startswith(("chapters/", "common/")) or not name.endswith((".h", ".cpp", ".cu", ".cuh")):
            continue
        text = (root / name).read_text(encoding="utf-8")
        if any(exercise.file == name for exercise in exercises):
            text = regions.skeleton(text, name)
        lines += [squeezed(re.sub(r"//.*", "", line)) for line in text.splitlines()]
    return "\n".join(lines)


def is_shown(line, anyway):
    """Whether the reader sees the line anyway, or a declaration of the function that it begins."""
    return line in anyway or line.endswith("{") and line[:-1] + ";" in anyway


def find_leaks(root, exercises, files):
    """(exercise, line, file of the lab) of each line of a solution that stands in `files` (path -> bytes)."""
    anyway = shown_anyway(root, exercises, files)
    texts = {name: squeezed(data.decode("utf-8", "replace")) for name, data in files.items()
             if TEXT.fullmatch(name) and not name.startswith("data/")}
    leaks = []
    for exercise in exercises:
        if exercise.kind == "given":
            continue
        own = {squeezed(line) for line in exercise.stub.splitlines()} if exercise.kind == "fix" else set()
        for line in significant(workspace.solution(root, exercise)):
            if is_shown(line, anyway) or line in own:
                continue
            leaks += [(exercise, line, name) for name, text in texts.items() if line in text]
    return leaks
