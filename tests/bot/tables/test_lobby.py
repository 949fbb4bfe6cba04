"""The use cases of a lobby, without Discord."""

import asyncio

import pytest

from bot.core.guild_settings import GuildSettings
from bot.core.refusal_text import format_refusal
from bot.tables.lobbies import TableRequest, resolve_terms
from bot.tables.service import Table
from data.words import load_words
from engine.match.actions import Play
from engine.match.errors import RuleError, Violation
from engine.match.player_view import view_for
from engine.table.commands import (
    AddComputer,
    AnswerQuestion,
    AskPlayers,
    Join,
    LeaveTable,
    MoveTable,
    RunDue,
    StartMatch,
    TakeAction,
)
from engine.table.refusals import Refusal, RefusalError
from engine.table.table_state import LOBBY_SPAN
from tests.bot.use_cases import ADA, CHANNEL, GRACE, GUILD, LINUS, UseCases, catch_refusal


def list_seated_users(table: Table) -> list[int | None]:
    return [row.user_id for row in table.seats]


async def test_players_take_seats_in_order_and_last_starts_match(use_cases: UseCases) -> None:
    table = await use_cases.open(seats=3)
    match_id = table.head.match_id
    table = await use_cases.interact(match_id, Join(GRACE))
    assert (table.head.state, list_seated_users(table), table.event_log) == ("lobby", [ADA, GRACE], None)
    table = await use_cases.interact(match_id, Join(LINUS))
    assert (table.head.state, list_seated_users(table)) == ("open", [ADA, GRACE, LINUS])
    assert len(table.match.seats) == 3
    assert table.find_turn_user() in (ADA, GRACE, LINUS)


async def test_empty_table_closes_and_frees_channel(use_cases: UseCases) -> None:
    table = await use_cases.open(seats=4)
    await use_cases.interact(table, AddComputer(ADA))
    table = await use_cases.interact(table, LeaveTable(ADA))
    assert (table.head.state, table.state.close_reason) == ("void", "empty")
    assert (await use_cases.open()).head.match_id != table.head.match_id
    for late in (
        use_cases.interact(table, Join(GRACE)),
        use_cases.interact(table, StartMatch(ADA)),
        use_cases.interact(table, LeaveTable(ADA)),
        use_cases.resign(table, ADA),
    ):
        assert await catch_refusal(late) is Refusal.CLOSED


async def test_lobby_closes_at_its_expiry(use_cases: UseCases) -> None:
    table = await use_cases.open()
    assert (table.head.due.at, table.head.due.kind) == (use_cases.time + LOBBY_SPAN, "expire")
    assert LOBBY_SPAN == 24 * 3600 * 1000
    assert await use_cases.store.matches.list_due_heads(use_cases.time + LOBBY_SPAN - 1, limit=9) == []
    assert [
        head.match_id for head in await use_cases.store.matches.list_due_heads(use_cases.time + LOBBY_SPAN, limit=9)
    ] == [1]
    use_cases.time += LOBBY_SPAN
    closed_table = await use_cases.act(table, RunDue(table.head.due))
    assert (closed_table.head.state, closed_table.state.close_reason) == ("void", "expired")
    assert await use_cases.store.matches.list_due_heads(use_cases.time + 2 * LOBBY_SPAN, limit=9) == []


async def test_started_match_does_not_expire(use_cases: UseCases) -> None:
    lobby = await use_cases.open(seats=2)
    due = lobby.head.due
    table = await use_cases.interact(lobby, Join(GRACE))
    assert table.head.due.kind == "remind"
    use_cases.time += LOBBY_SPAN
    outcome = await use_cases.acts.act(lobby.head.match_id, RunDue(due))
    assert (outcome.events, outcome.table.head.state) == ((), "open")


@pytest.mark.parametrize(
    ("terms", "why"),
    [
        ({"seats": 1}, Violation.SEAT_COUNT),
        ({"seats": 7}, Violation.SEAT_COUNT),
        ({"computers": 6}, Violation.SEAT_COUNT),
        ({"seats": 2, "computers": 2}, Refusal.TOO_MANY_COMPUTERS),
        ({"seats": 6, "computers": 6}, Refusal.TOO_MANY_COMPUTERS),
    ],
)
async def test_impossible_seat_counts_are_refused(
    use_cases: UseCases, terms: dict[str, int], why: Refusal | Violation
) -> None:
    with pytest.raises((RefusalError, RuleError)) as refused:
        await use_cases.open(**terms)
    assert refused.value.why is why
    assert await use_cases.store.matches.list_heads_in_channel(CHANNEL) == []


