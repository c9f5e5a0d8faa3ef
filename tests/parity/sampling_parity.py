#!/usr/bin/env python3
"""Random scores through transformers' processors and through `07_sampling --jsonl`: the same values?

    python tests/parity/sampling_parity.py --program build/bin/07_sampling --cases 1000 --seed 1

A case is one processor, a chain of up to four in any order, or a whole generation config in transformers' own order.
Vocabularies begin at one token; rows have padding, banned tokens, equal scores and large gaps. Which of equal scores
transformers keeps is an accident of its sort; here its sorts are made stable, and ours promises the same. A case that
transformers itself decides otherwise in float64 is left out, since there rounding decides, and so is one where it gets
NaN from a row that is all banned. Needs torch and transformers; not part of `make test`.
"""
import argparse
import collections
import json
import math
import random
import subprocess
import sys

import torch
import transformers
from transformers.generation import logits_process as lp

VOCABULARIES = [1, 2, 3, 5, 6, 17, 31, 61, 200, 1000]
TOLERANCE = 1e-4


def random_scores(rng, rows, V):
    """[rows, V] with equal scores, gaps and banned tokens, but in each row one that is not banned."""
    scale, step = rng.choice([0.5, 3.0, 3.0, 3.0, 30.0, 200.0]), rng.choice([0, 0, 1, 2, 128])
    scores = [[rng.gauss(rng.choice([0, -8]), scale) for _ in range(V)] for _ in range(rows)]
    if step:
        scores = [[round(score * step) / step for score in row] for row in scores]
    banned = rng.choice([0, 0, 0, 0.2, 0.9])
    for row in scores:
        spared = rng.randrange(V)
        for v in range(V):
            if v != spared and rng.random() < banned:
                row[v] = -math.inf
    return torch.tensor(scores)


def some_ids(rng, V, most):
    return [rng.randrange(V) for _ in range(rng.randint(1, most))]


def words(rng, ids, V):
    """Sequences of one to four tokens; most continue a row, so that they act."""
    result = []
    for _ in range(rng.randint(1, 5)):
        before = rng.randint(0, min(3, ids.shape[1]))
        beginning = ids[rng.randrange(ids.shape[0]), ids.shape[1] - before:].tolist()
        if rng.random() < 0.3:
            beginning = some_ids(rng, V, 3)
        result.append(beginning + [rng.randrange(V)])
    return result


class Case:
    """Ids, scores, and how many of the ids are the prompt's."""

    def __init__(self, rng):
        self.V, self.rows, self.length = rng.choice(VOCABULARIES), rng.choice([1, 1, 2, 3]), rng.choice([1, 2, 5, 12, 40])
        reach = min(self.V, rng.choice([2, 4, self.V]))
        self.ids = torch.tensor([[rng.randrange(reach) for _ in range(self.length)] for _ in range(self.rows)])
        self.scores = random_scores(rng, self.rows, self.V)
        self.prompt = rng.randint(1, self.length)
        self.padding = [rng.randrange(self.prompt) if rng.random() < 0.5 else 0 for _ in range(self.rows)]


def filters(rng):
    """name -> (value, class, with min_tokens_to_keep)."""
    unit = lambda: rng.choice([0.05, 0.3, 0.5, 0.8, 0.95, rng.random() * 0.98 + 0.01])
    return {"top_k": (rng.choice([1, 2, 3, 10, 50]), lp.TopKLogitsWarper), "top_p": (unit(), lp.TopPLogitsWarper),
            "min_p": (unit(), lp.MinPLogitsWarper), "typical_p": (unit(), lp.TypicalLogitsWarper),
            "epsilon_cutoff": (rng.choice([3e-4, 0.02, 0.3, unit()]), lp.EpsilonLogitsWarper),
            "eta_cutoff": (rng.choice([3e-4, 0.02, 0.3, unit()]), lp.EtaLogitsWarper)}


