"""Makes the course's three small models, tokenizers and all:  python train.py --out data/models

    storyteller              Qwen3, about 1 M parameters: learns the stories
    storyteller-draft        Qwen3, the same vocabulary, 6 times smaller: learns to copy the storyteller
    storyteller-draft-llama  Llama, another tokenizer: learns the stories

Everything is drawn from one seed and computed on one thread, so that a second run gives the same files.
"""
import argparse
import json
import math
import random
import time
from pathlib import Path

import torch
import torch.nn.functional as F
from safetensors.torch import save_file
from transformers import LlamaConfig, LlamaForCausalLM, PreTrainedTokenizerFast, Qwen3Config, Qwen3ForCausalLM

import story_grammar
import tokenizers_train as toks

SEED = 20
LONG_ROW = {"qwen": 384, "llama": 448}  # tokens in a long training row: room for two documents
PHASES = (0.25, 0.55, 0.2)  # shares of the steps on sketches, on one document a row, on two documents a row
IGNORE = -100  # the label of padding
END_OF_TEXT, IM_END = 1021, 1023

QWEN = dict(vocab_size=toks.QWEN_VOCAB_SIZE, head_dim=32, max_position_embeddings=1024, rms_norm_eps=1e-6,
            tie_word_embeddings=True, bos_token_id=None, eos_token_id=IM_END, pad_token_id=END_OF_TEXT,
            attention_bias=False, attention_dropout=0.0, hidden_act="silu", initializer_range=0.08, use_cache=True)
TARGET = dict(QWEN, hidden_size=128, num_hidden_layers=5, num_attention_heads=4, num_key_value_heads=2,
              intermediate_size=320)
DRAFT = dict(QWEN, hidden_size=64, num_hidden_layers=2, num_attention_heads=4, num_key_value_heads=2,
             intermediate_size=160)
LLAMA = dict(vocab_size=toks.LLAMA_VOCAB_SIZE, hidden_size=64, num_hidden_layers=3, num_attention_heads=4,
             num_key_value_heads=2, head_dim=16, intermediate_size=176, max_position_embeddings=1024,
             rms_norm_eps=1e-5, tie_word_embeddings=True, bos_token_id=1, eos_token_id=2, pad_token_id=2,
             attention_bias=False, mlp_bias=False, attention_dropout=0.0, hidden_act="silu",
             initializer_range=0.08, use_cache=True)


# name, tokenizer, shape, training steps, highest learning rate
JOBS = (("storyteller", "qwen", TARGET, 5000, 5e-3), ("storyteller-draft", "qwen", DRAFT, 2500, 5e-3),
        ("storyteller-draft-llama", "llama", LLAMA, 2500, 5e-3))


def documents(count, seed, held_out=False):
    """Yields stories (text) and chats (list of messages) in turn."""
    rng = random.Random(seed)
    for index in range(count):
        yield story_grammar.conversation(rng, held_out) if index % 2 else story_grammar.story(rng, held_out)[0]


def plain(document):
    """A document as plain text, for the tokenizers' training."""
    if isinstance(document, str):
        return document
    return "".join(f"{message['role']}\n{message['content']}\n" for message in document)


def encode(tokenizer, document, end):
    """A document's ids, with the token that ends it; `end` is None if the chat template writes it."""
    if isinstance(document, str):
        return tokenizer.encode(document) + [tokenizer.convert_tokens_to_ids(end)]
    text = tokenizer.apply_chat_template(document, tokenize=False)
    return tokenizer.encode(text + (end if end == "<|endoftext|>" else ""), add_special_tokens=False)


def as_tensors(rows, pad):
    """Rows of ids as one batch: ids filled up with `pad`, and labels that ignore the filler."""
    width = max(len(row) for row in rows)
    ids = torch.tensor([row + [pad] * (width - len(row)) for row in rows])
    labels = torch.tensor([row + [IGNORE] * (width - len(row)) for row in rows])
    return ids, labels


def short_batches(sequences, pad, rng, size=8):
    """Batches of `size` documents of about the same length, one a row, in random order."""
    batches = []
    for start in range(0, len(sequences), 16 * size):
        window = sorted(sequences[start:start + 16 * size], key=len)
        batches += [window[at:at + size] for at in range(0, len(window), size)]
    rng.shuffle(batches)
    return [as_tensors(rows, pad) for rows in batches]