async def test_repeated_requests_have_one_effect(use_cases: UseCases) -> None:
    invitation = TableRequest(guild_id=GUILD, channel_id=CHANNEL, host_id=ADA, game="triominoes", seats=4)
    opened = await use_cases.acts.open(invitation, request=1)
    repeated = await use_cases.acts.open(invitation, request=1)
    assert repeated.head == opened.head
    match_id = opened.head.match_id
    for request, step in (
        (2, lambda: use_cases.act(match_id, Join(GRACE), request=2)),
        (3, lambda: use_cases.act(match_id, AddComputer(ADA), request=3)),
        (4, lambda: use_cases.act(match_id, LeaveTable(GRACE), request=4)),
        (5, lambda: use_cases.act(match_id, Join(LINUS), request=5)),
        (6, lambda: use_cases.act(match_id, StartMatch(ADA), request=6)),
    ):
        first = await step()
        assert (await use_cases.store.matches.find_request(request)) == (match_id, first.head.seq)
        assert (await step()).head == first.head
    table = await use_cases.tables.load(match_id)
    while table.find_turn_user() is None:
        table = await use_cases.play_computers(match_id)
    user, move = table.find_turn_user(), view_for(table.match, table.match.turn).moves[0].placement
    acted = [
        await use_cases.acts.act(
            match_id, TakeAction(user, lambda seat: Play(seat, move.tile, move.cell, move.rotation)), request=7
        )
        for _ in range(2)
    ]
    assert acted[0].public_events
    assert acted[1].public_events == ()
    assert acted[0].table.head.seq == acted[1].table.head.seq


async def test_unknown_table_is_refused(use_cases: UseCases) -> None:
    assert await catch_refusal(use_cases.interact(404, Join(ADA))) is Refusal.NO_SUCH_TABLE


async def test_moved_table_takes_its_call_along(use_cases: UseCases) -> None:
    table = await use_cases.start_match(GRACE)
    moved = await use_cases.interact(table, MoveTable(GRACE, 21))
    assert (moved.head.channel_id, moved.head.shown_seq, moved.head.board_message_id) == (21, 0, None)
    assert moved.match.turn == table.match.turn
    turn_rows = [row for row in await use_cases.store.outbox.list_due(use_cases.time, limit=9) if row.kind == "turn"]
    assert [(row.channel_id, row.body["seat"]) for row in turn_rows] == [(21, table.match.turn)]
    assert (await use_cases.open()).head.channel_id == CHANNEL, "the old channel is free again"


@pytest.mark.parametrize("term", ["preset", "theme", "clock", "absent"])
def test_long_invalid_term_is_quoted_shortened(term: str) -> None:
    terms_asked = {"game": "triominoes", term: "x" * 6000}
    with pytest.raises(RefusalError) as refused:
        resolve_terms(TableRequest(guild_id=1, channel_id=1, host_id=1, **terms_asked))
    text = format_refusal(load_words(), refused.value, {})
    assert "x" * 60 in text
    assert "x" * 61 not in text


async def open_table(use_cases: UseCases, channel: int, host: int = ADA) -> Table:
    invitation = TableRequest(guild_id=GUILD, channel_id=channel, host_id=host, game="triominoes")
    return await use_cases.acts.open(invitation, request=use_cases.create_request_id())


async def run_simultaneously(*acts: object) -> list[object]:
    results = await asyncio.gather(*acts, return_exceptions=True)
    return sorted(one.why.value if isinstance(one, RefusalError) else type(one).__name__ for one in results)


async def test_simultaneous_joins_respect_table_limit(use_cases: UseCases) -> None:
    tables = [await open_table(use_cases, 1), await open_table(use_cases, 2, LINUS)]
    await use_cases.store.guilds.set_guild(GUILD, GuildSettings(person=1).to_stored(), now=0)
    acts = [use_cases.interact(table, Join(GRACE)) for table in tables]
    assert await run_simultaneously(*acts) == [Refusal.TOO_MANY_TABLES_PERSON, "Table"]
    assert len(await use_cases.tables.list_of_user(GRACE)) == 1


async def test_simultaneous_openings_respect_table_limits(use_cases: UseCases) -> None:
    await use_cases.store.guilds.set_guild(GUILD, GuildSettings(server=1).to_stored(), now=0)
    assert await run_simultaneously(open_table(use_cases, 1, ADA), open_table(use_cases, 2, GRACE)) == [
        Refusal.TOO_MANY_TABLES_SERVER,
        "Table",
    ]
    await use_cases.store.guilds.set_guild(GUILD, GuildSettings(person=1).to_stored(), now=0)
    assert await run_simultaneously(open_table(use_cases, 3, LINUS), open_table(use_cases, 4, LINUS)) == [
        Refusal.TOO_MANY_TABLES_PERSON,
        "Table",
    ]


async def test_substitute_with_too_many_tables_is_refused(use_cases: UseCases) -> None:
    table = await use_cases.start_match(GRACE)
    await open_table(use_cases, 2, LINUS)
    await use_cases.store.guilds.set_guild(GUILD, GuildSettings(person=1).to_stored(), now=0)
    match_id = table.head.match_id
    table = await use_cases.interact(match_id, AskPlayers(GRACE, "substitute", LINUS))
    answer = use_cases.interact(match_id, AnswerQuestion(LINUS, table.question.number, yes=True))
    assert await run_simultaneously(answer) == [Refusal.SITS_AT_TOO_MANY]
    assert (await use_cases.tables.load(match_id)).seats[1].user_id == GRACE
