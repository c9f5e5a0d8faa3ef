"""Fills a page's generated blocks and numbers: from sources, from programs, from files of results."""
import difflib
import json
import os
import random
import re
import subprocess
import textwrap

import book_break
import book_chapters
from book_mask import mask
from book_text import (BLOCK, INLINE, VALUES, BookError, blank_typed, line_of, parse_options, snippet,
                       typed_fences)
from exercise_tools import Problem

COLUMNS = 110
TIME_LIMIT_S = 120
# Lines of CMake, Ninja, ctest and doctest that say only how far or of which version they are.
PROGRESS = re.compile(r"\[\d+/\d+\]|ninja: |Configuring |Internal ctest|Test project| +Start +\d+:"
                      r"| *\d+/\d+ Test +#|\d+% tests passed|Total Test time|Label Time Summary|.* sec\*proc"
                      r"|\[doctest\] (?:doctest version|run with)|={79}$")
# How the output of a command that builds is made without building: make prints the last line that it would run.
INSTEAD = {"make run": "line=$(make -n run BUILD=$BUILD_FOLDER | tail -1); echo \"$line\"; eval \"$line\""}
# These run for minutes, or run the check of the book themselves: only --refresh writes their outputs.
ON_REFRESH = re.compile(r"make (?!run\b)")
LANGUAGES = {"cpp": "cpp", "h": "cpp", "py": "python", "toml": "toml", "json": "json", "txt": "cmake"}


class Programs:
    """Runs commands in the repository's root, each once; `build/` in them is the build folder.

    With one_cpu they get one processor: threads that wait for each other, on a machine that runs other tests too,
    would take minutes. Results do not depend on it.
    """

    def __init__(self, root, build, one_cpu=False):
        self.root, self.build, self.done = root, build.rstrip("/"), {}
        self.one_cpu = one_cpu and hasattr(os, "sched_setaffinity")

    def _prepare(self):
        if self.one_cpu:
            os.sched_setaffinity(0, {random.choice(sorted(os.sched_getaffinity(0)))})

    def run(self, command, errors_too):
        """(exit status, output): standard output, and standard error too if errors_too."""
        if (command, errors_too) not in self.done:
            there = re.sub(r"(?<![\w/.-])build/(?=bin/|tests/)", f"{self.build}/", command)
            target = subprocess.STDOUT if errors_too else subprocess.PIPE
            environment = {**os.environ, "BUILD_FOLDER": self.build}
            for name in ("MAKEFLAGS", "MAKELEVEL", "MFLAGS"):  # a command's own make would speak of folders
                environment.pop(name, None)
            try:
                done = subprocess.run(["bash", "-c", there], cwd=self.root, stdout=subprocess.PIPE, stderr=target,
                                      stdin=subprocess.DEVNULL, text=True, errors="replace", timeout=TIME_LIMIT_S,
                                      env=environment, preexec_fn=self._prepare)
                output, status = done.stdout, done.returncode
                output += f"\n{done.stderr}" if status != 0 and not errors_too else ""
            except subprocess.TimeoutExpired:
                output, status = f"no answer in {TIME_LIMIT_S} s", 124
            output = output.replace(f"{self.build}/", "build/").replace(f"{self.root}/", "")
            self.done[command, errors_too] = (status, output)
        return self.done[command, errors_too]

    def output(self, command, errors_too=True):
        status, output = self.run(command, errors_too)
        if status != 0:
            raise BookError(f"`{command}` ends with status {status}:\n{output[-1500:]}")
        return output


def shown(output, options):
    """A program's output as a page shows it: cut as its block's options say, long lines continued."""
    lines = [line.rstrip() for line in output.splitlines() if not PROGRESS.match(line)]
    if options.section:
        starts = [i for i, line in enumerate(lines) if line.startswith(options.section)]
        if not starts:
            raise BookError(f"`{options.command}` prints no line that begins with '{options.section}'")
        end = next((i for i in range(starts[0], len(lines)) if not lines[i]), len(lines))
        lines = ["..."] * (starts[0] > 0) + lines[starts[0]:end] + ["..."] * (end < len(lines))
    text = re.sub(r"\n{2,}", "\n" if options.compact else "\n\n", "\n".join(lines)).strip("\n")
    pieces = [piece for line in text.split("\n") for piece in
              (textwrap.wrap(line, COLUMNS, drop_whitespace=True) if len(line) > COLUMNS else [line])]
    if options.first is not None and len(pieces) > options.first:
        pieces = [*pieces[:options.first], "..."]
    return "\n".join(pieces)


def look_up(data, path):
    """models.0.ids.count: members, indices, and `count` for the length of a list."""
    for step in path.split("."):
        if step == "count" and isinstance(data, list):
            data = len(data)
        elif isinstance(data, list):
            data = data[int(step)]
        elif isinstance(data, dict) and step in data:
            data = data[step]
        else:
            raise BookError(f"'{path}' is not there")
    return data


