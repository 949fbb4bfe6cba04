"""The message of a season: exactly one exists, even after kills and moves to another channel."""

import asyncio
from contextlib import suppress

import discord
import pytest

from bot.leagues.season_jobs import SeasonRunner
from bot.leagues.service import LeagueService
from bot.sending.sender import Outgoing, Sender
from data.store.connection.store_errors import StoreClosed
from data.store.leagues.store import SeasonStore
from tests.bot.core.channels import delete_channel
from tests.bot.leagues.simulated_seasons import (
    MINUTE_IN_HOURS,
    announce_tournament,
    get_season_message,
    load_season,
    pass_hours,
    read_season,
    run_seasons,
    wait_until_seasons_idle,
)
from tests.bot.member import Member
from tests.bot.messages import read_button_ids, read_private_text, read_text
from tests.bot.simulated_guild import TIMEOUT_SECONDS, SimGuild
from tests.wording import en, has_sentence

STEPS: list[tuple[type, str]] = [
    (SeasonStore, "begin_season_message"),
    (Sender, "send"),
    (SeasonStore, "note_season_shown"),
    (SeasonStore, "delete_season_message"),
]


def kill_at(step: tuple[type, str], patch: pytest.MonkeyPatch, *, after: bool) -> list[object]:
    owner, name = step
    original, kills = getattr(owner, name), list[object]()

    async def run_then_die(*args: object, **options: object) -> object:
        if kills:
            return await original(*args, **options)
        kills.append(await original(*args, **options) if after else None)
        raise StoreClosed

    patch.setattr(owner, name, run_then_die)
    return kills


@pytest.mark.parametrize("meanwhile", ["", "end", "move"])
@pytest.mark.parametrize("after", [False, True], ids=["before", "after"])
@pytest.mark.parametrize("step", STEPS, ids=[name for _, name in STEPS])
async def test_season_has_one_correct_message_after_kill(
    sim: SimGuild,
    guests: list[Member],
    organizer: Member,
    monkeypatch: pytest.MonkeyPatch,
    step: tuple[type, str],
    *,
    after: bool,
    meanwhile: str,
) -> None:
    await announce_tournament(sim, organizer, guests[:4])
    await wait_until_seasons_idle(sim)
    with monkeypatch.context() as patched:
        killed = kill_at(step, patched, after=after)
        await run_seasons(sim, 30 * MINUTE_IN_HOURS)
    assert killed
    await sim.restart()
    where = sim.channel
    if meanwhile == "move":
        where = sim.guild.create_text_channel("elsewhere")
    if meanwhile:
        await organizer.slash(where, f"tiles-league {meanwhile}")
    await pass_hours(sim, 2 * MINUTE_IN_HOURS)

    found = await load_season(sim)
    assert found.season.state == ("over" if meanwhile == "end" else "running")
    assert len(sim.list_public_messages(where)) == 1
    assert where is sim.channel or sim.list_public_messages() == []
    assert ("Withdraw" in read_button_ids(sim.list_public_messages(where)[0])) == (meanwhile != "end")
    assert "Sign up" not in read_button_ids(sim.list_public_messages(where)[0])
    assert len(await SeasonStore(sim.store.transactions).list_season_messages(found.head.season_id)) == 1


async def test_failed_message_deletion_is_retried(
    sim: SimGuild, guests: list[Member], organizer: Member, monkeypatch: pytest.MonkeyPatch
) -> None:
    await announce_tournament(sim, organizer, guests[:4])
    old_id, delete = get_season_message(sim).id, Sender.delete

    async def fail_to_delete(sender: Sender, channel: discord.PartialMessageable, message_id: int) -> None:
        if message_id == old_id:
            raise ConnectionError
        await delete(sender, channel, message_id)

    with monkeypatch.context() as patched:
        patched.setattr(Sender, "delete", fail_to_delete)
        await run_seasons(sim, 30 * MINUTE_IN_HOURS)
        assert len(sim.list_public_messages()) == 2
    await pass_hours(sim, 2 * MINUTE_IN_HOURS)
    assert "Withdraw" in read_button_ids(*sim.list_public_messages())
    assert en("league.held_up") not in read_season(sim)


