"""Parses text for the referee: placements `U0,0=135` show corners or sides in order (RULES §2); tiles are `1-3-5`."""

import sys
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from itertools import product
from typing import BinaryIO, Final

from engine.board.board import Board, Placement
from engine.board.tiles import WILD, WILD_TEXT, Tile, format_tile_notation, parse_labels, parse_set_kind
from engine.families import DominoRules, StarRules
from engine.match.errors import RuleError, Violation
from engine.match.rules import Opening, Reward, Rules, Score, judge_placement, sum_pips
from engine.record.text import parse_placement
from engine.typed_text import normalize_text


def with_tile_set(rules: Rules, shown: Collection[Tile], named: Collection[str] = ()) -> Rules:
    """Return the rules with the smallest tile set that holds all `shown` tiles that exist, unless it
    is among `named`.
    """
    if not isinstance(rules, DominoRules):
        return rules
    # Of one kind: a set with mirror images would contain tiles that exist in no set.
    same_kind = [name for name in rules.tile_sets if parse_set_kind(name) == parse_set_kind(rules.tile_set)]
    sets = (rules.tile_set,) if "tile_set" in named else dict.fromkeys((rules.tile_set, *same_kind))
    bosses = (rules.boss,) if "boss" in named else dict.fromkeys((rules.boss, *rules.get_readings()["boss"]))
    offered = [rules.with_option("tile_set", name).with_option("boss", boss) for name, boss in product(sets, bosses)]
    wider = sorted((one for one in offered if {*rules.tiles} <= {*one.tiles}), key=lambda one: len(one.tiles))
    needed = {*shown} & {*wider[-1].tiles}
    return next(one for one in wider if needed <= {*one.tiles})


def format_refusal(broken: RuleError, rules: Rules) -> str:
    facts = broken.facts
    match broken.why:
        case Violation.NO_SUCH_TILE:
            twin = facts["exists"]
            hint = f"; the set has {_format_tile(twin)}, which reads the other way round" if twin else ""
            return f"there is no tile that reads {_format_tile(facts['tile'])} clockwise{hint}"
        case Violation.OCCUPIED:
            return f"{facts['cell']} already holds {_format_tile(facts['by'])}"
        case Violation.TILE_ALREADY_PLAYED:
            return f"{_format_tile(facts['tile'])} is already on the table"
        case Violation.OFF_THE_BOARD:
            return f"{facts['cell']} is not on the board"
        case Violation.NO_SIDE_CONTACT:
            return f"{facts['cell']} shares no side with a tile"
        case Violation.NOT_NEXT_TO_LAST:
            # Where corners may meet, a cell is out of reach by its corners too.
            corner = " and no corner that can be played" if isinstance(rules, StarRules) else ""
            return f"{facts['cell']} shares no side{corner} with the last tile"
        case Violation.SIDE_MISMATCH | Violation.CORNER_MISMATCH:
            return _format_mismatch(broken, rules)
        case _:
            # A referee knows no hands and turns, so no other reason occurs.
            return "the rules forbid it"


def _format_mismatch(broken: RuleError, rules: Rules) -> str:
    facts = broken.facts
    needs, shows = facts["needs"], facts["shows"]
    place = "side" if broken.why is Violation.SIDE_MISMATCH else "corner"
    where = f"{place} {facts['place']} of {facts['cell']}"
    if isinstance(needs, tuple) and isinstance(shows, tuple):
        return f"{where} must lie between {_format_pair(needs)} and lies between {_format_pair(shows)}"
    text = f"{where} carries {needs} and the tile shows {shows}"
    return f"{text}, which make no multiple of five" if rules.fit.sums_of_five else text


def _format_pair(numbers: Sequence[int | None]) -> str:
    return " and ".join("any" if one is None else WILD_TEXT if one == WILD else str(one) for one in numbers)


