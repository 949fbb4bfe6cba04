"""Vacations: start, end, simultaneous changes, and seats that change their player."""

from collections.abc import Awaitable, Callable
from dataclasses import replace

import pytest

from bot.core.privacy import Privacy
from engine.table.preferences import Person, Preferences, QuietHours, compute_days_left, is_away
from engine.table.terms import DAY
from tests.bot.member import Member
from tests.bot.messages import read_button_ids, read_text
from tests.bot.simulated_guild import SimGuild
from tests.bot.timed_table import START, TimedTable, start_match
from tests.bot.use_cases import ADA, GRACE, LINUS, interrupt_once
from tests.wording import en, has_sentence


def interrupt_reading(
    monkeypatch: pytest.MonkeyPatch, timed_table: TimedTable, interruption: Callable[[], Awaitable[object]]
) -> None:
    interrupt_once(monkeypatch, timed_table.store.users, "load_person", interruption, after=True)


def list_vacation_notices(sim: SimGuild) -> list[str]:
    boards = {board.id for board in sim.list_boards()}
    return [
        read_text(one) for one in sim.list_public_messages() if one.id not in boards and "vacation" in read_text(one)
    ]


async def test_ending_vacation_of_present_player_changes_nothing(room: SimGuild, ada: Member) -> None:
    before = await room.take_snapshot()
    answer = await ada.read_command("tiles settings", vacation=0)
    assert has_sentence(answer, "settings.vacation", left="21 days")
    await room.wait(seconds=30)
    assert await room.take_snapshot() == before


async def test_vacation_button_ends_vacation_once(room: SimGuild, ada: Member) -> None:
    answer = await ada.open_command("tiles settings", vacation=7)
    old_message = await room.post(read_button_ids(answer)["End my vacation"])
    for _ in range(3):
        answer_text = await ada.read_click(old_message, "Button 0")
        assert has_sentence(answer_text, "settings.vacation", left="20 days")
        await room.wait(seconds=30)
    assert [line.startswith("-# " + en("notice.home", name="Ada")) for line in list_vacation_notices(room)] == [
        False,
        True,
    ]


async def test_muting_turn_during_vacation_start_keeps_vacation(
    timed_table: TimedTable, monkeypatch: pytest.MonkeyPatch
) -> None:
    table = await start_match(timed_table, GRACE)
    user = table.find_turn_user()
    user_settings = timed_table.user_settings
    interrupt_reading(monkeypatch, timed_table, lambda: user_settings.set_vacation(user, 7))
    await user_settings.mute(table.head.match_id, user)
    preferences = await user_settings.load_preferences(user)
    assert is_away(preferences, timed_table.time)
    assert compute_days_left(preferences, timed_table.time) == 14
    assert list(preferences.muted) == [str(table.head.match_id)]
    table = await timed_table.load_table(table)
    assert table.clock.watch.away == {table.match.turn: START + 7 * DAY}


async def test_two_simultaneous_settings_are_both_saved(
    timed_table: TimedTable, monkeypatch: pytest.MonkeyPatch
) -> None:
    quiet_hours = QuietHours(22 * 60, 7 * 60)
    user_settings = timed_table.user_settings
    interrupt_reading(
        monkeypatch, timed_table, lambda: user_settings.set(ADA, lambda now: replace(now, quiet=quiet_hours))
    )
    await user_settings.set(ADA, lambda preferences: replace(preferences, remind=False), pings="dm")
    assert await user_settings.load_preferences(ADA) == Preferences(remind=False, quiet=quiet_hours)
    assert (await timed_table.store.users.load_person(ADA)).pings == "dm"


async def test_automatic_vacation_does_not_shorten_running_vacation(
    timed_table: TimedTable, monkeypatch: pytest.MonkeyPatch
) -> None:
    table = await start_match(timed_table, GRACE)
    user_settings = timed_table.user_settings
    interrupt_reading(monkeypatch, timed_table, lambda: user_settings.set_vacation(ADA, 14))
    await user_settings.set_vacation(ADA, 3, automatic=True)
    assert (await user_settings.load_preferences(ADA)).away_until == START + 14 * DAY
    assert (await timed_table.load_table(table)).clock.watch.away == {0: START + 14 * DAY}
    assert [row.body["key"] for row in await timed_table.list_posts("notice")] == ["away"]


