"""How long one token's choice takes: ours, transformers' processors, llama.cpp's sampler chain; one thread each.

    python tests/parity/sampling_speed.py build/bin/bench_sampling [--runs 100] [--json]

The pipeline is Qwen's: repetition penalty 1.1, temperature 0.7, top-k 20, top-p 0.8, on 151,936 scores after 512
tokens. Needs torch and transformers; llama.cpp is left out where llama-cpp-python is not installed.
"""
import argparse
import ctypes
import json
import statistics
import subprocess
import time

VOCAB, CONTEXT = 151936, 512


def time_all(step, runs):
    seconds = []
    for index in range(-3, runs):
        prepared = step(index)
        start = time.perf_counter()
        prepared()
        if index >= 0:
            seconds.append(time.perf_counter() - start)
    return statistics.median(seconds)


def transformers_seconds(runs, draw):
    import torch
    from transformers.generation import logits_process as lp
    torch.set_num_threads(1)
    generator = torch.Generator().manual_seed(11)
    processors = lp.LogitsProcessorList([lp.RepetitionPenaltyLogitsProcessor(1.1), lp.TemperatureLogitsWarper(0.7),
                                         lp.TopKLogitsWarper(20), lp.TopPLogitsWarper(0.8)])
    ids = torch.tensor([[(i * 7919 + 13) % VOCAB for i in range(CONTEXT)]])

    def step(_):
        scores = 3 * torch.randn(1, VOCAB, generator=generator)

        def run():
            processed = processors(ids, scores)
            if draw:
                torch.multinomial(torch.softmax(processed, dim=-1), num_samples=1)
        return run
    with torch.inference_mode():
        return time_all(step, runs)


def llama_seconds(runs):
    import llama_cpp
    import numpy
    random = numpy.random.default_rng(11)
    chain = llama_cpp.llama_sampler_chain_init(llama_cpp.llama_sampler_chain_default_params())
    penalties = llama_cpp.llama_sampler_init_penalties(CONTEXT, 1.1, 0.0, 0.0)
    for sampler in (penalties, llama_cpp.llama_sampler_init_top_k(20), llama_cpp.llama_sampler_init_top_p(0.8, 1),
                    llama_cpp.llama_sampler_init_temp(0.7), llama_cpp.llama_sampler_init_dist(1)):
        llama_cpp.llama_sampler_chain_add(chain, sampler)
    for i in range(CONTEXT):
        llama_cpp.llama_sampler_accept(chain, (i * 7919 + 13) % VOCAB)
    item = numpy.dtype([("id", "<i4"), ("logit", "<f4"), ("p", "<f4")])

    def step(_):
        scores = (3 * random.standard_normal(VOCAB)).astype(numpy.float32)
        data = numpy.zeros(VOCAB, dtype=item)

        def run():
            # As llama.cpp's own llama_sampler_sample does: an array of candidates, then the chain.
            data["id"], data["logit"] = numpy.arange(VOCAB, dtype=numpy.int32), scores
            array = llama_cpp.llama_token_data_array(
                data=ctypes.cast(data.ctypes.data, ctypes.POINTER(llama_cpp.llama_token_data)), size=VOCAB,
                selected=-1, sorted=False)
            llama_cpp.llama_sampler_apply(chain, ctypes.byref(array))
        return run
    return time_all(step, runs)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("--runs", type=int, default=100)
    parser.add_argument("--json", action="store_true", help="the medians in seconds as one JSON object")
    args = parser.parse_args()
    out = subprocess.run([args.program, "--json", "--runs", str(args.runs)], check=True, capture_output=True, text=True)
    ours = json.loads(out.stdout)["all"]
    rows = [("ours, drawing included", ours)]
    rows.append(("transformers, processors only", transformers_seconds(args.runs, draw=False)))
    rows.append(("transformers, drawing included", transformers_seconds(args.runs, draw=True)))
    try:
        rows.append(("llama.cpp's chain", llama_seconds(args.runs)))
    except ImportError:
        if not args.json:
            print("llama-cpp-python is not installed: no comparison with llama.cpp")
    if args.json:
        print(json.dumps({"vocab_size": VOCAB, "context": CONTEXT, "runs": args.runs, "seconds": dict(rows)}))
        return
    for name, seconds in rows:
        print(f"{name:<32} {1e3 * seconds:8.3f} ms  {seconds / ours:6.1f} times ours")


main()
