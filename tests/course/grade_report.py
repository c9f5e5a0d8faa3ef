"""The report of make grade, for people."""
import os
import sys
import textwrap

import regions
from exercise_tools import Problem, read_text
from grade_run import BAD, COMPILE, CRASH, HANG, LATER, NOT_STARTED, OK, WRONG

COLOURS = {OK: "32", WRONG: "1;31", COMPILE: "1;31", CRASH: "1;31", HANG: "1;31", NOT_STARTED: "36", LATER: "2"}
ORDER = (OK, WRONG, COMPILE, CRASH, HANG, NOT_STARTED, LATER)
WIDTH, MARGIN = 100, 20  # columns in all, and of the status
LABEL = 12               # columns of "expected    "


def colours_wanted(stream=None):
    """Only for a terminal, and not where NO_COLOR is set (no-color.org)."""
    return (stream or sys.stdout).isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"


class Paint:
    def __init__(self, on):
        self.on = on

    def __call__(self, text, code):
        return f"\033[{code}m{text}\033[0m" if self.on and text else text


def sentence(result):
    """The result in one line, for a log."""
    parts = [result.case and f"case '{result.case}'", result.what]
    if result.expected:
        parts.append(f"expected {result.expected}, got {result.got}")
    if result.index:
        parts.append(f"first difference at {result.index}")
    parts += [result.looks_like and f"looks like: {result.looks_like}", result.message]
    return "; ".join(part for part in parts if part)


def place_of(result, lab):
    """file:line of the reader's code for this exercise."""
    exercise = result.exercise
    try:
        region = regions.region_of(read_text(lab / exercise.file), exercise.region, exercise.file)
        return f"{exercise.file}:{region.start + 2}"
    except Problem:
        return exercise.file


def details(result, lab=None, prefix="", shown_hints=0):
    """(label, text) of what is told about a result that is not ok."""
    rows = [("case", result.case), ("what", result.what), ("expected", result.expected), ("got", result.got),
            ("differs at", result.index), ("looks like", result.looks_like)]
    if result.status == COMPILE:
        place = f"{prefix}{result.place}: " if result.place else ""
        rows.append(("error", place + result.message))
    else:
        rows.append(("because", result.message))
    rows += [("", line) for line in result.context]
    if lab is not None:
        rows.append(("your code", prefix + place_of(result, lab)))
        if result.status == WRONG and result.place:
            rows.append(("the test", prefix + result.place))
        rows.append(("next", next_hint(result.exercise, shown_hints)))
    return [(label, text) for label, text in rows if text]


def next_hint(exercise, shown_hints):
    count = len(exercise.hints)
    if shown_hints < count:
        return f"make hint EX={exercise.id}   (hint {shown_hints + 1} of {count})"
    return f"make hint EX={exercise.id}   (all {count} hints again)"


def plain(result):
    """All that is told about a result, without layout."""
    return "\n".join(f"{label}: {text}" for label, text in details(result))


def wrapped(label, text):
    """One row of details; what is code or numbers keeps its shape, sentences are wrapped."""
    indent = " " * MARGIN
    if label in ("looks like", "because", "error"):
        lines = textwrap.wrap(text, WIDTH - MARGIN - LABEL, break_long_words=False, break_on_hyphens=False) or [""]
    else:
        lines = [text]
    yield f"{indent}{label:<{LABEL}}{lines[0]}"
    for line in lines[1:]:
        yield f"{indent}{'':<{LABEL}}{line}"


def render(results, lab, prefix, hints, paint, only=None):
    """The lines of the report. `only` shows the programs' own output, too, where one exercise was asked for."""
    chapter = None
    for result in results:
        exercise = result.exercise
        if exercise.chapter != chapter:
            chapter = exercise.chapter
            yield ""
            yield paint(f"Chapter {exercise.folder.replace('_', ' ', 1).replace('_', ' ')}", "1")
        note = {NOT_STARTED: f"{exercise.minutes} min, {prefix}{place_of(result, lab)}",
                LATER: f"first {', '.join(result.waits_for)}"}.get(result.status, "")
        status = paint(f"{result.status:<17}", COLOURS[result.status])
        yield f"  {status} {exercise.id}  {exercise.title}" + (paint(f"   {note}", "2") if note else "")
        if result.status in BAD:
            for label, text in details(result, lab, prefix, hints.get(exercise.id, 0)):
                for line in wrapped(label, text):
                    yield paint(line, "1") if label == "looks like" else line
        if only and result.output.strip():
            yield f"{'':{MARGIN}}it printed:"
            yield from (f"{'':{MARGIN}}  {line}" for line in result.output.strip().splitlines()[:20])


def counts(results):
    """Status -> how many."""
    return {status: number for status in ORDER if (number := sum(result.status == status for result in results))}


def closing(told, own, lab, prefix, paint):
    """What is to be done next, and the counts."""
    yield ""
    first_bad = next((result for result in told if result.status in BAD), None)
    first_open = next((result for result in told if result.status == NOT_STARTED), None)
    if first_bad:
        yield f"First: {first_bad.exercise.id}, {prefix}{place_of(first_bad, lab)}"
    elif first_open:
        exercise = first_open.exercise
        yield f"Next: {exercise.id} {exercise.title}, {prefix}{place_of(first_open, lab)}"
    elif all(result.status == OK for result in told):
        yield "All done here."
    yield ", ".join(paint(f"{number} {status}", COLOURS[status]) for status, number in counts(own).items())
