"""Clocks and absences in messages: lobby, board, and the question about an absent player."""

import re

import pytest
from simcord import MemberActor

from bot.client import SWEEP_INTERVAL
from bot.core.formats import format_timestamp
from data.store.connection.shards import PULSE_PREFIX
from data.store.profiles.store import ProfileStore
from engine.table.clock import compute_deadline
from engine.table.terms import HOUR
from tests.bot.messages import button_ids, private, told, words_of
from tests.bot.simulated_guild import SimGuild
from tests.bot.tables.timeouts import absence_question, display_name, notices, start_with_absent_player
from tests.wording import en, says

STAMP = re.compile(r"<t:\d+:[RDf]>")


async def test_lobby_board_and_call_show_time_to_move(sim: SimGuild, ada: MemberActor, grace: MemberActor) -> None:
    await ada.slash(sim.channel, "tiles new", seats=2, clock="bank 7d+12h", absent="seat")
    assert says(
        words_of(sim.board()),
        "clock.terms",
        pace=en("clock.bank", bank="7 days", increment="12 hours"),
        absent=en("clock.absent_seat"),
    )
    await grace.click(sim.board(), label="Join")
    end = compute_deadline((await sim.now()).clock.time)
    until = {"date": format_timestamp(end, "f"), "end": format_timestamp(end, "R")}
    assert says(words_of(sim.board()), "clock.until", **until)
    assert says(words_of(sim.calls()[-1]), "clock.call")
    assert len(STAMP.findall(words_of(sim.calls()[-1]))) == 2
    for text in (False, True):
        assert says(told(await ada.slash(sim.channel, "tiles board", text=text)), "clock.until", **until)


async def test_call_keeps_its_text_after_outage_credit(sim: SimGuild, ada: MemberActor, grace: MemberActor) -> None:
    await sim.table(ada, grace, clock="days 1d")
    (call,) = sim.calls()
    promised = re.search(r"You have until at least <t:(\d+):f>", words_of(call))
    sim.clock.skipped += 5 * HOUR  # no pulse: the bot takes this for an outage
    await sim.env.advance_time(2 * SWEEP_INTERVAL)
    end = compute_deadline((await sim.now()).clock.time)
    assert end // 1000 >= int(promised[1]) + 5 * HOUR // 1000
    assert [words_of(one) for one in sim.calls()] == [words_of(call)]


async def test_relaxed_table_shows_no_deadline(sim: SimGuild, ada: MemberActor, grace: MemberActor) -> None:
    await sim.table(ada, grace, clock="relaxed")
    assert not STAMP.search(words_of(sim.board()))
    assert "Mute this turn" not in button_ids(sim.calls()[-1])


async def test_unreadable_clock_is_refused(sim: SimGuild, ada: MemberActor) -> None:
    refused = await ada.slash(sim.channel, "tiles new", clock="soon")
    assert told(refused).startswith(en("no.BAD_CLOCK", text="soon"))
    assert sim.public() == []


async def test_clock_autocomplete_lists_typed_clock_first(sim: SimGuild, ada: MemberActor) -> None:
    offered = await ada.autocomplete(sim.channel, "tiles new", "clock", "")
    assert [choice["name"] for choice in offered] == [
        en("clock.bank", bank="6 days", increment="3 days"),
        "1 day per turn",
        "3 days per turn",
        "7 days per turn",
        en("clock.bank", bank="7 days", increment="12 hours"),
        en("clock.live", turn="5 minutes").capitalize(),
        en("clock.relaxed").capitalize(),
    ]
    offered = await ada.autocomplete(sim.channel, "tiles new", "clock", "36h")
    assert offered[0] == {"name": en("clock.days", turn="1 day 12 hours"), "value": "days 1d12h"}


async def test_rematch_keeps_clock(sim: SimGuild, ada: MemberActor) -> None:
    await sim.table(ada, computers=1, clock="3d", absent="end")
    await ada.slash(sim.channel, "tiles match resign")
    await ada.click(private(await ada.slash(sim.channel, "tiles match resign")), label="Resign")
    await ada.click(sim.ends()[-1], label="Rematch")
    terms = await sim.terms()
    assert (terms["clock"], terms["absent"]) == ("days 3d", "end")


