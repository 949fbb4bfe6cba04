"""Text into what the engine judges: positions, moves, hands, totals, options.

`U0,0=135` shows 1, 3, 5 on corners (or sides) 0, 1, 2 of the cell (RULES §2); a tile in a hand is `1-3-5`.
"""

import sys
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import BinaryIO, Final

from bot.referee.sentences import refusal
from bot.referee.sets import with_set_of
from engine.board import Board, Placement
from engine.errors import RuleBroken
from engine.record.text import parse_placement
from engine.rules import Opening, Rules, judge, pips_of
from engine.tiles import Tile, parse_labels, tile_text

LABELS = "1355"
"""What a tile of a message shows."""

MOST_TEXT: Final = 20_000
"""No case is longer, in characters: all 714 tiles of the largest set take half of it."""

MOST_OPTIONS: Final = 40
"""No game has half as many, and rules are made anew for each."""


class Unreadable(ValueError):  # noqa: N818 - what the person wrote is what cannot be read
    """What was written makes no case to judge. The message says where and why, in one line."""


@dataclass(frozen=True, slots=True)
class Case:
    """A move to be judged on a legal table."""

    rules: Rules
    board: Board
    move: Placement
    drawn: int
    """Tiles drawn in the turn before the move."""


def case(rules: Rules, position: str, move: str, drawn: str = "0", options: Sequence[str] = ()) -> Case:
    """Read one case. An empty position makes the move the opening of a round, which nobody draws before."""
    rules = with_options(rules, options)
    require_short("position", position)
    lying = [(text, _placement(rules, text, _where(count, text))) for count, text in enumerate(position.split(), 1)]
    tiles = _draws(rules, drawn)
    if tiles and not lying:
        raise Unreadable("drawn: nobody draws before the opening; drawn must be 0 on an empty position")
    if not move.strip():
        raise Unreadable(f"move: missing; write it like {_like(rules)}")
    moved = _placement(rules, move, "move")
    rules = with_set_of(rules, [lies.tile for _, lies in (*lying, ("", moved))], named(options))
    board = rules.board()
    for count, (text, lies) in enumerate(lying, 1):
        try:
            judge(board, lies, rules)
        except RuleBroken as broken:
            raise Unreadable(f"{_where(count, text)}: {broken.why}: {refusal(broken, rules)}") from broken
        board.place(lies)
    return Case(rules, board, moved, tiles)


def _where(count: int, text: str) -> str:
    return f"position, tile {count} {text!r}"


def _like(rules: Rules) -> str:
    return f"{rules.plane.first}={LABELS[: rules.plane.sides]}"


def _draws(rules: Rules, text: str) -> int:
    if not rules.has_boneyard and text.strip() != "0":
        raise Unreadable(f"drawn: in {rules.game} nobody draws; leave drawn out")
    return number("drawn", text, 0, rules.most_draws)


def case_line(rules: Rules, line: str, options: Sequence[str] = ()) -> Case:
    """Read `POSITION ; MOVE [; drawn=N] [; option=value]...`; `options` hold for every line."""
    require_short("a case", line)
    position, *rest = line.split(";")
    if not rest:
        raise Unreadable("a case is POSITION ; MOVE, with a semicolon between them")
    move, *settings = rest
    drawn = [text for text in settings if text.partition("=")[0].strip() == "drawn"]
    if len(drawn) > 1:
        raise Unreadable("drawn: given more than once")
    own = [text for text in settings if text not in drawn]
    return case(rules, position, move, drawn[0].partition("=")[2] if drawn else "0", (*options, *own))


def opener(rules: Rules, hands: str, options: Sequence[str] = ()) -> tuple[Rules, Opening]:
    """Who opens when these hands were dealt, seats in order with a slash between them, and by which rules."""
    rules = with_options(rules, options)
    require_short("hands", hands)
    rules = with_set_of(rules, [tile for text in hands.split("/") for tile in _written(rules, text)], named(options))
    held = [_hand(rules, text, seat) for seat, text in enumerate(hands.split("/"))]
    _seats(rules, "hands", len(held))
    everything = [tile for hand in held for tile in hand]
    twice = next((tile for tile in everything if everything.count(tile) > 1), None)
    if twice:
        raise Unreadable(f"hands: {tile_text(twice)} is there twice")
    if rules.by_lot:
        raise Unreadable("opening: under opening_choice=any_tile the opener is found by lot, not by the hands")
    return rules, rules.opening(held)


