"""The markers of the book: generated blocks and numbers in Markdown, named regions in source files.

In Markdown (all are comments, which readers do not see):
    <!-- snippet: chapters/x/main.cpp loop -->  the region `loop` of a file, as a code block
    <!-- output: COMMAND; first 12 lines -->    what a command prints; also `; section Work`, `; compact`
    <!-- broken: COMMAND; first 9 lines -->     the same after the change in the ```diff block above
    <!-- markdown: COMMAND -->                  a command's standard output, as Markdown
    <!-- box: BUILT | GPU: x | download: y -->  the chapter's head; BUILT says what one builds in it
    <!-- exercises -->                          the chapter's exercises, from exercises.toml
each closed by `<!-- end -->`. `<!-- =name -->12 %<!-- / -->` is a number from the list that the page ends with:
    <!-- values
    tokens = build/bin/01_tokenizer --json => models.0.ids.count
    share = build/bin/count_flops --json => attention_share => .1%
    unused = rows - ids => ,
    -->
In sources a region stands between `--8<-- [start:name]` and `--8<-- [end:name]`, each in a comment of its own
(regions.py reads them).
"""
import re
import textwrap
from dataclasses import dataclass

import regions

KINDS = r"(?:snippet|output|broken|markdown|box|exercises)"
BLOCK = re.compile(rf"^(?P<head><!-- (?P<kind>{KINDS})(?:: (?P<args>[^\n]*?))? -->\n)"
                   rf"(?P<body>(?:(?!^<!-- {KINDS}\b).)*?)^<!-- end -->$", re.DOTALL | re.MULTILINE)
VALUES = re.compile(r"^<!-- values\n(.*?)^-->\n", re.DOTALL | re.MULTILINE)
INLINE = re.compile(r"<!-- =(\w+) -->((?:(?!<!-- =).)*?)<!-- / -->")
FENCE = re.compile(r"^```(\w*)\n(.*?)^```$", re.DOTALL | re.MULTILINE)
GENERATED_HEAD = re.compile(rf"<!-- {KINDS}\b")


class BookError(Exception):
    """What is wrong with a page, in one sentence."""


@dataclass
class Options:
    """The arguments of an output block: the command, then options after semicolons."""
    command: str
    first: int | None = None
    section: str | None = None
    compact: bool = False


def parse_options(args):
    command, *rest = args.split("; ")
    options = Options(command)
    for word in rest:
        if match := re.fullmatch(r"first (\d+) lines", word):
            options.first = int(match[1])
        elif match := re.fullmatch(r"section (.+)", word):
            options.section = match[1]
        elif word == "compact":
            options.compact = True
        else:
            raise BookError(f"unknown option '{word}' in '{args}'")
    return options


def typed_fences(text):
    """The spans of code blocks that are no part of a generated block: what they show of markers means nothing."""
    generated = [match.span() for match in BLOCK.finditer(text)]
    return [match.span() for match in FENCE.finditer(text)
            if not any(begin <= match.start() < end for begin, end in generated)]


def line_of(text, position):
    return text.count("\n", 0, position) + 1


def snippet(text, name):
    """The lines of a region without markers in it, moved to the left."""
    _, found = regions.scan(text)
    if name not in found:
        raise BookError(f"there is no region '{name}'")
    lines = [line for line in found[name].body(regions.lines_of(text)) if "--8<--" not in line]
    return textwrap.dedent("\n".join(lines)).strip("\n")


def without_blocks(text):
    """A page's prose: no generated blocks, no code, no comments."""
    text = BLOCK.sub("", text)
    text = FENCE.sub("", text)
    return re.sub(r"<!--.*?-->", "", text, flags=re.DOTALL)


def count_words(text):
    """Words of prose, link targets and table rules not counted."""
    prose = re.sub(r"\]\([^)]*\)", "]", without_blocks(text))
    return len([word for word in prose.split() if re.search(r"\w", word)])


def blank(match):
    """Blanks of a match's length, newlines kept."""
    return re.sub(r"[^\n]", " ", match[0])


def blank_code(text):
    """The text with code blocks and code spans blanked: where links are looked for."""
    return blank_spans(FENCE.sub(blank, text))


def blank_spans(text):
    return re.sub(r"(?<!`)(`+)(?!`)[^\n]+?(?<!`)\1(?!`)", blank, text)


def blank_typed(text):
    """The text with typed code blanked: where markers are looked for."""
    for begin, end in typed_fences(text):
        text = text[:begin] + re.sub(r"[^\n]", " ", text[begin:end]) + text[end:]
    return text


def console_commands(text):
    """(line, command) of each `$ ` line in console blocks; a backslash at the end continues it."""
    for block in FENCE.finditer(text):
        if block[1] != "console":
            continue
        first = line_of(text, block.start(2))
        lines = block[2].splitlines()
        for i, line in enumerate(lines):
            if not line.startswith("$ "):
                continue
            command, j = line[2:], i
            while command.endswith("\\") and j + 1 < len(lines):
                j += 1
                command = command[:-1] + lines[j].lstrip("> ")
            yield first + i, command
