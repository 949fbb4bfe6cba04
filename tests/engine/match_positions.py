"""Positions of matches, and the same positions with the hidden tiles of one seat dealt differently."""

from collections.abc import Callable
from itertools import count, islice
from random import Random

from hypothesis import assume
from hypothesis import strategies as st

from data.rulebook import list_games, list_presets, load_rules
from engine.match.events import Event
from engine.match.player_view import list_legal_actions, view_for
from engine.match.state import Match, replay
from tests.engine.tables import Playout

ALL_RULES = [load_rules(game, preset) for game in list_games() for preset in list_presets(game)]


@st.composite
def match_positions(draw: st.DrawFn) -> Playout:
    """Draw a match of any game at any moment, including openings, choices and ends of rounds."""
    rules = draw(st.sampled_from(ALL_RULES))
    seed, seats = draw(st.integers(0, 2**32)), draw(st.integers(2, min(6, rules.max_seats)))
    playout = Playout(Random(seed), seats, resign_chance=draw(st.sampled_from([0.0, 0.01])), rules=rules)
    for _ in islice(playout.iterate_steps(), draw(st.integers(1, 151))):
        pass
    return playout


@st.composite
def choice_positions(draw: st.DrawFn, game: str) -> Playout:
    rules = draw(st.sampled_from([rules for rules in ALL_RULES if rules.game == game]))
    seed, seats = draw(st.integers(0, 2**32)), draw(st.integers(2, min(6, rules.max_seats)))
    playout = Playout(Random(seed), seats, rules=rules)
    # A match of a single deal is short.
    stop = draw(st.integers(1, 120 if rules.target else 30 // seats))
    for number, _ in enumerate(playout.iterate_steps()):
        if number >= stop and len(list_legal_actions(view_for(playout.match, playout.match.turn))) > 1:
            return playout
    assume(False)
    raise AssertionError


def redeal_hidden_tiles(log: list[Event], viewer: int | None, rng: Random) -> Match:
    """Return the same position with the tiles that the viewer cannot see dealt differently."""
    redealt = replay(log)
    hidden = [seat.hand for number, seat in enumerate(redealt.seats) if number != viewer] + [redealt.boneyard]
    pool = [tile for pile in [*hidden, redealt.aside] for tile in pile]
    rng.shuffle(pool)
    for pile in hidden:
        pile[:] = [pool.pop() for _ in pile]
    redealt.aside = tuple(pool)
    if not redealt.board.placed and viewer != redealt.turn:
        redealt.choices = tuple(redealt.seats[redealt.turn].hand[:2])
    return redealt


def stop_after(times: int) -> Callable[[], bool]:
    """Return a function that is true from its call number `times` on."""
    calls = count(1)
    return lambda: next(calls) >= times
