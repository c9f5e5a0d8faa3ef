"""Short templates, each for one corner of the language: compared one by one."""

# One a line.
SNIPPETS = r"""
{{ 1 + 2 * 3 - 4 / 2 }} {{ 7 // 2 }} {{ -7 // 2 }} {{ -7 % 3 }} {{ 7 % -3 }} {{ 2 ** 10 }} {{ 2 ** -1 }} {{ 2 ** 3 ** 2 }}
{{ 7.5 // 2 }} {{ -7.5 % 2 }} {{ 1e3 }} {{ 1.0 }} {{ 1e16 }} {{ 1e-5 }} {{ 123456789.123 }} {{ 0.1 + 0.2 }} {{ 1e100 }} {{ 5 / 3 }}
{{ 0x1F }} {{ 0b101 }} {{ 0o17 }} {{ 1_000 }} {{ 00 }} {{ 1_0.5_0 }} {{ 1E5 }}
{{ true }} {{ True }} {{ none }} {{ None }} {{ false and 1 }} {{ 0 or 'x' }} {{ '' or none }} {{ not 0 }} {{ 1 and 2 }}
{{ [1, 'a', None, True, 1.5] }} {{ (1,) }} {{ () }} {{ (1, 2) }} {{ {'a': 1, 2: 'b'} }} {{ {} }} {{ [] }}
{{ 'it''s' }} {{ "a" "b" }} {{ 'a\nb\t\x41\u00e9\\' }} {{ '\q' }} {{ "\"" }} {{ '\101' }}
{{ ["it's", 'say "x"', 'both \' "', 'tab\t', 'nl\n', 'é', '\x00', '\u200b', '\x7f', '🙂'] }}
{{ 1 < 2 < 3 }} {{ 1 < 3 < 2 }} {{ 1 == 1.0 }} {{ 'a' < 'b' }} {{ [1, 2] < [1, 3] }} {{ 1 in l }} {{ 'ell' in s }} {{ 'a' in d }} {{ 4 not in l }}
{{ true == 1 }} {{ 'a' == 1 }} {{ none == false }} {{ l == [1, 2, 3] }} {{ (1, 2) == [1, 2] }} {{ d == d }} {{ undef == undef2 }}
{{ 1 < 'a' }}
{{ none < 1 }}
{{ 'a' + 1 }}
{{ l + (1,) }}
{{ 1 / 0 }}
{{ 1 % 0 }}
{{ undef }}|{{ undef is defined }}|{{ undef | default('x') }}|{{ undef ~ 'a' }}|{{ [undef] }}|{{ not undef }}
{{ undef.x }}
{{ undef['x'] }}
{{ undef + 1 }}
{{ undef() }}
{{ d.missing }}|{{ d.missing is undefined }}|{{ d['nope'] }}|{{ l[10] }}|{{ nothing.x }}|{{ i.x }}
{{ d.missing.deeper }}
{{ d.items }}
{{ d['items'] }}|{{ d.items() | list }}|{{ d.keys() | list }}|{{ d.values() | list }}|{{ d.get('a') }}|{{ d.get('zz', 5) }}|{{ d.get('zz') }}
{{ d.keys() }} {{ d.items() }} {{ q.values() }}
{{ d.pop('a') }}
{{ l.append(4) }}
{{ d.update is defined }} {{ l.append is defined }} {{ l.index(2) }} {{ words.count('a') }} {{ (1, 1).count(1) }}
{{ l.index(9) }}
{{ s.__class__ }}|{{ s.__len__ is defined }}
{{ l[0] }} {{ l[-1] }} {{ l.0 }} {{ d.b.1 }} {{ s[0] }} {{ x[-1] }} {{ l['0'] }} {{ l[true] }} {{ l[1.0] }}
{{ l[1:] }} {{ l[:-1] }} {{ l[::-1] }} {{ l[::2] }} {{ s[2:5] }} {{ x[::-1] }} {{ l[5:] }} {{ l[-100:100] }} {{ l[2:0:-1] }} {{ (1,2,3)[1:] }} {{ s[none:3] }}
{{ l[::0] }}
{{ nothing[1:] }}
{{ undef[1:] }}
{{ d[1:] }}
{{ range(5) | list }} {{ range(2, 5) }} {{ range(5, 0, -2) | list }} {{ range(3)[1] }} {{ range(3) is sequence }} {{ 2 in range(3) }} {{ range(3) | length }} {{ range(4) | last }} {{ range(0, 10, 3) }}
{{ range(10)[2:5] | list }} {{ range(3) == range(3) }} {{ range(3) | reverse | list }}
{{ range(100001) }}
{{ 'a' * 3 }} {{ 3 * 'ab' }} {{ [1] * 2 }} {{ 'x' * -1 }} {{ 'a' ~ 1 ~ none ~ true ~ 1.0 }}
{{ 'yes' if t else 'no' }} {{ 'yes' if u }}| {{ ('a' if u) is undefined }} {{ 1 if u else 2 if t else 3 }}
{{ (1 if u).x }}
{{ -1 | abs }} {{ -n }} {{ +i }} {{ - -1 }} {{ not not 1 }} {{ -f }} {{ --1 }}
{{ i is number }} {{ t is number }} {{ t is integer }} {{ i is integer }} {{ f is float }} {{ s is string }} {{ d is mapping }} {{ l is sequence }} {{ s is sequence }} {{ d is sequence }} {{ d is iterable }} {{ i is iterable }} {{ nothing is none }} {{ t is true }} {{ u is false }} {{ t is boolean }} {{ i is boolean }} {{ 1 is true }}
{{ undef is sequence }} {{ undef is iterable }} {{ undef is mapping }} {{ undef is string }} {{ undef is none }} {{ undef is callable }} {{ range is callable }} {{ s.upper is callable }}
{{ 3 is odd }} {{ 4 is even }} {{ 9 is divisibleby 3 }} {{ 9 is divisibleby(2) }} {{ 1 is eq 1 }} {{ 1 is equalto(2) }} {{ 2 is gt 1 }} {{ 2 is ge 3 }} {{ 1 is lt 2 }} {{ 1 is ne 1 }} {{ 1 is in [1] }} {{ 'a' is in 'abc' }} {{ nothing is sameas none }} {{ 'abc' is lower }} {{ 'ABC' is upper }} {{ 'join' is filter }} {{ 'odd' is test }} {{ s is not none }} {{ not s is none }}
{{ 'a' is odd }}
{{ x is escaped }} {{ ('a'|safe) is escaped }}
{{ 1 is foo }}
{{ 1 | foo }}
{{ foo(1) }}
{{ s() }}
{{ s | upper }} {{ s | lower }} {{ s | title }} {{ s | capitalize }} {{ 'hello wORLD-foo (bar)' | title }} {{ "it's" | title }} {{ "it's they're".title() }} {{ x | upper }} {{ 'straße ŉ ﬁ' | upper }} {{ 'ΑΣ ΑΣΑ' | lower }} {{ 'ǆ ß' | capitalize }} {{ 'İ' | lower }}
{{ w | trim }}|{{ 'xxaxx' | trim('x') }}|{{ w.strip() }}|{{ w.lstrip() }}|{{ w.rstrip() }}|{{ 'abcba'.strip('ab') }}|{{ 5 | trim }}|{{ '\u3000a\u00a0\x1f' | trim }}|
{{ s | length }} {{ x | length }} {{ l | count }} {{ d | length }} {{ '' | length }} {{ undef | length }}
{{ i | length }}
{{ l | join }} {{ l | join(', ') }} {{ l | join(d=' ') }} {{ people | join(', ', attribute='name') }} {{ s | join('-') }} {{ mix | join('|') }} {{ undef | join }} {{ l | join(1) }}
{{ i | join }}
{{ l | first }} {{ l | last }} {{ s | first }} {{ s | last }} {{ d | first }} {{ d | last }} {{ m | first }}| {{ m | last }}| {{ undef | first }}|
{{ i | first }}
{{ l | map('string') | last }}
{{ l | reverse | list }} {{ s | reverse }} {{ d | reverse | list }} {{ d.items() | reverse | list }} {{ x | reverse }}
{{ l | map('string') | list }} {{ people | map(attribute='name') | list }} {{ people | map(attribute='tags.0') | list }} {{ people | map(attribute='ok', default='?') | list }} {{ words | map('upper') | join }} {{ l | map('default', 5) | list }} {{ words | map('replace', 'a', 'z') | list }}
{{ l | select('odd') | list }} {{ l | reject('odd') | list }} {{ l | select('>', 1) | list }} {{ mix | select('string') | list }} {{ mix | select | list }} {{ l | select('divisibleby', 2) | list }} {{ l | select('in', [1, 2]) | list }}
{{ people | selectattr('ok') | list }} {{ people | selectattr('age', 'equalto', 3) | map(attribute='name') | list }} {{ people | rejectattr('ok', 'defined') | map(attribute='name') | join }} {{ people | selectattr('tags', 'defined') | list | length }}
{{ people | selectattr('age', '>') | list }}
{{ l | select('nope') | list }}
{{ m | select('nope') | list }}
{{ l | map | list }}
{{ l | map('nope') | list }}
{{ (l | map('string')) is iterable }} {{ (l | map('string')) | length }}
{% set g = l | map('string') %}{{ g | list }}{{ g | list }}
{% set g = l | select('odd') %}{% if g %}yes{% endif %}{% for a in g %}{{ a }}{% if not loop.last %},{% endif %}{% endfor %}{% for a in g %}again{% endfor %}
{{ words | sort }} {{ words | sort(reverse=true) }} {{ words | sort(case_sensitive=true) }} {{ people | sort(attribute='age') | map(attribute='name') | list }} {{ people | sort(attribute='age,name') | map(attribute='name') | list }} {{ people | sort(true, attribute='age') | map(attribute='name') | list }} {{ [3, 1.5, true] | sort }}
{{ mix | sort }}
{{ words | unique | list }} {{ words | unique(true) | list }} {{ [1, 1.0, true, 2] | unique | list }} {{ people | unique(attribute='age') | map(attribute='name') | list }}
{{ d | dictsort }} {{ {'B': 1, 'a': 2} | dictsort }} {{ {'B': 1, 'a': 2} | dictsort(true) }} {{ {'b': 1, 'a': 2} | dictsort(by='value') }} {{ {'b': 1, 'a': 2} | dictsort(reverse=true) }}
{{ people | groupby('age') | list | length }} {% for age, group in people | groupby('age') %}{{ age }}:{{ group | map(attribute='name') | join('+') }} {% endfor %}
{{ l | sum }} {{ people | sum(attribute='age') }} {{ l | sum(start=10) }} {{ [1.5, 2] | sum }} {{ m | sum }} {{ [[1], [2]] | sum(start=[]) }}
{{ words | sum }}
{{ l | min }} {{ l | max }} {{ words | min }} {{ words | max }} {{ words | min(case_sensitive=true) }} {{ people | max(attribute='age') }} {{ m | min }}|
{{ 3.7 | int }} {{ '42' | int }} {{ '42.9' | int }} {{ 'x' | int }} {{ 'x' | int(5) }} {{ 'ff' | int(base=16) }} {{ '0x1f' | int(0, 16) }} {{ '0b11' | int(0, 2) }} {{ true | int }} {{ nothing | int }} {{ ' 7 ' | int }} {{ '1_0' | int }} {{ '-5' | int }} {{ '' | int }} {{ l | int }} {{ '1e3' | int }} {{ '--5' | int }} {{ 'inf' | int }}
{{ '3.5' | float }} {{ 3 | float }} {{ 'x' | float }} {{ 'x' | float(1.5) }} {{ '1e3' | float }} {{ 'inf' | float }} {{ 'nan' | float }} {{ true | float }} {{ nothing | float }} {{ '1_0.5' | float }} {{ '.5' | float }} {{ '5.' | float }} {{ '+5' | float }} {{ '1e400' | float }} {{ '0x10' | float }}
{{ undef | int }}
{{ 3.7 | round }} {{ 2.5 | round }} {{ 3.5 | round }} {{ 42.55 | round(1) }} {{ 42.55 | round(1, 'floor') }} {{ 42.51 | round(1, 'ceil') }} {{ 5 | round }} {{ -2.5 | round }} {{ 2.675 | round(2) }} {{ 1234.5 | round(-2) }} {{ 5 | round(method='ceil') }} {{ true | round }}
{{ -5 | abs }} {{ -2.5 | abs }} {{ true | abs }}
{{ s | abs }}
{{ s | replace('l', 'L') }} {{ s | replace('l', 'L', 1) }} {{ s | replace('', '-') }} {{ 5 | replace(5, 6) }} {{ s | replace('x', '') }} {{ s.replace('o', '0') }} {{ s.replace('o', '0', 1) }} {{ s.replace('', '.', 3) }} {{ 'aaa'.replace('aa', 'b') }}
{{ s | string }} {{ i | string }} {{ l | string }} {{ nothing | string }} {{ undef | string }}
{{ s | list }} {{ d | list }} {{ undef | list }}
{{ i | list }}
{{ d | tojson }} {{ l | tojson }} {{ s | tojson }} {{ x | tojson }} {{ html | tojson }} {{ 1.0 | tojson }} {{ nothing | tojson }} {{ t | tojson }} {{ (1, 2) | tojson }} {{ {1: 2, none: 3, true: 4, 1.5: 5} | tojson }} {{ 'a\u2028\x00\x1f\x7f\b\f/' | tojson }} {{ 1e400 | tojson }}
{{ d | tojson(indent=2) }} {{ [] | tojson(indent=2) }} {{ [1, {'a': []}] | tojson(indent=4) }} {{ d | tojson(indent=0) }} {{ l | tojson(indent='--') }} {{ d | tojson(separators=(',', ':')) }} {{ {'b': 1, 'a': 2} | tojson(sort_keys=true) }} {{ x | tojson(ensure_ascii=true) }} {{ x | tojson(true) }} {{ l | tojson(indent=none) }} {{ l | tojson(indent=2, separators=(', ', ': ')) }}
{{ undef | tojson }}
{{ range(3) | tojson }}
{{ (l | map('string')) | tojson }}
{{ '<b>&' | e }} {{ html | escape }} {{ '<' | safe }} {{ ('<' | safe) + '<' }} {{ '<' + ('<' | safe) }} {{ ('<' | e) ~ '<' }} {{ '<' | e | e }} {{ '<' | e | forceescape }} {{ [('a' | safe)] }}
{{ lines | indent }} {{ lines | indent(2) }} {{ lines | indent(2, true) }} {{ lines | indent(2, blank=true) }} {{ lines | indent('> ') }} {{ '' | indent }} {{ 'a\n' | indent }}
{{ i | indent }}
{{ s | center(20) }}| {{ 'abc' | center(6) }}| {{ 'abcd' | center(7) }}| {{ 'ab'.center(5, '*') }} {{ 'ab'.ljust(4, '.') }} {{ 'ab'.rjust(4) }} {{ '-5'.zfill(4) }} {{ 'a\tb'.expandtabs(4) }} {{ 'abc'.center(2) }}
{{ 'foo bar baz qux' | truncate(9) }} {{ 'foo bar baz qux' | truncate(9, true) }} {{ 'foo bar baz qux' | truncate(11) }} {{ 'foo bar baz qux' | truncate(11, false, '..', 0) }} {{ x | truncate(3, true, '', 0) }}
{{ s | wordcount }} {{ x | wordcount }} {{ "it's a_b c-d" | wordcount }}
{{ l | batch(2) | list }} {{ l | batch(2, 'x') | list }} {{ range(7) | slice(3) | list }} {{ range(7) | slice(3, 'x') | list }}
{{ '%s-%d-%05.2f-%x-%r' % ('a', 5, 3.14159, 255, 'q') }} {{ '%s' % 5 }} {{ '%s' | format('z') }} {{ '%(a)s' % {'a': 1} }} {{ '%5s|%-5s|%05d|%+d|% d' % ('a', 'b', 5, 5, 5) }} {{ '%%' % () }} {{ '%c%c' % (65, 'x') }} {{ '%i' % 3.9 }} {{ '%e %g %G' % (12345.678, 0.00001, 1e20) }} {{ '%.3s' % 'abcdef' }} {{ '%*d' % (5, 3) }} {{ '%#x %#o' % (255, 8) }} {{ '%s %s' | format('a', 'b') }} {{ '%(x)s' | format(x=3) }} {{ '%s' % undef }}|
{{ '%d' % 'a' }}
{{ '%s %s' % 'a' }}
{{ '%s' % (1, 2) }}
{{ '{} {}'.format('a', 1) }} {{ '{0}{1}{0}'.format('a', 'b') }} {{ '{a.x} {b[0]} {c[k]}'.format(a={'x': 1}, b=[5], c={'k': 'v'}) }} {{ '{:>5}|{:<5}|{:^5}|{:*^5}'.format('a', 'b', 'c', 'd') }} {{ '{:05d} {:,} {:.2f} {:x} {:b} {:e} {:%} {:+d}'.format(5, 1234567, 3.14159, 255, 5, 12345.678, 0.5, 3) }} {{ '{{}}'.format() }} {{ '{!r} {!s}'.format('a', 'b') }} {{ '{:{w}}'.format('a', w=4) }}| {{ '{:.3}'.format('abcdef') }} {{ '{}'.format(none) }} {{ '{}'.format([1, 'a']) }} {{ '{:.3}'.format(3.14159) }} {{ '{:g}'.format(1e10) }} {{ '{:_}'.format(1234567) }} {{ '{}'.format(true) }} {{ '{:5}'.format(true) }} {{ '{:d}'.format(true) }} {{ '{:10.3f}|'.format(2.0) }} {{ '{:,.2f}'.format(1234567.891) }} {{ '{:#x}'.format(255) }} {{ '{:08.3f}'.format(-3.14159) }} {{ '{:<8}|{:>8}|'.format(5, 5) }}
{{ '{}'.format() }}
{{ '{:d}'.format('a') }}
{{ s.split() }} {{ s.split(', ') }} {{ 'a,b,,c'.split(',') }} {{ 'a b  c'.split(' ') }} {{ ' a  b '.split() }} {{ 'a,b,c'.split(',', 1) }} {{ 'a,b,c'.rsplit(',', 1) }} {{ 'a b c'.split(none, 1) }} {{ 'a b c'.rsplit(none, 1) }} {{ 'a b c'.split(maxsplit=1) }} {{ ''.split() }} {{ ''.split(',') }} {{ ' a b '.split(none, 1) }} {{ 'a,b'.split(sep=',') }} {{ ' a b  c '.rsplit(none, 1) }}
{{ 'a'.split('') }}
{{ lines.splitlines() }} {{ lines.splitlines(true) }} {{ 'a\x0bb\x1cc\x85d\u2028e'.splitlines() }} {{ ''.splitlines() }} {{ '\n'.splitlines() }}
{{ 'a-b-c'.partition('-') }} {{ 'a-b-c'.rpartition('-') }} {{ 'abc'.partition('-') }} {{ 'abc'.rpartition('-') }} {{ 'prefix_x'.removeprefix('prefix_') }} {{ 'x.py'.removesuffix('.py') }}
{{ s.startswith('Hell') }} {{ s.startswith(('x', 'H')) }} {{ s.endswith('ld') }} {{ s.endswith(('x', 'd')) }} {{ s.startswith('e', 1) }} {{ s.startswith('lo', 3, 5) }} {{ ''.startswith('') }} {{ 'abc'.startswith('', 4) }}
{{ s.startswith(1) }}
{{ s.startswith(['H']) }}
{{ s.find('o') }} {{ s.rfind('o') }} {{ s.find('zz') }} {{ s.index('W') }} {{ x.find('你') }} {{ s.count('l') }} {{ s.count('') }} {{ 'aaa'.count('aa') }} {{ s.find('o', 5) }} {{ s.find('o', -5, -1) }} {{ 'a'.find('', 5) }}
{{ s.index('zz') }}
{{ s.upper() }} {{ s.lower() }} {{ s.title() }} {{ s.capitalize() }} {{ s.swapcase() }} {{ 'ß'.casefold() }} {{ 'ab1'.isalnum() }} {{ 'ab'.isalpha() }} {{ '12'.isdigit() }} {{ '1²'.isdigit() }} {{ '½'.isnumeric() }} {{ ' '.isspace() }} {{ 'Ab Cd'.istitle() }} {{ 'a_1'.isidentifier() }} {{ ''.isalpha() }} {{ ''.isascii() }} {{ 'é'.isascii() }} {{ 'aB'.islower() }} {{ 'AB1'.isupper() }} {{ '12'.isdecimal() }} {{ 'a\n'.isprintable() }}
{{ ', '.join(['a', 'b']) }} {{ '-'.join('abc') }} {{ ''.join([]) }} {{ ' '.join({'a': 1, 'b': 2}) }}
{{ ', '.join([1, 2]) }}
{{ dict(a=1, b=2) }} {{ dict([('x', 1)]) }} {{ dict({'a': 1}, b=2) }} {{ dict() }} {{ dict(d, a=9) }}
{% set ns = namespace(a=1) %}{% set ns.b = 2 %}{{ ns.a + ns.b }} {{ ns.c is defined }} {{ ns['a'] }} {{ ns }}
{% set ns = namespace({'a': 1}, b=2) %}{{ ns.a }}{{ ns.b }}{% for i in range(3) %}{% set ns.a = ns.a + i %}{% endfor %}{{ ns.a }}
{% set ns = namespace() %}{% set ns._x = 1 %}
{% set d.x = 1 %}
{% set undef.x = 1 %}
{% set ns = namespace() %}{% set ns.a, b = 1, 2 %}{{ ns.a }}{{ b }}
{% set a, b = 1, 2 %}{{ a }}{{ b }}{% set (c, e2) = [3, 4] %}{{ c }}{{ e2 }}{% set p = 1, 2 %}{{ p }}
{% set a, b = 1 %}
{% set a, b = [1, 2, 3] %}
{% set loop = 1 %}{{ loop }}
{% set x1 %}a{{ 1 }}b{% endset %}{{ x1 }} {% set x2 | upper %}abc{% endset %}{{ x2 }} {% set x3 | replace('a', 'b') | upper %}abc{% endset %}{{ x3 }}
{% set v = 1 %}{% set y %}{% set v = 2 %}{{ v }}{% endset %}{{ v }}{{ y }}
{% set v = 1 %}{% if true %}{% set v = 2 %}{% endif %}{{ v }}{% for a in [1] %}{% set v = 3 %}{{ v }}{% endfor %}{{ v }}
{% for a in [1, 2] %}{{ v }}{% set v = a %}{{ v }}{% endfor %}{{ v }}
{% for a in l %}{{ loop.index }}{{ loop.index0 }}{{ loop.revindex }}{{ loop.revindex0 }}{{ loop.first }}{{ loop.last }}{{ loop.length }}{{ loop.depth }}{{ loop.previtem }}{{ loop.nextitem }}{{ loop.cycle('a', 'b') }}{{ loop.changed(a > 1) }} {% endfor %}
{% for a in m %}x{% else %}empty{% endfor %} {% for a in undef %}x{% else %}empty{% endfor %}
{% for a in nothing %}x{% endfor %}
{% for a in i %}x{% endfor %}
{% for a in l if a > 1 %}{{ loop.index }}/{{ loop.length }}:{{ a }} {% else %}none{% endfor %} {% for a in l if a > 5 %}x{% else %}none{% endfor %}
{% for a in l if loop.index > 1 %}x{% endfor %}
{% for k, v in d.items() %}{{ k }}={{ v }};{% endfor %} {% for k in d %}{{ k }}{% endfor %} {% for k, v in q.items() %}x{% else %}e{% endfor %} {% for a, b in [[1, 2], 'xy'] %}{{ a }}{{ b }}{% endfor %} {% for (a, b) in [[1, 2]] %}{{ a }}{{ b }}{% endfor %} {% for k, v in d | items %}{{ k }}{% endfor %}
{% for a, b in [[1]] %}{% endfor %}
{% for c in x %}[{{ c }}]{% endfor %}
{% for a in l %}{% if a == 2 %}{% continue %}{% endif %}{{ a }}{% endfor %} {% for a in l %}{% if a == 2 %}{% break %}{% endif %}{{ a }}{% endfor %} {% for a in l %}{% break %}{% else %}E{% endfor %} {% for a in l %}{% continue %}{% else %}E{% endfor %}
{% for a in l %}{% for b in l %}{% if b > a %}{% break %}{% endif %}{{ a }}{{ b }} {% endfor %}{{ loop.index }}{% endfor %}
{% for a in l %}{% for b in 'xy' %}{{ loop.index }}{% endfor %}{{ loop.index }}{% endfor %}
{% for a in l recursive %}{{ a if a is number else '[' ~ loop(a) ~ ']' }}{{ loop.depth }}{% endfor %} {% for a in [1, [2, [3]], 4] recursive %}{{ a if a is number else '[' ~ loop(a) ~ ']' }}{{ loop.depth }}{% endfor %}
{% for a in l %}{{ loop(a) }}{% endfor %}
{% for loop in l %}{% endfor %}
{% break %}
{% macro m1(a, b=2, c='x') %}{{ a }}{{ b }}{{ c }}{% endmacro %}{{ m1(1) }} {{ m1(1, 3) }} {{ m1(1, c=5) }} {{ m1(b=1, a=0) }} {{ m1() }} {{ m1.name }} {{ m1.arguments }}
{% macro m1(a) %}{{ a }}{% endmacro %}{{ m1(1, 2) }}
{% macro m1(a) %}{{ a }}{% endmacro %}{{ m1(1, z=2) }}
{% macro m1(a) %}{{ a }}{% endmacro %}{{ m1(1, a=2) }}
{% macro m1(a, b=a) %}{{ a }}{{ b }}{% endmacro %}{{ m1(1) }}
{% macro m1() %}{{ varargs }}{{ kwargs }}{% endmacro %}{{ m1(1, 2, x=3) }}
{% macro m1(a) %}{{ a.x }}{% endmacro %}{{ m1() }}
{% macro m1(a=1, b) %}{% endmacro %}
{% set v = 1 %}{% macro m1() %}{{ v }}{% endmacro %}{% set v = 2 %}{{ m1() }}
{% macro m1() %}{% set v = 5 %}{{ v }}{% endmacro %}{{ m1() }}{{ v }}
{% macro m1(n) %}{{ n }}{% if n > 0 %}{{ m1(n - 1) }}{% endif %}{% endmacro %}{{ m1(5) }}
{% macro m1() %}{{ m1() }}{% endmacro %}{{ m1() }}
{% macro m1() %}<{{ caller() }}>{% endmacro %}{% call m1() %}body{% endcall %} {% macro m2() %}{{ caller(1, 2) }}{% endmacro %}{% call(a, b) m2() %}{{ a }}{{ b }}{% endcall %}
{% macro m1() %}<{{ caller() }}>{% endmacro %}{{ m1() }}
{% macro m1() %}x{% endmacro %}{% call m1() %}body{% endcall %}
{% for a in l %}{% macro m1() %}{{ a }}{% endmacro %}{{ m1() }}{% endfor %}
{{ m1(*[1, 2]) }}{% macro m1(a, b) %}{{ a }}{{ b }}{% endmacro %}{{ m1(*[1, 2]) }}{{ m1(**{'a': 1, 'b': 2}) }}
{% macro m1(a, b) %}{{ a }}{{ b }}{% endmacro %}{{ m1(*[1, 2]) }}{{ m1(**{'a': 1, 'b': 2}) }}{{ m1(1, *[2]) }}
{% generation %}a{% set v = 1 %}{{ v }}{% endgeneration %}{{ v }}
{% for a in l %}{% generation %}{{ a }}{{ loop.index }}{% endgeneration %}{% endfor %}
{% with a = 1, b = 2 %}{{ a }}{{ b }}{% endwith %}{{ a }} {% with %}{% set c = 1 %}{{ c }}{% endwith %}{{ c }} {% with a = 1 %}{% with a = 2, b = a %}{{ a }}{{ b }}{% endwith %}{% endwith %}
{% filter upper %}abc{{ s }}{% endfilter %} {% filter replace('a', 'b') | upper %}aaa{% endfilter %}
{% print 1, 2 %}
{{ raise_exception('no way') }}
{{ raise_exception() }}
{{ strftime_now('%Y') | length }} {{ strftime_now('') }} {{ strftime_now('%d %b %Y') == strftime_now('%d ' ~ '%b %Y') }}
{{ joiner }}{% set j = joiner('|') %}
{% set j = joiner('|') %}{{ j() }}a{{ j() }}b{{ j() }}c {% set c = cycler('x', 'y') %}{{ c.next() }}{{ c.next() }}{{ c.next() }}{{ c.current }}{{ c.reset() }}{{ c.next() }}
{# comment #}a{#- b -#} c {# multi
line #}
{% raw %}{{ x }} {% if %}{% endraw %} {%- raw -%}  {{ y }}  {%- endraw -%}  z
a   {%- if true -%}   b   {%- endif -%}   c
a {{- ' b ' -}} c
{%+ if true +%} x {%+ endif %} y
{{ 1 }}{{ 2 }}   {{ 3 }}
{% if a %}{% elif t %}elif{% else %}else{% endif %} {% if u %}1{% elif u %}2{% else %}3{% endif %} {% if s, %}tuple{% endif %}
{% if t %}x
{% endif %}{% endif %}
{{ 1 +
{{ 'abc
{{ (1, 2 }}
{{ [1, 2) }}
{{ 1 2 }}
{{ a b }}
{{ }}
{{ . }}
{% %}
{% foo %}
{% if %}{% endif %}
{% for a l %}{% endfor %}
{% else %}
{{ 1 if }}
{{ x | }}
{{ x. }}
{{ 'a' 'b' | upper }}
{{ s.upper | string | length > 0 }} {{ (s.upper)() }} {{ s['upper']() }}
{{ [1, 2,] }} {{ {'a': 1,} }} {{ (1, 2,) }} {{ dict(a=1,) }} {{ m1 }}
{{ {'a': {'b': {'c': 1}}}.a.b.c }} {{ {'a': 1}['a'] }} {{ [[1]][0][0] }} {{ {'a': 1}.get('a') }} {{ 'abc'[1] }} {{ (1, 2)[0] }} {{ "x".upper() }} {{ 5.0 | string }} {{ [1, 2] | length }}
{{ {[1]: 2} }}
{{ 1 is defined and 2 is defined }} {{ undef is not defined or 1 }} {{ 1 if undef is defined else 2 }} {{ (not t) is false }} {{ t is defined is true }}
{{ people[0].name ~ '/' ~ people[-1]['name'] }} {{ people | map(attribute='age') | sum }} {{ people | selectattr('name', 'in', ['Zoe', 'Bob']) | map(attribute='age') | list }} {{ people | map('tojson') | join('\n') }} {{ people | map(attribute='name') | map('lower') | sort | join(' ') }}
{{ d | items | list }} {{ undef | items | list }} {{ d | attr('items') is callable }} {{ d | attr('a') is defined }} {{ s | attr('upper') is defined }}
{{ l | items }}{{ l | items | list }}
{{ 9223372036854775807 }} {{ 9223372036854775807 - 1 }} {{ -9223372036854775807 }}
{{ x ~ x }} {{ x * 2 }} {{ x == x }} {{ x in [x] }} {{ x[1:3] }} {{ x.split() }} {{ x | title }} {{ x.center(20, '·') }}
{{ 1.5e300 * 1e10 }} {{ 1e308 * 10 }} {{ (1e308 * 10) | string }} {{ -1e308 * 10 }} {{ 2.0 ** 0.5 }} {{ 10 ** 18 }} {{ 1 // 0.3 }} {{ 5.0 // 2 }} {{ 5 % 2.5 }} {{ -5 % 2.5 }} {{ true + true }} {{ true * 3 }} {{ -true }}
{{ messages[0].role }} {{ messages | length }} {{ tools is none }} {{ documents is none }} {{ add_generation_prompt }} {{ bos_token is defined }}
{% include 'x' %}
{% set x = 5 -%}
 {{ x }}
{{ loop }}{{ loop is defined }}
{{ lipsum is defined }} {{ cycler is defined }} {{ range is defined }} {{ namespace is defined }} {{ raise_exception is defined }}
{{ 'a' if true else undef.x }} {{ true or undef.x }} {{ false and undef.x }}
{{ [1, 2, 3] | first if l else 'none' }} {{ l | length > 2 }} {{ l | length == 3 and 'yes' }} {{ 'a' ~ 1 + 2 }}
{{ 1 ~ 2 * 3 }} {{ 'x' ~ 1 == 'x1' }} {{ not 1 == 2 }} {{ 1 + 1 | string }}
{{ 2 if 1 > 2 else 3 if 1 > 2 else 4 }} {{ (1, 2) + (3,) }} {{ 'a' < 'B' }} {{ 'é' > 'z' }} {{ '' < 'a' }} {{ [] < [1] }} {{ (1, 'a') < (1, 'b') }} {{ {} == {} }} {{ {'a': 1, 'b': 2} == {'b': 2, 'a': 1} }}
{{ {} < {} }}
{{ 1 is number is string }}
{{ s is string and s | length > 3 }} {{ l is iterable and l is not string }} {{ nothing is not none }} {{ d.a is defined and d.a is not none }} {{ d.b is iterable and d.b is not mapping }}
{{ loop.index }}
{{ undef.a is defined }}
{{ nothing.a.b }}
{{ nothing.a is defined }} {{ nothing['a'] is defined }} {{ nothing.a | default('dd') }}
{{ '' | default('x') }}|{{ '' | default('x', true) }}|{{ nothing | default('x') }}|{{ nothing | d('x', boolean=true) }}|{{ undef | default }}|{{ 0 | default(5, true) }}
{{ undef | upper }}|{{ undef | trim }}|{{ undef | capitalize }}|{{ undef | title }}|{{ undef | replace('a', 'b') }}|{{ undef | sort }}|{{ undef | sum }}|{{ undef | reverse | list }}|{{ undef | unique | list }}|{{ undef | map('upper') | list }}|{{ undef | select | list }}|{{ undef | wordcount }}|{{ undef | last }}|{{ undef | min }}|{{ undef | batch(2) | list }}
{{ nothing | upper }} {{ i | upper }} {{ l | upper }} {{ t | lower }} {{ nothing | trim }} {{ nothing | capitalize }} {{ i | title }}
{{ undef | abs }}
{{ undef | round }}
{{ undef | indent }}
{{ undef | dictsort }}
{{ undef in l }} {{ undef in d }} {{ 'a' in undef }} {{ undef not in [undef] }}
{{ undef in s }}
{{ 1 in s }}
{{ 1 in i }}
{{ 1 in nothing }}
{{ l in d }}
{{ undef < 1 }}
{{ undef == none }} {{ undef != 1 }} {{ undef == '' }}
{{ -undef }}
{{ s[undef] }}
{{ d[undef] }}
{{ d[l] }}
{{ s['upper'] is defined }} {{ s['nope'] is defined }} {{ s.nope is defined }}
{{ '\ud83d' | length }}
""".strip("\n").split("\n")

