"""The figure of chapter 05: the roofline, and where the ladder's steps lie under it."""
import json
import math

from figures_svg import Figure

LEFT, RIGHT, TOP, BOTTOM = 90, 720, 50, 370
FEWEST, MOST = 0.25, 512    # FLOPs a byte
SLOWEST, FASTEST = 4, 512   # GFLOP/s


def x_of(flops_per_byte):
    return LEFT + (RIGHT - LEFT) * math.log(flops_per_byte / FEWEST) / math.log(MOST / FEWEST)


def y_of(gflops):
    return BOTTOM - (BOTTOM - TOP) * math.log(gflops / SLOWEST) / math.log(FASTEST / SLOWEST)


def axes(figure):
    for value in (0.25, 1, 4, 16, 64, 256):
        figure.path(f"M{x_of(value):.1f} {BOTTOM} L{x_of(value):.1f} {BOTTOM + 5}", head=False)
        figure.write(x_of(value), BOTTOM + 20, f"{value:g}", "dim small")
    for value in (4, 16, 64, 256):
        figure.path(f"M{LEFT - 5} {y_of(value):.1f} L{LEFT} {y_of(value):.1f}", head=False)
        figure.write(LEFT - 10, y_of(value) + 4, f"{value}", "dim small", "end")
    figure.path(f"M{LEFT} {TOP} L{LEFT} {BOTTOM}", head=False)
    figure.path(f"M{LEFT} {BOTTOM} L{RIGHT} {BOTTOM}", head=False)
    figure.write((LEFT + RIGHT) / 2, BOTTOM + 42, "floating point operations for each byte that is read", "ink small")
    figure.write(20, TOP - 18, "GFLOP/s", "ink small", "start")


def point(figure, x, y, colour, text, dx, dy, anchor):
    figure.box(x_of(x) - 6, y_of(y) - 6, 12, 12, colour, radius=6)
    figure.write(x_of(x) + dx, y_of(y) + dy, text, "ink small", anchor)


def roofline(root):
    results = json.loads((root / "docs/results/05_fused_cpu.json").read_text())
    ladder, steps = results["ladder"], results["steps"]
    peak, read = ladder["peak_flops_per_s"] / 1e9, ladder["read_bytes_per_s"] / 1e9
    prefill_flops = steps["5"]["prefill_flops_per_s"] * steps["5"]["prefill_s"]
    token_flops = results["token_flops"]
    figure = Figure(760, 440, "The roofline of this machine, and the ladder's steps under it",
                    "Speed over operations a byte. Up to the ridge the roof rises with the memory's bandwidth, then it "
                    "is flat at the processor's peak. Decoding lies far to the left, under the slope; reading a prompt "
                    "lies far to the right, under the flat part.")
    axes(figure)
    ridge = peak / read
    figure.path(f"M{x_of(FEWEST):.1f} {y_of(read * FEWEST):.1f} L{x_of(ridge):.1f} {y_of(peak):.1f}", head=False)
    figure.path(f"M{x_of(ridge):.1f} {y_of(peak):.1f} L{RIGHT} {y_of(peak):.1f}", head=False)
    figure.write(x_of(ridge), y_of(peak) - 12, f"as fast as it multiplies: {peak:.0f} GFLOP/s", "dim small", "start")
    figure.write(LEFT + 12, y_of(read * 2.6), f"as fast as it reads: {read:.0f} GB/s", "dim small", "start")
    figure.write(x_of(ridge), y_of(peak) + 22, f"the ridge: {ridge:.1f}", "dim small", "start")
    marks = [("1", "chapter 04", "grey", 12, 5, "start"), ("5", "bf16, exact", "blue", 12, 12, "start"),
             ("6 Q8_0", "Q8_0", "green", 12, 8, "start"), ("6 Q4_0", "Q4_0", "green", 12, 12, "start")]
    for key, text, colour, dx, dy, anchor in marks:
        step = steps[key]
        point(figure, token_flops / step["step_bytes"], token_flops * step["decode_tokens_per_s"] / 1e9, colour, text,
              dx, dy, anchor)
    for key, text, colour, dy in (("1", "chapter 04", "grey", 5), ("5", "bf16, exact", "blue", 5),
                                  ("6", "bf16, fast", "green", -8)):
        step = steps[key]
        point(figure, prefill_flops / step["step_bytes"], step["prefill_flops_per_s"] / 1e9, colour, text, 12, dy, "start")
    figure.write(x_of(1.6), BOTTOM - 14, "decoding: one token a step", "ink", "middle")
    figure.write(x_of(110), BOTTOM - 14, f"reading {ladder['prompt_tokens']} tokens at once", "ink", "middle")
    return figure.text()


FIGURES = {"05_roofline.svg": roofline}
