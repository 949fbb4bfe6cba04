"""The message of a season: exactly one exists, even after kills and moves to another channel."""

import asyncio
from contextlib import suppress

import discord
import pytest
from simcord import MemberActor

from bot.leagues.season_jobs import SeasonRunner
from bot.leagues.service import LeagueService
from bot.sending.sender import Outgoing, Sender
from data.store.connection.store_errors import StoreClosed
from data.store.leagues.store import SeasonStore
from tests.bot.core.channels import lose
from tests.bot.leagues.simulated_seasons import MINUTE, announced, message, season_of, settled
from tests.bot.messages import button_ids, told, words_of
from tests.bot.simulated_guild import PATIENCE, SimGuild
from tests.wording import en, says

STEPS: list[tuple[type, str]] = [
    (SeasonStore, "begin_season_message"),
    (Sender, "send"),
    (SeasonStore, "note_season_shown"),
    (SeasonStore, "delete_season_message"),
]


def kill_at(step: tuple[type, str], patch: pytest.MonkeyPatch, *, after: bool) -> list[object]:
    owner, name = step
    real, told = getattr(owner, name), list[object]()

    async def dies(*args: object, **options: object) -> object:
        if told:
            return await real(*args, **options)
        told.append(await real(*args, **options) if after else None)
        raise StoreClosed

    patch.setattr(owner, name, dies)
    return told


@pytest.mark.parametrize("meanwhile", ["", "end", "move"])
@pytest.mark.parametrize("after", [False, True], ids=["before", "after"])
@pytest.mark.parametrize("step", STEPS, ids=[name for _, name in STEPS])
async def test_season_has_one_correct_message_after_kill(
    sim: SimGuild,
    guests: list[MemberActor],
    organizer: MemberActor,
    monkeypatch: pytest.MonkeyPatch,
    step: tuple[type, str],
    *,
    after: bool,
    meanwhile: str,
) -> None:
    await announced(sim, organizer, guests[:4])
    await settled(sim)
    with monkeypatch.context() as patched:
        killed = kill_at(step, patched, after=after)
        await sim.wait(hours=30 * MINUTE)
        await sim.client.services[SeasonRunner].wait_until_idle()
    assert killed
    await sim.restart()
    where = sim.channel
    if meanwhile == "move":
        where = sim.guild.create_text_channel("elsewhere")
    if meanwhile:
        await organizer.slash(where, f"tiles-league {meanwhile}")
    await sim.wait(hours=2 * MINUTE)
    await settled(sim)

    found = await season_of(sim)
    assert found.season.state == ("over" if meanwhile == "end" else "running")
    assert len(sim.public(where)) == 1
    assert where is sim.channel or sim.public() == []
    assert ("Withdraw" in button_ids(sim.public(where)[0])) == (meanwhile != "end")
    assert "Sign up" not in button_ids(sim.public(where)[0])
    assert len(await SeasonStore(sim.store.transactions).list_season_messages(found.head.season_id)) == 1


async def test_failed_message_deletion_is_retried(
    sim: SimGuild, guests: list[MemberActor], organizer: MemberActor, monkeypatch: pytest.MonkeyPatch
) -> None:
    await announced(sim, organizer, guests[:4])
    old, real = message(sim).id, Sender.delete

    async def fails(sender: Sender, channel: discord.PartialMessageable, message_id: int) -> None:
        if message_id == old:
            raise ConnectionError
        await real(sender, channel, message_id)

    with monkeypatch.context() as patched:
        patched.setattr(Sender, "delete", fails)
        await sim.wait(hours=30 * MINUTE)
        await sim.client.services[SeasonRunner].wait_until_idle()
        assert len(sim.public()) == 2
    await sim.wait(hours=2 * MINUTE)
    await settled(sim)
    assert "Withdraw" in button_ids(*sim.public())
    assert en("league.held_up") not in words_of(message(sim))


