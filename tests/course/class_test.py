#!/usr/bin/env python3
"""A class's repository, used as its autograders use it: cloned, then graded by the commands that its own files name."""
import base64
import json
import os
import pathlib
import re
import shutil
import subprocess
import tempfile
import textwrap
import unittest
import zipfile

import class_export
import exercises_file
import prove_leaks
import script_tests
from exercise_tools import ROOT

FILE = "chapters/00_start/followers.cpp"
GIT = ["git", "-c", "user.name=Teacher", "-c", "user.email=teacher@example.org"]


def shell(command, folder, **environment):
    done = subprocess.run(["bash", "-e", "-c", command], cwd=folder, capture_output=True, text=True,
                          env={**os.environ, **environment})
    return done.returncode, done.stdout + done.stderr


@unittest.skipIf(shutil.which("git") is None, "git is not installed")
class Class(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.folder.cleanup)
        cls.base = pathlib.Path(cls.folder.name)
        cls.exercises = exercises_file.read_toml(ROOT, ["00"])
        cls.update, cls.archive = class_export.export(ROOT, cls.base / "class", cls.exercises)
        for command in (["init", "-q", "-b", "main"], ["add", "."], ["commit", "-q", "-m", "Exercises"]):
            subprocess.run([*GIT, *command], cwd=cls.base / "class", check=True)

    def clone(self, name):
        """A student's clone: only what git kept."""
        subprocess.run(["git", "clone", "-q", self.base / "class", self.base / name], check=True)
        return self.base / name

    def solve(self, folder):
        path = folder / FILE
        text = path.read_text()
        self.assertIn("++counts[slot(here)]", text)
        path.write_text(text.replace("++counts[slot(here)]", "++counts[slot(next)]"))

    def points(self, folder):
        """Runs .github/classroom/autograding.json as GitHub's runner does; returns the points."""
        points = 0
        for test in json.loads((folder / ".github/classroom/autograding.json").read_text())["tests"]:
            self.assertEqual(set(test), {"name", "setup", "run", "input", "output", "comparison", "timeout", "points"})
            status, text = shell(test["setup"], folder)
            self.assertEqual(status, 0, text)
            status, _ = shell(test["run"], folder)
            points += test["points"] if status == 0 else 0
        return points

    def test_autograding_json(self):
        student = self.clone("student")
        self.assertEqual(self.points(student), 1)
        self.solve(student)
        self.assertEqual(self.points(student), 2)
        status, changed = shell("git status --porcelain", student)
        self.assertEqual((status, changed), (0, f" M {FILE}\n"))  # building and grading leave nothing to commit

    def test_workflow(self):
        student = self.clone("workflow")
        text = (student / ".github/workflows/classroom.yml").read_text()
        self.assertIn("uses: classroom-resources/autograding-grading-reporter@v1", text)
        step = re.search(r"- name: Grade\n +id: (\w+)\n +run: \|\n((?: {10}.*\n)+)", text)
        self.assertIn(f"{step[1].upper()}_RESULTS:", text)
        self.assertIn(f"runners: {step[1]}\n", text)
        output = self.base / "github_output"
        status, said = shell(textwrap.dedent(step[2]), student, GITHUB_OUTPUT=str(output))
        self.assertEqual(status, 0, said)
        key, _, value = output.read_text().strip().partition("=")
        results = json.loads(base64.b64decode(value))
        self.assertEqual((key, results["status"], results["max_score"]), ("result", "fail", 2))
        self.assertEqual([test["status"] for test in results["tests"]], ["pass", "fail"])
        self.assertIn("looks like: ", results["tests"][1]["message"])

    def test_gradescope(self):
        base = self.base / "gradescope"
        with zipfile.ZipFile(self.archive) as archive:
            self.assertTrue({"setup.sh", "run_autograder"} <= set(archive.namelist()))
            for info in archive.infolist():
                path = pathlib.Path(archive.extract(info, base / "source"))
                path.chmod(info.external_attr >> 16)
        status, text = shell("./setup.sh", base / "source")
        self.assertEqual(status, 0, text)
        run = lambda: shell("source/run_autograder", base, AUTOGRADER=str(base))
        submission = base / "submission" / "some-repository-main"
        (submission / FILE).parent.mkdir(parents=True)
        shutil.copy(self.base / "class" / FILE, submission / FILE)
        self.assertEqual(run()[0], 0)
        results = json.loads((base / "results/results.json").read_text())
        self.assertEqual((results["score"], [test["status"] for test in results["tests"]]), (1, ["passed", "failed"]))
        self.solve(submission)
        # A test that the student changed is not used.
        test = submission / "tests/course/exercises/00_start/followers_test.cpp"
        test.parent.mkdir(parents=True)
        test.write_text("#error changed\n")
        self.assertEqual(run()[0], 0)
        self.assertEqual(json.loads((base / "results/results.json").read_text())["score"], 2)
        shutil.rmtree(base / "submission")
        self.assertEqual(run()[0], 0)
        results = json.loads((base / "results/results.json").read_text())
        self.assertEqual(results["score"], 1)
        self.assertIn(f"not in the submission, so not started: {FILE}", results["output"])

    def test_nothing_leaks_and_an_update_keeps_work(self):
        root = self.base / "class"
        files = {path.relative_to(root).as_posix(): path.read_bytes() for path in root.rglob("*")
                 if path.is_file() and ".git/" not in f"{path}/"}
        self.assertEqual(prove_leaks.find_leaks(ROOT, self.exercises, files), [])
        update, _ = class_export.export(ROOT, root, self.exercises)
        self.assertEqual((update.written, update.left), (0, []))

    def test_bad_places(self):
        for arguments, message in [("", "where to?"), (f'TO="{self.base}"', "make class-export TO=folder takes another"),
                                   ("TO=README.md", "make class-export TO=folder takes another folder")]:
            status, text = shell(f"make -s class-export {arguments}", ROOT)
            self.assertNotEqual(status, 0)
            self.assertIn(message, text)


if __name__ == "__main__":
    script_tests.main()
