#!/usr/bin/env python3
"""Compares 01_tokenizer with the tokenizers library on random tokenizers and random texts.

Each round puts a tokenizer.json together from random components (normalizers, pre-tokenizers, added tokens, BPE
options, post-processors, decoders), trains its merges, makes texts out of awkward Unicode, and compares ids and decoded
text of the library with those of `01_tokenizer --jsonl`. With --tokenizer PATH a given tokenizer.json is used instead.

Needs the tokenizers package.
Example: tokenizer_parity.py --program build/bin/01_tokenizer --rounds 200 --seed 1
"""

import argparse
import json
import multiprocessing
import os
import random
import resource
import subprocess
import sys
import tempfile

os.environ["TOKENIZERS_PARALLELISM"] = "false"
os.environ["RUST_BACKTRACE"] = "0"
from random_tokenizers import random_text, random_tokenizer  # noqa: E402
from tokenizers import Tokenizer  # noqa: E402

class Differences:
    def __init__(self):
        self.checks = 0
        self.count = 0
        self.refused = 0
        self.shown = {}

    def compare(self, what, got, expected, context):
        self.checks += 1
        if got == expected:
            return
        self.count += 1
        self.shown[what] = self.shown.get(what, 0) + 1
        if self.shown[what] <= 2:
            print(f"DIFFERENT {what}\n  input {context!a:.700}\n  got {got!a:.700}\n  exp {expected!a:.700}", flush=True)


def answers(program, model, requests):
    run = subprocess.run([program, "--model", model, "--jsonl"], input="".join(json.dumps(r) + "\n" for r in requests).encode(),
                         capture_output=True, check=False)
    lines = [json.loads(line) for line in run.stdout.decode().split("\n") if line]
    return lines, run.stderr.decode(errors="replace")


def library(function, *arguments, **options):
    """The library's answer, or None where it raises or panics."""
    try:
        return function(*arguments, **options)
    except BaseException as error:  # noqa: BLE001 (a Rust panic is a BaseException)
        if isinstance(error, KeyboardInterrupt):
            raise
        return None


def compare_tokenizer(program, path, tokenizer, texts, rng, differences, name):
    known = sorted(tokenizer.get_vocab().values())
    byte_fallback = '"ByteFallback"' in tokenizer.to_str()
    lists = [[rng.choice(known) for _ in range(rng.randrange(0, 12))] for _ in texts]
    requests, expected = [], []
    for text, random_ids in zip(texts, lists):
        for special in (False, True):
            encoding = library(tokenizer.encode, text, add_special_tokens=special)
            requests.append({"text": text, "add_special_tokens": special})
            expected.append(None if encoding is None else {"ids": encoding.ids})
        for token_ids in (encoding.ids if encoding else [], random_ids):
            for skip in (False, True):
                text_again = library(tokenizer.decode, token_ids, skip_special_tokens=skip)
                requests.append({"ids": token_ids, "skip_special_tokens": skip})
                expected.append(None if text_again is None else {"text": text_again})
    got, errors = answers(program, path, requests)
    if len(got) != len(requests):
        differences.compare(f"{name}: answers", f"{len(got)} lines, {errors[:300]}", len(requests), path)
        return False
    before = differences.count
    for request, answer, wanted in zip(requests, got, expected):
        if wanted is not None:
            differences.compare(name, answer, wanted, request)
    streams = [{"ids": r["ids"], "stream": True} for r in requests if "ids" in r and not r["skip_special_tokens"]]
    whole = [a for r, a in zip(requests, got) if "ids" in r and not r["skip_special_tokens"]]
    for request, answer, text in zip(streams, answers(program, path, streams)[0], whole):
        joined = "".join(answer.get("pieces", []))
        # See StreamingDecoder about runs of invalid bytes in vocabularies with byte fallback.
        random_bytes = byte_fallback and request["ids"] in lists
        if not random_bytes and "\ufffd" not in text.get("text", "\ufffd"):
            differences.compare(f"{name} stream", joined, text["text"], request)
    return differences.count == before


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", default="build/bin/01_tokenizer")
    parser.add_argument("--tokenizer", help="a tokenizer.json to compare instead of random ones")
    parser.add_argument("--rounds", type=int, default=100)
    parser.add_argument("--texts", type=int, default=60, help="texts a round")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--timeout", type=float, default=60, help="seconds a round")
    parser.add_argument("--keep", help="folder for the tokenizers that differed")
    arguments = parser.parse_args()
    total = Differences()
    for round_number in range(arguments.rounds):
        # In a process of its own: some combinations make the library loop until the memory is gone.
        receiver, sender = multiprocessing.Pipe(duplex=False)
        worker = multiprocessing.Process(target=run_round, args=(arguments, round_number, sender))
        worker.start()
        sender.close()
        if receiver.poll(arguments.timeout):
            try:
                checks, count, refused = receiver.recv()
                total.checks += checks
                total.count += count
                total.refused += refused
            except EOFError:
                total.refused += 1
        else:
            worker.kill()
            total.refused += 1
            print(f"round {round_number}: no answer in {arguments.timeout} s", flush=True)
        worker.join()
    print(f"{total.checks} checks, {total.count} differences, {total.refused} tokenizers refused by the library")
    sys.exit(1 if total.count else 0)


def run_round(arguments, round_number, sender):
    resource.setrlimit(resource.RLIMIT_AS, (4 << 30, 4 << 30))
    differences = Differences()
    rng = random.Random(f"{arguments.seed}/{round_number}")
    texts = [random_text(rng) for _ in range(arguments.texts)]
    name = f"round {round_number}"
    if arguments.tokenizer:
        tokenizer = Tokenizer.from_file(arguments.tokenizer)
        compare_tokenizer(arguments.program, arguments.tokenizer, tokenizer, texts, rng, differences, name)
    else:
        document = json.dumps(random_tokenizer(rng))
        tokenizer = library(Tokenizer.from_str, document)
        if tokenizer is not None and undefined(tokenizer):
            tokenizer = None
        if tokenizer is None:
            differences.refused += 1
        else:
            compare_document(arguments, round_number, document, tokenizer, texts, rng, differences)
    sender.send((differences.checks, differences.count, differences.refused))


def undefined(tokenizer):
    """Whether the library's answers are a matter of luck: an added token that is empty once it is normalised makes it cut
    at every byte, or panic; of two that are equal once they are normalised it finds one or the other, run by run."""
    contents = [tokenizer.normalizer.normalize_str(token.content) if tokenizer.normalizer else token.content
                for token in tokenizer.get_added_tokens_decoder().values() if token.normalized]
    return "" in contents or len(set(contents)) < len(contents)


def compare_document(arguments, round_number, document, tokenizer, texts, rng, differences):
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "tokenizer.json")
        with open(path, "w", encoding="utf-8") as file:
            file.write(document)
        same = compare_tokenizer(arguments.program, path, tokenizer, texts, rng, differences, f"round {round_number}")
    if not same and arguments.keep:
        os.makedirs(arguments.keep, exist_ok=True)
        with open(os.path.join(arguments.keep, f"{arguments.seed}-{round_number}.json"), "w", encoding="utf-8") as file:
            json.dump(json.loads(document), file, indent=1)


if __name__ == "__main__":
    main()
