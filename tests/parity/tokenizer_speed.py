#!/usr/bin/env python3
"""Measures encoding with Qwen3's tokenizer, on one thread and in one run: ours, the tokenizers library, tiktoken's
engine (fed Qwen3's ranks) and bpe-qwen.

The text is generated from a seed: 5 MB, of which 2 MB are prose (English words by Zipf's law, with made-up and
capitalised words, numbers, quotes), 1.5 MB code (functions with random names, numbers, comments, indentation) and
1.5 MB Chinese, Japanese and Korean sentences; in paragraphs of one kind each, shuffled. Each engine encodes it as one
text; the engines take turns, so that a busy machine hits all of them. Then the inputs that quadratic algorithms choke
on, 1 MB each. The ids of ours are compared with the tokenizers library's.

Needs the packages tokenizers, tiktoken, bpe-qwen (without them: ours alone).
Example: tokenizer_speed.py --model FOLDER_WITH_QWEN3_TOKENIZER_JSON --bench build/bin/01_tokenizer_bench
"""

import argparse
import json
import os
import random
import statistics
import subprocess
import tempfile
import time

os.environ["TOKENIZERS_PARALLELISM"] = "false"

COMMON = """the of and to in a is that for it as was with be by on not he his but at are this have from or had an they which
one you were her all she there would their we him been has when who will more no if out so said what up its about into than them
can only other new some could time these two may then do first any my now such like our over man me even most made after also did
many before must through back years where much your way well down should because each just those people how too little state good
very make world still own see men work long get here between both life being under never day same another know while last might us
great old year off come since against go came right used take three states himself few house use during without again place
American around however home small found thought went say part once general high upon school every don't it's I'm we'll they're
language model token training network gradient attention layer probability distribution compute memory bandwidth algorithm
understanding unbelievable international communication responsibility transformation characteristics""".split()
SYLLABLES = "ba be bi bo ca ce co da de di do el en er fa fi fo ga ge go ha he in is ka ke la le li lo ma me mi mo na ne no or pa pe pi po ra re ri ro sa se si so ta te ti to tion ing ment un ver vi wa wo za".split()
NAMES = "index count value buffer offset tensor result node key cache head size total weight input output state token path".split()
HAN = "的一是不了人我在有他这为之大来以个中上们到说国和地也子时道出而要于就下得可你年生自会那后能对着事其里所去行过家十用发天如然作方成者多日都三小军二无同么经法当起与好看学进种将还分此心前面又定见只主没公从知全工使情明性被已话长加动工业机关系语言模型计算数据网络"
KANA = "のにはをたがでてとしれさあいうえおかきくけこすせそちつなねひふへまみむめもやゆよらりるろわんアイウエオカキクケコサシスセソタチツテトナニヌネノハヒフヘホマミムメモヤユヨラリルレロワンー"
HANGUL = "이다는을에의가고하지를로한서들은도자기사리그나스인시일해대어아정수보전있것주제부과원성장상도구조동"


def zipf(rng, items):
    """An item; the n-th is about n times rarer than the first."""
    return items[min(int(len(items) ** rng.random()) - 1, len(items) - 1)] if len(items) > 1 else items[0]


def prose(rng, invented):
    sentences = []
    for _ in range(rng.randrange(2, 8)):
        words = []
        for _ in range(rng.randrange(5, 25)):
            draw = rng.random()
            if draw < 0.85:
                words.append(zipf(rng, COMMON))
            elif draw < 0.97:
                words.append(zipf(rng, invented))
            else:
                words.append(str(rng.randrange(3000)))
        if rng.random() < 0.2:
            words[rng.randrange(len(words))] = f'"{zipf(rng, invented).capitalize()}"'
        text = " ".join(words)
        sentences.append(text[0].upper() + text[1:] + rng.choice([".", ".", ".", "?", "!", ", and so on.", ";"]))
    return " ".join(sentences) + "\n\n"


def code(rng, invented):
    name = lambda: "_".join(rng.choice([zipf(rng, NAMES), zipf(rng, invented)]) for _ in range(rng.randrange(1, 3)))
    lines = [f"def {name()}({name()}, {name()}={rng.randrange(100)}):", f'    """{prose(rng, invented).strip()[:70]}"""']
    depth = 1
    for _ in range(rng.randrange(3, 15)):
        pad = "    " * depth
        draw = rng.random()
        if draw < 0.2 and depth < 4:
            lines.append(f"{pad}for {name()} in range({rng.randrange(1000)}):")
            depth += 1
        elif draw < 0.35:
            lines.append(f"{pad}if {name()}[{rng.randrange(10)}] >= {rng.random():.3f} and not {name()}:")
            lines.append(f"{pad}    return {name()}.{name()}({name()})  # {zipf(rng, COMMON)} {zipf(rng, COMMON)}")
        else:
            lines.append(f"{pad}{name()} = {name()} + {rng.randrange(256)} * {name()}['{name()}']")
            depth = max(1, depth - (rng.random() < 0.3))
    return "\n".join(lines) + "\n\n\n"


def cjk(rng):
    alphabet = rng.choice([HAN, HAN, HAN + KANA * 2, HANGUL])
    words = []
    for _ in range(rng.randrange(5, 30)):
        words.append("".join(zipf(rng, alphabet) for _ in range(rng.randrange(2, 9))))
        if alphabet is HANGUL:
            words.append(" ")
        elif rng.random() < 0.25:
            words.append(rng.choice("，。、！？"))
    return "".join(words) + rng.choice(["。\n", ".\n", "！\n\n"])


