"""Writes tests/07_sampling/data/goldens.jsonl: what transformers' processors give where the other fixtures have
nothing: the prompt's own processors, guidance, watermarks, and large vocabularies. Needs torch and transformers.

    python tests/parity/make_sampling_goldens.py > tests/07_sampling/data/goldens.jsonl

With --guidance it writes greedy texts of the tiny models with negative prompts, as transformers' generate() gives them:

    python tests/parity/make_sampling_goldens.py --guidance > tests/07_sampling/data/guidance.jsonl
"""
import argparse
import json
import pathlib

import torch
from transformers import AutoModelForCausalLM, GenerationConfig, PreTrainedConfig, WatermarkDetector, WatermarkingConfig
from transformers.generation import logits_process as lp


def numbers(tensor):
    special = {float("-inf"): "-inf", float("inf"): "inf"}
    return [[special.get(x, x) for x in row] for row in tensor.tolist()]


def scores_of(rows, vocab_size, generator, scale=3.0):
    return torch.round(torch.randn(rows, vocab_size, generator=generator) * scale * 128) / 128


def case(name, entry, ids, scores, processor, prompt_length=None):
    expected = processor(ids, scores.clone())
    line = {"name": name, "processors": [entry], "input_ids": ids.tolist(), "scores": numbers(scores),
            "expected": numbers(expected)}
    if prompt_length is not None:
        line["prompt_length"] = prompt_length
    print(json.dumps(line))


def prompt_cases(generator):
    for index, value in enumerate([1.4, 0.6]):
        ids = torch.randint(0, 13, (2, 9), generator=generator)
        case(f"encoder_repetition_{index}", {"name": "encoder_repetition_penalty", "value": value}, ids,
             scores_of(2, 13, generator), lp.EncoderRepetitionPenaltyLogitsProcessor(value, ids[:, :5]), 5)
    for n in (1, 2, 3):
        ids = torch.randint(0, 4, (3, 14), generator=generator)
        case(f"encoder_ngram_{n}", {"name": "encoder_no_repeat_ngram_size", "value": n}, ids,
             scores_of(3, 7, generator), lp.EncoderNoRepeatNGramLogitsProcessor(n, ids[:, :9]), 9)


def guidance_cases(generator):
    for scale in (0.5, 1.5, 3.0):
        ids, scores, other = torch.randint(0, 11, (2, 5), generator=generator), *(
            scores_of(2, 11, generator) for _ in range(2))
        processor = lp.UnbatchedClassifierFreeGuidanceLogitsProcessor(scale, None)
        processor.get_unconditional_logits = lambda _, other=other: other[:, None, :]
        case(f"guidance_{scale}", {"name": "guidance_scale", "value": scale, "unconditional_scores": numbers(other)},
             ids, scores, processor)


def watermark_cases(generator):
    configs = [{}, {"greenlist_ratio": 0.5, "bias": 1.25, "hashing_key": 987654321987},
               {"seeding_scheme": "selfhash", "context_width": 3},
               {"seeding_scheme": "selfhash", "hashing_key": 9223372036854775, "greenlist_ratio": 0.4},
               {"context_width": 9}]
    for index, config in enumerate(configs):
        ids = torch.randint(0, 61, (2, 6), generator=generator)
        case(f"watermark_{index}", {"name": "watermarking_config", "value": config}, ids,
             scores_of(2, 61, generator), lp.WatermarkLogitsProcessor(61, "cpu", **config))


def detector_cases(generator):
    model = PreTrainedConfig(vocab_size=61, bos_token_id=1)
    for index, config in enumerate([{}, {"seeding_scheme": "selfhash", "context_width": 2}, {"greenlist_ratio": 0.5}]):
        watermark = WatermarkingConfig(**config)
        for repeated in (False, True):
            ids = torch.randint(0, 20, (1, 60), generator=generator)
            if index == 2:
                ids[0, 0] = 1
            found = WatermarkDetector(model, "cpu", watermark, ignore_repeated_ngrams=repeated)(ids, return_dict=True)
            print(json.dumps({"name": f"detector_{index}_{repeated}", "detect": config, "ids": ids[0].tolist(),
                              "ignore_repeated_ngrams": repeated, "num_tokens_scored": int(found.num_tokens_scored[0]),
                              "num_green_tokens": int(found.num_green_tokens[0]), "z_score": float(found.z_score[0]),
                              "p_value": float(found.p_value[0])}))


MODELS = pathlib.Path(__file__).resolve().parents[2] / "tests/data/models"
PROMPTS = [[7, 8, 9, 10], [30, 31, 32, 33]]
NEGATIVE = [{}, {"negative_prompt_ids": [[44, 45, 46, 47, 48, 49, 50], [60, 61, 62, 63, 64, 65, 66]]},
            {"negative_prompt_ids": [[91], [92]]},
            {"negative_prompt_ids": [[1, 1, 5, 6], [9, 8, 7, 6]],
             "negative_prompt_attention_mask": [[0, 0, 1, 1], [1, 1, 1, 1]]}]


def guided_texts():
    """Cases whose two best scores are nowhere closer than 1e-3: rounding cannot decide them."""
    for name in ("tiny-qwen3", "tiny-llama"):
        model = AutoModelForCausalLM.from_pretrained(MODELS / name, dtype=torch.float32).eval()
        model.generation_config = GenerationConfig()
        for index, negative in enumerate(NEGATIVE):
            for scale in (0.5, 1.8):
                fields = {"guidance_scale": scale, "max_new_tokens": 16}
                tensors = {key: torch.tensor(value) for key, value in negative.items()}
                out = model.generate(torch.tensor(PROMPTS), attention_mask=torch.ones(2, 4, dtype=torch.long),
                                     generation_config=GenerationConfig(do_sample=False, **fields),
                                     output_scores=True, return_dict_in_generate=True, **tensors)
                best = torch.stack(out.scores).topk(2, -1).values
                if float((best[..., 0] - best[..., 1]).min()) < 1e-3:
                    continue
                name_of = f"guidance_{name}_{index}_{scale}"
                print(json.dumps({"name": name_of, "model": name, "input_ids": PROMPTS, **negative, "generation_config": fields,
                                  "expected": {"sequences": out.sequences.tolist()}}))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--guidance", action="store_true", help="texts with negative prompts")
    if parser.parse_args().guidance:
        guided_texts()
        return
    generator = torch.Generator().manual_seed(7)
    prompt_cases(generator)
    guidance_cases(generator)
    watermark_cases(generator)
    detector_cases(generator)


main()
