"""How compare.py shows its results."""
import sys


def show_progress(text):
    """One line that the next one replaces, on a terminal."""
    if sys.stderr.isatty():
        print(f"\r\033[K{text}", end="", file=sys.stderr, flush=True)


def number(value):
    """Three digits: 1.23, 12.3, 123, 1,234; - for none."""
    if value is None:
        return "-"
    return f"{value:,.{2 if value < 9.995 else 1 if value < 99.95 else 0}f}"


def ratio(ours, theirs):
    return f"{ours / theirs:.2f}x" if ours and theirs else "-"


def table(header, rows):
    """Columns are aligned; numbers to the right. header: names; those that end in '>' are of numbers."""
    names, right = [name.rstrip(">") for name in header], [name.endswith(">") for name in header]
    widths = [max(len(row[i]) for row in [names, *rows]) for i in range(len(names))]
    line = lambda row: "  ".join(cell.rjust(width) if number else cell.ljust(width)
                                 for cell, width, number in zip(row, widths, right)).rstrip()
    return "\n".join([line(names), line(["-" * width for width in widths]), *map(line, rows)])


def llama_table(name, rows):
    cells = [[row["dtype"], row["what"], number(row["exact"]), number(row["fast"]), number(row["peer"]),
              ratio(row["exact"], row["peer"]), ratio(row["fast"], row["peer"]),
              "-" if row["share"] is None or not row["what"].startswith("decode") else f"{100 * row['share']:.0f} %"]
             for row in rows]
    stages = sorted({row["stage"] for row in rows if row["stage"]})
    header = ["weights", "what", "ours>", "ours fast>", "llama.cpp>", "ratio>", "fast>", "of read>"]
    return (f"\nours ({', '.join(stages) or 'none'}) and {name}\n{table(header, cells)}\n"
            "ours fast: activations rounded (--compute fast), as llama.cpp does; caches F16 in both.")


def transformers_table(name, rows):
    cells = [[row["dtype"], f"compile {row['compile']}" if row["compile"] else "eager", row["cache"],
              number(row["prefill"]), ratio(row["our_prefill"], row["prefill"]), number(row["decode"]),
              ratio(row["our_decode"], row["decode"]), number(row["first_s"]),
              "-" if row["recompilations"] is None or not row["compile"] else str(row["recompilations"])]
             for row in rows]
    header = ["weights", "transformers", "cache", "prefill>", "ratio>", "decode>", "ratio>", "1st run s>",
              "recompiled>"]
    lines = [f"\nours and {name}", table(header, cells),
             "ratio: ours over theirs. recompiled: graphs compiled after the first step of the first run."]
    for dtype in dict.fromkeys(row["dtype"] for row in rows):
        of = [row for row in rows if row["dtype"] == dtype]
        best = max((row for row in of if row["decode"]), key=lambda row: row["decode"], default=None)
        if best:
            speed, faster = number(best["our_decode"]), ratio(best["our_decode"], best["decode"])
            lines.append(f"{dtype}: ours decodes {speed}, {faster} of their best")
    lines += [f"left out: {row['dtype']} {row['compile'] or 'eager'} {row['cache']}: {row['error']}"
              for row in rows if row["error"]]
    return "\n".join(lines)
