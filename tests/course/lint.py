#!/usr/bin/env python3
"""Checks the rules of the house: layers of includes, sizes, flags, formatting. Called by `make lint` and ctest.

Each check is a function in one of the lint_*.py files: it takes the tree and yields what breaks its rule.
Standard library only.
"""
import argparse
import shutil
import subprocess
import sys

from lint_includes import check_headers, check_include_paths, check_layers
from lint_sizes import check_columns, check_file_lengths, check_function_lengths
from lint_text import (CLANG_FORMAT_VERSION, check_flags, check_format, check_machine_names, check_openmp, check_text,
                       check_top_level, clang_format)
from lint_tree import ROOT, Tree, run_checks

CHECKS = [check_layers, check_include_paths, check_headers, check_file_lengths, check_function_lengths, check_columns,
          check_text, check_flags, check_openmp, check_machine_names, check_top_level, check_format]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--root", default=ROOT, help="the checkout (default: this one)")
    parser.add_argument("--fix-format", action="store_true", help="run clang-format over the sources instead")
    args = parser.parse_args()
    tree = Tree(args.root)
    if args.fix_format:
        program = clang_format() or shutil.which("clang-format") or sys.exit("error: clang-format is not installed")
        subprocess.run([program, "-i", *tree.sources()], cwd=tree.root, check=True)
        return
    failed = run_checks(CHECKS, tree)
    if clang_format() is None:
        print(f"skipped: formatting (clang-format {CLANG_FORMAT_VERSION} is not installed)")
    print(f"{len(CHECKS) - failed} passed, {failed} failed")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
