"""Notices to the next player: opt-in, in channel or DM, deleted with the turn."""

from typing import Any

import pytest

from bot.sending.sender import Outgoing, Sender
from engine.match.actions import Resign
from engine.table.commands import TakeAction
from tests.bot.member import Member
from tests.bot.messages import read_text
from tests.bot.simulated_guild import SimGuild
from tests.wording import en, has_sentence


def list_next_player_notices(sim: SimGuild) -> list[tuple[str, list[int]]]:
    return [
        (read_text(message), [user.id for user in message.mentions])
        for message in sim.list_public_messages()
        if has_sentence(read_text(message), "turn.next_up")
    ]


async def test_next_player_notice_disappears_with_turn(
    sim: SimGuild, ada: Member, grace: Member, linus: Member
) -> None:
    members = (ada, grace, linus)
    answer = await linus.read_command("tiles settings", next=True)
    assert has_sentence(answer, "settings.next_on")
    await sim.start_table(*members)
    notices_seen = []
    for _ in range(6):
        turn = (await sim.load_head()).turn
        match = await sim.replay_match()
        expected = match.find_next_active(turn.seat) == 2
        found = list_next_player_notices(sim)
        name = members[turn.seat].name.capitalize()
        assert found == ([(en("turn.next_up", mention=f"<@{linus.id}>", name=name), [linus.id])] if expected else [])
        notices_seen.append(expected)
        await sim.play_by_typing(next(one for one in members if one.id == turn.user))
    assert notices_seen.count(True) in (2, 3)


async def test_next_player_notice_by_dm_is_not_in_channel(
    sim: SimGuild, ada: Member, grace: Member, linus: Member
) -> None:
    members = (ada, grace, linus)
    for person in members:
        await person.use_command("tiles settings", next=True, call="dm")
    await sim.start_table(*members)
    match = await sim.replay_match()
    after = members[match.find_next_active(match.turn)]
    dm_texts = [read_text(message) for message in after.user.dm_channel.history()]
    name = members[match.turn].name.capitalize()
    assert [text for text in dm_texts if "next" in text] == [
        en("direct.next_up", game="Triominoes", name=name, link=sim.get_board().jump_url)
    ]
    assert list_next_player_notices(sim) == []


async def test_table_of_two_has_no_next_player_notice(sim: SimGuild, ada: Member, grace: Member) -> None:
    for person in (ada, grace):
        await person.use_command("tiles settings", next=True)
    await sim.start_table(ada, grace)
    assert list_next_player_notices(sim) == []


async def test_next_player_setting_without_calls_shows_explanation(sim: SimGuild, ada: Member) -> None:
    answer = await ada.read_command("tiles settings", next=True, call="none")
    assert has_sentence(answer, "settings.next_none")


@pytest.mark.parametrize("is_lost", [True, False], ids=["though its answer was lost", "though it was on its way"])
async def test_next_player_notice_of_ended_turn_is_deleted(
    sim: SimGuild, ada: Member, grace: Member, linus: Member, monkeypatch: pytest.MonkeyPatch, *, is_lost: bool
) -> None:
    for person in (ada, grace, linus):
        await person.use_command("tiles settings", next=True)
    original_send, sent_texts = Sender.send, list[str]()

    async def send_then_resign(sender: Sender, channel: Any, outgoing: Outgoing, **kwargs: Any) -> Any:
        message = await original_send(sender, channel, outgoing, **kwargs)
        if not sent_texts and has_sentence(outgoing.content or "", "turn.next_up"):
            sent_texts.append(outgoing.content or "")
            head = await sim.load_head()
            await sim.client.services.acts.act(head.match_id, TakeAction(head.turn.user, Resign))
            if is_lost:
                raise ConnectionError
        return message

    monkeypatch.setattr(Sender, "send", send_then_resign)
    await sim.start_table(ada, grace, linus)
    assert sent_texts
    await sim.wait(seconds=60)
    await sim.client.services.announcer.wait_until_idle()
    assert list_next_player_notices(sim) == []
