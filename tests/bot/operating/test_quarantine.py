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
from tests.bot.local_bot import Json, LocalBot, list_button_labels, read_text, run_local_bot
from tests.bot.tables.log_damage import DAMAGES, clear_cached_tables, execute_statements
from tests.wording import en, has_sentence


@pytest.fixture
async def sim(url: str) -> AsyncIterator[LocalBot]:
    async with run_local_bot(url) as found:
        yield found


async def read_command_answer(sim: LocalBot, person: PageUser, *command: str, **options: object) -> str:
    return read_text(await sim.wait_for_answer(person, await person.use_command(sim.channel_id, *command, **options)))


async def list_quarantine_posts(sim: LocalBot) -> list[Json]:
    return [one for one in await sim.list_public_messages() if has_sentence(read_text(one), "trouble.set_aside")]


@pytest.mark.parametrize("how", DAMAGES)
async def test_any_unreadable_row_frees_channel_and_notifies_players(
    sim: LocalBot, url: str, logged_errors: list[str], how: str
) -> None:
    await sim.start_table()
    await sim.move()
    await execute_statements(url, DAMAGES[how])
    await clear_cached_tables(sim)
    answer = await read_command_answer(sim, sim.ada, "tiles", "hand")
    assert answer == en("no.SET_ASIDE", match=1)
    (line,) = logged_errors
    assert "is in quarantine" in line
    assert 'no\\"' not in line
    logged_errors.clear()
    await sim.client.services.announcer.sweep()
    await sim.wait_until_idle()
    (post,) = await list_quarantine_posts(sim)
    assert {one["id"] for one in post["mentions"]} == {sim.ada.id, sim.grace.id}
    assert await sim.list_calls() == [post], "nobody is called to a table that does not go on"
    for command in ("match resign", "play", "draw", "board", "scores", "match pause"):
        options = {"tile": "555"} if command == "play" else {}
        answer = await read_command_answer(sim, sim.grace, "tiles", *command.split(), **options)
        assert answer == en("no.SET_ASIDE", match=1), command
    assert has_sentence(await read_command_answer(sim, sim.grace, "tiles", "games"), "tables.aside", match=1)
    assert has_sentence(await read_command_answer(sim, sim.grace, "tiles", "new", seats=2), "lobby.opened")
    await sim.client.services.announcer.sweep()
    await sim.wait_until_idle()
    assert len(await list_quarantine_posts(sim)) == 1
    assert logged_errors == []


async def test_opening_table_can_discover_unreadable_match(sim: LocalBot, url: str, logged_errors: list[str]) -> None:
    await sim.start_table()
    await execute_statements(url, DAMAGES["half a row"])
    await clear_cached_tables(sim)
    assert has_sentence(await read_command_answer(sim, sim.grace, "tiles", "new", seats=2), "lobby.opened")
    logged_errors.clear()


async def test_unreadable_match_is_found_without_user_action(sim: LocalBot, url: str, logged_errors: list[str]) -> None:
    await sim.start_table()
    await execute_statements(url, DAMAGES["no last row"])
    sim.skipped[0] += 2 * CHECK_INTERVAL
    await sim.store.operations.record_pulse(PULSE_PREFIX, now=sim.client.services.now())
    async with asyncio.timeout(300):
        while not await list_quarantine_posts(sim):
            await sim.client.services.scheduler.sweep()
            await asyncio.sleep(0.05)
    (line,) = logged_errors
    assert "is in quarantine" in line
    logged_errors.clear()


async def test_old_button_reports_quarantined_match(sim: LocalBot, url: str, logged_errors: list[str]) -> None:
    await sim.start_table()
    (board,) = await sim.list_boards()
    await execute_statements(url, DAMAGES["half a row"])
    await clear_cached_tables(sim)
    for label in ("My hand", "Scores", "Rules"):
        answer = await sim.wait_for_answer(sim.ada, await sim.ada.click(board, label=label))
        assert has_sentence(read_text(answer), "no.SET_ASIDE", match=1) or label == "Rules"
    logged_errors.clear()


