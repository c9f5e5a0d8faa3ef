"""Hides what a program's output owes to the machine and the moment: seconds, rates, memory peaks, threads."""
import re

UNITS = r"(?:ns|us|ms|s|min|h|tok/s|[KMGT]?FLOP/s|[kMGT]?B/s|x)"
NUMBER = r"\d[\d,]*(?:\.\d+)?"
MASKS = [
    (re.compile(r"\b\d+ min \d+ s\b"), "#"),
    (re.compile(rf"(?<![\w.]){NUMBER}( ?){UNITS}(?![\w/])"), "#"),
    (re.compile(rf"{NUMBER} times as fast"), "# times as fast"),
    (re.compile(r"\b\d+ threads?\b"), "# threads"),
    (re.compile(r"[▁▂▃▄▅▆▇█]+"), "#"),
    (re.compile(r"\"(\w+_s|peak_bytes|threads)\": [\d.e+-]+"), r'"\1": #'),
    (re.compile(r"^(\s*(?:peak|load|speed|time|isa)\b).*"), r"\1 #"),
    (re.compile(r"\b\d(?:\.\d+)?e-(?:0[5-9]|[1-9]\d)\b"), "#"),  # rounding, which depends on the instruction set
    (re.compile(r"\b\d+ (test programs)"), r"# \1"),
    (re.compile(r"(\[doctest\] assertions:).*"), r"\1 #"),  # some tests run every instruction set of the machine
]
# Columns of a program's tables that hold such numbers.
TIMED = re.compile(r"(?:ms|us|s|seconds|load|encode|prefill|decode|time|speed|memory|of peak FLOPs|of bandwidth"
                   r"|.*tok/s|.*FLOP/s|.*B/s|.*speed-?up)", re.IGNORECASE)
RULE = re.compile(r"\s*-+(?:  +-+)+\s*")


def columns(rule):
    """[begin, end) of each column of a table, from the line of dashes under its head."""
    return [(match.start(), match.end()) for match in re.finditer(r"-+", rule)]


def mask_tables(lines):
    """The lines of program tables, cells joined by `|`, with # in the columns that hold timings."""
    masked, spans, timed = [], [], []
    for i, line in enumerate(lines):
        if i + 1 < len(lines) and RULE.fullmatch(lines[i + 1]):
            spans = columns(lines[i + 1])
            timed = [bool(TIMED.fullmatch(line[begin:end].strip())) for begin, end in spans]
            # A cell reaches to where the next begins: text is wider than dashes where it is not ASCII.
            masked.append("|".join(line[begin:end].strip() for begin, end in spans))
        elif RULE.fullmatch(line):
            masked.append("---")
        elif spans and line.strip():
            cells = [line[begin:end].strip() for begin, end in spans]
            masked.append("|".join("#" if hide else cell for hide, cell in zip(timed, cells)))
        else:
            spans = []
            masked.append(line)
    return masked


def mask(text):
    """A program's output as it is compared: numbers that vary hidden, blanks and line ends counted as one blank."""
    lines = mask_tables(text.splitlines())
    for pattern, by in MASKS:
        lines = [pattern.sub(by, line) for line in lines]
    return re.sub(r"\s+", " ", " ".join(lines)).strip()
