"""Attacks on reserved seats."""

import asyncio
import itertools
from random import Random
from types import SimpleNamespace
from typing import Any

import pytest

from bot import features
from bot.core.dispatch import HANDLERS, handle_click
from bot.core.layout import CustomId
from bot.tables.lobbies import MAX_HOSTS, MAX_MENTIONS, TableRequest
from bot.tables.service import Table
from engine.table import commands as table_commands
from engine.table.commands import AddComputer, Command, Join, Moderate, OpenReservedSeats, ReserveSeats, RunDue
from engine.table.hosting import RESERVATION_SPAN
from engine.table.people import list_event_users
from engine.table.refusals import Refusal, RefusalError
from engine.table.table_posts import INVITATION
from engine.table.table_state import LOBBY_SPAN
from tests.bot.core.forged_interactions import ForgedInteraction
from tests.bot.member import Member
from tests.bot.messages import read_button_ids, read_text
from tests.bot.simulated_guild import SimGuild
from tests.bot.use_cases import ADA, CHANNEL, GRACE, GUILD, LINUS, UseCases
from tests.depth import scale_count
from tests.wording import en

features.load()  # their buttons register then

MARY, NEMO = 4, 5
OUTSIDE_USERS = (LINUS, MARY, NEMO)
REQUESTS = itertools.count(7_000_000)


async def open_reserved_table(
    use_cases: UseCases, *guests: int, seats: int | None = None, channel: int = CHANNEL
) -> Table:
    table_request = TableRequest(
        guild_id=GUILD, channel_id=channel, host_id=ADA, game="triominoes", guests=guests, seats=seats
    )
    return await use_cases.acts.open(table_request, request=next(REQUESTS))


async def try_command(use_cases: UseCases, match_id: int, command: Command) -> str:
    try:
        await use_cases.act(match_id, command, request=next(REQUESTS))
    except RefusalError as refused:
        return refused.why.value
    return ""


HARMLESS_VERBS = ("rematch", "practice", "playdeal", "bring", "quick", "forget", "home", "mute")


def build_forged_click(rng: Random, people: list[int], seq: int) -> tuple[str, list[str]]:
    verbs = [verb for verb in HANDLERS if verb not in HARMLESS_VERBS]
    lobby_verbs = (
        "join", "sit", "decline", "keep", "off", "open", "close", "set", "start", "computer", "leave", "setup",
        "agree",
    )  # fmt: skip
    values = [
        *map(str, people), "computer.greedy", "master", "yes", "no", "2", "3", "6", "star", "live 5m", "0", "", "²",
        "9" * 20, "-1",
    ]  # fmt: skip
    custom_id = CustomId(
        rng.choice(lobby_verbs) if rng.random() < 0.7 else rng.choice(verbs),
        rng.choice((1, 1, 1, 1, 2, 0)),
        rng.choice((None, 0, 1, seq, seq + 1, 999_999_999)),
        rng.choice(("", "yes", "no", "who", "game", "seats", "rated", "hand", "clock", str(people[0]), "x")),
    )
    return str(custom_id), rng.sample(values, rng.choice((0, 1, 1, 1, 2, 3)))


async def test_forged_clicks_take_no_reserved_seat(sim: SimGuild, ada: Member, grace: Member, linus: Member) -> None:
    await ada.use_command("tiles new", **{"with": grace})
    lobby, messages_before = await sim.load_table(), len(sim.list_public_messages())
    rng, people = Random(11), [ada.id, grace.id, linus.id]
    for number in range(scale_count(2000)):
        custom_id, values = build_forged_click(rng, people, lobby.state.seq)
        user = SimpleNamespace(id=rng.choice((linus.id, 900 + number % 7)), name="stranger", display_name="Stranger")
        interaction = ForgedInteraction(
            sim.client, user, sim.guild.id, sim.channel.id, data={"custom_id": custom_id, "values": values}
        )
        await handle_click(interaction)  # type: ignore[arg-type]
        assert (await sim.load_table()).state == lobby.state, custom_id
    await sim.client.services.announcer.wait_until_idle()
    assert len(sim.list_public_messages()) == messages_before, "and nobody else heard of it"
    # The seat is still reserved for the invited player.
    await grace.click(sim.get_board(), label="Join")
    table = await sim.load_table()
    assert [row.user_id for row in table.seats] == [ada.id, grace.id]
    assert table.state.state == "open"


