"""In every game: nothing that everybody can see, hear, press or read in the log tells what is in a hand or comes next
in the boneyard; and a computer plays the same whatever lies in the hands that it cannot see.
"""

from __future__ import annotations

import logging
import re
from collections.abc import Callable
from dataclasses import dataclass
from random import Random
from typing import Any

import pytest
import structlog
from discord import ui

from bot.service.acts import Acts
from bot.service.invitations import Invitation
from bot.service.tables import Table, Tables
from bot.views import alt_text as alt_text
from bot.views import ending, table
from bot.views.marks import mark_of
from bot.views.names import Names
from data.rulebook import DEFAULT, games, presets, rules
from data.store import Store
from data.words import words
from engine.actions import Action, Choose, Draw, Pass, Play
from engine.choosing import options
from engine.decide import decide, forced, start
from engine.errors import RuleBroken
from engine.events import Placed
from engine.match import Match, evolve, replay
from engine.players import greedy
from engine.seen import see
from engine.story import Story
from engine.table.commands import Act, Join, Look
from engine.tiles import BOSS, Tile, canonical, tile_text
from render import Captions
from tests.bot.house import secret

PLACES = re.compile(r"[Oo]pen places[\s\S]*")
"""What open places demand may read like a tile, but is read off the table. It comes last wherever it is told."""
THEMES = re.compile(r"(?<![\d.,-])(\d(?:-\d){2,3})(?![\d-])")
"""A tile in words: `3-3-4`, `0-2-2-5`."""
TOKENS = re.compile(r"(?<![0-9A-Za-z])(\d{3,4})\.[UDS]?-?\d+,-?\d+\.\d")
"""A tile in the id of a button: `334.U0,1.2`."""
IDS = re.compile(r"by:[a-z]+:\d+(:\d+)?(~[a-p]+)?")


def tiles_in(text: str) -> set[Tile]:
    """Every tile that a text names, however it is written."""
    found = {tuple(map(int, face.split("-"))) for face in THEMES.findall(PLACES.sub("", text))}
    found |= {tuple(map(int, token)) for token in TOKENS.findall(text)}
    return {canonical(labels) for labels in found} | ({BOSS} if re.search(r"\bboss\b", text) else set())


def hidden(match: Match) -> set[Tile]:
    """The tiles that nobody but their holder may know."""
    held = {tile for seat in match.seats if not match.round_over for tile in seat.hand}
    return held | set(match.boneyard) | set(match.aside)


def order(match: Match) -> list[str]:
    """The boneyard as a list could give it away: whole, from either end, however it is joined."""
    faces = [tile_text(tile) for tile in match.boneyard]
    return [joint.join(way[:3]) for joint in (" ", ", ", ",") for way in (faces, faces[::-1])] if len(faces) > 2 else []


@dataclass(frozen=True)
class Public:
    """All that everybody gets of a table at one moment."""

    texts: tuple[str, ...]
    ids: tuple[str, ...]
    files: tuple[str, ...]


def public_of(story: Story, at: Table, names: Names) -> Public:
    """The board with its picture's words, the call, and the text board of somebody who watches."""
    said, seen = words(), see(story.match, None)
    alt = table.board_alt_text(seen, story, names, said)
    view = table.board_view(at, seen, names, said, alt)
    call = table.turn_view(at.head.match_id, said)
    captions: Captions = table.captions(seen, story, names, said)
    texts = [
        *(getattr(captions, name) for name in ("title", "subtitle", "turn", "note")),
        *_texts(view),
        table.turn_content(seen, "<@1>", said),
        alt_text.text_board(said, seen, names.safe, table.lately(story, names, said)),
        alt,
    ]
    if story.match.round_over is not None:
        texts.append(ending.alt(seen, story, names, said))
    ids = [*_ids(view), *_ids(call)]
    return Public(tuple(texts), tuple(ids), (table.BOARD_FILE,))


def _texts(view: ui.LayoutView) -> list[str]:
    found = []
    for item in view.walk_children():
        found.append(str(getattr(item, "content", "")))
        found += [str(one.description) for one in getattr(item, "items", ())]
        found.append(str(getattr(item, "label", "")))
    return found


def _ids(view: ui.LayoutView | ui.View) -> list[str]:
    return [item.custom_id for item in view.walk_children() if hasattr(item, "custom_id")]


def any_action(match: Match, rng: Random) -> Action:
    """Some legal action of the seat to move."""
    seen = see(match, match.turn)
    chosen = options(match)
    if seen.reward is not None or (chosen and (not seen.moves or rng.random() < 0.3)):
        return Choose(match.turn, rng.choice(chosen))
    if seen.moves:
        lies = rng.choice(seen.moves).placement
        return Play(match.turn, lies.tile, lies.cell, lies.rotation)
    return Draw(match.turn) if match.can_draw() else Pass(match.turn)


NOW = 2_000_000
CASES = [(game, preset) for game in games() for preset in presets(game)]
PLAYED = [(game, preset) for game in games() for preset in presets(game) if preset in (DEFAULT, "evening")]


@dataclass
class Sitting:
    """A random match of a game through the real services, on a real store."""

    store: Store
    tables: Tables
    acts: Acts
    deal: bytes
    table: Table

    @classmethod
    async def begin(
        cls, store: Store, game: str, preset: str, number: int, *, at: int = 0, clock: Callable[[], int] = lambda: NOW
    ) -> Sitting:
        """Two or three people sit down, or one with a computer, in the channel `at`, or in one of this number."""
        tables, deal, at = Tables(store), secret(number), at or number
        acts = Acts(store, tables, clock, lambda: deal, presses=False)
        known = rules(game, preset)
        seats = max(known.min_seats, min(known.max_seats, 2 + number % 2))
        asked = Invitation(
            guild_id=1, channel_id=at, host_id=100, game=game, preset=preset, seats=seats, by_hand=bool(number % 3)
        )
        opened = await acts.open(asked, request=at * 100)
        for seat in range(1, seats):
            acted = await acts.act(opened.head.match_id, Join(100 + seat), request=at * 100 + seat)
            opened = acted.table
        return cls(store, tables, acts, deal, opened)

    async def act(self, request: int, action: Action) -> None:
        """The seat to move does something, unless what it depends on has yet to settle: then that happens."""
        user = 100 + self.table.match.turn
        if self.table.state.unsettled is not None:
            self.table = (await self.acts.act(self.table.head.match_id, Look(user))).table
            return
        acted = await self.acts.act(self.table.head.match_id, Act(user, lambda _: action), request=request)
        self.table = acted.table


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
