"""Which file may include which: the layers of the house."""
import re

# common/X may include itself and these. Seams know nothing of text and cli, and cuda stands on base only.
LAYERS = {
    "base": set(),
    "cuda": {"base"},
    "tensor": {"base"},
    "io": {"base", "tensor"},
    "config": {"base", "tensor", "io"},
    "seams": {"base", "tensor", "io", "config"},
    "text": {"base", "tensor", "io", "config"},
    "cli": {"base", "tensor", "io", "config", "text"},
}

INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*([<"])([^>"]+)[>"]', re.MULTILINE)


def includes(tree, name):
    """(line number, bracket, path) of each include."""
    text = tree.text(name)
    for match in INCLUDE.finditer(text):
        yield text.count("\n", 0, match.start()) + 1, match[1], match[2]


def part_of(name):
    """("common", "io"), ("chapters", "02_naive_loop"), or None for tests, data and the like."""
    pieces = name.split("/")
    return tuple(pieces[:2]) if pieces[0] in ("common", "chapters") and len(pieces) > 2 else None


def uses_in(text):
    """Chapter -> the chapters that it names after USES, in the text of a CMakeLists.txt."""
    uses = {}
    for call in re.finditer(r"llm_chapter\(\s*(\w+)([^)]*)\)", re.sub(r"#.*", "", text)):
        words = re.search(r"\bUSES\b((?:\s+[0-9]\w*)+)", call[2])
        uses[call[1]] = words[1].split() if words else []
    return uses


def chapter_uses(tree):
    """The same of all chapters."""
    uses = {}
    for name in tree.files:
        if re.fullmatch(r"chapters/\w+/CMakeLists\.txt", name):
            uses |= uses_in(tree.text(name))
    return uses


def check_layers(tree):
    """A layer includes only the layers below it; a chapter only lower chapters that its CMake line names."""
    uses = chapter_uses(tree)
    for chapter, used in uses.items():
        for other in used:
            if other[:2] >= chapter[:2]:
                yield f"chapters/{chapter}/CMakeLists.txt", 1, f"USES {other}: not of a lower number"
    for name in tree.sources():
        here = part_of(name)
        if here is None:
            continue
        for line, _, path in includes(tree, name):
            there = part_of(path)
            if path.startswith(("tests/", "data/")):
                yield name, line, f"includes {path}: only tests may"
            if there is None or there == here:
                continue
            if message := forbidden(here, there, uses):
                yield name, line, f"includes {path}: {message}"


def forbidden(here, there, uses):
    """Why code in `here` may not include `there`, or None."""
    if here[0] == "common":
        if there[0] == "chapters":
            return "common never includes a chapter"
        if here[1] not in LAYERS:
            return f"common/{here[1]} is not in the table of layers (LAYERS in tests/course/lint_includes.py)"
        return None if there[1] in LAYERS[here[1]] else f"common/{here[1]} stands below or beside common/{there[1]}"
    if there[0] == "common":
        return None
    if there[1][:2] >= here[1][:2]:
        return "a chapter includes only chapters of a lower number"
    if there[1] not in uses.get(here[1], []):
        return f"name {there[1]} after USES in chapters/{here[1]}/CMakeLists.txt"
    return None


def check_include_paths(tree):
    """Files of this project are included by their path from the root, and are there."""
    for name in tree.sources():
        for line, bracket, path in includes(tree, name):
            ours = path.split("/")[0] in ("common", "chapters", "tests")
            if bracket == '"' and not ours:
                yield name, line, f'"{path}": write the path from the root of the repository'
            elif ours and path not in tree.files:
                yield name, line, f"{path} does not exist"


def check_headers(tree):
    """Headers begin with #pragma once and stay free of Eigen, CUDA and nlohmann JSON (json_fwd.hpp excepted)."""
    heavy = re.compile(r"Eigen/|unsupported/Eigen|cuda|cublas|nlohmann/(?!json_fwd\.hpp)")
    for name in tree.sources(".h"):
        if "#pragma once" not in tree.text(name):
            yield name, 1, "#pragma once is missing"
        for line, _, path in includes(tree, name):
            if heavy.match(path):
                yield name, line, f"a header includes {path}: move it to the .cpp file"
