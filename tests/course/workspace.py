"""What a lab consists of: the finished code with its exercises taken out, the tests that grade them, the scripts."""
import re

import exercises_file
import regions
from exercise_tools import EXERCISES, Problem
from lint_tree import Tree

# The scripts that a lab needs, from tests/course.
SCRIPTS = ("exercise_tools.py", "exercises_file.py", "regions.py", "grade.py", "grade_build.py", "grade_run.py",
           "grade_report.py", "grade_formats.py", "lab_commands.py", "lab_run.py", "lab_state.py")
TEMPLATES = f"{EXERCISES}/lab/"  # files that stand at the top of a lab
CODE = re.compile(r"chapters/(CMakeLists\.txt|\w+/(CMakeLists\.txt|[\w/]+\.(h|cpp|cu|cuh)))")
MODELS = re.compile(r"data/models/[\w-]+/[\w.-]+")
GRADING = re.compile(rf"{EXERCISES}/(\w+\.(h|cpp)|CMakeLists\.txt)")
NOT_STARTED = f'#include "{EXERCISES}/not_started.h"'


def belongs(name, folders):
    """Whether a file of the repository stands in a lab of these chapters, as it is or with its regions replaced."""
    pieces = name.split("/")
    if name.startswith(f"{EXERCISES}/") and pieces[3] in folders:
        return not name.endswith("exercises.toml")
    if pieces[0] == "chapters" and len(pieces) > 2 and pieces[1][:2] > max(folder[:2] for folder in folders):
        return False
    return bool(name.startswith("common/") and name != "common/cmake/fetch_model.py" or CODE.fullmatch(name)
                or MODELS.fullmatch(name) or GRADING.fullmatch(name) or name in (".clang-format", "LICENSE")
                or name.startswith("tests/course/") and name.split("/")[-1] in SCRIPTS)


def add_include(text):
    """The text with not_started.h included, after the includes that no #if stands before."""
    if NOT_STARTED in text:
        return text
    lines = regions.lines_of(text)
    ends = [number for number, line in enumerate(lines) if re.match(r"\s*#\s*if", line)] or [len(lines)]
    includes = [number for number, line in enumerate(lines[:ends[0]]) if line.startswith("#include")]
    at = includes[-1] + 1 if includes else 0
    return "\n".join([*lines[:at], NOT_STARTED, *lines[at:]]) + "\n"


def make_stub(exercise, text):
    """The text of the finished file with this exercise taken out."""
    if exercise.kind == "given":
        return text
    stub = regions.fit(exercise.stub, text, exercise.region, exercise.file)
    text = regions.replace(text, exercise.region, stub, exercise.file)
    return add_include(text) if "NotStarted" in stub else text


def stubbed(name, text, exercises, solved=()):
    """A chapter's file as it stands in a lab: without snippet markers, and with every exercise taken out whose id
    is not among `solved`."""
    text = regions.remove_snippets(text, name)
    for exercise in exercises:
        if exercise.file == name and exercise.id not in solved:
            text = make_stub(exercise, text)
    return text


def solution(root, exercise):
    """The finished body of an exercise's region, without snippet markers inside."""
    text = (root / exercise.file).read_text(encoding="utf-8")
    return regions.body_of(regions.remove_snippets(text, exercise.file), exercise.region, exercise.file)


def cmake_list(exercises):
    """exercises.cmake: every chapter source once, then every exercise."""
    link = {}
    for exercise in exercises:
        for name in exercises_file.sources_of(exercise, exercises):
            link.setdefault(name, []).extend(item for item in targets_of(exercise, exercises)
                                             if item not in link.get(name, []))
    lines = ["# Written by make lab from the list of exercises."]
    lines += [f"llm_exercise_source({name} LINK {' '.join(targets)})" for name, targets in link.items()]
    for exercise in exercises:
        sources = exercises_file.sources_of(exercise, exercises)
        lines.append(f"llm_exercise({exercise.id} TEST {exercise.test_file}\n             SOURCES {' '.join(sources)}\n"
                     f"             LINK {' '.join(targets_of(exercise, exercises))})")
    return "\n".join(lines) + "\n"


def targets_of(exercise, exercises):
    """The libraries and packages of an exercise and of all that it needs."""
    names = ["llm_base"]
    for other in exercises_file.with_needs(exercise, exercises):
        names += [name for name in [*other.libraries, *other.packages] if name not in names]
    return names


def lab_files(root, exercises):
    """Path -> bytes of everything in a lab that none has worked on yet, without its bookkeeping."""
    tree, files = Tree(root), {}
    folders = {exercise.folder for exercise in exercises}
    in_regions = set(exercises_file.region_files(exercises))
    for name in tree.files:
        if name.startswith(TEMPLATES):
            files[name[len(TEMPLATES):].replace("gitignore", ".gitignore")] = (root / name).read_bytes()
        elif belongs(name, folders):
            data = (root / name).read_bytes()
            if CODE.fullmatch(name) and not name.endswith("CMakeLists.txt"):
                data = stubbed(name, data.decode(), exercises if name in in_regions else ()).encode()
            files[name] = data
    lists = "chapters/CMakeLists.txt"
    kept = lambda match: match[0] if f"chapters/{match[1].decode()}/CMakeLists.txt" in files else b""
    files[lists] = re.sub(rb"add_subdirectory\((\w+)\)\n", kept, files[lists])
    if missing := in_regions - set(files):
        raise Problem(f"{missing.pop()} holds an exercise and is not a source file of a chapter")
    files["exercises.json"] = exercises_file.to_json(exercises).encode()
    files[f"{EXERCISES}/exercises.cmake"] = cmake_list(exercises).encode()
    return files