# Those that need several lines.
BLOCKS = [
    "{% if t %}\n  a\n{% endif %}\n  b\n", "  {% if t %}  \n x {% endif %}  \n", "a\n    {% set v = 1 %}\n    {{ v }}\n\n",
    "x {% if t %}\ny\n    {% endif %}\nz", "{%- for a in l %}\n  {{ a }}\n{%- endfor %}\n", "{% for a in l -%}\n  {{ a }}\n{% endfor %}\n",
    "{# c #}\n  {# d #}  \n{#- e -#}\n\n f", "a\r\nb\rc\n", "a\n\n", "\n\na", "a{% raw %}\n  x {% endraw %}\n b", "  {%- raw %} x {% endraw -%}  \n b",
    "  {% raw %}\n x\n  {% endraw %}\n b", "{%+ if t %}a{%+ endif %}\n  {%+ if t %}b{% endif +%}\nc", "\t{% if t %}\tx\t{% endif %}\t\n",
    " \u00a0{% if t %}x{% endif %}", " \u00a0{%- if t %}x{% endif -%}\u00a0\u2003y", "{{ 'a' }}  {% if t %}b{% endif %}", "a  {# c #}  \n", "  {# c #} {% if t %} x {% endif %}\n",
    "{{ '{{' }} {{ '%}' }} {{ \"}}\" }}", "{{ {'a': {'b': 1}} }}", "{{ {'a': {'b': 1}}}}", "{{ [{'a': 1}] }} }}", "{ { } } {x} %} }} #}", "{{'a\nb'}}",
    "{%\nif\nt\n%}\nx\n{%\nendif\n%}\n", "{% if t %}{# x", "{% raw %}x", "{{", "{%", "{#", "{", "a{", "{{ 1 }", "{% if t }", "{%-%}", "{{-}}", "{#-#}x", "{#+#}\nx", "{# a -#}  \n x", "{# a +#}\n x",
    "{% for a in l %}\n{{ a }}\n{% if loop.last %}\nend\n{% endif %}\n{% endfor %}", "{% set x = 1 %}\n\n{% set y = 2 %}\n\n{{ x + y }}\n", "{% macro m(a) -%}\n  {{ a }}\n{%- endmacro %}\n{{ m(1) }}\n{{ m(2) -}}\n",
    "{{ 1\n+\n2 }}\n{{- 3 }}\n {{- 4 -}} \n5", "{%- if t -%}\n\n  a\n\n{%- endif -%}\n\n", "x\n  {%- if t %}\n  y\n  {%- endif %}\n  z\n", "{% if t %}a{% endif %}\n{% if t %}b{% endif %}\n\nc",
]