def filter_entry(rng, case, name):
    value, kind = filters(rng)[name]
    entry, more = {"name": name, "value": value}, {}
    if rng.random() < 0.4:
        more["min_tokens_to_keep"] = entry["min_tokens_to_keep"] = rng.choice([1, 2, 3, 5])
    if name == "typical_p" or name == "top_p":  # these index past a small vocabulary otherwise
        more = {key: min(keep, case.V) for key, keep in more.items()}
    return entry, kind(value, **more)


def encoder_entry(rng, case, name):
    prompt = case.ids[:, :case.prompt]
    if name == "encoder_repetition_penalty":
        value = rng.choice([0.5, 1.3, 2.5])
        return {"value": value}, lp.EncoderRepetitionPenaltyLogitsProcessor(value, prompt)
    value = rng.randint(1, 4)
    return {"value": value}, lp.EncoderNoRepeatNGramLogitsProcessor(value, prompt)


def guidance_entry(rng, case):
    scale, other = rng.choice([0.5, 1.5, 4.0]), random_scores(rng, case.rows, case.V)
    other[other == -math.inf] = -9.0  # what the model says without the prompt is finite
    processor = lp.UnbatchedClassifierFreeGuidanceLogitsProcessor(scale, None)
    processor.get_unconditional_logits = lambda _: other[:, None, :]
    return {"value": scale, "unconditional_scores": other.tolist()}, processor


def length_entry(rng, case, name):
    eos, near = some_ids(rng, case.V, 3), max(0, case.length + rng.randint(-2, 2))
    if name == "min_length":
        return {"value": near + 1, "eos_token_id": eos}, lp.MinLengthLogitsProcessor(near + 1, eos)
    if name == "min_new_tokens":
        count = max(1, case.length - case.prompt + rng.randint(-2, 2))
        return {"value": count, "eos_token_id": eos}, lp.MinNewTokensLengthLogitsProcessor(case.prompt, count, eos)
    if name == "forced_eos_token_id":
        return {"value": eos, "max_length": near + 1}, lp.ForcedEOSTokenLogitsProcessor(near + 1, eos)
    value = [rng.randint(0, max(0, case.length - case.prompt)), rng.choice([0.7, 1.1, 2.0])]
    return {"value": value, "eos_token_id": eos}, lp.ExponentialDecayLengthPenalty(value, eos, case.prompt)


def watermark_entry(rng, case):
    value = {"greenlist_ratio": rng.choice([0.25, 0.5, 0.9]), "bias": rng.choice([2.0, 0.5]),
             "hashing_key": rng.choice([15485863, 3, 2**40 + 1]), "context_width": rng.choice([1, 2, 7])}
    if case.V >= 61 and rng.random() < 0.4:  # transformers looks at 40 tokens, whether there are as many or not
        value["seeding_scheme"] = "selfhash"
    return {"value": value}, lp.WatermarkLogitsProcessor(case.V, "cpu", **value)


def entry_of(rng, case, name):
    """(what our program reads, transformers' processor)."""
    if name in filters(rng):
        return filter_entry(rng, case, name)
    if name.startswith("encoder"):
        entry, processor = encoder_entry(rng, case, name)
    elif name == "guidance_scale":
        entry, processor = guidance_entry(rng, case)
    elif name == "watermarking_config":
        entry, processor = watermark_entry(rng, case)
    elif name in ("min_length", "min_new_tokens", "forced_eos_token_id", "exponential_decay_length_penalty"):
        entry, processor = length_entry(rng, case, name)
    elif name == "repetition_penalty":
        value, ignored = rng.choice([0.5, 1.1, 1.3, 3.0]), rng.choice([None, case.padding, case.prompt])
        entry = {"value": value} if ignored is None else {"value": value, "prompt_ignore_length": ignored}
        processor = lp.RepetitionPenaltyLogitsProcessor(
            value, torch.tensor(ignored) if isinstance(ignored, list) else ignored)
    else:
        value, kind = simple_entry(rng, case, name)
        entry, processor = {"value": value} if value is not True else {}, kind
    return {"name": name, **entry}, processor


