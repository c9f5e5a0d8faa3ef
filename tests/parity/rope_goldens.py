#!/usr/bin/env python3
"""Writes tests/02_naive_loop/data/rope.json: what transformers' rotary embeddings give for all four scalings.

Needs torch and transformers (5.23). Not needed to build or test: the result is committed.
"""
import json
import pathlib

import torch
from transformers import LlamaConfig
from transformers.models.llama.modeling_llama import LlamaRotaryEmbedding

POSITIONS = [0, 1, 2, 7, 100, 1023, 4095, 40000, 131071]
YARN = {"rope_type": "yarn", "rope_theta": 1000000.0, "factor": 4.0, "original_max_position_embeddings": 32768}
LLAMA3 = {"rope_type": "llama3", "rope_theta": 500000.0, "factor": 32.0, "low_freq_factor": 1.0,
          "high_freq_factor": 4.0, "original_max_position_embeddings": 8192}
CASES = [
    ("default, Qwen3", 128, {"rope_type": "default", "rope_theta": 1000000.0}),
    ("default, six wide", 6, {"rope_type": "default", "rope_theta": 10000.0}),
    ("linear", 12, {"rope_type": "linear", "rope_theta": 10000.0, "factor": 4.0}),
    ("linear, odd factor", 64, {"rope_type": "linear", "rope_theta": 500000.0, "factor": 2.7}),
    ("llama3, Llama 3.2 1B", 64, LLAMA3),
    ("llama3, Llama 3.1", 128, {**LLAMA3, "factor": 8.0}),
    ("llama3, small", 8, {**LLAMA3, "factor": 8.0, "original_max_position_embeddings": 64}),
    ("yarn, Qwen3", 128, YARN),
    ("yarn, factor below 1", 64, {**YARN, "factor": 0.5}),
    ("yarn, attention_factor", 64, {**YARN, "attention_factor": 0.77}),
    ("yarn, mscale", 64, {**YARN, "factor": 40.0, "mscale": 0.707, "mscale_all_dim": 1.0}),
    ("yarn, mscale alone", 64, {**YARN, "factor": 40.0, "mscale": 0.707}),
    ("yarn, betas", 64, {**YARN, "beta_fast": 16.0, "beta_slow": 2.0}),
    ("yarn, not truncated", 64, {**YARN, "truncate": False}),
    ("yarn, short", 16, {**YARN, "rope_theta": 10000.0, "original_max_position_embeddings": 128}),
    ("yarn, ramp of no length", 4, {**YARN, "rope_theta": 100.0, "original_max_position_embeddings": 5}),
]


def case(name: str, head_dim: int, rope: dict) -> dict:
    config = LlamaConfig(hidden_size=head_dim, num_attention_heads=1, head_dim=head_dim,
                         max_position_embeddings=131072, rope_parameters=dict(rope))
    embedding = LlamaRotaryEmbedding(config)
    cos, sin = embedding(torch.zeros(1, dtype=torch.float32), torch.tensor([POSITIONS]))
    half = head_dim // 2
    numbers = lambda t: [float(repr(float(x))) for x in t.flatten()]
    return {"name": name, "head_dim": head_dim, "rope_parameters": rope,
            "inverse_frequencies": numbers(embedding.inv_freq), "attention_scaling": embedding.attention_scaling,
            "cosines": numbers(cos[0, :, :half]), "sines": numbers(sin[0, :, :half])}


def main() -> None:
    # Cosines and sines of long heads are a lot of digits: three cases of them are enough.
    cases = [case(*c) for c in CASES]
    for i, c in enumerate(cases):
        if i not in (0, 6, 10):
            del c["cosines"], c["sines"]
    target = pathlib.Path(__file__).parent.parent / "02_naive_loop/data/rope.json"
    lines = ",\n".join(json.dumps(c) for c in cases)
    target.write_text(f'{{"positions": {POSITIONS}, "cases": [\n{lines}\n]}}\n')
    print(target, target.stat().st_size, "bytes")


if __name__ == "__main__":
    main()
