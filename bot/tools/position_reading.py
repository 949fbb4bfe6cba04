"""Parses text for the referee: placements `U0,0=135` show corners or sides in order (RULES §2); tiles are `1-3-5`."""

import sys
from collections.abc import Collection, Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import product
from typing import BinaryIO, Final

from engine.board.board import Board, Placement
from engine.board.tiles import WILD, WILD_TEXT, Tile, kind_of_set, parse_labels, tile_text
from engine.families import DominoRules, StarRules
from engine.match.errors import RuleBroken, Why
from engine.match.rules import Opening, Reward, Rules, Score, judge, pips_of
from engine.record.text import parse_placement


def with_set_of(rules: Rules, shown: Collection[Tile], named: Collection[str] = ()) -> Rules:
    """Return the rules with the smallest tile set that holds all `shown` tiles that exist, unless it
    is among `named`.
    """
    if not isinstance(rules, DominoRules):
        return rules
    # Of one kind: a set with mirror images would contain tiles that exist in no set.
    alike = [name for name in rules.tile_sets if kind_of_set(name) == kind_of_set(rules.tile_set)]
    sets = (rules.tile_set,) if "tile_set" in named else dict.fromkeys((rules.tile_set, *alike))
    bosses = (rules.boss,) if "boss" in named else dict.fromkeys((rules.boss, *rules.readings()["boss"]))
    offered = [rules.with_option("tile_set", name).with_option("boss", boss) for name, boss in product(sets, bosses)]
    wider = sorted((one for one in offered if {*rules.tiles} <= {*one.tiles}), key=lambda one: len(one.tiles))
    needed = {*shown} & {*wider[-1].tiles}
    return next(one for one in wider if needed <= {*one.tiles})


def refusal(broken: RuleBroken, rules: Rules) -> str:
    facts = broken.facts
    match broken.why:
        case Why.NO_SUCH_TILE:
            twin = facts["exists"]
            hint = f"; the set has {_tile(twin)}, which reads the other way round" if twin else ""
            return f"there is no tile that reads {_tile(facts['tile'])} clockwise{hint}"
        case Why.OCCUPIED:
            return f"{facts['cell']} already holds {_tile(facts['by'])}"
        case Why.TILE_ALREADY_PLAYED:
            return f"{_tile(facts['tile'])} is already on the table"
        case Why.OFF_THE_BOARD:
            return f"{facts['cell']} is not on the board"
        case Why.NO_SIDE_CONTACT:
            return f"{facts['cell']} shares no side with a tile"
        case Why.NOT_NEXT_TO_LAST:
            # Where corners may meet, a cell is out of reach by its corners too.
            corner = " and no corner that can be played" if isinstance(rules, StarRules) else ""
            return f"{facts['cell']} shares no side{corner} with the last tile"
        case Why.SIDE_MISMATCH | Why.CORNER_MISMATCH:
            return _mismatch(broken, rules)
        case _:
            # A referee knows no hands and turns, so no other reason occurs.
            return "the rules forbid it"


def _mismatch(broken: RuleBroken, rules: Rules) -> str:
    facts = broken.facts
    needs, shows = facts["needs"], facts["shows"]
    place = "side" if broken.why is Why.SIDE_MISMATCH else "corner"
    where = f"{place} {facts['place']} of {facts['cell']}"
    if isinstance(needs, tuple) and isinstance(shows, tuple):
        return f"{where} must lie between {_pair(needs)} and lies between {_pair(shows)}"
    said = f"{where} carries {needs} and the tile shows {shows}"
    return f"{said}, which make no multiple of five" if rules.fit.fives else said


def _pair(numbers: Sequence[int | None]) -> str:
    return " and ".join("any" if one is None else WILD_TEXT if one == WILD else str(one) for one in numbers)


def scored(earned: Score, *, opens: bool, drawn: int, cost: int, follows: str = "") -> str:
    """Return `Legal, 45 points: 5 + 50 (1 hexagon) - 10 (2 drawn).`; `follows` is an additional bonus or turn."""
    arithmetic = str(earned.base)
    if earned.bonus:
        arithmetic += f" + {earned.bonus} ({_reason(earned, opens=opens)})"
    if drawn:
        arithmetic += f" - {cost} ({drawn} drawn)"
    then = f", then {follows}" if follows else ""
    return f"Legal, {counted(earned.points - cost, 'point')}: {arithmetic}{then}."


