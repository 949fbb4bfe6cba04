"""Clocks and absences in messages: lobby, board, and the question about an absent player."""

import re

import pytest

from bot.client import SWEEP_INTERVAL
from bot.core.layout import format_timestamp
from data.store.connection.shards import PULSE_PREFIX
from data.store.profiles.store import ProfileStore
from engine.table.table_state import compute_deadline
from engine.table.terms import HOUR
from tests.bot.member import Member
from tests.bot.messages import read_button_ids, read_private_text, read_text
from tests.bot.simulated_guild import SimGuild
from tests.bot.tables.timeouts import find_absence_question, get_display_name, list_notices, start_with_absent_player
from tests.wording import en, has_sentence

STAMP = re.compile(r"<t:\d+:[RDf]>")


async def test_lobby_board_and_call_show_time_to_move(sim: SimGuild, ada: Member, grace: Member) -> None:
    await ada.use_command("tiles new", seats=2, clock="bank 7d+12h", absent="seat")
    assert has_sentence(
        sim.read_board(),
        "clock.terms",
        pace=en("clock.bank", bank="7 days", increment="12 hours"),
        absent=en("clock.absent_seat"),
    )
    await grace.click(sim.get_board(), label="Join")
    end = compute_deadline((await sim.load_table()).clock.time)
    deadline = {"date": format_timestamp(end, "f"), "end": format_timestamp(end, "R")}
    assert has_sentence(sim.read_board(), "clock.until", **deadline)
    assert has_sentence(read_text(sim.list_calls()[-1]), "clock.call")
    assert len(STAMP.findall(read_text(sim.list_calls()[-1]))) == 2
    for text in (False, True):
        assert has_sentence(await ada.read_command("tiles board", text=text), "clock.until", **deadline)


async def test_call_keeps_its_text_after_outage_credit(sim: SimGuild, ada: Member, grace: Member) -> None:
    await sim.start_table(ada, grace, clock="days 1d")
    (call,) = sim.list_calls()
    promised = re.search(r"You have until at least <t:(\d+):f>", read_text(call))
    sim.clock.skipped_ms += 5 * HOUR  # no pulse: the bot takes this for an outage
    await sim.env.advance_time(2 * SWEEP_INTERVAL)
    end = compute_deadline((await sim.load_table()).clock.time)
    assert end // 1000 >= int(promised[1]) + 5 * HOUR // 1000
    assert [read_text(one) for one in sim.list_calls()] == [read_text(call)]


async def test_relaxed_table_shows_no_deadline(sim: SimGuild, ada: Member, grace: Member) -> None:
    await sim.start_table(ada, grace, clock="relaxed")
    assert not STAMP.search(sim.read_board())
    assert "Mute this turn" not in read_button_ids(sim.list_calls()[-1])


async def test_unreadable_clock_is_refused(sim: SimGuild, ada: Member) -> None:
    refused = await ada.use_command("tiles new", clock="soon")
    assert read_private_text(refused).startswith(en("no.BAD_CLOCK", text="soon"))
    assert sim.list_public_messages() == []


async def test_clock_autocomplete_lists_typed_clock_first(sim: SimGuild, ada: Member) -> None:
    suggestions = await ada.autocomplete(sim.channel, "tiles new", "clock", "")
    assert [choice["name"] for choice in suggestions] == [
        en("clock.bank", bank="6 days", increment="3 days"),
        "1 day per turn",
        "3 days per turn",
        "7 days per turn",
        en("clock.bank", bank="7 days", increment="12 hours"),
        en("clock.live", turn="5 minutes").capitalize(),
        en("clock.relaxed").capitalize(),
    ]
    suggestions = await ada.autocomplete(sim.channel, "tiles new", "clock", "36h")
    assert suggestions[0] == {"name": en("clock.days", turn="1 day 12 hours"), "value": "days 1d12h"}