async def test_reminder_is_one_message_with_hand_button(sim: SimGuild, ada: MemberActor, grace: MemberActor) -> None:
    await sim.table(ada, grace, clock="1d")
    mover = sim.to_move()
    await sim.wait(hours=19.5)
    await sim.wait(hours=1)
    reminders = [message for message in sim.public() if says(words_of(message), "remind.deadline", game="Triominoes")]
    (reminder,) = reminders
    assert [user.id for user in reminder.mentions] == [mover.id]
    assert STAMP.search(words_of(reminder))
    assert words_of(private(await mover.click(reminder, label="My hand"))).startswith("### Your turn")


async def test_reminder_is_deleted_when_turn_ends(sim: SimGuild, ada: MemberActor, grace: MemberActor) -> None:
    await sim.table(ada, grace, clock="1d")
    mover = sim.to_move()
    await sim.wait(hours=20)
    assert sum(f"<@{mover.id}>" in words_of(message) for message in sim.public()) == 2
    await sim.play_by_typing(mover)
    assert not any(f"<@{mover.id}>, your turn" in words_of(message) for message in sim.public())


async def test_muted_turn_gets_no_reminder(sim: SimGuild, ada: MemberActor, grace: MemberActor) -> None:
    await sim.table(ada, grace, clock="1d")
    mover, call = sim.to_move(), sim.calls()[-1]
    refused = await sim.waiting().click(call, label="Mute this turn")
    assert told(refused).startswith(en("no.NOTHING_TO_MUTE"))
    assert told(await mover.click(call, label="Mute this turn")) == en("settings.muted")
    before = len(sim.public())
    await sim.wait(hours=20)
    assert len(sim.public()) == before


async def test_absence_question_is_public_with_four_choices(
    sim: SimGuild, ada: MemberActor, grace: MemberActor
) -> None:
    mover, _ = await start_with_absent_player(sim, ada, grace)
    asked = absence_question(sim)
    assert says(words_of(asked), "absence.asked", name=display_name(mover))
    assert list(button_ids(asked)) == [
        "Wait 1 day more",
        en("absence.turn"),
        en("absence.seat"),
        "End the match",
        "I'm here",
    ]
    assert says(words_of(sim.board()), "clock.asking", name=display_name(mover))
    await sim.wait(hours=1)
    assert sum("What now?" in words_of(message) for message in sim.public()) == 1


@pytest.mark.parametrize(
    ("label", "choice"),
    [("Wait 1 day more", "wait"), (en("absence.turn"), "turn"), (en("absence.seat"), "seat"), ("End the match", "end")],
)
async def test_absence_choice_counts_once_across_restart(
    sim: SimGuild, ada: MemberActor, grace: MemberActor, label: str, choice: str
) -> None:
    mover, (other,) = await start_with_absent_player(sim, ada, grace, turns=2)
    asked = absence_question(sim)
    assert told(await mover.click(asked, label=label)).startswith(en("no.ABSENT_YOURSELF"))
    linus = sim.person("Linus")
    assert told(await linus.click(asked, label=label)).startswith(en("no.NOT_SEATED"))
    assert told(await linus.click(asked, label="I'm here")).startswith(en("no.NOT_SEATED"))
    custom_ids = button_ids(asked)
    await sim.restart()
    await other.click(asked, label=label)
    chosen = [words_of(message).removeprefix("-# ") for message in sim.public()]
    assert says(chosen, f"absence.chosen_{choice}", name=display_name(other))
    assert says(notices(sim), f"notice.{choice}_chosen", name=display_name(mover))
    old = await sim.post(*custom_ids.values())
    seq = (await sim.head()).seq
    for number in range(4):
        late = told(await other.click(old, label=f"Button {number}"))
        assert late.startswith(en("no.NOBODY_ABSENT"))
    assert (await sim.head()).seq == seq


