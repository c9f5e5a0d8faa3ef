#!/usr/bin/env python3
"""Runs each libFuzzer program of a build folder for a while. Called by `make fuzz`.

What a target found is kept in BUILD/fuzz/NAME/ (crash-*, timeout-*, oom-*); its corpus grows in
BUILD/fuzz/NAME/corpus and starts from tests/fuzz/corpus/NAME.
"""
import argparse
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]


def run(program, args):
    name = program.name.removeprefix("fuzz_")
    home = (args.build / "fuzz" / name).resolve()
    corpus = home / "corpus"
    corpus.mkdir(parents=True, exist_ok=True)
    seeds = ROOT / "tests" / "fuzz" / "corpus" / name
    command = [program.resolve(), corpus, *([seeds] if seeds.is_dir() else []),
               f"-max_total_time={args.seconds}", f"-artifact_prefix={home}/", "-timeout=10", "-rss_limit_mb=2048",
               "-malloc_limit_mb=512", "-max_len=65536", "-print_final_stats=1", "-verbosity=1"]
    done = subprocess.run(command, capture_output=True, text=True, errors="replace", cwd=ROOT,
                          timeout=args.seconds + 300)
    runs = re.search(r"stat::number_of_executed_units:\s*(\d+)", done.stderr)
    runs = int(runs[1]) if runs else 0
    good = done.returncode == 0 and runs > 0
    print(f"{'ok' if good else 'FAILED':8}{name:24}{runs:>12} runs in {args.seconds} s", flush=True)
    if not good:
        print("\n".join(done.stderr.splitlines()[-40:]))
        print(f"the input is in {home}/; again: {program} {home}/FILE")
    return good


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", type=pathlib.Path, default=pathlib.Path("build-fuzz"))
    parser.add_argument("--seconds", type=int, default=20, help="for each target (default: 20)")
    parser.add_argument("--only", default="", help="only targets whose name contains this")
    args = parser.parse_args()
    programs = [p for p in sorted((args.build / "bin" / "fuzz").glob("fuzz_*")) if args.only in p.name and not p.suffix]
    if not programs:
        sys.exit(f"error: no fuzz target in {args.build}/bin/fuzz; `make fuzz` builds them")
    results = [run(program, args) for program in programs]
    print(f"{sum(results)} passed, {len(results) - sum(results)} failed")
    sys.exit(0 if all(results) else 1)


if __name__ == "__main__":
    main()
