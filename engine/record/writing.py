"""Write events as the lines of a record."""

from collections.abc import Iterable, Iterator, Sequence
from typing import assert_never

from engine.board.board import Placement
from engine.board.tiles import pips, tile_text
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
from engine.match.rules import Rules, pips_of
from engine.record.header import Header, header_lines
from engine.record.text import FOLLOWS, TAKES_BACK, seat_name, tiles_text


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
    return "\n".join((*header_lines(header, standard), *_body(first.seats, rest))) + "\n"


def _body(seats: int, events: Iterable[Event]) -> Iterator[str]:
    scribe = Scribe(seats)
    for event in events:
        if isinstance(event, Dealt | RoundEnded | MatchEnded):
            yield ""
        told = scribe.lines(event)
        yield from told
        if isinstance(event, Dealt):
            yield ""


class Scribe:
    """Writes events one after another, with the count of plays and the totals."""

    def __init__(self, seats: int) -> None:
        self.totals = [0] * seats
        self.plays = 0
        self._before: list[tuple[int, list[int]]] = []  # who placed, with the totals before

    def lines(self, event: Event) -> list[str]:
        """Return the lines of the next event. Started is the header, not a line."""
        match event:
            case Dealt():
                return self._deal(event)
            case Placed():
                self._before.append((event.seat, self.totals.copy()))
                score = self._score(event.seat, event.points)
                return [self._play(event.seat, f"plays {_arithmetic(event)}{score}{FOLLOWS[event.follows]}")]
            case Chose(seat, option, points, tiles):
                return [self._play(seat, f"chooses {chosen_text(option, tiles)}: {self._score(seat, points)}")]
            case Drew(seat, tile):
                if tile is None:
                    raise ValueError("what was drawn has been left out of this log")
                return [self._play(seat, f"draws {tile_text(tile)}")]
            case Passed(seat, drawn, points):
                after = f" after {drawn} drawn" if drawn else ""
                return [self._play(seat, f"passes{after}: {self._score(seat, points)}")]
            case Resigned(seat):
                return [self._play(seat, "resigns")]
            case Undone(seat, agreed):
                self._take_back(seat)
                return [self._play(seat, TAKES_BACK[agreed])]
            case RoundEnded():
                return self._round_end(event)
            case MatchEnded(totals, places):
                ranks = (
                    f"{seat_name(seat)} {total} place {place}"
                    for seat, (total, place) in enumerate(zip(totals, places, strict=True))
                )
                return [f"match ends: {', '.join(ranks)}"]
            case Started():
                raise ValueError("a match starts once")
            case _:
                assert_never(event)

    def _play(self, seat: int, what: str) -> str:
        self.plays += 1
        return f"{self.plays} {seat_name(seat)} {what}"

    def _score(self, seat: int, points: int) -> str:
        self.totals[seat] += points
        return f"{points:+} -> {self.totals[seat]}"

    def _take_back(self, seat: int) -> None:
        while self._before:
            placed, self.totals = self._before.pop()
            if placed == seat:
                return
        raise ValueError(f"{seat_name(seat)} has placed nothing to take back")

    def _deal(self, event: Dealt) -> list[str]:
        hand = event.hands[event.opener]
        any_tile = len(hand) > 1 and event.choices == tuple(sorted(hand))
        choices = "any tile" if any_tile else " or ".join(map(tile_text, event.choices))
        return [
            f"round {event.round}",
            *(f"{seat_name(seat)} is dealt {tiles_text(tiles)}" for seat, tiles in enumerate(event.hands)),
            f"boneyard: {tiles_text(event.boneyard)}",
            *([f"set aside: {tiles_text(event.aside)}"] if event.aside else []),
            f"{seat_name(event.opener)} opens with {choices}",
        ]

    def _round_end(self, event: RoundEnded) -> list[str]:
        how = "blocked" if event.out is None else f"{seat_name(event.out)} is out"
        told = [f"round {event.round} ends: {how}"]
        for seat, (hand, award) in enumerate(zip(event.hands, event.awards, strict=True)):
            held = f"{tiles_text(hand)} = {pips_of(hand)}" if hand else tiles_text(hand)
            told.append(f"{seat_name(seat)} holds {held}: {self._score(seat, award)}")
        return told


def chosen_text(option: str, tiles: int) -> str:
    """Format a choice: `points`, `2 tiles`, `points and 2 tiles`, `to stop`."""
    if option == "stop":
        return "to stop"
    told = f"{tiles} tile{'' if tiles == 1 else 's'}"
    return {"points": "points", "tiles": told, "both": f"points and {told}" if tiles else "points alone"}[option]


def _arithmetic(event: Placed) -> str:
    """Format a placement with its sum, if it has one: `U0,0=113: 5 + 50 for 1 hexagon - 10 for 2 drawn = `."""
    placement = Placement(event.tile, event.cell, event.rotation)
    told = f"{placement}{WAYS[event.corner, event.matched > 0].format(event.matched)}: "
    if event.beside is not None:
        told += f"{pips(event.tile)} and {event.beside} count "
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
    return f"{told}{event.base}{sums} = " if sums or event.beside is not None else told


WAYS = {
    (False, False): "",
    (False, True): " matching {}",
    (True, False): " from corner to corner",
    (True, True): " from corner to corner",
}
"""How a tile was placed, if that counts: by matched corners, or touching only in a point."""
