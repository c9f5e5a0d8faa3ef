#!/usr/bin/env python3
"""Compiles every file of a configured build folder for its warnings only. Called by `make clang-check`."""
import argparse
import concurrent.futures
import json
import pathlib
import re
import subprocess
import sys


def check(entry):
    # Without -o: nothing is written.
    command = re.sub(r" -o \S+", "", entry["command"]).replace("ccache ", "", 1) + " -fsyntax-only"
    done = subprocess.run(command, shell=True, cwd=entry["directory"], capture_output=True, text=True)
    return entry["file"], done.returncode, done.stderr.strip()


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", type=pathlib.Path, default="build-clang")
    parser.add_argument("--jobs", type=int, default=2)
    args = parser.parse_args()
    entries = json.loads((args.build / "compile_commands.json").read_text())
    passed = failed = 0
    with concurrent.futures.ThreadPoolExecutor(args.jobs) as pool:
        for file, status, messages in pool.map(check, entries):
            passed += status == 0
            failed += status != 0
            if messages:
                print(f"{file}:\n{messages}")
    print(f"{passed} passed, {failed} failed")
    sys.exit(1 if failed or not passed else 0)


if __name__ == "__main__":
    main()
