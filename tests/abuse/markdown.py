"""A parser of Discord's Markdown, for tests of hostile names.

It follows Discord's help pages "Markdown Text 101" and "Message Formatting", and the rules of simple-markdown.
It recognizes more than Discord does, so that it covers every known client.
"""

import re
from collections.abc import Iterator
from typing import NamedTuple


class Piece(NamedTuple):
    """A part of a text with its formatting, outermost first."""

    kinds: tuple[str, ...]
    text: str


ESCAPE = re.compile(r"\\([^0-9A-Za-z\s])")
WHOLE = {
    "fence": re.compile(r"```[\s\S]+?```"),
    "code": re.compile(r"(`+)[\s\S]*?[^`]\1(?!`)"),
    "link": re.compile(r"(?:https?|steam|discord)://[^\s<]+|<[^: >]+:/[^ >]+>|\[[^\[\]]*\]\([^)]*\)"),
    "mention": re.compile(r"<@[!&]?\d+>|<#\d+>|</[^>]+:\d+>|<id:\w+>|@everyone|@here"),
    "time": re.compile(r"<t:-?\d+(?::\w)?>"),
    "emoji": re.compile(r"<a?:\w+:\d+>|:[^\s:]+:"),
}
NESTED = {
    "strong": re.compile(r"\*\*((?:\\[\s\S]|[^\\])+?)\*\*(?!\*)"),
    "underlined": re.compile(r"__((?:\\[\s\S]|[^\\])+?)__(?!_)"),
    "struck": re.compile(r"~~((?:\\[\s\S]|[^\\])+?)~~"),
    "spoiler": re.compile(r"\|\|((?:\\[\s\S]|[^\\])+?)\|\|"),
    "leaning": re.compile(r"\*(?=\S)((?:\\[\s\S]|[^\\*])+?)\*(?!\*)|_((?:\\[\s\S]|[^\\_])+?)_"),
}
LINE = re.compile(r"(?:#{1,3} +|-# +|>>> |> | *[-*+] +| *\d+\. +)")

RAW = re.compile(r"\w+://\S|(?:discord\.gg|discord(?:app)?\.com/invite)/\w|@(?:everyone|here)", re.IGNORECASE)
"""Patterns that Discord recognizes even in escaped text."""

ANGLED = re.compile(r"<@[!&]?\d|<#\d|</[^>]+:\d+>|<t:|<a?:\w+:\d")
"""Patterns that Discord recognizes in messages but not in titles."""


def pieces(text: str) -> list[Piece]:
    found: list[Piece] = []
    for number, line in enumerate(text.split("\n")):
        if number:
            _add(found, (), "\n")
        head = LINE.match(line)
        if head:
            found.append(Piece(("line",), head[0].strip()))
            line = line[head.end() :]
        for kinds, shown in _inline(line, ()):
            _add(found, kinds, shown)
    return found


def _add(found: list[Piece], kinds: tuple[str, ...], text: str) -> None:
    if found and found[-1].kinds == kinds and kinds != ("line",):
        found[-1] = Piece(kinds, found[-1].text + text)
    else:
        found.append(Piece(kinds, text))


def _inline(text: str, around: tuple[str, ...]) -> Iterator[tuple[tuple[str, ...], str]]:
    at = 0
    while at < len(text):
        if escaped := ESCAPE.match(text, at):
            yield around, escaped[1]
            at = escaped.end()
            continue
        for kind, pattern in WHOLE.items():
            if hit := pattern.match(text, at):
                yield (*around, kind), hit[0]
                break
        else:
            for kind, pattern in NESTED.items():
                if hit := pattern.match(text, at):
                    yield from _inline(next(inner for inner in hit.groups() if inner is not None), (*around, kind))
                    break
        if hit is None:
            yield around, text[at]
            at += 1
        else:
            at = hit.end()
