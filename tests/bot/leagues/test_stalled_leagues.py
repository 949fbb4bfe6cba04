"""Reports about leagues and tournaments that are blocked."""

import asyncio
import itertools

import pytest

from bot.core import metrics
from bot.core.environment import Finding, Settings
from bot.leagues.service import LeagueService
from bot.operating import status
from bot.operating.doctor import MODERATOR_FIXES, run_checks
from bot.operating.status import HealthMonitor
from data.store.leagues.seasons import SeasonChange, SeasonHead
from data.store.leagues.store import SeasonStore
from data.store.store import Store
from engine.leagues.season_events import CalledOff
from tests.bot.leagues.simulated_seasons import get_season_message, pass_hours, run_seasons, set_thread_permission
from tests.bot.member import Member
from tests.bot.simulated_guild import SimGuild
from tests.data.store.scene import NOW
from tests.data.store.seasons import add_running_season, build_new_season
from tests.wording import en

MISSING, GONE, NO_CODE = 50013, 10003, 0


async def stall_season(store: Store, head: SeasonHead, trouble: int | None) -> None:
    (head_now,) = [
        one
        for one in await SeasonStore(store.transactions).list_seasons(head.guild_id)
        if one.season_id == head.season_id
    ]
    assert await SeasonStore(store.transactions).lease_season(head_now, until=NOW + 1)
    await SeasonStore(store.transactions).release_season(head.season_id, taken=NOW + 1, at=NOW + 2, trouble=trouble)


async def test_guild_doctor_lists_blocked_seasons(sim: SimGuild, organizer: Member) -> None:
    await organizer.use_command("tiles-league tournament", name="Friday", kind="swiss", target=60)
    for name in ("Ann", "Ben", "Cleo", "Dan"):
        await sim.add_member(name).click(get_season_message(sim), label="Sign up")
    set_thread_permission(sim, allowed=False)
    await run_seasons(sim, 0.6)
    report = await organizer.read_command("tiles-admin doctor")
    assert f"✗ **{en('doctor.seasons', n=1)}**" in report
    assert en("doctor.seasons_fix", seasons=f"Friday in <#{sim.channel.id}>") in report

    set_thread_permission(sim, allowed=True)
    await pass_hours(sim, 0.1)
    assert f"✓ {en('doctor.seasons', n=0)}" in await organizer.read_command("tiles-admin doctor")


async def test_failing_season_is_counted_and_blocks_no_other(
    sim: SimGuild, organizer: Member, monkeypatch: pytest.MonkeyPatch, logged_errors: list[str]
) -> None:
    for name in ("Broken", "Whole"):
        place = sim.guild.create_text_channel(name.lower())
        await organizer.slash(place, "tiles-league start", name=name, target=60, signup=1)
    (whole, broken) = await SeasonStore(sim.store.transactions).list_seasons(sim.guild.id)
    league_service = sim.client.services[LeagueService]
    run_season = league_service.run

    async def fail_for_broken(season_id: int) -> object:
        if season_id == broken.season_id:
            raise ZeroDivisionError
        return await run_season(season_id)

    monkeypatch.setattr(league_service, "run", fail_for_broken)
    for _ in range(2):
        await run_seasons(sim, 25)
    (stalled,) = (await sim.store.operations.load_backlog(now=sim.clock(), guild_id=sim.guild.id)).stalled
    assert (stalled.number, stalled.trouble) == (broken.season_id, NO_CODE)
    assert (await league_service.load(whole.season_id)).season.state == "off", "too few signed up, and that was noticed"
    assert logged_errors
    assert all("league could not" in line for line in logged_errors), "once for each time it was tried"
    logged_errors.clear()


async def find_league_check(url: str) -> Finding:
    findings = await asyncio.to_thread(run_checks, Settings("a.b.c", url), NOW)
    (found,) = [one for one in findings if one.summary.startswith("leagues")]
    return found


async def test_command_line_doctor_lists_blocked_seasons_of_all_guilds(store: Store, url: str) -> None:
    for guild_id, why in ((1, MISSING), (2, GONE)):
        new_season = build_new_season(guild_id=guild_id)
        await stall_season(store, await SeasonStore(store.transactions).announce_season(new_season, now=NOW), why)
    found = await find_league_check(url)
    assert found.is_ok, "their moderators can put it right, and were told"
    count, *seasons = found.summary.split("; season ")
    assert count.endswith(": 2")
    assert [one.partition("; ")[0] for one in seasons] == [
        f"{number} (server {number}): {MODERATOR_FIXES[why]}" for number, why in ((1, MISSING), (2, GONE))
    ]


async def test_season_fault_beyond_guild_is_reported_to_operator(store: Store, url: str) -> None:
    head = await add_running_season(store)
    await stall_season(store, head, NO_CODE)
    finding = await find_league_check(url)
    assert not finding.is_ok
    assert "is held up`" in finding.fix
    assert f"season {head.season_id} (server {head.guild_id}): no code" in finding.fix


async def test_blocked_seasons_metric_follows_store(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(status, "DATABASE_TIMEOUT", 300.0)  # a busy machine may need longer than the usual timeout
    head, other_head = (
        await add_running_season(store),
        await SeasonStore(store.transactions).announce_season(build_new_season(guild_id=5), now=NOW),
    )
    hours = itertools.count(step=3600.0)
    monitor = HealthMonitor(clock=lambda: next(hours), store=store)

    async def read_counts() -> tuple[float | None, ...]:
        await monitor.refresh()
        label_sets = ({"whose": name} for name in ("server", "operator"))
        return tuple(metrics.REGISTRY.get_sample_value("boneyard_leagues_held_up", one) for one in label_sets)

    assert await read_counts() == (0, 0)
    await stall_season(store, head, MISSING)
    await stall_season(store, other_head, GONE)
    assert await read_counts() == (2, 0)
    await stall_season(store, head, NO_CODE)
    assert await read_counts() == (1, 1)
    await stall_season(store, head, None)
    assert await read_counts() == (1, 0)
    called_off = SeasonChange(
        season_id=other_head.season_id,
        expected_seq=other_head.seq,
        events=[CalledOff("moderator")],
        state="off",
        due_at=None,
    )
    await SeasonStore(store.transactions).change_season(called_off, now=NOW)
    assert await read_counts() == (0, 0)
    assert (await store.operations.load_backlog(now=NOW, guild_id=5)).stalled == ()
