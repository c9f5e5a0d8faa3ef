#!/usr/bin/env python3
"""Measures what the texts of chapters say about time, into docs/results/NN_name.json.

    python3 tests/course/measure.py 02_naive_loop        (after make build, on a machine that does nothing else)

Each file names the machine, compiler, flags and date. Standard library only.
"""
import argparse
import json
import subprocess
import sys

from lint_tree import ROOT

RUNS = 3
SMOLLM2 = "models/SmolLM2-135M-Instruct.Q4_1.gguf"


def run(build, program, *arguments):
    """A program's JSON report."""
    command = [f"{build}/bin/{program}", *arguments, "--json"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"error: {' '.join(command)}\n{done.stderr}")
    return json.loads(done.stdout.splitlines()[-1])


def machine(build):
    """What the bench says about the machine and the build; its own times are left out."""
    report = run(build, "bench", "--model", "storyteller", "--prompt-tokens", "8", "--new-tokens", "2",
                 "--seconds", "0")
    return {"machine": report["machine"], **{name: report[name] for name in ("compiler", "flags", "date")}}


def naive_loop(build):
    """How the naive loop slows down, and how fast it computes a model of real size."""
    runs = [run(build, "02_naive_loop", "--prompt", "Once upon a time", "--ignore-eos", "--max-new-tokens", "1000",
                "--threads", "1")["stats"] for _ in range(RUNS)]
    seconds = [min(times) for times in zip(*(one["seconds_per_token"] for one in runs))]
    lengths = [10, 50, 100, 200, 500, 1000]
    around = lambda n: seconds[max(n - 10, 0):n]  # the last ten tokens
    large = [run(build, "02_naive_loop", "--model", "random:qwen3-0.6b", "--prompt", "Once upon a time " * 16,
                 "--max-new-tokens", "4")["stats"] for _ in range(RUNS)]
    speeds = [one["flops"] / sum(one["seconds_per_token"]) for one in large]
    return {"storyteller": {"model": "storyteller", "prompt_tokens": runs[0]["prompt_tokens"], "threads": 1,
                            "runs": RUNS, "taken": "of each token, the fastest of the runs",
                            "seconds_to": {str(n): sum(seconds[:n]) for n in lengths},
                            "tokens_per_s_at": {str(n): len(around(n)) / sum(around(n)) for n in lengths}},
            "qwen3": {"model": "random:qwen3-0.6b", "prompt_tokens": large[0]["prompt_tokens"], "new_tokens": 4,
                      "threads": large[0]["threads"], "runs": RUNS, "flops_per_s": max(speeds)}}


def flat_top_p(build):
    """Top-p on a distribution so flat that it keeps, and so puts in order, about half of the tokens."""
    options = ["--top-k", "0", "--top-p", "0.95", "--temperature", "2.0", "--runs", "1"]
    seconds = [run(build, "bench_sampling", *options)["top_p"] for _ in range(20)]
    return {"top_p": 0.95, "temperature": 2.0, "runs": len(seconds), "taken": "the fastest", "seconds": min(seconds)}


def sampling(build):
    """What a choice costs beside transformers', and how much SmolLM2 repeats itself. Needs torch, transformers and
    SmolLM2: run this script with a Python that has them, after make model."""
    speed = subprocess.run([sys.executable, "tests/parity/sampling_speed.py", f"{build}/bin/bench_sampling", "--json"],
                           cwd=ROOT, capture_output=True, text=True)
    if speed.returncode != 0:
        sys.exit(f"error: tests/parity/sampling_speed.py\n{speed.stderr}")
    texts = run(build, "07_sampling", "--model", SMOLLM2, "--prompt", "Once upon a time", "--max-new-tokens", "128",
                "--ignore-eos", "--compare-greedy", "--check", "4")
    of = lambda text: {name: text[name] for name in ("distinct_4grams", "total_4grams")}
    return {"speed": json.loads(speed.stdout.splitlines()[-1]), "flat_top_p": flat_top_p(build),
            "repetition": {"model": "SmolLM2-135M-Instruct, Q4_1", "new_tokens": 128,
                           "greedy": of(texts["greedy"]), "sampled": of(texts["texts"][0])}}


def deep_steps(climb):
    """Tokens a second of each step whose weights are BF16, with much in the cache."""
    deep = climb("--runs", "1", "--depth", "2048", "--prompt-tokens", "32", "--new-tokens", "16")
    rows = [row for row in deep["ladder"] if row["weights"] == "BF16" and row["passed"]]
    return {"depth": deep["depth"], "decode_tokens_per_s": {row["name"]: row["decode_tokens_per_s"] for row in rows}}


def fused_cpu(build):
    """The ladder on SmolLM2 in bfloat16, and again with 2,048 tokens in the cache: needs make model."""
    climb = lambda *options: run(build, "05_fused_cpu", "--ladder", "--model", SMOLLM2, "--dtype", "bf16", *options)
    ladder, deep = climb("--runs", "5"), deep_steps(climb)
    rows = ladder.pop("ladder")
    name = lambda row: f"{row['step']}" if row["weights"] == "BF16" or row["step"] < 3 else f"{row['step']} {row['weights']}"
    steps = {}
    for row in rows:
        steps.setdefault(name(row), row)
    head = run(build, "count_flops", "--model", "random:smollm2-135m")["head_flops"]  # a prompt's last token only
    prompt, first = ladder["prompt_tokens"], steps["1"]
    flops = (first["prefill_flops_per_s"] * first["prefill_s"] + head * (prompt - 1)) / prompt
    return {"ladder": {**ladder, "model": "SmolLM2-135M-Instruct, bf16"}, "token_flops": flops, "steps": steps,
            "deep": deep}


MEASUREMENTS = {"02_naive_loop": naive_loop, "05_fused_cpu": fused_cpu, "07_sampling": sampling}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("chapters", nargs="*", help="default: all that have something to measure")
    parser.add_argument("--build", default="build", help="the build folder (default: build)")
    args = parser.parse_args()
    folder = ROOT / "docs/results"
    folder.mkdir(parents=True, exist_ok=True)
    for name in args.chapters or MEASUREMENTS:
        result = {**machine(args.build), **MEASUREMENTS[name](args.build)}
        (folder / f"{name}.json").write_text(json.dumps(result, indent=1) + "\n")
        print(f"written: docs/results/{name}.json")


if __name__ == "__main__":
    main()