async def test_reminder_is_one_message_with_hand_button(sim: SimGuild, ada: Member, grace: Member) -> None:
    await sim.start_table(ada, grace, clock="1d")
    mover = sim.get_called_player()
    await sim.wait(hours=19.5)
    await sim.wait(hours=1)
    reminders = [
        message
        for message in sim.list_public_messages()
        if has_sentence(read_text(message), "remind.deadline", game="Triominoes")
    ]
    (reminder,) = reminders
    assert [user.id for user in reminder.mentions] == [mover.id]
    assert STAMP.search(read_text(reminder))
    assert (await mover.read_click(reminder, "My hand")).startswith("### Your turn")


async def test_reminder_is_deleted_when_turn_ends(sim: SimGuild, ada: Member, grace: Member) -> None:
    await sim.start_table(ada, grace, clock="1d")
    mover = sim.get_called_player()
    await sim.wait(hours=20)
    assert sum(f"<@{mover.id}>" in read_text(message) for message in sim.list_public_messages()) == 2
    await sim.play_by_typing(mover)
    assert not any(f"<@{mover.id}>, your turn" in read_text(message) for message in sim.list_public_messages())


async def test_muted_turn_gets_no_reminder(sim: SimGuild, ada: Member, grace: Member) -> None:
    await sim.start_table(ada, grace, clock="1d")
    mover, call = sim.get_called_player(), sim.list_calls()[-1]
    refused = await sim.get_waiting_player().click(call, label="Mute this turn")
    assert read_private_text(refused).startswith(en("no.NOTHING_TO_MUTE"))
    assert await mover.read_click(call, "Mute this turn") == en("settings.muted")
    before = len(sim.list_public_messages())
    await sim.wait(hours=20)
    assert len(sim.list_public_messages()) == before


async def test_absence_question_is_public_with_four_choices(sim: SimGuild, ada: Member, grace: Member) -> None:
    mover, _ = await start_with_absent_player(sim, ada, grace)
    question = find_absence_question(sim)
    assert has_sentence(read_text(question), "absence.asked", name=get_display_name(mover))
    assert list(read_button_ids(question)) == [
        "Wait 1 day more",
        en("absence.turn"),
        en("absence.seat"),
        "End the match",
        "I'm here",
    ]
    assert has_sentence(sim.read_board(), "clock.asking", name=get_display_name(mover))
    await sim.wait(hours=1)
    assert sum("What now?" in read_text(message) for message in sim.list_public_messages()) == 1


@pytest.mark.parametrize(
    ("label", "choice"),
    [("Wait 1 day more", "wait"), (en("absence.turn"), "turn"), (en("absence.seat"), "seat"), ("End the match", "end")],
)
async def test_absence_choice_counts_once_across_restart(
    sim: SimGuild, ada: Member, grace: Member, label: str, choice: str
) -> None:
    mover, (other,) = await start_with_absent_player(sim, ada, grace, turns=2)
    question = find_absence_question(sim)
    assert (await mover.read_click(question, label)).startswith(en("no.ABSENT_YOURSELF"))
    linus = sim.add_member("Linus")
    assert (await linus.read_click(question, label)).startswith(en("no.NOT_SEATED"))
    assert (await linus.read_click(question, "I'm here")).startswith(en("no.NOT_SEATED"))
    custom_ids = read_button_ids(question)
    await sim.restart()
    await other.click(question, label=label)
    chosen = [read_text(message).removeprefix("-# ") for message in sim.list_public_messages()]
    assert has_sentence(chosen, f"absence.chosen_{choice}", name=get_display_name(other))
    assert has_sentence(list_notices(sim), f"notice.{choice}_chosen", name=get_display_name(mover))
    old_message = await sim.post(*custom_ids.values())
    seq = (await sim.load_head()).seq
    for number in range(4):
        late_answer = await other.read_click(old_message, f"Button {number}")
        assert late_answer.startswith(en("no.NOBODY_ABSENT"))
    assert (await sim.load_head()).seq == seq


