"""Breaks the code as a page suggests, in a copy, and shows what the tests say to it.

A page's ```diff block names the file in its `--- path` line, followed by the lines to take away (-) and to put in
their place (+). The `broken` block below it shows a command's output after that change. Building takes a minute, so
this is done when the change or the command is new (the block holds a hash of them), and the check compares nothing
but that hash and that the lines to take away stand in the file.
"""
import hashlib
import os
import re
import subprocess

from book_text import FENCE, BookError
from exercise_tools import write_if_new
from lint_tree import Tree

COPY = "build-broken"


def change_above(text, position):
    """The ```diff block before a position: (path, lines away, lines instead)."""
    blocks = [block for block in FENCE.finditer(text, 0, position) if block[1] == "diff"]
    if not blocks:
        raise BookError("there is no ```diff block above")
    return parse_change(blocks[-1][2])


def parse_change(diff):
    lines = diff.splitlines()
    if not lines or not lines[0].startswith("--- "):
        raise BookError("a ```diff block begins with `--- path/of/the/file`")
    away = [line[1:] for line in lines[1:] if line.startswith("-")]
    instead = [line[1:] for line in lines[1:] if line.startswith("+")]
    return lines[0][4:].strip(), away, instead


def changed(source, away, instead, path):
    """The source with the lines exchanged; their indentation is the file's."""
    lines = source.splitlines()
    wanted = [line.strip() for line in away]
    starts = [i for i in range(len(lines)) if [line.strip() for line in lines[i:i + len(away)]] == wanted]
    if len(starts) != 1:
        raise BookError(f"{path} has the lines to take away {len(starts)} times: {' / '.join(wanted)}")
    lines[starts[0]:starts[0] + len(away)] = instead
    return "\n".join(lines) + "\n"


def fingerprint(text, match):
    path, away, instead = change_above(text, match.start())
    return hashlib.sha256("\n".join([path, *away, *instead, match["args"]]).encode()).hexdigest()[:12]


def note(text, match):
    """The line in the block that says what its output was made from."""
    return f"<!-- made from {fingerprint(text, match)} -->\n"


def failure(programs, text, match, command):
    """What the command, a program of tests, prints when the change is made; it must fail."""
    path, away, instead = change_above(text, match.start())
    copy = programs.root / COPY
    for name in Tree(programs.root).files:  # a file that an earlier change broke is put right, and compiled again
        write_if_new(copy / "source" / name, (programs.root / name).read_bytes())
    source = copy / "source" / path
    source.write_text(changed((programs.root / path).read_text(), away, instead, path))
    target = re.search(r"build/bin/(?:tests/)?(\w+)", command)[1]
    environment = {**os.environ, "CCACHE_BASEDIR": str(copy)}
    for step in (["cmake", "-S", "source", "-B", "build", "-G", "Ninja", "-DCMAKE_BUILD_TYPE=Release"],
                 ["cmake", "--build", "build", "--target", target]):
        done = subprocess.run(step, cwd=copy, capture_output=True, text=True, env=environment)
        if done.returncode != 0:
            raise BookError(f"the broken copy does not build:\n{(done.stdout + done.stderr)[-1500:]}")
    there = command.replace("build/bin/", f"{copy}/build/bin/")
    done = subprocess.run(["bash", "-c", there], cwd=copy / "source", stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True)
    if done.returncode == 0:
        raise BookError(f"`{command}` passes although the code is broken")
    return re.sub(rf"(?:{re.escape(str(copy))}|\.\.)/(?:source/)?", "", done.stdout)
