#!/usr/bin/env python3
"""Runs the tests of a build folder through ctest and counts the test cases in them.

ctest counts programs; a reader wants to know about cases. The last lines are the sum over all programs,
what was skipped and why, and `N passed, N failed`. Called by `make test`.
"""
import argparse
import json
import pathlib
import re
import subprocess
import sys
import tempfile
import time
import xml.etree.ElementTree as ElementTree

ROOT = pathlib.Path(__file__).resolve().parents[2]

# What the test programs print: doctest's summary, or this project's own closing line.
DOCTEST = re.compile(r"test cases:\s*(\d+)\s*\|\s*(\d+) passed\s*\|\s*(\d+) failed\s*\|\s*(\d+) skipped")
CLOSING = re.compile(r"^(\d+) passed, (\d+) failed$", re.MULTILINE)
SKIPPED = re.compile(r"^\s*(?:.*\bMESSAGE:\s*)?skipped: (.+)$", re.MULTILINE)


class Counts:
    def __init__(self):
        self.passed = 0
        self.failed = 0
        self.skipped = {}  # reason -> number of cases

    def skip(self, reason, cases=1):
        self.skipped[reason] = self.skipped.get(reason, 0) + cases


def count(name, status, output, counts):
    """Adds one test program's cases. A program that died counts as one failure more than it reported."""
    output = re.sub(r"\x1b\[[0-9;]*m", "", output)
    reasons = SKIPPED.findall(output)
    for reason in reasons:
        counts.skip(reason)
    passed = failed = 0
    if summary := DOCTEST.search(output):
        passed, failed, skipped = int(summary[2]), int(summary[3]), int(summary[4])
        passed = max(0, passed - len(reasons))  # a case that says that it is skipped counts as passed in doctest
        if skipped:
            counts.skip(f"left out by the filter of {name}", skipped)
    elif closing := CLOSING.findall(output):
        passed, failed = (int(number) for number in closing[-1])
    elif status == "run":
        passed = 1
    if status != "run" and failed == 0:
        failed = 1
    counts.passed += passed
    counts.failed += failed


def list_tests(build):
    """What ctest knows: a list of objects with name, command and properties."""
    shown = subprocess.run(["ctest", "--test-dir", build, "--show-only=json-v1"], capture_output=True, text=True)
    if shown.returncode != 0:
        sys.exit(f"error: {build}: ctest cannot list the tests; build first\n{shown.stderr}")
    return json.loads(shown.stdout)["tests"]


def run_ctest(args, report):
    command = ["ctest", "--test-dir", args.build, "--parallel", str(args.jobs), "--output-on-failure",
               "--output-junit", report, "--test-output-size-passed", "10000000", "--no-tests=error"]
    if args.label:
        command += ["--label-regex", args.label]
    elif not args.all:
        command += ["--label-exclude", "slow"]
    if args.only:
        command += ["--tests-regex", args.only]
    return subprocess.run(command).returncode


def run_cases(args, tests):
    """Runs only the doctest cases whose name matches args.cases; yields (name, status, output)."""
    for test in tests:
        command = test.get("command", [])
        if not command or "/bin/tests/" not in command[0] or not re.search(args.only or "", test["name"]):
            continue
        pattern = f"--test-case={args.cases}"
        listed = subprocess.run([command[0], pattern, "--count"], capture_output=True, text=True, cwd=ROOT)
        if not re.search(r"filters: [1-9]", listed.stdout):
            continue
        started = time.monotonic()
        done = subprocess.run([*command, pattern], capture_output=True, text=True, errors="replace", cwd=ROOT)
        output = re.sub(r"\| *\d+ skipped", "| 0 skipped", done.stdout)  # the other cases: left out on purpose
        good = done.returncode == 0
        print(f"{'Passed' if good else '***Failed':12}{test['name']:32}{time.monotonic() - started:8.1f} s", flush=True)
        if not good:
            print(done.stdout + done.stderr)
        yield test["name"], "run" if good else "fail", output


def run_programs(args):
    """Runs whole test programs through ctest; yields (name, status, output)."""
    with tempfile.TemporaryDirectory() as folder:
        report = pathlib.Path(folder) / "ctest.xml"
        status = run_ctest(args, report)
        cases = ElementTree.parse(report).getroot().findall("testcase") if report.exists() else []
    for case in cases:
        yield case.get("name"), case.get("status"), case.findtext("system-out") or ""
    if status != 0 and all(case.get("status") == "run" for case in cases):
        yield "ctest", "fail", ""


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", default="build", help="build folder (default: build)")
    parser.add_argument("--jobs", type=int, default=2, help="test programs at a time (default: 2)")
    parser.add_argument("--only", metavar="REGEX", help="only tests whose name matches")
    parser.add_argument("--cases", metavar="PATTERN", help="only doctest cases whose name matches, as in '*SmolLM2*'")
    parser.add_argument("--label", metavar="NAME", help="only tests with this label, for example slow or smollm2")
    parser.add_argument("--all", action="store_true", help="the slow tests too")
    args = parser.parse_args()

    started = time.monotonic()
    tests = list_tests(args.build)
    counts, programs = Counts(), 0
    for name, status, output in run_cases(args, tests) if args.cases else run_programs(args):
        count(name, status, output, counts)
        programs += 1
    if programs == 0:
        sys.exit(f"error: nothing to run ({len(tests)} test programs are known in {args.build})")

    print(f"\n{programs} test programs in {time.monotonic() - started:.0f} s")
    for reason, number in counts.skipped.items():
        print(f"skipped {number}: {reason}")
    print(f"{counts.passed} passed, {counts.failed} failed")
    sys.exit(1 if counts.failed else 0)


if __name__ == "__main__":
    main()
