"""Conversations of many shapes: turns, tools, reasoning, lists of parts, empty texts, odd characters."""
import itertools
import random

TOOLS = [
    {
        "type": "function",
        "function": {
            "name": "get_weather",
            "description": "Weather of a city, in \"plain\" words <b>&</b>.",
            "parameters": {
                "type": "object",
                "properties": {
                    "city": {"type": "string", "description": "Name, e.g. Zürich"},
                    "days": {"type": ["integer", "null"], "default": None, "minimum": 1},
                    "unit": {"type": "string", "enum": ["C", "F"]},
                    "items": {"type": "array", "items": {"type": "number"}},
                },
                "required": ["city"],
            },
            "return": {"type": "number", "description": "degrees"},
        },
    },
    {"type": "function", "function": {"name": "no_arguments", "description": "", "parameters": {"type": "object", "properties": {}}}},
]

TEXTS = [
    "Hello!",
    "",
    " \n leading and trailing \t\n",
    "Ünïcödé 你好 🙂 <|im_end|> </think>",
    "{{ not a template }} {% raw %}",
    "line one\nline two\r\nline three\u2028end",
    "<tool_response>\n{\"a\": 1}\n</tool_response>",
    "<think>\nLet me see.\n</think>\n\nIt is 4.",
    "no think open</think>\n\nanswer",
    "/no_think What now?",
    "\u00a0nbsp\u3000",
]

CALL = {"id": "abc123456", "type": "function", "function": {"name": "get_weather", "arguments": {"city": "Zürich", "days": 2, "x": [1.5, True, None], "o": {"k": "v"}}}}
CALL_TEXT = {"type": "function", "function": {"name": "get_weather", "arguments": "{\"city\": \"Oslo\"}"}}
FLAT_CALL = {"id": "xyz987654", "name": "no_arguments", "arguments": {}}


def message(role, content, **more):
    return {"role": role, "content": content, **more}


FIXED = [
    [message("user", "Hi")],
    [message("system", "Be brief."), message("user", "Hi")],
    [message("system", "")],
    [message("user", "1+1?"), message("assistant", "2"), message("user", "sure?")],
    [message("system", "s"), message("user", "a"), message("assistant", "b"), message("user", "c"), message("assistant", "d")],
    [message("user", "a"), message("user", "b")],
    [message("assistant", "first")],
    [message("user", "a"), message("system", "late"), message("assistant", "b")],
    [message("developer", "dev"), message("user", "a")],
    [message("user", "Weather?"), message("assistant", None, tool_calls=[CALL]), message("tool", "12 C", name="get_weather", tool_call_id="abc123456")],
    [message("user", "Weather?"), message("assistant", "", tool_calls=[CALL]), message("tool", "12 C"), message("assistant", "It is 12 C.")],
    [message("user", "Two"), message("assistant", "I look.", tool_calls=[CALL, FLAT_CALL]), message("tool", "x", tool_call_id="abc123456"), message("tool", "y", tool_call_id="xyz987654"), message("assistant", "done"), message("user", "thanks")],
    [message("user", "T"), message("assistant", "", tool_calls=[CALL_TEXT]), message("tool", {"temp": 3.0, "ok": True}), message("user", "and?")],
    [message("user", "q"), message("assistant", "a", reasoning_content="because\n"), message("user", "r")],
    [message("user", "q"), message("assistant", "a", reasoning="older name")],
    [message("user", "q"), message("assistant", "a", thinking="oldest name")],
    [message("user", "q"), message("assistant", "<think>\nhm\n</think>\n\na"), message("user", "q2"), message("assistant", "<think>\nhm2\n</think>\n\na2")],
    [message("user", [{"type": "text", "text": "What is this?"}, {"type": "image"}])],
    [message("system", [{"type": "text", "text": "sys part "}]), message("user", [{"type": "text", "text": "  part 1 "}, {"type": "text", "text": "part 2"}])],
    [message("user", None)],
    [{"role": "user"}],
    [{"content": "no role"}],
    [message("user", 5), message("assistant", True)],
    [message("user", "a"), message("assistant", "b", tool_calls=[])],
    [message("ipython", "out")],
    [],
]

OPTIONS = [
    {},
    {"add_generation_prompt": True},
    {"add_generation_prompt": True, "enable_thinking": False},
    {"enable_thinking": True},
    {"add_generation_prompt": True, "tools": TOOLS},
    {"tools": TOOLS, "enable_thinking": False},
    {"tools": [], "add_generation_prompt": True},
    {"documents": [{"title": "T", "text": "some text"}], "add_generation_prompt": True},
    {"add_generation_prompt": True, "variables": {"date_string": "01 Jan 2025", "thinking": True, "reasoning_effort": "high", "custom_tools": None}},
]
TOKENS = {"bos_token": "<s>", "eos_token": "</s>", "unk_token": "<unk>", "pad_token": "<pad>"}


def random_conversation(rng):
    messages = []
    if rng.random() < 0.4:
        messages.append(message("system", rng.choice(TEXTS)))
    for _ in range(rng.randrange(1, 7)):
        role = rng.choice(["user", "assistant", "user", "assistant", "tool"])
        new = message(role, rng.choice(TEXTS))
        if role == "assistant" and rng.random() < 0.4:
            new["tool_calls"] = rng.choice([[CALL], [CALL, CALL_TEXT], [FLAT_CALL]])
        if role == "assistant" and rng.random() < 0.3:
            new["reasoning_content"] = rng.choice(TEXTS)
        messages.append(new)
    return messages


def cases(seed):
    rng = random.Random(seed)
    conversations = FIXED + [[message("user", text), message("assistant", text), message("user", text)] for text in TEXTS]
    conversations += [random_conversation(rng) for _ in range(60)]
    return [
        {"name": f"conversation {i} {options}", "messages": messages, "tokens": TOKENS, **options}
        for (i, messages), options in itertools.product(enumerate(conversations), OPTIONS)
    ]