def format_score(earned: Score, *, opens: bool, drawn: int, cost: int, follow_up: str = "") -> str:
    """Return `45 points: 5 + 50 (1 hexagon) - 10 (2 drawn)`; `follow_up` is an additional bonus or turn."""
    arithmetic = str(earned.base)
    if earned.bonus:
        arithmetic += f" + {earned.bonus} ({_format_reason(earned, opens=opens)})"
    if drawn:
        arithmetic += f" - {cost} ({drawn} drawn)"
    ending = f", then {follow_up}" if follow_up else ""
    return f"{format_count(earned.points - cost, 'point')}: {arithmetic}{ending}"


def format_follow_up(reward: Reward | None, *, extra_turn: bool) -> str:
    if reward is not None:
        joined = "and" if reward.both else "or"
        return f"{format_count(reward.points, 'point')} {joined} {format_count(reward.tiles, 'more tile')}"
    return "a further turn" if extra_turn else ""


def _format_reason(earned: Score, *, opens: bool) -> str:
    if opens:
        return "opening"
    reasons = [format_count(earned.hexagons, "hexagon")] if earned.hexagons else []
    return " and ".join([*reasons, "bridge"] if earned.bridge else reasons)


def format_opening(seat: int, tiles: Sequence[str], points: Sequence[int], rewards: Sequence[str]) -> str:
    scores = points[:1] if len(set(points)) == 1 else points
    text = f"Seat {seat} opens with {' or '.join(tiles)} and scores {' or '.join(map(str, scores))}"
    if not any(rewards):
        return f"{text}."
    brought = [f"{tile} brings {reward}" for tile, reward in zip(tiles, rewards, strict=True) if reward]
    return f"{text}; {', '.join(brought)}."


def format_block(
    fitting: Sequence[Sequence[str]], left: int, left_fit: Sequence[str], awards: Sequence[int] | None
) -> str:
    """Return a sentence on a round from the tiles that fit: of each hand, and of those left to draw."""
    able = [f"seat {seat} can place {' or '.join(tiles)}" for seat, tiles in enumerate(fitting) if tiles]
    if able:
        return f"Not blocked: {'; '.join(able)}."
    if left_fit:
        return f"Not blocked: no tile in a hand fits, but some of the {left} left to draw: {' '.join(left_fit)}."
    if awards is None:
        return f"Blocked: no tile in a hand fits, nor any of the {left} left to draw, so awards are open."
    return f"Blocked: no tile in a hand fits, and none is left to draw. {format_awards(awards)}"


def format_awards(awards: Sequence[int]) -> str:
    return f"Awards by seat: {', '.join(map(str, awards))}."


