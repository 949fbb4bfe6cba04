"""A parser of Discord's Markdown, for tests of hostile names.

It follows Discord's help pages "Markdown Text 101" and "Message Formatting", and the rules of simple-markdown.
It recognizes more than Discord does, so that it covers every known client.
"""

import re
from collections.abc import Iterator
from typing import NamedTuple


class TextSpan(NamedTuple):
    """A part of a text with its formatting, outermost first."""

    kinds: tuple[str, ...]
    text: str


ESCAPE = re.compile(r"\\([^0-9A-Za-z\s])")
ATOMIC_PATTERNS = {
    "fence": re.compile(r"```[\s\S]+?```"),
    "code": re.compile(r"(`+)[\s\S]*?[^`]\1(?!`)"),
    "link": re.compile(r"(?:https?|steam|discord)://[^\s<]+|<[^: >]+:/[^ >]+>|\[[^\[\]]*\]\([^)]*\)"),
    "mention": re.compile(r"<@[!&]?\d+>|<#\d+>|</[^>]+:\d+>|<id:\w+>|@everyone|@here"),
    "time": re.compile(r"<t:-?\d+(?::\w)?>"),
    "emoji": re.compile(r"<a?:\w+:\d+>|:[^\s:]+:"),
}
NESTED_PATTERNS = {
    "strong": re.compile(r"\*\*((?:\\[\s\S]|[^\\])+?)\*\*(?!\*)"),
    "underlined": re.compile(r"__((?:\\[\s\S]|[^\\])+?)__(?!_)"),
    "struck": re.compile(r"~~((?:\\[\s\S]|[^\\])+?)~~"),
    "spoiler": re.compile(r"\|\|((?:\\[\s\S]|[^\\])+?)\|\|"),
    "leaning": re.compile(r"\*(?=\S)((?:\\[\s\S]|[^\\*])+?)\*(?!\*)|_((?:\\[\s\S]|[^\\_])+?)_"),
}
LINE_PREFIX = re.compile(r"(?:#{1,3} +|-# +|>>> |> | *[-*+] +| *\d+\. +)")

UNESCAPABLE = re.compile(r"\w+://\S|(?:discord\.gg|discord(?:app)?\.com/invite)/\w|@(?:everyone|here)", re.IGNORECASE)
"""Patterns that Discord recognizes even in escaped text."""

MESSAGE_ONLY = re.compile(r"<@[!&]?\d|<#\d|</[^>]+:\d+>|<t:|<a?:\w+:\d")
"""Patterns that Discord recognizes in messages but not in titles."""


def parse_markdown(text: str) -> list[TextSpan]:
    found: list[TextSpan] = []
    for number, line in enumerate(text.split("\n")):
        if number:
            _append_span(found, (), "\n")
        head = LINE_PREFIX.match(line)
        if head:
            found.append(TextSpan(("line",), head[0].strip()))
            line = line[head.end() :]
        for kinds, shown in _iterate_inline(line, ()):
            _append_span(found, kinds, shown)
    return found


def _append_span(found: list[TextSpan], kinds: tuple[str, ...], text: str) -> None:
    if found and found[-1].kinds == kinds and kinds != ("line",):
        found[-1] = TextSpan(kinds, found[-1].text + text)
    else:
        found.append(TextSpan(kinds, text))


def _iterate_inline(text: str, outer_kinds: tuple[str, ...]) -> Iterator[tuple[tuple[str, ...], str]]:
    position = 0
    while position < len(text):
        if escaped := ESCAPE.match(text, position):
            yield outer_kinds, escaped[1]
            position = escaped.end()
            continue
        for kind, pattern in ATOMIC_PATTERNS.items():
            if hit := pattern.match(text, position):
                yield (*outer_kinds, kind), hit[0]
                break
        else:
            for kind, pattern in NESTED_PATTERNS.items():
                if hit := pattern.match(text, position):
                    yield from _iterate_inline(
                        next(inner for inner in hit.groups() if inner is not None), (*outer_kinds, kind)
                    )
                    break
        if hit is None:
            yield outer_kinds, text[position]
            position += 1
        else:
            position = hit.end()
