"""Notices to the next player: opt-in, in channel or DM, deleted with the turn."""

from typing import Any

import pytest
from simcord import MemberActor

from bot.sending.sender import Outgoing, Sender
from engine.match.actions import Resign
from engine.table.commands import TakeAction
from tests.bot.messages import told, words_of
from tests.bot.simulated_guild import SimGuild
from tests.wording import en, says


def next_player_notices(sim: SimGuild) -> list[tuple[str, list[int]]]:
    return [
        (words_of(message), [user.id for user in message.mentions])
        for message in sim.public()
        if says(words_of(message), "turn.next_up")
    ]


async def test_next_player_notice_disappears_with_turn(
    sim: SimGuild, ada: MemberActor, grace: MemberActor, linus: MemberActor
) -> None:
    people = (ada, grace, linus)
    said = told(await linus.slash(sim.channel, "tiles settings", next=True))
    assert says(said, "settings.next_on")
    await sim.table(*people)
    seen = []
    for _ in range(6):
        turn = (await sim.head()).turn
        match = await sim.match()
        expected = match.find_next_active(turn.seat) == 2
        found = next_player_notices(sim)
        name = people[turn.seat].name.capitalize()
        assert found == ([(en("turn.next_up", mention=f"<@{linus.id}>", name=name), [linus.id])] if expected else [])
        seen.append(expected)
        await sim.play_by_typing(next(one for one in people if one.id == turn.user))
    assert seen.count(True) in (2, 3)


async def test_next_player_notice_by_dm_is_not_in_channel(
    sim: SimGuild, ada: MemberActor, grace: MemberActor, linus: MemberActor
) -> None:
    people = (ada, grace, linus)
    for person in people:
        await person.slash(sim.channel, "tiles settings", next=True, call="dm")
    await sim.table(*people)
    match = await sim.match()
    after = people[match.find_next_active(match.turn)]
    told_alone = [words_of(message) for message in after.user.dm_channel.history()]
    name = people[match.turn].name.capitalize()
    assert [text for text in told_alone if "next" in text] == [
        en("direct.next_up", game="Triominoes", name=name, link=sim.board().jump_url)
    ]
    assert next_player_notices(sim) == []


async def test_table_of_two_has_no_next_player_notice(sim: SimGuild, ada: MemberActor, grace: MemberActor) -> None:
    for person in (ada, grace):
        await person.slash(sim.channel, "tiles settings", next=True)
    await sim.table(ada, grace)
    assert next_player_notices(sim) == []


async def test_next_player_setting_without_calls_shows_explanation(sim: SimGuild, ada: MemberActor) -> None:
    said = told(await ada.slash(sim.channel, "tiles settings", next=True, call="none"))
    assert says(said, "settings.next_none")


@pytest.mark.parametrize("is_lost", [True, False], ids=["though its answer was lost", "though it was on its way"])
async def test_next_player_notice_of_ended_turn_is_deleted(
    sim: SimGuild,
    ada: MemberActor,
    grace: MemberActor,
    linus: MemberActor,
    monkeypatch: pytest.MonkeyPatch,
    *,
    is_lost: bool,
) -> None:
    for person in (ada, grace, linus):
        await person.slash(sim.channel, "tiles settings", next=True)
    really, arrived = Sender.send, list[str]()

    async def send_then_resign(sender: Sender, channel: Any, outgoing: Outgoing, **how: Any) -> Any:
        message = await really(sender, channel, outgoing, **how)
        if not arrived and says(outgoing.content or "", "turn.next_up"):
            arrived.append(outgoing.content or "")
            head = await sim.head()
            assert head.turn.user is not None
            await sim.client.services.acts.act(head.match_id, TakeAction(head.turn.user, Resign))
            if is_lost:
                raise ConnectionError
        return message

    monkeypatch.setattr(Sender, "send", send_then_resign)
    await sim.table(ada, grace, linus)
    assert arrived
    await sim.wait(seconds=60)
    await sim.client.services.announcer.wait_until_idle()
    assert next_player_notices(sim) == []
