"""How long one token's choice takes: ours, transformers' processors, llama.cpp's sampler chain; one thread each.

    python tests/parity/sampling_speed.py build/bin/bench_sampling [--rounds 10] [--runs 20] [--json]

The pipeline is Qwen's: repetition penalty 1.1, temperature 0.7, top-k 20, top-p 0.8, on 151,936 scores after 512
tokens. All get the same scores, by turns, round after round; the medians of all runs are shown. Within their time ours
copies the scores, and llama.cpp's chain its array of candidates, from one that is ready. The two are compared without
the repetition penalty as well. Needs torch and transformers; llama.cpp is left out where llama-cpp-python is not
installed.
"""
import argparse
import ctypes
import json
import pathlib
import statistics
import subprocess
import tempfile
import time

import numpy

VOCAB, CONTEXT = 151936, 512


ROWS = 8  # of scores, used in turn


def ids():
    return [(i * 7919 + 13) % VOCAB for i in range(CONTEXT)]


def time_all(step, runs):
    """Seconds of each run; step(scores) prepares one. Three more warm up."""
    seconds = []
    for index in range(-3, runs):
        prepared = step(index % ROWS)
        start = time.perf_counter()
        prepared()
        if index >= 0:
            seconds.append(time.perf_counter() - start)
    return seconds


def ours(program, file, *flags):
    def measure(runs):
        out = subprocess.run([program, "--json", "--runs", str(runs), "--scores", str(file), *flags], check=True,
                             capture_output=True, text=True)
        return [json.loads(out.stdout)["all"]]  # the median of its runs
    return measure


def transformers(scores, draw):
    import torch
    from transformers.generation import logits_process as lp
    torch.set_num_threads(1)
    processors = lp.LogitsProcessorList([lp.RepetitionPenaltyLogitsProcessor(1.1), lp.TemperatureLogitsWarper(0.7),
                                         lp.TopKLogitsWarper(20), lp.TopPLogitsWarper(0.8)])
    tokens = torch.tensor([ids()])

    def step(row):
        logits = torch.from_numpy(scores[row:row + 1])

        def run():
            processed = processors(tokens, logits)
            if draw:
                torch.multinomial(torch.softmax(processed, dim=-1), num_samples=1)
        return run

    def measure(runs):
        with torch.inference_mode():
            return time_all(step, runs)
    return measure


def llama(scores, penalty):
    import llama_cpp
    chain = llama_cpp.llama_sampler_chain_init(llama_cpp.llama_sampler_chain_default_params())
    for sampler in (llama_cpp.llama_sampler_init_penalties(VOCAB, CONTEXT, penalty, 0.0, 0.0),
                    llama_cpp.llama_sampler_init_top_k(20), llama_cpp.llama_sampler_init_top_p(0.8, 1),
                    llama_cpp.llama_sampler_init_temp(0.7), llama_cpp.llama_sampler_init_dist(1)):
        llama_cpp.llama_sampler_chain_add(chain, sampler)
    for token in ids():
        llama_cpp.llama_sampler_accept(chain, token)
    data = numpy.zeros(VOCAB, dtype=numpy.dtype([("id", "<i4"), ("logit", "<f4"), ("p", "<f4")]))
    ready = data.copy()
    ready["id"] = numpy.arange(VOCAB)
    candidates = ctypes.cast(data.ctypes.data, ctypes.POINTER(llama_cpp.llama_token_data))

    def step(row):
        ready["logit"] = scores[row]
        array = llama_cpp.llama_token_data_array(data=candidates, size=VOCAB, selected=-1, sorted=False)

        def run():
            ctypes.memmove(data.ctypes.data, ready.ctypes.data, data.nbytes)
            llama_cpp.llama_sampler_apply(chain, ctypes.byref(array))
        return run
    return lambda runs: time_all(step, runs)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("--rounds", type=int, default=10)
    parser.add_argument("--runs", type=int, default=20, help="of each in a round")
    parser.add_argument("--json", action="store_true", help="the medians in seconds as one JSON object")
    args = parser.parse_args()
    scores = (3 * numpy.random.default_rng(11).standard_normal((ROWS, VOCAB))).astype(numpy.float32)
    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder) / "scores.f32"
        scores.tofile(file)
        rivals = {"ours, drawing included": ours(args.program, file),
                  "transformers, processors only": transformers(scores, draw=False),
                  "transformers, drawing included": transformers(scores, draw=True),
                  "ours, no penalty": ours(args.program, file, "--repetition-penalty", "1")}
        try:
            rivals["llama-cpp-python's chain"] = llama(scores, 1.1)
            rivals["llama-cpp-python's chain, no penalty"] = llama(scores, 1.0)
        except ImportError:
            if not args.json:
                print("llama-cpp-python is not installed: no comparison with llama.cpp")
        seconds = {name: [] for name in rivals}
        for _ in range(args.rounds):
            for name, measure in rivals.items():
                seconds[name] += measure(args.runs)
    medians = {name: statistics.median(values) for name, values in seconds.items()}
    if args.json:
        print(json.dumps({"vocab_size": VOCAB, "context": CONTEXT, "runs": args.rounds * args.runs,
                          "seconds": medians}))
        return
    for name, median in medians.items():
        print(f"{name:<38} {1e3 * median:8.3f} ms  {median / medians['ours, drawing included']:6.1f} times ours")


main()