def long_batches(sequences, pad, rng, block, size=4):
    """Batches of `size` rows; each row holds as many whole documents as fit into `block` tokens."""
    rows, open_rows = [], []
    for ids in sequences:
        row = next((row for row in open_rows if len(row) + len(ids) <= block), None)
        if row is None:
            row = []
            rows.append(row)
            open_rows = (open_rows + [row])[-64:]
        row += ids
    rng.shuffle(rows)
    return [as_tensors(rows[at:at + size], pad) for at in range(0, len(rows), size)]


def start_as_copier(model):
    """Sets each head's output matrix to its value matrix transposed.

    What a head looks at then becomes, from the first step on, a likelier next token: a head only has to learn
    where to look. Names and things return in a story, so this helps a small model a lot.
    (After Trockman and Kolter, "Mimetic Initialization of Self-Attention Layers", 2023.)
    """
    heads, size = model.config.num_attention_heads, model.config.head_dim
    group = heads // model.config.num_key_value_heads
    with torch.no_grad():
        for layer in model.model.layers:
            values = layer.self_attn.v_proj.weight
            for head in range(heads):
                start = head // group * size
                layer.self_attn.o_proj.weight[:, head * size:(head + 1) * size] = values[start:start + size].T


def make_optimizers(model, lr):
    """Muon for the matrices inside the layers (it needs fewer steps), AdamW for embeddings and norms."""
    inner = [p for name, p in model.named_parameters() if p.ndim == 2 and "layers" in name]
    outer = [p for name, p in model.named_parameters() if p.ndim != 2 or "layers" not in name]
    return [torch.optim.Muon(inner, lr=lr, weight_decay=0.01, momentum=0.95, adjust_lr_fn="match_rms_adamw"),
            torch.optim.AdamW(outer, lr=0.3 * lr, betas=(0.9, 0.95), weight_decay=0.0)]


def loss_of(model, ids, labels, teacher=None):
    """Mean cross-entropy of the next token; with a teacher, how far the scores are from the teacher's (KL)."""
    scores = model(input_ids=ids).logits[:, :-1].flatten(0, 1)
    labels = labels[:, 1:].flatten()
    if teacher is None:
        return F.cross_entropy(scores, labels, ignore_index=IGNORE)
    with torch.no_grad():
        wanted = teacher(input_ids=ids).logits[:, :-1].flatten(0, 1)
    distance = F.kl_div(F.log_softmax(scores, -1), F.log_softmax(wanted, -1), log_target=True, reduction="none")
    return distance.sum(-1)[labels != IGNORE].mean()


def train(name, model, batches, steps, lr, teacher=None):
    """Trains on the phases one after the other, with a warm-up and then a cosine that ends at zero."""
    ends = [round(steps * sum(PHASES[:phase + 1])) for phase in range(len(PHASES))]
    optimizers = make_optimizers(model, lr)
    started, mean = time.time(), None
    for step in range(steps):
        factor = min(1, (step + 1) / 100) * 0.5 * (1 + math.cos(math.pi * step / steps))
        for optimizer in optimizers:
            optimizer.param_groups[0]["lr"] = factor * optimizer.defaults["lr"]
            optimizer.zero_grad(set_to_none=True)
        source = batches[next((phase for phase, end in enumerate(ends) if step < end), -1)]
        loss = loss_of(model, *source[step % len(source)], teacher)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        for optimizer in optimizers:
            optimizer.step()
        mean = loss.item() if mean is None else 0.98 * mean + 0.02 * loss.item()
        if (step + 1) % 100 == 0 or step + 1 == steps:
            print(f"{name}: step {step + 1}/{steps} loss {mean:.4f} {time.time() - started:.0f} s", flush=True)


def round_to_bf16(model):
    """Rounds the weights to what a bfloat16 file can hold, and keeps computing in float32."""
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.copy_(parameter.to(torch.bfloat16).float())


def held_out_loss(model, batches):
    """Mean cross-entropy on stories about heroes that the training never saw."""
    with torch.no_grad():
        return sum(loss_of(model, *batch).item() for batch in batches) / len(batches)