async def test_deleted_user_gets_no_automatic_vacation(
    timed_table: TimedTable, monkeypatch: pytest.MonkeyPatch
) -> None:
    await start_match(timed_table, GRACE)
    privacy = Privacy(timed_table.store, timed_table.acts, lambda: timed_table.time)
    interrupt_reading(monkeypatch, timed_table, lambda: privacy.delete(ADA))
    await timed_table.user_settings.set_vacation(ADA, 3, automatic=True)
    assert await timed_table.store.users.load_person(ADA) == Person(user_id=ADA)
    assert ADA not in await timed_table.store.erasure.list_user_ids()


async def test_settings_refused_together_are_not_saved(sim: SimGuild, ada: Member) -> None:
    await ada.use_command("tiles settings", vacation=21)
    await sim.wait(hours=22 * 24)
    before = await sim.store.users.load_person(ada.id)
    settings = {"remind": False, "call": "none", "every": "6h", "vacation": 3}
    refused = await ada.read_command("tiles settings", **settings)
    assert refused.startswith(en("no.NO_VACATION_LEFT"))
    assert await sim.store.users.load_person(ada.id) == before


async def test_substitute_does_not_inherit_vacation(sim: SimGuild, ada: Member, grace: Member, linus: Member) -> None:
    substitute = sim.add_member("Newcomer")
    await sim.start_table(ada, grace, linus)
    owner = next(one for one in (ada, grace, linus) if one is not sim.get_called_player())
    await owner.use_command("tiles settings", vacation=7)
    assert has_sentence(sim.read_board(), "clock.away", name=owner.user.global_name)
    await owner.use_command("tiles match substitute", person=substitute)
    await substitute.click(sim.list_calls()[-1], label="Agree")
    assert "Newcomer" in sim.read_board()
    assert "vacation" not in sim.read_board()


async def test_resigned_player_is_not_shown_on_vacation(
    sim: SimGuild, ada: Member, grace: Member, linus: Member
) -> None:
    await sim.start_table(ada, grace, linus)
    resigned_member = next(one for one in (ada, grace, linus) if one is not sim.get_called_player())
    await resigned_member.use_command("tiles settings", vacation=7)
    await resigned_member.click(await resigned_member.open_command("tiles match resign"), label="Resign")
    assert "resigned" in sim.read_board()
    assert "vacation" not in sim.read_board()


async def test_vacation_of_resigned_player_posts_no_notice(timed_table: TimedTable) -> None:
    table = await timed_table.resign(await start_match(timed_table, GRACE, LINUS), ADA)
    for days in (7, 0):
        await timed_table.user_settings.set_vacation(ADA, days)
    after = await timed_table.load_table(table)
    assert after.clock.watch.away == {}
    assert await timed_table.list_posts("notice") == []


async def test_data_deletion_removes_stand_in_computer(
    sim: SimGuild, ada: Member, grace: Member, linus: Member
) -> None:
    await sim.start_table(ada, grace, linus, clock="live 1m", absent="seat")
    absent_member = sim.get_called_player()
    await sim.wait(seconds=70)
    question = next(one for one in sim.list_public_messages() if "Computer takes over" in read_button_ids(one))
    other = next(one for one in (ada, grace, linus) if one is not absent_member)
    await other.click(question, label="Computer takes over")
    assert "I'm back" in read_button_ids(sim.get_board())
    confirmation = await absent_member.open_command("tiles data delete")
    await absent_member.click(confirmation, label="Delete everything")
    assert (await sim.load_head()).state == "open"
    assert "I'm back" not in read_button_ids(sim.get_board())
    assert "omputer plays for" not in sim.read_board()
