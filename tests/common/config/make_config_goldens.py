"""Writes data/configs.jsonl: config.json variants and what transformers makes of them.

Authors only: pip install transformers==5.23.0, then python make_config_goldens.py. The tests read the file.
"""
import itertools
import json
import pathlib
import warnings

from transformers import LlamaConfig, Qwen2Config, Qwen3Config, logging

warnings.simplefilter("ignore")
logging.set_verbosity_error()
CLASSES = {"llama": LlamaConfig, "qwen2": Qwen2Config, "qwen3": Qwen3Config}
BASE = {
    "vocab_size": 1009, "hidden_size": 96, "intermediate_size": 176, "num_hidden_layers": 5,
    "num_attention_heads": 6, "num_key_value_heads": 3, "max_position_embeddings": 640,
}
ROPES = {
    "none": {},
    "theta": {"rope_theta": 500000.0, "rope_scaling": None},
    "linear": {"rope_theta": 20000.0, "rope_scaling": {"type": "linear", "factor": 2.5}},
    "v5": {"rope_parameters": {"rope_type": "default", "rope_theta": 77777.0}},
    "v5_no_theta": {"rope_parameters": {"rope_type": "linear", "factor": 3.0}, "rope_theta": 4321.0},
    "both_thetas": {"rope_theta": 5.0, "rope_parameters": {"rope_type": "default", "rope_theta": 66.0}},
    "both_objects": {"rope_scaling": {"rope_type": "linear", "factor": 7.0},
                     "rope_parameters": {"rope_type": "linear", "factor": 9.0, "rope_theta": 123.0}},
    "empty_scaling": {"rope_scaling": {}, "rope_parameters": {"rope_type": "linear", "factor": 9.0}},
    "llama3": {"rope_theta": 500000.0,
               "rope_scaling": {"rope_type": "llama3", "factor": 8.0, "low_freq_factor": 1.0,
                                "high_freq_factor": 4.0, "original_max_position_embeddings": 80}},
    "llama3_top_level": {"rope_theta": 500000.0, "original_max_position_embeddings": 40,
                         "rope_scaling": {"rope_type": "llama3", "factor": 8.0, "low_freq_factor": 1.5,
                                          "high_freq_factor": 4.5, "original_max_position_embeddings": 80}},
    "llama3_no_length": {"rope_parameters": {"rope_type": "llama3", "factor": 8.0, "low_freq_factor": 1.0,
                                             "high_freq_factor": 4.0, "rope_theta": 9000.0}},
    "yarn": {"rope_scaling": {"type": "yarn", "factor": 4.0, "original_max_position_embeddings": 160}},
    "yarn_all": {"rope_parameters": {"rope_type": "yarn", "rope_theta": 1e6, "factor": 3.5, "beta_fast": 16.0,
                                     "beta_slow": 2.0, "attention_factor": 1.25, "mscale": 0.7,
                                     "mscale_all_dim": 0.9, "truncate": False,
                                     "original_max_position_embeddings": 128}},
    "yarn_zeros": {"rope_parameters": {"rope_type": "yarn", "rope_theta": 1e6, "factor": 3.5, "beta_fast": 0,
                                       "beta_slow": 0, "mscale": 0, "mscale_all_dim": 0}},
}
WINDOWS = {
    "off": {"sliding_window": 33, "use_sliding_window": False, "max_window_layers": 2},
    "on": {"sliding_window": 33, "use_sliding_window": True, "max_window_layers": 2},
    "all": {"sliding_window": 33, "use_sliding_window": True, "max_window_layers": 0},
    "default_window": {"use_sliding_window": True, "max_window_layers": 4},
    "beyond": {"sliding_window": 33, "use_sliding_window": True, "max_window_layers": 99},
    "default_layers": {"sliding_window": 33, "use_sliding_window": True},
    "null": {"sliding_window": None, "use_sliding_window": True, "max_window_layers": 1},
    "types": {"sliding_window": 17, "use_sliding_window": True, "max_window_layers": 4,
              "layer_types": ["sliding_attention", "full_attention", "sliding_attention", "attention",
                              "full_attention"]},
}
SIZES = {
    "no_kv": {"num_key_value_heads": None},
    "head_dim": {"head_dim": 34},
    "no_length": {"max_position_embeddings": "drop"},
    "eps": {"rms_norm_eps": 1e-05, "tie_word_embeddings": True, "attention_bias": True, "mlp_bias": True},
    "ids": {"bos_token_id": 5, "eos_token_id": [7, 3], "pad_token_id": 9, "torch_dtype": "float16"},
    "null_ids": {"bos_token_id": None, "eos_token_id": None, "pad_token_id": None, "dtype": "bfloat16"},
}


def golden(model_type, name, changes):
    text = {"model_type": model_type, **BASE, **changes}
    text = {key: value for key, value in text.items() if value != "drop"}
    copy = json.loads(json.dumps(text))
    config = CLASSES[model_type](**{key: value for key, value in copy.items() if key != "model_type"})
    config.standardize_rope_params()  # as the rotary embedding does before it computes
    eos = config.eos_token_id
    expected = {key: getattr(config, key) for key in BASE}
    expected["head_dim"] = getattr(config, "head_dim", None) or config.hidden_size // config.num_attention_heads
    expected["rms_norm_eps"] = config.rms_norm_eps
    expected["tie_word_embeddings"] = config.tie_word_embeddings
    expected["bos_token_id"], expected["pad_token_id"] = config.bos_token_id, config.pad_token_id
    expected["eos_token_id"] = [] if eos is None else eos if isinstance(eos, list) else [eos]
    expected["sliding_window"] = None if model_type == "llama" else config.sliding_window
    expected["layer_types"] = ["full_attention"] * 5 if model_type == "llama" else config.layer_types
    expected["dtype"] = "" if config.dtype is None else str(config.dtype).replace("torch.", "")
    expected["rope"] = {key: value for key, value in config.rope_parameters.items() if key != "type"}
    return {"name": f"{model_type}.{name}", "config": text, "expected": expected}


lines = []
for model_type in CLASSES:
    # Rope is the same code for all families; only the Qwen ones have windows.
    own = ROPES if model_type == "llama" else WINDOWS
    variants = itertools.chain(own.items(), SIZES.items())
    lines += [golden(model_type, name, changes) for name, changes in variants]
path = pathlib.Path(__file__).parent / "data" / "configs.jsonl"
path.write_text("".join(json.dumps(line) + "\n" for line in lines))
print(len(lines), "configs")
