"""Writes a model as a Hugging Face folder in bfloat16: the weights that make_gguf.py writes as BF16, for transformers.

    python3 tests/parity/make_hf.py models/SmolLM2-135M-Instruct.Q4_1.gguf --out models/hf
    python3 tests/parity/make_hf.py random:qwen3-0.6b --out models/hf

The source is a GGUF file or random:NAME. The folder NAME gets config.json and model.safetensors; tokenizers are left
out. Needs gguf, numpy, torch and safetensors.
"""
import argparse
import json
import re
from pathlib import Path

import torch
from make_gguf import LAYER_NAMES, OTHER_NAMES, SHAPES, GgufSource, RandomSource
from safetensors.torch import save_file

CLASSES = {"llama": "LlamaForCausalLM", "qwen2": "Qwen2ForCausalLM", "qwen3": "Qwen3ForCausalLM"}
HF_LAYER_NAMES = {gguf: hf for hf, gguf in LAYER_NAMES.items()}
HF_OTHER_NAMES = {gguf: hf for hf, gguf in OTHER_NAMES.items()}


def hf_name(name):
    """blk.3.attn_q.weight: model.layers.3.self_attn.q_proj.weight. None for what has no place there."""
    stem, suffix = name.rsplit(".", 1)
    layer = re.fullmatch(r"blk\.(\d+)\.(.+)", stem)
    if layer:
        return f"model.layers.{layer[1]}.{HF_LAYER_NAMES[layer[2]]}.{suffix}"
    return f"{HF_OTHER_NAMES[stem]}.{suffix}" if stem in HF_OTHER_NAMES else None


def separate(rows, heads):
    """The order of a llama GGUF's q or k rows to Hugging Face's: make_gguf's interleave, undone."""
    return rows.reshape(heads, -1, 2, *rows.shape[1:]).swapaxes(1, 2).reshape(rows.shape)


def config_of(source):
    """The config.json of a GGUF file's metadata."""
    if not isinstance(source, GgufSource):
        return dict(source.config)
    fields, shapes = source.reader.fields, dict(source.tensors)
    value = lambda name: fields[f"{source.architecture}.{name}"].contents()
    hidden, heads = value("embedding_length"), value("attention.head_count")
    key_length = f"{source.architecture}.attention.key_length"
    scaling = fields.get(f"{source.architecture}.rope.scaling.type")
    if "rope_freqs.weight" in shapes or (scaling and scaling.contents() != "none"):
        raise SystemExit(f"error: {source.name}: scaled rotary frequencies; give the original folder instead")
    return {"model_type": source.architecture, "vocab_size": shapes["token_embd.weight"][0], "hidden_size": hidden,
            "intermediate_size": value("feed_forward_length"), "num_hidden_layers": value("block_count"),
            "num_attention_heads": heads, "num_key_value_heads": value("attention.head_count_kv"),
            "head_dim": fields[key_length].contents() if key_length in fields else hidden // heads,
            "max_position_embeddings": value("context_length"), "rope_theta": value("rope.freq_base"),
            "rms_norm_eps": value("attention.layer_norm_rms_epsilon"),
            "tie_word_embeddings": "output.weight" not in shapes}


def write(source, folder):
    config = config_of(source)
    heads = {"attn_q": config["num_attention_heads"], "attn_k": config["num_key_value_heads"]}
    weights = {}
    for name, _ in source.tensors:
        if hf_name(name) is None:
            continue
        values = source.values(name)
        part = name.split(".")[-2]
        if config["model_type"] == "llama" and part in heads:
            values = separate(values, heads[part])
        weights[hf_name(name)] = torch.from_numpy(values.copy()).to(torch.bfloat16)
    folder.mkdir(parents=True, exist_ok=True)
    config |= {"architectures": [CLASSES[config["model_type"]]], "torch_dtype": "bfloat16"}
    (folder / "config.json").write_text(json.dumps(config, indent=1) + "\n")
    save_file(weights, folder / "model.safetensors", metadata={"format": "pt"})
    print(f"{folder}: {(folder / 'model.safetensors').stat().st_size:,} bytes")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("source", help=f"a GGUF file or random:NAME ({', '.join(SHAPES)})")
    parser.add_argument("--out", type=Path, default=Path("models/hf"), help="folder (default: models/hf)")
    parser.add_argument("--seed", type=int, default=1, help="of random weights, as for make_gguf.py")
    args = parser.parse_args()
    if args.source.startswith("random:"):
        source = RandomSource(args.source.removeprefix("random:"), args.seed)
    else:
        source = GgufSource(args.source)
    write(source, args.out / source.name)


if __name__ == "__main__":
    main()