async def test_doctors_list_quarantined_match_until_moderator_closes_it(
    sim: LocalBot, url: str, logged_errors: list[str]
) -> None:
    await sim.start_table()
    await execute_statements(url, DAMAGES["half a row"])
    await clear_cached_tables(sim)
    await read_command_answer(sim, sim.ada, "tiles", "hand")
    logged_errors.clear()
    doctor = await read_command_answer(sim, sim.ada, "tiles-admin", "doctor")
    assert has_sentence(doctor, "doctor.aside", n=1)
    assert has_sentence(doctor, "doctor.aside_fix", tables=1)
    machine = await asyncio.to_thread(lambda: run_checks(Settings("a.b.c", url), 0))
    (finding,) = [one for one in machine if one.summary.startswith("matches in quarantine")]
    assert not finding.is_ok
    assert "event 3, damaged" in finding.fix
    assert en("admin.end_aside", match=1) in await read_command_answer(
        sim, sim.ada, "tiles-admin", "end", reason="because"
    )
    assert en("doctor.well").removeprefix("## ") in await read_command_answer(sim, sim.ada, "tiles-admin", "doctor")
    assert has_sentence(await read_command_answer(sim, sim.ada, "tiles", "hand"), "no.NO_TABLE_HERE")
    assert not has_sentence(await read_command_answer(sim, sim.ada, "tiles", "games"), "tables.aside")


@pytest.mark.parametrize("damage", ["half a row", "no last row"])
async def test_moderator_reason_is_shown_and_stored(
    sim: LocalBot, url: str, logged_errors: list[str], damage: str
) -> None:
    await sim.start_table()
    await execute_statements(url, DAMAGES[damage])
    await clear_cached_tables(sim)
    await read_command_answer(sim, sim.ada, "tiles", "hand")
    answer = await read_command_answer(sim, sim.ada, "tiles-admin", "end", reason="by <@1> again", table=1)
    assert en("admin.end_aside", match=1) in answer
    await read_command_answer(sim, sim.ada, "tiles-admin", "end", reason="another", table=1)
    await sim.wait_until_idle()
    notices = [read_text(one) for one in await sim.list_public_messages() if "is closed" in read_text(one)]
    assert notices == [en("trouble.aside_ended", match="1", name="Ada", reason="by \\<\\@1\\> again")]
    head = await sim.store.matches.find_head(1)
    assert (head.state, head.is_board_outdated) == ("void", False)
    (ruling,) = await sim.store.matches.list_moderations(1)
    assert (ruling.kind, ruling.reason, ruling.user_id, ruling.seq) == (
        "stopped",
        "by <@1> again",
        int(sim.ada.id),
        head.seq,
    )
    (exported,) = (await sim.store.erasure.export_user(int(sim.ada.id)))["moderations"]
    assert (exported["match_id"], exported["seq"]) == (1, head.seq)
    await sim.client.services.announcer.sweep()
    await sim.wait_until_idle()
    assert (await sim.store.operations.load_backlog(now=sim.client.services.now())).posts == 0
    logged_errors.clear()


async def test_quarantined_match_of_other_guild_is_hidden(sim: LocalBot, url: str, logged_errors: list[str]) -> None:
    await sim.start_table()
    await execute_statements(url, DAMAGES["half a row"], "UPDATE matches SET guild_id = 5, channel_id = 6")
    await clear_cached_tables(sim)
    answer = await read_command_answer(sim, sim.ada, "tiles-admin", "end", reason="because", table=1)
    assert has_sentence(answer, "no.NO_SUCH_TABLE")
    assert en("doctor.well").removeprefix("## ") in await read_command_answer(sim, sim.ada, "tiles-admin", "doctor")
    logged_errors.clear()


