"""llama.cpp as compare.py asks for it: cases in on standard input, speeds out, one JSON object a line.

    python3 tests/bench/peer_llama.py MODEL.gguf --threads 2

A case is {"prompt_tokens", "new_tokens", "depth", "batch", "runs"}. Tokens are random and none is chosen from the
scores, as llama-bench does it; keys and values are F16, llama.cpp's default; the first run of a case warms up.
"""
import argparse
import ctypes
import json
import random
import sys
import time

import llama_cpp as llama

CHUNK = 512


class Rows:
    """Sequences that grow together in one context."""

    def __init__(self, model, case, threads):
        self.case = case
        length = case["depth"] + case["prompt_tokens"] + case["new_tokens"]
        params = llama.llama_context_default_params()
        params.n_seq_max = case["batch"]
        params.n_ctx = (length + 1) * case["batch"]
        params.n_batch = params.n_ubatch = max(CHUNK, case["batch"])
        params.n_threads = params.n_threads_batch = threads
        self.context = llama.llama_init_from_model(model, params)
        if not self.context:
            raise RuntimeError("llama.cpp made no context")
        self.memory = llama.llama_get_memory(self.context)
        self.vocabulary = llama.llama_vocab_n_tokens(llama.llama_model_get_vocab(model))
        self.batch = llama.llama_batch_init(max(CHUNK, case["batch"]), 0, 1)
        self.length = 0

    def feed(self, count):
        """`count` more tokens in each row; seconds. Scores of each row's last one."""
        start = time.perf_counter()
        todo = [(row, self.length + i, i == count - 1) for row in range(self.case["batch"]) for i in range(count)]
        if count == 1:
            todo.sort()
        for begin in range(0, len(todo), CHUNK):
            piece = todo[begin:begin + CHUNK]
            self.batch.n_tokens = len(piece)
            for i, (row, position, last) in enumerate(piece):
                self.batch.token[i] = random.randrange(self.vocabulary)
                self.batch.pos[i] = position
                self.batch.n_seq_id[i] = 1
                self.batch.seq_id[i][0] = row
                self.batch.logits[i] = last
            if llama.llama_decode(self.context, self.batch) != 0:
                raise RuntimeError("llama.cpp could not decode")
        llama.llama_synchronize(self.context)
        self.length += count
        return time.perf_counter() - start

    def back_to_depth(self):
        if self.length == 0:
            if self.case["depth"] > 0:
                self.feed(self.case["depth"])
            return
        for row in range(self.case["batch"]):
            llama.llama_memory_seq_rm(self.memory, row, self.case["depth"], -1)
        self.length = self.case["depth"]

    def run(self):
        self.back_to_depth()
        rows = self.case["batch"]
        prefill = self.feed(self.case["prompt_tokens"])
        decode = sum(self.feed(1) for _ in range(self.case["new_tokens"]))
        return {"prefill": rows * self.case["prompt_tokens"] / prefill,
                "decode": rows * self.case["new_tokens"] / decode}

    def close(self):
        llama.llama_batch_free(self.batch)
        llama.llama_free(self.context)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("model")
    parser.add_argument("--threads", type=int, required=True)
    args = parser.parse_args()
    silent = llama.llama_log_callback(lambda level, text, data: None)
    llama.llama_log_set(silent, ctypes.c_void_p(0))
    llama.llama_backend_init()
    model = llama.llama_model_load_from_file(args.model.encode(), llama.llama_model_default_params())
    if not model:
        raise SystemExit(f"llama.cpp could not open {args.model}")
    print(json.dumps({"name": f"llama.cpp (llama-cpp-python {llama.__version__})"}), flush=True)
    for line in sys.stdin:
        case = json.loads(line)
        rows = Rows(model, case, args.threads)
        runs = [rows.run() for _ in range(case["runs"] + 1)][1:]
        rows.close()
        print(json.dumps({figure: [run[figure] for run in runs] for figure in ("prefill", "decode")}), flush=True)


if __name__ == "__main__":
    main()