def make_text(seed, size):
    rng = random.Random(seed)
    invented = sorted({"".join(rng.choice(SYLLABLES) for _ in range(rng.randrange(2, 5))) for _ in range(30000)})
    rng.shuffle(invented)
    parts = []
    for make, share in ((lambda: prose(rng, invented), 0.4), (lambda: code(rng, invented), 0.3), (lambda: cjk(rng), 0.3)):
        written = 0
        while written < size * share:
            parts.append(make())
            written += len(parts[-1].encode())
    rng.shuffle(parts)
    return "".join(parts)


def ours(bench, model, path, repeats, ids_path=None):
    command = [bench, model, path, str(repeats)] + ([ids_path] if ids_path else [])
    return json.loads(subprocess.run(command, capture_output=True, check=True, text=True).stdout)


def tiktoken_engine(model):
    import tiktoken
    document = json.load(open(os.path.join(model, "tokenizer.json"), encoding="utf-8"))
    printable = [*range(33, 127), *range(161, 173), *range(174, 256)]
    alphabet = {chr(b): b for b in printable}
    alphabet.update({chr(256 + n): b for n, b in enumerate(b for b in range(256) if b not in printable)})
    ranks = {bytes(alphabet[c] for c in token): rank for token, rank in document["model"]["vocab"].items()}
    pattern = next(p["pattern"]["Regex"] for p in document["pre_tokenizer"]["pretokenizers"] if p["type"] == "Split")
    return tiktoken.Encoding("qwen3", pat_str=pattern, mergeable_ranks=ranks, special_tokens={}).encode_ordinary


def bpe_qwen(model):
    import bpe_qwen
    folder = tempfile.mkdtemp()  # reads vocab.json and merges.txt, which older Qwen models have beside tokenizer.json
    document = json.load(open(os.path.join(model, "tokenizer.json"), encoding="utf-8"))
    with open(os.path.join(folder, "vocab.json"), "w", encoding="utf-8") as file:
        json.dump(document["model"]["vocab"], file, ensure_ascii=False)
    with open(os.path.join(folder, "merges.txt"), "w", encoding="utf-8") as file:
        file.write("#version: 0.2\n" + "".join(" ".join(m) + "\n" for m in document["model"]["merges"]))
    return bpe_qwen.QwenTokenizer(folder).encode


def library(model):
    from tokenizers import Tokenizer
    tokenizer = Tokenizer.from_file(os.path.join(model, "tokenizer.json"))
    return lambda text: tokenizer.encode(text, add_special_tokens=False).ids


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--model", required=True, help="folder with Qwen3's tokenizer.json")
    parser.add_argument("--bench", default="build/bin/01_tokenizer_bench")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--megabytes", type=float, default=5)
    parser.add_argument("--json", help="write the figures to this file")
    arguments = parser.parse_args()

    text = make_text(2025, int(arguments.megabytes * 1e6))
    size = len(text.encode())
    folder = tempfile.mkdtemp()
    path, ids_path = os.path.join(folder, "text"), os.path.join(folder, "ids")
    with open(path, "w", encoding="utf-8", newline="") as file:
        file.write(text)

    engines = {}
    for name, make in (("tiktoken's engine", tiktoken_engine), ("bpe-qwen", bpe_qwen), ("tokenizers", library)):
        try:
            engines[name] = make(arguments.model)
        except Exception as error:  # noqa: BLE001
            print(f"{name}: left out ({error})")
    times = {name: [] for name in ("ours", "ours, empty cache", *engines)}
    found = {}
    for _ in range(arguments.rounds):
        result = ours(arguments.bench, arguments.model, path, 3, ids_path)
        times["ours"].append(statistics.median(result["seconds"]))
        times["ours, empty cache"].append(result["first_s"])
        for name, encode in engines.items():
            start = time.perf_counter()
            found[name] = encode(text)
            times[name].append(time.perf_counter() - start)
    our_ids = [int(line) for line in open(ids_path, encoding="ascii")]
    medians = {name: statistics.median(values) for name, values in times.items()}
    print(f"{size / 1e6:.2f} MB, {len(our_ids)} tokens; load {result['load_s']:.2f} s")
    for name, seconds in medians.items():
        same = f"  ids {'equal' if found[name] == our_ids else 'DIFFERENT'}" if name in found else ""
        print(f"  {name:20s} {size / seconds / 1e6:7.2f} MB/s (median of {arguments.rounds}, {min(times[name]):.3f} to "
              f"{max(times[name]):.3f} s){same}")
    fastest = min((medians[n] for n in ("tiktoken's engine", "bpe-qwen") if n in medians), default=None)
    if fastest:
        print(f"  ours / fastest peer: {fastest / medians['ours']:.2f} (empty cache {fastest / medians['ours, empty cache']:.2f})")
    if "tokenizers" in medians:
        print(f"  ours / tokenizers:   {medians['tokenizers'] / medians['ours']:.1f}")
    worst = {}
    for name, unit in (("one letter", "a"), ("blanks", " "), ("emoji", "\U0001f600"), ("line ends", "\n"),
                       ("accents", "\u0301"), ("Chinese", "\u4e00")):
        with open(path, "w", encoding="utf-8", newline="") as file:
            file.write(unit * (1_000_000 // len(unit.encode())))
        worst[name] = ours(arguments.bench, arguments.model, path, 0)["first_s"]
        print(f"  1 MB of {name}: {worst[name]:.3f} s")
    if arguments.json:
        with open(arguments.json, "w", encoding="utf-8") as file:
            json.dump({"bytes": size, "seconds": times, "pathological_s": worst}, file, indent=1)


if __name__ == "__main__":
    main()