def save_model(model, folder, fields, eos):
    """Writes config.json, generation_config.json and model.safetensors (bfloat16)."""
    model_type = model.config.model_type
    config = {"architectures": [type(model).__name__], "model_type": model_type, "torch_dtype": "bfloat16",
              "rope_theta": 10000.0, "rope_scaling": None, "transformers_version": "5.23.0"} | fields
    if model_type == "qwen3":
        config |= {"sliding_window": None, "use_sliding_window": False, "max_window_layers": 28}
    generation = {"bos_token_id": fields["bos_token_id"], "eos_token_id": eos,
                  "pad_token_id": fields["pad_token_id"], "transformers_version": "5.23.0"}
    for name, values in (("config.json", config), ("generation_config.json", generation)):
        values = {key: value for key, value in sorted(values.items())}
        (folder / name).write_text(json.dumps(values, indent=2) + "\n", encoding="utf-8")
    tensors = {name: tensor.to(torch.bfloat16).contiguous() for name, tensor in model.state_dict().items()
               if not (name == "lm_head.weight" and fields["tie_word_embeddings"])}
    save_file(tensors, folder / "model.safetensors", metadata={"format": "pt"})
    (folder / "model.safetensors").chmod(0o644)


def make_tokenizers(out, texts):
    """Trains and saves both tokenizers; returns them as transformers loads them."""
    qwen, llama = toks.train_qwen_tokenizer(texts), toks.train_llama_tokenizer(texts)
    for name in ("storyteller", "storyteller-draft"):
        toks.save_tokenizer(qwen, out / name, None, "<|im_end|>", "<|endoftext|>", None, toks.QWEN_CHAT)
    toks.save_tokenizer(llama, out / "storyteller-draft-llama", "<s>", "</s>", "</s>", "<unk>", toks.LLAMA_CHAT)
    return [PreTrainedTokenizerFast.from_pretrained(out / name) for name in ("storyteller", "storyteller-draft-llama")]


def make_data(tokenizer, key, corpus, held_out):
    """Three lists of batches to train on, one a phase, and the batches to test on, for one tokenizer."""
    end, pad = ("<|endoftext|>", END_OF_TEXT) if key == "qwen" else ("</s>", 2)
    rng = random.Random(SEED)
    sketches = [encode(tokenizer, story_grammar.sketch(rng), end) for _ in range(len(corpus) // 3)]
    sequences, test = ([encode(tokenizer, document, end) for document in part] for part in (corpus, held_out))
    print(f"{key}: {sum(map(len, sequences)):,} tokens in {len(sequences):,} documents", flush=True)
    cut = len(sequences) * 3 // 4
    phases = (short_batches(sketches, pad, rng, 16), short_batches(sequences[:cut], pad, rng),
              long_batches(sequences[cut:], pad, rng, LONG_ROW[key]))
    return phases, short_batches(test, pad, rng)


def main():
    """Tokenizers, data, then one model after the other."""
    parser = argparse.ArgumentParser(description=main.__doc__)
    parser.add_argument("--out", type=Path, default=Path(__file__).parent)
    parser.add_argument("--documents", type=int, default=32000, help="documents to train on (default: 32000)")
    parser.add_argument("--scale", type=float, default=1.0, help="share of the training steps (default: 1.0)")
    parser.add_argument("--only", help="train this model alone; a draft then learns from the storyteller in --out")
    args = parser.parse_args()
    torch.set_num_threads(1)
    started = time.time()
    corpus, held_out = list(documents(args.documents, SEED)), list(documents(64, SEED + 1, held_out=True))
    tokenizers = make_tokenizers(args.out, [plain(document) for document in corpus[:6000]])
    data = {key: make_data(tokenizer, key, corpus, held_out) for key, tokenizer in zip(LONG_ROW, tokenizers)}
    target = None
    for name, key, fields, steps, lr in JOBS:
        if args.only not in (None, name):
            continue
        torch.manual_seed(SEED)
        model = LlamaForCausalLM(LlamaConfig(**fields)) if key == "llama" else Qwen3ForCausalLM(Qwen3Config(**fields))
        start_as_copier(model)
        teacher = None
        if name == "storyteller-draft":
            teacher = target or Qwen3ForCausalLM.from_pretrained(args.out / "storyteller", dtype=torch.float32)
        train(name, model, data[key][0], max(1, int(steps * args.scale)), lr, teacher)
        round_to_bf16(model)
        save_model(model, args.out / name, fields, 2 if key == "llama" else [IM_END, END_OF_TEXT])
        target = target or model
        print(f"{name}: {sum(p.numel() for p in model.parameters()):,} parameters, held-out loss "
              f"{held_out_loss(model, data[key][1]):.4f}, {(time.time() - started) / 60:.1f} min so far", flush=True)


if __name__ == "__main__":
    main()