async def test_typed_commands_take_no_reserved_seat(sim: SimGuild, ada: Member, grace: Member, linus: Member) -> None:
    await ada.use_command("tiles new", **{"with": grace})
    before, standing = (await sim.load_table()).state, await sim.take_snapshot()
    for typed in ("join", "leave", "start"):
        await linus.use_command(f"tiles {typed}")
    for options in ({"seats": 3}, {"game": "star"}, {}):
        await linus.use_command("tiles-host setup", **options)
    for command, who in (("keep", linus), ("remove", grace), ("remove", ada), ("open", grace)):
        await linus.use_command(f"tiles-host {command}", person=who)
    for command in ("remove", "open", "close"):
        await linus.use_command(f"tiles-host {command}")
    assert (await sim.load_table()).state == before
    assert await sim.take_snapshot() == standing


def choose_command(rng: Random, user: int) -> Command:
    return rng.choice(
        (
            Join(user, rng.choice((None, 0, 1))),
            table_commands.LeaveTable(user),
            table_commands.AddComputer(user),
            table_commands.StartMatch(user),
            table_commands.DeclineSeat(user),
            ReserveSeats(user, (user,)),
            OpenReservedSeats(user, rng.choice((None, GRACE))),
            table_commands.RemovePlayer(user, rng.choice((None, ADA, GRACE, LINUS))),
            table_commands.ChangeTerms(user, lambda terms: terms),
            table_commands.CloseTable(user),
            RunDue(rng.choice(PAST_JOBS)),
        )
    )


PAST_JOBS: list[Any] = []  # Scheduled jobs so far; repeating one is another action to try


