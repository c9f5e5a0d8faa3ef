"""Marked regions of a source file: `// --8<-- [start:ex02-3]` to `// --8<-- [end:ex02-3]`.

The exercises are regions named ex and the exercise's id; regions of other names are snippets of the text.
"""
import re
import textwrap
from dataclasses import dataclass

from exercise_tools import Problem

MARKER = re.compile(r"^(?P<indent>[ \t]*)(?://|#) ?--8<-- \[(?P<edge>start|end):(?P<name>[\w-]+)\][ \t]*$")
IN_A_LINE = re.compile(r"(?P<indent>)--8<-- \[(?P<edge>start|end):(?P<name>[\w-]+)\]")
ALMOST = re.compile(r"--8<--|\[(?:start|end):ex[\w-]*\]")
MIN_LINES, MAX_LINES = 3, 30


def lines_of(text):
    """The lines of a text: cut at line feeds only, since a string in the code may hold other separators."""
    lines = text.replace("\r\n", "\n").split("\n")
    return lines[:-1] if lines[-1] == "" else lines


@dataclass
class Region:
    name: str
    start: int   # index of the start marker's line
    end: int     # index of the end marker's line
    indent: str  # of the start marker

    def body(self, lines):
        return lines[self.start + 1:self.end]


def scan(text):
    """What is wrong with the markers, as (line, message), and name -> Region of those that are whole."""
    wrong, regions, open_regions = [], {}, []
    for number, line in enumerate(lines_of(text)):
        alone = MARKER.match(line)
        match = alone or IN_A_LINE.search(line)
        if not alone and ALMOST.search(line):
            wrong.append((number + 1, f"this marker is damaged: {line.strip()!r} "
                          f"{'shares its line' if match else 'is not a marker'}. "
                          "It reads // --8<-- [start:NAME] or // --8<-- [end:NAME], alone on its line"))
        if not match:
            continue
        name, is_open = match["name"], any(region.name == match["name"] for region in open_regions)
        if match["edge"] == "start":
            if name in regions or is_open:
                wrong.append((number + 1, f"a second [start:{name}]: the region begins twice; remove one of the two"))
            open_regions.append(Region(name, number, -1, match["indent"]))
        elif not is_open:
            wrong.append((number + 1, f"[end:{name}] without [start:{name}] above it: the region has not begun; "
                          f"put the line // --8<-- [start:{name}] back where the region begins"))
        elif (last := open_regions[-1]).name != name:
            wrong.append((number + 1, f"[end:{name}] comes before [end:{last.name}]; "
                          f"put the line // --8<-- [end:{last.name}] back above it"))
            open_regions = [region for region in open_regions if region.name != name]
        else:
            last.end = number
            regions[name] = open_regions.pop()
    wrong += [(region.start + 1, f"[start:{region.name}] without [end:{region.name}]: the region has no end; "
               f"put the line // --8<-- [end:{region.name}] back where the region ends")
              for region in reversed(open_regions)]
    return wrong, regions


def find_regions(text, file):
    """Name -> Region. Raises Problem where markers are damaged, doubled, missing or cross each other."""
    wrong, regions = scan(text)
    if wrong:
        line, message = wrong[0]
        raise Problem(f"{file}:{line}: {message}")
    return regions


def region_of(text, name, file):
    """The region of that name; a Problem where it is missing."""
    regions = find_regions(text, file)
    if name not in regions:
        raise Problem(f"{file}: the lines // --8<-- [start:{name}] and // --8<-- [end:{name}] are missing")
    return regions[name]


def body_of(text, name, file):
    """The text between the markers of a region."""
    return "".join(line + "\n" for line in region_of(text, name, file).body(lines_of(text)))


def replace(text, name, body, file):
    """The text with the region's body replaced; both markers stay."""
    region, lines = region_of(text, name, file), lines_of(text)
    lines[region.start + 1:region.end] = lines_of(body)
    return "\n".join(lines) + "\n"


def fit(code, text, name, file):
    """Code as it stands in exercises.toml, indented as the region in `text` is."""
    indent = region_of(text, name, file).indent
    return textwrap.indent(textwrap.dedent(code.strip("\n")), indent, lambda line: line.strip() != "") + "\n"


def remove_snippets(text, file):
    """The text without the markers that are not of an exercise."""
    find_regions(text, file)
    lines = lines_of(text)
    kept = [line for line in lines if not (match := MARKER.match(line)) or match["name"].startswith("ex")]
    return "\n".join(kept) + "\n"


def skeleton(text, file):
    """The text without the bodies of its exercises: what stands around the reader's work."""
    lines = lines_of(text)
    for region in sorted(find_regions(text, file).values(), key=lambda region: -region.start):
        if region.name.startswith("ex"):
            del lines[region.start + 1:region.end]
    return "\n".join(lines) + "\n"


def check_size(text, name, file):
    """A region has 3 to 30 lines."""
    region = region_of(text, name, file)
    count = region.end - region.start - 1
    if not MIN_LINES <= count <= MAX_LINES:
        raise Problem(f"{file}:{region.start + 1}: region {name} has {count} lines, {MIN_LINES} to {MAX_LINES} allowed")
