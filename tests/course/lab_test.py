#!/usr/bin/env python3
"""Tests of make lab, hint, reset, solution and catchup: what a reader wrote is never lost. Nothing is compiled."""
import unittest

import exercises_file
import lab
import lab_state
import prove
import regions
import script_tests
from exercises_test import InFolder
from fake_course import SOURCE

FILE = "chapters/00_tiny/tiny.cpp"


class Lab(InFolder):
    def setUp(self):
        super().setUp()
        self.lab = self.root / "lab"
        self.write()

    def write(self):
        return lab.write_lab(self.root, self.lab, exercises_file.read_toml(self.root))

    def code(self):
        return (self.lab / FILE).read_text()

    def edit(self, old, new, name=FILE):
        path = self.lab / name
        self.assertIn(old, path.read_text())
        path.write_text(path.read_text().replace(old, new))

    def change_course(self, old, new, name=FILE):
        path = self.root / name
        self.assertIn(old, path.read_text())
        path.write_text(path.read_text().replace(old, new))

    def saved(self):
        return sorted((self.lab / lab_state.SAVED).rglob("tiny.cpp"))

    def command(self, *arguments, script="lab_commands.py", root=None):
        """(exit status, all output) of a script of this course."""
        return script_tests.script(root or self.root, script, *arguments)


class Writing(Lab):
    def test_twice_changes_nothing(self):
        update = self.write()
        self.assertEqual((update.written, update.left, update.saved), (0, [], []))

    def test_what_is_missing_comes_back(self):
        (self.lab / "Makefile").unlink()
        self.assertEqual(self.write().written, 1)
        self.assertTrue((self.lab / "Makefile").exists())

    def test_work_is_kept(self):
        self.edit('throw NotStarted("00-2");', "return 2 * number;  // mine")
        (self.lab / "notes.txt").write_text("mine")
        self.assertEqual(self.write().written, 0)
        self.assertIn("// mine", self.code())
        self.assertTrue((self.lab / "notes.txt").exists())

    def test_a_new_version_around_the_work_is_merged(self):
        self.edit('throw NotStarted("00-2");', "return 2 * number;  // mine")
        self.change_course("int thrice(int number) {", "// New in the course.\nint thrice(int number) {")
        update = self.write()
        self.assertEqual((update.left, len(update.saved)), ([], 1))
        self.assertIn("// mine", self.code())
        self.assertIn("// New in the course.", self.code())
        self.assertIn('NotStarted("00-3")', self.code())
        self.assertNotIn("New in", self.saved()[0].read_text())

    def test_work_outside_of_regions_is_kept_and_said(self):
        self.edit("#include <algorithm>", "#include <algorithm>\n#include <cstdio>  // mine")
        self.assertEqual(self.write().left, [])  # nothing is new: nothing to say
        self.change_course("int thrice(int number) {", "// New in the course.\nint thrice(int number) {")
        (name, why), = self.write().left
        self.assertEqual(name, FILE)
        self.assertIn("outside of the exercises", why)
        self.assertIn("// mine", self.code())

    def test_damaged_markers_are_kept_and_said(self):
        self.edit("  // --8<-- [end:ex00-2]\n", "")
        self.change_course("int thrice(int number) {", "// New.\nint thrice(int number) {")
        self.assertIn("[end:ex00-2]", self.write().left[0][1])

    def test_changed_tests_are_saved_and_replaced(self):
        name = "tests/course/exercises/00_tiny/twice_test.cpp"
        self.edit("10", "11", name)
        update = self.write()
        self.assertEqual(len(update.saved), 1)
        self.assertIn("10", (self.lab / name).read_text())
        self.assertIn("11", (self.lab / update.saved[0]).read_text())

    def test_files_that_a_lab_no_longer_has(self):
        (self.root / "chapters/00_tiny/old.h").write_text("#pragma once\n")
        (self.root / "chapters/00_tiny/older.h").write_text("#pragma once\n")
        self.write()
        self.edit("once", "once // mine", "chapters/00_tiny/older.h")
        for name in ("old.h", "older.h"):
            (self.root / "chapters/00_tiny" / name).unlink()
        self.assertEqual([name for name, _ in self.write().left], ["chapters/00_tiny/older.h"])
        self.assertFalse((self.lab / "chapters/00_tiny/old.h").exists())
        self.assertTrue((self.lab / "chapters/00_tiny/older.h").exists())

    def test_other_folders_are_not_touched(self):
        other = self.root / "other"
        other.mkdir()
        (other / "thesis.tex").write_text("precious")
        self.refuses("has other files in it and is no lab", lab.write_lab, self.root, other,
                     exercises_file.read_toml(self.root))
        self.assertEqual([path.name for path in other.iterdir()], ["thesis.tex"])


