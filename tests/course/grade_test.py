#!/usr/bin/env python3
"""Tests of the grader: what programs write and how they end, compilers' errors, the report, the files for machines."""
import json
import os
import pathlib
import tempfile
import time
import unittest
import xml.etree.ElementTree as ElementTree

import exercises_file
import grade_build
import grade_formats
import grade_report
import grade_run
import script_tests
from fake_course import make_course
from grade_run import COMPILE, CRASH, HANG, LATER, NOT_STARTED, OK, WRONG

PLAIN = grade_report.Paint(False)
GCC = """[1/4] Building CXX object common/CMakeFiles/a.dir/a.cpp.o
FAILED: tests/CMakeFiles/object_tiny.dir/__/chapters/00_tiny/tiny.cpp.o
/usr/bin/c++ -I/lab -o tests/tiny.cpp.o -c {lab}/chapters/00_tiny/tiny.cpp
{lab}/chapters/00_tiny/tiny.cpp: In function 'int llm::twice(int)':
{lab}/chapters/00_tiny/tiny.cpp:9:10: warning: unused variable 'y' [-Wunused-variable]
{lab}/chapters/00_tiny/tiny.cpp:18:10: error: 'numbr' was not declared in this scope; did you mean 'number'?
   18 |   return numbr * 2;
      |          ^~~~~
      |          number
{lab}/chapters/00_tiny/tiny.cpp:19:1: error: expected '}}' at end of input
[3/4] Building CXX object other.o
ninja: build stopped: cannot make progress due to previous errors.
"""
CLANG = """FAILED: [code=1] tests/tiny.cpp.o
/usr/bin/clang++ -c tiny.cpp
In file included from ../chapters/00_tiny/tiny.cpp:1:
../chapters/00_tiny/tiny.h:3:1: fatal error: unknown type name 'innt'
innt one();
^
1 error generated.
"""
LINKER = """FAILED: exercises/exercise-00-2
: && /usr/bin/c++ a.o -o exercises/exercise-00-2
/usr/bin/ld: a.o: in function `main':
twice_test.cpp:(.text+0x1f): undefined reference to `llm::twice(int)'
collect2: error: ld returned 1 exit status
"""


