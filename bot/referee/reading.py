"""Text into what the engine judges: positions, moves, hands, totals, options.

`U0,0=135` shows 1, 3, 5 on corners 0, 1, 2 of the cell (RULES §2); a tile in a hand is `1-3-5`.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from bot.referee.sentences import refusal
from engine.board import Board, Placement
from engine.errors import RuleBroken
from engine.opening import Opening, opening
from engine.placing import judge
from engine.record.positions import parse_placement
from engine.rules import Rules
from engine.tiles import Tile, canonical, parse_labels, tile_text


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
    board = table(rules, position)
    tiles = number("drawn", drawn, 0, rules.most_draws)
    if tiles and not board.placed:
        raise Unreadable("drawn: nobody draws before the opening; drawn must be 0 on an empty position")
    if not move.strip():
        raise Unreadable(f"move: missing; write it like {rules.plane.first}=135")
    return Case(rules, board, _placement(rules, move, "move"), tiles)


def case_line(rules: Rules, line: str) -> Case:
    """Read `POSITION ; MOVE [; drawn=N] [; option=value]...`."""
    position, *rest = line.split(";")
    if not rest:
        raise Unreadable("a case is POSITION ; MOVE, with a semicolon between them")
    move, *settings = rest
    drawn = [text for text in settings if text.partition("=")[0].strip() == "drawn"]
    if len(drawn) > 1:
        raise Unreadable("drawn: given more than once")
    options = [text for text in settings if text not in drawn]
    return case(rules, position, move, drawn[0].partition("=")[2] if drawn else "0", options)


def table(rules: Rules, position: str) -> Board:
    """The board of a position, its tiles in a legal order of placement."""
    board = Board(rules.plane)
    for count, text in enumerate(position.split(), 1):
        placement = _placement(rules, text, f"position, tile {count} {text!r}")
        try:
            judge(board, placement, rules)
        except RuleBroken as broken:
            raise Unreadable(f"position, tile {count} {text!r}: {broken.why}: {refusal(broken)}") from broken
        board.place(placement)
    return board


def opener(rules: Rules, hands: str) -> Opening:
    """Who opens when these hands were dealt: seats in order, a slash between them."""
    held = [_hand(rules, text, seat) for seat, text in enumerate(hands.split("/"))]
    _seats(rules, "hands", len(held))
    everything = [tile for hand in held for tile in hand]
    twice = next((tile for tile in everything if everything.count(tile) > 1), None)
    if twice:
        raise Unreadable(f"hands: {tile_text(twice)} is there twice")
    if rules.opening_choice == "any_tile":
        raise Unreadable("opening: under opening_choice=any_tile the opener is found by lot, not by the hands")
    return opening(held, rules)


def hand_totals(rules: Rules, totals: str) -> list[int]:
    """What every seat still holds: `23,15,27`."""
    most = sum(map(sum, rules.tiles))
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
    tile = canonical(_labels(rules, text, where))
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
    for text in options:
        name, _, value = (part.strip() for part in text.partition("="))
        if not name or not value:
            raise Unreadable(f"option: {text.strip()!r} is no option; write it as name=value")
        try:
            rules = rules.with_option(name, value)
        except ValueError as error:
            raise Unreadable(f"option: {error}") from error
    return rules


def _seats(rules: Rules, where: str, count: int) -> None:
    if not rules.min_seats <= count <= rules.max_seats:
        raise Unreadable(f"{where}: {count} given; {rules.game} is for {rules.min_seats} to {rules.max_seats} seats")


def _hand(rules: Rules, text: str, seat: int) -> list[Tile]:
    tiles = [one_tile(rules, tile, f"hands, seat {seat}") for tile in text.split()]
    if not tiles:
        raise Unreadable(f"hands, seat {seat}: no tiles; write hands like 0-4-5 3-3-3 / 4-4-4 0-0-1")
    return tiles


def _placement(rules: Rules, text: str, where: str) -> Placement:
    try:
        return parse_placement(text, rules.plane)
    except ValueError as error:
        raise Unreadable(f"{where}: {error}") from error


def _labels(rules: Rules, text: str, where: str) -> Tile:
    try:
        return parse_labels(text, rules.plane.sides)
    except ValueError as error:
        raise Unreadable(f"{where}: {error}") from error
