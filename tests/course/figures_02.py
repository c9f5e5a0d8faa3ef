"""The figure of chapter 02: what one forward pass does, and what the naive loop does again and again."""
from figures_svg import Figure

PROMPT, NEW = ["Once", "upon", "a", "time"], 3


def stack(figure):
    """The forward pass, from the bottom to the top as drawings of models go."""
    x, width = 30, 250
    middle = x + width / 2
    figure.write(middle, 36, "one forward pass, T tokens", "ink big")
    rows = [(62, "next token: best of last row", "green", "1"),
            (108, "head: a score for each token", "blue", "T × V"), (154, "final RMSNorm", "plain", "T × D"),
            (348, "embedding: one row for each id", "blue", "T × D"),
            (394, "token ids", "grey", "T")]
    for y, text, colour, shape in rows:
        figure.cell(x, y, width, 32, text, colour, "ink")
        figure.write(x + width + 12, y + 21, shape, "dim mono small", "start")
    figure.box(x, 200, width, 134, "page")
    figure.write(x + width + 12, 262, "L layers,", "dim small", "start")
    figure.write(x + width + 12, 278, "T × D each", "dim mono small", "start")
    blocks = [(212, "RMSNorm, MLP", "each token for itself"), (276, "RMSNorm, attention", "sees earlier tokens")]
    for y, name, text in blocks:
        figure.cell(x + 78, y, 160, 46, "", "orange")
        figure.write(x + 157, y + 20, name, "ink")
        figure.write(x + 157, y + 37, text, "dim small")
        figure.path(f"M{x + 40} {y + 40} L{x + 76} {y + 40}")
        figure.path(f"M{x + 78} {y + 8} L{x + 42} {y + 8}")
        figure.write(x + 52, y + 4, "+", "ink")
    figure.path(f"M{x + 40} 348 L{x + 40} 188")
    for y in (394, 154, 108):
        figure.arrow(middle, y, middle, y - 14)


def triangle(figure):
    """Every step computes all positions again."""
    x = 400
    figure.write(x + 161, 36, f"the naive loop, {NEW} new tokens", "ink big")
    bottom = figure.loop_steps(x, 108, PROMPT, NEW, "again", "grey") + 26
    total, different = sum(len(PROMPT) + step for step in range(NEW)), len(PROMPT) + NEW - 1
    for number, line in enumerate((
            f"{total} positions computed, {different} different ones:",
            f"{total - different} were computed before, with the same",
            "result: no token sees the ones after it.")):
        figure.write(x, bottom + 22 * number, line, "ink" if number == 0 else "dim", "start")
    figure.write(x, bottom + 84, "Only the last row of scores is used:", "dim", "start")
    figure.write(x, bottom + 106, "the others say what is already there.", "dim", "start")


def forward_figure(_root):
    figure = Figure(760, 450, "One forward pass, and the naive loop around it",
                    "Left: ids, embedding, L layers of attention and MLP that add to a residual stream, final norm, "
                    "head, argmax. Right: each step of the loop computes all earlier positions again.")
    stack(figure)
    triangle(figure)
    return figure.text()


FIGURES = {"02_forward_and_loop.svg": forward_figure}