def follows(reward: Reward | None, *, extra_turn: bool) -> str:
    if reward is not None:
        joined = "and" if reward.both else "or"
        return f"{counted(reward.points, 'point')} {joined} {counted(reward.tiles, 'more tile')}"
    return "a further turn" if extra_turn else ""


def _reason(earned: Score, *, opens: bool) -> str:
    if opens:
        return "opening"
    reasons = [counted(earned.hexagons, "hexagon")] if earned.hexagons else []
    return " and ".join([*reasons, "bridge"] if earned.bridge else reasons)


def opening(seat: int, tiles: Sequence[str], points: Sequence[int], rewards: Sequence[str]) -> str:
    scores = points[:1] if len(set(points)) == 1 else points
    told = f"Seat {seat} opens with {' or '.join(tiles)} and scores {' or '.join(map(str, scores))}"
    if not any(rewards):
        return f"{told}."
    brought = [f"{tile} brings {reward}" for tile, reward in zip(tiles, rewards, strict=True) if reward]
    return f"{told}; {', '.join(brought)}."


def block(awards: Sequence[int]) -> str:
    return f"Awards by seat: {', '.join(map(str, awards))}."


def counted(number: int, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"


def _tile(tile: object) -> str:
    assert isinstance(tile, tuple)
    return tile_text(tile)


LABELS = "1355"  # labels in the example of an error message
MOST_TEXT: Final = 20_000  # characters of a case: all 714 tiles of the largest set take half of it
MOST_OPTIONS: Final = 40  # twice as many as any game has; each creates new rules


class Unreadable(ValueError):  # noqa: N818 - the input is what is unreadable
    """Unreadable input. The message says where and why, in one line."""


@dataclass(frozen=True, slots=True)
class Case:
    rules: Rules
    board: Board
    move: Placement
    drawn: int  # tiles drawn in the turn before the move


def case(rules: Rules, position: str, move: str, drawn: str = "0", options: Sequence[str] = ()) -> Case:
    """Parse one case. With an empty position the move opens a round, and nothing can be drawn."""
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
    """Parse `POSITION ; MOVE [; drawn=N] [; option=value]...`; `options` hold for every line."""
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
    """Return the rules, and who opens with these hands by seat, separated by slashes."""
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
    """Parse the totals of the hands: `23,15,27`."""
    most = pips_of(rules.tiles)
    numbers = [number("totals", text, 0, most) for text in totals.split(",")]
    _seats(rules, "totals", len(numbers))
    return numbers


def hand_counts(rules: Rules, tiles: str, seats: int) -> list[int]:
    """Parse the numbers of tiles in the hands: `3,2,4`."""
    numbers = [number("tiles", text, 0, len(rules.tiles)) for text in tiles.split(",")]
    if len(numbers) != seats:
        raise Unreadable(f"tiles: {len(numbers)} given for {seats} totals")
    return numbers


def one_tile(rules: Rules, text: str, where: str) -> Tile:
    tile = rules.lay(rules.plane.first, _labels(rules, text, where)).tile
    if tile not in rules.tiles:
        raise Unreadable(f"{where}: NO_SUCH_TILE: {rules.game} has no tile {tile_text(tile)}")
    return tile


def number(where: str, text: str, least: int, most: int) -> int:
    digits = text.strip()
    if digits.isascii() and digits.isdigit() and len(digits) <= 6 and least <= int(digits) <= most:
        return int(digits)
    raise Unreadable(f"{where}: {digits!r} is no whole number from {least} to {most}")


def with_options(rules: Rules, options: Sequence[str]) -> Rules:
    """Apply `name=value` options (RULES §3.1) in order."""
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
    """Return standard input. Raises Unreadable if it is closed."""
    if sys.stdin is None:
        raise Unreadable("standard input is closed; name a file, or hand one over with a pipe or <")
    return sys.stdin.buffer


def require_short(where: str, text: str) -> None:
    if len(text) > MOST_TEXT:
        raise Unreadable(f"{where}: longer than {MOST_TEXT} characters")


def named(options: Sequence[str]) -> set[str]:
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
    """Return the tiles of a hand that can be parsed, whether or not the set has them."""
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
