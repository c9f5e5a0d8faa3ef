"""What a page of the book must keep. Each check takes the book and yields (file, line, message)."""
import re
import urllib.parse

import book_break
import regions
from book_expand import Page, differences
from book_text import (BLOCK, FENCE, GENERATED_HEAD, INLINE, KINDS, BookError, blank, blank_code, blank_spans,
                       blank_typed, console_commands, count_words, line_of)

MIN_WORDS, MAX_WORDS = 900, 1400
MAX_SNIPPETS, MAX_SNIPPET_LINES = 6, 25
CHAPTER = re.compile(r"chapters/(?!00_)\d\d_\w+/README\.md")

# Commands of the texts that the check does not run, and why. Everything else is run.
NOT_RUN = [
    (r"git ", "needs the network, or changes the checkout"),
    (r"sudo |apt", "changes the machine"),
    (r"make (test|test-all|asan|bench|book|docs|clang-check|fuzz|lint|format)\b", "takes minutes, or runs this check"),
    (r"make (model|setup|build|run)\b", "downloads or builds; what `make run` prints is checked as an output"),
    (r"make (lab|grade|hint|reset|solution|catchup|prove|class-export)\b", "the tests of the exercises run these"),
    (r"cmake ", "builds"),
    (r"(python3?|pip) .*(install|train\.py|check\.py)", "needs Python packages, which tests must not"),
    (r".*(?<!data/)\bmodels/\S+", "needs a model that is not in the repository"),
    (r"build/bin/(bench|\S*_bench)\b", "measures for minutes"),
]
SOURCES = (".cpp", ".h", ".cu", ".cuh", ".py", ".cmake", ".txt", ".toml")


def is_external(target):
    return re.match(r"[a-z]+:", target) is not None


def check_regions(book):
    """Markers in sources are balanced, nest, and have names of their own."""
    for name in book.tree.sources(*SOURCES):
        if name.startswith("tests/course/"):
            continue  # the scripts and their tests speak about markers
        text = book.tree.text(name)
        if "--8<--" in text:
            for line, message in regions.scan(text)[0]:
                yield name, line, message
            for match in re.finditer(r"(?://|#)--8<--", text):
                yield name, line_of(text, match.start()), "a blank belongs before --8<--"


def check_markers(book):
    """Markers in pages are balanced; the marker of a number does not begin a line."""
    for name, text in book.pages.items():
        rest = blank_spans(INLINE.sub(blank, BLOCK.sub(blank, blank_typed(text))))
        for match in re.finditer(rf"<!-- (?:end|/|=\w+|{KINDS}\b.*?) -->", rest):
            yield name, line_of(rest, match.start()), f"'{match[0]}' has no counterpart"
        for match in re.finditer(r"^\s*<!-- =\w+ -->", blank_typed(text), re.MULTILINE):
            yield name, line_of(text, match.start()), "a number's marker begins a line, which Markdown takes for HTML"


def check_words(book):
    """A chapter's text has 900 to 1,400 words: prose and tables, without code and generated blocks."""
    for name, text in book.pages.items():
        if CHAPTER.fullmatch(name) and not MIN_WORDS <= (words := count_words(text)) <= MAX_WORDS:
            yield name, 1, f"{words} words, {MIN_WORDS} to {MAX_WORDS} allowed"


def check_snippets(book):
    """A chapter's text has six snippets at most, each of 25 lines at most, and none that is typed."""
    for name, text in book.pages.items():
        if not CHAPTER.fullmatch(name):
            continue
        blocks = [block for block in BLOCK.finditer(text) if block["kind"] == "snippet"]
        if len(blocks) > MAX_SNIPPETS:
            seventh = line_of(text, blocks[MAX_SNIPPETS].start())
            yield name, seventh, f"{len(blocks)} snippets, {MAX_SNIPPETS} allowed"
        for block in blocks:
            lines = block["body"].count("\n") - 2
            if lines > MAX_SNIPPET_LINES:
                yield name, line_of(text, block.start()), f"{lines} lines, {MAX_SNIPPET_LINES} allowed"
        for fence in FENCE.finditer(BLOCK.sub(blank, text)):
            if fence[1] in ("cpp", "c++", "c"):
                yield name, line_of(text, fence.start()), "code that is typed: use a snippet"


