#include "common/text/chat_template.h"

#include <doctest/doctest.h>

#include <nlohmann/json.hpp>
#include <string>

#include "common/base/error.h"
#include "tests/message_of.h"
#include "tests/temp_folder.h"

using namespace llm;

namespace {

bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

std::string render(const std::string& source, const ChatOptions& options = {},
                   const SpecialTokens& tokens = {}) {
  return ChatTemplate(source, tokens).render(std::vector<ChatMessage>{{"user", "Hi"}}, options);
}

const std::vector<ChatMessage> kTalk = {
    {"system", "Be kind."}, {"user", "One"}, {"assistant", "Two"}, {"user", " Three "}};

}  // namespace

TEST_CASE("SmolLM2's template adds its system text where there is none") {
  const std::string source =
      "{% for message in messages %}{% if loop.first and messages[0]['role'] != 'system' %}{{ "
      "'<|im_start|>system\\nYou are a helpful AI assistant named SmolLM, trained by Hugging "
      "Face<|im_end|>\\n' }}{% "
      "endif %}{{'<|im_start|>' + message['role'] + '\\n' + message['content'] + '<|im_end|>' + '\\n'}}{% "
      "endfor %}{% "
      "if add_generation_prompt %}{{ '<|im_start|>assistant\\n' }}{% endif %}";
  CHECK(render(source, {.add_generation_prompt = true}) ==
        "<|im_start|>system\nYou are a helpful AI assistant named SmolLM, trained by Hugging Face<|im_end|>\n"
        "<|im_start|>user\nHi<|im_end|>\n<|im_start|>assistant\n");
  CHECK(ChatTemplate(source, {}).render(std::vector<ChatMessage>{{"system", "S"}, {"user", "U"}}) ==
        "<|im_start|>system\nS<|im_end|>\n<|im_start|>user\nU<|im_end|>\n");
}

TEST_CASE("the built-in templates") {
  const ChatTemplate chatml = builtin_chat_template("chatml");
  CHECK(chatml.render(kTalk, {.add_generation_prompt = true}) ==
        "<|im_start|>system\nBe "
        "kind.<|im_end|>\n<|im_start|>user\nOne<|im_end|>\n<|im_start|>assistant\nTwo<|im_end|>\n"
        "<|im_start|>user\n Three <|im_end|>\n<|im_start|>assistant\n");
  const ChatTemplate plain = builtin_chat_template("plain");
  CHECK(plain.render(kTalk, {.add_generation_prompt = true}) ==
        "System: Be kind.\n\nUser: One\nAssistant: Two\nUser:  Three \nAssistant:");
  CHECK(plain.render(kTalk) == "System: Be kind.\n\nUser: One\nAssistant: Two\nUser:  Three \n");
  CHECK(chatml.wants_special_tokens());
  CHECK(plain.wants_special_tokens());
  CHECK_FALSE(ChatTemplate("x", {}).wants_special_tokens());
  CHECK(has(message_of([] { builtin_chat_template("alpaca"); }), "alpaca"));
}

TEST_CASE("what a template finds: tokens, options, tools, documents, further variables") {
  CHECK(render("{{ bos_token }}{{ eos_token is defined }}", {}, {{"bos_token", "<s>"}}) == "<s>False");
  CHECK(render("{{ tools is none }} {{ documents is none }} {{ add_generation_prompt }} {{ enable_thinking "
               "is defined }}") == "True True False False");
  CHECK(render("{{ enable_thinking }}", {.enable_thinking = false}) == "False");
  ChatOptions options;
  options.tools = R"([{"b": 1, "a": {"z": [1.0, true, null]}}])";
  options.documents = R"([{"title": "T"}])";
  options.variables = R"({"n": 3, "bos_token": "other"})";
  CHECK(render("{{ tools[0] | tojson }}{{ documents[0].title }}{{ n + 1 }}{{ bos_token }}", options,
               {{"bos_token", "<s>"}}) == R"({"b": 1, "a": {"z": [1.0, true, null]}}T4other)");
  options.tools = "[1]";
  CHECK(has(message_of([&] { render("x", options); }), "tools"));
  options.tools = "[";
  CHECK(has(message_of([&] { render("x", options); }), "tools"));
}

TEST_CASE("the time is the caller's, or the clock's") {
  ChatOptions options;
  options.now = 1735732800;  // 2025-01-01, noon in Greenwich
  CHECK(render("{{ strftime_now('%Y-%m') }}", options) == "2025-01");
  CHECK(render("{{ strftime_now('%Y') | int > 2024 }}") == "True");
}

