#!/usr/bin/env python3
"""Draws the figures of the book into docs/figures, or, with --check, compares them with what is there.

A chapter's figures are a file figures_NN.py with a table FIGURES: name -> function(root) that returns the SVG.
Standard library only.
"""
import argparse
import importlib
import pathlib
import sys

from lint_tree import ROOT


def all_figures(root):
    """{name: text} of every figure."""
    drawn = {}
    for module in sorted(pathlib.Path(__file__).parent.glob("figures_[0-9][0-9].py")):
        for name, draw in importlib.import_module(module.stem).FIGURES.items():
            drawn[name] = draw(root)
    return drawn


def problems(root, folder):
    """(file, message) of each figure that is not as its script draws it, or that no script draws."""
    drawn = all_figures(root)
    for name, text in drawn.items():
        path = folder / name
        if not path.exists() or path.read_text() != text:
            yield name, "stale: make book"
    for path in sorted(folder.glob("*.svg")):
        if path.name not in drawn:
            yield path.name, "no script draws it"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--check", action="store_true", help="write nothing; fail where a figure is stale")
    args = parser.parse_args()
    folder = ROOT / "docs/figures"
    if not args.check:
        folder.mkdir(parents=True, exist_ok=True)
        for name, text in all_figures(ROOT).items():
            (folder / name).write_text(text)
        return
    found = list(problems(ROOT, folder))
    for name, message in found:
        print(f"docs/figures/{name}: {message}")
    print(f"{len(all_figures(ROOT)) - len(found)} passed, {len(found)} failed")
    sys.exit(1 if found else 0)


if __name__ == "__main__":
    main()
