#!/usr/bin/env python3
"""Tests of the exercises' list, regions, stubs and leaks; nothing is compiled."""
import json
import pathlib
import tempfile
import unittest

import exercises_file
import prove_leaks
import regions
import script_tests
import workspace
from exercise_tools import EXERCISES, Problem, write_file
from fake_course import SOURCE, TOML, make_course

FILE = "chapters/00_tiny/tiny.cpp"


class InFolder(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = make_course(folder.name)

    def refuses(self, message, call, *arguments, **more):
        with self.assertRaises(Problem) as caught:
            call(*arguments, **more)
        self.assertIn(message, str(caught.exception))


class Regions(InFolder):
    def test_round_trip(self):
        for name in ("ex00-1", "ex00-2", "ex00-3"):
            body = regions.body_of(SOURCE, name, FILE)
            emptied = regions.replace(SOURCE, name, "  throw 1;\n", FILE)
            self.assertNotEqual(emptied, SOURCE)
            self.assertEqual(regions.replace(emptied, name, body, FILE), SOURCE)

    def test_only_line_feeds_end_lines(self):
        text = SOURCE.replace("// it is", 'const char* odd = "\u2028\x0b\x85";')
        self.assertEqual(regions.replace(text, "ex00-1", regions.body_of(text, "ex00-1", FILE), FILE), text)
        windows = text.replace("\n", "\r\n")
        self.assertEqual(regions.body_of(windows, "ex00-2", FILE), regions.body_of(text, "ex00-2", FILE))

    def test_the_include_stands_outside_of_conditions(self):
        text = '#include "a.h"\n\n#include <b>\n#ifdef X\n#include <c>\n#endif\nint x;\n'
        lines = workspace.add_include(text).splitlines()
        self.assertEqual(lines.index(workspace.NOT_STARTED), 3)
        self.assertEqual(workspace.add_include("\n".join(lines) + "\n").splitlines(), lines)

    def test_snippets_nest_and_are_removed(self):
        text = regions.remove_snippets(SOURCE, FILE)
        self.assertNotIn("inner", text)
        self.assertEqual(set(regions.find_regions(text, FILE)), {"ex00-1", "ex00-2", "ex00-3"})

    def test_damaged_markers_are_named_with_their_line(self):
        start, end = "  // --8<-- [start:ex00-2]\n", "  // --8<-- [end:ex00-2]\n"
        find = lambda text: regions.find_regions(text, "a.cpp")
        self.refuses("[end:ex00-2] without [start:ex00-2]",
                     find, SOURCE.replace(start, ""))
        self.refuses("put the line // --8<-- [end:ex00-2] back", find, SOURCE.replace(end, ""))
        self.refuses("a second [start:ex00-2]", find, SOURCE.replace(end, end + start))
        self.refuses("this marker is damaged", find, SOURCE.replace("// --8<-- [end:ex00-2]", "// -8<-- [end:ex00-2]"))
        self.refuses("this marker is damaged", find, SOURCE.replace("// --8<-- [end:ex00-2]", "// --8<-- end:ex00-2"))
        crossed = "// --8<-- [start:a]\n// --8<-- [start:b]\n// --8<-- [end:a]\n// --8<-- [end:b]\n"
        self.refuses("[end:a] comes before [end:b]", find, crossed)
        self.refuses("are missing", regions.region_of, "int x;\n", "ex00-2", "a.cpp")

    def test_code_is_indented_as_the_marker(self):
        code = regions.fit("\nif (x) {\n\n  y();\n}\n", SOURCE, "ex00-2", FILE)
        self.assertEqual(code, "  if (x) {\n\n    y();\n  }\n")

    def test_size(self):
        regions.check_size(SOURCE, "ex00-1", FILE)
        self.refuses("has 1 lines", regions.check_size, regions.replace(SOURCE, "ex00-1", "x\n", FILE), "ex00-1", FILE)
        self.refuses("has 31 lines", regions.check_size, regions.replace(SOURCE, "ex00-1", "x\n" * 31, FILE), "ex00-1",
                     FILE)


class Toml(InFolder):
    def read(self, text):
        write_file(self.root / EXERCISES / "00_tiny/exercises.toml", text)
        return exercises_file.read_toml(self.root)

    def test_reads(self):
        one, two, three = self.read(TOML)
        self.assertEqual((one.kind, two.kind, three.needs, three.chapter), ("given", "write", ["00-2"], "00"))
        self.assertEqual([wrong.says for wrong in two.wrong], ["that is the square", "that is number itself"])

    def test_refuses(self):
        for old, new, message in [
                ('minutes = 1', 'minutes = "1"', "exercise 00-1: minutes is a str, expected a int"),
                ('title = "One"', 'titel = "One"', "unknown key 'titel'"),
                ('title = "One"', '', "'title' is missing"),
                ('id = "00-1"', 'id = "00-4"', "00-2 stands after 00-4"),
                ('id = "00-3"', 'id = "01-3"', "the id is chapter-number"),
                ('needs = ["00-2"]', 'needs = ["00-4"]', "needs 00-4, which is not an earlier exercise"),
                ('test = "one_test.cpp"', 'test = "no_test.cpp"', "00_tiny/no_test.cpp does not exist"),
                ('test = "one_test.cpp"', 'test = "one_test.cpp"\nlibraries = ["llm_bass"]', "'llm_bass' is none of"),
                ('kind = "given"', 'kind = "gift"', "kind is 'gift'"),
                ('kind = "given"\n', '', "a given exercise has no stub, every other one has"),
                ('throw NotStarted("00-2");', 'throw NotStarted("00-3");', 'must throw NotStarted("00-2")'),
                ('hints = ["first", "second"]', 'hints = []', "at least one hint"),
                ('hints = ["first", "second"]', 'hints = [1]', "hints is a list of strings"),
                ('name = "two", case = "one is 1", ', 'name = "two", ', "wrong answer two: 'case' is missing"),
                ('  {name = "two", case = "one is 1", says = "that is two", code = "return 2;"},\n', '',
                 "at least two wrong answers"),
                ('[[exercise]]', '[[exercises]]', "only [[exercise]] tables"),
                ('minutes = 1', 'minutes = = 1', "exercises.toml: ")]:
            with self.subTest(message):
                self.assertIn(old, TOML)
                self.refuses(message, self.read, TOML.replace(old, new, 1))

    def test_choose(self):
        exercises = self.read(TOML)
        ids = lambda chosen: [exercise.id for exercise in chosen]
        self.assertEqual(ids(exercises_file.choose(exercises)), ["00-1", "00-2", "00-3"])
        self.assertEqual(ids(exercises_file.choose(exercises, exercise="00-2")), ["00-2"])
        self.assertEqual(ids(exercises_file.choose(exercises, chapter="0")), ["00-1", "00-2", "00-3"])
        self.refuses("there is no such exercise; there are 00-1", exercises_file.choose, exercises, exercise="00-9")
        self.refuses("CHAPTER=99: no exercises there; chapters", exercises_file.choose, exercises, chapter="99")

    def test_needs_of_needs(self):
        one, two, three = self.read(TOML)
        one.needs, two.needs = [], ["00-1"]
        one.sources, two.sources = ["chapters/a.cpp"], ["chapters/b.h"]
        self.assertEqual([other.id for other in exercises_file.with_needs(three, [one, two, three])],
                         ["00-1", "00-2", "00-3"])
        self.assertEqual(exercises_file.sources_of(three, [one, two, three]), [FILE, "chapters/a.cpp"])

    def test_only_some_chapters(self):
        write_file(self.root / EXERCISES / "01_broken/exercises.toml", "this is no toml")
        self.assertEqual(len(exercises_file.read_toml(self.root, ["00"])), 3)
        self.refuses("01_broken/exercises.toml", exercises_file.read_toml, self.root)
        self.refuses("CHAPTER=07", exercises_file.read_toml, self.root, ["07"])


class Workspace(InFolder):
    def setUp(self):
        super().setUp()
        self.exercises = exercises_file.read_toml(self.root)
        self.files = workspace.lab_files(self.root, self.exercises)

    def test_regions_are_stubs(self):
        text = self.files[FILE].decode()
        self.assertIn('  throw NotStarted("00-2");\n', text)
        self.assertIn("smallest_positive_number", text)  # a given exercise stays
        self.assertNotIn("tripled_number", text)
        self.assertEqual(text.count(workspace.NOT_STARTED), 1)
        self.assertNotIn("[start:twice]", text)

    def test_the_list_holds_no_code(self):
        listed = json.loads(self.files["exercises.json"])["exercises"]
        self.assertEqual([item["id"] for item in listed], ["00-1", "00-2", "00-3"])
        for item in listed:
            self.assertFalse({"stub", "wrong", "code"} & set(item))
        self.assertNotIn("exercises.toml", " ".join(self.files))

    def test_solved_files_are_the_finished_ones(self):
        text = workspace.stubbed(FILE, SOURCE, self.exercises, solved=["00-1", "00-2", "00-3"])
        self.assertEqual(text, regions.remove_snippets(SOURCE, FILE))

    def test_no_leak(self):
        self.assertEqual(prove_leaks.find_leaks(self.root, self.exercises, self.files), [])

    def leaks(self, name, text):
        found = prove_leaks.find_leaks(self.root, self.exercises, {**self.files, name: text.encode()})
        return [(exercise.id, file) for exercise, _, file in found]

    def test_a_leak_is_found(self):
        line = "const int   doubled_number=number + number;"
        for name in ("README.md", f"{EXERCISES}/00_tiny/twice_test.cpp", "exercises.json", "common/a.h.txt"):
            with self.subTest(name):
                self.assertEqual(self.leaks(name, f"first line\n  see: {line} // so\n"), [("00-2", name)])
        self.assertEqual(self.leaks("README.md", "const int doubled_numbers"), [])

    def test_what_stands_outside_of_regions_is_no_leak(self):
        shown = SOURCE + "const int doubled_number = number + number;\n"
        (self.root / FILE).write_text(shown)
        self.assertEqual(self.leaks("README.md", "const int doubled_number = number + number;"), [])

    def test_cmake_list(self):
        listed = self.files[f"{EXERCISES}/exercises.cmake"].decode()
        self.assertEqual(listed.count("llm_exercise_source("), 1)
        self.assertIn("llm_exercise(00-3 TEST tests/course/exercises/00_tiny/thrice_test.cpp", listed)


class Files(unittest.TestCase):
    def test_a_file_is_written_whole_or_not(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder, "a", "b.txt")
            write_file(path, "one\n")
            with self.assertRaises(TypeError):
                write_file(path, ["not", "bytes"])
            self.assertEqual(path.read_text(), "one\n")
            self.assertEqual([item.name for item in path.parent.iterdir()], ["b.txt"])


if __name__ == "__main__":
    script_tests.main()
