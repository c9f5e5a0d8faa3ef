"""transformers as compare.py asks for it: cases in on standard input, speeds out, one JSON object a line.

    python3 tests/bench/peer_transformers.py FOLDER --threads 2 --dtype bfloat16

A case is {"prompt_tokens", "new_tokens", "cache": "dynamic" or "static", "compile": null or torch.compile's mode,
"runs"}. The prompt is read by the model as it is, tokens are decoded by the compiled one, as generate() does it.
A new case is warmed up first; "recompilations" counts the graphs that were compiled after the first step. One way of
compiling a process: torch remembers between two of them which sizes change.
"""
import argparse
import json
import logging
import sys
import time
import warnings

import torch
import transformers
from torch._dynamo.utils import counters
from transformers import AutoModelForCausalLM, DynamicCache, StaticCache


class Peer:
    def __init__(self, folder, dtype):
        self.model = AutoModelForCausalLM.from_pretrained(folder, dtype=getattr(torch, dtype)).eval()
        self.steps = {}  # by mode and cache: a compiled function each
        self.warm = {}  # by case: recompilations, seconds of the first run

    def step(self, case):
        if case["compile"] is None:
            return self.model
        key = (case["compile"], case["cache"])
        if key not in self.steps:
            self.steps[key] = torch.compile(self.model.forward, mode=case["compile"])
        return self.steps[key]

    def cache(self, case):
        if case["cache"] == "dynamic":
            return DynamicCache(config=self.model.config)
        length = case["prompt_tokens"] + case["new_tokens"] + 1
        return StaticCache(config=self.model.config, max_cache_len=length)

    def run(self, case, after_first_step=lambda: None):
        """Tokens a second of the prompt and of the tokens after it."""
        step, cache = self.step(case), self.cache(case)
        P, N = case["prompt_tokens"], case["new_tokens"]
        generator = torch.Generator().manual_seed(1)
        ids = torch.randint(self.model.config.vocab_size, (1, P), generator=generator)
        choose = lambda output: output.logits[:, -1:].argmax(-1)
        start = time.perf_counter()
        ids = choose(self.model(ids, past_key_values=cache, use_cache=True, logits_to_keep=1))
        middle = time.perf_counter()
        for i in range(N):
            position = torch.full((1, 1), P + i)
            ids = choose(step(ids, position_ids=position, past_key_values=cache, use_cache=True))
            if i == 0:
                after_first_step()
        end = time.perf_counter()
        return {"prefill": P / (middle - start), "decode": N / (end - middle)}

    def warm_up(self, case):
        graphs = lambda: counters["stats"]["unique_graphs"]
        first = []
        start = time.perf_counter()
        self.run(case, after_first_step=lambda: first.append(graphs()))
        seconds = time.perf_counter() - start
        return {"recompilations": graphs() - first[0], "first_s": seconds}

    def answer(self, case):
        key = json.dumps({name: case[name] for name in ("cache", "compile", "prompt_tokens", "new_tokens")})
        if key not in self.warm:
            self.warm[key] = self.warm_up(case)
        runs = [self.run(case) for _ in range(case["runs"])]
        return {"prefill": [run["prefill"] for run in runs], "decode": [run["decode"] for run in runs]} | self.warm[key]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("model")
    parser.add_argument("--threads", type=int, required=True)
    parser.add_argument("--dtype", default="bfloat16")
    args = parser.parse_args()
    warnings.filterwarnings("ignore")
    logging.disable(logging.WARNING)
    transformers.utils.logging.set_verbosity_error()
    transformers.utils.logging.disable_progress_bar()
    torch.set_num_threads(args.threads)
    peer = Peer(args.model, args.dtype)
    print(json.dumps({"name": f"transformers {transformers.__version__}, torch {torch.__version__}"}), flush=True)
    with torch.inference_mode():
        for line in sys.stdin:
            try:
                answer = peer.answer(json.loads(line))
            except Exception as error:  # one mode that fails leaves the others
                answer = {"error": f"{type(error).__name__}: {str(error).splitlines()[0][:200]}"}
            print(json.dumps(answer), flush=True)


if __name__ == "__main__":
    main()
