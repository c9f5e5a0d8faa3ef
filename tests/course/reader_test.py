#!/usr/bin/env python3
"""A reader's way through a lab, with a real compiler: from the stubs to all green, with every kind of mistake between.

And the proof: it passes for a sound course and finds what is planted in it.
"""
import pathlib
import subprocess
import sys
import tempfile
import unittest

import exercises_file
import lab
import script_tests
from exercise_tools import EXERCISES
from fake_course import make_course
from script_tests import script

FILE = "chapters/00_tiny/tiny.cpp"
RIGHT = {"00-2": "return number * 2;", "00-3": "return twice(number) + number;"}


class Reader(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.folder.cleanup)
        cls.root = make_course(pathlib.Path(cls.folder.name, "course"), with_common=True)
        cls.lab = pathlib.Path(cls.folder.name, "lab")
        lab.write_lab(cls.root, cls.lab, exercises_file.read_toml(cls.root))
        cls.stubs = (cls.lab / FILE).read_text()

    def grade(self, code, *arguments):
        """The report for a lab with these bodies in the place of the stubs' throw lines."""
        text = self.stubs
        for exercise, body in code.items():
            text = text.replace(f'throw NotStarted("{exercise}");', body)
        (self.lab / FILE).write_text(text)
        return script(self.lab, "grade.py", *arguments)

    def rows(self, report):
        """Exercise id -> its line of the report."""
        lines = [line.strip() for line in report.splitlines() if line.startswith("  ") and "00-" in line[:26]]
        return {line.split("00-")[1][:1]: line for line in lines}

    def test_untouched(self):
        status, text = self.grade({})
        self.assertEqual(status, 0, text)
        self.assertIn("1 ok, 1 not started, 1 later", text)
        self.assertIn("first 00-2", self.rows(text)["3"])
        self.assertEqual(self.grade({}, "--strict")[0], 1)

    def test_step_by_step(self):
        status, text = self.grade({"00-2": RIGHT["00-2"]})
        self.assertEqual((status, text.splitlines()[-1]), (0, "2 ok, 1 not started"))
        status, text = self.grade(RIGHT, "--strict")
        self.assertEqual((status, text.splitlines()[-1]), (0, "3 ok"))

    def test_wrong_answer(self):
        status, text = self.grade({**RIGHT, "00-2": "return number * number;"})
        self.assertEqual(status, 1)
        for part in ("expected    10", "got         25", "looks like  that is the square", "1 ok, 1 WRONG, 1 later"):
            self.assertIn(part, text)

    def test_compile_error(self):
        status, text = self.grade({**RIGHT, "00-2": "return numbr * 2;"})
        self.assertEqual(status, 1)
        line = (self.lab / FILE).read_text().splitlines().index("  return numbr * 2;") + 1
        self.assertIn(f"{FILE}:{line}: ", text)
        self.assertIn("numbr", text)
        self.assertIn("1 does not compile, 2 later", text)  # all three stand in the one file

    def test_crash(self):
        status, text = self.grade({**RIGHT, "00-2": "volatile int* nowhere = nullptr; return *nowhere + number;"})
        self.assertEqual(status, 1)
        self.assertIn("crash", self.rows(text)["2"])
        self.assertIn("SIGSEGV", text)
        self.assertIn("case        twice 5", text)

    def test_hang(self):
        status, text = self.grade({**RIGHT, "00-2": "for (volatile int i = 0;; i = number) {}"}, "--limit", "1")
        self.assertEqual(status, 1)
        self.assertIn("no answer in 1 s", text)
        self.assertIn("ok", self.rows(text)["1"])

    def test_exception(self):
        status, text = self.grade({**RIGHT, "00-3": 'throw std::runtime_error("no idea");'}, "--exercise", "00-3")
        self.assertEqual(status, 1)
        self.assertIn("an exception left your code: no idea", text)

    def test_a_moved_lab_is_built_anew(self):
        first = self.fresh("first")
        self.assertEqual(script(first, "grade.py", "--exercise", "00-1")[0], 0)
        moved = first.rename(first.with_name("moved"))
        status, text = script(moved, "grade.py", "--exercise", "00-1")
        self.assertEqual((status, text.splitlines()[-1]), (0, "1 ok"))

    def test_missing_compiler(self):
        done = subprocess.run([sys.executable, self.lab / "tests/course/grade.py", "--lab", self.fresh("fresh")],
                              capture_output=True, text=True, env={"PATH": "/usr/bin:/bin", "CXX": "no-such-compiler"})
        self.assertEqual((done.returncode, len(done.stderr.splitlines())), (1, 1), done.stderr)
        self.assertIn("there is no C++ compiler no-such-compiler", done.stderr)

    def fresh(self, name):
        """A lab that was never built."""
        folder = pathlib.Path(self.folder.name, name)
        lab.write_lab(self.root, folder, exercises_file.read_toml(self.root))
        return folder


class Proof(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.folder.cleanup)
        cls.root = make_course(pathlib.Path(cls.folder.name, "course"), with_common=True)

    def prove(self, name="", old="", new=""):
        """(passed, failed, output) of the proof where `old` in a file is `new`."""
        path = self.root / (name or FILE)
        before = path.read_text()
        self.assertIn(old, before)
        path.write_text(before.replace(old, new))
        try:
            status, text = script(self.root, "prove.py", "--build", f"{self.folder.name}/build-prove")
        finally:
            path.write_text(before)
        words = text.splitlines()[-1].split()
        self.assertEqual(status, int(words[2] != "0"), text)
        return int(words[0]), int(words[2]), text

    def test_a_sound_course_passes(self):
        passed, failed, text = self.prove()
        self.assertEqual(failed, 0, text)
        self.assertGreater(passed, 15)

    def test_a_test_that_misses_a_wrong_answer(self):
        _, failed, text = self.prove(f"{EXERCISES}/00_tiny/twice_test.cpp", "twice(5)", "twice(2)")
        self.assertGreater(failed, 0)
        self.assertIn("00-2", text)
        self.assertIn("wrong answer: square", text)

    def test_a_sentence_that_is_not_said(self):
        _, failed, text = self.prove(f"{EXERCISES}/00_tiny/exercises.toml", 'says = "that is the square"',
                                     'says = "another sentence"')
        self.assertEqual(failed, 1, text)
        self.assertIn("the report does not say 'another sentence'", text)

    def test_a_stub_with_a_warning(self):
        _, failed, text = self.prove(f"{EXERCISES}/00_tiny/exercises.toml", 'throw NotStarted("00-2");\n',
                                     'if (number = 3) throw NotStarted("00-2");\nthrow NotStarted("00-2");\n')
        self.assertGreater(failed, 0)
        self.assertIn("all stubs compile without warnings", text)

    def test_a_need_that_is_not_named(self):
        # 00-2 uses what 00-3 writes: with 00-3 still a stub it cannot pass.
        _, failed, text = self.prove(FILE, "const int doubled_number = number + number;",
                                     "const int doubled_number = thrice(number) - number;")
        self.assertGreater(failed, 0)
        self.assertIn("00-2 solved, nothing later", text)

    def test_a_leak(self):
        _, failed, text = self.prove(f"{EXERCISES}/lab/README.md", "# Your", "const int doubled_number = number + number;\n# Your")
        self.assertEqual(failed, 1, text)
        self.assertIn("README.md has constintdoubled_number=number+number;", text)


if __name__ == "__main__":
    script_tests.main()
