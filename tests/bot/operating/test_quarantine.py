"""Quarantine of matches with an unreadable log."""

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path
from random import Random

import pytest

from bot.core.environment import Settings
from bot.operating.backup import backup, restore
from bot.operating.doctor import run_checks
from bot.tables import acts
from bot.tables.acts import CHECK_INTERVAL
from bot.tables.service import UPDATE_GRACE
from data.store.connection.shards import PULSE_PREFIX
from engine.table.table_events import RanOut
from tests.bot.local_bot import Json, LocalBot, list_button_labels, read_text
from tests.bot.tables.log_damage import DAMAGES, clear_cached_tables, execute_statements
from tests.playground.page_user import PageUser
from tests.wording import en, has_sentence


async def read_command_answer(sim: LocalBot, person: PageUser, *command: str, **options: object) -> str:
    return read_text(await sim.use_command(person, *command, **options))


SAVE_LOG = "CREATE TABLE was AS SELECT * FROM events WHERE match_id = 1"
RESTORE_LOG = ("DELETE FROM events WHERE match_id = 1", "INSERT INTO events SELECT * FROM was", "DROP TABLE was")


async def quarantine_match(local: LocalBot, url: str, logged_errors: list[str], damage: str = "half a row") -> None:
    """Damage the log of the match, and let Ada notice it."""
    await execute_statements(url, DAMAGES[damage])
    await clear_cached_tables(local)
    await read_command_answer(local, local.ada, "tiles", "hand")
    logged_errors.clear()


async def skip_without_outage(local: LocalBot, milliseconds: int) -> None:
    local.skipped[0] += milliseconds
    await local.store.operations.record_pulse(PULSE_PREFIX, now=local.client.services.now())


async def sweep_until(local: LocalBot, condition: Callable[[], Awaitable[object]]) -> None:
    """Sweep until the condition holds. A bot does no work for a guild before its shard is connected."""
    async with asyncio.timeout(300):
        while not await condition():
            await local.client.services.scheduler.sweep()
            await asyncio.sleep(0.05)


async def is_open(local: LocalBot) -> bool:
    return (await local.load_head()).state == "open"


async def has_idle_notice(local: LocalBot) -> bool:
    return any("60 days" in read_text(one) for one in await local.list_public_messages())


async def list_quarantine_posts(sim: LocalBot) -> list[Json]:
    return [one for one in await sim.list_public_messages() if has_sentence(read_text(one), "trouble.set_aside")]


@pytest.mark.parametrize("how", DAMAGES)
async def test_any_unreadable_row_frees_channel_and_notifies_players(
    stage: LocalBot, url: str, logged_errors: list[str], how: str
) -> None:
    await stage.move()
    await execute_statements(url, DAMAGES[how])
    await clear_cached_tables(stage)
    answer = await read_command_answer(stage, stage.ada, "tiles", "hand")
    assert answer == en("no.SET_ASIDE", match=1)
    (line,) = logged_errors
    assert "is in quarantine" in line
    assert 'no\\"' not in line
    logged_errors.clear()
    await stage.skip_time(0)
    (post,) = await list_quarantine_posts(stage)
    assert {one["id"] for one in post["mentions"]} == {stage.ada.id, stage.grace.id}
    assert await stage.list_calls() == [post], "nobody is called to a table that does not go on"
    for command in ("match resign", "play", "draw", "board", "scores", "match pause"):
        options = {"tile": "555"} if command == "play" else {}
        answer = await read_command_answer(stage, stage.grace, "tiles", *command.split(), **options)
        assert answer == en("no.SET_ASIDE", match=1), command
    assert has_sentence(await read_command_answer(stage, stage.grace, "tiles", "games"), "tables.aside", match=1)
    assert has_sentence(await read_command_answer(stage, stage.grace, "tiles", "new", seats=2), "lobby.opened")
    await stage.skip_time(0)
    assert len(await list_quarantine_posts(stage)) == 1
    assert logged_errors == []


async def test_opening_table_can_discover_unreadable_match(stage: LocalBot, url: str, logged_errors: list[str]) -> None:
    await execute_statements(url, DAMAGES["half a row"])
    await clear_cached_tables(stage)
    assert has_sentence(await read_command_answer(stage, stage.grace, "tiles", "new", seats=2), "lobby.opened")
    logged_errors.clear()


