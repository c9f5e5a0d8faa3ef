"""Writes tests/common/tensor/data/blocks.safetensors: random blocks of every format with the floats that the
gguf package makes of them, and floats with the blocks that it makes of those. Needs gguf, numpy, safetensors.

    python3 tests/parity/make_block_goldens.py
"""
from pathlib import Path

import numpy as np
from gguf import GGMLQuantizationType
from gguf.constants import GGML_QUANT_SIZES
from gguf.quants import dequantize, quantize
from safetensors.numpy import save_file

READ = ["Q4_0", "Q4_1", "Q5_0", "Q5_1", "Q8_0", "Q4_K", "Q5_K", "Q6_K"]
WRITTEN = ["Q4_0", "Q8_0", "F16", "BF16"]
OUTPUT = Path(__file__).parents[1] / "common/tensor/data/blocks.safetensors"

random = np.random.default_rng(20250101)
tensors = {}
np.seterr(all="ignore")

for name in READ:
    kind = GGMLQuantizationType[name]
    values, size = GGML_QUANT_SIZES[kind]
    blocks = random.integers(0, 256, (1280 // values, size), dtype=np.uint8)
    tensors[f"read.{name}.blocks"] = blocks
    tensors[f"read.{name}.values"] = np.ascontiguousarray(dequantize(blocks, kind), dtype=np.float32)

rows = [random.normal(0, scale, 96) for scale in (1e-6, 1e-3, 0.02, 1, 300)]
rows.append(np.zeros(96))
rows.append(random.integers(-8, 9, 96) / 16)                # halves: ties in rounding
rows.append(np.where(random.random(96) < 0.5, 2.5, -2.5))   # both signs of the largest magnitude
rows.append(np.full(96, -1e6))                              # the scale overflows half precision
rows = np.stack(rows).astype(np.float32)
tensors["written.values"] = rows
for name in WRITTEN:
    blocks = np.ascontiguousarray(quantize(rows, GGMLQuantizationType[name]))
    tensors[f"written.{name}.blocks"] = blocks.view(np.uint8)

OUTPUT.parent.mkdir(parents=True, exist_ok=True)
save_file(tensors, OUTPUT)
print(f"{OUTPUT}: {OUTPUT.stat().st_size} bytes")
