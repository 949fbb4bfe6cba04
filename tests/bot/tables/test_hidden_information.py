"""Public texts, logs and refusals reveal no hidden tile in any game."""

import logging
import re
from random import Random
from typing import Any

import pytest
import structlog

from bot.core.names import SeatNames
from bot.sending.delivery_marks import compute_mark
from data.rulebook import DEFAULT_PRESET, list_games, list_presets, load_rules
from data.store.store import Store
from data.words import list_languages, load_words
from engine.board.tiles import BOSS, Tile, to_canonical
from engine.match.actions import Action, Play
from engine.match.decide import decide, find_forced_action, start
from engine.match.errors import RuleError
from engine.match.events import Placed
from engine.match.player_view import view_for
from engine.match.state import Match, apply_event, replay
from engine.players import greedy
from engine.table.reminders import build_next_up_posts, find_next_user
from engine.table.table_state import TableState
from tests.bot.messages import private, words_of
from tests.bot.simulated_guild import SimGuild, secret
from tests.bot.tables.public_views import RandomMatch, boneyard_texts, collect_public_texts, find_tiles, random_action
from tests.depth import scaled
from tests.engine.table.sitting import GRACE, LINUS, circled

IDS = re.compile(r"by:[a-z]+:\d+(:\d+)?(~[a-p]+)?")


def hidden_tiles(match: Match) -> set[Tile]:
    held = {tile for seat in match.seats if not match.round_over for tile in seat.hand}
    return held | set(match.boneyard) | set(match.aside)


CASES = [(game, preset) for game in list_games() for preset in list_presets(game)]
PLAYED = [
    (game, preset) for game in list_games() for preset in list_presets(game) if preset in (DEFAULT_PRESET, "evening")
]


