"""The templates that chat_parity.py renders: one of ours that uses the whole language, and the reader's own."""
import pathlib

# Things that newer templates do: call blocks, filters over blocks, break and continue, items, dictsort, groupby.
EVERYTHING = r"""{%- macro turn(role, name=none) -%}
<{{ role }}{{ ' ' ~ name if name else '' }}>{{ caller(role | length) }}</{{ role }}>
{% endmacro %}
{%- set visible = messages | rejectattr('role', 'in', ['tool', 'system']) | list %}
{%- set roles = messages | map(attribute='role') | unique | list %}
roles: {{ roles | join('/') }} last: {{ (messages | last).role | default('none') }} n={{ visible | count }}
{% for message in messages if message.role != 'system' -%}
    {%- if loop.index > 4 %}{% break %}{% endif %}
    {%- if not message.content %}{% continue %}{% endif %}
    {%- call(n) turn(message.role, name=message.name) -%}
        {{ n }}:{{ message.content if message.content is string else message.content | map(attribute='text') | select('string') | join(' ') }}
    {%- endcall %}
{% else %}
nothing
{% endfor %}
{%- for tool in tools or [] %}
{{ loop.index }}/{{ loop.length }} {{ tool.function.name | title }}:
{%- for key, value in tool.function.parameters.properties | dictsort %} {{ key }}={{ value.type }}{% endfor %}
{% endfor %}
{%- set text %}{% filter upper | trim %}  {{ messages[0].role }}  {% endfilter %}{% endset %}
{{ text | replace('E', '3') }} {{ '%s has %d' % (text, visible | length) }} {{ text[::-1] }}
{%- with total = visible | length, more = 1 %} {{ total + more }}{% endwith %}
{% if add_generation_prompt %}{{ cycler('a', 'b').next() }}{% endif -%}
"""


def templates(folder=None):
    """EVERYTHING and, by their file names, the *.jinja files of a folder: templates of models that you have."""
    files = sorted(pathlib.Path(folder).glob("*.jinja")) if folder else []
    return {"everything": EVERYTHING} | {file.stem: file.read_bytes().decode() for file in files}