def hand_totals(rules: Rules, totals: str) -> list[int]:
    """What every seat still holds: `23,15,27`."""
    most = pips_of(rules.tiles)
    numbers = [number("totals", text, 0, most) for text in totals.split(",")]
    _seats(rules, "totals", len(numbers))
    return numbers


def hand_counts(rules: Rules, tiles: str, seats: int) -> list[int]:
    """How many tiles every seat still holds: `3,2,4`."""
    numbers = [number("tiles", text, 0, len(rules.tiles)) for text in tiles.split(",")]
    if len(numbers) != seats:
        raise Unreadable(f"tiles: {len(numbers)} given for {seats} totals")
    return numbers


def one_tile(rules: Rules, text: str, where: str) -> Tile:
    """A tile of the set, in whichever rotation it is written."""
    tile = rules.lay(rules.plane.first, _labels(rules, text, where)).tile
    if tile not in rules.tiles:
        raise Unreadable(f"{where}: NO_SUCH_TILE: {rules.game} has no tile {tile_text(tile)}")
    return tile


def number(where: str, text: str, least: int, most: int) -> int:
    """A whole number from `least` to `most`."""
    digits = text.strip()
    if digits.isascii() and digits.isdigit() and len(digits) <= 6 and least <= int(digits) <= most:
        return int(digits)
    raise Unreadable(f"{where}: {digits!r} is no whole number from {least} to {most}")


def with_options(rules: Rules, options: Sequence[str]) -> Rules:
    """The rules under `name=value` options (RULES §3.1), one after the other."""
    if len(options) > MOST_OPTIONS:
        raise Unreadable(f"option: {len(options)} given; a case has at most {MOST_OPTIONS}")
    for text in options:
        name, _, value = (part.strip() for part in text.partition("="))
        if not name or not value:
            raise Unreadable(f"option: {text.strip()!r} is no option; write it as name=value")
        try:
            rules = rules.with_option(name, value)
        except ValueError as error:
            raise Unreadable(f"option: {error}") from error
    return rules


def standard_input() -> BinaryIO:
    """What is handed to the command as it runs. Raises Unreadable where whoever started it has closed that."""
    if sys.stdin is None:
        raise Unreadable("standard input is closed; name a file, or hand one over with a pipe or <")
    return sys.stdin.buffer


def require_short(where: str, text: str) -> None:
    """Raise Unreadable for a text that is longer than any case."""
    if len(text) > MOST_TEXT:
        raise Unreadable(f"{where}: longer than {MOST_TEXT} characters")


def named(options: Sequence[str]) -> set[str]:
    """The names in `name=value` options."""
    return {text.partition("=")[0].strip() for text in options}


def _seats(rules: Rules, where: str, count: int) -> None:
    if not rules.min_seats <= count <= rules.max_seats:
        raise Unreadable(f"{where}: {count} given; {rules.game} is for {rules.min_seats} to {rules.max_seats} seats")


def _hand(rules: Rules, text: str, seat: int) -> list[Tile]:
    tiles = [one_tile(rules, tile, f"hands, seat {seat}") for tile in text.split()]
    if not tiles:
        like = "0-4-5 3-3-3 / 4-4-4 0-0-1" if rules.plane.sides == 3 else "0-4-4-5 3-3-3-3 / 4-4-4-4 0-0-0-1"
        raise Unreadable(f"hands, seat {seat}: no tiles; write hands like {like}")
    return tiles


def _written(rules: Rules, text: str) -> list[Tile]:
    """The tiles of a hand that can be read, whether or not the set has them."""
    found = []
    for word in text.split():
        with suppress(ValueError):
            found.append(rules.lay(rules.plane.first, parse_labels(word, rules.plane.sides)).tile)
    return found


def _placement(rules: Rules, text: str, where: str) -> Placement:
    try:
        return parse_placement(text, rules)
    except ValueError as error:
        raise Unreadable(f"{where}: {error}") from error


def _labels(rules: Rules, text: str, where: str) -> Tile:
    try:
        return parse_labels(text, rules.plane.sides)
    except ValueError as error:
        raise Unreadable(f"{where}: {error}") from error
