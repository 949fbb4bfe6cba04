"""What happened, a line each: for the board, the text board, alt texts and the ledger.

Everything here is made from redacted events. Points carry a real minus sign.
"""

from collections.abc import Sequence
from typing import assert_never

from bot.views.moves import tile_name, where
from bot.views.sentences import arithmetic, number_text, points_text
from data.words import Words
from engine.events import Chose, Dealt, Drew, MatchEnded, Passed, Placed, Resigned, RoundEnded, Started, Undone
from engine.rules import Rules
from engine.story import Told
from engine.table.terms import CLASSIC
from engine.tiles import tile_text


def line(
    words: Words, told: Told, rules: Rules, names: Sequence[str], *, theme: str = CLASSIC, located: bool = False
) -> str | None:
    """One line about what happened; None for what needs no line of its own. `located` tells where a tile went.

    It names no letter: letters move on with the board, and people read this beside the board as it is now.
    """
    match told.event:
        case Placed() as placed:
            return _placed(words, told, placed, rules, names, theme=theme, located=located)
        case Chose(seat, option, points, tiles):
            chosen = "points" if option == "both" and not tiles else option
            return words(
                f"event.chose_{chosen}",
                name=f"**{names[seat]}**",
                points=f"**{points_text(points)}**",
                tiles=words("count.more_tiles", n=tiles),
                total=number_text(told.totals[seat]),
            )
        case Passed(seat, drawn, points):
            key = "event.passed_drew" if drawn else "event.passed"
            if rules.may_draw_freely:
                # Whether the seat could have placed a tile is nobody else's business.
                key = "event.stayed_out_drew" if drawn else "event.stayed_out"
            elif not points:
                key += "_free"
            return words(
                key,
                name=f"**{names[seat]}**",
                drawn=drawn,
                points=f"**{points_text(points)}**",
                total=number_text(told.totals[seat]),
            )
        case Resigned(seat):
            return words("event.resigned", name=f"**{names[seat]}**")
        case Undone(seat, agreed):
            assert told.tile is not None
            return words(
                "event.undone_agreed" if agreed else "event.undone",
                name=f"**{names[seat]}**",
                tile=tile_name(told.tile, theme),
                total=number_text(told.totals[seat]),
                totals=totals_text(names, told.totals),
            )
        case RoundEnded() as ended:
            return "\n".join(award_lines(words, ended, told.totals, names))
        case Started() | Dealt() | Drew() | MatchEnded():
            return None
        case _:
            assert_never(told.event)


def _placed(
    words: Words, told: Told, placed: Placed, rules: Rules, names: Sequence[str], *, theme: str, located: bool
) -> str:
    sums = arithmetic(words, placed, rules, tile=placed.tile, opening=told.opening, drawn=placed.drawn)
    at = where(words, placed.cell, told.beside, theme) if located else ""
    key = "event.opened" if told.opening else "event.placed_at" if at else "event.placed"
    if placed.corner and not at:
        key = "event.corner"
    facts = {"where": at} if key == "event.placed_at" else {}
    return words(
        key if sums else f"{key}_bare",
        name=f"**{names[placed.seat]}**",
        tile=tile_name(placed.tile, theme),
        arithmetic=sums,
        total=number_text(told.totals[placed.seat]),
        **facts,
    )


def turn_lines(words: Words, told: Sequence[Told], rules: Rules, names: Sequence[str]) -> list[str]:
    """The same in short, a line a turn: the tiles it placed, what it scored, and the total."""
    turns: list[list[Told]] = []
    for one in told:
        seat = getattr(one.event, "seat", None)
        if seat is not None and turns and getattr(turns[-1][-1].event, "seat", None) == seat:
            turns[-1].append(one)
        else:
            turns.append([one])
    return [text for turn in turns for text in _in_short(words, turn, rules, names)]


def _in_short(words: Words, turn: Sequence[Told], rules: Rules, names: Sequence[str]) -> list[str]:
    placed = [one.event for one in turn if isinstance(one.event, Placed)]
    if not placed:
        return [text for one in turn if (text := line(words, one, rules, names))]
    points = sum(one.event.points for one in turn if isinstance(one.event, Placed | Chose))
    return [
        words(
            "event.turn",
            name=f"**{names[placed[0].seat]}**",
            tiles=words("and.comma").join(tile_text(event.tile) for event in placed),
            points=f"**{points_text(points)}**",
            total=number_text(turn[-1].totals[placed[0].seat]),
        )
    ]


def totals_text(names: Sequence[str], totals: Sequence[int]) -> str:
    """`Ada 10 · Grace 12`."""
    return " · ".join(f"{name} {number_text(total)}" for name, total in zip(names, totals, strict=True))


def award_lines(words: Words, ended: RoundEnded, totals: Sequence[int], names: Sequence[str]) -> list[str]:
    """How a round ended and who gained by it."""
    lines = [] if ended.out is not None else [words("event.blocked")]
    if ended.out is not None and not ended.awards[ended.out]:
        lines.append(words("event.out_bare", name=f"**{names[ended.out]}**"))
    for seat, award in enumerate(ended.awards):
        if award:
            key = "event.out" if seat == ended.out else "event.award"
            told = f"**{points_text(award)}**"
            lines.append(words(key, name=f"**{names[seat]}**", points=told, total=number_text(totals[seat])))
    return lines
