// Templates that mean harm, or are broken, end in an error: no crash, no endless loop, no gigabytes.
#include <doctest/doctest.h>

#include <random>
#include <string>

#include "common/base/error.h"
#include "common/text/chat_template.h"

using namespace llm;

namespace {

std::string render(const std::string& source) {
  return ChatTemplate(source, {{"bos_token", "<s>"}})
      .render(std::vector<ChatMessage>{{"user", "Hi"}, {"assistant", "x"}});
}

ErrorCode code_of(const std::string& source) {
  try {
    render(source);
  } catch (const Error& error) {
    return error.code();
  }
  FAIL("no error from " << source.substr(0, 200));
  return ErrorCode::kIo;
}

std::string repeated(const std::string& text, int count) {
  std::string result;
  for (int i = 0; i < count; ++i) result += text;
  return result;
}

}  // namespace

TEST_CASE("loops, recursion and growth have limits") {
  for (const std::string source : {
           "{% for a in range(99999) %}{% for b in range(99999) %}{% endfor %}{% endfor %}",
           "{% macro m() %}{{ m() }}{% endmacro %}{{ m() }}",
           "{% macro m() %}{% call m() %}{{ caller() }}{% endcall %}{{ caller() }}{% endmacro %}{{ m() }}",
           "{% for a in [1] recursive %}{{ loop([1]) }}{% endfor %}",
           "{{ 'x' * 99999999999 }}",
           "{{ [1] * 99999999999 }}",
           "{{ range(9999999) }}",
           "{% set ns = namespace(x='x') %}{% for a in range(99) %}{% set ns.x = ns.x + ns.x %}{% endfor %}",
           "{% set ns = namespace(x='x') %}{% for a in range(99) %}{% set ns.x = ns.x ~ ns.x %}{% endfor %}",
           "{% set ns = namespace(x=[1]) %}{% for a in range(99) %}{% set ns.x = ns.x + ns.x %}{% endfor %}",
           "{% set ns = namespace(x='xx') %}{% for a in range(99) %}{% set ns.x = ns.x | replace('x', ns.x) "
           "%}{% endfor %}",
           "{% set ns = namespace(x=['x']) %}{% for a in range(99) %}{% set ns.x = [ns.x | join, ns.x | "
           "join] %}{% endfor %}",
           "{% set ns = namespace(x=[]) %}{% for a in range(999) %}{% set ns.x = [ns.x] %}{% endfor %}",
           "{% set ns = namespace(x={}) %}{% for a in range(999) %}{% set ns.x = {'a': ns.x} %}{% endfor %}",
           "{% set ns = namespace(x=[1]) %}{% for a in range(99) %}{% set ns.x = [ns.x, ns.x] %}{% endfor "
           "%}{{ ns.x }}",
           "{% set ns = namespace(x=[1]) %}{% for a in range(99) %}{% set ns.x = [ns.x, ns.x] %}{% endfor "
           "%}{{ ns.x | tojson }}",
           "{% set ns = namespace(x=[1], y=[1]) %}{% for a in range(99) %}{% set ns.x = [ns.x, ns.x] %}{% "
           "set ns.y = "
           "[ns.y, ns.y] %}{% endfor %}{{ ns.x == ns.y }}",
           "{% set ns = namespace(x=[1]) %}{% for a in range(9999) %}{% set ns.x = ns.x | map('string') %}{% "
           "endfor %}",
           "{% set ns = namespace(x=1) %}{% for a in range(9999) %}{% set ns.x = [ns.x].count %}{% endfor %}",
           "{{ 'a'.center(99999999999) }}",
           "{{ 'a'.zfill(99999999999) }}",
           "{{ 'a' | center(99999999999) }}",
           "{{ 'a' | indent(99999999999) }}",
           "{{ '%999999999d' % 1 }}",
           "{{ '{:999999999}'.format(1) }}",
           "{{ 1 | tojson(indent=99999999) }}",
           "{{ 'a\t'.expandtabs(99999999) }}",
           "{{ [1] | batch(99999999999, 1) | list }}",
           "{{ [1] | slice(99999999999) | list }}",
           "{{ 9223372036854775807 + 1 }}",
           "{{ 2 ** 64 }}",
           "{{ 99999999999999999999 }}",
       }) {
    CAPTURE(source);
    const ErrorCode code = code_of(source);
    CHECK((code == ErrorCode::kRange || code == ErrorCode::kFormat));
  }
}

