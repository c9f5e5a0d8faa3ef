"""The figure of chapter 07: six tokens on their way from scores to a choice."""
import math

from figures_svg import Figure

SCORES = [3.0, 2.4, 1.7, 1.7, 0.5, -1.0]
LEFT, COLUMN, BAR, TOP, ROW = 110, 162, 92, 92, 34
UNIFORM = 0.75


def softmax(scores):
    weights = [math.exp(score) for score in scores]
    return [weight / sum(weights) for weight in weights]


def top_k(scores, k):
    limit = sorted(scores, reverse=True)[k - 1]
    return [score if score >= limit else -math.inf for score in scores]


def top_p(scores, p):
    """The best ones, up to and with the one that brings the sum to p."""
    probabilities, kept, total = softmax(scores), [-math.inf] * len(scores), 0.0
    for i in sorted(range(len(scores)), key=lambda j: -probabilities[j]):
        if total >= p:
            break
        kept[i], total = scores[i], total + probabilities[i]
    return kept


def stages():
    """(heading, line below it, scores) from left to right."""
    warm = [score / 0.7 for score in SCORES]
    best = top_k(warm, 3)
    return [("model", "softmax of the scores", SCORES), ("temperature 0.7", "scores / 0.7", warm),
            ("top-k 3", "a tie: four stay", best), ("top-p 0.8", "0.58 + 0.24 reach it", top_p(best, 0.8))]


def column(figure, x, heading, note, scores):
    figure.write(x, 38, heading, "ink big", "start")
    figure.write(x, 58, note, "dim small", "start")
    for i, probability in enumerate(softmax(scores)):
        y = TOP + i * ROW
        if probability == 0:
            figure.write(x, y + 16, "0, exactly", "dim small", "start")
            continue
        figure.box(x, y, max(probability * BAR / 0.72, 2), 22, "blue", edge=False, radius=3)
        figure.write(x + probability * BAR / 0.72 + 6, y + 16, f"{probability:.3f}", "ink small mono", "start")


def draw_line(figure, y, scores):
    """The numbers from 0 to 1, cut into pieces as long as the probabilities, and where the uniform one falls."""
    left, width, begin = LEFT, 4 * COLUMN - 20, 0.0
    figure.write(30, y + 22, "draw", "ink big", "start")
    for i, probability in enumerate(softmax(scores)):
        if probability > 0:
            chosen = begin <= UNIFORM < begin + probability
            figure.cell(left + begin * width, y, probability * width, 34, f"token {i}", "green" if chosen else "blue",
                        "ink small")
        begin += probability
    x = left + UNIFORM * width
    figure.arrow(x, y + 68, x, y + 38)
    figure.write(x - 10, y + 64, f"one uniform number: {UNIFORM}", "dim small", "end")
    figure.write(left, y + 50, "0", "dim small mono")
    figure.write(left + width, y + 50, "1", "dim small mono")


def sampling_figure(_root):
    figure = Figure(770, 410, "Six tokens on their way from scores to a choice",
                    "Bars of probabilities. The temperature makes the best tokens more probable; top-k 3 leaves four "
                    "tokens, since two are equal; top-p 0.8 leaves the best two. The line from 0 to 1 is divided between "
                    "them, and a uniform number picks the one that it falls on.")
    figure.write(30, 38, "token", "ink big", "start")
    figure.write(30, 58, "score", "dim small", "start")
    for i, score in enumerate(SCORES):
        figure.write(30, TOP + i * ROW + 16, f"{i}", "ink mono", "start")
        figure.write(86, TOP + i * ROW + 16, f"{score:.1f}".replace("-", "−"), "dim small mono", "end")
    for i, (heading, note, scores) in enumerate(stages()):
        column(figure, LEFT + i * COLUMN, heading, note, scores)
    draw_line(figure, 318, stages()[-1][2])
    return figure.text()


FIGURES = {"07_choosing.svg": sampling_figure}
