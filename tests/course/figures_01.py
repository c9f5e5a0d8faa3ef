"""The figure of chapter 01: a text's way from bytes to tokens, with the storyteller's own vocabulary."""
import json

from figures_svg import Figure

TEXT = ["Lost", " words", "!"]  # as the pattern cuts "Lost words!"
WORD = " words"
CELL, HEIGHT, LEFT = 66, 30, 200


def bytes_to_alphabet():
    """The byte-level alphabet: printable Latin-1 characters stand for themselves, the others from U+0100 on."""
    printable = [*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)]
    others = [byte for byte in range(256) if byte not in printable]
    return {byte: chr(byte) for byte in printable} | {byte: chr(0x100 + i) for i, byte in enumerate(others)}


def merge_steps(word, ranks):
    """The tokens of a word before the first merge and after each, as lists: lowest rank first, then leftmost."""
    alphabet = bytes_to_alphabet()
    tokens = [alphabet[byte] for byte in word.encode()]
    steps = [(tokens, None, None)]
    while True:
        pairs = [(ranks[pair], i) for i, pair in enumerate(zip(tokens, tokens[1:])) if pair in ranks]
        if not pairs:
            return steps
        rank, at = min(pairs)
        tokens = [*tokens[:at], tokens[at] + tokens[at + 1], *tokens[at + 2:]]
        steps.append((tokens, at, rank))


def load_tokenizer(root):
    model = json.loads((root / "data/models/storyteller/tokenizer.json").read_text())["model"]
    pairs = [tuple(merge.split(" ")) if isinstance(merge, str) else tuple(merge) for merge in model["merges"]]
    return model["vocab"], {pair: rank for rank, pair in enumerate(pairs)}


def tokens_figure(root):
    vocab, ranks = load_tokenizer(root)
    steps = merge_steps(WORD, ranks)
    figure = Figure(780, 210 + 38 * len(steps), "From bytes to tokens",
                    "The text 'Lost words!' is cut into words; the word ' words' becomes six bytes, each byte a "
                    "character, and neighbours are joined, lowest rank first, until no pair has a merge.")
    label = lambda y, text: figure.write(24, y + 20, text, "dim", "start")

    label(20, "text, cut into words")
    x = LEFT
    for word in TEXT:
        width = 22 + 12 * len(word)
        figure.cell(x, 20, width, HEIGHT, word.replace(" ", "␣"), "blue" if word == WORD else "plain")
        if word == WORD:
            figure.path(f"M{x + width / 2:g} 50 L{x + width / 2:g} 66")
        x += width + 6
    label(70, "bytes of one word")
    label(108, "as characters")
    for i, byte in enumerate(WORD.encode()):
        figure.cell(LEFT + CELL * i, 70, CELL - 4, HEIGHT, f"{byte:02X}", "grey")
    y = 108
    for number, (tokens, at, rank) in enumerate(steps):
        if number == 1:
            label(y, "merges, by their rank")
        column = 0
        for i, token in enumerate(tokens):
            colour = "orange" if i == at else "plain"
            figure.cell(LEFT + CELL * column, y, CELL * len(token) - 4, HEIGHT, token, colour)
            column += len(token)
        if rank is not None:
            figure.write(LEFT + CELL * len(WORD) + 14, y + 20, f"rank {rank}", "dim mono", "start")
        y += 38
    tokens = steps[-1][0]
    label(y + 12, "ids")
    column = 0
    for token in tokens:
        middle = LEFT + CELL * (column + len(token) / 2) - 2
        figure.arrow(middle, y - 8, middle, y + 10)
        figure.cell(middle - 29, y + 12, 58, HEIGHT, str(vocab[token]), "green")
        column += len(token)
    figure.write(24, y + 76, f"{len(WORD.encode())} bytes became {len(tokens)} tokens. "
                             "Ġ is the alphabet's character for the blank.", "dim small", "start")
    return figure.text()


FIGURES = {"01_bytes_to_tokens.svg": tokens_figure}
