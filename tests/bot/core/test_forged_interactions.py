"""Forged buttons, menus, texts and options: the bot accepts only legal actions and raises no error.

A long run (BONEYARD_DEPTH=5) tries ten thousand of them.
"""

import itertools
import re
from dataclasses import replace
from io import BytesIO
from random import Random
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from PIL import Image

import bot.tables.messages
from bot import features
from bot.core.context import Context
from bot.core.dispatch import HANDLERS, handle_click
from bot.core.layout import CustomId, parse_custom_id
from bot.tables import move_labels, opening_commands, typed_moves
from bot.tables.lobbies import TableRequest, resolve_terms
from bot.tables.service import build_rules
from data.rulebook import list_games, list_presets, load_rules
from data.words import load_words
from engine.board.tiles import format_tile_notation
from engine.match.actions import Play
from engine.match.decide import decide, find_forced_action, start
from engine.match.errors import RuleError
from engine.match.player_view import view_for
from engine.match.state import Match, apply_event, create_match, replay
from engine.players import greedy
from engine.table.commands import Join, Moderate
from engine.table.refusals import RefusalError
from render.canvas.picture import Picture
from tests.bot.core.forged_interactions import forge_interaction
from tests.bot.member import Member
from tests.bot.simulated_guild import MIXED_HAND_DEAL, SimGuild, derive_secret
from tests.crash.legal_actions import ACTION_EVENTS, is_legal
from tests.depth import scale_count

features.load()  # registers the buttons of all features

NUMBERS = st.sampled_from(["", "0", "1", "2", "3", "7", "12", "999999999", "9" * 12, "9" * 13, "-1", "²", "٣", "1e3"])
WORDS = st.one_of(
    st.sampled_from(
        ["", "yes", "no", "on", "off", "points", "tiles", "stop", "wait", "turn", "seat", "end", "345", "555"]
    ),
    st.from_regex(r"[0-6?]{0,5}\.[UDS]?-?\d{1,6},-?\d{1,6}\.\d{1,20}", fullmatch=True),
    st.from_regex(r"[a-z]{1,12}\.(server|everywhere|x)\.(ever|month|²)\.\d{1,20}", fullmatch=True),
    st.text(max_size=12),
)
VERBS = st.one_of(st.sampled_from(sorted(HANDLERS)), st.sampled_from(["", "unknown", "JOIN", "play\n", "rm"]))


def _build_custom_id(verb: str, table: str, seq: str, argument: str, mark: str) -> str:
    return f"by:{verb}" + "".join(
        sign + part for sign, part in zip("::|~", (table, seq, argument, mark), strict=True) if part
    )


CUSTOM_IDS = st.one_of(
    st.builds(_build_custom_id, VERBS, NUMBERS, NUMBERS, WORDS, st.sampled_from(["", "abc", "z", "a" * 30])),
    st.text(max_size=100),
    st.from_regex(r"by:[a-z:|~0-9.]{0,60}", fullmatch=True),
)
SUPPRESSED_CHECKS = [HealthCheck.too_slow, HealthCheck.function_scoped_fixture]


@settings(max_examples=scale_count(800), deadline=None)
@given(CUSTOM_IDS)
def test_custom_id_is_parsed_exactly_or_rejected(custom_id: str) -> None:
    press = parse_custom_id(custom_id)
    if press is None:
        return
    assert re.fullmatch(r"[a-z]{1,12}", press.verb)
    assert parse_custom_id(str(press)) == (press if press.table else replace(press, seq=None))
    assert 0 <= press.table < 10**12
    assert press.argument.isascii()


def _build_position(game: str, seed: int) -> tuple[Match, bytes]:
    rng, deal = Random(seed), derive_secret(seed)
    match = replay(start(load_rules(game), seats=2, computers=(), by_hand=False, secret=deal))
    for _ in range(rng.randrange(9)):
        if match.ended:
            break
        for event in decide(match, find_forced_action(match) or greedy.choose(view_for(match, match.turn), rng), deal):
            apply_event(match, event)
    while not match.ended and (action := find_forced_action(match)):
        for event in decide(match, action, deal):
            apply_event(match, event)
    return match, deal