def formatted(value, form):
    """`.1%` gives 12.3 %, `,` gives 1,234, `.2f` 0.12; `k`, `M`, `G`, `T` before it divide first; `s` a time."""
    factor = {"k": 1e3, "M": 1e6, "G": 1e9, "T": 1e12, "P": 1e15, "m": 1e-3}.get(form[:1])
    if factor:
        return format(value / factor, form[1:])
    return format(value, form).replace("%", " %")


class Values:
    """The numbers of a page's list, each made when it is first asked for."""

    def __init__(self, text, programs):
        self.programs, self.definitions, self.known = programs, {}, {}
        for block in VALUES.finditer(text):
            for line in block[1].splitlines():
                if line.strip():
                    name, _, definition = line.partition(" = ")
                    self.definitions[name.strip()] = definition.strip()

    def definition(self, name):
        """(source, path, form): the path is None where the source is a formula."""
        if name not in self.definitions:
            raise BookError(f"the page's list of values has no '{name}'")
        source, *rest = self.definitions[name].split(" => ")
        path = rest.pop(0) if re.match(r"build/|docs/|data/|printf |echo ", source) else None
        return source, path, rest[0] if rest else ""

    def raw(self, name):
        if name not in self.known:
            source, path, _ = self.definition(name)
            if path is not None:
                self.known[name] = look_up(json.loads(self.text_of(source)), path)
            else:
                names = re.findall(r"\b[a-z_]\w*", source)
                self.known[name] = eval(source, {"__builtins__": {}}, {other: self.raw(other) for other in names})
        return self.known[name]

    def text_of(self, source):
        if source.endswith(".json") and " " not in source:
            return (self.programs.root / source).read_text()
        return self.programs.output(source, errors_too=False).strip().splitlines()[-1]

    def shown(self, name):
        value, (_, _, form) = self.raw(name), self.definition(name)
        return formatted(value, form) if form else str(value)


class Page:
    """One Markdown file: what stands in it, and what should."""

    def __init__(self, name, text, programs, refresh=False):
        self.name, self.text, self.programs, self.refresh = name, text, programs, refresh
        self.problems = []  # (line, message)

    def expand(self, checking):
        """The text as it should be. While checking, nothing is built."""
        values = Values(blank_typed(self.text), self.programs)
        text = BLOCK.sub(lambda match: self._block(match, checking), self.text)
        typed = typed_fences(text)
        return INLINE.sub(lambda match: match[0] if any(begin <= match.start() < end for begin, end in typed)
                          else self._inline(match, values), text)

    def _inline(self, match, values):
        try:
            return f"<!-- ={match[1]} -->{values.shown(match[1])}<!-- / -->"
        except (BookError, KeyError, ValueError, TypeError, IndexError, OSError) as error:
            self.problems.append((line_of(self.text, max(self.text.find(match[0]), 0)), f"{match[1]}: {error}"))
            return match[0]

    def _block(self, match, checking):
        kind, args = match["kind"], match["args"]
        try:
            if kind in ("output", "broken"):
                body = self._output(match, checking)
            elif kind == "snippet":
                body = self._snippet(args)
            elif kind == "markdown":
                body = self.programs.output(args, errors_too=False).strip() + "\n"
            elif kind == "box":
                body = book_chapters.box(self.programs.root, self.name, args, self.text)
                body = book_chapters.unless_near(match["body"], body)
            else:
                body = book_chapters.exercise_table(self.programs.root, self.name)
        except (BookError, Problem, OSError) as error:
            self.problems.append((line_of(self.text, match.start()), f"{kind}: {error}"))
            return match[0]
        if kind in ("output", "broken") and not self.refresh and mask(body) == mask(match["body"]):
            body = match["body"]
        return f"{match['head']}{body}<!-- end -->"

    def _output(self, match, checking):
        options, after = parse_options(match["args"]), ""
        command = options.command
        if match["kind"] == "broken":
            note = book_break.note(self.text, match)
            if note in match["body"]:
                return match["body"]
            if checking:
                raise BookError("the change above or the command is not what this output was made from: make book")
            output, after = book_break.failure(self.programs, self.text, match, command), note
        elif ON_REFRESH.match(command) and not self.refresh:
            return match["body"]
        else:
            output = self.programs.output(INSTEAD.get(command, command))
        return f"```console\n$ {command}\n{shown(output, options)}\n```\n{after}"

    def _snippet(self, args):
        path, _, name = args.partition(" ")
        code = snippet((self.programs.root / path).read_text(), name)
        return f"```{LANGUAGES.get(path.rsplit('.', 1)[-1], '')}\n{code}\n```\n"


def differences(old, new):
    """(line, text) of each place where lines differ."""
    old_lines, new_lines = old.splitlines(), new.splitlines()
    for tag, first, last, begin, end in difflib.SequenceMatcher(None, old_lines, new_lines, False).get_opcodes():
        if tag != "equal":
            there = " / ".join(old_lines[first:min(last, first + 2)]) or "nothing"
            yield first + 1, f"stale: '{there}' should be '{' / '.join(new_lines[begin:end][:2]) or 'nothing'}'"