async def test_unreadable_match_is_found_without_user_action(
    stage: LocalBot, url: str, logged_errors: list[str]
) -> None:
    await execute_statements(url, DAMAGES["no last row"])
    await skip_without_outage(stage, 2 * CHECK_INTERVAL)
    await sweep_until(stage, lambda: list_quarantine_posts(stage))
    (line,) = logged_errors
    assert "is in quarantine" in line
    logged_errors.clear()


async def test_old_button_reports_quarantined_match(stage: LocalBot, url: str, logged_errors: list[str]) -> None:
    (board,) = await stage.list_boards()
    await execute_statements(url, DAMAGES["half a row"])
    await clear_cached_tables(stage)
    for label in ("My hand", "Scores", "Rules"):
        answer = await stage.click(stage.ada, board, label)
        assert has_sentence(read_text(answer), "no.SET_ASIDE", match=1) or label == "Rules"
    logged_errors.clear()


async def test_doctors_list_quarantined_match_until_moderator_closes_it(
    stage: LocalBot, url: str, logged_errors: list[str]
) -> None:
    await quarantine_match(stage, url, logged_errors)
    doctor = await read_command_answer(stage, stage.ada, "tiles-admin", "doctor")
    assert has_sentence(doctor, "doctor.aside", n=1)
    assert has_sentence(doctor, "doctor.aside_fix", tables=1)
    machine = await asyncio.to_thread(lambda: run_checks(Settings("a.b.c", url), 0))
    (finding,) = [one for one in machine if one.summary.startswith("matches in quarantine")]
    assert not finding.is_ok
    assert "event 3, damaged" in finding.fix
    assert en("admin.end_aside", match=1) in await read_command_answer(
        stage, stage.ada, "tiles-admin", "end", reason="because"
    )
    assert en("doctor.well").removeprefix("## ") in await read_command_answer(stage, stage.ada, "tiles-admin", "doctor")
    assert has_sentence(await read_command_answer(stage, stage.ada, "tiles", "hand"), "no.NO_TABLE_HERE")
    assert not has_sentence(await read_command_answer(stage, stage.ada, "tiles", "games"), "tables.aside")


@pytest.mark.parametrize("damage", ["half a row", "no last row"])
async def test_moderator_reason_is_shown_and_stored(
    stage: LocalBot, url: str, logged_errors: list[str], damage: str
) -> None:
    await quarantine_match(stage, url, logged_errors, damage)
    answer = await read_command_answer(stage, stage.ada, "tiles-admin", "end", reason="by <@1> again", table=1)
    assert en("admin.end_aside", match=1) in answer
    await read_command_answer(stage, stage.ada, "tiles-admin", "end", reason="another", table=1)
    await stage.wait_until_idle()
    notices = [read_text(one) for one in await stage.list_public_messages() if "is closed" in read_text(one)]
    assert notices == [en("trouble.aside_ended", match="1", name="Ada", reason="by \\<\\@1\\> again")]
    head = await stage.store.matches.find_head(1)
    assert (head.state, head.is_board_outdated) == ("void", False)
    (ruling,) = await stage.store.matches.list_moderations(1)
    assert (ruling.kind, ruling.reason, ruling.user_id, ruling.seq) == (
        "stopped",
        "by <@1> again",
        int(stage.ada.id),
        head.seq,
    )
    (exported,) = (await stage.store.erasure.export_user(int(stage.ada.id)))["moderations"]
    assert (exported["match_id"], exported["seq"]) == (1, head.seq)
    await stage.skip_time(0)
    assert (await stage.store.operations.load_backlog(now=stage.client.services.now())).posts == 0


async def test_quarantined_match_of_other_guild_is_hidden(stage: LocalBot, url: str, logged_errors: list[str]) -> None:
    await execute_statements(url, DAMAGES["half a row"], "UPDATE matches SET guild_id = 5, channel_id = 6")
    await clear_cached_tables(stage)
    answer = await read_command_answer(stage, stage.ada, "tiles-admin", "end", reason="because", table=1)
    assert has_sentence(answer, "no.NO_SUCH_TABLE")
    assert en("doctor.well").removeprefix("## ") in await read_command_answer(stage, stage.ada, "tiles-admin", "doctor")
    logged_errors.clear()


