#!/usr/bin/env python3
"""Random small models, through transformers and through our programs: the same logits and the same tokens?

Each case is a model of a random shape of one of the three families (with biases, scaled rotary embeddings, sliding
windows, tied and untied heads, float32, bfloat16 and float16 files, one file or shards), greedy requests with batches
and padding, and one prompt whose hidden states are compared layer by layer.

    python tests/parity/generate_parity.py --program build/bin/02_naive_loop --cases 40 --seed 1
    python tests/parity/generate_parity.py --cached build/bin/03_kv_cache --cases 40 --seed 2

Needs torch, transformers and safetensors (tests/parity/requirements.txt). Not part of `make test`.
"""
import argparse
import json
import pathlib
import random
import shutil
import subprocess
import sys
import tempfile

import torch
import transformers
from safetensors.torch import load_file

ROOT = pathlib.Path(__file__).resolve().parents[2]
GAP = 1e-3  # greedy cases with two best scores closer than this are left out: rounding may decide them


def random_rope(rng, max_position):
    """A random rope_parameters object, of each kind that the course supports."""
    theta = rng.choice([10000.0, 500000.0, 1000000.0])
    kind = rng.choice(["default", "default", "linear", "llama3", "yarn"])
    rope = {"rope_type": kind, "rope_theta": theta}
    if kind == "linear":
        rope["factor"] = rng.choice([2.0, 4.0])
    if kind == "llama3":
        rope.update(factor=8.0, low_freq_factor=1.0, high_freq_factor=4.0, original_max_position_embeddings=32)
    if kind == "yarn":
        rope.update(factor=4.0, original_max_position_embeddings=max_position // 4)
        if rng.random() < 0.3:
            rope.update(beta_fast=16.0, beta_slow=2.0)
        if rng.random() < 0.3:
            rope["attention_factor"] = 1.25
    return rope


def random_config(rng, vocab_size):
    """A random configuration of one of the three families, with awkward sizes."""
    family = rng.choice(["qwen3", "qwen2", "llama"])
    kv_heads = rng.choice([1, 2, 3])
    heads = kv_heads * rng.choice([1, 2, 3])
    head_dim = rng.choice([4, 6, 8, 10, 16])
    fields = dict(
        vocab_size=vocab_size + rng.choice([0, 0, 7]),
        hidden_size=heads * head_dim,
        intermediate_size=rng.choice([20, 33, 64]),
        num_hidden_layers=rng.choice([1, 2, 4]),
        num_attention_heads=heads,
        num_key_value_heads=kv_heads,
        max_position_embeddings=256,
        rms_norm_eps=rng.choice([1e-5, 1e-6]),
        tie_word_embeddings=rng.random() < 0.5,
        rope_parameters=random_rope(rng, 256),
        bos_token_id=None, eos_token_id=None, pad_token_id=None,
    )
    if family != "qwen2" and rng.random() < 0.5:
        fields["head_dim"] = rng.choice([4, 8, 14])
    if family == "llama":
        fields.update(attention_bias=rng.random() < 0.3, mlp_bias=rng.random() < 0.3)
        return transformers.LlamaConfig(**fields)
    if rng.random() < 0.4:
        fields.update(use_sliding_window=True, sliding_window=rng.choice([3, 5, 8]),
                      max_window_layers=rng.choice([0, 1, 2]))
    if family == "qwen3":
        fields["attention_bias"] = rng.random() < 0.3
        return transformers.Qwen3Config(**fields)
    return transformers.Qwen2Config(**fields)


def make_model(rng, folder, tokenizer_folder, vocab_size):
    """Saves a random model and returns it as transformers loads it again, in float32."""
    config = random_config(rng, vocab_size)
    torch.manual_seed(rng.randrange(1 << 30))
    model = transformers.AutoModelForCausalLM.from_config(config).eval()
    with torch.no_grad():
        for name, parameter in model.named_parameters():
            parameter.normal_(0.0, 0.4 if parameter.ndim > 1 else 0.6)
            if "norm" in name and parameter.ndim == 1 and rng.random() < 0.5:
                parameter.add_(1.0)
    dtype = rng.choice([torch.float32, torch.float32, torch.bfloat16, torch.float16])
    model = model.to(dtype)
    model.save_pretrained(folder, max_shard_size=rng.choice(["10GB", "40KB"]))
    for name in ("tokenizer.json", "tokenizer_config.json"):
        shutil.copy(tokenizer_folder / name, folder / name)
    return transformers.AutoModelForCausalLM.from_pretrained(folder, dtype=torch.float32).eval(), dtype


def greedy(model, ids, mask, config):
    """transformers' greedy sequences and the smallest gap between the two best scores of any step."""
    out = model.generate(torch.tensor(ids), attention_mask=None if mask is None else torch.tensor(mask),
                         generation_config=config, output_scores=True, return_dict_in_generate=True)
    gap = min(float((top := scores.topk(2, -1).values)[..., 0].sub(top[..., 1]).min()) for scores in out.scores)
    return out.sequences.tolist(), gap


def random_request(rng, vocab_size):
    """Ids, mask and generation fields of one greedy request."""
    rows, longest = rng.choice([1, 1, 2, 3]), rng.choice([1, 5, 12, 30])
    lengths = [longest] + [rng.randint(1, longest) for _ in range(rows - 1)]
    ids = [[rng.randrange(vocab_size) for _ in range(longest)] for _ in lengths]
    mask = [[0] * (longest - length) + [1] * length for length in lengths]
    fields = {"max_new_tokens": rng.choice([1, 4, 17]), "pad_token_id": rng.randrange(vocab_size)}
    if rng.random() < 0.7:
        fields["eos_token_id"] = rng.sample(range(vocab_size), rng.choice([1, 2, 60]))
    needs_mask = rows > 1 or fields["pad_token_id"] in ids[0]  # else that token would count as padding
    return ids, (mask if needs_mask or rng.random() < 0.3 else None), fields


def check_greedy(model, program, folder, rng, vocab_size, requests, chunks):
    """Compares `requests` greedy requests, with chunks some of them cut up; returns (compared, differing lines)."""
    lines, expected = [], []
    while len(lines) < requests:
        ids, mask, fields = random_request(rng, vocab_size)
        config = transformers.GenerationConfig(do_sample=False, **fields)
        sequences, gap = greedy(model, ids, mask, config)
        if gap < GAP:
            requests -= 1
            continue
        if chunks and rng.random() < 0.5:
            fields["prefill_chunk_size"] = rng.choice([1, 2, 3, 7])
        request = {"input_ids": ids, "generation_config": fields}
        if mask is not None:
            request["attention_mask"] = mask
        lines.append(json.dumps(request))
        expected.append(sequences)
    done = subprocess.run([program, "--model", str(folder), "--no-model-config", "--jsonl"],
                          input="\n".join(lines) + "\n", capture_output=True, text=True)
    answers = [json.loads(line) for line in done.stdout.splitlines()]
    wrong = [f"{line}\n  theirs {want}\n  ours   {got}" for line, want, got in zip(lines, expected, answers)
             if got.get("sequences") != want]
    if len(answers) != len(lines):
        wrong.append(f"{len(answers)} answers to {len(lines)} requests: {done.stderr}")
    return len(lines), wrong


def check_layers(model, program, folder, text):
    """Compares hidden states and logits of one prompt; returns the largest error relative to the largest value."""
    tokenizer = transformers.PreTrainedTokenizerFast(tokenizer_file=str(folder / "tokenizer.json"))
    ids = torch.tensor([tokenizer(text)["input_ids"]])
    norm = []
    hook = model.model.norm.register_forward_hook(lambda *a: norm.append(a[2]))
    layers = []
    hooks = [layer.register_forward_hook(lambda *a: layers.append(a[2][0] if isinstance(a[2], tuple) else a[2]))
             for layer in model.model.layers]
    with torch.inference_mode():
        logits = model(ids).logits
    for handle in [hook, *hooks]:
        handle.remove()
    dump = folder / "dump.safetensors"
    done = subprocess.run([program, "--model", str(folder), "--prompt", text, "--max-new-tokens", "1", "--quiet",
                           "--dump-layers", str(dump)], capture_output=True, text=True)
    if done.returncode != 0:
        return float("inf"), done.stderr
    ours = load_file(dump)
    pairs = [(f"hidden.{i + 1}", layer) for i, layer in enumerate(layers)] + [("hidden.norm", norm[0]),
                                                                               ("logits", logits)]
    errors = [(float((ours[name] - theirs).abs().max() / theirs.abs().max()), name) for name, theirs in pairs]
    return max(errors)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", default=str(ROOT / "build/bin/02_naive_loop"))
    parser.add_argument("--cached", help="a program with a cache: it gets the greedy requests")
    parser.add_argument("--tokenizer", default=str(ROOT / "tests/data/models/tiny-qwen3"))
    parser.add_argument("--cases", type=int, default=20)
    parser.add_argument("--requests", type=int, default=6, help="greedy requests a model")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    transformers.logging.set_verbosity_error()
    transformers.logging.disable_progress_bar()
    torch.set_num_threads(1)
    tokenizer_folder = pathlib.Path(options.tokenizer)
    vocab_size = 512
    passed = failed = 0
    for case in range(options.cases):
        rng = random.Random(options.seed * 100003 + case)
        with tempfile.TemporaryDirectory() as temporary:
            folder = pathlib.Path(temporary)
            model, dtype = make_model(rng, folder, tokenizer_folder, vocab_size)
            compared, wrong = check_greedy(model, options.cached or options.program, folder, rng, vocab_size,
                                           options.requests, chunks=options.cached is not None)
            error, where = check_layers(model, options.program, folder, "The quick brown fox jumps over it, twice.")
            if not error < 1e-4:
                wrong.append(f"relative error {error} at {where}")
            passed += compared + 1 - len(wrong)
            failed += len(wrong)
            print(f"case {case}: {model.config.model_type} {dtype} {compared} requests, largest error {error:.1e} "
                  f"({where})" + "".join("\n  WRONG " + text for text in wrong), flush=True)
            if wrong:
                print("  config: " + json.dumps(model.config.to_dict(), default=str))
    print(f"{passed} passed, {failed} failed")
    return 1 if failed or not passed else 0


if __name__ == "__main__":
    sys.exit(main())
