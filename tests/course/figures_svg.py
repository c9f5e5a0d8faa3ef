"""The few shapes that the book's figures are drawn with, readable on light and dark pages."""
from xml.sax.saxutils import escape

# class: (light, dark). Figures have their own background, so that a page's colours cannot hide anything.
COLOURS = {
    "page": ("#f7f8fa", "#161b22"), "ink": ("#1f2933", "#e6edf3"), "dim": ("#57606a", "#9aa4b0"),
    "line": ("#8c96a3", "#6b7684"), "plain": ("#e4e8ee", "#2b333d"), "blue": ("#bcd9fb", "#1d4a7a"),
    "orange": ("#ffd6a5", "#7a4510"), "green": ("#bfe8cb", "#1c5a33"), "grey": ("#d3d9e1", "#3a434e"),
}
FONT = "font-family: system-ui, -apple-system, 'Segoe UI', 'Noto Sans', 'DejaVu Sans', sans-serif"
MONO = "font-family: ui-monospace, 'Cascadia Mono', Menlo, 'DejaVu Sans Mono', monospace"


def style():
    def rules(theme):
        text = [f".{name} {{ fill: {COLOURS[name][theme]} }}" for name in COLOURS]
        text.append(f".stroke {{ stroke: {COLOURS['line'][theme]}; fill: none }}")
        text.append(f".edge {{ stroke: {COLOURS['line'][theme]} }}")
        return " ".join(text)
    return (f"<style>text {{ {FONT}; font-size: 14px }} .mono {{ {MONO} }} .small {{ font-size: 12px }} "
            f".big {{ font-size: 16px; font-weight: 600 }} {rules(0)} "
            f"@media (prefers-color-scheme: dark) {{ {rules(1)} }}</style>")


class Figure:
    """Collects shapes; text() is the file. title and description are read to who cannot see the figure."""

    def __init__(self, width, height, title, description):
        self.width, self.height = width, height
        self.parts = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" '
                      f'height="{height}" role="img" aria-labelledby="title description">',
                      f'<title id="title">{escape(title)}</title>',
                      f'<desc id="description">{escape(description)}</desc>', style(),
                      f'<rect class="page" x="0" y="0" width="{width}" height="{height}" rx="10"/>']

    def box(self, x, y, width, height, colour, edge=True, radius=4):
        kind = f"{colour} edge" if edge else colour
        self.parts.append(f'<rect class="{kind}" x="{x:g}" y="{y:g}" width="{width:g}" height="{height:g}" '
                          f'rx="{radius}"/>')

    def write(self, x, y, text, kind="ink", anchor="middle"):
        """kind: classes, such as "dim small mono". y: the base line."""
        place = "" if anchor == "start" else f' text-anchor="{anchor}"'
        self.parts.append(f'<text class="{kind}" x="{x:g}" y="{y:g}"{place}>{escape(text)}</text>')

    def cell(self, x, y, width, height, text, colour="plain", kind="ink mono"):
        self.box(x, y, width, height, colour)
        self.write(x + width / 2, y + height / 2 + 5, text, kind)

    def arrow(self, x1, y1, x2, y2):
        self.path(f"M{x1:g} {y1:g} L{x2:g} {y2:g}")

    def path(self, d, head=True):
        """A line along an SVG path, with an arrow's head at its end."""
        self.parts.append(f'<path class="stroke" stroke-width="1.5" d="{d}"/>')
        if head:
            *_, before, end = d.replace("L", "M").split("M")
            (x0, y0), (x, y) = ([float(number) for number in point.split()] for point in (before, end))
            length = max(((x - x0) ** 2 + (y - y0) ** 2) ** 0.5, 1e-9)
            dx, dy = 7 * (x - x0) / length, 7 * (y - y0) / length
            points = [(x, y), (x - dx - dy / 2, y - dy + dx / 2), (x - dx + dy / 2, y - dy - dx / 2)]
            self.parts.append('<polygon class="line" points="'
                              + " ".join(f"{px:.1f},{py:.1f}" for px, py in points) + '"/>')

    def loop_steps(self, x, y, prompt, new, earlier, colour):
        """The loop's steps, one row each with a cell for each position: the new ones green, earlier ones with this
        word in this colour. The head of the columns stands above y; returns the y below the last row."""
        size = 46
        for column in range(len(prompt) + new - 1):
            name = prompt[column] if column < len(prompt) else f"new {column - len(prompt) + 1}"
            self.write(x + 46 + column * size + size / 2 - 2, y - 12, name, "dim small")
        for step in range(new):
            top = y + step * (size + 8)
            self.write(x + 34, top + 27, f"step {step + 1}", "dim small", "end")
            for column in range(len(prompt) + step):
                fresh = step == 0 or column == len(prompt) + step - 1
                self.cell(x + 46 + column * size, top, size - 4, size - 4, "new" if fresh else earlier,
                          "green" if fresh else colour, "ink small")
        return y + new * (size + 8)

    def text(self):
        return "\n".join([*self.parts, "</svg>"]) + "\n"