POSITIONS = [
    one for one in (_build_position(game, seed) for game in list_games() for seed in range(5)) if not one[0].ended
]
VIEWS = [[view_for(match, seat) for seat in (0, 1)] for match, _ in POSITIONS]
TILES = st.one_of(
    st.from_regex(r"[0-7?][-. ]?[0-7?][-. ]?[0-7?]([-. ]?[0-7?])?", fullmatch=True),
    st.sampled_from(["BOSS", "boss", "", "-", "3-3-4-4-4", "٣-٣-٤", "²²²", "0" * 200]),
    st.text(max_size=20),
)
PLACES = st.one_of(
    st.none(),
    st.sampled_from(
        ["A", "b", "C", "AA", "ZZ", "A1", "", " ", "U0,0", "D0,0", "S0,0", "U0,0.1", "0,0", "0,0.7", "D-1,0.2"]
    ),
    st.from_regex(r"[UDS]?-?\d{1,9},-?\d{1,9}(\.\d{1,9})?", fullmatch=True),
    st.text(max_size=20),
)


def _check_play(match: Match, deal: bytes, seat: int, placement: Any) -> None:
    action = Play(seat, placement.tile, placement.cell, placement.rotation)
    try:
        events = decide(match.copy(), action, deal)
    except RuleError:
        return
    assert is_legal(match, events[0])
    assert placement.tile in match.seats[seat].hand


@settings(max_examples=scale_count(500), deadline=None, suppress_health_check=SUPPRESSED_CHECKS)
@given(st.sampled_from(range(len(POSITIONS))), st.sampled_from([0, 1]), TILES, PLACES)
def test_typed_tile_and_place_are_legal_or_refused(number: int, seat: int, tile: str, place: str | None) -> None:
    match, deal = POSITIONS[number]
    try:
        placement = typed_moves.parse_typed_placement(VIEWS[number][seat], tile, place, load_words())
    except RefusalError:
        return
    _check_play(match, deal, seat, placement)


@settings(max_examples=scale_count(240), deadline=None, suppress_health_check=SUPPRESSED_CHECKS)
@given(st.sampled_from(range(len(POSITIONS))), st.sampled_from([0, 1]), st.data())
def test_forged_menu_move_is_legal_or_refused(number: int, seat: int, data: st.DataObject) -> None:
    match, deal = POSITIONS[number]
    # Moves of the other seat, moves of other tables, and nonsense.
    others = [move_labels.encode_placement(move.placement) for move in VIEWS[number][1 - seat].moves[:5]]
    text = data.draw(st.one_of(WORDS, st.sampled_from(others or [""]), st.text(max_size=100)))
    placement = move_labels.parse_placement(text, match.rules)
    if placement is not None:
        _check_play(match, deal, seat, placement)
    found = move_labels.find_move(VIEWS[number][seat], text)
    assert found is None or found.placement.tile in match.seats[seat].hand


@settings(max_examples=scale_count(200), deadline=None)
@given(
    st.sampled_from(list_games()),
    st.one_of(st.sampled_from(["", *list_presets("triominoes"), *list_presets("star")]), st.text(max_size=20)),
    st.lists(
        st.one_of(st.from_regex(r"[a-z_]{1,25}=[a-z0-9_-]{0,12}", fullmatch=True), st.text(max_size=30)), max_size=3
    ),
    st.one_of(
        st.sampled_from(["relaxed", "live 1m", "bank 5d+6h", "999d", "days 0m", "live ²m"]), st.text(max_size=15)
    ),
    st.integers(-5, 99),
    st.integers(0, 99),
)
def test_forged_table_terms_are_valid_or_refused(
    game: str, preset: str, options: list[str], clock: str, seats: int, computers: int
) -> None:
    request = TableRequest(
        guild_id=1,
        channel_id=2,
        host_id=3,
        game=game,
        preset=preset or "default",
        options=tuple(options),
        clock=clock,
        seats=seats,
        computers=("greedy",) * computers,
    )
    try:
        terms = resolve_terms(request)
    except (RefusalError, RuleError):
        return
    assert build_rules(terms).min_seats <= terms.seats <= build_rules(terms).max_seats
    assert computers < terms.seats