class Grader(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.lab = make_course(folder.name).resolve()
        self.exercises = exercises_file.read_toml(self.lab)

    def program(self, exercise, script):
        """A grading program that is a shell script; `line CASE STATUS MORE` writes a record."""
        path = self.lab / "exercises" / f"exercise-{exercise}"
        path.parent.mkdir(exist_ok=True)
        path.write_text('#!/bin/bash\nline() { echo "{\\"case\\": \\"$1\\", \\"status\\": \\"$2\\"$3}" >> "$LLM_GRADE_OUT"; }\n'
                        + script)
        path.chmod(0o755)

    def graded(self, scripts, limit=5, stale=(), errors=()):
        """Exercise id -> Result, of programs that are scripts."""
        for exercise in self.exercises:
            self.program(exercise.id, scripts.get(exercise.id, "line good started; line good ok"))
        build = grade_build.Build(list(errors), set(stale), "")
        results = grade_run.grade(self.lab, self.lab, build, self.exercises, self.exercises, limit)
        self.assertEqual([result.exercise.id for result in results], ["00-1", "00-2", "00-3"])
        return {result.exercise.id: result for result in results}

    def report(self, results, hints=None):
        return "\n".join(grade_report.render(list(results.values()), self.lab, "lab/", hints or {}, PLAIN))


class Programs(Grader):
    def test_ok_wrong_later(self):
        wrong = ', \\"what\\": \\"ids\\", \\"expected\\": \\"[1]\\", \\"got\\": \\"[2]\\", \\"index\\": \\"0\\", ' \
                '\\"looks_like\\": \\"%s\\", \\"file\\": \\"' + str(self.lab) + '/tests/t.cpp\\", \\"line\\": \\"7\\"'
        results = self.graded({"00-2": f'line a started; line a wrong "{wrong % ""}"\n'
                                       f'line b started; line b wrong "{wrong % "an old mistake"}"; exit 1',
                               "00-3": f'line c started; line c wrong "{wrong % ""}"; exit 1'})
        self.assertEqual([result.status for result in results.values()], [OK, WRONG, LATER])
        two = results["00-2"]
        # The case that knows the mistake is told, though it is the second one.
        self.assertEqual((two.case, two.expected, two.got, two.index, two.looks_like, two.place),
                         ("b", "[1]", "[2]", "0", "an old mistake", "tests/t.cpp:7"))
        text = self.report(results, {"00-2": 1})
        for part in ("looks like  an old mistake", "expected    [1]", "got         [2]", "differs at  0",
                     "your code   lab/chapters/00_tiny/tiny.cpp:18", "the test    lab/tests/t.cpp:7",
                     "make hint EX=00-2   (hint 2 of 2)", "first 00-2"):
            self.assertIn(part, text)

    def test_not_started(self):
        results = self.graded({"00-2": 'line a started; line a not_started ", \\"needs\\": \\"00-2\\""; exit 1',
                               "00-3": 'line a started; line a not_started ", \\"needs\\": \\"00-2\\""; exit 1'})
        self.assertEqual([result.status for result in results.values()], [OK, NOT_STARTED, LATER])
        self.assertEqual(results["00-3"].waits_for, ["00-2"])

    def test_a_crash_names_signal_and_case(self):
        results = self.graded({"00-2": "line a started; line a ok; line b started\n"
                                       "echo 'Assertion __n < size() failed' >&2; kill -SEGV $$"})
        two = results["00-2"]
        self.assertEqual((two.status, two.case), (CRASH, "b"))
        self.assertIn("SIGSEGV: memory that is not yours", two.message)
        self.assertIn("Assertion __n < size() failed", self.report(results))
        self.assertEqual(results["00-3"].status, OK)

    def test_abort_exit_and_no_record(self):
        self.assertIn("SIGABRT", self.graded({"00-2": "line a started; kill -ABRT $$"})["00-2"].message)
        library = "/usr/include/v.h:1123: T& std::vector<_Tp>::operator[](size_type) [with _Tp = int]: Assertion " \
                  "'__n < this->size()' failed."
        result = self.graded({"00-2": f'line a started; echo "{library}" >&2; kill -ABRT $$'})["00-2"]
        self.assertIn("an index past the end of a std::vector", result.message)
        self.assertIn("status 3", self.graded({"00-2": "line a started; exit 3"})["00-2"].message)
        self.assertEqual(self.graded({"00-2": "exit 0"})["00-2"].status, CRASH)
        # A record that the crash cut off is not read.
        cut = self.graded({"00-2": 'line a started; printf "{\\"case\\": \\"a\\", \\"st" >> "$LLM_GRADE_OUT"; kill -SEGV $$'})
        self.assertEqual(cut["00-2"].status, CRASH)

    def test_a_hang_is_ended_with_its_children(self):
        results = self.graded({"00-2": "line a started; sleep 60 & echo $! > child; sleep 60"}, limit=0.5)
        self.assertEqual((results["00-2"].status, results["00-2"].case), (HANG, "a"))
        self.assertIn("no answer in 0.5 s", results["00-2"].message)
        child = int((self.lab / "child").read_text())
        self.assertTrue(any(self.ended(child) or time.sleep(0.05) for _ in range(100)))

    def ended(self, process):
        try:
            os.kill(process, 0)
            return " Z " in pathlib.Path(f"/proc/{process}/stat").read_text()  # ended, and nobody has asked yet
        except OSError:
            return True

    def test_an_exception_is_told(self):
        message = ', \\"message\\": \\"std::out_of_range: no such key\\"'
        results = self.graded({"00-2": f'line a started; line a error "{message}"; exit 1'})
        self.assertEqual(results["00-2"].status, WRONG)
        self.assertIn("an exception left your code: std::out_of_range: no such key", self.report(results))


class Builds(Grader):
    def test_gcc(self):
        errors = grade_build.parse_errors(GCC.format(lab=self.lab), self.lab)
        self.assertEqual([(error.file, error.line) for error in errors], [("chapters/00_tiny/tiny.cpp", 18)])
        self.assertEqual(errors[0].message, "'numbr' was not declared in this scope; did you mean 'number'?")
        self.assertIn("   18 |   return numbr * 2;", errors[0].context)
        results = self.graded({}, stale=("00-2", "00-3"), errors=errors)
        self.assertEqual([result.status for result in results.values()], [OK, COMPILE, LATER])
        text = self.report(results)
        self.assertIn("lab/chapters/00_tiny/tiny.cpp:18:", text)
        self.assertIn("did you mean 'number'?", " ".join(text.split()))

    def test_an_error_in_another_region_is_its_exercise_s(self):
        errors = grade_build.parse_errors(GCC.format(lab=self.lab), self.lab)
        for exercise in self.exercises:
            exercise.needs = []
        results = self.graded({}, stale=("00-1", "00-2", "00-3"), errors=errors)
        self.assertEqual([result.status for result in results.values()], [LATER, COMPILE, LATER])
        self.assertEqual(results["00-1"].waits_for, ["00-2"])
        errors[0].line = 3  # in no region: all of the file are hit
        results = self.graded({}, stale=("00-1", "00-2"), errors=errors)
        self.assertEqual([result.status for result in results.values()], [COMPILE, COMPILE, OK])

    def test_clang_and_linker(self):
        error, = grade_build.parse_errors(CLANG, self.lab)
        self.assertEqual((error.line, error.message), (3, "unknown type name 'innt'"))
        error, = grade_build.parse_errors(LINKER, self.lab)
        self.assertIn("undefined reference to `llm::twice(int)'", error.message)

    def test_warnings(self):
        self.assertEqual(grade_build.warnings(GCC.format(lab=self.lab), self.lab),
                         [("chapters/00_tiny/tiny.cpp", 9, "unused variable 'y' [-Wunused-variable]")])


class Formats(Grader):
    def setUp(self):
        super().setUp()
        nasty = ', \\"what\\": \\"<a> & ]]>\\", \\"expected\\": \\"é\\", \\"got\\": \\"\\u0001\\"'
        self.results = list(self.graded({"00-2": f'line a started; line a wrong "{nasty}"; exit 1'}).values())

    def test_junit(self):
        root = ElementTree.fromstring(grade_formats.junit(self.results))
        self.assertEqual((root.tag, root.get("tests"), root.get("failures"), root.get("errors"), root.get("skipped")),
                         ("testsuites", "3", "1", "0", "0"))
        cases = root.findall("testsuite/testcase")
        self.assertEqual([case.get("name") for case in cases], ["00-1 One", "00-2 Twice", "00-3 Thrice"])
        self.assertIn("<a> & ]]>", cases[1].find("failure").text)
        self.assertEqual(len(cases[0]), 0)

    def test_gradescope(self):
        data = json.loads(json.dumps(grade_formats.gradescope(self.results)))
        self.assertEqual((data["score"], data["visibility"]), (2, "visible"))
        for test in data["tests"]:
            self.assertEqual({"score", "max_score", "status", "name", "number", "output", "output_format", "visibility"},
                             set(test))
            self.assertIn(test["status"], ("passed", "failed"))
            self.assertLessEqual(test["score"], test["max_score"])
        self.assertIn("expected: é", data["tests"][1]["output"])

    def test_classroom(self):
        data = json.loads(json.dumps(grade_formats.classroom(self.results)))
        self.assertEqual((data["version"], data["status"], data["max_score"]), (1, "fail", 3))
        self.assertEqual([(test["status"], test["score"]) for test in data["tests"]],
                         [("pass", 1), ("fail", 0), ("pass", 1)])
        self.assertIsNone(data["tests"][0]["message"])
        self.results[1].status = CRASH
        self.assertEqual(grade_formats.classroom(self.results)["status"], "error")
        for result in self.results:
            result.status = OK
        self.assertEqual(grade_formats.classroom(self.results)["status"], "pass")


class Colours(unittest.TestCase):
    def test_only_on_a_terminal_and_without_no_color(self):
        class Stream:
            def __init__(self, tty):
                self.isatty = lambda: tty
        environment = dict(os.environ)
        try:
            os.environ.pop("NO_COLOR", None)
            os.environ["TERM"] = "xterm"
            self.assertTrue(grade_report.colours_wanted(Stream(True)))
            self.assertFalse(grade_report.colours_wanted(Stream(False)))
            os.environ["NO_COLOR"] = "1"
            self.assertFalse(grade_report.colours_wanted(Stream(True)))
        finally:
            os.environ.clear()
            os.environ.update(environment)


if __name__ == "__main__":
    script_tests.main()
