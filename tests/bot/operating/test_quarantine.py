"""Quarantine of matches with an unreadable log."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path
from random import Random

import pytest

from bot.core.environment import Settings
from bot.operating.backup import backup, restore
from bot.operating.doctor import run_checks
from bot.playground.person import PageUser
from bot.tables import acts
from bot.tables.acts import CHECK_INTERVAL
from bot.tables.service import UPDATE_GRACE
from data.store.connection.shards import PULSE_PREFIX
from data.store.operations.copies import CopyError
from tests.bot.local_bot import Json, LocalBot, labels, run_local_bot, words_of
from tests.bot.tables.log_damage import DAMAGES, forgotten, run
from tests.wording import en, says


@pytest.fixture
async def sim(url: str) -> AsyncIterator[LocalBot]:
    async with run_local_bot(url) as found:
        yield found


async def said(sim: LocalBot, person: PageUser, *command: str, **options: object) -> str:
    return words_of(await sim.answered(person, await person.use_command(sim.place, *command, **options)))


async def set_aside_posts(sim: LocalBot) -> list[Json]:
    return [one for one in await sim.public() if says(words_of(one), "trouble.set_aside")]


@pytest.mark.parametrize("how", DAMAGES)
async def test_any_unreadable_row_frees_channel_and_notifies_players(
    sim: LocalBot, url: str, nothing_broke: list[str], how: str
) -> None:
    await sim.table()
    await sim.move()
    await run(url, DAMAGES[how])
    await forgotten(sim)
    told = await said(sim, sim.ada, "tiles", "hand")
    assert told == en("no.SET_ASIDE", match=1)
    (line,) = nothing_broke
    assert "match is set aside" in line
    assert 'no\\"' not in line
    nothing_broke.clear()
    await sim.client.services.announcer.sweep()
    await sim.quiet()
    (post,) = await set_aside_posts(sim)
    assert {one["id"] for one in post["mentions"]} == {sim.ada.id, sim.grace.id}
    assert await sim.calls() == [post], "nobody is called to a table that does not go on"
    for command in ("match resign", "play", "draw", "board", "scores", "match pause"):
        options = {"tile": "555"} if command == "play" else {}
        told = await said(sim, sim.grace, "tiles", *command.split(), **options)
        assert told == en("no.SET_ASIDE", match=1), command
    assert says(await said(sim, sim.grace, "tiles", "games"), "tables.aside", match=1)
    assert says(await said(sim, sim.grace, "tiles", "new", seats=2), "lobby.opened")
    await sim.client.services.announcer.sweep()
    await sim.quiet()
    assert len(await set_aside_posts(sim)) == 1
    assert nothing_broke == []


async def test_opening_table_can_discover_unreadable_match(sim: LocalBot, url: str, nothing_broke: list[str]) -> None:
    await sim.table()
    await run(url, DAMAGES["half a row"])
    await forgotten(sim)
    assert says(await said(sim, sim.grace, "tiles", "new", seats=2), "lobby.opened")
    nothing_broke.clear()


async def test_unreadable_match_is_found_without_user_action(sim: LocalBot, url: str, nothing_broke: list[str]) -> None:
    await sim.table()
    await run(url, DAMAGES["no last row"])
    sim.skipped[0] += 2 * CHECK_INTERVAL
    await sim.store.operations.record_pulse(PULSE_PREFIX, now=sim.client.services.now())
    async with asyncio.timeout(300):
        while not await set_aside_posts(sim):
            await sim.client.services.scheduler.sweep()
            await asyncio.sleep(0.05)
    (line,) = nothing_broke
    assert "match is set aside" in line
    nothing_broke.clear()


async def test_old_button_reports_quarantined_match(sim: LocalBot, url: str, nothing_broke: list[str]) -> None:
    await sim.table()
    (board,) = await sim.boards()
    await run(url, DAMAGES["half a row"])
    await forgotten(sim)
    for label in ("My hand", "Scores", "Rules"):
        answer = await sim.answered(sim.ada, await sim.ada.click(board, label=label))
        assert says(words_of(answer), "no.SET_ASIDE", match=1) or label == "Rules"
    nothing_broke.clear()


async def test_doctors_list_quarantined_match_until_moderator_closes_it(
    sim: LocalBot, url: str, nothing_broke: list[str]
) -> None:
    await sim.table()
    await run(url, DAMAGES["half a row"])
    await forgotten(sim)
    await said(sim, sim.ada, "tiles", "hand")
    nothing_broke.clear()
    doctor = await said(sim, sim.ada, "tiles-admin", "doctor")
    assert says(doctor, "doctor.aside", n=1)
    assert says(doctor, "doctor.aside_fix", tables=1)
    machine = await asyncio.to_thread(lambda: run_checks(Settings("a.b.c", url), 0))
    (finding,) = [one for one in machine if one.summary.startswith("matches set aside")]
    assert not finding.is_ok
    assert "event 3, damaged" in finding.fix
    assert en("admin.end_aside", match=1) in await said(sim, sim.ada, "tiles-admin", "end", reason="because")
    assert en("doctor.well").removeprefix("## ") in await said(sim, sim.ada, "tiles-admin", "doctor")
    assert says(await said(sim, sim.ada, "tiles", "hand"), "no.NO_TABLE_HERE")
    assert not says(await said(sim, sim.ada, "tiles", "games"), "tables.aside")


@pytest.mark.parametrize("damage", ["half a row", "no last row"])
async def test_moderator_reason_is_shown_and_stored(
    sim: LocalBot, url: str, nothing_broke: list[str], damage: str
) -> None:
    await sim.table()
    await run(url, DAMAGES[damage])
    await forgotten(sim)
    await said(sim, sim.ada, "tiles", "hand")
    ended = await said(sim, sim.ada, "tiles-admin", "end", reason="by <@1> again", table=1)
    assert en("admin.end_aside", match=1) in ended
    await said(sim, sim.ada, "tiles-admin", "end", reason="another", table=1)
    await sim.quiet()
    told = [words_of(one) for one in await sim.public() if "is closed" in words_of(one)]
    assert told == [en("trouble.aside_ended", match="1", name="Ada", reason="by \\<\\@1\\> again")]
    head = await sim.store.matches.find_head(1)
    assert (head.state, head.is_board_outdated) == ("void", False)
    (ruling,) = await sim.store.matches.list_moderations(1)
    assert (ruling.kind, ruling.reason, ruling.user_id, ruling.seq) == (
        "stopped",
        "by <@1> again",
        int(sim.ada.id),
        head.seq,
    )
    (held,) = (await sim.store.erasure.export_user(int(sim.ada.id)))["moderations"]
    assert (held["match_id"], held["seq"]) == (1, head.seq)
    await sim.client.services.announcer.sweep()
    await sim.quiet()
    assert (await sim.store.operations.load_backlog(now=sim.client.services.now())).posts == 0
    nothing_broke.clear()


async def test_quarantined_match_of_other_guild_is_hidden(sim: LocalBot, url: str, nothing_broke: list[str]) -> None:
    await sim.table()
    await run(url, DAMAGES["half a row"], "UPDATE matches SET guild_id = 5, channel_id = 6")
    await forgotten(sim)
    told = await said(sim, sim.ada, "tiles-admin", "end", reason="because", table=1)
    assert says(told, "no.NO_SUCH_TABLE")
    assert en("doctor.well").removeprefix("## ") in await said(sim, sim.ada, "tiles-admin", "doctor")
    nothing_broke.clear()


async def test_backup_warns_of_quarantined_match_and_can_be_restored(
    sim: LocalBot, url: str, nothing_broke: list[str], tmp_path: Path
) -> None:
    await sim.table()
    await run(url, DAMAGES["half a row"])
    folder = tmp_path / "backups"
    folder.mkdir()
    before = await asyncio.to_thread(backup, url, folder / "before.db")
    assert "Warning: match 1: event 3" in before
    assert "cannot be read" in before
    assert "sets it aside" in before
    await forgotten(sim)
    await said(sim, sim.ada, "tiles", "hand")
    nothing_broke.clear()
    told = await asyncio.to_thread(backup, url, folder / "copy.db")
    assert "Warning: match 1 is" in told
    assert "set aside in" in told
    assert "event 3 of" in told
    assert "read (damaged)" in told
    assert {one.name for one in folder.iterdir()} == {"before.db", "copy.db"}
    target = f"sqlite:///{tmp_path}/restored.db"
    with pytest.raises(CopyError, match="logs that are damaged"):
        await asyncio.to_thread(restore, target, folder / "before.db", lambda: 0)
    assert await asyncio.to_thread(restore, target, folder / "copy.db", lambda: 0)


async def test_row_of_newer_version_waits_for_rolling_upgrade(
    sim: LocalBot, url: str, nothing_broke: list[str]
) -> None:
    await sim.table()
    head = await sim.head()
    await run(
        url,
        f"INSERT INTO events SELECT match_id, {head.seq + 1}, 'weathered', '{{}}', at FROM events WHERE seq = 1",
        f"UPDATE matches SET seq = {head.seq + 1}",
    )
    assert says(await said(sim, sim.ada, "tiles", "hand"), "no.UPDATING", match=1)
    assert (await sim.head()).state == "open"
    sim.skipped[0] += UPDATE_GRACE
    await sim.store.operations.record_pulse(PULSE_PREFIX, now=sim.client.services.now())
    assert says(await said(sim, sim.ada, "tiles", "hand"), "no.SET_ASIDE", match=1)
    (line,) = nothing_broke
    assert "goes on by itself" in line
    nothing_broke.clear()


async def test_readable_table_resumes_automatically_with_full_time(
    sim: LocalBot, url: str, nothing_broke: list[str]
) -> None:
    await sim.table(clock="1d")
    await sim.move()
    before = await sim.client.services.tables.load(1)
    await run(url, "CREATE TABLE was AS SELECT * FROM events", DAMAGES["half a row"])
    await forgotten(sim)
    await said(sim, sim.ada, "tiles", "hand")
    nothing_broke.clear()
    await sim.client.services.announcer.sweep()
    await sim.quiet()
    await run(url, "DELETE FROM events", "INSERT INTO events SELECT * FROM was", "DROP TABLE was")
    sim.skipped[0] += 3 * CHECK_INTERVAL
    await sim.store.operations.record_pulse(PULSE_PREFIX, now=sim.client.services.now())
    async with asyncio.timeout(300):
        # The bot does no work for a guild before it knows that its shard is connected.
        while (await sim.head()).state != "open":
            await sim.client.services.scheduler.sweep()
            await asyncio.sleep(0.05)
    await sim.settled()
    after = await sim.client.services.tables.load(1)
    assert (after.head.state, after.find_turn_user()) == ("open", before.find_turn_user())
    assert after.clock.time.since is not None
    assert before.clock.time.since is not None
    assert after.clock.time.since - before.clock.time.since >= 2 * CHECK_INTERVAL
    assert any(says(words_of(one), "trouble.reads_again", match=1) for one in await sim.public())
    (board,) = [one for one in await sim.boards() if "My hand" in labels(one)]
    assert int(board["id"]) == after.head.board_message_id
    assert not says(await sim.move(), "why.NOT_YOUR_TURN")


async def test_repeated_quarantine_notifies_unaware_player_once(
    sim: LocalBot, url: str, nothing_broke: list[str]
) -> None:
    await sim.table()
    await run(url, "CREATE TABLE was AS SELECT * FROM events")
    for round_ in range(2):
        await run(url, DAMAGES["half a row"])
        await forgotten(sim)
        if round_ == 0:
            sim.faults.lose_responses(1.0, Random(1), part="POST /api/v10/channels", times=1)
        await said(sim, sim.ada, "tiles", "hand")
        nothing_broke.clear()
        await sim.client.services.announcer.sweep()
        await sim.quiet()
        if round_ == 0:
            sim.faults.inject_status("/api/v10/channels", 503, times=1000)
            await run(url, "DELETE FROM events", "INSERT INTO events SELECT * FROM was")
            sim.skipped[0] += 3 * CHECK_INTERVAL
            await sim.store.operations.record_pulse(PULSE_PREFIX, now=sim.client.services.now())
            async with asyncio.timeout(300):
                while (await sim.head()).state != "open":
                    await sim.client.services.scheduler.sweep()
                    await asyncio.sleep(0.05)
    sim.faults.clear()
    await sim.later(400)
    assert len(await set_aside_posts(sim)) == 1
    assert not any(says(words_of(one), "trouble.reads_again", match=1) for one in await sim.public())


async def test_pending_messages_are_sent_after_quarantine_ends(
    sim: LocalBot, url: str, nothing_broke: list[str]
) -> None:
    await sim.table()
    later = "INSERT INTO outbox (match_id, channel_id, kind, dedupe, body, next_at, attempts, created_at) "
    later += "SELECT match_id, channel_id, 'notice', 'told', "
    later += '\'{"key": "idle"}\', 1, 0, 1 FROM outbox WHERE match_id = 1 GROUP BY match_id, channel_id'
    await run(url, "CREATE TABLE was AS SELECT * FROM events", DAMAGES["half a row"], later)
    await forgotten(sim)
    await said(sim, sim.ada, "tiles", "hand")
    nothing_broke.clear()
    await sim.client.services.announcer.sweep()
    await sim.quiet()
    assert not any("60 days" in words_of(one) for one in await sim.public())
    backlog = await sim.store.operations.load_backlog(now=sim.client.services.now())
    assert backlog.posts == 0
    await run(url, "DELETE FROM events", "INSERT INTO events SELECT * FROM was", "DROP TABLE was")
    sim.skipped[0] += 2 * CHECK_INTERVAL
    await sim.store.operations.record_pulse(PULSE_PREFIX, now=sim.client.services.now())
    async with asyncio.timeout(300):
        while not any("60 days" in words_of(one) for one in await sim.public()):
            await sim.client.services.scheduler.sweep()
            await asyncio.sleep(0.05)


async def test_resumed_table_waits_for_its_channel(sim: LocalBot, url: str, nothing_broke: list[str]) -> None:
    await sim.table()
    await run(url, "CREATE TABLE was AS SELECT * FROM events WHERE match_id = 1", DAMAGES["half a row"])
    await forgotten(sim)
    await said(sim, sim.ada, "tiles", "hand")
    nothing_broke.clear()
    await said(sim, sim.ada, "tiles", "new", seats=2)
    await run(url, "DELETE FROM events WHERE match_id = 1", "INSERT INTO events SELECT * FROM was", "DROP TABLE was")
    sim.skipped[0] += 2 * CHECK_INTERVAL
    assert await sim.client.services.scheduler._quarantine_check.restore_readable() == []
    assert (await sim.head()).state == "void"
    assert (await sim.store.matches.find_head(2)).state == "lobby"  # type: ignore[union-attr]


async def test_unreadable_matches_do_not_hide_an_older_readable_one(
    sim: LocalBot, url: str, nothing_broke: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    await sim.table()
    await run(url, "CREATE TABLE was AS SELECT * FROM events WHERE match_id = 1", DAMAGES["half a row"])
    await forgotten(sim)
    await said(sim, sim.ada, "tiles", "hand")
    await said(sim, sim.ada, "tiles", "new", seats=2)
    await run(url, "UPDATE events SET body = '{' WHERE match_id = 2")
    await forgotten(sim)
    await said(sim, sim.grace, "tiles", "join")
    assert [one.match_id for one in await sim.store.quarantine.list_quarantined()] == [2, 1]
    nothing_broke.clear()
    await run(url, "DELETE FROM events WHERE match_id = 1", "INSERT INTO events SELECT * FROM was", "DROP TABLE was")
    monkeypatch.setattr(acts, "MAX_RESTORES", 1)
    again: list[int] = []
    for _ in range(3):
        sim.skipped[0] += 2 * CHECK_INTERVAL
        again += await sim.client.services.scheduler._quarantine_check.restore_readable()
    assert again == [1]


async def test_data_deletion_works_despite_unreadable_match(sim: LocalBot, url: str, nothing_broke: list[str]) -> None:
    await sim.table()
    await run(url, DAMAGES["half a row"])
    await forgotten(sim)
    await sim.client.services.privacy.delete(int(sim.ada.id))
    assert int(sim.ada.id) not in await sim.store.erasure.list_user_ids()
    nothing_broke.clear()


async def test_finished_match_keeps_result_if_unreadable(sim: LocalBot, url: str, nothing_broke: list[str]) -> None:
    await sim.table()
    (board,) = await sim.boards()
    await run(
        url,
        DAMAGES["half a row"],
        "UPDATE matches SET state = 'done', due_at = NULL, due_kind = NULL, turn_seat = NULL, turn_user = NULL",
    )
    await forgotten(sim)
    answer = await sim.answered(sim.ada, await sim.ada.click(board, label="Scores"))
    assert "Its result stands" in words_of(answer)
    nothing_broke.clear()
    await sim.client.services.announcer.sweep()
    await sim.quiet()
    assert (await sim.head()).state == "done"
    assert await set_aside_posts(sim) == []
    assert en("doctor.well").removeprefix("## ") in await said(sim, sim.ada, "tiles-admin", "doctor")


async def test_quarantine_stops_no_computers_or_clocks_of_other_tables(
    sim: LocalBot, url: str, nothing_broke: list[str]
) -> None:
    await sim.table(clock="live 5m")
    first, sim.place = sim.place, sim.discord.world.add_channel("other")["id"]
    await said(sim, sim.ada, "tiles", "new", seats=2, computers=1, clock="live 5m")
    await run(url, DAMAGES["half a row"])
    await forgotten(sim)
    sim.skipped[0] += 6 * 60_000
    await sim.store.operations.record_pulse(PULSE_PREFIX, now=sim.client.services.now())
    async with asyncio.timeout(300):
        while not any(entry.event.__class__.__name__ == "RanOut" for entry in await sim.store.matches.load_log(2)):
            await sim.client.services.scheduler.sweep()
            await asyncio.sleep(0.05)
    assert (await sim.head()).state == "void"
    sim.place = first
    async with asyncio.timeout(300):
        while len(await set_aside_posts(sim)) != 1:
            await sim.client.services.scheduler.sweep()
            await asyncio.sleep(0.05)
    nothing_broke.clear()