def format_count(number: int, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"


def _format_tile(tile: object) -> str:
    assert isinstance(tile, tuple)
    return format_tile_notation(tile)


EXAMPLE_LABELS = "1355"  # labels in the example of an error message
MAX_TEXT: Final = 20_000  # characters of a case: all 714 tiles of the largest set take half of it
MAX_OPTIONS: Final = 60  # twice as many as any game has; each creates new rules


class UnreadableError(ValueError):
    """Unreadable input. The message says where and why, in one line."""


@dataclass(frozen=True, slots=True)
class Case:
    rules: Rules
    board: Board
    move: Placement
    drawn: int  # tiles drawn in the turn before the move


def parse_case(rules: Rules, position: str, move: str, drawn: str = "0", options: Sequence[str] = ()) -> Case:
    """Parse one case. With an empty position the move opens a round, and nothing can be drawn."""
    rules = with_options(rules, options)
    placed = _parse_position(rules, position)
    tiles = _parse_draws(rules, drawn)
    if tiles and not placed:
        raise UnreadableError("drawn: nobody draws before the opening; drawn must be 0 on an empty position")
    if not move.strip():
        example = f"{rules.plane.first}={EXAMPLE_LABELS[: rules.plane.sides]}"
        raise UnreadableError(f"move: missing; write it like {example}")
    with name_location("move"):
        moved = parse_placement(move, rules)
    shown = [moved.tile, *(placement.tile for _, placement in placed)]
    rules = with_tile_set(rules, shown, list_option_names(options))
    return Case(rules, _build_board(rules, placed), moved, tiles)


def parse_table(
    rules: Rules, position: str, hands: Mapping[str, str], options: Sequence[str] = ()
) -> tuple[Rules, Board, list[list[Tile]]]:
    """Return the rules, the board and the hands beside it, by their names in messages. Every tile is there once."""
    rules = with_options(rules, options)
    placed = _parse_position(rules, position)
    text = "/".join(hands.values())
    require_short("hands", text)
    shown = [placement.tile for _, placement in placed] + _parse_readable_tiles(rules, text)
    rules = with_tile_set(rules, shown, list_option_names(options))
    board = _build_board(rules, placed)
    return rules, board, _parse_hands(rules, hands, board.tiles)


def _parse_position(rules: Rules, position: str) -> list[tuple[str, Placement]]:
    """Return the placements, each after the name of its place in messages."""
    require_short("position", position)
    placed = []
    for count, text in enumerate(position.split(), 1):
        where = f"position, tile {count} {text!r}"
        with name_location(where):
            placed.append((where, parse_placement(text, rules)))
    return placed


def _build_board(rules: Rules, placed: Sequence[tuple[str, Placement]]) -> Board:
    """Return the board with these tiles, in any order in which each touches an earlier one: from a photo nobody knows
    the order of play.
    """
    board, pending = rules.build_board(), [*placed]
    while pending:
        isolated, refusal = [], ""
        for where, placement in pending:
            try:
                judge_placement(board, placement, rules)
            except RuleError as broken:
                message = f"{where}: {broken.why}: {format_refusal(broken, rules)}"
                if broken.why is not Violation.NO_SIDE_CONTACT:
                    raise UnreadableError(message) from broken
                isolated.append((where, placement))
                refusal = refusal or message
            else:
                board.place(placement)
        if len(isolated) == len(pending):
            raise UnreadableError(refusal)
        pending = isolated
    return board


def _parse_draws(rules: Rules, text: str) -> int:
    if not rules.has_boneyard and text.strip() != "0":
        raise UnreadableError(f"drawn: in {rules.game} nobody draws; leave drawn out")
    return parse_number("drawn", text, 0, rules.max_draws)


def parse_case_line(rules: Rules, line: str, options: Sequence[str] = ()) -> Case:
    """Parse `POSITION ; MOVE [; drawn=N] [; option=value]...`; `options` hold for every line."""
    require_short("a case", line)
    position, *rest = line.split(";")
    if not rest:
        raise UnreadableError("a case is POSITION ; MOVE, with a semicolon between them")
    move, *settings = rest
    drawn = [text for text in settings if text.partition("=")[0].strip() == "drawn"]
    if len(drawn) > 1:
        raise UnreadableError("drawn: given more than once")
    own = [text for text in settings if text not in drawn]
    return parse_case(rules, position, move, drawn[0].partition("=")[2] if drawn else "0", (*options, *own))


def find_opener(rules: Rules, hands: str, options: Sequence[str] = ()) -> tuple[Rules, Opening]:
    """Return the rules, and who opens with these hands by seat, separated by slashes."""
    rules = with_options(rules, options)
    require_short("hands", hands)
    rules = with_tile_set(rules, _parse_readable_tiles(rules, hands), list_option_names(options))
    hands_by_seat = _parse_hands(rules, split_hands(hands))
    require_seat_count(rules, "hands", len(hands_by_seat))
    if rules.has_random_opener:
        raise UnreadableError("opening: under opening_choice=any_tile the opener is found by lot, not by the hands")
    return rules, rules.find_opening(hands_by_seat)


def split_hands(hands: str) -> dict[str, str]:
    """Return the text of each hand by its name in messages."""
    return {f"hands, seat {seat}": text for seat, text in enumerate(hands.split("/"))}


def parse_hand_totals(rules: Rules, totals: str) -> list[int]:
    """Parse the totals of the hands: `23,15,27`."""
    most = sum_pips(rules.tiles)
    numbers = [parse_number("totals", text, 0, most) for text in totals.split(",")]
    require_seat_count(rules, "totals", len(numbers))
    return numbers


def parse_hand_counts(rules: Rules, tiles: str, seats: int) -> list[int]:
    """Parse the numbers of tiles in the hands: `3,2,4`."""
    numbers = [parse_number("tiles", text, 0, len(rules.tiles)) for text in tiles.split(",")]
    if len(numbers) != seats:
        raise UnreadableError(f"tiles: {len(numbers)} given for {seats} totals")
    return numbers


def parse_tile(rules: Rules, text: str, where: str) -> Tile:
    with name_location(where):
        labels = parse_labels(text, rules.plane.sides)
    tile = rules.build_placement(rules.plane.first, labels).tile
    if tile not in rules.tiles:
        twin = next((known for known in rules.tiles if sorted(known) == sorted(tile)), None)
        hint = f"; it has {format_tile_notation(twin)}, with the same numbers in another order" if twin else ""
        raise UnreadableError(f"{where}: NO_SUCH_TILE: {rules.game} has no tile {text.strip()}{hint}")
    return tile


def parse_number(where: str, text: str, least: int, most: int) -> int:
    digits = normalize_text(text)
    if digits.isascii() and digits.isdigit() and len(digits) <= 6 and least <= int(digits) <= most:
        return int(digits)
    raise UnreadableError(f"{where}: {digits!r} is no whole number from {least} to {most}")


def with_options(rules: Rules, options: Sequence[str]) -> Rules:
    """Apply `name=value` options (RULES §3.1) in order."""
    if len(options) > MAX_OPTIONS:
        raise UnreadableError(f"option: {len(options)} given; a case has at most {MAX_OPTIONS}")
    for text in options:
        name, _, value = (part.strip() for part in text.partition("="))
        if not name or not value:
            raise UnreadableError(f"option: {text.strip()!r} is no option; write it as name=value")
        with name_location("option"):
            rules = rules.with_option(name, value)
    return rules


def require_standard_input() -> BinaryIO:
    """Return standard input. Raises UnreadableError if it is closed."""
    if sys.stdin is None:
        raise UnreadableError("standard input is closed; name a file, or hand one over with a pipe or <")
    return sys.stdin.buffer


def require_short(where: str, text: str) -> None:
    if len(text) > MAX_TEXT:
        raise UnreadableError(f"{where}: longer than {MAX_TEXT} characters")


def list_option_names(options: Sequence[str]) -> set[str]:
    return {text.partition("=")[0].strip() for text in options}


def require_seat_count(rules: Rules, where: str, count: int) -> None:
    if not rules.min_seats <= count <= rules.max_seats:
        raise UnreadableError(
            f"{where}: {count} given; {rules.game} is for {rules.min_seats} to {rules.max_seats} seats"
        )


def _parse_hands(rules: Rules, hands: Mapping[str, str], placed: Collection[Tile] = ()) -> list[list[Tile]]:
    found, known = [], {*placed}
    for where, text in hands.items():
        option = where.partition(",")[0]
        tiles = [parse_tile(rules, tile, where) for tile in text.split()]
        if not tiles:
            example = "0-4-5 3-3-3 / 4-4-4 0-0-1" if rules.plane.sides == 3 else "0-4-4-5 3-3-3-3 / 4-4-4-4 0-0-0-1"
            shown = example if option == "hands" else example.partition(" /")[0]
            raise UnreadableError(f"{where}: no tiles; write {option} like {shown}")
        for tile in tiles:
            if tile in known:
                again = "is already on the table" if tile in placed else "is there twice"
                raise UnreadableError(f"{option}: {format_tile_notation(tile)} {again}")
            known.add(tile)
        found.append(tiles)
    return found


def _parse_readable_tiles(rules: Rules, hands: str) -> list[Tile]:
    """Return the tiles of all hands that can be parsed, whether or not the set has them."""
    found = []
    for word in hands.replace("/", " ").split():
        with suppress(ValueError):
            found.append(rules.build_placement(rules.plane.first, parse_labels(word, rules.plane.sides)).tile)
    return found


@contextmanager
def name_location(where: str) -> Iterator[None]:
    """Raise UnreadableError with the location of a value that cannot be parsed."""
    try:
        yield
    except ValueError as error:
        raise UnreadableError(f"{where}: {error}") from error
