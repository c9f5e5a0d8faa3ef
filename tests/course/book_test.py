#!/usr/bin/env python3
"""Proves that each check of the book can fail: small trees with one thing wrong, and twins where all is right."""
import pathlib
import tempfile
import unittest

import book_break
import book_checks
import book_text
import figures
import script_tests
from book import Book
from book_expand import formatted, look_up
from book_mask import mask

README = "chapters/02_b/README.md"
SOURCE = """int before;
// --8<-- [start:a]
  int x = 1;
  // --8<-- [start:ex02-1]
  int y = 2;
  // --8<-- [end:ex02-1]
// --8<-- [end:a]
"""
GOOD = {"chapters/02_b/a.cpp": SOURCE}


def snippet_page(code):
    return f"<!-- snippet: chapters/02_b/a.cpp a -->\n```cpp\n{code}\n```\n<!-- end -->\n"


def output_page(command, output):
    return f"<!-- output: {command} -->\n```console\n$ {command}\n{output}\n```\n<!-- end -->\n"


class BookTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = pathlib.Path(folder.name)

    def book(self, files):
        for name, text in files.items():
            path = self.root / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        return Book(self.root, "build")

    def found(self, check, files):
        return list(check(self.book(files)))

    def breaks(self, check, files, message, line=None):
        results = self.found(check, files)
        self.assertEqual(len(results), 1, results)
        self.assertIn(message, results[0][2])
        if line is not None:
            self.assertEqual(results[0][1], line)

    def keeps(self, check, files):
        self.assertEqual(self.found(check, files), [])

    def test_a_snippet_that_is_stale_is_caught_and_written_anew(self):
        check, right = book_checks.check_stale, snippet_page("int x = 1;\nint y = 2;")
        self.keeps(check, {**GOOD, "docs/a.md": right})
        stale = {**GOOD, "docs/a.md": "# A\n" + snippet_page("int x = 1;\nint y = 3;")}
        self.breaks(check, stale, "'int y = 3;' should be 'int y = 2;'", 5)
        book = self.book(stale)
        self.assertEqual(book.write(refresh=False), [])
        self.assertEqual((self.root / "docs/a.md").read_text(), "# A\n" + right)

    def test_a_snippet_of_an_unknown_region(self):
        page = snippet_page("x").replace(" a -->", " nothing -->")
        self.breaks(book_checks.check_stale, {**GOOD, "docs/a.md": page}, "no region 'nothing'", 1)

    def test_an_output_that_is_stale_is_caught(self):
        check, command = book_checks.check_stale, "echo 7 words in 3 ms"
        self.keeps(check, {"docs/a.md": output_page(command, "7 words in 3 ms")})
        self.keeps(check, {"docs/a.md": output_page(command, "7 words in 250 ms")})  # timings are masked
        self.breaks(check, {"docs/a.md": output_page(command, "8 words in 3 ms")}, "stale: '8 words in 3 ms'", 4)
        self.breaks(check, {"docs/a.md": output_page("false", "")}, "ends with status 1", 1)

    def test_a_timing_alone_writes_nothing_anew(self):
        old = output_page("echo 7 words in 3 ms", "7 words in 250 ms")
        self.book({"docs/a.md": old}).write(refresh=False)
        self.assertEqual((self.root / "docs/a.md").read_text(), old)
        self.book({"docs/a.md": old}).write(refresh=True)
        self.assertIn("\n7 words in 3 ms\n", (self.root / "docs/a.md").read_text())

    def test_a_number_that_is_stale_is_caught(self):
        check = book_checks.check_stale
        values = ("<!-- values\nn = echo '{\"a\": [10, 0.256]}' => a.1 => .1%\n"
                  "m = echo '{\"a\": [1234]}' => a.0\nk = m + 1 => ,\n-->\n")
        right = values + "It is <!-- =n -->25.6 %<!-- / --> of <!-- =k -->1,235<!-- / -->.\n"
        self.keeps(check, {"docs/a.md": right})
        self.breaks(check, {"docs/a.md": right.replace("25.6", "25.7")}, "25.7", 6)
        self.breaks(check, {"docs/a.md": values + "It is <!-- =other -->1<!-- / -->.\n"}, "no 'other'", 6)

    def test_markers_in_sources(self):
        check = book_checks.check_regions
        self.keeps(check, GOOD)
        start, end = "// --8<-- [start:a]\n", "// --8<-- [end:a]\n"
        other_start, other_end = start.replace(":a", ":b"), end.replace(":a", ":b")
        self.breaks(check, {"common/a.h": start}, "has no end", 1)
        self.breaks(check, {"common/a.h": end}, "has not begun", 1)
        self.breaks(check, {"common/a.h": start + end + start + end}, "begins twice", 3)
        self.breaks(check, {"common/a.h": "int x;  " + start + end}, "shares its line", 1)
        self.breaks(check, {"common/a.h": "// --8<-- start:a\n"}, "not a marker", 1)
        self.assertTrue(self.found(check, {"common/a.h": start + other_start + end + other_end}))

    def test_markers_in_pages(self):
        check = book_checks.check_markers
        self.keeps(check, {"docs/a.md": snippet_page("x") + "a <!-- =n -->1<!-- / --> b\n"})
        self.breaks(check, {"docs/a.md": snippet_page("x").replace("<!-- end -->", "")}, "no counterpart", 1)
        self.breaks(check, {"docs/a.md": "text\n<!-- end -->\n"}, "no counterpart", 2)
        self.breaks(check, {"docs/a.md": "a <!-- =n -->1 b\n"}, "no counterpart", 1)
        self.breaks(check, {"docs/a.md": "a\n<!-- =n -->1<!-- / --> b\n"}, "begins a line", 2)
        lost_end = snippet_page("x").replace("<!-- end -->", "") + "prose\n" + snippet_page("x")
        self.breaks(check, {"docs/a.md": lost_end}, "no counterpart", 1)  # the second one has its own end
        self.breaks(check, {"docs/a.md": "a <!-- =n -->1 b <!-- =n -->2<!-- / --> c\n"}, "no counterpart", 1)

    def test_the_length_of_a_chapter(self):
        check = book_checks.check_words
        generated = snippet_page("word\n" * 3000)
        for words, good in ((899, False), (900, True), (1400, True), (1401, False)):
            code = "```console\n$ word word\n```\n"
            text = "# T\n" + "word " * (words - 1) + "\n" + generated + "<!-- comment -->\n" + code
            with self.subTest(words):
                (self.keeps if good else lambda c, f: self.breaks(c, f, f"{words} words"))(check, {README: text})
        (self.root / README).unlink()
        self.keeps(check, {"chapters/00_start/README.md": "short\n"})

    def test_snippets_are_few_and_short(self):
        check = book_checks.check_snippets
        self.keeps(check, {README: snippet_page("x\n" * 24 + "x") * 6})
        self.breaks(check, {README: snippet_page("x\n" * 25 + "x")}, "26 lines, 25 allowed", 1)
        self.breaks(check, {README: snippet_page("x") * 7}, "7 snippets, 6 allowed", 31)
        self.breaks(check, {README: "a\n```cpp\nint x;\n```\n"}, "typed", 2)

    def test_a_change_that_a_text_asks_for(self):
        check = book_checks.check_changes
        page = "```diff\n--- chapters/02_b/a.cpp\n-int x = 1;\n+int x = 2;\n```\n"
        self.keeps(check, {**GOOD, README: page})
        self.breaks(check, {**GOOD, README: page.replace("x = 1", "x = 5")}, "0 times", 1)

    def test_the_output_of_a_change_belongs_to_it(self):
        change = "```diff\n--- chapters/02_b/a.cpp\n-int x = 1;\n+int x = 2;\n```\n"
        page = change + ("<!-- broken: build/bin/tests/test_b -->\n```console\n$ build/bin/tests/test_b\nERROR\n```\n"
                         "{}<!-- end -->\n")
        match = book_text.BLOCK.search(page.format(""))
        good = page.format(book_break.note(page.format(""), match))
        self.keeps(book_checks.check_stale, {**GOOD, README: good})
        self.breaks(book_checks.check_stale, {**GOOD, README: good.replace("x = 2", "x = 3")}, "not what this output")

    def test_links(self):
        check = book_checks.check_links
        there = {"docs/b.md": "# One `two`\n\n## One two\n", "common/a.h": "", "docs/c.svg": ""}
        for link in ("[a](b.md)", "[a](b.md#one-two)", "[a](b.md#one-two-1)", "![a](c.svg)", "[a](../common/)",
                     "`[a](x)`", "[a](../common/a.h)",
                     "[a][1]\n\n[1]: b.md", "<img src=\"c.svg\">", "[a](https://example.org)"):
            with self.subTest(link):
                self.keeps(check, {**there, "docs/a.md": link + "\n"})
        for link in ("[a](x.md)", "[a](b.md#three)", "![a](x.svg)", "[a](../../x)", "[a][1]\n\n[1]: x.md",
                     "<img src=\"x.svg\">", "[`a`](x)"):
            with self.subTest(link):
                self.assertEqual(len(self.found(check, {**there, "docs/a.md": link + "\n"})), 1)

    def test_names_of_tests(self):
        check, tests = book_checks.check_tests_named, {"tests/02_b/CMakeLists.txt": "llm_test(02_b SOURCES x)\n"}
        page = "# T\n\n## Pitfalls\n\n| a | b | c |\n| --- | --- | --- |\n| `x` | y | `02_b`: a case |\n"
        self.keeps(check, {**tests, README: page})
        self.breaks(check, {**tests, README: page.replace("02_b`", "02_c`")}, "no test '02_c'", 7)

    def test_commands(self):
        check = book_checks.check_commands
        console = lambda command: {"docs/a.md": f"# A\n```console\n$ {command}\n```\n"}
        self.keeps(check, console("true"))
        self.breaks(check, console("echo a; false"), "ends with status 1: a", 3)
        self.breaks(check, console("test 1 = 1 && \\\n> false"), "ends with status 1", 3)
        self.keeps(check, console("git clone nowhere"))
        self.keeps(check, console("build/bin/inspect models/none"))
        self.breaks(check, console("build/bin/inspect data/models/none"), "status 127", 3)
        for pattern, reason in book_checks.NOT_RUN:
            self.assertTrue(pattern and reason)

    def test_masks(self):
        same = [("load 3 ms", "load 12.5 s"), ("at 1,204 tok/s with 2 threads", "at 9 tok/s with 16 threads"),
                ("  peak   17.3 MB", "  peak   1.2 GB"), ("▁▂▃█", "▁▁█"), ("4 min 05 s", "12 min 45 s"),
                ("a   b  ms\n-  --  ---\n1  2   3.4", "a  b     ms\n-  -  -----\n1  2  103.4")]
        for one, other in same:
            self.assertEqual(mask(one), mask(other))
        different = [("46 tokens", "47 tokens"), ("weights 1.99 MB", "weights 2 MB"), ("97.1 %", "97.2 %"),
                     ("abc", "abd"),
                     ("a   b  ms\n-  --  --\n1  2   3", "a   b  ms\n-  --  --\n1  3   3")]
        for one, other in different:
            self.assertNotEqual(mask(one), mask(other))

    def test_values(self):
        self.assertEqual(look_up({"a": [1, {"b": 2}]}, "a.1.b"), 2)
        self.assertEqual(look_up({"a": [1, 2, 3]}, "a.count"), 3)
        for value, form, shown in ((0.123, ".1%", "12.3 %"), (12345, ",", "12,345"), (2.5e12, "T.1f", "2.5")):
            self.assertEqual(formatted(value, form), shown)

    def test_figures(self):
        folder = self.root / "figures"
        folder.mkdir()
        drawn = figures.all_figures(figures.ROOT)
        for name, text in drawn.items():
            (folder / name).write_text(text)
        self.assertEqual(list(figures.problems(figures.ROOT, folder)), [])
        name = sorted(drawn)[0]
        (folder / name).write_text(drawn[name].replace("text", "Text", 1))
        (folder / "other.svg").write_text("")
        self.assertEqual([found for found, _ in figures.problems(figures.ROOT, folder)], [name, "other.svg"])


if __name__ == "__main__":
    script_tests.main()