def check_changes(book):
    """The lines that a text asks to change stand in the file, once."""
    for name, text in book.pages.items():
        for fence in FENCE.finditer(text):
            if fence[1] != "diff" or not CHAPTER.fullmatch(name):
                continue
            try:
                path, away, instead = book_break.parse_change(fence[2])
                book_break.changed((book.root / path).read_text(), away, instead, path)
            except (BookError, OSError) as error:
                yield name, line_of(text, fence.start()), str(error)


def slug(heading):
    """The anchor that GitHub and the site give a heading."""
    heading = re.sub(r"<!--.*?-->|[*`]", "", heading)
    heading = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading).strip().lower()
    return re.sub(r"[^\w\- ]", "", heading).replace(" ", "-")


def anchors(text):
    found = set()
    for heading in re.findall(r"^#{1,6} (.+)$", FENCE.sub("", text), re.MULTILINE):
        name, number = slug(heading), 1
        while name in found:
            name = f"{slug(heading)}-{number}"
            number += 1
        found.add(name)
    return found | set(re.findall(r'<a (?:id|name)="([^"]+)"', text))


LINKS = [re.compile(r"!?\[(?:[^\[\]]|\[[^\]]*\])*\]\(\s*<?([^)\s>]+)>?(?:\s+\"[^\"]*\")?\s*\)"),
         re.compile(r"^\[[^\]]+\]:\s*(\S+)", re.MULTILINE),
         re.compile(r"<(?:img|source|a)\b[^>]*\b(?:src|srcset|href)=\"([^\"]+)\"")]


def links(text):
    """The matches of every link and image of a page, in its order, code left out; group 1 is the target."""
    plain = blank_code(text)
    return sorted((match for pattern in LINKS for match in pattern.finditer(plain)), key=lambda match: match.start(1))


def check_links(book):
    """Links lead to files that git knows, and to headings that are there."""
    known = set(book.tree.files)
    folders = {"/".join(name.split("/")[:depth]) for name in known for depth in range(1, name.count("/") + 1)}
    for name, text in book.pages.items():
        for link in links(text):
            line, target = line_of(text, link.start()), link[1]
            if is_external(target):
                continue
            path, _, anchor = urllib.parse.unquote(target).partition("#")
            there = book.resolve(name, path) if path else name
            if there is None or (there not in known and there not in folders and there != ""):
                yield name, line, f"dead link: {target}"
            elif anchor and there.endswith(".md") and anchor not in anchors(book.tree.text(there)):
                yield name, line, f"no heading for #{anchor} in {there}"


def check_tests_named(book):
    """The tests that a chapter's pitfalls name are there."""
    known = set()
    for name in book.tree.files:
        if name.startswith("tests/") and name.endswith("CMakeLists.txt"):
            known |= set(re.findall(r"llm_(?:script_)?test\(\s*(\w+)", book.tree.text(name)))
    for name, text in book.pages.items():
        section = re.search(r"^## Pitfalls\n(.*?)(?=^## |\Z)", text, re.DOTALL | re.MULTILINE)
        if not section or not CHAPTER.fullmatch(name):
            continue
        for row in re.finditer(r"^\|.*\|\s*`(\w+)`[^|]*\|$", section[1], re.MULTILINE):
            if row[1] not in known:
                yield name, line_of(text, section.start(1) + row.start()), f"there is no test '{row[1]}'"


def why_not_run(command):
    return next((reason for pattern, reason in NOT_RUN if re.match(pattern, command)), None)


def check_commands(book):
    """Commands in console blocks work, but for those on the list of book_checks.py."""
    for name, text in book.pages.items():
        expected = {block["args"].split("; ")[0] for block in BLOCK.finditer(text) if block["kind"] == "broken"}
        for line, command in console_commands(text):
            if why_not_run(command) or command in expected:
                continue
            status, output = book.programs.run(command, True)
            if status != 0:
                last = output.strip().splitlines()[-1:] or ["nothing printed"]
                yield name, line, f"`{command}` ends with status {status}: {last[0]}"


def check_stale(book):
    """Generated blocks and numbers are what their sources and programs give today."""
    for name, text in book.pages.items():
        if not GENERATED_HEAD.search(text) and not INLINE.search(text):
            continue
        page = Page(name, text, book.programs)
        expanded = page.expand(checking=True)
        yield from ((name, line, message) for line, message in page.problems)
        yield from ((name, line, message) for line, message in differences(text, expanded))


CHECKS = [check_regions, check_markers, check_words, check_snippets, check_changes, check_links, check_tests_named,
          check_commands, check_stale]
