#!/usr/bin/env python3
"""Runs the commands that README.md shows between `<!-- output: COMMAND -->` and `<!-- end -->`, and writes their
real output there, without the compiler's and ctest's progress. `<!-- output: COMMAND; first 12 lines -->` cuts it."""
import pathlib
import re
import subprocess
import sys
import textwrap

ROOT = pathlib.Path(__file__).resolve().parents[2]
BLOCK = re.compile(r"(<!-- output: (.+?)(?:; first (\d+) lines)? -->\n)(.*?)(<!-- end -->)", re.DOTALL)
# Lines of CMake, Ninja and ctest that say only how far they are.
PROGRESS = re.compile(r"\[\d+/\d+\]|ninja: |Configuring |Internal ctest|Test project| +Start +\d+:| *\d+/\d+ Test +#"
                      r"|\d+% tests passed|Total Test time|Label Time Summary|.* sec\*proc")


def shown(output, limit=None):
    lines = [line.rstrip() for line in output.splitlines() if not PROGRESS.match(line)]
    text = re.sub(r"\n{2,}", "\n", "\n".join(lines)).strip()
    pieces = [piece for line in text.split("\n") for piece in textwrap.wrap(line, 110) or [""]]
    return "\n".join(pieces if limit is None or len(pieces) <= limit else [*pieces[:limit], "..."])


def fill(match):
    head, command, limit, _, end = match.groups()
    print(f"$ {command}", flush=True)
    done = subprocess.run(command, shell=True, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if done.returncode != 0:
        sys.exit(f"error: {command} failed; README.md is unchanged\n{done.stdout[-2000:]}")
    return f"{head}```console\n$ {command}\n{shown(done.stdout, int(limit) if limit else None)}\n```\n{end}"


def main():
    readme = ROOT / "README.md"
    readme.write_text(BLOCK.sub(fill, readme.read_text()))


if __name__ == "__main__":
    main()
