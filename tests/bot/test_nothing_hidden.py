"""In every game: nothing that everybody can see, hear, press or read in the log tells what is in a hand or comes next
in the boneyard; and a computer plays the same whatever lies in the hands that it cannot see.
"""

from __future__ import annotations

import logging
import re
from random import Random
from typing import Any

import pytest
import structlog

from bot.views import alt_text as alt_text
from bot.views.marks import mark_of
from bot.views.names import Names
from data.rulebook import DEFAULT, games, presets, rules
from data.store import Store
from engine.actions import Action, Play
from engine.decide import decide, forced, start
from engine.errors import RuleBroken
from engine.events import Placed
from engine.match import Match, evolve, replay
from engine.players import greedy
from engine.seen import see
from engine.tiles import BOSS, Tile, canonical
from tests.bot.house import secret
from tests.bot.public_views import Sitting, any_action, order, public_of, tiles_in

IDS = re.compile(r"by:[a-z]+:\d+(:\d+)?(~[a-p]+)?")


def hidden(match: Match) -> set[Tile]:
    """The tiles that nobody but their holder may know."""
    held = {tile for seat in match.seats if not match.round_over for tile in seat.hand}
    return held | set(match.boneyard) | set(match.aside)


CASES = [(game, preset) for game in games() for preset in presets(game)]
PLAYED = [(game, preset) for game in games() for preset in presets(game) if preset in (DEFAULT, "evening")]


@pytest.fixture
def logged() -> Any:
    """Every line that any logger writes, and every structured event."""
    lines: list[str] = []

    class Listener(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            lines.append(f"{record.getMessage()} {record.__dict__}")

    listener, root = Listener(logging.DEBUG), logging.getLogger()
    # What the database driver says about itself at lower levels is not kept anywhere.
    before = root.level
    root.addHandler(listener)
    root.setLevel(logging.INFO)
    with structlog.testing.capture_logs() as events:
        yield lambda: [*lines, *map(str, events)]
    root.removeHandler(listener)
    root.setLevel(before)


@pytest.mark.parametrize(("game", "preset"), PLAYED, ids=[f"{game}-{preset}" for game, preset in PLAYED])
async def test_nothing_public_of_a_random_match_tells_what_is_hidden(
    store: Store, logged: Any, game: str, preset: str
) -> None:
    number = 1 + PLAYED.index((game, preset))
    rng = Random(number)
    sitting = await Sitting.begin(store, game, preset, number)
    plain = tuple(f"Player {chr(65 + seat)}" for seat in range(len(sitting.table.seats)))
    names, scanned, drawn = Names(plain, plain), 0, 0
    for step in range(35):
        match, story = sitting.table.match, sitting.table.story
        assert story is not None
        if match.ended:
            break
        drawn += len(match.boneyard) > 0
        # What lay on the table at the end of a round may be in a hand of the next, and was seen by everybody.
        seen_lately = {told.event.tile for told in story.lately() if isinstance(told.event, Placed)}
        secrets = hidden(match) - seen_lately
        shown = public_of(story, sitting.table, names)
        for text in shown.texts:
            assert not tiles_in(text) & secrets, text
            assert not [known for known in order(match) if known in text]
            assert sitting.deal.hex() not in text
            scanned += 1
        assert all(IDS.fullmatch(custom_id) for custom_id in shown.ids), shown.ids
        assert shown.files == ("board.png",)
        await sitting.act(number * 1000 + step + 50, any_action(match, rng))
    assert scanned > 10
    every = {tile for tile in rules(game, preset).tiles if tile != BOSS}
    for line in logged():
        assert not tiles_in(line) & every, "a log line names no tile at all"
        assert sitting.deal.hex() not in line
        assert not [name for name in plain if name in line]


def test_what_finds_a_message_again_says_nothing_of_a_hand() -> None:
    """Marks are made of a post's name, which numbers the table and the move."""
    assert re.fullmatch(r"[a-p]{1,20}", mark_of("1-4-0-6b01b3b0", 7))


def _tiles_of(facts: Any) -> set[Tile]:
    values = facts.values() if isinstance(facts, dict) else facts
    found = set()
    for value in values:
        if isinstance(value, tuple) and len(value) in (3, 4) and all(isinstance(one, int) for one in value):
            found.add(value)
    return found


def _refusal(match: Match, action: Action, deal: bytes) -> RuleBroken | None:
    try:
        decide(match.copy(), action, deal)
    except RuleBroken as broken:
        return broken
    return None


@pytest.mark.parametrize("game", games())
def test_a_refusal_names_no_tile_of_another_hand_but_the_one_that_was_asked_about(game: str) -> None:
    rng, deal, refused = Random(game), secret(3), 0
    match = replay(start(rules(game), seats=2, computers=(), by_hand=True, secret=deal))
    for _ in range(12):
        if match.ended or match.round_over:
            break
        places = see(match, None).places or ()
        for seat in (0, 1):
            for tile in rng.sample(match.rules.tiles, 10):
                cell = rng.choice(places).cell if places else match.rules.plane.first
                broken = _refusal(match, Play(seat, tile, cell, 0), deal)
                others = hidden(match) - set(match.seats[seat].hand) - {tile}
                assert broken is None or not _tiles_of(broken.facts) & others
                refused += broken is not None
        for event in decide(match, any_action(match, rng), deal):
            evolve(match, event)
    assert refused > 100


@pytest.mark.parametrize(("game", "preset"), CASES, ids=[f"{game}-{preset}" for game, preset in CASES])
def test_a_computer_plays_the_same_whatever_lies_where_it_cannot_see(game: str, preset: str) -> None:
    known, deal = rules(game, preset), secret(CASES.index((game, preset)))
    rng, looked = Random(deal), 0
    match = replay(start(known, seats=max(2, known.min_seats), computers=(0, 1), by_hand=False, secret=deal))
    while not match.ended and looked < 25:
        action = forced(match)
        if action is None:
            seat = match.turn
            action = greedy.choose(see(match, seat), Random(looked))
            for _ in range(3):
                other = _swapped(match, seat, rng)
                assert see(other, seat) == see(match, seat)
                assert greedy.choose(see(other, seat), Random(looked)) == action
            looked += 1
        for event in decide(match, action, deal):
            evolve(match, event)
    assert looked > 3


def _swapped(match: Match, seat: int, rng: Random) -> Match:
    """The same table for this seat: the tiles of the others, of the boneyard and set aside have changed places."""
    twin = match.copy()
    pool = [tile for number, other in enumerate(twin.seats) if number != seat for tile in other.hand]
    pool += [*twin.boneyard, *twin.aside]
    rng.shuffle(pool)
    for number, other in enumerate(twin.seats):
        if number != seat:
            other.hand = [pool.pop() for _ in other.hand]
    twin.boneyard = [pool.pop() for _ in twin.boneyard]
    twin.aside = tuple(pool.pop() for _ in twin.aside)
    assert not pool
    return twin


def test_the_scan_would_find_a_tile() -> None:
    assert tiles_in("by:play:1:5|355.D-1,0.0") == {(3, 5, 5)}
    assert tiles_in("by:play:1:5|0225.-1,0.3") == {canonical((0, 2, 2, 5))}
    assert tiles_in("Ada 3-3-4 at G, and 0-2-2-5") == {(3, 3, 4), canonical((0, 2, 2, 5))}
    assert tiles_in("fingerprint 335455aa, 2026-11-21") == set()
    assert tiles_in("the boss") == {BOSS}