TEST_CASE("messages are taken as transformers takes them") {
  const ChatTemplate keys("{{ messages | tojson }}", {});
  // Members that are null are absent; reasoning has three names.
  CHECK(keys.render_json_text(R"([{"role": "user", "content": null}])") == R"([{"role": "user"}])");
  CHECK(keys.render_json_text(R"([{"role": "a", "reasoning": "r"}])") ==
        R"([{"thinking": "r", "role": "a", "reasoning": "r", "reasoning_content": "r"}])");
  CHECK(keys.render_json_text(R"([{"thinking": "t", "reasoning_content": "c"}])") ==
        R"([{"thinking": "t", "reasoning_content": "c"}])");
  CHECK(keys.render_json_text(R"([{"content": [{"type": "text", "text": "\u00e9"}]}])") ==
        R"([{"content": [{"type": "text", "text": "é"}]}])");
  for (const char* bad : {"[]", "{}", "[1]", "\"text\"", "[[]]", "["}) {
    CAPTURE(bad);
    CHECK_THROWS_AS(keys.render_json_text((bad)), Error);
  }
}

TEST_CASE("errors say where and what") {
  CHECK(has(message_of([] { render("a\n{{ raise_exception('Roles must alternate') }}"); }),
            "chat template, line 2: Roles must alternate"));
  CHECK(has(message_of([] { render("\n\n{{ messages[5].role.x }}"); }), "line 3"));
  CHECK(has(message_of([] { render("\n{% include 'x' %}"); }),
            "line 2: the tag {% include %} is not supported"));
  CHECK(has(message_of([] { render("{% include 'x' %}"); }), "--template"));
  CHECK(has(message_of([] { render("{{ 'x' | urlize }}"); }), "the filter 'urlize' is not supported"));
  CHECK(has(message_of([] { render("{{ 'x' | urlize }}"); }), "--template"));
  CHECK(has(message_of([] { render("{{ 'x' | nosuch }}"); }), "nosuch"));
  CHECK(has(message_of([] { render("{% nosuch %}"); }), "{% nosuch %}"));
  CHECK(has(message_of([] { render("a\n{% if x %}"); }), "endif"));
  CHECK(has(message_of([] { render("{{ nosuch.x }}"); }), "'nosuch' is undefined"));
}

TEST_CASE("a folder's template: the file wins over the config, the config may hold a list") {
  const TempFolder folder;
  CHECK(has(message_of([&] { load_chat_template(folder.path()); }), "--template chatml"));
  folder.write("tokenizer_config.json",
               R"({"chat_template": "{{ bos_token }}C{{ eos_token }}", "eos_token": "<e>", "pad_token": null,
                   "bos_token": {"content": "<b>", "special": true}})");
  CHECK(load_chat_template(folder.path()).render(kTalk) == "<b>C<e>");
  folder.write("chat_template.jinja", "F{{ bos_token }}");
  CHECK(load_chat_template(folder.path()).render(kTalk) == "F<b>");
  CHECK(load_chat_template(folder.path(), "plain").render({{"user", "x"}}) == "User: x\n");
  folder.write("own.txt", "own {{ eos_token }}");
  CHECK(load_chat_template(folder.path(), (folder.path() / "own.txt").string()).render(kTalk) == "own <e>");
  CHECK(has(message_of([&] { load_chat_template(folder.path(), "no/such/file"); }), "no/such/file"));

  const TempFolder list;
  list.write(
      "tokenizer_config.json",
      R"({"chat_template": [{"name": "tool_use", "template": "T"}, {"name": "default", "template": "D"}]})");
  ChatOptions options;
  CHECK(load_chat_template(list.path()).render(kTalk, options) == "D");
  options.tools = "[{}]";
  CHECK(load_chat_template(list.path()).render(kTalk, options) == "T");
  list.write("tokenizer_config.json", R"({"chat_template": [{"name": "rag", "template": "R"}]})");
  CHECK(has(message_of([&] { load_chat_template(list.path()); }), "default"));
  list.write("tokenizer_config.json", R"({"chat_template": 5})");
  CHECK_THROWS_AS(load_chat_template(list.path()), Error);
  list.write("tokenizer_config.json", R"({"chat_template": "x", "bos_token": 5})");
  CHECK_THROWS_AS(load_chat_template(list.path()), Error);
}

TEST_CASE("one template renders many conversations, each on its own") {
  const ChatTemplate counter(
      "{% set ns = namespace(n=0) %}{% for m in messages %}{% set ns.n = ns.n + 1 %}{% endfor %}{{ ns.n }}",
      {});
  CHECK(counter.render(kTalk) == "4");
  CHECK(counter.render({{"user", "x"}}) == "1");
  const ChatTemplate copy = counter;
  CHECK(copy.render(kTalk) == "4");
}
