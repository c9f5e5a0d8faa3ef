"""The figure of chapter 03: what a step computes and what it finds in the cache."""
from figures_svg import Figure

PROMPT, NEW = ["Once", "upon", "a", "time"], 3


def steps(figure):
    """A step computes only what is new."""
    x = 30
    figure.write(x + 161, 36, f"the loop with a cache, {NEW} new tokens", "ink big")
    bottom = figure.loop_steps(x, 108, PROMPT, NEW, "kept", "blue") + 26
    for number, line in enumerate((
            f"{len(PROMPT) + NEW - 1} positions computed, each once.", "Step 1 is the prefill, the others are decode steps:",
            "one token in, whose position is the number", "of tokens that the cache holds before the step.")):
        figure.write(x, bottom + 22 * number, line, "ink" if number == 0 else "dim", "start")


def one_layer(figure):
    """Step 3 in one layer: the new token's key and value are appended, its query meets all keys."""
    x, y, size = 400, 108, 44
    count = len(PROMPT) + NEW - 1
    figure.write(x + 3.5 * size, 36, f"step {NEW} in one layer", "ink big")
    for column in range(count):
        figure.write(x + 46 + column * size + size / 2 - 2, y - 12, str(column), "dim small mono")
    figure.write(x + 34, y - 12, "position", "dim small", "end")
    for row, name in ((0, "K"), (1, "V")):
        top = y + row * (size + 6)
        figure.write(x + 34, top + 26, name, "ink", "end")
        for column in range(count):
            fresh = column == count - 1
            figure.cell(x + 46 + column * size, top, size - 4, size - 4, f"{name.lower()}{column}",
                        "green" if fresh else "blue", "ink small mono")
    middle = x + 46 + count * size / 2
    boxes = [(236, f"weights = softmax of q{count - 1} · k0 … k{count - 1}", "orange"),
             (290, f"weights · v0 … v{count - 1}", "orange"), (344, "one row for the rest of the layer", "green")]
    for top, text, colour in boxes:
        figure.cell(middle - 132, top, 264, 32, text, colour, "ink")
    figure.arrow(middle, y + 2 * size + 6, middle, 236)
    figure.arrow(middle, 268, middle, 290)
    figure.arrow(middle, 322, middle, 344)
    for number, line in enumerate(("Queries are not kept: nobody asks for them again.",
                                   f"k{count - 1} and v{count - 1} are appended first: a token sees itself.")):
        figure.write(middle, 402 + 22 * number, line, "dim small")


def cache_figure(_root):
    figure = Figure(760, 450, "What a step computes, and what it finds in the cache",
                    "Left: the first step computes the prompt's positions, each later step one new position; the others "
                    "are kept. Right: in each layer the new key and value are appended, then the new query is compared "
                    "with all keys and takes its share of all values.")
    steps(figure)
    one_layer(figure)
    return figure.text()


FIGURES = {"03_kept_keys.svg": cache_figure}