TEST_CASE("deep nesting in the text of a template is refused before it exhausts the stack") {
  for (const auto& [bound_open, close] : {std::pair{"(", ")"},
                                          {"[", "]"},
                                          {"{1:", "}"},
                                          {"not ", ""},
                                          {"- ", ""},
                                          {"x(", ")"},
                                          {"x[", "]"},
                                          {"1 if 1 else ", ""},
                                          {"x is eq ", ""}}) {
    const auto& open = bound_open;  // clang 14 cannot capture the binding itself
    CAPTURE(open);
    CHECK_THROWS_AS(render("{{ " + repeated(open, 100000) + "1" + repeated(close, 100000) + " }}"), Error);
  }
  for (const char* tail : {"+1", ".a", "|string", "(1)", "[0]", " and 1", " or 1", "*1", "**1", "-1"}) {
    CAPTURE(tail);
    CHECK_THROWS_AS(render("{{ 1" + repeated(tail, 100000) + " }}"), Error);
  }
  CHECK_THROWS_AS(render(repeated("{% if 1 %}", 100000)), Error);
  CHECK_THROWS_AS(render(repeated("{% for a in [1] %}", 100000)), Error);
  CHECK_THROWS_AS(render("{% set " + repeated("(", 100000) + " = 1 %}"), Error);
  CHECK(render("{{ " + repeated("(", 50) + "1" + repeated(")", 50) + " }}") == "1");
  CHECK(render("{{ 'a'" + repeated(" + 'a'", 300) + " }}") == repeated("a", 301));
  CHECK(render("{{ 1" + repeated(" < 2 != 1", 10000) + " }}") == "True");
}

TEST_CASE("deeply nested messages are refused") {
  const ChatTemplate echo("{{ messages }}", {});
  const std::string deep = R"([{"role": )" + repeated("[", 100000) + repeated("]", 100000) + "}]";
  CHECK_THROWS_AS(echo.render_json_text((deep)), Error);
}

TEST_CASE("circles through namespaces, macros and loops are freed") {  // checked by the leak sanitizer
  CHECK(render("{% set ns = namespace() %}{% set ns.me = ns %}{% set ns.l = [ns] %}x") == "x");
  CHECK(render("{% macro m() %}{% endmacro %}{% set f = m %}{% for a in [1] %}{% macro k() %}{% endmacro "
               "%}{% set ns = "
               "namespace(k=k) %}{% set ns.ns = ns %}{% endfor %}x") == "x");
  CHECK(
      render("{% set ns = namespace() %}{% for a in [1, 2] recursive %}{% set ns.f = loop.cycle %}{% set x = "
             "loop.changed(loop) %}{% set ns.l = loop %}{% endfor %}{% set g = ns.f %}{{ ns.l.index }}") ==
      "2");
  CHECK(render("{% set ns = namespace() %}{% for a in [1, 2] if a %}{% set ns.l = loop %}{% endfor %}{% set "
               "l = ns.l %}x") == "x");
  CHECK_THROWS_AS(
      render("{% set ns = namespace() %}{% set ns.me = ns %}{% for a in [ns] %}{{ 1 / 0 }}{% endfor %}"),
      Error);
}

TEST_CASE("damaged templates never crash") {
  const std::string source =
      "{%- macro m(a, b=[1, {'k': \"v\"}]) -%}{{ a | trim ~ b[0::-1] }}{%- endmacro %}{# c #}{% set ns = "
      "namespace(x=1.5e3) "
      "%}{% for k, v in {'a': 1}.items() if v is not none recursive %}{{ loop.index0 }}{{ m(k, b=(v, not v)) "
      "}}{% if v > 0 and "
      "k in 'abc' %}{% set ns.x = -v ** 2 // 3 %}{% elif x %}{% continue %}{% else %}{{ '\\u00e9\\x41' }}{% "
      "endif %}{% "
      "endfor %}{% raw %}{{ r }}{% endraw %}{% call(z) m(1) %}{{ z }}{% endcall %}{{ '%s' % (1,) if true "
      "else none }}";
  std::mt19937 random(7);
  const std::string letters = "{}%#-+'\"()[]|.,:=~*/<> \n\\abx01\xC3";
  int refused = 0;
  for (int i = 0; i < 4000; ++i) {
    std::string damaged = source;
    for (auto edits = 1 + random() % 3; edits > 0 && !damaged.empty(); --edits) {
      const std::size_t at = random() % damaged.size();
      switch (random() % 4) {
        case 0: damaged[at] = letters[random() % letters.size()]; break;
        case 1: damaged.erase(at, 1 + random() % 5); break;
        case 2: damaged.insert(at, 1, letters[random() % letters.size()]); break;
        default: damaged.resize(at);
      }
    }
    try {
      render(damaged);
    } catch (const Error&) {
      ++refused;
    }
  }
  CHECK(refused > 2000);
}