async def test_backup_warns_of_quarantined_match_and_can_be_restored(
    stage: LocalBot, url: str, logged_errors: list[str], tmp_path: Path
) -> None:
    await execute_statements(url, DAMAGES["half a row"])
    folder = tmp_path / "backups"
    folder.mkdir()
    first_report = await asyncio.to_thread(backup, url, folder / "before.db")
    assert "Warning: match 1: event 3" in first_report
    assert "cannot be read" in first_report
    await clear_cached_tables(stage)
    await read_command_answer(stage, stage.ada, "tiles", "hand")
    logged_errors.clear()
    report = await asyncio.to_thread(backup, url, folder / "copy.db")
    assert "Warning: match 1 is" in report
    assert "is in quarantine" in report
    assert "event 3 of" in report
    assert "read (damaged)" in report
    assert {one.name for one in folder.iterdir()} == {"before.db", "copy.db"}
    target = f"sqlite:///{tmp_path}/restored.db"
    for file in ("before.db", "copy.db"):
        assert "match 1 is in quarantine" in (await asyncio.to_thread(restore, target, folder / file, lambda: 0))[-1]


async def test_row_of_newer_version_waits_for_rolling_upgrade(
    stage: LocalBot, url: str, logged_errors: list[str]
) -> None:
    head = await stage.load_head()
    await execute_statements(
        url,
        f"INSERT INTO events SELECT match_id, {head.seq + 1}, 'weathered', '{{}}', at FROM events WHERE seq = 1",
        f"UPDATE matches SET seq = {head.seq + 1}",
    )
    assert has_sentence(await read_command_answer(stage, stage.ada, "tiles", "hand"), "no.UPDATING", match=1)
    assert (await stage.load_head()).state == "open"
    await skip_without_outage(stage, UPDATE_GRACE)
    assert has_sentence(await read_command_answer(stage, stage.ada, "tiles", "hand"), "no.SET_ASIDE", match=1)
    (line,) = logged_errors
    assert "the match continues" in line
    logged_errors.clear()


async def test_readable_table_resumes_automatically_with_full_time(
    local: LocalBot, url: str, logged_errors: list[str]
) -> None:
    await local.start_table(clock="1d")
    await local.move()
    before = await local.client.services.tables.load(1)
    await execute_statements(url, SAVE_LOG)
    await quarantine_match(local, url, logged_errors)
    await local.skip_time(0)
    await execute_statements(url, *RESTORE_LOG)
    await skip_without_outage(local, 3 * CHECK_INTERVAL)
    await sweep_until(local, lambda: is_open(local))
    await local.wait_until_all_sent()
    after = await local.client.services.tables.load(1)
    assert (after.head.state, after.find_turn_user()) == ("open", before.find_turn_user())
    assert after.clock.time.since - before.clock.time.since >= 2 * CHECK_INTERVAL
    assert any(
        has_sentence(read_text(one), "trouble.reads_again", match=1) for one in await local.list_public_messages()
    )
    (board,) = [one for one in await local.list_boards() if "My hand" in list_button_labels(one)]
    assert int(board["id"]) == after.head.board_message_id
    assert not has_sentence(await local.move(), "why.NOT_YOUR_TURN")


async def test_repeated_quarantine_notifies_unaware_player_once(
    stage: LocalBot, url: str, logged_errors: list[str]
) -> None:
    await execute_statements(url, SAVE_LOG)
    for round_ in range(2):
        await execute_statements(url, DAMAGES["half a row"])
        await clear_cached_tables(stage)
        if round_ == 0:
            stage.faults.lose_responses(1.0, Random(1), part="POST /api/v10/channels", times=1)
        await read_command_answer(stage, stage.ada, "tiles", "hand")
        logged_errors.clear()
        await stage.client.services.announcer.sweep()
        await stage.wait_until_idle()
        if round_ == 0:
            stage.faults.inject_status("/api/v10/channels", 503, times=1000)
            await execute_statements(url, *RESTORE_LOG[:2])
            stage.skipped[0] += 3 * CHECK_INTERVAL
            await stage.store.operations.record_pulse(PULSE_PREFIX, now=stage.client.services.now())
            await sweep_until(stage, lambda: is_open(stage))
    stage.faults.clear()
    await stage.skip_time(400)
    assert len(await list_quarantine_posts(stage)) == 1
    assert not any(
        has_sentence(read_text(one), "trouble.reads_again", match=1) for one in await stage.list_public_messages()
    )


