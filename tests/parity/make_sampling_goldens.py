"""Writes tests/07_sampling/data/goldens.jsonl: what transformers' processors give where the other fixtures have
nothing: the prompt's own processors, guidance, watermarks, and large vocabularies. Needs torch and transformers.

    python tests/parity/make_sampling_goldens.py > tests/07_sampling/data/goldens.jsonl
"""
import json

import torch
from transformers import PreTrainedConfig, WatermarkDetector, WatermarkingConfig
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


def main():
    generator = torch.Generator().manual_seed(7)
    prompt_cases(generator)
    guidance_cases(generator)
    watermark_cases(generator)
    detector_cases(generator)


main()
