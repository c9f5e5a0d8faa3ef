"""Makes the two tokenizers: one in Qwen's manner, and one as SentencePiece would make it for Llama 2.

The merges are learned by chapter 01's trainer (`01_tokenizer --train`); the parts around them are put together
with the tokenizers library.
"""
import json
import string
import subprocess
import tempfile
from pathlib import Path

from tokenizers import AddedToken, Regex, Tokenizer
from tokenizers import decoders, models, normalizers, pre_tokenizers, processors

PROGRAM = Path(__file__).resolve().parents[2] / "build" / "bin" / "01_tokenizer"

QWEN_VOCAB_SIZE = 1024
QWEN_SPECIALS = ["<|endoftext|>", "<|im_start|>", "<|im_end|>"]
QWEN_SPLIT = (r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*"
              r"|\s*[\r\n]+|\s+(?!\S)|\s+")
QWEN_CHAT = ("{%- for message in messages %}"
             "{{- '<|im_start|>' + message.role + '\\n' + message.content + '<|im_end|>\\n' }}"
             "{%- endfor %}"
             "{%- if add_generation_prompt %}{{- '<|im_start|>assistant\\n' }}{%- endif %}")

LLAMA_VOCAB_SIZE = 900
LLAMA_SPECIALS = ["<unk>", "<s>", "</s>"]
LLAMA_CHAT = ("{{ bos_token }}{% for message in messages %}"
              "{{ message.role + '\\n' + message.content }}"
              "{{ (eos_token if message.role == 'assistant' else '') + '\\n' }}"
              "{% endfor %}{% if add_generation_prompt %}{{ 'assistant\\n' }}{% endif %}")


def learn_merges(texts, vocab_size, pattern):
    """Chapter 01's trainer: 256 bytes and then merges. Returns the vocabulary (token to id) and the merges (pairs)."""
    if not PROGRAM.exists():
        raise SystemExit(f"error: {PROGRAM} is not there; `make build` makes it")
    with tempfile.TemporaryDirectory() as folder:
        corpus, out = Path(folder, "corpus.jsonl"), Path(folder, "tokenizer.json")
        corpus.write_text("".join(json.dumps({"text": text}) + "\n" for text in texts), encoding="utf-8")
        subprocess.run([PROGRAM, "--train", corpus, "--vocab-size", str(vocab_size), "--pattern", pattern,
                        "--out", out], check=True, capture_output=True)
        model = json.loads(out.read_text(encoding="utf-8"))["model"]
    return model["vocab"], [tuple(merge) for merge in model["merges"]]


def train_qwen_tokenizer(texts):
    """Byte-level BPE: 256 bytes, then merges, then the three special tokens as the last ids."""
    tokenizer = Tokenizer(models.BPE(*learn_merges(texts, QWEN_VOCAB_SIZE - len(QWEN_SPECIALS), QWEN_SPLIT)))
    tokenizer.normalizer = normalizers.NFC()
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence([
        pre_tokenizers.Split(Regex(QWEN_SPLIT), behavior="isolated"),
        pre_tokenizers.ByteLevel(add_prefix_space=False, trim_offsets=False, use_regex=False)])
    tokenizer.post_processor = processors.ByteLevel(add_prefix_space=False, trim_offsets=False, use_regex=False)
    tokenizer.decoder = decoders.ByteLevel()
    tokenizer.add_special_tokens([AddedToken(token, normalized=False, special=True) for token in QWEN_SPECIALS])
    assert tokenizer.get_vocab_size() == QWEN_VOCAB_SIZE
    return tokenizer


def learn_llama_merges(texts, size):
    """Learns characters and merges as SentencePiece does: a merge never crosses a space or a punctuation mark.

    The texts are ASCII, so that the trainer's bytes are characters. The pieces are the characters that occur, then
    the merges; a space is written as SentencePiece writes it.
    """
    texts = [" " + text for text in texts]
    characters = sorted(set().union(*texts))
    assert all(character.isascii() for character in characters)
    marks = "".join("\\" + mark for mark in string.punctuation)
    pattern = rf" [^ \n{marks}]*|[^ \n{marks}]+|[{marks}]|\n"
    _, merges = learn_merges(texts, 256 + size - len(characters), pattern)
    pieces = [character.replace(" ", "▁") for character in sorted(characters, key=lambda c: (c == " ", c))]
    merges = [tuple(part.replace("Ġ", "▁") for part in merge) for merge in merges]
    return pieces + ["".join(merge) for merge in merges], merges


def train_llama_tokenizer(texts):
    """BPE with byte fallback: <unk>, <s>, </s>, the 256 bytes, characters and merges; no pre-tokenizer."""
    head = LLAMA_SPECIALS + [f"<0x{byte:02X}>" for byte in range(256)]
    pieces, merges = learn_llama_merges(texts, LLAMA_VOCAB_SIZE - len(head))
    vocab = {piece: index for index, piece in enumerate(head + [piece for piece in pieces if piece != "\n"])}
    tokenizer = Tokenizer(models.BPE(vocab, merges, unk_token="<unk>", fuse_unk=True, byte_fallback=True))
    tokenizer.normalizer = normalizers.Sequence([normalizers.Prepend("▁"), normalizers.Replace(" ", "▁")])
    tokenizer.decoder = decoders.Sequence([
        decoders.Replace("▁", " "), decoders.ByteFallback(), decoders.Fuse(), decoders.Strip(" ", 1, 0)])
    tokenizer.post_processor = processors.TemplateProcessing(
        single="<s> $A", pair="<s> $A <s>:1 $B:1", special_tokens=[("<s>", 1)])
    tokenizer.add_special_tokens([AddedToken(token, normalized=False, special=True) for token in LLAMA_SPECIALS])
    return tokenizer


def save_tokenizer(tokenizer, folder, bos, eos, pad, unk, chat_template):
    """Writes tokenizer.json and tokenizer_config.json as Hugging Face lays them out."""
    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    tokenizer.save(str(folder / "tokenizer.json"))
    config = {"tokenizer_class": "PreTrainedTokenizerFast", "model_max_length": 1024, "bos_token": bos,
              "eos_token": eos, "pad_token": pad, "unk_token": unk, "add_bos_token": bos is not None,
              "add_eos_token": False, "clean_up_tokenization_spaces": False, "chat_template": chat_template}
    (folder / "tokenizer_config.json").write_text(json.dumps(config, indent=1) + "\n", encoding="utf-8")