@pytest.fixture(autouse=True)
def blank_pictures(monkeypatch: pytest.MonkeyPatch) -> None:
    png = BytesIO()
    Image.new("1", (4, 4)).save(png, "PNG")
    for name in ("render_table", "render_hand", "render_rules"):
        monkeypatch.setattr(bot.tables.messages, name, lambda *_, **__: Picture(png.getvalue(), 4, 4))


async def _check_events(sim: SimGuild, before: int, match_id: int, seat: int | None) -> None:
    loaded = await sim.store.matches.load(match_id)
    match: Match | None = None
    written = list(await sim.store.matches.list_events(match_id, after=before))
    for event in loaded.events:
        if match is None:
            match = create_match(event)
            continue
        assert is_legal(match, event)
        apply_event(match, event)
    acts = [event for event in written if isinstance(event, ACTION_EVENTS)]
    assert not acts or acts[0].seat == seat


@settings(max_examples=scale_count(5), deadline=None, suppress_health_check=SUPPRESSED_CHECKS)
@given(st.lists(st.tuples(CUSTOM_IDS, st.integers(0, 2), st.lists(WORDS, max_size=2)), min_size=40, max_size=40))
async def test_forged_clicks_make_only_legal_changes(sim: SimGuild, cases: list[tuple[str, int, list[str]]]) -> None:
    people = list(sim.members.values()) or [sim.add_member(name) for name in ("Ada", "Grace", "Linus")]
    match_id = await _ensure_running_match(sim, people)
    for custom_id, user_index, values in cases:
        head = await sim.store.matches.find_head(match_id)
        if head.state != "open":
            match_id = await _ensure_running_match(sim, people)
            head = await sim.store.matches.find_head(match_id)
        loaded = await sim.store.matches.load(match_id)
        match = replay(loaded.events)
        seats = await sim.store.matches.list_seats(match_id)
        best = view_for(match, match.turn).moves
        move = move_labels.encode_placement(best[0].placement) if best else "345"
        forged = custom_id.replace(":1", f":{match_id}").replace(":2", f":{head.seq}").replace("345", move)
        interaction = forge_interaction(sim, people[user_index], data={"custom_id": forged, "values": values})
        await handle_click(interaction)
        seat = next((row.seat for row in seats if row.user_id == people[user_index].id), None)
        await _check_events(sim, head.seq, match_id, seat)
        assert interaction.answers or parse_custom_id(forged), "everybody is told something"
    await sim.client.services.announcer.wait_until_idle()


async def test_valid_click_of_current_player_is_accepted(sim: SimGuild, ada: Member, grace: Member) -> None:
    people = [ada, grace]
    match_id = await _ensure_running_match(sim, people)
    head, match = await sim.store.matches.find_head(match_id), await sim.replay_match()
    press = CustomId(
        "play", match_id, head.seq, move_labels.encode_placement(view_for(match, match.turn).moves[0].placement)
    )
    for who in (1 - match.turn, match.turn):
        await handle_click(forge_interaction(sim, people[who], data={"custom_id": str(press)}))
        after = await sim.store.matches.find_head(match_id)
        assert (after.seq > head.seq) == (who == match.turn)
    # The simulated Discord does not know of these clicks, so it does not wait for the posts.
    await sim.client.services.announcer.wait_until_idle()


