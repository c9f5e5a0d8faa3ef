"""A course of one tiny chapter, for the tests of the exercise machine."""
import pathlib
import shutil

from exercise_tools import EXERCISES, ROOT

HEADER = """#pragma once
namespace llm {
int one();
int twice(int number);
int thrice(int number);
}  // namespace llm
"""
SOURCE = """#include "chapters/00_tiny/tiny.h"

#include <algorithm>

namespace llm {

int one() {
  // --8<-- [start:ex00-1]
  const int smallest_positive_number = 1;
  // it is
  return smallest_positive_number;
  // --8<-- [end:ex00-1]
}

// --8<-- [start:twice]
int twice(int number) {
  // --8<-- [start:ex00-2]
  const int doubled_number = number + number;
  // --8<-- [start:inner]
  return doubled_number;
  // --8<-- [end:inner]
  // --8<-- [end:ex00-2]
}
// --8<-- [end:twice]

int thrice(int number) {
  // --8<-- [start:ex00-3]
  const int doubled_before = twice(number);
  const int tripled_number = doubled_before + number;
  return tripled_number;
  // --8<-- [end:ex00-3]
}

}  // namespace llm
"""
TOML = """
[[exercise]]
id = "00-1"
title = "One"
minutes = 1
kind = "given"
file = "chapters/00_tiny/tiny.cpp"
test = "one_test.cpp"
hints = ["nothing to do"]
wrong = [
  {name = "zero", case = "one is 1", says = "that is zero", code = "const int a = 0;\\nint b = a;\\nreturn b;"},
  {name = "two", case = "one is 1", says = "that is two", code = "return 2;"},
]

[[exercise]]
id = "00-2"
title = "Twice"
minutes = 2
file = "chapters/00_tiny/tiny.cpp"
test = "twice_test.cpp"
stub = '''
// Exercise 00-2: the double of number.
throw NotStarted("00-2");
'''
hints = ["first", "second"]
wrong = [
  {name = "square", case = "twice 5", says = "that is the square", code = "return number * number;"},
  {name = "same", case = "twice 5", says = "that is number itself", code = "return number;"},
]

[[exercise]]
id = "00-3"
title = "Thrice"
minutes = 2
needs = ["00-2"]
file = "chapters/00_tiny/tiny.cpp"
test = "thrice_test.cpp"
stub = 'throw NotStarted("00-3");'
hints = ["use twice"]
wrong = [
  {name = "cube", case = "thrice 5", says = "that is the cube", code = "return number * number * number;"},
  {name = "double", case = "thrice 5", says = "that is only twice", code = "return twice(number);"},
]
"""
TESTS = {
    "one_test.cpp": ("one is 1", "one()", "1", [("0", "that is zero"), ("2", "that is two")]),
    "twice_test.cpp": ("twice 5", "twice(5)", "10", [("25", "that is the square"), ("5", "that is number itself")]),
    "thrice_test.cpp": ("thrice 5", "thrice(5)", "15", [("125", "that is the cube"), ("10", "that is only twice")]),
}


def grading_test(case, call, expected, mistakes):
    listed = ", ".join(f'{{{value}, "{says}"}}' for value, says in mistakes)
    return f"""#include "chapters/00_tiny/tiny.h"
#include "tests/course/exercises/grading.h"

TEST_CASE("{case}") {{
  llm::grading::expect_equal("{call}", llm::{call}, {expected}, {{{listed}}});
}}
"""


def make_course(folder, with_common=False):
    """A repository with the tiny chapter in `folder`; with_common: one that can be built."""
    folder = pathlib.Path(folder)
    files = {"chapters/00_tiny/tiny.h": HEADER, "chapters/00_tiny/tiny.cpp": SOURCE,
             "chapters/00_tiny/CMakeLists.txt": "llm_library(llm_00_tiny SOURCES tiny.cpp LINK llm_base)\n",
             "chapters/CMakeLists.txt": "# chapters\nadd_subdirectory(00_tiny)\n",
             f"{EXERCISES}/00_tiny/exercises.toml": TOML, "LICENSE": "free\n"}
    for name, test in TESTS.items():
        files[f"{EXERCISES}/00_tiny/{name}"] = grading_test(*test)
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    for path in [*(ROOT / EXERCISES).glob("*.*"), *(ROOT / EXERCISES / "lab").iterdir(),
                 *(ROOT / EXERCISES / "class").iterdir(), *(ROOT / "tests/course").glob("*.py")]:
        target = folder / path.relative_to(ROOT)
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(path, target)
    if with_common:
        shutil.copytree(ROOT / "common", folder / "common")
    return folder