async def test_unrecorded_first_message_is_found_and_updated_with_sign_ups(
    sim: SimGuild, guests: list[Member], organizer: Member, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patched:
        kill_at((SeasonStore, "note_season_shown"), patched, after=False)
        await announce_tournament(sim, organizer, [])
        await sim.client.services[SeasonRunner].wait_until_idle()
    for person in guests[:2]:
        await person.click(get_season_message(sim), label="Sign up")
    await sim.restart()
    await pass_hours(sim, 2 * MINUTE_IN_HOURS)
    (standing,) = sim.list_public_messages()
    assert "Ann" in read_text(standing)
    assert "Ben" in read_text(standing)


async def test_season_moved_from_closed_channel_continues_without_old_message(
    sim: SimGuild, guests: list[Member], organizer: Member
) -> None:
    await announce_tournament(sim, organizer, [])
    await wait_until_seasons_idle(sim)
    elsewhere = sim.guild.create_text_channel("elsewhere")
    await delete_channel(sim, sim.channel)
    assert has_sentence(
        read_private_text(await organizer.slash(elsewhere, "tiles-league move")),
        "league.moved",
        channel=elsewhere.mention,
    )
    await wait_until_seasons_idle(sim)
    assert len(sim.list_public_messages(elsewhere)) == 1
    found = await load_season(sim)
    assert [
        one.channel_id for one in await SeasonStore(sim.store.transactions).list_season_messages(found.head.season_id)
    ] == [elsewhere.id]
    assert (await sim.store.operations.load_backlog(now=sim.clock(), guild_id=sim.guild.id)).stalled == ()


async def test_concurrent_sign_ups_are_all_shown(
    sim: SimGuild, guests: list[Member], organizer: Member, monkeypatch: pytest.MonkeyPatch
) -> None:
    await announce_tournament(sim, organizer, [])
    await wait_until_seasons_idle(sim)
    started, overtaken, show = asyncio.Event(), asyncio.Event(), Sender.show

    async def show_slowly(
        sender: Sender, channel: discord.PartialMessageable, message_id: int, shown: Outgoing
    ) -> bool:
        if not started.is_set():
            started.set()
            with suppress(TimeoutError):
                await asyncio.wait_for(overtaken.wait(), 1)
        done = await show(sender, channel, message_id, shown)
        overtaken.set()
        return done

    monkeypatch.setattr(Sender, "show", show_slowly)
    services, season_id = sim.client.services, (await load_season(sim)).head.season_id

    async def sign_up(person: Member) -> None:
        await services[LeagueService].sign_up(season_id, sim.guild.id, person.id)
        await services[SeasonRunner].run_now(season_id)

    first = asyncio.create_task(sign_up(guests[0]))
    await started.wait()
    await asyncio.gather(first, *map(sign_up, guests[1:3]))
    await wait_until_seasons_idle(sim)
    for name in ("Ann", "Ben", "Cleo"):
        assert name in read_season(sim)


async def test_player_leaving_during_opening_causes_no_duplicate_thread(
    sim: SimGuild, guests: list[Member], organizer: Member, monkeypatch: pytest.MonkeyPatch
) -> None:
    await announce_tournament(sim, organizer, guests)
    opening, released = delay_thread_creation(sim, monkeypatch)
    services, season_id = sim.client.services, (await load_season(sim)).head.season_id
    sim.clock.skipped_ms += 31 * 60_000
    await services[SeasonRunner].sweep()
    await opening.wait()
    await services[LeagueService].withdraw(season_id, sim.guild.id, guests[5].id)
    await services[SeasonRunner].run_now(season_id)
    released.set()
    await wait_until_seasons_idle(sim)
    names = [thread.name for thread in sim.channel.threads]
    assert len(names) == len(set(names)) == len((await load_season(sim)).season.match_ids)


async def test_season_waiting_for_threads_delays_no_other_season(
    sim: SimGuild, guests: list[Member], organizer: Member, monkeypatch: pytest.MonkeyPatch
) -> None:
    elsewhere = sim.guild.create_text_channel("elsewhere")
    for channel in (sim.channel, elsewhere):
        await organizer.slash(channel, "tiles-league tournament", name="Friday", kind="swiss", target=60)
        for person in guests[:4]:
            await person.click(sim.list_public_messages(channel)[-1], label="Sign up")
    opening, released = delay_thread_creation(sim, monkeypatch)
    sim.clock.skipped_ms += 31 * 60_000
    for _ in range(2):
        await sim.client.services[SeasonRunner].sweep()
        await opening.wait()
    async with asyncio.timeout(TIMEOUT_SECONDS):
        while len(elsewhere.threads) < 2:  # noqa: ASYNC110
            await asyncio.sleep(0.02)
    assert sim.channel.threads == []
    released.set()
    await wait_until_seasons_idle(sim)
    assert len(sim.channel.threads) == 2


def delay_thread_creation(sim: SimGuild, patch: pytest.MonkeyPatch) -> tuple[asyncio.Event, asyncio.Event]:
    opening, released, create_thread = asyncio.Event(), asyncio.Event(), discord.TextChannel.create_thread

    async def create_slowly(channel: discord.TextChannel, **how: object) -> discord.Thread:
        if channel.id == sim.channel.id and not opening.is_set():
            opening.set()
            await released.wait()
        return await create_thread(channel, **how)

    patch.setattr(discord.TextChannel, "create_thread", create_slowly)
    return opening, released