async def test_backup_warns_of_quarantined_match_and_can_be_restored(
    sim: LocalBot, url: str, logged_errors: list[str], tmp_path: Path
) -> None:
    await sim.start_table()
    await execute_statements(url, DAMAGES["half a row"])
    folder = tmp_path / "backups"
    folder.mkdir()
    first_report = await asyncio.to_thread(backup, url, folder / "before.db")
    assert "Warning: match 1: event 3" in first_report
    assert "cannot be read" in first_report
    assert "puts it in quarantine" in first_report
    await clear_cached_tables(sim)
    await read_command_answer(sim, sim.ada, "tiles", "hand")
    logged_errors.clear()
    report = await asyncio.to_thread(backup, url, folder / "copy.db")
    assert "Warning: match 1 is" in report
    assert "is in quarantine" in report
    assert "event 3 of" in report
    assert "read (damaged)" in report
    assert {one.name for one in folder.iterdir()} == {"before.db", "copy.db"}
    target = f"sqlite:///{tmp_path}/restored.db"
    with pytest.raises(CopyError, match="has damaged logs"):
        await asyncio.to_thread(restore, target, folder / "before.db", lambda: 0)
    assert await asyncio.to_thread(restore, target, folder / "copy.db", lambda: 0)


async def test_row_of_newer_version_waits_for_rolling_upgrade(
    sim: LocalBot, url: str, logged_errors: list[str]
) -> None:
    await sim.start_table()
    head = await sim.load_head()
    await execute_statements(
        url,
        f"INSERT INTO events SELECT match_id, {head.seq + 1}, 'weathered', '{{}}', at FROM events WHERE seq = 1",
        f"UPDATE matches SET seq = {head.seq + 1}",
    )
    assert has_sentence(await read_command_answer(sim, sim.ada, "tiles", "hand"), "no.UPDATING", match=1)
    assert (await sim.load_head()).state == "open"
    sim.skipped[0] += UPDATE_GRACE
    await sim.store.operations.record_pulse(PULSE_PREFIX, now=sim.client.services.now())
    assert has_sentence(await read_command_answer(sim, sim.ada, "tiles", "hand"), "no.SET_ASIDE", match=1)
    (line,) = logged_errors
    assert "the match continues" in line
    logged_errors.clear()


async def test_readable_table_resumes_automatically_with_full_time(
    sim: LocalBot, url: str, logged_errors: list[str]
) -> None:
    await sim.start_table(clock="1d")
    await sim.move()
    before = await sim.client.services.tables.load(1)
    await execute_statements(url, "CREATE TABLE was AS SELECT * FROM events", DAMAGES["half a row"])
    await clear_cached_tables(sim)
    await read_command_answer(sim, sim.ada, "tiles", "hand")
    logged_errors.clear()
    await sim.client.services.announcer.sweep()
    await sim.wait_until_idle()
    await execute_statements(url, "DELETE FROM events", "INSERT INTO events SELECT * FROM was", "DROP TABLE was")
    sim.skipped[0] += 3 * CHECK_INTERVAL
    await sim.store.operations.record_pulse(PULSE_PREFIX, now=sim.client.services.now())
    async with asyncio.timeout(300):
        # The bot does no work for a guild before it knows that its shard is connected.
        while (await sim.load_head()).state != "open":
            await sim.client.services.scheduler.sweep()
            await asyncio.sleep(0.05)
    await sim.wait_until_all_sent()
    after = await sim.client.services.tables.load(1)
    assert (after.head.state, after.find_turn_user()) == ("open", before.find_turn_user())
    assert after.clock.time.since is not None
    assert before.clock.time.since is not None
    assert after.clock.time.since - before.clock.time.since >= 2 * CHECK_INTERVAL
    assert any(has_sentence(read_text(one), "trouble.reads_again", match=1) for one in await sim.list_public_messages())
    (board,) = [one for one in await sim.list_boards() if "My hand" in list_button_labels(one)]
    assert int(board["id"]) == after.head.board_message_id
    assert not has_sentence(await sim.move(), "why.NOT_YOUR_TURN")