async def test_pending_messages_are_sent_after_quarantine_ends(
    stage: LocalBot, url: str, logged_errors: list[str]
) -> None:
    insert_post = "INSERT INTO outbox (match_id, channel_id, kind, dedupe, body, next_at, attempts, created_at) "
    insert_post += "SELECT match_id, channel_id, 'notice', 'told', "
    insert_post += '\'{"key": "idle"}\', 1, 0, 1 FROM outbox WHERE match_id = 1 GROUP BY match_id, channel_id'
    await execute_statements(url, SAVE_LOG, insert_post)
    await quarantine_match(stage, url, logged_errors)
    await stage.skip_time(0)
    assert not await has_idle_notice(stage)
    backlog = await stage.store.operations.load_backlog(now=stage.client.services.now())
    assert backlog.posts == 0
    await execute_statements(url, *RESTORE_LOG)
    await skip_without_outage(stage, 2 * CHECK_INTERVAL)
    await sweep_until(stage, lambda: has_idle_notice(stage))


async def test_resumed_table_waits_for_its_channel(stage: LocalBot, url: str, logged_errors: list[str]) -> None:
    await execute_statements(url, SAVE_LOG)
    await quarantine_match(stage, url, logged_errors)
    await read_command_answer(stage, stage.ada, "tiles", "new", seats=2)
    await execute_statements(url, *RESTORE_LOG)
    stage.skipped[0] += 2 * CHECK_INTERVAL
    assert await stage.client.services.scheduler._quarantine_check.restore_readable() == []
    assert (await stage.load_head()).state == "void"
    assert (await stage.store.matches.find_head(2)).state == "lobby"


async def test_unreadable_matches_do_not_hide_an_older_readable_one(
    stage: LocalBot, url: str, logged_errors: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    await execute_statements(url, SAVE_LOG)
    await quarantine_match(stage, url, logged_errors)
    await read_command_answer(stage, stage.ada, "tiles", "new", seats=2)
    await execute_statements(url, "UPDATE events SET body = '{' WHERE match_id = 2")
    await clear_cached_tables(stage)
    await read_command_answer(stage, stage.grace, "tiles", "join")
    assert [one.match_id for one in await stage.store.quarantine.list_quarantined()] == [2, 1]
    logged_errors.clear()
    await execute_statements(url, *RESTORE_LOG)
    monkeypatch.setattr(acts, "MAX_RESTORES", 1)
    restored: list[int] = []
    for _ in range(3):
        stage.skipped[0] += 2 * CHECK_INTERVAL
        restored += await stage.client.services.scheduler._quarantine_check.restore_readable()
    assert restored == [1]


async def test_data_deletion_works_despite_unreadable_match(
    stage: LocalBot, url: str, logged_errors: list[str]
) -> None:
    await execute_statements(url, DAMAGES["half a row"])
    await clear_cached_tables(stage)
    await stage.client.services.privacy.delete(int(stage.ada.id))
    assert int(stage.ada.id) not in await stage.store.erasure.list_user_ids()
    logged_errors.clear()


async def test_finished_match_keeps_result_if_unreadable(stage: LocalBot, url: str, logged_errors: list[str]) -> None:
    (board,) = await stage.list_boards()
    await execute_statements(
        url,
        DAMAGES["half a row"],
        "UPDATE matches SET state = 'done', due_at = NULL, due_kind = NULL, turn_seat = NULL, turn_user = NULL",
    )
    await clear_cached_tables(stage)
    answer = await stage.click(stage.ada, board, "Scores")
    assert "Its result stands" in read_text(answer)
    logged_errors.clear()
    await stage.skip_time(0)
    assert (await stage.load_head()).state == "done"
    assert await list_quarantine_posts(stage) == []
    assert en("doctor.well").removeprefix("## ") in await read_command_answer(stage, stage.ada, "tiles-admin", "doctor")


async def test_quarantine_stops_no_computers_or_clocks_of_other_tables(
    local: LocalBot, url: str, logged_errors: list[str]
) -> None:
    await local.start_table(clock="live 5m")
    first, local.channel_id = local.channel_id, local.discord.world.add_channel("other")["id"]
    await read_command_answer(local, local.ada, "tiles", "new", seats=2, computers=1, clock="live 5m")
    await execute_statements(url, DAMAGES["half a row"])
    await clear_cached_tables(local)
    await skip_without_outage(local, 6 * 60_000)

    async def has_computer_table_timed_out() -> bool:
        return any(isinstance(entry.event, RanOut) for entry in await local.store.matches.load_log(2))

    await sweep_until(local, has_computer_table_timed_out)
    assert (await local.load_head()).state == "void"
    local.channel_id = first
    await sweep_until(local, lambda: list_quarantine_posts(local))
    assert len(await list_quarantine_posts(local)) == 1
    logged_errors.clear()