async def test_replaced_player_returns_with_one_press(sim: SimGuild, ada: MemberActor, grace: MemberActor) -> None:
    mover, (other,) = await start_with_absent_player(sim, ada, grace)
    await other.click(absence_question(sim), label="Computer takes over")
    await sim.wait()
    assert says(words_of(sim.board()), "clock.standins", names=display_name(mover))
    assert told(await other.click(sim.board(), label="I'm back")).startswith(en("no.NOT_ABSENT"))
    assert words_of(await sim.hand(mover)).startswith(en("absence.stood_in"))
    await sim.restart()
    back = await mover.click(sim.board(), label="I'm back")
    assert told(back) == en("absence.welcome")
    assert not says(words_of(sim.board()), "clock.standins")
    assert "I'm back" not in button_ids(sim.board())
    assert f"{display_name(mover)} is back." in notices(sim)


async def test_absent_player_answers_absence_question(sim: SimGuild, ada: MemberActor, grace: MemberActor) -> None:
    mover, (other,) = await start_with_absent_player(sim, ada, grace)
    asked = absence_question(sim)
    assert told(await other.click(asked, label="I'm here")).startswith(en("no.NOT_ABSENT"))
    await mover.click(asked, label="I'm here")
    assert f"-# {display_name(mover)} is here." in [words_of(message) for message in sim.public()]
    assert says(words_of(sim.board()), "clock.until")
    hand = await sim.hand(mover)
    assert words_of(hand).startswith("### Your turn")


async def test_match_ended_by_others_ranks_absent_player_last(
    sim: SimGuild, ada: MemberActor, grace: MemberActor, linus: MemberActor
) -> None:
    mover, others = await start_with_absent_player(sim, ada, grace, linus, turns=3)
    await others[0].click(absence_question(sim), label="End the match")
    first, second = (display_name(person) for person in others)
    assert says(words_of(absence_question(sim)), "absence.ending", names=first, waiting=second)
    assert says(notices(sim), "notice.end_wished", name=first, silent=display_name(mover), waiting=second)
    assert sim.ends() == []
    await others[1].click(absence_question(sim), label="End the match")
    (end,) = sim.ends()
    assert f"`3` **{display_name(mover)}**" in words_of(end)
    assert "· resigned" in words_of(end)
    assert says(words_of(end), "end.unrated_empty")
    board = await ProfileStore(sim.store.transactions).load_leaderboard(sim.guild.id, "triominoes")
    assert [row.wins for row in board.rows] == [0, 0, 0]


async def test_outage_does_not_use_up_turn_time(sim: SimGuild, ada: MemberActor, grace: MemberActor) -> None:
    await sim.table(ada, grace, clock="1d")
    await sim.wait(hours=10)
    # The bot is offline for a day and a half.
    sim.clock.skipped += 36 * 3600 * 1000
    await sim.restart()
    await sim.wait()
    assert not any("What now?" in words_of(message) for message in sim.public())
    before = len(sim.public())
    await sim.wait(hours=9)
    assert len(sim.public()) == before
    await sim.wait(hours=1)
    await sim.wait(hours=4.5)
    assert "What now?" in words_of(absence_question(sim))


async def test_reminder_after_deadline_is_not_sent(sim: SimGuild, ada: MemberActor, grace: MemberActor) -> None:
    await sim.table(ada, grace, clock="1d")
    use_cases = sim.client.services
    head = await sim.head()
    # The process ends before it sends the stored reminder. The next process starts after the deadline.
    sim.clock.skipped += head.due.at - sim.clock()
    await sim.store.operations.record_pulse(PULSE_PREFIX, now=sim.clock())
    assert await use_cases.user_settings.run_due(head)
    sim.clock.skipped += 6 * 3600 * 1000
    await sim.store.operations.record_pulse(PULSE_PREFIX, now=sim.clock())
    late = await sim.head()
    assert await use_cases.user_settings.run_due(late)
    await sim.restart()
    await sim.wait()
    assert not any(says(words_of(message), "remind.deadline") for message in sim.public())
    assert "What now?" in words_of(absence_question(sim))
