#!/usr/bin/env python3
"""Measures this course beside llama.cpp and transformers, in one run, in turns; prints the ratios, lost rows too.

    build/bin/bench --compare                        (SmolLM2 if make model has fetched it, else the storyteller)
    PYTHON=venv/bin/python make bench ARGS="--compare --model random:qwen3-0.6b --dtypes bf16 q8_0"

All read the same weights: tests/parity/make_gguf.py and make_hf.py write them into models/ once. Each round runs ours,
then theirs; the figures are medians over the rounds. What is not installed is left out and said.
"""
import argparse
import importlib.util
import json
import os
import re
import statistics
import subprocess
import sys
from pathlib import Path

from compare_tables import llama_table, show_progress, transformers_table

ROOT = Path(__file__).resolve().parents[2]
PEERS = {"llama.cpp": (["llama_cpp", "gguf"], "pip install llama-cpp-python gguf"),
         "transformers": (["torch", "transformers", "safetensors", "gguf"],
                          "pip install torch transformers safetensors gguf")}
TORCH_DTYPES = {"f32": "float32", "bf16": "bfloat16", "f16": "float16"}
MODES = ["default", "reduce-overhead", "max-autotune"]


class Peer:
    """A program that answers a JSON line with a JSON line and keeps its model between them."""

    def __init__(self, script, *arguments):
        self.process = subprocess.Popen([sys.executable, ROOT / "tests/bench" / script, *arguments], text=True,
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self.name = self.read()["name"]

    def read(self):
        line = self.process.stdout.readline()
        if not line:
            errors = self.process.communicate()[1].strip().splitlines()
            raise SystemExit(f"error: {self.process.args[1].name}: {errors[-1] if errors else 'no answer'}")
        return json.loads(line)

    def ask(self, case):
        self.process.stdin.write(json.dumps(case) + "\n")
        self.process.stdin.flush()
        return self.read()

    def close(self):
        self.process.stdin.close()
        self.process.wait()


class Ours:
    """One stage of the bench, in a process of its own each time. What it refuses is remembered."""

    def __init__(self, args):
        self.args, self.refused, self.read = args, {}, []

    def ask(self, model, case, cache_dtype, compute):
        if any(reason.startswith("--compute") for reason in self.refused) and compute != "exact":
            return {}
        command = [self.args.bench, "--model", str(model), "--compute", compute, "--cache-dtype", cache_dtype,
                   "--threads", str(self.args.threads), "--seconds", "0", "--json", "--quiet"]
        command += ["--engine", self.args.engine] if self.args.engine else []
        for flag in ("prompt_tokens", "new_tokens", "depth", "batch"):
            command += ["--" + flag.replace("_", "-"), str(case[flag])]
        done = subprocess.run(command, capture_output=True, text=True)
        if done.returncode != 0:
            reason = done.stderr.strip().removeprefix("error: ")
            self.refused.setdefault(reason, f"ours {compute}, {case['what']}")
            return {}
        stage = json.loads(done.stdout)["stages"][0]
        self.read.append(stage["read_bytes_per_s"])
        return {"prefill": [stage["prefill_tokens_per_s"]], "decode": [stage["decode_tokens_per_s"]],
                "stage": stage["stage"], "share": [stage["decode_share_of_bandwidth"]]}


def at_least(least):
    def integer(text):
        if int(text) < least:
            raise argparse.ArgumentTypeError(f"{text}, expected at least {least}")
        return int(text)
    return integer


def arguments():
    parser = argparse.ArgumentParser(prog="bench --compare", description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bench", default=str(ROOT / "build/bin/bench"), help="the program (default: %(default)s)")
    parser.add_argument("--model", help="a GGUF file, a name, or random:SHAPE")
    parser.add_argument("--engine", help="ours (default: the last of the table of engines)")
    parser.add_argument("--dtypes", nargs="+", default=["f32", "bf16", "q8_0", "q4_0"],
                        choices=["f32", "bf16", "f16", "q8_0", "q4_0"], help="of the weights")
    parser.add_argument("--peers", nargs="+", default=list(PEERS), choices=list(PEERS))
    parser.add_argument("--prompt-tokens", type=at_least(1), default=512, help="of the prefill (default: %(default)s)")
    parser.add_argument("--new-tokens", type=at_least(1), default=32, help="to decode (default: %(default)s)")
    parser.add_argument("--depth", type=at_least(0), default=2048,
                        help="in the cache (default: %(default)s; 0: no row)")
    parser.add_argument("--batch", type=at_least(1), default=8, help="rows together (default: %(default)s; 1: no row)")
    parser.add_argument("--rounds", type=at_least(1), default=3)
    parser.add_argument("--threads", type=at_least(1), default=len(os.sched_getaffinity(0)))
    parser.add_argument("--no-compile", action="store_true", help="no torch.compile, which takes minutes")
    parser.add_argument("--json", action="store_true", help="the results as JSON on the standard output")
    parser.add_argument("--save", type=Path, help="write the JSON to this file too")
    parser.add_argument("--models", type=Path, default=ROOT / "models",
                        help="folder of gguf/ and hf/ (default: models)")
    return parser.parse_args()


def find_source(name):
    """What make_gguf.py is given for a model's name."""
    smollm2 = ROOT / "models/SmolLM2-135M-Instruct.Q4_1.gguf"
    if name is None:
        return str(smollm2) if smollm2.exists() else str(ROOT / "data/models/storyteller")
    tries = [Path(name), ROOT / "data/models" / name, ROOT / "models" / name, ROOT / "models" / f"{name}.gguf"]
    found = [str(path) for path in tries if path.exists()]
    if not name.startswith("random:") and not found:
        raise SystemExit(f"error: --model: there is no '{name}'; make model fetches SmolLM2")
    return name if name.startswith("random:") else found[0]


def made(script, source, out, *more):
    """The path that a script of tests/parity prints; it takes minutes for a large model, so one that is there stays."""
    if source.startswith("random:"):
        name = source.replace(":", "-")
    else:  # as make_gguf.py names its sources
        name = Path(source).name if Path(source).is_dir() else re.sub(r"[.-]Q\d\w*$", "", Path(source).stem)
    path = out / (f"{name}-{more[-1]}.gguf" if more else name)
    if not path.exists():
        show_progress(f"writing {path}")
        done = subprocess.run([sys.executable, ROOT / "tests/parity" / script, source, "--out", out,
                               *(["--types", *more] if more else [])], capture_output=True, text=True)
        if done.returncode != 0:
            raise SystemExit(f"error: {script}: {(done.stderr.strip().splitlines() or ['failed'])[-1]}")
        path = Path(done.stdout.strip().splitlines()[-1].split(": ")[0])
    return path


def cases(args, with_depth):
    """What is measured: a name, the figure of it, and the work."""
    short = min(32, args.prompt_tokens)
    rows = [(f"prefill {args.prompt_tokens:,}", "prefill", args.prompt_tokens, 1, 0, 1),
            ("decode", "decode", short, args.new_tokens, 0, 1)]
    if with_depth and args.depth > 0:
        rows.append((f"decode after {args.depth:,}", "decode", 1, args.new_tokens, args.depth, 1))
    if with_depth and args.batch > 1:
        rows.append((f"decode, batch of {args.batch}", "decode", short, args.new_tokens, 0, args.batch))
    names = ("what", "figure", "prompt_tokens", "new_tokens", "depth", "batch")
    return [dict(zip(names, row)) | {"runs": 3} for row in rows]


def median(answers, figure):
    values = [value for answer in answers for value in answer.get(figure) or []]
    return statistics.median(values) if values else None


def compare_llama(args, ours, source):
    """A row a case and number format: ours exact, ours fast, llama.cpp."""
    rows, name = [], None
    for dtype in args.dtypes:
        model = made("make_gguf.py", source, args.models / "gguf", dtype.upper())
        peer = Peer("peer_llama.py", str(model), "--threads", str(args.threads))
        name = peer.name
        for case in cases(args, with_depth=True):
            answers = {"exact": [], "fast": [], "peer": []}
            for turn in range(args.rounds):
                show_progress(f"llama.cpp, {dtype}, {case['what']}: round {turn + 1} of {args.rounds}")
                for compute in ("exact", "fast"):
                    answers[compute].append(ours.ask(model, case, "f16", compute))
                answers["peer"].append(peer.ask(case))
            rows.append({"dtype": dtype, "what": case["what"], "stage": answers["exact"][0].get("stage"),
                         "share": median(answers["exact"], "share")}
                        | {who: median(answers[who], case["figure"]) for who in answers})
        peer.close()
    return name, rows


def compare_way(args, ours, folder, model, dtype, way):
    """One way of running transformers, in turns with ours: prefill and decode of both."""
    peer = Peer("peer_transformers.py", str(folder), "--threads", str(args.threads), "--dtype", TORCH_DTYPES[dtype])
    mine, theirs, last = {}, {}, {}
    for case in cases(args, with_depth=False):
        figure = case["figure"]
        if figure == "prefill" and way["compile"]:
            continue  # the prompt is read as without
        mine[figure], theirs[figure] = [], []
        for turn in range(args.rounds):
            show_progress(f"transformers, {dtype}, {way['compile'] or 'eager'}, {way['cache']}, {case['what']}: "
                          f"round {turn + 1} of {args.rounds}")
            mine[figure].append(ours.ask(model, case, dtype, "exact"))
            theirs[figure].append(peer.ask(case | way))
        last = theirs[figure][-1]
    peer.close()
    return peer.name, ({"dtype": dtype, **way} | {key: last.get(key) for key in ("recompilations", "first_s", "error")}
                       | {figure: median(theirs.get(figure, []), figure) for figure in ("prefill", "decode")}
                       | {f"our_{figure}": median(mine.get(figure, []), figure) for figure in ("prefill", "decode")})


def compare_transformers(args, ours, source):
    """A row a way of running transformers and number format: prefill and decode, beside ours."""
    rows, name = [], None
    folder = source if Path(source).is_dir() else made("make_hf.py", source, args.models / "hf")
    modes = [None] + ([] if args.no_compile else MODES)
    for dtype in [dtype for dtype in args.dtypes if dtype in TORCH_DTYPES]:
        model = made("make_gguf.py", source, args.models / "gguf", dtype.upper())
        for mode in modes:
            for cache in ("dynamic", "static"):
                name, row = compare_way(args, ours, folder, model, dtype, {"compile": mode, "cache": cache})
                rows.append(row)
    return name, rows


def installed(args):
    """The peers that can run; says how to get the others."""
    there = []
    for peer in args.peers:
        modules, remedy = PEERS[peer]
        missing = [module for module in modules if importlib.util.find_spec(module) is None]
        if missing:
            print(f"{peer} is left out, {', '.join(missing)} not being installed: {remedy}", file=sys.stderr)
        else:
            there.append(peer)
    return there


def report(result, texts):
    print(f"\n{result['model']}: threads {result['threads']}, rounds in turns {result['rounds']}; medians, "
          "tokens a second", file=sys.stderr)
    print("\n".join(texts), file=sys.stderr)
    if result["read_bytes_per_s"]:
        print(f"of read: of {result['read_bytes_per_s'] / 1e9:.1f} GB/s, measured in between", file=sys.stderr)
    for why, what in result["left_out"].items():
        print(f"left out: {what}: {why}", file=sys.stderr)


def main():
    args = arguments()
    peers = installed(args)
    if not peers:
        raise SystemExit("error: --compare: nobody to compare with; PYTHON=/path/to/python names another Python")
    source, ours = find_source(args.model), Ours(args)
    result = {"model": Path(source).name if Path(source).exists() else source, "threads": args.threads,
              "rounds": args.rounds}
    texts = []
    for peer, compare, show in [("llama.cpp", compare_llama, llama_table),
                                ("transformers", compare_transformers, transformers_table)]:
        if peer in peers:
            name, rows = compare(args, ours, source)
            result[peer] = {"name": name, "rows": rows}
            texts.append(show(name, rows))
    show_progress("")
    result["read_bytes_per_s"] = statistics.median(ours.read) if ours.read else None
    result["left_out"] = ours.refused
    report(result, texts)
    text = json.dumps(result, indent=1)
    if args.json:
        print(text)
    if args.save:
        args.save.write_text(text + "\n")


if __name__ == "__main__":
    main()