async def test_unrecorded_first_message_is_found_and_updated_with_sign_ups(
    sim: SimGuild, guests: list[MemberActor], organizer: MemberActor, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patched:
        kill_at((SeasonStore, "note_season_shown"), patched, after=False)
        await announced(sim, organizer, [])
        await sim.client.services[SeasonRunner].wait_until_idle()
    for person in guests[:2]:
        await person.click(message(sim), label="Sign up")
    await sim.restart()
    await sim.wait(hours=2 * MINUTE)
    await settled(sim)
    (standing,) = sim.public()
    assert "Ann" in words_of(standing)
    assert "Ben" in words_of(standing)


async def test_season_moved_from_closed_channel_continues_without_old_message(
    sim: SimGuild, guests: list[MemberActor], organizer: MemberActor
) -> None:
    await announced(sim, organizer, [])
    await settled(sim)
    elsewhere = sim.guild.create_text_channel("elsewhere")
    await lose(sim, sim.channel)
    assert says(told(await organizer.slash(elsewhere, "tiles-league move")), "league.moved", channel=elsewhere.mention)
    await settled(sim)
    assert len(sim.public(elsewhere)) == 1
    found = await season_of(sim)
    assert [
        one.channel_id for one in await SeasonStore(sim.store.transactions).list_season_messages(found.head.season_id)
    ] == [elsewhere.id]
    assert (await sim.store.operations.load_backlog(now=sim.clock(), guild_id=sim.guild.id)).stalled == ()


async def test_concurrent_sign_ups_are_all_shown(
    sim: SimGuild, guests: list[MemberActor], organizer: MemberActor, monkeypatch: pytest.MonkeyPatch
) -> None:
    await announced(sim, organizer, [])
    await settled(sim)
    begun, overtaken, real = asyncio.Event(), asyncio.Event(), Sender.show

    async def slowly(sender: Sender, channel: discord.PartialMessageable, message_id: int, shown: Outgoing) -> bool:
        if not begun.is_set():
            begun.set()
            with suppress(TimeoutError):
                await asyncio.wait_for(overtaken.wait(), 1)
        done = await real(sender, channel, message_id, shown)
        overtaken.set()
        return done

    monkeypatch.setattr(Sender, "show", slowly)
    services, season_id = sim.client.services, (await season_of(sim)).head.season_id

    async def signs_up(person: MemberActor) -> None:
        await services[LeagueService].sign_up(season_id, sim.guild.id, person.id)
        await services[SeasonRunner].run_now(season_id)

    first = asyncio.create_task(signs_up(guests[0]))
    await begun.wait()
    await asyncio.gather(first, *map(signs_up, guests[1:3]))
    await settled(sim)
    for name in ("Ann", "Ben", "Cleo"):
        assert name in words_of(message(sim))


async def test_player_leaving_during_opening_causes_no_duplicate_thread(
    sim: SimGuild, guests: list[MemberActor], organizer: MemberActor, monkeypatch: pytest.MonkeyPatch
) -> None:
    await announced(sim, organizer, guests)
    opens, goes_on = slow_threads(sim, monkeypatch)
    services, season_id = sim.client.services, (await season_of(sim)).head.season_id
    sim.clock.skipped += 31 * 60_000
    await services[SeasonRunner].sweep()
    await opens.wait()
    await services[LeagueService].withdraw(season_id, sim.guild.id, guests[5].id)
    await services[SeasonRunner].run_now(season_id)
    goes_on.set()
    await settled(sim)
    names = [thread.name for thread in sim.channel.threads]
    assert len(names) == len(set(names)) == len((await season_of(sim)).season.match_ids)


async def test_season_waiting_for_threads_delays_no_other_season(
    sim: SimGuild, guests: list[MemberActor], organizer: MemberActor, monkeypatch: pytest.MonkeyPatch
) -> None:
    elsewhere = sim.guild.create_text_channel("elsewhere")
    for channel in (sim.channel, elsewhere):
        await organizer.slash(channel, "tiles-league tournament", name="Friday", kind="swiss", target=60)
        for person in guests[:4]:
            await person.click(sim.public(channel)[-1], label="Sign up")
    opens, goes_on = slow_threads(sim, monkeypatch)
    sim.clock.skipped += 31 * 60_000
    for _ in range(2):
        await sim.client.services[SeasonRunner].sweep()
        await opens.wait()
    async with asyncio.timeout(PATIENCE):
        while len(elsewhere.threads) < 2:  # noqa: ASYNC110
            await asyncio.sleep(0.02)
    assert sim.channel.threads == []
    goes_on.set()
    await settled(sim)
    assert len(sim.channel.threads) == 2


def slow_threads(sim: SimGuild, patch: pytest.MonkeyPatch) -> tuple[asyncio.Event, asyncio.Event]:
    opens, goes_on, real = asyncio.Event(), asyncio.Event(), discord.TextChannel.create_thread

    async def create(channel: discord.TextChannel, **how: object) -> discord.Thread:
        if channel.id == sim.channel.id and not opens.is_set():
            opens.set()
            await goes_on.wait()
        return await real(channel, **how)  # type: ignore[arg-type]

    patch.setattr(discord.TextChannel, "create_thread", create)
    return opens, goes_on
