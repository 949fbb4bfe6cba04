"""Write events as the lines of a record."""

from collections.abc import Iterable, Iterator, Sequence
from typing import assert_never

from engine.board.board import Placement
from engine.board.tiles import count_pips, format_tile_notation
from engine.match.events import (
    Chose,
    Dealt,
    Drew,
    Event,
    MatchEnded,
    Passed,
    Placed,
    Resigned,
    RoundEnded,
    Started,
    Undone,
)
from engine.match.rules import Rules, sum_pips
from engine.record.header import Header, iterate_header_lines
from engine.record.text import FOLLOWS, TAKES_BACK, format_seat, format_tiles


def write(events: Sequence[Event], standard: Rules, *, preset: str = "", date: str = "") -> str:
    """Write the record of a match. It reveals every hand, so no player may see it before the end. `standard` has the
    game's default rules; `preset` is the table's preset, `date` a day like `2026-02-28`. Raises ValueError if the
    events do not begin with Started.
    """
    if not events or not isinstance(events[0], Started):
        raise ValueError("a match begins with Started")
    first, rest = events[0], events[1:]
    secrets = [event.secret for event in rest if isinstance(event, MatchEnded)]
    header = Header(
        rules=first.rules,
        seats=first.seats,
        computers=first.computers,
        by_hand=first.by_hand,
        preset=preset,
        date=date,
        commitment=first.commitment,
        secret=secrets[0] if secrets else "",
        contributions=first.contributions,
    )
    head_starts = first.rules.list_head_starts(first.seats)
    return "\n".join((*iterate_header_lines(header, standard), *_iterate_body_lines(head_starts, rest))) + "\n"


def _iterate_body_lines(head_starts: Sequence[int], events: Iterable[Event]) -> Iterator[str]:
    writer = RecordWriter(head_starts)
    for event in events:
        if isinstance(event, Dealt | RoundEnded | MatchEnded):
            yield ""
        lines = writer.format_event(event)
        yield from lines
        if isinstance(event, Dealt):
            yield ""


class RecordWriter:
    """Writes events one after another, with the count of plays and the totals."""

    def __init__(self, head_starts: Sequence[int]) -> None:
        self.totals = list(head_starts)
        self.plays = 0
        self._before: list[tuple[int, list[int]]] = []  # who placed, with the totals before

    def format_event(self, event: Event) -> list[str]:
        """Return the lines of the next event. Started is the header, not a line."""
        match event:
            case Dealt():
                return self._format_deal(event)
            case Placed():
                self._before.append((event.seat, self.totals.copy()))
                score = self._add_points(event.seat, event.points)
                what = f"plays {_format_arithmetic(event)}{score}{FOLLOWS[event.follows]}"
                return [self._format_play(event.seat, what)]
            case Chose(seat, option, points, tiles):
                what = f"chooses {format_choice(option, tiles)}: {self._add_points(seat, points)}"
                return [self._format_play(seat, what)]
            case Drew(seat, tile):
                if tile is None:
                    raise ValueError("what was drawn has been left out of this log")
                return [self._format_play(seat, f"draws {format_tile_notation(tile)}")]
            case Passed(seat, drawn, points):
                after = f" after {drawn} drawn" if drawn else ""
                return [self._format_play(seat, f"passes{after}: {self._add_points(seat, points)}")]
            case Resigned(seat):
                return [self._format_play(seat, "resigns")]
            case Undone(seat, agreed):
                self._undo_placement(seat)
                return [self._format_play(seat, TAKES_BACK[agreed])]
            case RoundEnded():
                return self._format_round_end(event)
            case MatchEnded(totals, places):
                ranks = (
                    f"{format_seat(seat)} {total} place {place}"
                    for seat, (total, place) in enumerate(zip(totals, places, strict=True))
                )
                return [f"match ends: {', '.join(ranks)}"]
            case Started():
                raise ValueError("a match starts once")
            case _:
                assert_never(event)

    def _format_play(self, seat: int, what: str) -> str:
        self.plays += 1
        return f"{self.plays} {format_seat(seat)} {what}"

    def _add_points(self, seat: int, points: int) -> str:
        self.totals[seat] += points
        return f"{points:+} -> {self.totals[seat]}"

    def _undo_placement(self, seat: int) -> None:
        while self._before:
            placed, self.totals = self._before.pop()
            if placed == seat:
                return
        raise ValueError(f"{format_seat(seat)} has placed nothing to take back")

    def _format_deal(self, event: Dealt) -> list[str]:
        hand = event.hands[event.opener]
        any_tile = len(hand) > 1 and event.choices == tuple(sorted(hand))
        choices = "any tile" if any_tile else " or ".join(map(format_tile_notation, event.choices))
        return [
            f"round {event.round}",
            *(f"{format_seat(seat)} is dealt {format_tiles(tiles)}" for seat, tiles in enumerate(event.hands)),
            f"boneyard: {format_tiles(event.boneyard)}",
            *([f"set aside: {format_tiles(event.aside)}"] if event.aside else []),
            f"{format_seat(event.opener)} opens with {choices}",
        ]

    def _format_round_end(self, event: RoundEnded) -> list[str]:
        how = "blocked" if event.out is None else f"{format_seat(event.out)} is out"
        lines = [f"round {event.round} ends: {how}"]
        for seat, (hand, award) in enumerate(zip(event.hands, event.awards, strict=True)):
            held = f"{format_tiles(hand)} = {sum_pips(hand)}" if hand else format_tiles(hand)
            lines.append(f"{format_seat(seat)} holds {held}: {self._add_points(seat, award)}")
        return lines


def format_choice(option: str, tiles: int) -> str:
    """Format a choice: `points`, `2 tiles`, `points and 2 tiles`, `to stop`."""
    if option == "stop":
        return "to stop"
    text = f"{tiles} tile{'' if tiles == 1 else 's'}"
    return {"points": "points", "tiles": text, "both": f"points and {text}" if tiles else "points alone"}[option]


def _format_arithmetic(event: Placed) -> str:
    """Format a placement with its sum, if it has one: `U0,0=113: 5 + 50 for 1 hexagon - 10 for 2 drawn = `."""
    placement = Placement(event.tile, event.cell, event.rotation)
    text = f"{placement}{CONTACT_TEXT[event.corner, event.matched > 0].format(event.matched)}: "
    if event.beside is not None:
        text += f"{count_pips(event.tile)} and {event.beside} count "
    reasons = []
    if event.hexagons:
        reasons.append(f"{event.hexagons} hexagon{'' if event.hexagons == 1 else 's'}")
    if event.bridge:
        reasons.append("a bridge")
    sums = ""
    if event.bonus or reasons:
        sums += f" + {event.bonus} for {' and '.join(reasons) or 'the opening'}"
    if event.drawn:
        sums += f" - {event.base + event.bonus - event.points} for {event.drawn} drawn"
    return f"{text}{event.base}{sums} = " if sums or event.beside is not None else text


CONTACT_TEXT = {
    (False, False): "",
    (False, True): " matching {}",
    (True, False): " from corner to corner",
    (True, True): " from corner to corner",
}
"""How a tile was placed, if that counts: by matched corners, or touching only in a point."""
