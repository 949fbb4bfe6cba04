"""What a player has for themselves at a match: the tiles they have not seen, in words, and their own note."""

from typing import Any, Final

from discord import ui

from bot.service.tables import Table
from bot.views.harmless import safe
from bot.views.moves import tile_name
from bot.views.parts import Press, button, primary, said
from data.words import Words
from engine.seen import Seen, unseen
from engine.tiles import WILD, Tile

LONGEST_NOTE: Final = 500
"""Characters of a note: it stands in a message beside all that a hand has to say."""
MOST_LINES: Final = 12
"""Lines of a note, for the same reason."""


def own_buttons(table: Table, words: Words) -> list[ui.Button[Any]]:
    """The ways to both, from a hand."""
    match_id = table.head.match_id
    return [
        button(words("unseen.button"), Press("unseen", match_id)),
        button(words("note.button"), Press("note", match_id)),
    ]


def tidied(text: str) -> str:
    """A note as it is kept: no empty lines, and no more of it than a hand can show."""
    lines = [line.strip() for line in text[:LONGEST_NOTE].splitlines()]
    return "\n".join([line for line in lines if line][:MOST_LINES])


def own_note(words: Words, note: str) -> list[str]:
    """A note as its writer reads it; nothing where there is none."""
    lines = [line for line in map(safe, note.splitlines()) if line]
    return [words("note.shown"), *(f"> {line}" for line in lines)] if lines else []


def unseen_view(table: Table, seen: Seen, words: Words) -> ui.LayoutView:
    """The tiles that the viewer has not seen in this round, by their lowest number, and how often each number is on
    them. Only what `see` tells goes into it.
    """
    left, theme = unseen(seen), table.terms.theme
    back = primary(words("hand.back"), Press("hand", table.head.match_id))
    count = words("count.tiles", n=len(left))
    lines = [f"### {words('unseen.title', tiles=count)}"]
    if not left:
        return said("\n".join([*lines, words("unseen.none")]), back)
    lines += [f"-# {words('unseen.where', list=_where(seen, words))}"]
    groups: dict[int, list[Tile]] = {}
    for tile in left:
        groups.setdefault(_lowest(tile), []).append(tile)
    for number, tiles in sorted(groups.items()):
        named = "  ".join(tile_name(tile, theme) for tile in tiles)
        lines.append(f"**{tile_name((number,), theme)}**  {named}")
    shows = {number: sum(number in tile for tile in left) for number in _numbers(seen)}
    counts = "  ".join(f"{tile_name((number,), theme)}×{times}" for number, times in shows.items())
    lines.append(words("unseen.numbers", list=counts))
    return said("\n".join(lines), back)


def _where(seen: Seen, words: Words) -> str:
    """How many of them lie where, as everybody may count."""
    hidden = [seat for seat in seen.seats if seat.hand is None]
    told = {
        "board.well" if seen.rules.family == "quads" else "board.boneyard": seen.boneyard,
        "board.aside": seen.aside,
        "unseen.hands": sum(seat.tiles for seat in hidden if not seat.resigned),
        "unseen.left": sum(seat.tiles for seat in hidden if seat.resigned),
    }
    return " · ".join(words(key, count=count) for key, count in told.items() if count)


def _lowest(tile: Tile) -> int:
    """Its lowest number; a tile without any stands first."""
    return min((label for label in tile if label != WILD), default=WILD)


def _numbers(seen: Seen) -> list[int]:
    return sorted({label for tile in seen.rules.tiles for label in tile if label != WILD})