class Commands(Lab):
    def test_hints_come_one_after_the_other(self):
        texts = [self.command("hint", "--exercise", "00-2")[1] for _ in range(3)]
        self.assertIn("hint 1 of 2: first", texts[0])
        self.assertNotIn("second", texts[0])
        self.assertIn("hint 2 of 2: second", texts[1])
        self.assertIn("first", texts[2])
        (self.lab / lab_state.STATE).write_text("{damaged")
        self.assertIn("hint 1 of 2", self.command("hint", "--exercise", "00-2")[1])

    def test_reset(self):
        first = self.code()
        self.edit('throw NotStarted("00-2");', "return 2 * number;  // mine")
        status, text = self.command("reset", "--exercise", "00-2")
        self.assertEqual((status, self.code()), (0, first))
        self.assertIn("your version: ", text)
        self.assertIn("// mine", self.saved()[0].read_text())
        self.assertIn("already", self.command("reset", "--exercise", "00-2")[1])

    def test_reset_of_a_damaged_file(self):
        self.edit("  // --8<-- [end:ex00-2]\n", "")
        before = self.code()
        status, text = self.command("reset", "--exercise", "00-2")
        self.assertEqual((status, self.code()), (1, before))
        self.assertIn("WHOLE=1", text)
        self.assertEqual(len(text.splitlines()), 1)
        status, _ = self.command("reset", "--exercise", "00-2", "--whole")
        self.assertEqual((status, self.code() != before, self.saved()[0].read_text()), (0, True, before))

    def test_solution(self):
        before = self.code()
        status, text = self.command("solution", "--exercise", "00-2")
        self.assertEqual((status, self.code()), (0, before))
        self.assertIn("const int doubled_number = number + number;", text)
        self.assertNotIn("[start:inner]", text)
        self.assertEqual(self.command("solution", "--exercise", "00-2", "--apply")[0], 0)
        self.assertIn("doubled_number", self.code())
        self.assertNotIn("tripled_number", self.code())

    def test_catchup(self):
        self.edit('throw NotStarted("00-2");', "return 0;  // mine")
        status, text = self.command("catchup", "--exercise", "00-3")
        self.assertEqual(status, 0)
        self.assertIn("2 exercises come before; 1 of them were filled in", text)
        self.assertIn("doubled_number", self.code())
        self.assertIn('NotStarted("00-3")', self.code())
        self.assertIn("// mine", self.saved()[0].read_text())

    def test_catchup_changes_all_files_or_none(self):
        self.edit('  // --8<-- [start:ex00-2]\n', "")
        before = self.code()
        self.assertEqual(self.command("catchup", "--exercise", "00-3")[0], 1)
        self.assertEqual((self.code(), self.saved()), (before, []))

    def test_bad_arguments_get_one_line(self):
        for arguments, message in [(["hint"], "which exercise?"), (["hint", "--exercise", "00-9"], "there are 00-1"),
                                   (["catchup"], "up to where?"), (["catchup", "--chapter", "99"], "no such chapter"),
                                   (["hint", "--lab", "nowhere", "--exercise", "00-1"], "make lab writes it"),
                                   (["hint", "--lab", "chapters", "--exercise", "00-1"], "is not a lab")]:
            with self.subTest(message):
                if "chapters" in arguments:
                    arguments[2] = str(self.root / "chapters")
                status, text = self.command(*arguments)
                self.assertEqual((status, text[:7], len(text.splitlines())), (1, "error: ", 1), text)
                self.assertIn(message, text)
        for arguments, message in [(["--limit", "soon"], "LIMIT=soon"), (["--chapter", "99"], "CHAPTER=99"),
                                   (["--exercise", "x"], "EX=x")]:
            status, text = self.command(*arguments, script="grade.py")
            self.assertEqual((status, len(text.splitlines())), (1, 1), text)
            self.assertIn(message, text)

    def test_a_lab_by_itself_has_no_solutions(self):
        for command in ("solution", "catchup"):
            status, text = self.command(command, "--exercise", "00-2", root=self.lab)
            self.assertEqual((status, len(text.splitlines())), (1, 1), text)
            self.assertIn("needs the repository", text)
        self.edit('throw NotStarted("00-2");', "return 2;")
        self.assertEqual(self.command("reset", "--exercise", "00-2", root=self.lab)[0], 0)
        self.assertIn("hint 1", self.command("hint", "--exercise", "00-2", root=self.lab)[1])
        self.assertIn("NotStarted", self.code())


class Proof(InFolder):
    """The parts of make prove that need no compiler can fail."""

    def regions_proof(self, text):
        proof = prove.Proof(False)
        (self.root / FILE).write_text(text)
        prove.check_regions(proof, self.root, exercises_file.read_toml(self.root))
        return proof.failed

    def test_regions(self):
        self.assertEqual(self.regions_proof(SOURCE), 0)
        self.assertEqual(self.regions_proof(regions.replace(SOURCE, "ex00-2", "x\n", FILE)), 1)
        self.assertEqual(self.regions_proof(SOURCE.replace("[start:twice]", "[start:ex00-7]")
                                            .replace("[end:twice]", "[end:ex00-7]")), 1)

    def test_changed_chapters_without_git_are_all(self):
        self.assertEqual(prove.changed_chapters(self.root, 20), ["00"])


if __name__ == "__main__":
    script_tests.main()
