"""Writes models as GGUF files of one number format, so that llama.cpp and this course read the same weights.

    python3 tests/parity/make_gguf.py models/SmolLM2-135M-Instruct.Q4_1.gguf --out models/gguf
    python3 tests/parity/make_gguf.py random:qwen3-0.6b --types BF16 Q8_0 --out models/gguf
    python3 tests/parity/make_gguf.py path/to/a/huggingface/folder --out models/gguf

The source is a GGUF file (dequantised; its metadata are kept), random:NAME (weights normal(0, 0.02), norms 1, no
tokenizer), or a folder with config.json and safetensors. Matrices get the format, vectors stay F32, as llama.cpp
has it. Files are called NAME-TYPE.gguf. Needs gguf and numpy; for a folder also torch and safetensors.
"""
import argparse
import json
import re
import zlib
from pathlib import Path

import numpy as np
from gguf import GGMLQuantizationType, GGUFReader, GGUFValueType, GGUFWriter, LlamaFileType
from gguf.constants import GGML_QUANT_SIZES
from gguf.quants import dequantize, quantize

TYPES = ["F32", "BF16", "F16", "Q8_0", "Q4_0"]

QWEN3 = {"model_type": "qwen3", "vocab_size": 151936, "num_attention_heads": 16, "num_key_value_heads": 8,
         "head_dim": 128, "num_hidden_layers": 28, "max_position_embeddings": 40960, "rms_norm_eps": 1e-6,
         "rope_theta": 1e6, "tie_word_embeddings": True}
# The shapes that `--model random:NAME` knows.
SHAPES = {
    "qwen3-0.6b": QWEN3 | {"hidden_size": 1024, "intermediate_size": 3072},
    "qwen3-1.7b": QWEN3 | {"hidden_size": 2048, "intermediate_size": 6144},
    "qwen3-4b": QWEN3 | {"hidden_size": 2560, "intermediate_size": 9728, "num_hidden_layers": 36,
                         "num_attention_heads": 32},
    "smollm2-135m": {"model_type": "llama", "vocab_size": 49152, "hidden_size": 576, "intermediate_size": 1536,
                     "num_hidden_layers": 30, "num_attention_heads": 9, "num_key_value_heads": 3,
                     "max_position_embeddings": 8192, "rms_norm_eps": 1e-5, "rope_theta": 1e5,
                     "tie_word_embeddings": True},
    "llama-3.2-1b": {"model_type": "llama", "vocab_size": 128256, "hidden_size": 2048, "intermediate_size": 8192,
                     "num_hidden_layers": 16, "num_attention_heads": 32, "num_key_value_heads": 8, "head_dim": 64,
                     "max_position_embeddings": 131072, "rms_norm_eps": 1e-5, "rope_theta": 5e5,
                     "tie_word_embeddings": True,
                     "rope_scaling": {"rope_type": "llama3", "factor": 32.0, "low_freq_factor": 1.0,
                                      "high_freq_factor": 4.0, "original_max_position_embeddings": 8192}},
}

LAYER_NAMES = {
    "input_layernorm": "attn_norm", "self_attn.q_proj": "attn_q", "self_attn.k_proj": "attn_k",
    "self_attn.v_proj": "attn_v", "self_attn.o_proj": "attn_output", "self_attn.q_norm": "attn_q_norm",
    "self_attn.k_norm": "attn_k_norm", "post_attention_layernorm": "ffn_norm", "mlp.gate_proj": "ffn_gate",
    "mlp.up_proj": "ffn_up", "mlp.down_proj": "ffn_down"}
OTHER_NAMES = {"model.embed_tokens": "token_embd", "model.norm": "output_norm", "lm_head": "output"}


def gguf_name(name):
    stem, suffix = name.rsplit(".", 1)
    layer = re.fullmatch(r"model\.layers\.(\d+)\.(.+)", stem)
    return f"blk.{layer[1]}.{LAYER_NAMES[layer[2]]}.{suffix}" if layer else f"{OTHER_NAMES[stem]}.{suffix}"


def interleave(rows, heads):
    """Hugging Face's order of a q or k projection's rows to that of a llama GGUF."""
    return rows.reshape(heads, 2, -1, *rows.shape[1:]).swapaxes(1, 2).reshape(rows.shape)


