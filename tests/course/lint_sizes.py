"""How long files, functions and lines may be."""
import re

from lint_tree import is_generated_or_data

MAX_FILE_LINES, MAX_MAIN_LINES, MAX_FUNCTION_LINES, MAX_COLUMNS = 300, 200, 60, 110


def check_file_lengths(tree):
    """Source files have 300 lines at most, a chapter's main.cpp 200."""
    for name in tree.sources(".cpp", ".h", ".cu", ".cuh", ".py", ".sh", ".cmake"):
        if is_generated_or_data(name) and not name.endswith(".py"):
            continue
        limit = MAX_MAIN_LINES if re.fullmatch(r"chapters/\w+/main\.cpp", name) else MAX_FILE_LINES
        length = len(tree.lines(name))
        if length > limit:
            yield name, length, f"{length} lines, {limit} allowed"


def blank_out(text):
    """The text with comments, strings and character literals blanked, and every newline kept."""
    token = re.compile(r'R"([^\s()\\]{0,16})\(.*?\)\1"|//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"'
                       r"|(?<![0-9a-fA-F])'(?:\\.|[^'\\\n])+'", re.DOTALL)
    return token.sub(lambda match: re.sub(r"[^\n]", " ", match[0]), text)


# What may stand between a type's keyword and its brace, and takes parentheses.
DECORATION = re.compile(r"\balignas\s*\([^)]*\)|\[\[[^\]]*\]\]|__attribute__\s*\(\(.*?\)\)")
SCOPE = re.compile(r"\b(namespace|class|struct|union|enum|extern)\b[^()=]*$")
INITIALISER = re.compile(r"(=|\(|,|\breturn|\{)\s*$")


def opens_function(head):
    """True if a brace after this text opens a function's body, not a type, a namespace or an initialiser."""
    head = DECORATION.sub(" ", head)
    return ("(" in head and head.count("(") == head.count(")") and not SCOPE.search(head)
            and not INITIALISER.search(head))


def functions(text):
    """(first line, lines) of each outermost function body, from the signature to the closing brace."""
    blank = lambda match: re.sub(r"[^\n]", " ", match[0])
    text = re.sub(r"^[ \t]*#(?:[^\n]*\\\n)*[^\n]*", blank, blank_out(text), flags=re.MULTILINE)
    depth, body_depth, head_start = 0, None, 0
    for match in re.finditer(r"[{};]", text):
        if match[0] == "{":
            if body_depth is None and opens_function(text[head_start:match.start()]):
                body_depth = depth
            depth += 1
        elif match[0] == "}":
            depth -= 1
            if depth == body_depth:
                body_depth = None
                if re.match(r"\s*[,{]", text[match.end():]):
                    continue  # a member initialiser, as in `Name() : a_{1}, b_{2} {`: the head goes on
                start = head_start + len(text[head_start:]) - len(text[head_start:].lstrip())
                first = text.count("\n", 0, start) + 1
                yield first, text.count("\n", 0, match.start()) + 2 - first
        if body_depth is None:
            head_start = match.end()


def check_function_lengths(tree):
    """Functions have 60 lines at most, from the signature to the closing brace."""
    for name in tree.sources():
        if is_generated_or_data(name):
            continue
        for line, length in functions(tree.text(name)):
            if length > MAX_FUNCTION_LINES:
                yield name, line, f"a function of {length} lines, {MAX_FUNCTION_LINES} allowed"


def check_columns(tree):
    """Lines of C++ have 110 columns at most."""
    for name in tree.sources():
        for number, line in enumerate(tree.lines(name), 1):
            if len(line) > MAX_COLUMNS:
                yield name, number, f"{len(line)} columns, {MAX_COLUMNS} allowed"
