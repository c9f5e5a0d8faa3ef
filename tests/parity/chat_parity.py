#!/usr/bin/env python3
"""Compares our chat templates with transformers' on templates, conversations and random expressions.

    python3 tests/parity/chat_parity.py build/bin/tests/chat_render [--seed 1] [--expressions 20000] [--show 20]

Needs transformers and jinja2. Each case is rendered by transformers' own function (chat_template_utils) and by
the program; both must give the same text, or both must refuse.
"""
import argparse
import json
import re
import subprocess
import sys

import chat_conversations
import chat_expressions
import chat_templates
from transformers.utils.chat_template_utils import render_jinja_template

ADDRESS = re.compile(r"0x[0-9a-f]{8,}|[0-9a-f]{8,}x0|<class '", re.IGNORECASE)


def expected(case):
    """What transformers gives: ("text", ...) or ("error", ...)."""
    try:
        messages = case["messages"]
        if not messages:
            raise ValueError("empty conversation")
        messages = [{k: v for k, v in m.items() if v is not None} for m in messages]
        variables = {**case.get("tokens", {}), **case.get("variables", {})}
        if "enable_thinking" in case:
            variables["enable_thinking"] = case["enable_thinking"]
        rendered, _ = render_jinja_template(
            conversations=[messages],
            tools=case.get("tools"),
            documents=case.get("documents"),
            chat_template=case["template"],
            add_generation_prompt=case.get("add_generation_prompt", False),
            **variables,
        )
        rendered[0].encode()  # lone surrogates are no text
        return "text", rendered[0]
    except Exception as error:  # whatever goes wrong, the template is refused
        return "error", f"{type(error).__name__}: {error}"


def run(program, cases):
    lines = "".join(json.dumps(case) + "\n" for case in cases)
    output = subprocess.run([program], input=lines, capture_output=True, text=True, timeout=3600)
    if output.returncode != 0:
        sys.exit(f"{program} ended with {output.returncode}: {output.stderr[-2000:]}")
    answers = [json.loads(line) for line in output.stdout.splitlines()]
    if len(answers) != len(cases):
        sys.exit(f"{len(cases)} cases, {len(answers)} answers")
    return answers


def compare(name, program, cases, show):
    answers = run(program, cases)
    counts = {"equal": 0, "both refuse": 0, "address": 0, "different": 0}
    for case, answer in zip(cases, answers):
        kind, want = expected(case)
        if kind == "text" and ADDRESS.search(want):
            counts["address"] += 1  # of an object in Python: not to be compared
            continue
        if kind == "text" and answer.get("text") == want:
            counts["equal"] += 1
        elif kind == "error" and "error" in answer:
            counts["both refuse"] += 1
        else:
            counts["different"] += 1
            if counts["different"] <= show:
                shown = case["template"] if len(case["template"]) < 400 else case.get("name")
                print(f"--- {name}: {shown}\n  transformers: {want!r}\n  ours:         {answer}")
    print(f"{name}: {len(cases)} cases, " + ", ".join(f"{n} {what}" for what, n in counts.items()))
    return counts["different"]


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("program")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--expressions", type=int, default=20000)
    parser.add_argument("--show", type=int, default=20)
    parser.add_argument("--templates", help="a folder with more templates, *.jinja")
    args = parser.parse_args()
    different = 0
    for name, template in chat_templates.templates(args.templates).items():
        cases = [{**case, "template": template} for case in chat_conversations.cases(args.seed)]
        different += compare(name, args.program, cases, args.show)
    for name, cases in (
        ("snippets", chat_expressions.snippets()),
        ("expressions", chat_expressions.expressions(args.seed, args.expressions)),
        ("layouts", chat_expressions.layouts(args.seed, args.expressions // 4)),
    ):
        different += compare(name, args.program, cases, args.show)
    sys.exit(f"{different} differences" if different else 0)


if __name__ == "__main__":
    main()