def rope_of(config):
    """rope_theta and the scaling, from either layout of config.json."""
    rope = config.get("rope_parameters") or config.get("rope_scaling") or {}
    return rope.get("rope_theta", config.get("rope_theta", 10000.0)), rope


def head_dim_of(config):
    return config.get("head_dim") or config["hidden_size"] // config["num_attention_heads"]


def llama3_factors(config):
    theta, rope = rope_of(config)
    size = head_dim_of(config)
    wavelength = 2 * np.pi * theta ** (np.arange(0, size, 2, dtype=np.float32) / size)
    low, high = rope["low_freq_factor"], rope["high_freq_factor"]
    smooth = (rope["original_max_position_embeddings"] / wavelength - low) / (high - low)
    smooth = np.clip(smooth, 0, 1)
    return (1 / ((1 - smooth) / rope["factor"] + smooth)).astype(np.float32)


def write_config(writer, config):
    """The metadata that a config.json becomes."""
    architecture = config["model_type"]
    theta, rope = rope_of(config)
    key = lambda name: f"{architecture}.{name}"
    writer.add_uint32(key("block_count"), config["num_hidden_layers"])
    writer.add_uint32(key("context_length"), config["max_position_embeddings"])
    writer.add_uint32(key("embedding_length"), config["hidden_size"])
    writer.add_uint32(key("feed_forward_length"), config["intermediate_size"])
    writer.add_uint32(key("attention.head_count"), config["num_attention_heads"])
    writer.add_uint32(key("attention.head_count_kv"), config["num_key_value_heads"])
    writer.add_uint32(key("attention.key_length"), head_dim_of(config))
    writer.add_uint32(key("attention.value_length"), head_dim_of(config))
    writer.add_uint32(key("rope.dimension_count"), head_dim_of(config))
    writer.add_float32(key("rope.freq_base"), theta)
    writer.add_float32(key("attention.layer_norm_rms_epsilon"), config["rms_norm_eps"])
    writer.add_uint32(key("vocab_size"), config["vocab_size"])
    if rope.get("rope_type", rope.get("type")) == "linear":
        writer.add_string(key("rope.scaling.type"), "linear")
        writer.add_float32(key("rope.scaling.factor"), rope["factor"])
    writer.add_string("tokenizer.ggml.model", "none")


class GgufSource:
    """A GGUF file, dequantised; all metadata but the file type are copied."""

    def __init__(self, path):
        self.reader = GGUFReader(path)
        self.name = re.sub(r"[.-]Q\d\w*$", "", Path(path).stem)
        self.architecture = self.reader.fields["general.architecture"].contents()
        self.tensors = [(t.name, tuple(int(n) for n in reversed(t.shape))) for t in self.reader.tensors]
        self.by_name = {t.name: t for t in self.reader.tensors}

    def write_metadata(self, writer):
        for field in self.reader.fields.values():
            if field.name.startswith("GGUF.") or field.name in ("general.architecture", "general.file_type"):
                continue
            kind = field.types[0]
            element = field.types[-1] if kind == GGUFValueType.ARRAY else None
            writer.add_key_value(field.name, field.contents(), kind, element)

    def values(self, name):
        tensor = self.by_name[name]
        return dequantize(tensor.data, tensor.tensor_type).reshape(dict(self.tensors)[name]).astype(np.float32)