@pytest.fixture
def log_lines() -> Any:
    lines: list[str] = []

    class Listener(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            lines.append(f"{record.getMessage()} {record.__dict__}")

    listener, root = Listener(logging.DEBUG), logging.getLogger()
    # The bot never stores the lower log levels of the database driver.
    before = root.level
    root.addHandler(listener)
    root.setLevel(logging.INFO)
    with structlog.testing.capture_logs() as events:
        yield lambda: [*lines, *map(str, events)]
    root.removeHandler(listener)
    root.setLevel(before)


@pytest.mark.parametrize(("game", "preset"), PLAYED, ids=[f"{game}-{preset}" for game, preset in PLAYED])
async def test_public_texts_and_logs_reveal_no_hidden_tile(
    store: Store, log_lines: Any, game: str, preset: str
) -> None:
    number = 1 + PLAYED.index((game, preset))
    rng = Random(number)
    sitting = await RandomMatch.begin(store, game, preset, number)
    plain = tuple(f"Player {chr(65 + seat)}" for seat in range(len(sitting.table.seats)))
    names, scanned, drawn = SeatNames(plain, plain), 0, 0
    for step in range(35):
        match, event_log = sitting.table.match, sitting.table.event_log
        assert event_log is not None
        if match.ended:
            break
        drawn += len(match.boneyard) > 0
        seen_lately = {told.event.tile for told in event_log.list_recent() if isinstance(told.event, Placed)}
        secrets = hidden_tiles(match) - seen_lately
        shown = collect_public_texts(event_log, sitting.table, names)
        for text in shown.texts:
            assert not find_tiles(text) & secrets, text
            assert not [known for known in boneyard_texts(match) if known in text]
            assert sitting.deal.hex() not in text
            scanned += 1
        assert all(IDS.fullmatch(custom_id) for custom_id in shown.ids), shown.ids
        assert shown.files == ("board.png",)
        await sitting.act(number * 1000 + step + 50, random_action(match, rng))
    assert scanned > 10
    every = {tile for tile in load_rules(game, preset).tiles if tile != BOSS}
    for line in log_lines():
        assert not find_tiles(line) & every, "a log line names no tile at all"
        assert sitting.deal.hex() not in line
        assert not [name for name in plain if name in line]


def test_message_mark_contains_no_tile() -> None:
    assert re.fullmatch(r"[a-p]{1,20}", compute_mark("1-4-0-6b01b3b0", 7))


def _find_tiles_in_facts(facts: Any) -> set[Tile]:
    values = facts.values() if isinstance(facts, dict) else facts
    found = set()
    for value in values:
        if isinstance(value, tuple) and len(value) in (3, 4) and all(isinstance(one, int) for one in value):
            found.add(value)
    return found


def _find_refusal(match: Match, action: Action, deal: bytes) -> RuleError | None:
    try:
        decide(match.copy(), action, deal)
    except RuleError as broken:
        return broken
    return None


@pytest.mark.parametrize("game", list_games())
def test_refusal_names_no_other_hidden_tile(game: str) -> None:
    rng, deal, refused = Random(game), secret(3), 0
    match = replay(start(load_rules(game), seats=2, computers=(), by_hand=True, secret=deal))
    for _ in range(12):
        if match.ended or match.round_over:
            break
        places = view_for(match, None).places or ()
        for seat in (0, 1):
            for tile in rng.sample(match.rules.tiles, 10):
                cell = rng.choice(places).cell if places else match.rules.plane.first
                broken = _find_refusal(match, Play(seat, tile, cell, 0), deal)
                others = hidden_tiles(match) - set(match.seats[seat].hand) - {tile}
                assert broken is None or not _find_tiles_in_facts(broken.facts) & others
                refused += broken is not None
        for event in decide(match, random_action(match, rng), deal):
            apply_event(match, event)
    assert refused > 100


@pytest.mark.parametrize(("game", "preset"), CASES, ids=[f"{game}-{preset}" for game, preset in CASES])
def test_computer_move_ignores_hidden_tiles(game: str, preset: str) -> None:
    known, deal = load_rules(game, preset), secret(CASES.index((game, preset)))
    rng, looked = Random(deal), 0
    match = replay(start(known, seats=max(2, known.min_seats), computers=(0, 1), by_hand=False, secret=deal))
    while not match.ended and looked < 25:
        action = find_forced_action(match)
        if action is None:
            seat = match.turn
            action = greedy.choose(view_for(match, seat), Random(looked))
            for _ in range(3):
                other = _swap_hidden_tiles(match, seat, rng)
                assert view_for(other, seat) == view_for(match, seat)
                assert greedy.choose(view_for(other, seat), Random(looked)) == action
            looked += 1
        for event in decide(match, action, deal):
            apply_event(match, event)
    assert looked > 3


def _swap_hidden_tiles(match: Match, seat: int, rng: Random) -> Match:
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


def test_tile_scan_finds_every_notation() -> None:
    assert find_tiles("by:play:1:5|355.D-1,0.0") == {(3, 5, 5)}
    assert find_tiles("by:play:1:5|0225.-1,0.3") == {to_canonical((0, 2, 2, 5))}
    assert find_tiles("Ada 3-3-4 at G, and 0-2-2-5") == {(3, 3, 4), to_canonical((0, 2, 2, 5))}
    assert find_tiles("fingerprint 335455aa, 2026-11-21") == set()
    assert find_tiles("the boss") == {BOSS}


async def read_table_notices(sim: SimGuild, number: int) -> list[str]:
    ada, grace = (next(one for one in sim.people.values() if one.name == name) for name in ("ada", "grace"))
    sim.deals.wanted = [number]
    seen = len(grace.user.dm_channel.history())
    await ada.slash(sim.channel, "tiles new", seats=2, game="triominoes")
    match_id = (await sim.head()).match_id
    assert (await sim.head()).secret == secret(number)
    board = str(sim.board().id)
    listed = words_of(private(await grace.slash(sim.channel, "tiles games")))
    await sim.wait(hours=0.05)
    await sim.client.services.alerts.wait_until_idle()
    alone = [words_of(message) for message in grace.user.dm_channel.history()[seen:]]
    assert len(alone) == 1
    await ada.slash(sim.channel, "tiles leave")
    await sim.wait(hours=25)
    return [text.replace(f"table {match_id}", "table").replace(board, "board") for text in (listed, *alone)]


async def test_table_list_and_alert_do_not_depend_on_deal(sim: SimGuild) -> None:
    for name in ("Ada", "Grace"):
        person = sim.person(name)
    await sim.store.alerts.subscribe(person.id, sim.guild.id, "triominoes", now=0)
    first, *others = [await read_table_notices(sim, number) for number in (5, 17, 278)]
    assert all(other == first for other in others)
    for text in first:
        assert find_tiles(text) == set()
        assert not any(secret(number).hex()[:8] in text for number in (5, 17, 278))


def exchange_hidden_tiles(match: Match, seat: int, rng: Random) -> Match:
    found = match.copy()
    others = [number for number in range(len(found.seats)) if number != seat]
    pool = [*match.boneyard, *(tile for number in others for tile in match.seats[number].hand)]
    rng.shuffle(pool)
    for number in others:
        count = len(match.seats[number].hand)
        found.seats[number].hand, pool = pool[:count], pool[count:]
    found.boneyard = pool
    return found


@pytest.mark.parametrize("seed", range(scaled(20, 5)))
def test_next_player_notice_does_not_depend_on_hidden_tiles(seed: int):
    rng, sitting = Random(seed), circled(GRACE, LINUS, computers=seed % 2)
    for user in (1, GRACE, LINUS):
        sitting.prefers(user, next_up=True)
    for _ in range(12):
        done = sitting.move()
        turn = sitting.turn
        if turn is None:
            break
        other = exchange_hidden_tiles(sitting.match, turn.seat, rng)
        assert view_for(other, None).seats == view_for(sitting.match, None).seats
        state: TableState = sitting.state
        said = build_next_up_posts(done.events, state, sitting.match, turn, sitting.given())
        assert said == build_next_up_posts(done.events, state, other, turn, sitting.given())
        assert find_next_user(state, other, turn) == find_next_user(state, sitting.match, turn)
        bodies = repr([post.body for post in said])
        assert find_tiles(bodies) == set()
        assert not any(way in bodies for way in boneyard_texts(sitting.match))


@pytest.mark.parametrize("language", list_languages())
def test_next_player_notice_names_no_tile(language: str) -> None:
    said = load_words(language)
    facts = {"mention": "<@1>", "name": "Ada", "game": "Star", "link": "<#2>"}
    for key in ("turn.next_up", "direct.next_up"):
        assert find_tiles(said(key, **facts)) == set()