@pytest.mark.parametrize("seats", [2, 3, 4])
async def test_reserved_seat_survives_other_users_until_it_expires(use_cases: UseCases, seats: int) -> None:
    rng = Random(seats)
    for _ in range(scale_count(6)):
        use_cases.time += 10 * LOBBY_SPAN
        table = await open_reserved_table(use_cases, GRACE, seats=seats)
        match_id, until = table.head.match_id, use_cases.time + RESERVATION_SPAN
        PAST_JOBS.append(table.head.due)
        while use_cases.time < until - 1:
            use_cases.time = min(
                until - 1, use_cases.time + rng.choice((1, 1000, RESERVATION_SPAN // 20, RESERVATION_SPAN // 5))
            )
            await try_command(use_cases, match_id, choose_command(rng, rng.choice(OUTSIDE_USERS)))
            now = (await use_cases.tables.load(match_id)).state
            assert now.guests.reserved_until == {GRACE: until}
            assert now.state == "lobby"
            assert now.host == ADA
        assert await try_command(use_cases, match_id, Join(GRACE)) == ""
        await _end_match(use_cases, match_id)


async def _end_match(use_cases: UseCases, match_id: int) -> None:
    await use_cases.act(match_id, table_commands.Moderate("stop", 99, ""), request=next(REQUESTS))


async def test_reserved_seat_goes_to_invited_player(use_cases: UseCases) -> None:
    for number in range(scale_count(10)):
        match_id = (await open_reserved_table(use_cases, GRACE, channel=100 + number)).head.match_id
        commands = [
            Join(LINUS),
            Join(GRACE),
            Join(NEMO),
            table_commands.AddComputer(ADA),
            Join(GRACE),
            table_commands.StartMatch(ADA),
        ]
        Random(number).shuffle(commands)
        await asyncio.gather(*(try_command(use_cases, match_id, command) for command in commands))
        table = await use_cases.tables.load(match_id)
        assert [row.user_id for row in table.seats] == [ADA, GRACE]
        await _end_match(use_cases, match_id)


async def test_concurrent_accept_and_uninvite_have_one_outcome(use_cases: UseCases) -> None:
    for number in range(scale_count(10)):
        match_id = (await open_reserved_table(use_cases, GRACE, seats=3, channel=100 + number)).head.match_id
        commands: list[Command] = [Join(GRACE), table_commands.RemovePlayer(ADA, GRACE), Join(LINUS)]
        Random(number).shuffle(commands)
        await asyncio.gather(*(try_command(use_cases, match_id, command) for command in commands))
        table = await use_cases.tables.load(match_id)
        assert LINUS in table.state.seated_users
        assert len(table.seats) == len({row.user_id for row in table.seats}) <= 3
        assert GRACE not in table.guests.reserved_until
        assert not (GRACE in table.guests.removed and GRACE in table.state.seated_users)
        await _end_match(use_cases, match_id)


async def test_duplicate_click_takes_one_seat(use_cases: UseCases) -> None:
    match_id = (await open_reserved_table(use_cases, GRACE, LINUS, seats=4)).head.match_id
    await asyncio.gather(*(_deliver(use_cases, match_id, Join(GRACE), 5) for _ in range(8)))
    await asyncio.gather(*(_deliver(use_cases, match_id, Join(GRACE), 6 + n) for n in range(8)))
    table = await use_cases.tables.load(match_id)
    assert [row.user_id for row in table.seats] == [ADA, GRACE]
    assert set(table.guests.reserved_until) == {LINUS}


async def _deliver(use_cases: UseCases, match_id: int, command: Command, request: int) -> None:
    try:
        await use_cases.act(match_id, command, request=request)
    except RefusalError as refused:
        if refused.why is not Refusal.ALREADY_SEATED:
            raise


async def test_expired_reserved_seat_is_open_to_one_player(use_cases: UseCases) -> None:
    for number in range(scale_count(10)):
        table = await open_reserved_table(use_cases, GRACE, channel=100 + number)
        match_id, due = table.head.match_id, table.head.due
        assert due is not None
        use_cases.time += RESERVATION_SPAN
        commands: list[Command] = [Join(GRACE), Join(LINUS), RunDue(due), Join(NEMO), table_commands.DeclineSeat(GRACE)]
        Random(number).shuffle(commands)
        await asyncio.gather(*(try_command(use_cases, match_id, command) for command in commands))
        after = await use_cases.tables.load(match_id)
        assert after.state.state == "open"
        assert len(after.seats) == 2
        await _end_match(use_cases, match_id)


def count_invitations(sim: SimGuild, person: Member) -> int:
    name = person.name.title()
    return sum(
        ("Take seat" in read_button_ids(message) and any(one.id == person.id for one in message.mentions))
        or en("lobby.call_over", people=name) in read_text(message)
        for message in sim.list_public_messages()
    )


async def test_host_cannot_invite_user_repeatedly(sim: SimGuild, ada: Member, grace: Member) -> None:
    days = 3
    for day in range(days):
        for turn in range(scale_count(4)):
            await ada.use_command("tiles new", **{"with": grace})
            match_id = (await sim.load_head()).match_id
            for command in (
                OpenReservedSeats(ada.id),
                ReserveSeats(ada.id, (grace.id,)),
                table_commands.RemovePlayer(ada.id, grace.id),
            ):
                await sim.client.services.acts.act(match_id, command)
            await ada.use_command("tiles-host keep", person=grace)
            if turn % 2:
                await grace.use_command("tiles leave")
            await sim.client.services.acts.act(match_id, table_commands.CloseTable(ada.id))
            await sim.client.services.announcer.refresh(match_id)
        assert count_invitations(sim, grace) == day + 1
        await sim.wait(hours=24.1)


async def test_many_hosts_cannot_invite_user_repeatedly(sim: SimGuild, ada: Member, grace: Member) -> None:
    hosts = [sim.add_member(f"Host{number}") for number in range(MAX_HOSTS + 3)]
    for host in hosts:
        await host.use_command("tiles new", **{"with": grace})
        assert set((await sim.load_table()).guests.reserved_until) == {grace.id}, "the seat is kept all the same"
        match_id = (await sim.load_head()).match_id
        await sim.client.services.acts.act(match_id, table_commands.CloseTable(host.id))
        await sim.client.services.announcer.refresh(match_id)
    assert count_invitations(sim, grace) == MAX_HOSTS


async def test_host_cannot_invite_whole_server(use_cases: UseCases) -> None:
    people, mentioned = itertools.count(1000), set()
    for _ in range(scale_count(10)):
        table = await open_reserved_table(use_cases, next(people), seats=6)
        for _ in range(8):
            await try_command(use_cases, table.head.match_id, OpenReservedSeats(ADA))
            await try_command(
                use_cases, table.head.match_id, ReserveSeats(ADA, (next(people), next(people), next(people)))
            )
        await try_command(use_cases, table.head.match_id, table_commands.CloseTable(ADA))
    for row in await use_cases.store.outbox.list_due(use_cases.time, limit=1000):
        if row.kind == INVITATION:
            mentioned |= set(row.body["users"])
    assert len(mentioned) == MAX_MENTIONS


async def test_guest_cannot_start_match_with_computer(use_cases: UseCases) -> None:
    match_id = (await open_reserved_table(use_cases, seats=3)).head.match_id
    assert await try_command(use_cases, match_id, Join(LINUS)) == ""
    assert await try_command(use_cases, match_id, AddComputer(LINUS)) == "HOST_DECIDES"
    assert await try_command(use_cases, match_id, AddComputer(ADA)) == ""
    assert (await use_cases.tables.load(match_id)).state.state == "open"


async def test_invited_player_who_joined_can_be_invited_again(sim: SimGuild, ada: Member, grace: Member) -> None:
    for number in range(1, 4):
        await ada.use_command("tiles new", **{"with": grace})
        assert count_invitations(sim, grace) == number
        await grace.click(sim.get_board(), label="Join")
        await sim.client.services.acts.act((await sim.load_head()).match_id, Moderate("stop", 1, ""))
        await sim.client.services.announcer.refresh((await sim.load_head()).match_id)


async def test_reserved_seats_block_channel_at_most_three_days(use_cases: UseCases) -> None:
    opened = use_cases.time
    match_id = (await open_reserved_table(use_cases, GRACE, seats=6)).head.match_id
    people = itertools.count(1000)
    while (await use_cases.tables.load(match_id)).state.state == "lobby":
        await try_command(use_cases, match_id, OpenReservedSeats(ADA))
        await try_command(use_cases, match_id, ReserveSeats(ADA, (next(people),)))
        use_cases.time += LOBBY_SPAN // 10
        due = (await use_cases.tables.load(match_id)).head.due
        if due.at <= use_cases.time:
            await try_command(use_cases, match_id, RunDue(due))
    assert use_cases.time - opened <= 3 * LOBBY_SPAN + LOBBY_SPAN // 10


async def test_deleting_user_releases_reserved_seat_and_name(
    sim: SimGuild, ada: Member, grace: Member, linus: Member
) -> None:
    await ada.use_command("tiles new", **{"with": grace})
    match_id = (await sim.load_head()).match_id
    await sim.client.services.privacy.delete(grace.id)
    await sim.client.services.announcer.refresh(match_id)
    assert (await sim.load_table()).guests.reserved_until == {}
    assert grace.id not in await sim.store.erasure.list_user_ids()
    await linus.click(sim.get_board(), label="Join")
    assert (await sim.load_head()).state == "open"


async def test_table_forgets_invited_users_who_did_not_join(use_cases: UseCases) -> None:
    match_id = (await open_reserved_table(use_cases, GRACE, seats=3)).head.match_id
    await try_command(use_cases, match_id, table_commands.DeclineSeat(GRACE))
    await try_command(use_cases, match_id, Join(LINUS))
    assert GRACE in await use_cases.store.erasure.list_user_ids(), "so that she is not called again"
    await try_command(use_cases, match_id, table_commands.StartMatch(ADA))
    assert (await use_cases.tables.load(match_id)).state.state == "open"
    loaded = await use_cases.store.matches.load(match_id)
    assert GRACE not in {user for entry in loaded.log for user in list_event_users(entry.event)}
