"""Which rules a table can be opened by: those by which something must match, and by which a match comes to its end.

What cannot be is found by playing option sets at random; `BONEYARD_DEPTH` plays more of them.
"""

from collections.abc import Iterator
from dataclasses import replace
from random import Random
from typing import Final

import pytest

from data.rulebook import list_games, list_presets, load_rules
from engine.board.tiles import BOSS
from engine.match.errors import OptionError, OptionFault
from engine.match.events import RoundEnded
from engine.match.options import MAX_TARGET
from engine.match.rules import Rules
from tests.depth import scaled
from tests.engine.readings import read
from tests.engine.tables import Playout

NUMBERS: Final = {
    "draw_limit": ("0", "1", "3", "10", "unlimited"),
    "empty_boneyard_penalty": ("0", "10", "100", "400"),
    "trioker_values": ("4", "5", "6"),
}
ROUNDS: Final = 12


def some_rules(game: str, rng: Random) -> Rules:
    found = load_rules(game)
    for name in rng.sample(found.list_options(), rng.randint(1, 8)):
        sets = found.accepted_sets if name == "tile_set" else ()
        values = sets or NUMBERS.get(name) or found.get_readings().get(name, ())
        if values:
            found = found.with_option(name, rng.choice(values))
    return found


def rounds(played: Playout, most: int) -> Iterator[RoundEnded]:
    tiles, ended = len(played.rules.tiles), 0
    for steps, (_, events) in enumerate(played.steps()):
        assert steps < 4 * tiles * (ended + 1), "every turn places a tile, draws one or passes"
        for event in events:
            if isinstance(event, RoundEnded):
                ended += 1
                yield event
        if ended >= most:
            return


def endless(reading: Rules) -> Rules:
    return replace(reading, target=MAX_TARGET)


def gains(reading: Rules, seats: int, rng: Random, most: int = ROUNDS) -> float:
    played = Playout(rng, seats, rules=endless(reading))
    ended = sum(1 for _ in rounds(played, most))
    return max(seat.total for seat in played.match.seats) / ended


def something_must_match(reading: Rules, rng: Random) -> bool:
    played = Playout(rng, reading.min_seats, rules=endless(reading))
    for number, _ in enumerate(played.steps()):
        board = played.match.board
        if number > 8 or played.match.round > 1 or BOSS in board.tiles:
            # A boss that stays wild takes everything.
            break
        left = [tile for tile in reading.tiles if tile not in board.tiles]
        if any(all(board.list_fitting_rotations(tile, cell) for tile in left) for cell in board.open_cells):
            return False
    return True


@pytest.mark.parametrize("game", list_games())
def test_random_playable_rules_require_matching_and_gain_points(game: str):
    rng, played = Random(3), 0
    while played < scaled(3):
        reading = some_rules(game, rng)
        seats = rng.randint(reading.min_seats, reading.max_seats)
        try:
            reading.require_playable(seats)
        except OptionError:
            continue
        played += 1
        told = {name: getattr(reading, name) for name in reading.list_options() if name != "target"}
        assert something_must_match(reading, rng), told
        assert gains(reading, seats, rng) > 0, (seats, told)


@pytest.mark.parametrize("game", list_games())
def test_every_preset_is_playable_with_every_number_of_seats(game: str):
    for preset in list_presets(game):
        reading = load_rules(game, preset)
        for seats in range(reading.min_seats, reading.max_seats + 1):
            reading.require_playable(seats)


def refused(reading: Rules, seats: int = 2) -> tuple[OptionFault, str, tuple[str, ...]]:
    with pytest.raises(OptionError) as found:
        reading.require_playable(seats)
    return found.value.why, found.value.name, found.value.allowed


@pytest.mark.parametrize("game", ["points", "muggins", "star"])
def test_open_layout_with_last_only_contact_is_refused(game: str):
    reading = read(game, "layout=open side_contact=last_only")

    assert refused(reading) == (OptionFault.NOTHING_TO_MATCH, "side_contact", ("all",))
    assert not something_must_match(reading, Random(1))


NEVER_ENDS: Final = [
    ("triominoes", "blocked_bonus=lose_own draw_limit=0", 2, "blocked_bonus"),
    ("triominoes", "blocked_bonus=lose_own tile_set=trio220", 2, "blocked_bonus"),
    ("triominoes", "draw_limit=unlimited empty_boneyard_penalty=400", 6, "empty_boneyard_penalty"),
    ("quad-ominos", "tile_set=quad329", 2, "tile_set"),
]


@pytest.mark.parametrize(("game", "options", "seats", "name"), NEVER_ENDS)
def test_rules_with_negative_expected_round_gain_are_refused(game: str, options: str, seats: int, name: str):
    reading = read(game, options)

    assert refused(reading, seats)[:2] == (OptionFault.NEVER_ENDS, name)
    assert gains(reading, seats, Random(1), 3 if game == "quad-ominos" else ROUNDS) < 0


def test_allowed_values_of_refusal_are_playable():
    for game, options, seats, _ in NEVER_ENDS:
        reading = read(game, options)
        _, name, allowed = refused(reading, seats)
        for value in allowed:
            reading.with_option(name, value.partition("-")[2] or value).require_playable(seats)


def test_hands_of_one_tile_are_no_game():
    small = read("star", "tile_set=td10 boss=out")

    assert refused(small, 6)[:2] == (OptionFault.UNPLAYABLE, "tile_set")
    small.require_playable(5)
    assert gains(small, 6, Random(1)) == 0


def test_unplayable_rules_of_existing_match_can_be_read():
    assert read("points", "layout=open side_contact=last_only").layout == "open"