async def test_replaced_player_returns_with_one_press(sim: SimGuild, ada: Member, grace: Member) -> None:
    mover, (other,) = await start_with_absent_player(sim, ada, grace)
    await other.click(find_absence_question(sim), label="Computer takes over")
    await sim.wait()
    assert has_sentence(sim.read_board(), "clock.standins", names=get_display_name(mover))
    assert (await other.read_click(sim.get_board(), "I'm back")).startswith(en("no.NOT_ABSENT"))
    assert read_text(await sim.open_hand(mover)).startswith(en("absence.stood_in"))
    await sim.restart()
    back = await mover.click(sim.get_board(), label="I'm back")
    assert read_private_text(back) == en("absence.welcome")
    assert not has_sentence(sim.read_board(), "clock.standins")
    assert "I'm back" not in read_button_ids(sim.get_board())
    assert f"{get_display_name(mover)} is back." in list_notices(sim)


async def test_absent_player_answers_absence_question(sim: SimGuild, ada: Member, grace: Member) -> None:
    mover, (other,) = await start_with_absent_player(sim, ada, grace)
    question = find_absence_question(sim)
    assert (await other.read_click(question, "I'm here")).startswith(en("no.NOT_ABSENT"))
    await mover.click(question, label="I'm here")
    assert f"-# {get_display_name(mover)} is here." in sim.list_public_texts()
    assert has_sentence(sim.read_board(), "clock.until")
    hand = await sim.open_hand(mover)
    assert read_text(hand).startswith("### Your turn")


async def test_match_ended_by_others_ranks_absent_player_last(
    sim: SimGuild, ada: Member, grace: Member, linus: Member
) -> None:
    mover, others = await start_with_absent_player(sim, ada, grace, linus, turns=3)
    await others[0].click(find_absence_question(sim), label="End the match")
    first, second = (get_display_name(person) for person in others)
    assert has_sentence(read_text(find_absence_question(sim)), "absence.ending", names=first, waiting=second)
    assert has_sentence(
        list_notices(sim), "notice.end_wished", name=first, silent=get_display_name(mover), waiting=second
    )
    assert sim.list_results() == []
    await others[1].click(find_absence_question(sim), label="End the match")
    (end,) = sim.list_results()
    assert f"`3` **{get_display_name(mover)}**" in read_text(end)
    assert "· resigned" in read_text(end)
    assert has_sentence(read_text(end), "end.unrated_empty")
    board = await ProfileStore(sim.store.transactions).load_leaderboard(sim.guild.id, "triominoes")
    assert [row.wins for row in board.rows] == [0, 0, 0]


async def test_outage_does_not_use_up_turn_time(sim: SimGuild, ada: Member, grace: Member) -> None:
    await sim.start_table(ada, grace, clock="1d")
    await sim.wait(hours=10)
    # The bot is offline for a day and a half.
    sim.clock.skipped_ms += 36 * 3600 * 1000
    await sim.restart()
    await sim.wait()
    assert not any("What now?" in read_text(message) for message in sim.list_public_messages())
    before = len(sim.list_public_messages())
    await sim.wait(hours=9)
    assert len(sim.list_public_messages()) == before
    await sim.wait(hours=1)
    await sim.wait(hours=4.5)
    assert "What now?" in read_text(find_absence_question(sim))


async def test_reminder_after_deadline_is_not_sent(sim: SimGuild, ada: Member, grace: Member) -> None:
    await sim.start_table(ada, grace, clock="1d")
    use_cases = sim.client.services
    head = await sim.load_head()
    # The process ends before it sends the stored reminder. The next process starts after the deadline.
    sim.clock.skipped_ms += head.due.at - sim.clock()
    await sim.store.operations.record_pulse(PULSE_PREFIX, now=sim.clock())
    assert await use_cases.user_settings.run_due(head)
    sim.clock.skipped_ms += 6 * 3600 * 1000
    await sim.store.operations.record_pulse(PULSE_PREFIX, now=sim.clock())
    late_head = await sim.load_head()
    assert await use_cases.user_settings.run_due(late_head)
    await sim.restart()
    await sim.wait()
    assert not any(has_sentence(read_text(message), "remind.deadline") for message in sim.list_public_messages())
    assert "What now?" in read_text(find_absence_question(sim))
