#!/usr/bin/env python3
"""Fills the generated parts of the texts (README.md, chapters/*/README.md, docs/) or, with --check, compares them.

Code, output, tables and numbers of the texts are never typed: see book_text.py for the markers. Timings are masked
in the comparison, and a block in which nothing else changed is left as it is; --refresh writes it anew.
Called by `make book` and, with --check, by ctest. Standard library only.
"""
import argparse
import pathlib
import posixpath
import re
import sys

import book_checks
from book_expand import Page, Programs
from lint_tree import ROOT, Tree, run_checks

PAGES = re.compile(r"README\.md|chapters/\d\d_\w+/README\.md|docs/.*\.md|data/models/README\.md")


class Book:
    """The pages of a checkout, and the programs that fill them."""

    def __init__(self, root, build, only=None, one_cpu=False):
        self.root = pathlib.Path(root).resolve()
        self.tree = Tree(self.root)
        self.programs = Programs(self.root, build, one_cpu)
        names = [name for name in self.tree.files if PAGES.fullmatch(name) and (not only or name in only)]
        # The README of the root comes last: it shows what `make test` says when all others are up to date.
        names.sort(key=lambda name: (name == "README.md", name))
        self.pages = {name: self.tree.text(name) for name in names}

    def resolve(self, page, path):
        """The file that a page's link means, from the root; None if it leaves the repository."""
        there = posixpath.normpath(posixpath.join(posixpath.dirname(page), path))
        if there.startswith(".."):
            return None
        return "" if there == "." else there

    def write(self, refresh):
        """Writes all pages; the problems as (file, line, message)."""
        problems = []
        for name, text in self.pages.items():
            page = Page(name, text, self.programs, refresh)
            expanded = page.expand(checking=False)
            problems += [(name, line, message) for line, message in page.problems]
            if expanded != text:
                (self.root / name).write_text(expanded)
                print(f"written: {name}")
        return problems


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("pages", nargs="*", help="only these, from the root: chapters/02_naive_loop/README.md")
    parser.add_argument("--check", action="store_true", help="write nothing; fail where something is wrong")
    parser.add_argument("--refresh", action="store_true", help="new timings too")
    parser.add_argument("--build", default="build", help="the build folder (default: build)")
    parser.add_argument("--root", default=ROOT, help="the checkout (default: this one)")
    args = parser.parse_args()
    book = Book(args.root, args.build, args.pages, one_cpu=not args.refresh)
    if not args.check:
        problems = book.write(args.refresh)
        for name, line, message in problems:
            print(f"{name}:{line}: {message}")
        sys.exit(1 if problems else 0)
    failed = run_checks(book_checks.CHECKS, book)
    print(f"{len(book_checks.CHECKS) - failed} passed, {failed} failed")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
