#!/usr/bin/env python3
"""What a reader does in a lab beside writing code: hint, reset, solution, catchup. Called by the Makefile."""
import argparse
import textwrap

import exercises_file
import lab_state
import regions
from exercise_tools import ROOT, Problem, in_lab, read_text, run, write_file

try:
    import workspace  # only in the repository: a lab has no solutions
except ImportError:
    workspace = None


def one(exercises, command, exercise):
    """The exercise that EX= names."""
    if not exercise:
        raise Problem(f"which exercise? For example: make {command} EX={exercises[0].id}")
    return exercises_file.choose(exercises, exercise=exercise)[0]


def hint(lab, exercises, args):
    """Shows the next hint; after the last one all of them again."""
    exercise = one(exercises, "hint", args.exercise)
    state = lab_state.read_state(lab)
    shown, count = state["hints"].get(exercise.id, 0), len(exercise.hints)
    numbers = [shown] if shown < count else range(count)
    print(f"{exercise.id} {exercise.title}")
    for number in numbers:
        print(textwrap.fill(exercise.hints[number], 100, initial_indent=f"hint {number + 1} of {count}: ",
                            subsequent_indent=" " * 4))
    state["hints"][exercise.id] = min(shown + 1, count)
    lab_state.write_state(lab, state)
    return 0


def reset(lab, exercises, args):
    """Puts an exercise back as it was at first; WHOLE=1 its whole file."""
    exercise = one(exercises, "reset", args.exercise)
    original = read_text(lab / lab_state.ORIGINAL / exercise.file)
    place = lab_state.shown(lab / exercise.file)
    if args.whole:
        saved = lab_state.save(lab, exercise.file)
        write_file(lab / exercise.file, original)
        print(f"{place} is as it was at first, all its exercises too")
    else:
        saved = lab_state.put_region(lab, exercise, regions.body_of(original, exercise.region, exercise.file))
        if saved is None:
            print(f"{exercise.id} is as it was at first already")
            return 0
        print(f"{exercise.id} in {place} is as it was at first")
    say_saved(lab, saved)
    return 0


def say_saved(lab, saved):
    if saved:
        print(f"your version: {lab_state.shown(lab / saved)}")


def finished(command):
    """The repository's exercises, with their solutions."""
    if in_lab() or workspace is None:
        raise Problem(f"make {command} needs the repository of Next Token, where the finished code is; "
                      "this folder is only the lab. Here there are: make hint, make reset")
    return exercises_file.read_toml(ROOT)


def solution(lab, exercises, args):
    """Shows the finished code of an exercise; APPLY=1 writes it into the lab."""
    known = finished("solution")
    exercise = one(known, "solution", args.exercise)
    body = workspace.solution(ROOT, exercise)
    if not args.apply:
        print(f"{exercise.id} {exercise.title}, {exercise.file}:\n\n{textwrap.dedent(body)}")
        print(f"make solution EX={exercise.id} APPLY=1 writes it into {lab_state.shown(lab)}; "
              "your version is saved first")
        return 0
    in_this_lab(exercise, exercises, lab)
    saved = lab_state.put_region(lab, exercise, body)
    print(f"{exercise.id}: the finished code is in {lab_state.shown(lab / exercise.file)}"
          + (" already" if saved is None else ""))
    say_saved(lab, saved)
    return 0


def in_this_lab(exercise, exercises, lab):
    if exercise.id not in {other.id for other in exercises}:
        raise Problem(f"{exercise.id} is not in {lab_state.shown(lab)} yet; make lab adds it")


def before(known, args):
    """The exercises before EX= or CHAPTER=."""
    if args.exercise:
        last = one(known, "catchup", args.exercise)
        return known[:known.index(last)]
    if not args.chapter:
        raise Problem("up to where? For example: make catchup CHAPTER=02 or make catchup EX=02-3")
    number = exercises_file.chapter_number(args.chapter)
    chapters = {path.name[:2] for path in (ROOT / "chapters").iterdir() if path.is_dir()}
    if number not in chapters:
        raise Problem(f"CHAPTER={args.chapter}: there is no such chapter; there are {', '.join(sorted(chapters))}")
    return [exercise for exercise in known if exercise.chapter < number]


def catchup(lab, exercises, args):
    """Fills in the finished code of everything before an exercise or a chapter. All files or none are changed."""
    todo = before(finished("catchup"), args)
    texts, changed = {}, []
    for exercise in todo:
        in_this_lab(exercise, exercises, lab)
        name = exercise.file
        if name not in texts:
            texts[name] = lab_state.region_text(lab, exercise)
        regions.region_of(texts[name], exercise.region, lab_state.shown(lab / name))
        text = regions.replace(texts[name], exercise.region, workspace.solution(ROOT, exercise), name)
        if text != texts[name]:
            texts[name] = text
            changed.append(exercise)
    files = dict.fromkeys(exercise.file for exercise in changed)
    saved = [place for name in files if (place := lab_state.save(lab, name))]
    for name in files:
        write_file(lab / name, texts[name])
    for exercise in changed:
        print(f"{exercise.id} {exercise.title}: finished code written")
    print(f"{len(todo)} exercises come before; {len(changed)} of them were filled in")
    for place in saved:
        say_saved(lab, place)
    return 0


def main():
    commands = {"hint": hint, "reset": reset, "solution": solution, "catchup": catchup}
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("command", choices=commands)
    parser.add_argument("--lab", default="", help="the lab's folder (default: lab)")
    parser.add_argument("--exercise", default="", help="for example 02-3")
    parser.add_argument("--chapter", default="", help="for example 02")
    parser.add_argument("--apply", action="store_true", help="solution: write it into the lab")
    parser.add_argument("--whole", action="store_true", help="reset: the whole file")
    args = parser.parse_args()
    if args.command in ("solution", "catchup"):
        finished(args.command)
    lab = lab_state.find_lab(args.lab)
    return commands[args.command](lab, exercises_file.read_json(lab / "exercises.json"), args)


if __name__ == "__main__":
    run(main)