def simple_entry(rng, case, name):
    ids, eos = some_ids(rng, case.V, 3), some_ids(rng, case.V, 2)
    if name in ("temperature", "top_h"):
        value = rng.choice([0.1, 0.4, 0.7, 0.9] + [1.7] * (name == "temperature"))
        return value, (lp.TemperatureLogitsWarper if name == "temperature" else lp.TopHLogitsWarper)(value)
    if name == "no_repeat_ngram_size":
        value = rng.randint(1, 4)
        return value, lp.NoRepeatNGramLogitsProcessor(value)
    if name == "bad_words_ids":
        value = words(rng, case.ids, case.V)
        return value, lp.NoBadWordsLogitsProcessor(value)
    if name == "sequence_bias":
        value = [[word, rng.choice([-2.5, 1.0, 7.25])] for word in words(rng, case.ids, case.V)]
        return value, lp.SequenceBiasLogitsProcessor(value)
    if name.endswith("suppress_tokens"):
        return ids, (lp.SuppressTokensLogitsProcessor(ids) if name == "suppress_tokens" else
                     lp.SuppressTokensAtBeginLogitsProcessor(ids, case.prompt))
    if name == "forced_bos_token_id":
        return eos[0], lp.ForcedBOSTokenLogitsProcessor(eos[0])
    return True, lp.InfNanRemoveLogitsProcessor() if name == "remove_invalid_values" else lp.LogitNormalization()


NAMES = ["temperature", "top_h", "top_k", "top_p", "min_p", "typical_p", "epsilon_cutoff", "eta_cutoff",
         "repetition_penalty", "encoder_repetition_penalty", "no_repeat_ngram_size", "encoder_no_repeat_ngram_size",
         "bad_words_ids", "sequence_bias", "min_length", "min_new_tokens", "suppress_tokens", "begin_suppress_tokens",
         "forced_bos_token_id", "forced_eos_token_id", "exponential_decay_length_penalty", "remove_invalid_values",
         "renormalize_logits", "guidance_scale", "watermarking_config"]


def named_case(rng, case, names):
    entries, processors = zip(*(entry_of(rng, case, name) for name in names))
    return {"processors": list(entries), "prompt_length": case.prompt}, lp.LogitsProcessorList(processors)


def config_case(rng, case):
    """A generation config with some fields, and the list that transformers makes of it."""
    fields = {"do_sample": rng.random() < 0.7, "eos_token_id": some_ids(rng, case.V, 3), "max_new_tokens": rng.choice(
        [1, 5, max(1, case.length - case.prompt + 1)])}
    skipped = {"guidance_scale", "forced_bos_token_id" if case.prompt == 1 else ""}
    for name in [name for name in rng.sample(NAMES, rng.randint(1, 6)) if name not in skipped]:
        entry, _ = entry_of(rng, case, name)
        fields[name] = entry.get("value", True)
    if "suppress_tokens" in fields:  # both validate: a forced token must not be suppressed
        fields.pop("forced_bos_token_id", None), fields.pop("forced_eos_token_id", None)
    if rng.random() < 0.2 and fields["do_sample"]:
        fields["num_beams"] = 3
    config = transformers.GenerationConfig(**json.loads(json.dumps(fields)))
    config._eos_token_tensor = torch.tensor(fields["eos_token_id"])
    config.max_length = case.prompt + fields["max_new_tokens"]
    if config.min_new_tokens is not None:
        config.min_length = case.prompt + config.min_new_tokens
    config.top_k = fields.get("top_k", 50)
    mask = torch.ones(case.rows, case.prompt, dtype=torch.long)
    for row, padding in enumerate(case.padding):
        mask[row, :padding] = 0
    model = transformers.LlamaForCausalLM(transformers.LlamaConfig(
        vocab_size=case.V, hidden_size=2, intermediate_size=2, num_hidden_layers=1, num_attention_heads=1,
        pad_token_id=None, bos_token_id=None, eos_token_id=None))
    processors = model._get_logits_processor(config, case.prompt, case.ids[:, :case.prompt], None, None, "cpu",
                                             {"attention_mask": mask})
    return {"generation_config": fields, "prompt_length": case.prompt, "attention_mask": mask.tolist()}, processors


