"""Random tokenizer.json documents and random texts for tokenizer_parity.py.

The patterns, components and flags are those that 01_tokenizer supports; the texts mix scripts, combining marks, blanks of
all kinds, special tokens and unassigned code points.
"""

import json

from tokenizers import Tokenizer, models, pre_tokenizers, trainers

QWEN2 = (r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|"
         r"\s+(?!\S)|\s+")
LLAMA3 = QWEN2.replace(r"\p{N}|", r"\p{N}{1,3}|", 1)
GPT2 = r"'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+"
GPT4O = (r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+(?i:'s|'t|'re|'ve|'m|'ll|'d)?|"
         r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*(?i:'s|'t|'re|'ve|'m|'ll|'d)?|"
         r"\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+")
DEEPSEEK = [r"\p{N}{1,3}", "[一-龥぀-ゟ゠-ヿ]+",
            "[!\"#$%&'()*+,\\-./:;<=>?@\\[\\\\\\]^_`{|}~][A-Za-z]+|[^\r\n\\p{L}\\p{P}\\p{S}]?[\\p{L}\\p{M}]+|"
            " ?[\\p{P}\\p{S}]+[\r\n]*|\\s*[\r\n]+|\\s+(?!\\S)|\\s+"]
PATTERNS = [QWEN2, LLAMA3, GPT2, GPT4O, *DEEPSEEK, r"\w+", r"\W", r"\s+", r"\d{1,2}", r"\b", r"^", r"$", r"\h+", r"(?i:the|ß)",
            r"[\p{Han}]", r"\p{Lu}", r"[^\S\n]+", r"(?<=a)b?", r".", r"(?m:.)", r"a*", r"\p{N}{1,3}+", r"a{2}?", r"a{,2}",
            r"[[:punct:]]+", r"(?<!\p{L})\p{L}", r"[\r\n]+", r"\R", r"\p{Script=Han}|x", r"[^\P{L}a]", r"\x{20AC}|e",
            r"\u0041|b", r"\v", r"(?:ab?)+", r"[\D]+", r"\B", r"x|", r"(?s:.)", r"\p{^L}+", r"\P{Nd}",
            r"\p{Greek}+", r"[^\w\s]+", r"\S+", r" +", r"[\h\s]+", r"(?=a)", r"\p{Alphabetic}+", r"\p{Cn}", r"\p{C}+"]
# May match nothing at all. As a normalizer's pattern such matches trip over a bug of the library (text inserted in front of
# the first character is counted twice, or panics).
EMPTY = [r"\b", r"^", r"$", r"a*", r"(?<=a)b?", r"a{,2}", r"\B", r"x|", r"(?=a)", r"a{2}?"]
BEHAVIORS = ["Removed", "Isolated", "MergedWithPrevious", "MergedWithNext", "Contiguous"]
WORDS = """the of and to in is that it's we'll I'VE don'T he'd Hello world foo_bar x=1; 3.14 1234567 don’t naïve café İstanbul
ǅ ﬁ ﬂ ½ ² ① Ⅷ ﷺ K Å ſt ß ẞ ΑΣ Straße 你好世界 今天天气 日本語 こんにちは カタカナ ｶﾞｷﾞ 안녕하세요 각 각 नमस्ते हिन्दी สวัสดี เก้า
ไม่ مرحبا שלום Привет 👩‍👩‍👧‍👦 👍🏽 🇩🇪🇫 ❤️ e\u0301 a\u0323\u0307 q\u0307\u0323 \u1e9b\u0323 \u0344 \u212b \ufb4b \u0f73 𠀀 𪛖 𝔘𝔫𝔦 \U0001d15e
<s> </s> <unk> <|im_start|> <|endoftext|> [MASK] <0x41> ▁ ▁▁ _ Ġ Ċ ## </w> http://a.b/c?d=e \t \n \r\n \n\n \u00a0 \u2003 \u3000
\u200b \u200c \u200d \ufeff \u180e \u2028 \u0085 \x00 \x1f \x7f \ufffd \uffff \U0010ffff \ue000 aaaa AAAA abab ''' "" (( -- ... !?""".split(" ")
ADDED = ["<s>", "</s>", "<unk>", "<|im_start|>", "<|im_end|>", "<|im", "[MASK]", "foo", "in", " the", "the", "é", "e\u0301", "İ", "ﬁ",
         "a b", "\n\n", "▁x", "▁", "  ", "世", "Hello", "hello", "👍", "<0x41>", "ab", "abab", "'s", "x", "Ġthe", "½", "1/2", "##"]


def random_text(rng):
    kind = rng.random()
    if kind < 0.05:
        return "".join(chr(c) for c in (rng.randrange(0x110000) for _ in range(rng.randrange(1, 30)))
                       if not 0xD800 <= c <= 0xDFFF)
    if kind < 0.15:
        block = rng.choice([0x0, 0x80, 0x300, 0x370, 0x590, 0x900, 0xE00, 0x1100, 0x1E00, 0x2000, 0x3000, 0x4E00,
                            0xA700, 0xAC00, 0xFB00, 0xFE20, 0xFF00, 0x10D00, 0x11380, 0x1F100, 0x1F600, 0x2EBF0])
        return "".join(chr(block + rng.randrange(0x100)) for _ in range(rng.randrange(1, 30)))
    pieces = []
    for _ in range(rng.randrange(0, 14)):
        word = rng.choice(WORDS) if rng.random() < 0.85 else rng.choice(ADDED)
        if rng.random() < 0.1:
            word = word.upper() if rng.random() < 0.5 else word[: rng.randrange(len(word) + 1)]
        pieces.append(word)
        pieces.append(rng.choice(["", " ", " ", " ", "  ", "\n", "   ", "\t", "'", "-"]))
    return "".join(pieces)


def random_pattern(rng):
    if rng.random() < 0.3:
        return {"String": rng.choice([" ", "▁", "a", "ab", "the", "\n", "é", "世", "''", "--", ".", "", "  "])}
    return {"Regex": rng.choice(PATTERNS)}


def random_normalizer(rng, depth=0):
    kind = rng.choice(["NFC", "NFD", "NFKC", "NFKD", "Prepend", "Replace", "Replace", "Strip", "Lowercase", "Sequence"])
    if kind == "Prepend":
        return {"type": kind, "prepend": rng.choice(["▁", " ", "ab", "_"])}
    if kind == "Replace":
        pattern = rng.choice([{"String": " "}, random_pattern(rng)])
        if pattern.get("Regex") in EMPTY or pattern.get("String") == "":
            pattern = {"Regex": r"\s+"}
        return {"type": kind, "pattern": pattern, "content": rng.choice(["▁", "", " ", "xy", "é"])}
    if kind == "Strip":
        return {"type": kind, "strip_left": rng.random() < 0.6, "strip_right": rng.random() < 0.6}
    if kind == "Sequence":
        count = rng.randrange(0, 4) if depth < 2 else 0
        return {"type": kind, "normalizers": [random_normalizer(rng, depth + 1) for _ in range(count)]}
    return {"type": kind}


def random_metaspace(rng):
    metaspace = {"type": "Metaspace", "replacement": rng.choice(["▁", "▁", "_"])}
    if rng.random() < 0.25:
        metaspace["add_prefix_space"] = True
        if rng.random() < 0.5:
            metaspace["prepend_scheme"] = rng.choice(["always", "first"])
    else:
        metaspace["prepend_scheme"] = rng.choice(["always", "first", "never"])
    if rng.random() < 0.7:
        metaspace["split"] = rng.random() < 0.5
    return metaspace


def random_pre_tokenizer(rng, byte_level, depth=0):
    kinds = ["Split", "Split", "Split", "Metaspace", "Digits", "Punctuation", "Whitespace", "WhitespaceSplit", "Sequence"]
    if byte_level and depth == 0:
        kinds = ["ByteLevel", "Sequence", "Sequence", "Sequence"]
    kind = rng.choice(kinds)
    if kind == "Split":
        return {"type": kind, "pattern": random_pattern(rng), "behavior": rng.choice(BEHAVIORS), "invert": rng.random() < 0.3}
    if kind == "ByteLevel":
        return {"type": kind, "add_prefix_space": rng.random() < 0.3, "trim_offsets": rng.random() < 0.5,
                "use_regex": rng.random() < 0.6}
    if kind == "Metaspace":
        return random_metaspace(rng)
    if kind == "Digits":
        return {"type": kind, "individual_digits": rng.random() < 0.5}
    if kind == "Punctuation":
        return {"type": kind, "behavior": rng.choice(BEHAVIORS)}
    if kind == "Sequence":
        count = rng.randrange(0, 4) if depth < 2 else 0
        steps = [random_pre_tokenizer(rng, False, depth + 1) for _ in range(count)]
        if byte_level:
            last = {"type": "ByteLevel", "add_prefix_space": rng.random() < 0.2, "trim_offsets": True,
                    "use_regex": rng.random() < 0.3}
            steps.insert(len(steps) if rng.random() < 0.85 else rng.randrange(len(steps) + 1), last)
        return {"type": kind, "pretokenizers": steps}
    return {"type": kind}


def random_decoder(rng, depth=0):
    kind = rng.choice(["ByteLevel", "ByteFallback", "Fuse", "Replace", "Strip", "Metaspace", "Sequence", "Sequence"])
    if kind == "Replace":
        pattern = rng.choice([{"String": "▁"}, random_pattern(rng)])
        return {"type": kind, "pattern": pattern, "content": rng.choice([" ", "", "xy"])}
    if kind == "Strip":
        return {"type": kind, "content": rng.choice([" ", "a"]), "start": rng.randrange(3), "stop": rng.choice([0, 0, 1])}
    if kind == "Metaspace":
        return random_metaspace(rng)
    if kind == "Sequence":
        count = rng.randrange(1, 5) if depth < 2 else 1
        return {"type": kind, "decoders": [random_decoder(rng, depth + 1) for _ in range(count)]}
    return {"type": kind}


def random_added_tokens(rng):
    contents = rng.sample(ADDED, rng.randrange(0, 9))
    flag = lambda p: rng.random() < p
    return [{"content": c, "single_word": flag(0.2), "lstrip": flag(0.2), "rstrip": flag(0.2), "normalized": flag(0.5),
             "special": flag(0.4)} for c in contents]


def random_post_processor(rng, vocab):
    kind = rng.choice(["ByteLevel", "TemplateProcessing", "TemplateProcessing", "Sequence"])
    if kind == "ByteLevel":
        return {"type": kind, "add_prefix_space": True, "trim_offsets": False, "use_regex": True}
    if kind == "Sequence":
        return {"type": kind, "processors": [random_post_processor(rng, vocab) for _ in range(rng.randrange(0, 3))]}
    names = rng.sample(sorted(vocab), min(2, len(vocab)))
    special = {n: {"id": n, "ids": [vocab[n]] * rng.randrange(1, 3), "tokens": [n]} for n in names}
    for entry in special.values():
        entry["tokens"] = entry["tokens"] * len(entry["ids"])
    single = [{"SpecialToken": {"id": rng.choice(names), "type_id": 0}} for _ in range(rng.randrange(0, 3))]
    single.insert(rng.randrange(len(single) + 1), {"Sequence": {"id": "A", "type_id": 0}})
    pair = single + [{"Sequence": {"id": "B", "type_id": 1}}]
    return {"type": kind, "single": single, "pair": pair, "special_tokens": special}


def train(rng, byte_level, prefix, suffix):
    """A vocabulary and merges, learnt from random texts with simple words."""
    model = models.BPE(unk_token=None)
    tokenizer = Tokenizer(model)
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False) if byte_level else pre_tokenizers.Metaspace()
    affixes = {key: value for key, value in (("continuing_subword_prefix", prefix), ("end_of_word_suffix", suffix)) if value}
    trainer = trainers.BpeTrainer(vocab_size=rng.choice([100, 300, 600]), show_progress=False, min_frequency=1,
                                  initial_alphabet=pre_tokenizers.ByteLevel.alphabet() if byte_level else [], **affixes)
    tokenizer.train_from_iterator([random_text(rng) for _ in range(300)], trainer)
    return json.loads(tokenizer.to_str())["model"]


def random_tokenizer(rng):
    byte_level = rng.random() < 0.5
    prefix = "##" if rng.random() < 0.07 else ""
    suffix = "</w>" if rng.random() < 0.07 else ""
    model = train(rng, byte_level, prefix, suffix)
    vocab = model["vocab"]
    used = {part for merge in model["merges"] for part in (*merge, merge[0] + merge[1][len(prefix):])}
    if rng.random() < 0.3:  # forget some characters
        for token in [t for t in vocab if t not in used and rng.random() < 0.3]:
            del vocab[token]
    model["byte_fallback"] = not byte_level and rng.random() < 0.6 or rng.random() < 0.05
    next_id = max(vocab.values(), default=-1) + 1
    if model["byte_fallback"]:
        for byte in range(256):
            if rng.random() < 0.98 or byte_level:
                vocab[f"<0x{byte:02X}>"] = next_id
                next_id += 1
    if rng.random() < 0.6:
        vocab["<unk>"] = next_id
        next_id += 1
        model["unk_token"] = "<unk>"
    model["fuse_unk"] = rng.random() < 0.5
    model["ignore_merges"] = rng.random() < 0.3
    if rng.random() < 0.3:
        model["merges"] = [" ".join(merge) for merge in model["merges"] if " " not in merge[0] + merge[1]]
    added = random_added_tokens(rng)
    for token in added:
        if token["content"] in vocab:
            token["id"] = vocab[token["content"]]
        else:
            token["id"] = next_id
            next_id += 1
    return {
        "version": "1.0", "truncation": None, "padding": None, "added_tokens": sorted(added, key=lambda t: t["id"]),
        "normalizer": random_normalizer(rng) if rng.random() < 0.7 else None,
        "pre_tokenizer": random_pre_tokenizer(rng, byte_level) if byte_level or rng.random() < 0.75 else None,
        "post_processor": random_post_processor(rng, vocab) if rng.random() < 0.5 else None,
        "decoder": random_decoder(rng) if rng.random() < 0.9 else None,
        "model": model,
    }
