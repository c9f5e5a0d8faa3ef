"""Small templates: each feature of the language once, and random ones."""
import random
import re

from chat_snippets import BLOCKS, SNIPPETS

VARIABLES = {
    "i": 7, "n": -3, "z": 0, "f": 2.5, "g": -0.1, "t": True, "u": False, "nothing": None, "big": 4000000000,
    "s": "Hello, World", "e": "", "w": "  pad \n", "x": "ünï 你好 🙂", "lines": "a\nb\r\n\nc", "num": "42", "numf": " 3.5 ",
    "html": "<a href='x'>&\"</a>", "l": [1, 2, 3], "m": [], "words": ["b", "A", "c", "a"], "mix": [1, "a", None, 2.5, [1], {"k": 1}],
    "d": {"a": 1, "b": [1, 2], "items": "shadow", "c": {"x": "y"}}, "q": {},
    "people": [{"name": "Zoe", "age": 3, "tags": ["x"]}, {"name": "amy", "age": 10}, {"name": "Bob", "age": 3, "ok": True}],
}
MESSAGES = [{"role": "user", "content": "hi"}]


def case(template, **more):
    return {"template": template, "messages": MESSAGES, "variables": VARIABLES, **more}


def snippets():
    """Each line, and each of several expressions on one line by itself, so that no error hides another."""
    singles = [part for text in SNIPPETS if "{%" not in text for part in re.split(r"(?<=\}\}) (?=\{\{)", text)]
    return [case(text) for text in dict.fromkeys(SNIPPETS + singles + BLOCKS) if text]


class Generator:
    """Random expressions: mostly sensible, sometimes not."""

    NAMES = list(VARIABLES) + ["undef", "messages", "tools"]
    LITERALS = ["0", "1", "2", "-1", "3.5", "0.5", "''", "'a'", "'Ab c'", "', '", "[]", "[1, 2]", "['b', 'a']", "{}", "{'a': 1}", "true", "false", "none", "(1, 2)", "'42'", "'é🙂'", "1e10", "'\\n'"]
    FILTERS = [
        "trim", "length", "count", "upper", "lower", "title", "capitalize", "join", "join(', ')", "tojson", "tojson(indent=2)", "default('d')", "d('x', true)", "first", "last", "items", "list",
        "map('string')", "map(attribute='name')", "map('upper')", "select", "reject", "select('string')", "reject('none')", "selectattr('name')", "rejectattr('ok')", "selectattr('age', '>', 3)",
        "replace('a', 'b')", "string", "int", "float", "safe", "unique", "sort", "sort(reverse=true)", "reverse", "indent", "dictsort", "abs", "round", "round(1)", "sum", "min", "max", "batch(2)", "slice(2)",
        "truncate(5)", "center(9)", "format(1)", "e", "attr('upper')", "groupby('age')", "map('int')", "map('length')", "select('defined')", "trim('a ')",
    ]
    TESTS = ["defined", "undefined", "none", "string", "number", "integer", "float", "boolean", "mapping", "sequence", "iterable", "true", "false", "odd", "even", "callable", "lower", "upper", "in [1, 'a']", "eq 1", "divisibleby 2", "sameas none", "escaped"]
    METHODS = [
        "split()", "split(',')", "strip()", "lstrip()", "rstrip('d')", "startswith('H')", "endswith('d')", "replace('l', 'L')", "upper()", "lower()", "title()", "capitalize()", "items()", "keys()", "values()",
        "get('a')", "get('zz', 1)", "find('o')", "count('l')", "splitlines()", "index(2)", "join(['a', 'b'])", "a", "b", "name", "items", "x", "isdigit()", "zfill(5)", "copy()", "format(1, 2)", "partition(' ')", "append(1)", "rsplit(' ', 1)", "swapcase()",
    ]
    BINARY = ["+", "-", "*", "/", "//", "%", "**", "~", "==", "!=", "<", "<=", ">", ">=", "and", "or", "in", "not in"]
    ITEMS = ["[0]", "[-1]", "['a']", "[1:]", "[:2]", "[::-1]", "[i]", "[s]", "['name']", "[1:2]", "[::2]", "[-2:]", ".0", "[none]", "[10]", "[0].name"]

    def __init__(self, rng):
        self.rng = rng

    def atom(self):
        return self.rng.choice(self.NAMES if self.rng.random() < 0.65 else self.LITERALS)

    def expression(self, depth):
        kind = self.rng.random()
        if depth == 0 or kind < 0.1:
            return self.atom()
        inner = self.expression(depth - 1)
        if kind < 0.35:
            return f"{inner} | {self.rng.choice(self.FILTERS)}"
        if kind < 0.45:
            return f"({inner}) is {self.rng.choice(['', 'not '])}{self.rng.choice(self.TESTS)}"
        if kind < 0.6:
            return f"({inner}).{self.rng.choice(self.METHODS)}"
        if kind < 0.7:
            # Not a constant: of constants that cannot be sliced Jinja makes an undefined value instead of an error.
            return f"({inner} if t else e){self.rng.choice(self.ITEMS)}"
        if kind < 0.9:
            other = self.expression(depth - 1)
            operator = self.rng.choice(self.BINARY)
            if operator == "**":
                other = self.rng.choice(["2", "0", "-1", "0.5"])
            if operator == "*":
                other = self.rng.choice(["2", "0", "3", "1.5", "'a'"])
            return self.rng.choice(["{} {} {}", "({}) {} ({})"]).format(inner, operator, other)
        if kind < 0.94:
            return f"{inner} if {self.expression(depth - 1)} else {self.expression(depth - 1)}"
        if kind < 0.97:
            return f"[{inner}, {self.expression(depth - 1)}]"
        return f"not {inner}"


def expressions(seed, count):
    """Values whose printed form is an address or has no order are printed by their type only."""
    generator = Generator(random.Random(seed))
    return [case("{{ " + generator.expression(generator.rng.randrange(1, 5)) + " }}") for _ in range(count)]


def layouts(seed, count):
    """Random white space around random tags."""
    rng = random.Random(seed)
    spaces = ["", " ", "\n", "  \n", "\n  ", "\t", "\n\n", " \n \n ", "\r\n", "x", "x\n", "\nx ", "\u00a0", " \u2028"]

    def tag(body, open_, close):
        return open_ + rng.choice(["", "", "-", "+" if open_ != "{{" else ""]) + f" {body} " + rng.choice(["", "", "-", "+" if open_ != "{{" else ""]) + close

    def piece(depth):
        kind = rng.random()
        if depth == 0 or kind < 0.35:
            return rng.choice(spaces)
        if kind < 0.55:
            return tag("'v'", "{{", "}}")
        if kind < 0.65:
            return tag("c", "{#", "#}")
        if kind < 0.72:
            return tag("set v = 1", "{%", "%}")
        if kind < 0.86:
            return tag("if t", "{%", "%}") + body(depth - 1) + tag("endif", "{%", "%}")
        if kind < 0.95:
            return tag("for a in l", "{%", "%}") + body(depth - 1) + tag("endfor", "{%", "%}")
        return tag("raw", "{%", "%}") + rng.choice(spaces) + "{{ r }}" + rng.choice(spaces) + tag("endraw", "{%", "%}")

    def body(depth):
        return "".join(piece(depth) + rng.choice(spaces) for _ in range(rng.randrange(1, 5)))

    return [case(body(3)) for _ in range(count)]