async def test_repeated_quarantine_notifies_unaware_player_once(
    sim: LocalBot, url: str, logged_errors: list[str]
) -> None:
    await sim.start_table()
    await execute_statements(url, "CREATE TABLE was AS SELECT * FROM events")
    for round_ in range(2):
        await execute_statements(url, DAMAGES["half a row"])
        await clear_cached_tables(sim)
        if round_ == 0:
            sim.faults.lose_responses(1.0, Random(1), part="POST /api/v10/channels", times=1)
        await read_command_answer(sim, sim.ada, "tiles", "hand")
        logged_errors.clear()
        await sim.client.services.announcer.sweep()
        await sim.wait_until_idle()
        if round_ == 0:
            sim.faults.inject_status("/api/v10/channels", 503, times=1000)
            await execute_statements(url, "DELETE FROM events", "INSERT INTO events SELECT * FROM was")
            sim.skipped[0] += 3 * CHECK_INTERVAL
            await sim.store.operations.record_pulse(PULSE_PREFIX, now=sim.client.services.now())
            async with asyncio.timeout(300):
                while (await sim.load_head()).state != "open":
                    await sim.client.services.scheduler.sweep()
                    await asyncio.sleep(0.05)
    sim.faults.clear()
    await sim.skip_time(400)
    assert len(await list_quarantine_posts(sim)) == 1
    assert not any(
        has_sentence(read_text(one), "trouble.reads_again", match=1) for one in await sim.list_public_messages()
    )


async def test_pending_messages_are_sent_after_quarantine_ends(
    sim: LocalBot, url: str, logged_errors: list[str]
) -> None:
    await sim.start_table()
    insert_post = "INSERT INTO outbox (match_id, channel_id, kind, dedupe, body, next_at, attempts, created_at) "
    insert_post += "SELECT match_id, channel_id, 'notice', 'told', "
    insert_post += '\'{"key": "idle"}\', 1, 0, 1 FROM outbox WHERE match_id = 1 GROUP BY match_id, channel_id'
    await execute_statements(url, "CREATE TABLE was AS SELECT * FROM events", DAMAGES["half a row"], insert_post)
    await clear_cached_tables(sim)
    await read_command_answer(sim, sim.ada, "tiles", "hand")
    logged_errors.clear()
    await sim.client.services.announcer.sweep()
    await sim.wait_until_idle()
    assert not any("60 days" in read_text(one) for one in await sim.list_public_messages())
    backlog = await sim.store.operations.load_backlog(now=sim.client.services.now())
    assert backlog.posts == 0
    await execute_statements(url, "DELETE FROM events", "INSERT INTO events SELECT * FROM was", "DROP TABLE was")
    sim.skipped[0] += 2 * CHECK_INTERVAL
    await sim.store.operations.record_pulse(PULSE_PREFIX, now=sim.client.services.now())
    async with asyncio.timeout(300):
        while not any("60 days" in read_text(one) for one in await sim.list_public_messages()):
            await sim.client.services.scheduler.sweep()
            await asyncio.sleep(0.05)


async def test_resumed_table_waits_for_its_channel(sim: LocalBot, url: str, logged_errors: list[str]) -> None:
    await sim.start_table()
    await execute_statements(url, "CREATE TABLE was AS SELECT * FROM events WHERE match_id = 1", DAMAGES["half a row"])
    await clear_cached_tables(sim)
    await read_command_answer(sim, sim.ada, "tiles", "hand")
    logged_errors.clear()
    await read_command_answer(sim, sim.ada, "tiles", "new", seats=2)
    await execute_statements(
        url, "DELETE FROM events WHERE match_id = 1", "INSERT INTO events SELECT * FROM was", "DROP TABLE was"
    )
    sim.skipped[0] += 2 * CHECK_INTERVAL
    assert await sim.client.services.scheduler._quarantine_check.restore_readable() == []
    assert (await sim.load_head()).state == "void"
    assert (await sim.store.matches.find_head(2)).state == "lobby"  # type: ignore[union-attr]


