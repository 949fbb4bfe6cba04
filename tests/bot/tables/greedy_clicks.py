"""Play any game by clicking the first useful button or menu option."""

from collections.abc import Sequence

from simcord import ChannelHandle

from tests.bot.member import Member
from tests.bot.messages import PLAY_LABEL, Message, list_menus, read_button_ids, read_text
from tests.bot.simulated_guild import SimGuild

LAST_RESORTS = ("End turn", "Draw", "Pass")
"""Buttons to click when no move is offered."""


async def take_turn(
    sim: SimGuild, person: Member, channel: ChannelHandle | None = None, *, prefer: Sequence[str] = ()
) -> list[str]:
    hand: Message = await sim.open_hand(person, channel)
    labels: list[str] = []
    while "### Your turn" in read_text(hand):
        assert len(labels) < 200, f"this turn does not end: {labels[-10:]}"
        hand, label = await click_next(person, hand, prefer)
        labels.append(label)
    await sim.settle_turns()
    return labels


async def click_next(person: Member, hand: Message, prefer: Sequence[str] = ()) -> tuple[Message, str]:
    buttons, hand_menus = read_button_ids(hand), list_menus(hand)
    choices = [label for label, custom_id in buttons.items() if custom_id.startswith("by:choose:")]
    play_labels = [label for label in buttons if PLAY_LABEL.fullmatch(label) or label in prefer]
    if play_labels:
        label = play_labels[0]
    elif hand_menus:
        option = hand_menus[0].options[0]
        return await person.open_select(hand, option.value, custom_id=hand_menus[0].custom_id), option.label
    else:
        label = next(label for label in (*choices, *LAST_RESORTS) if label in buttons)
    return await person.open_click(hand, label), label


async def click_through_match(
    sim: SimGuild, channel: ChannelHandle | None = None, *, prefer: Sequence[str] = (), turns: int = 400
) -> list[str]:
    labels: list[str] = []
    for _ in range(turns):
        if (await sim.load_head(channel)).state == "done":
            return labels
        labels += await take_turn(sim, sim.get_called_player(channel), channel, prefer=prefer)
    raise AssertionError(f"the match was not over after {turns} turns")
