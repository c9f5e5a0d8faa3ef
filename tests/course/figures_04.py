"""The figure of chapter 04: where the keys of a row lie in each kind of cache."""
from figures_svg import Figure

SIZE, STEP = 36, 40


def slots(figure, x, y, texts, colours):
    for i, (text, colour) in enumerate(zip(texts, colours)):
        figure.cell(x + i * STEP, y, SIZE, SIZE, text, colour, "ink small mono")


def heading(figure, y, name, lines):
    figure.write(30, y + 14, name, "ink big", "start")
    for i, line in enumerate(lines):
        figure.write(30, y + 36 + 18 * i, line, "dim small", "start")


def bracket(figure, x, y, count, text):
    """A line under `count` slots with a text below."""
    figure.path(f"M{x} {y} L{x + count * STEP - 4} {y}", head=False)
    figure.write(x + count * STEP / 2 - 2, y + 17, text, "dim small")


def static(figure, y):
    heading(figure, y, "static", ["max_cache_len slots from the start,", "the token at p in slot p"])
    slots(figure, 300, y, [f"k{i}" if i < 6 else "" for i in range(10)], ["blue"] * 5 + ["green"] + ["page"] * 4)
    bracket(figure, 300, y + SIZE + 8, 6, "one block")
    figure.write(300 + 8 * STEP - 2, y + SIZE + 25, "written later, never read before", "dim small")


def ring(figure, y):
    window, chunk, length = 4, 2, 8
    count = window - 1 + chunk
    heading(figure, y, "sliding", [f"window {window}, chunks of {chunk}: {window - 1} + {chunk} slots,", "the token at p in slot p mod 5"])
    held = [max(p for p in range(length) if p % count == slot) for slot in range(count)]
    slots(figure, 300, y, [f"k{p}" for p in held], ["green" if p == length - 1 else "blue" for p in held])
    wrap = length % count
    bracket(figure, 300, y + SIZE + 8, wrap, "second block")
    bracket(figure, 300 + wrap * STEP, y + SIZE + 8, count - wrap, "first block")
    figure.write(300 + count * STEP + 12, y + 15, "k8 comes next and overwrites k3;", "dim small", "start")
    figure.write(300 + count * STEP + 12, y + 33, "it sees k5, k6, k7 and itself", "dim small", "start")


def codes(figure, y):
    heading(figure, y, "int8, int4", ["codes with a scale for 64 of them,", "the newest tokens as they are"])
    slots(figure, 300, y, [f"c{i}" for i in range(6)] + ["k6", "k7", "k8"], ["orange"] * 6 + ["blue"] * 2 + ["green"])
    bracket(figure, 300, y + SIZE + 8, 6, "first block: codes")
    bracket(figure, 300 + 6 * STEP, y + SIZE + 8, 3, "second: tail")
    figure.write(300 + 9 * STEP + 12, y + 15, "quantized", "dim small", "start")
    figure.write(300 + 9 * STEP + 12, y + 33, "once only", "dim small", "start")


def offloaded(figure, y):
    heading(figure, y, "offloaded", ["any of them, in files; two layers", "are in memory at once"])
    for layer in range(6):
        colour = {2: "green", 3: "blue"}.get(layer, "page")
        figure.cell(300 + layer * 70, y, 62, SIZE, f"layer {layer}", colour, "ink small")
    figure.write(300 + 2 * 70 + 31, y + SIZE + 17, "computed", "dim small")
    figure.write(300 + 3 * 70 + 31, y + SIZE + 17, "fetched", "dim small")
    figure.write(300 + 31 + 35, y + SIZE + 17, "on the disk", "dim small")
    figure.write(300 + 4 * 70 + 31 + 35, y + SIZE + 17, "on the disk", "dim small")


def kinds_figure(_root):
    figure = Figure(760, 440, "Where the keys of a text lie in each kind of cache",
                    "static: slots in order, the last ones empty. sliding: a ring of window minus one plus the chunk; the "
                    "newest key overwrites the oldest, so attention sees two blocks. int8 and int4: codes, then a tail "
                    "that is not quantized. offloaded: one layer is computed while the next is fetched from the disk.")
    for i, draw in enumerate((static, ring, codes, offloaded)):
        draw(figure, 30 + 102 * i)
    return figure.text()


FIGURES = {"04_kinds_of_cache.svg": kinds_figure}
