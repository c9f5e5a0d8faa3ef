#!/usr/bin/env python3
"""Proves that each rule of lint.py can fail: small trees that break one rule, and twins that keep it."""
import pathlib
import tempfile
import unittest

import lint
import script_tests
from lint_sizes import functions
from lint_tree import Tree

USES_01 = "llm_chapter(02_b SOURCES b.cpp USES 01_a LINK x)\n"


def found(check, files):
    """What a check finds in a tree of these files: a list of (file, line, message)."""
    with tempfile.TemporaryDirectory() as folder:
        for name, text in files.items():
            path = pathlib.Path(folder, name)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        return list(check(Tree(folder)))


class Lint(unittest.TestCase):
    def breaks(self, check, files, message, line=None):
        results = found(check, files)
        self.assertEqual(len(results), 1, results)
        self.assertIn(message, results[0][2])
        if line is not None:
            self.assertEqual(results[0][1], line)

    def keeps(self, check, files):
        self.assertEqual(found(check, files), [])

    def includes(self, name, path, **more):
        return {name: f'// a file\n#include "{path}"\n', **more}

    def test_layers_of_common(self):
        check = lint.check_layers
        allowed = [("tensor", "base"), ("io", "tensor"), ("config", "io"), ("seams", "config"), ("text", "config"),
                   ("cli", "config"), ("cli", "text"), ("cuda", "base"), ("io", "io")]
        for here, there in allowed:
            self.keeps(check, self.includes(f"common/{here}/a.h", f"common/{there}/b.h"))
        refused = [("base", "tensor"), ("tensor", "io"), ("io", "config"), ("config", "seams"), ("seams", "text"),
                   ("seams", "cli"), ("text", "cli"), ("text", "seams"), ("cuda", "tensor"), ("tensor", "cuda")]
        for here, there in refused:
            self.breaks(check, self.includes(f"common/{here}/a.h", f"common/{there}/b.h"), "common/", 2)
        self.breaks(check, self.includes("common/new/a.h", "common/base/b.h"), "table of layers")

    def test_common_never_includes_a_chapter(self):
        self.breaks(lint.check_layers, self.includes("common/cli/a.cpp", "chapters/01_a/a.h"), "never includes a chapter")

    def test_chapters_include_what_their_cmake_line_names(self):
        check = lint.check_layers
        named = {"chapters/02_b/CMakeLists.txt": USES_01}
        self.keeps(check, self.includes("chapters/02_b/b.cpp", "chapters/01_a/a.h", **named))
        self.keeps(check, self.includes("chapters/02_b/b.cpp", "common/cli/a.h", **named))
        self.breaks(check, self.includes("chapters/02_b/b.cpp", "chapters/00_c/c.h", **named), "after USES")
        self.breaks(check, self.includes("chapters/02_b/b.cpp", "chapters/03_c/c.h", **named), "lower number")
        commented = {"chapters/02_b/CMakeLists.txt": "llm_chapter(02_b SOURCES b.cpp # USES 01_a\n)\n"}
        self.breaks(check, self.includes("chapters/02_b/b.cpp", "chapters/01_a/a.h", **commented), "after USES")
        self.breaks(check, {"chapters/02_b/CMakeLists.txt": "llm_chapter(02_b USES 01_a 05_x)\n"}, "lower number")

    def test_only_tests_include_tests(self):
        self.breaks(lint.check_layers, self.includes("common/io/a.cpp", "tests/x/b.h"), "only tests may")
        self.keeps(lint.check_layers, self.includes("tests/y/a.cpp", "tests/x/b.h"))
        self.keeps(lint.check_layers, self.includes("tests/y/a.cpp", "chapters/07_x/b.h"))

    def test_include_paths(self):
        check = lint.check_include_paths
        self.breaks(check, {"common/io/a.cpp": '#include "b.h"\n', "common/io/b.h": ""}, "from the root", 1)
        self.breaks(check, {"common/io/a.cpp": '\n#include "common/io/b.h"\n'}, "does not exist", 2)
        self.keeps(check, {"common/io/a.cpp": '#include <b.h>\n#include "common/io/b.h"\n', "common/io/b.h": ""})

    def test_headers(self):
        check, once = lint.check_headers, "#pragma once\n"
        for path in ("Eigen/Core", "nlohmann/json.hpp", "cuda_runtime.h", "cublas_v2.h"):
            self.breaks(check, {"common/io/a.h": f"{once}#include <{path}>\n"}, path, 2)
            self.keeps(check, {"common/io/a.cpp": f"#include <{path}>\n"})
        self.keeps(check, {"common/io/a.h": f"{once}#include <nlohmann/json_fwd.hpp>\n"})
        self.breaks(check, {"common/io/a.h": "int x;\n"}, "#pragma once")

    def test_file_lengths(self):
        check = lint.check_file_lengths
        self.keeps(check, {"common/io/a.cpp": "x\n" * 300, "chapters/01_a/main.cpp": "x\n" * 200})
        self.breaks(check, {"common/io/a.cpp": "x\n" * 301}, "301 lines")
        self.breaks(check, {"chapters/01_a/main.cpp": "x\n" * 201}, "201 lines")
        self.keeps(check, {"tests/io/data/a.h": "x\n" * 301})

    def test_function_lengths(self):
        check = lint.check_function_lengths
        body = lambda lines: "  int y = 0;\n" * lines
        self.keeps(check, {"common/io/a.cpp": f"namespace a {{\nvoid f() {{\n{body(58)}}}\n}}\n"})
        self.breaks(check, {"common/io/a.cpp": f"namespace a {{\nvoid f() {{\n{body(59)}}}\n}}\n"}, "61 lines", 2)
        self.breaks(check, {"tests/io/a.cpp": f'TEST_CASE("a {{") {{\n{body(59)}}}\n'}, "61 lines", 1)
        many_short = "struct S {\n" + "  int f() { return 1; }\n" * 90 + "};\n"
        table = "const int a[] = {\n" + "  f(1),\n" * 90 + "};\n"
        self.keeps(check, {"common/io/a.cpp": many_short + table})

    def test_function_scanner(self):
        code = ('S::S(int a)\n    : b_{a}, c_(a) {\n  if (a) {\n  }\n}\nconst char* k = R"({{{)";\n'
                "struct alignas(64) T { int x = g({1}); };\nauto f = [](int x) {\n  return '{';\n};\n"
                "#define M(x) { x\nint g() {\n  // }\n  return 1'000;\n}\n")
        self.assertEqual(list(functions(code)), [(1, 5), (8, 3), (12, 4)])

    def test_columns_and_text(self):
        self.keeps(lint.check_columns, {"common/io/a.cpp": "x" * 110 + "\n"})
        self.breaks(lint.check_columns, {"common/io/a.cpp": "x" * 111 + "\n"}, "111 columns", 1)
        self.breaks(lint.check_text, {"README.md": "a\nb \n"}, "trailing white space", 2)
        self.breaks(lint.check_text, {"common/io/a.cpp": "\tint x;\n"}, "a tab", 1)
        self.breaks(lint.check_text, {"common/io/a.cpp": "int x;"}, "no newline", 1)
        self.keeps(lint.check_text, {"Makefile": "all:\n\techo\n"})

    def test_flags(self):
        for flag in ("-march=native", "-ffast-math", "-Ofast"):
            self.breaks(lint.check_flags, {"common/cmake/a.cmake": f"add_compile_options({flag})\n"}, flag, 1)
        self.keeps(lint.check_flags, {"CMakeLists.txt": "# no -march=native here\n", "README.md": "-ffast-math\n"})

    def test_openmp(self):
        check, pragma = lint.check_openmp, "#pragma omp parallel for\n"
        self.breaks(check, {"chapters/02_b/a.cpp": pragma}, "parallel_for", 1)
        self.breaks(check, {"common/io/a.cpp": "#include <omp.h>\n"}, "parallel_for", 1)
        self.keeps(check, {"common/base/parallel.cpp": pragma, "chapters/05_fused_cpu/ladder.cpp": pragma})
        self.keeps(check, {"common/tensor/a.cpp": "#pragma omp simd\n"})

    def test_machine_names(self):
        check = lint.check_machine_names
        for text in ("/home/ada/model", '"/root/x"', "see pypi.org"):
            self.breaks(check, {"docs/a.md": text + "\n"}, "belongs to one machine", 1)
        self.keeps(check, {"docs/a.md": "docs/home/page and ~/models and /usr/include\n"})

    def test_top_level(self):
        self.breaks(lint.check_top_level, {"notes.txt": "", "README.md": "", ".ci/run": ""}, "top level")
        self.keeps(lint.check_top_level, {"README.md": "", "data/x": "", ".gitignore": ""})

    @unittest.skipIf(lint.clang_format() is None, "clang-format 14 is not installed")
    def test_format(self):
        style = {".clang-format": "BasedOnStyle: Google\n"}
        self.breaks(lint.check_format, {**style, "common/io/a.cpp": "int  x;\nint  y;\n"}, "make format", 1)
        self.keeps(lint.check_format, {**style, "common/io/a.cpp": "int x;\n"})


if __name__ == "__main__":
    script_tests.main()