@settings(max_examples=scale_count(3), deadline=None, suppress_health_check=SUPPRESSED_CHECKS)
@given(st.lists(st.tuples(st.integers(0, 2), TILES, st.text(max_size=30)), min_size=35, max_size=35))
async def test_autocomplete_fits_limits_and_shows_own_tiles_only(
    sim: SimGuild, cases: list[tuple[int, str, str]]
) -> None:
    people = list(sim.members.values()) or [sim.add_member(name) for name in ("Ada", "Grace", "Linus")]
    match_id = await _ensure_running_match(sim, people)
    loaded = await sim.store.matches.load(match_id)
    match = replay(loaded.events)
    for user_index, tile, text in cases:
        ctx = Context(forge_interaction(sim, people[user_index]), CustomId("play"))
        options = {"tile": tile, "game": text, "preset": tile}
        tiles = await typed_moves.suggest_tiles(ctx, text, options)
        places = await typed_moves.suggest_places(ctx, text, options)
        others = [
            await choices(ctx, text, options)
            for choices in (opening_commands.suggest_presets, opening_commands.suggest_options)
        ]
        for found in (tiles, places, *others):
            assert all(name and 1 <= len(value) <= 100 for value, name in found.items())
        seat = next(
            (row.seat for row in await sim.store.matches.list_seats(match_id) if row.user_id == people[user_index].id),
            None,
        )
        mine = {format_tile_notation(tile) for tile in match.seats[seat].hand} if seat is not None else set()
        assert {*tiles} <= mine
        assert not places or seat == match.turn


async def _ensure_running_match(sim: SimGuild, people: list[Member]) -> int:
    use_cases = sim.client.services
    heads = await sim.store.matches.list_heads_in_channel(sim.channel.id, ("open",))
    if heads:
        return heads[0].match_id
    for head in await sim.store.matches.list_heads_in_channel(sim.channel.id, ("lobby",)):
        await use_cases.acts.act(head.match_id, Moderate("stop", 1, ""))
    request = TableRequest(
        guild_id=sim.guild.id, channel_id=sim.channel.id, host_id=people[0].id, game="triominoes", seats=2
    )
    sim.deals.next_numbers = [MIXED_HAND_DEAL]
    table = await use_cases.acts.open(request, request=next(REQUESTS))
    await use_cases.acts.act(table.head.match_id, Join(people[1].id), request=next(REQUESTS))
    return table.head.match_id


REQUESTS = itertools.count(9_000_000)


async def test_forged_clicks_and_commands_are_acknowledged_without_effect(
    room: SimGuild, ada: Member, grace: Member, linus: Member
) -> None:
    rng, before = Random(5), await room.take_snapshot()
    unrestricted = ("resign", "rematch", "practice", "guide", "playdeal", "bring", "quick", "abort", "mute")
    verbs = [verb for verb in HANDLERS if verb not in unrestricted]
    ids = [
        str(
            CustomId(
                rng.choice(verbs),
                rng.choice((0, 1, 5)),
                rng.choice((None, 1, 999)),
                rng.choice(("", "x", "555.U0,0.1")),
            )
        )
        for _ in range(60)
    ]
    ids = list(dict.fromkeys(ids))[:40]
    for start_at in range(0, len(ids), 20):
        page = ids[start_at : start_at + 20]
        message = await room.post(*page)
        for number in range(len(page)):
            result = await rng.choice((ada, grace, linus)).click(message, label=f"Button {number}")
            assert result.acknowledged
    for text in ("", "5-5-5", "\u202e345", "@everyone", "9" * 90, "`"):
        for option in ("tile", "place"):
            assert len(await rng.choice((ada, linus)).autocomplete(room.channel, "tiles play", option, text)) <= 25
        await linus.use_command("tiles play", tile=text or "x", place=text or "A")
    assert (await room.take_snapshot())[0] == before[0]
