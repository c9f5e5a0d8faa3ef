#!/usr/bin/env python3
"""Writes tests/common/text/data/jinja.jsonl and templates.jsonl: templates, and what transformers renders.

    python3 tests/parity/make_chat_goldens.py tests/common/text/data
"""
import json
import pathlib
import sys

import chat_conversations
import chat_expressions
import chat_templates
from chat_parity import ADDRESS, expected

CLOCK = "strftime_now"  # what depends on the day is no golden


def golden(case):
    kind, text = expected(case)
    return {**case, "expected": text if kind == "text" else None}


def write(path, header, goldens):
    kept = [g for g in goldens if not (g["expected"] and ADDRESS.search(g["expected"]))]
    with open(path, "w") as file:
        for line in [header, *kept]:
            file.write(json.dumps(line, separators=(",", ":")) + "\n")
    print(f"{path}: {len(kept)} cases")


def main():
    folder = pathlib.Path(sys.argv[1])
    cases = [c for c in chat_expressions.snippets() if CLOCK not in c["template"]]
    cases += chat_expressions.expressions(7, 1200) + chat_expressions.layouts(7, 400)
    lines = [{"template": c["template"], "expected": golden(c)["expected"]} for c in cases]
    write(folder / "jinja.jsonl", {"variables": chat_expressions.VARIABLES, "messages": chat_expressions.MESSAGES}, lines)

    template = chat_templates.EVERYTHING
    chosen = chat_conversations.cases(7)[::5]
    lines = [golden({**case, "template_name": "everything", "template": template}) for case in chosen]
    for line in lines:
        del line["template"]
    write(folder / "templates.jsonl", {"everything": template}, lines)


if __name__ == "__main__":
    main()
