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
from tests.bot.messages import read_text
from tests.bot.simulated_guild import SimGuild, derive_secret
from tests.bot.tables.public_views import (
    RandomMatch,
    choose_random_action,
    collect_public_texts,
    exchange_hidden_tiles,
    find_tiles,
    list_boneyard_texts,
    list_hidden_tiles,
)
from tests.depth import scale_count
from tests.engine.table.simulated_table import GRACE, LINUS, open_played_table

CUSTOM_ID = re.compile(r"by:[a-z]+:\d+(:\d+)?(~[a-p]+)?")


CASES = [(game, preset) for game in list_games() for preset in list_presets(game)]
PLAYED_CASES = [
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


@pytest.mark.parametrize(("game", "preset"), PLAYED_CASES, ids=[f"{game}-{preset}" for game, preset in PLAYED_CASES])
async def test_public_texts_and_logs_reveal_no_hidden_tile(
    store: Store, log_lines: Any, game: str, preset: str
) -> None:
    number = 1 + PLAYED_CASES.index((game, preset))
    rng = Random(number)
    random_match = await RandomMatch.begin(store, game, preset, number)
    plain_names = tuple(f"Player {chr(65 + seat)}" for seat in range(len(random_match.table.seats)))
    names, scan_count, drawn = SeatNames(plain_names, plain_names), 0, 0
    for step in range(35):
        match, event_log = random_match.table.match, random_match.table.event_log
        if match.ended:
            break
        drawn += len(match.boneyard) > 0
        recent_tiles = {entry.event.tile for entry in event_log.list_recent() if isinstance(entry.event, Placed)}
        secrets = list_hidden_tiles(match) - recent_tiles
        public_texts = collect_public_texts(event_log, random_match.table, names)
        for text in public_texts.texts:
            assert not find_tiles(text) & secrets, text
            assert not [boneyard_text for boneyard_text in list_boneyard_texts(match) if boneyard_text in text]
            assert random_match.deal.hex() not in text
            scan_count += 1
        assert all(CUSTOM_ID.fullmatch(custom_id) for custom_id in public_texts.ids), public_texts.ids
        assert public_texts.files == ("board.png",)
        await random_match.act(number * 1000 + step + 50, choose_random_action(match, rng))
    assert scan_count > 10
    every = {tile for tile in load_rules(game, preset).tiles if tile != BOSS}
    for line in log_lines():
        assert not find_tiles(line) & every, "a log line names no tile at all"
        assert random_match.deal.hex() not in line
        assert not [name for name in plain_names if name in line]


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
    rng, deal, refused = Random(game), derive_secret(3), 0
    match = replay(start(load_rules(game), seats=2, computers=(), by_hand=True, secret=deal))
    for _ in range(12):
        if match.ended or match.round_over:
            break
        places = view_for(match, None).places or ()
        for seat in (0, 1):
            for tile in rng.sample(match.rules.tiles, 10):
                cell = rng.choice(places).cell if places else match.rules.plane.first
                broken = _find_refusal(match, Play(seat, tile, cell, 0), deal)
                others = list_hidden_tiles(match) - set(match.seats[seat].hand) - {tile}
                assert broken is None or not _find_tiles_in_facts(broken.facts) & others
                refused += broken is not None
        for event in decide(match, choose_random_action(match, rng), deal):
            apply_event(match, event)
    assert refused > 100


@pytest.mark.parametrize(("game", "preset"), CASES, ids=[f"{game}-{preset}" for game, preset in CASES])
def test_computer_move_ignores_hidden_tiles(game: str, preset: str) -> None:
    rules, deal = load_rules(game, preset), derive_secret(CASES.index((game, preset)))
    rng, comparison_count = Random(deal), 0
    match = replay(start(rules, seats=max(2, rules.min_seats), computers=(0, 1), by_hand=False, secret=deal))
    while not match.ended and comparison_count < 25:
        action = find_forced_action(match)
        if action is None:
            seat = match.turn
            action = greedy.choose(view_for(match, seat), Random(comparison_count))
            for _ in range(3):
                other = exchange_hidden_tiles(match, seat, rng)
                assert view_for(other, seat) == view_for(match, seat)
                assert greedy.choose(view_for(other, seat), Random(comparison_count)) == action
            comparison_count += 1
        for event in decide(match, action, deal):
            apply_event(match, event)
    assert comparison_count > 3


def test_tile_scan_finds_every_notation() -> None:
    assert find_tiles("by:play:1:5|355.D-1,0.0") == {(3, 5, 5)}
    assert find_tiles("by:play:1:5|0225.-1,0.3") == {to_canonical((0, 2, 2, 5))}
    assert find_tiles("Ada 3-3-4 at G, and 0-2-2-5") == {(3, 3, 4), to_canonical((0, 2, 2, 5))}
    assert find_tiles("fingerprint 335455aa, 2026-11-21") == set()
    assert find_tiles("Ada 5-3-3-4 at G, BOSS") == {to_canonical((5, 3, 3, 4)), BOSS}
    assert find_tiles("the boss") == {BOSS}
    assert find_tiles("Open spots, corners clockwise: A 3-5-5, B ?-1-2.") == set()


async def read_table_notices(sim: SimGuild, number: int) -> list[str]:
    ada, grace = (next(one for one in sim.members.values() if one.name == name) for name in ("ada", "grace"))
    sim.deals.next_numbers = [number]
    message_count = len(grace.user.dm_channel.history())
    await ada.use_command("tiles new", seats=2, game="triominoes")
    match_id = (await sim.load_head()).match_id
    assert (await sim.load_head()).secret == derive_secret(number)
    board = str(sim.get_board().id)
    table_list = await grace.read_command("tiles games")
    await sim.wait(hours=0.05)
    await sim.client.services.alerts.wait_until_idle()
    dm_texts = [read_text(message) for message in grace.user.dm_channel.history()[message_count:]]
    assert len(dm_texts) == 1
    await ada.use_command("tiles leave")
    await sim.wait(hours=25)
    return [text.replace(f"table {match_id}", "table").replace(board, "board") for text in (table_list, *dm_texts)]


async def test_table_list_and_alert_do_not_depend_on_deal(sim: SimGuild) -> None:
    for name in ("Ada", "Grace"):
        person = sim.add_member(name)
    await sim.store.alerts.subscribe(person.id, sim.guild.id, "triominoes", now=0)
    first, *others = [await read_table_notices(sim, number) for number in (5, 17, 278)]
    assert all(other == first for other in others)
    for text in first:
        assert find_tiles(text) == set()
        assert not any(derive_secret(number).hex()[:8] in text for number in (5, 17, 278))


@pytest.mark.parametrize("seed", range(scale_count(20, 5)))
def test_next_player_notice_does_not_depend_on_hidden_tiles(seed: int):
    rng, random_match = Random(seed), open_played_table(GRACE, LINUS, computers=seed % 2)
    for user in (1, GRACE, LINUS):
        random_match.set_preferences(user, next_up=True)
    for _ in range(12):
        decision = random_match.play_turn()
        turn = random_match.turn
        if turn is None:
            break
        other = exchange_hidden_tiles(random_match.match, turn.seat, rng)
        assert view_for(other, None).seats == view_for(random_match.match, None).seats
        state: TableState = random_match.state
        posts = build_next_up_posts(decision.events, state, random_match.match, turn, random_match.build_context())
        assert posts == build_next_up_posts(decision.events, state, other, turn, random_match.build_context())
        assert find_next_user(state, other, turn) == find_next_user(state, random_match.match, turn)
        bodies = repr([post.body for post in posts])
        assert find_tiles(bodies) == set()
        assert not any(boneyard_text in bodies for boneyard_text in list_boneyard_texts(random_match.match))


@pytest.mark.parametrize("language", list_languages())
def test_next_player_notice_names_no_tile(language: str) -> None:
    words = load_words(language)
    facts = {"mention": "<@1>", "name": "Ada", "game": "Star", "link": "<#2>"}
    for key in ("turn.next_up", "direct.next_up"):
        assert find_tiles(words(key, **facts)) == set()