async def test_unreadable_matches_do_not_hide_an_older_readable_one(
    sim: LocalBot, url: str, logged_errors: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    await sim.start_table()
    await execute_statements(url, "CREATE TABLE was AS SELECT * FROM events WHERE match_id = 1", DAMAGES["half a row"])
    await clear_cached_tables(sim)
    await read_command_answer(sim, sim.ada, "tiles", "hand")
    await read_command_answer(sim, sim.ada, "tiles", "new", seats=2)
    await execute_statements(url, "UPDATE events SET body = '{' WHERE match_id = 2")
    await clear_cached_tables(sim)
    await read_command_answer(sim, sim.grace, "tiles", "join")
    assert [one.match_id for one in await sim.store.quarantine.list_quarantined()] == [2, 1]
    logged_errors.clear()
    await execute_statements(
        url, "DELETE FROM events WHERE match_id = 1", "INSERT INTO events SELECT * FROM was", "DROP TABLE was"
    )
    monkeypatch.setattr(acts, "MAX_RESTORES", 1)
    restored: list[int] = []
    for _ in range(3):
        sim.skipped[0] += 2 * CHECK_INTERVAL
        restored += await sim.client.services.scheduler._quarantine_check.restore_readable()
    assert restored == [1]


async def test_data_deletion_works_despite_unreadable_match(sim: LocalBot, url: str, logged_errors: list[str]) -> None:
    await sim.start_table()
    await execute_statements(url, DAMAGES["half a row"])
    await clear_cached_tables(sim)
    await sim.client.services.privacy.delete(int(sim.ada.id))
    assert int(sim.ada.id) not in await sim.store.erasure.list_user_ids()
    logged_errors.clear()


async def test_finished_match_keeps_result_if_unreadable(sim: LocalBot, url: str, logged_errors: list[str]) -> None:
    await sim.start_table()
    (board,) = await sim.list_boards()
    await execute_statements(
        url,
        DAMAGES["half a row"],
        "UPDATE matches SET state = 'done', due_at = NULL, due_kind = NULL, turn_seat = NULL, turn_user = NULL",
    )
    await clear_cached_tables(sim)
    answer = await sim.wait_for_answer(sim.ada, await sim.ada.click(board, label="Scores"))
    assert "Its result stands" in read_text(answer)
    logged_errors.clear()
    await sim.client.services.announcer.sweep()
    await sim.wait_until_idle()
    assert (await sim.load_head()).state == "done"
    assert await list_quarantine_posts(sim) == []
    assert en("doctor.well").removeprefix("## ") in await read_command_answer(sim, sim.ada, "tiles-admin", "doctor")


async def test_quarantine_stops_no_computers_or_clocks_of_other_tables(
    sim: LocalBot, url: str, logged_errors: list[str]
) -> None:
    await sim.start_table(clock="live 5m")
    first, sim.channel_id = sim.channel_id, sim.discord.world.add_channel("other")["id"]
    await read_command_answer(sim, sim.ada, "tiles", "new", seats=2, computers=1, clock="live 5m")
    await execute_statements(url, DAMAGES["half a row"])
    await clear_cached_tables(sim)
    sim.skipped[0] += 6 * 60_000
    await sim.store.operations.record_pulse(PULSE_PREFIX, now=sim.client.services.now())
    async with asyncio.timeout(300):
        while not any(entry.event.__class__.__name__ == "RanOut" for entry in await sim.store.matches.load_log(2)):
            await sim.client.services.scheduler.sweep()
            await asyncio.sleep(0.05)
    assert (await sim.load_head()).state == "void"
    sim.channel_id = first
    async with asyncio.timeout(300):
        while len(await list_quarantine_posts(sim)) != 1:
            await sim.client.services.scheduler.sweep()
            await asyncio.sleep(0.05)
    logged_errors.clear()
