"""compare.py without peers: who takes turns, what is shown, what is said of those that are not there."""
import argparse
import contextlib
import io
import sys
import unittest
from pathlib import Path
from unittest import mock

sys.path[:0] = [str(Path(__file__).parent), str(Path(__file__).parents[1] / "course")]

import compare
import compare_tables
import script_tests

SETTINGS = {"dtypes": ["bf16", "q8_0"], "rounds": 2, "threads": 1, "prompt_tokens": 64, "new_tokens": 4, "depth": 100,
            "batch": 8, "models": Path("models"), "no_compile": False, "engine": None, "bench": "bench"}


class Fakes:
    """Records who was asked, in which order."""

    def __init__(self):
        self.asked = []

    def peer(self, script, *arguments):
        def ask(case):
            self.asked.append(("peer", case.get("compile"), case["what"]))
            return {"prefill": [200.0], "decode": [10.0], "recompilations": 1, "first_s": 2.0}
        return mock.Mock(ask=ask, arguments=arguments)

    def ours(self):
        def ask(model, case, cache_dtype, compute):
            self.asked.append((compute, str(model), case["what"]))
            return {"prefill": [300.0], "decode": [5.0], "stage": "fused bf16", "share": [0.5]}
        return mock.Mock(ask=ask, refused={}, read=[])

    def run(self, function):
        with mock.patch.object(compare, "Peer", self.peer), \
             mock.patch.object(compare, "made", lambda script, source, out, *more: Path(script, *more)):
            return function(argparse.Namespace(**SETTINGS), self.ours(), "random:qwen3-0.6b")[1]


class Turns(unittest.TestCase):
    def test_llama_takes_turns_with_ours(self):
        fakes = Fakes()
        rows = fakes.run(compare.compare_llama)
        self.assertEqual([who for who, *_ in fakes.asked], ["exact", "fast", "peer"] * 2 * len(rows))
        self.assertEqual([row["what"] for row in rows[:4]],
                         ["prefill 64", "decode", "decode after 100", "decode, batch of 8"])
        self.assertEqual({row["dtype"] for row in rows}, {"bf16", "q8_0"})
        self.assertEqual((rows[0]["exact"], rows[0]["peer"]), (300, 200))
        self.assertEqual((rows[1]["exact"], rows[1]["peer"]), (5, 10))

    def test_transformers_run_every_way(self):
        fakes = Fakes()
        rows = fakes.run(compare.compare_transformers)
        ways = [(row["compile"], row["cache"]) for row in rows]
        self.assertEqual(len(ways), 8)
        self.assertEqual(len(set(ways)), 8)
        self.assertEqual({row["dtype"] for row in rows}, {"bf16"})  # torch has no q8_0 of this kind
        self.assertEqual((rows[0]["our_decode"], rows[0]["decode"], rows[0]["recompilations"]), (5, 10, 1))


class Tables(unittest.TestCase):
    def test_llama_table_keeps_lost_rows(self):
        text = compare_tables.llama_table("llama.cpp", Fakes().run(compare.compare_llama))
        self.assertIn("0.50x", text)
        self.assertIn("1.50x", text)
        self.assertIn("50 %", text)
        self.assertLessEqual(max(map(len, text.splitlines())), 100)

    def test_what_was_not_measured_is_a_dash(self):
        row = {"dtype": "bf16", "what": "decode", "peer": 3.0}
        row |= dict.fromkeys(("exact", "fast", "share", "stage"))
        line = compare_tables.llama_table("llama.cpp", [row]).splitlines()[-2]
        self.assertEqual(line.split(), ["bf16", "decode", "-", "-", "3.00", "-", "-", "-"])

    def test_transformers_table_names_the_best(self):
        rows = Fakes().run(compare.compare_transformers)
        rows[3]["decode"], rows[4]["decode"], rows[4]["error"] = 20.0, None, "no compiler"
        text = compare_tables.transformers_table("transformers", rows)
        self.assertIn("0.25x of their best", text)
        self.assertIn("no compiler", text)
        self.assertLessEqual(max(map(len, text.splitlines())), 100)

    def test_numbers(self):
        self.assertEqual([compare_tables.number(value) for value in (None, 0.5, 9.996, 12.34, 99.96, 1234.5)],
                         ["-", "0.50", "10.0", "12.3", "100", "1,234"])
        self.assertEqual(compare_tables.ratio(3, 0), "-")


class Missing(unittest.TestCase):
    def test_says_how_to_install(self):
        said = io.StringIO()
        with mock.patch("importlib.util.find_spec", lambda name: None if name == "llama_cpp" else object()), \
             contextlib.redirect_stderr(said):
            there = compare.installed(argparse.Namespace(peers=["llama.cpp", "transformers"]))
        self.assertEqual(there, ["transformers"])
        self.assertEqual(said.getvalue().count("\n"), 1)
        self.assertIn("pip install llama-cpp-python", said.getvalue())

    def test_unknown_model(self):
        with self.assertRaisesRegex(SystemExit, "nobody"):
            compare.find_source("nobody")

    def test_bad_numbers(self):
        for words in (["--rounds", "0"], ["--batch", "x"], ["--dtypes", "q3"], ["--depth", "-1"]):
            with mock.patch("sys.argv", ["compare.py", *words]), contextlib.redirect_stderr(io.StringIO()) as said, \
                 self.assertRaises(SystemExit):
                compare.arguments()
            self.assertIn(words[0], said.getvalue())


if __name__ == "__main__":
    script_tests.main()
