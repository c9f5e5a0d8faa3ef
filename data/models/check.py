"""Checks the three committed models as their authors see them:  python data/models/check.py

transformers must load each folder, the storyteller must tell a whole story, and the drafts must agree with it.
The stories are about heroes that the training never saw.
"""
import argparse
import random
from pathlib import Path

import torch
from transformers import AutoModelForCausalLM, AutoTokenizer

import story_grammar

FOLDERS = ("storyteller", "storyteller-draft", "storyteller-draft-llama")
FILES = ("config.json", "generation_config.json", "model.safetensors", "tokenizer.json", "tokenizer_config.json")
MAX_BYTES = 6_000_000
passed, failed = 0, 0


def check(ok, text):
    """Counts and prints one check."""
    global passed, failed
    passed, failed = passed + bool(ok), failed + (not ok)
    print(f"{'ok   ' if ok else 'WRONG'} {text}", flush=True)


def load(folder):
    """A folder's tokenizer and model, computing in float32 with the bfloat16 weights."""
    model = AutoModelForCausalLM.from_pretrained(folder, dtype=torch.float32)
    return AutoTokenizer.from_pretrained(folder), model.eval()


def generate(tokenizer, model, prompt, **options):
    """The ids of a prompt and of the tokens generated after it."""
    ids = torch.tensor([tokenizer.encode(prompt)])
    out = model.generate(ids, attention_mask=torch.ones_like(ids), max_new_tokens=260, **options)
    return ids[0].tolist(), out[0, ids.shape[1]:].tolist()


def held_out_prompts(tokenizer, count):
    """First sentences and chat requests in turn, each with the name or species that the story must be about."""
    rng = random.Random(2026)
    for index in range(count):
        _, slots, opening = story_grammar.story(rng, held_out=True)
        if index % 2 == 0:
            yield opening, slots
        else:
            messages = [{"role": "user", "content": f"Tell me a story about {slots['hero']} the {slots['kind']}."}]
            yield tokenizer.apply_chat_template(messages, tokenize=False, add_generation_prompt=True), slots


def agreement(model, ids, start):
    """Of the tokens from `start` on: how many the model's most likely token equals, and how many there are."""
    with torch.no_grad():
        guesses = model(torch.tensor([ids])).logits[0, start - 1:-1].argmax(-1).tolist()
    return sum(guess == token for guess, token in zip(guesses, ids[start:])), len(ids) - start


def check_files(root):
    """Every folder is complete, and the three are small."""
    total = 0
    for folder in FOLDERS:
        missing = [name for name in FILES if not (root / folder / name).is_file()]
        check(not missing, f"{folder} has all files" + (f"; missing: {missing}" if missing else ""))
        total += sum(path.stat().st_size for path in (root / folder).iterdir())
    check(total < MAX_BYTES, f"the folders take {total / 1e6:.2f} MB together (at most {MAX_BYTES / 1e6:.0f})")


def check_parameters(loaded):
    """The models have the sizes that the course promises."""
    sizes = {folder: sum(p.numel() for p in model.parameters()) for folder, (_, model) in loaded.items()}
    target, draft, llama = (sizes[folder] for folder in FOLDERS)
    check(0.8e6 < target < 1.2e6, f"storyteller has {target:,} parameters, about a million")
    check(draft * 5 <= target, f"storyteller-draft has {draft:,}, {target / draft:.1f} times fewer")
    check(llama < 300_000, f"storyteller-draft-llama has {llama:,}")


