"""What a chapter's head and its table of exercises say: counted from the folder, exercises.toml and CMake."""
import difflib
import re

import exercises_file
import regions
from book_text import BookError, count_words
from exercise_tools import EXERCISES
from lint_includes import uses_in

WORDS_A_MINUTE = 40  # of a text with code that is read beside it
SOURCES = (".cpp", ".h", ".cu", ".cuh")


def chapter_of(page):
    match = re.fullmatch(r"chapters/(\d\d_\w+)/README\.md", page)
    if not match:
        raise BookError("only a chapter's README.md has this block")
    return match[1]


def exercises(root, chapter):
    path = root / EXERCISES / chapter / "exercises.toml"
    return exercises_file.read_chapter(path, root) if path.exists() else []


def sources(root, chapter):
    return sorted(path for path in (root / "chapters" / chapter).iterdir() if path.name.endswith(SOURCES))


def lines_of(path):
    """A source's lines without the book's markers."""
    return [line for line in path.read_text().splitlines() if "--8<--" not in line]


def rounded(count):
    """Two digits, so that a small change of the code does not change the text: 2,643 is 2,600."""
    step = 10 ** max(len(str(count)) - 2, 0)
    return f"{round(count / step) * step:,}"


def uses(root, chapter):
    cmake = root / "chapters" / chapter / "CMakeLists.txt"
    return uses_in(cmake.read_text()).get(chapter, []) if cmake.exists() else []


def title(chapter):
    return f"{chapter[:2]} {chapter[3:].replace('_', ' ')}"


def loop(root, chapter):
    """The lines of the region `loop` in a chapter's main.cpp, or None."""
    path = root / "chapters" / chapter / "main.cpp"
    if not path.exists():
        return None
    text = path.read_text()
    _, found = regions.scan(text)
    return found["loop"].body(regions.lines_of(text)) if "loop" in found else None


def loop_change(root, chapter):
    """'the loop in main.cpp: 3 lines added and 2 removed against chapter 02', or nothing."""
    mine = loop(root, chapter)
    earlier = sorted((name for path in (root / "chapters").iterdir() if (name := path.name) < chapter
                      and re.match(r"\d\d_", name) and loop(root, name)), reverse=True)
    if not mine:
        return ""
    if not earlier:
        return f"; the loop in `main.cpp` has {len(mine)} lines"
    changes = list(difflib.ndiff(loop(root, earlier[0]), mine))
    added, removed = (sum(line.startswith(sign) for line in changes) for sign in ("+ ", "- "))
    return (f"; in the loop of `main.cpp` {added} lines are added and {removed} removed "
            f"against chapter {earlier[0][:2]}")


def box(root, page, args, text):
    """The chapter's head. args: what is built, then `GPU: ...` and `download: ...` where they are not `no`."""
    chapter = chapter_of(page)
    built, *more = [part.strip() for part in (args or "").split(" | ")]
    extra = dict(part.split(": ", 1) for part in more)
    needed = ", ".join(f"[{title(name)}](../{name}/README.md)" for name in uses(root, chapter)) or "none"
    files = sources(root, chapter)
    count = sum(len(lines_of(path)) for path in files)
    tasks = exercises(root, chapter)
    reading = max(5, round(count_words(text) / WORDS_A_MINUTE / 5) * 5)
    time = f"{reading} minutes to read"
    if tasks:
        time += f", {sum(task.minutes for task in tasks)} for the {len(tasks)} exercises"
    program = f"; program `{chapter}`" if (root / "chapters" / chapter / "main.cpp").exists() else ""
    rows = [("**You build**", built), ("Chapters needed", needed), ("Time", time), ("GPU", extra.get("GPU", "no")),
            ("Download", extra.get("download", "no")),
            ("What changed", f"{len(files)} new files with {rounded(count)} lines{program}"
                             f"{loop_change(root, chapter)}")]
    lines = [f"| {name} | {value} |" for name, value in rows]
    return "\n".join([lines[0], "| --- | --- |", *lines[1:]]) + "\n"


def unless_near(old, new):
    """The new box, with the old row of the sizes of the code while these are within 5 %: a small change of the code
    is no reason to change the text."""
    numbers = lambda row: [int(number.replace(",", "")) for number in re.findall(r"\d[\d,]*", row)]
    same = lambda a, b: re.sub(r"\d[\d,]*", "#", a) == re.sub(r"\d[\d,]*", "#", b)
    near = lambda a, b: all(abs(x - y) <= max(1, 0.05 * y) for x, y in zip(numbers(a), numbers(b)))
    rows = {row.split(" | ")[0]: row for row in old.splitlines()}
    kept = rows.get("| What changed", "")
    use = lambda row: kept if row.startswith("| What changed") and same(kept, row) and near(kept, row) else row
    return "\n".join(use(row) for row in new.splitlines()) + "\n"


def exercise_table(root, page):
    chapter = chapter_of(page)
    rows = ["| exercise | what you write | minutes | in your lab |", "| --- | --- | --- | --- |"]
    for task in exercises(root, chapter):  # no link: beside the text stands the finished code
        rows.append(f"| {task.id} | {task.title} | {task.minutes} | `{task.file}` |")
    return "\n".join(rows) + "\n" if len(rows) > 2 else "This chapter has no exercises yet.\n"