class ConfigSource:
    """What random models and Hugging Face folders share: names and shapes from a config."""

    def __init__(self, name, config):
        self.name, self.config, self.architecture = name, config, config["model_type"]

    def write_metadata(self, writer):
        write_config(writer, self.config)

    def extra(self):
        """llama.cpp reads Llama 3's scaling of the frequencies from a tensor."""
        if rope_of(self.config)[1].get("rope_type") == "llama3":
            return [("rope_freqs.weight", (head_dim_of(self.config) // 2,))]
        return []


class RandomSource(ConfigSource):
    def __init__(self, shape, seed):
        super().__init__(f"random-{shape}", SHAPES[shape])
        self.seed = seed
        self.tensors = [(gguf_name(n), s) for n, s in self.hugging_face_tensors()] + self.extra()

    def hugging_face_tensors(self):
        c = self.config
        hidden, inner, size = c["hidden_size"], c["intermediate_size"], head_dim_of(c)
        queries, keys = c["num_attention_heads"] * size, c["num_key_value_heads"] * size
        yield "model.embed_tokens.weight", (c["vocab_size"], hidden)
        for i in range(c["num_hidden_layers"]):
            for name, shape in [("input_layernorm", (hidden,)), ("self_attn.q_proj", (queries, hidden)),
                                ("self_attn.k_proj", (keys, hidden)), ("self_attn.v_proj", (keys, hidden)),
                                ("self_attn.o_proj", (hidden, queries)), ("post_attention_layernorm", (hidden,)),
                                ("mlp.gate_proj", (inner, hidden)), ("mlp.up_proj", (inner, hidden)),
                                ("mlp.down_proj", (hidden, inner))]:
                yield f"model.layers.{i}.{name}.weight", shape
            if self.architecture == "qwen3":
                yield f"model.layers.{i}.self_attn.q_norm.weight", (size,)
                yield f"model.layers.{i}.self_attn.k_norm.weight", (size,)
        yield "model.norm.weight", (hidden,)

    def values(self, name):
        if name == "rope_freqs.weight":
            return llama3_factors(self.config)
        shape = dict(self.tensors)[name]
        if len(shape) == 1:
            return np.ones(shape, np.float32)
        random = np.random.default_rng([self.seed, zlib.crc32(name.encode())])
        return random.standard_normal(shape, dtype=np.float32) * np.float32(0.02)


class FolderSource(ConfigSource):
    def __init__(self, folder):
        from safetensors import safe_open

        super().__init__(folder.name, json.loads((folder / "config.json").read_text()))
        self.files = {}
        for path in sorted(folder.glob("*.safetensors")):
            file = safe_open(path, framework="pt")
            self.files |= {gguf_name(name): (file, name) for name in file.keys()}
        shapes = [(name, tuple(file.get_slice(hf).get_shape())) for name, (file, hf) in self.files.items()]
        self.tensors = shapes + self.extra()

    def values(self, name):
        if name == "rope_freqs.weight":
            return llama3_factors(self.config)
        file, hf_name = self.files[name]
        values = file.get_tensor(hf_name).float().numpy()
        if self.architecture == "llama" and ".attn_q." in name:
            return interleave(values, self.config["num_attention_heads"])
        if self.architecture == "llama" and ".attn_k." in name:
            return interleave(values, self.config["num_key_value_heads"])
        return values


def format_of(shape, kind):
    """Matrices get the format; vectors, and rows that do not divide into its blocks, stay F32."""
    fits = len(shape) == 2 and shape[-1] % GGML_QUANT_SIZES[kind][0] == 0
    return kind if fits else GGMLQuantizationType.F32


def write(source, kind, path):
    """A tensor at a time, so that a model need not fit into memory as float32."""
    writer = GGUFWriter(path, source.architecture)
    file_type = "ALL_F32" if kind.name == "F32" else f"MOSTLY_{kind.name}"
    writer.add_uint32("general.file_type", LlamaFileType[file_type])
    source.write_metadata(writer)
    for name, shape in source.tensors:
        target = format_of(shape, kind)
        values, size = GGML_QUANT_SIZES[target]
        count = int(np.prod(shape))
        writer.add_tensor_info(name, shape, np.float32, count // values * size, raw_dtype=target)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_ti_data_to_file()
    for name, shape in source.tensors:
        writer.write_tensor_data(np.ascontiguousarray(quantize(source.values(name), format_of(shape, kind))))
    writer.close()
    print(f"{path}: {path.stat().st_size:,} bytes")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("source", help=f"a GGUF file, a folder, or random:NAME ({', '.join(SHAPES)})")
    parser.add_argument("--out", type=Path, default=Path("models/gguf"), help="folder (default: models/gguf)")
    parser.add_argument("--types", nargs="+", choices=TYPES, default=TYPES)
    parser.add_argument("--seed", type=int, default=1, help="of random weights")
    args = parser.parse_args()
    if args.source.startswith("random:"):
        source = RandomSource(args.source.removeprefix("random:"), args.seed)
    elif Path(args.source).is_dir():
        source = FolderSource(Path(args.source))
    else:
        source = GgufSource(args.source)
    args.out.mkdir(parents=True, exist_ok=True)
    for name in args.types:
        write(source, GGMLQuantizationType[name], args.out / f"{source.name}-{name}.gguf")


if __name__ == "__main__":
    main()