def check_tokenizers(loaded):
    """Ids and text are two forms of the same thing, also for text that the training never saw."""
    qwen, draft, llama = (loaded[folder][0] for folder in FOLDERS)
    texts = ["Once upon a time", "Mia's 42 kites, über-hot: 日本語 🦊\n\n end", "  two  spaces ", "a\tb"]
    for text in texts:
        check(qwen.decode(qwen.encode(text)) == text, f"storyteller: {text!r} survives encode and decode")
        ids = llama.encode(text, add_special_tokens=False)
        check(llama.decode(ids) == text, f"storyteller-draft-llama: {text!r} survives encode and decode")
        check(llama.encode(text) == [1] + ids, "storyteller-draft-llama: <s> comes first")
    check(qwen.get_vocab() == draft.get_vocab(), "storyteller-draft has the storyteller's vocabulary")
    check(llama.get_vocab() != qwen.get_vocab(), "storyteller-draft-llama has another one")


def check_stories(loaded):
    """Each model tells and ends a story greedily; the storyteller also does when its tokens are drawn.

    The drafts are not asked to: drawn tokens lead models of their size from one story into another.
    """
    for folder, (tokenizer, model) in loaded.items():
        drawn = [{"do_sample": True, "temperature": 0.8, "top_k": 0}] if folder == "storyteller" else []
        for options in [{"do_sample": False}] + drawn:
            torch.manual_seed(1)
            _, new = generate(tokenizer, model, "Once upon a time", **options)
            text = tokenizer.decode(new, skip_special_tokens=True)
            ends = model.generation_config.eos_token_id
            check(new[-1] in (ends if isinstance(ends, list) else [ends]) and len(new) > 60,
                  f"{folder}, {'sampled' if options['do_sample'] else 'greedy'}: a whole story of {len(new)} tokens")
            print(f"      Once upon a time{text}")


def check_agreement(loaded, count):
    """The storyteller keeps to the hero, and the drafts guess its greedy tokens."""
    tokenizer, target = loaded["storyteller"]
    draft = loaded["storyteller-draft"][1]
    llama_tokenizer, llama = loaded["storyteller-draft-llama"]
    ended = named = 0
    hits, llama_hits = [0, 0], [0, 0]
    for prompt, slots in held_out_prompts(tokenizer, count):
        ids, new = generate(tokenizer, target, prompt, do_sample=False)
        text = tokenizer.decode(new, skip_special_tokens=True)
        ended += new[-1] in target.generation_config.eos_token_id
        named += text.count(slots["hero"]) >= 3
        hits = [a + b for a, b in zip(hits, agreement(draft, ids + new, len(ids)))]
        before = llama_tokenizer.encode(tokenizer.decode(ids, skip_special_tokens=True))
        whole = llama_tokenizer.encode(tokenizer.decode(ids + new, skip_special_tokens=True))
        llama_hits = [a + b for a, b in zip(llama_hits, agreement(llama, whole, len(before)))]
    share, llama_share = hits[0] / hits[1], llama_hits[0] / llama_hits[1]
    check(ended == count, f"{ended} of {count} held-out stories end by themselves")
    check(named >= 0.9 * count, f"{named} of {count} stay with the hero of the prompt")
    check(share >= 0.7, f"storyteller-draft agrees on {100 * share:.1f} % of {hits[1]} greedy tokens (at least 70 %)")
    check(llama_share >= 0.5, f"storyteller-draft-llama agrees on {100 * llama_share:.1f} % of the {llama_hits[1]} "
                              "of its own tokens that spell the same text (at least 50 %)")


def main():
    """All checks; the exit status is 1 if one fails."""
    parser = argparse.ArgumentParser(description=main.__doc__)
    parser.add_argument("--models", type=Path, default=Path(__file__).parent, help="where the three folders are")
    parser.add_argument("--prompts", type=int, default=32, help="held-out prompts for the agreement (default: 32)")
    args = parser.parse_args()
    torch.set_num_threads(1)
    check_files(args.models)
    loaded = {folder: load(args.models / folder) for folder in FOLDERS}
    check_parameters(loaded)
    check_tokenizers(loaded)
    check_stories(loaded)
    check_agreement(loaded, args.prompts)
    print(f"{passed} passed, {failed} failed")
    raise SystemExit(failed > 0)


if __name__ == "__main__":
    main()