def numbers(tensor):
    special = {-math.inf: "-inf", math.inf: "inf"}
    return [[special.get(x, x) for x in row] for row in tensor.tolist()]


def apply(processors, ids, scores):
    """The processed scores, or None where a NaN comes up on the way."""
    for processor in processors:
        scores = processor(ids, scores)
        if scores.isnan().any():
            return None
    return scores


def agree(got, expected, tolerance):
    """The same tokens banned, and the other scores within the tolerance, relative where they are above 1."""
    return got.shape == expected.shape and bool(
        ((got == expected) | ((got - expected).abs() <= tolerance * expected.abs().clamp(min=1))).all())


def make_case(rng):
    """(request, transformers' scores), or None where rounding decides or transformers has no answer."""
    case = Case(rng)
    kind = rng.random()
    names = rng.sample(NAMES, 1 if kind < 0.5 else rng.randint(2, 4))
    request, processors = config_case(rng, case) if kind > 0.75 else named_case(rng, case, names)
    request.update(input_ids=case.ids.tolist(), scores=numbers(case.scores))
    expected = apply(processors, case.ids, case.scores.clone())
    for processor in processors:
        if isinstance(processor, lp.UnbatchedClassifierFreeGuidanceLogitsProcessor):
            other = processor.get_unconditional_logits(None).double()
            processor.get_unconditional_logits = lambda _, other=other: other
    exact = apply(processors, case.ids, case.scores.double())
    if expected is None or exact is None:
        return None
    exact = exact.clamp(torch.finfo(torch.float32).min, math.inf).where(exact != -math.inf, -math.inf)
    return (request, expected) if agree(expected.double(), exact, TOLERANCE / 10) else None


def what_differs(answer, expected):
    """Nothing, an error message, or both results."""
    if "error" in answer:
        return answer["error"]
    ours = torch.tensor([[float(x) for x in row] for row in answer["scores"]], dtype=torch.float64)
    return "" if agree(ours, expected.double(), TOLERANCE) else (
        f"\n  theirs {numbers(expected)}\n  ours   {answer['scores']}")


def make_sorts_stable():
    """Of equal scores the first one stays the first."""
    plain = torch.sort
    stable = lambda x, dim=-1, descending=False: plain(x, dim=dim, descending=descending, stable=True)

    def topk(x, k, dim=-1, largest=True, sorted=True):
        values, indices = stable(x, dim=dim, descending=largest)
        return torch.return_types.topk((values[..., :k], indices[..., :k]))
    torch.sort, torch.Tensor.sort, torch.topk = stable, stable, topk


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", default="build/bin/07_sampling")
    for name, default in (("--cases", 1000), ("--seed", 1)):
        parser.add_argument(name, type=int, default=default)
    options = parser.parse_args()
    torch.set_num_threads(1)
    make_sorts_stable()
    transformers.logging.set_verbosity_error()
    torch.distributions.Distribution.set_default_validate_args(False)  # where all is banned: NaN, left out below
    made = [make_case(random.Random(options.seed * 1000003 + index)) for index in range(options.cases)]
    cases = [case for case in made if case]
    done = subprocess.run([options.program, "--jsonl"], input="".join(json.dumps(r) + "\n" for r, _ in cases),
                          capture_output=True, text=True)
    answers = [json.loads(line) for line in done.stdout.splitlines()]
    wrong, used = 0, collections.Counter()
    for (request, expected), answer in zip(cases, answers, strict=True):
        used.update(entry["name"] for entry in request.get("processors", []))
        used.update(list(request.get("generation_config", {})))
        if difference := what_differs(answer, expected):
            wrong += 1
            print(f"WRONG {json.dumps(request)}: {difference}")
    print(f"{len(cases) - wrong} passed, {wrong} failed, {len(made) - len(cases)} left out")
    print(", ".join(f"{name} {used[name]}" for name in NAMES))
    sys.exit(1 if wrong else 0)


main()
