"""Play any game by clicking the first useful button or menu option."""

import re
from collections.abc import Sequence

from simcord import ChannelHandle, MemberActor

from tests.bot.messages import Message, button_ids, menus, private, words_of
from tests.bot.simulated_guild import SimGuild

PLAY = re.compile(r"Play( [+−]?\d+)?")
"""The button that plays the previewed move."""

LAST_RESORTS = ("End turn", "Draw", "Pass")
"""Buttons to click when no move is offered."""


async def take_turn(
    sim: SimGuild, person: MemberActor, channel: ChannelHandle | None = None, *, prefer: Sequence[str] = ()
) -> list[str]:
    hand: Message = await sim.hand(person, channel)
    done: list[str] = []
    while "### Your turn" in words_of(hand):
        assert len(done) < 200, f"this turn does not end: {done[-10:]}"
        hand, what = await click_next(person, hand, prefer)
        done.append(what)
    await sim.stands()
    return done


async def click_next(person: MemberActor, hand: Message, prefer: Sequence[str] = ()) -> tuple[Message, str]:
    buttons, offered = button_ids(hand), menus(hand)
    choices = [label for label, custom_id in buttons.items() if custom_id.startswith("by:choose:")]
    better = [label for label in buttons if PLAY.fullmatch(label) or label in prefer]
    if better:
        label = better[0]
    elif offered:
        option = offered[0].options[0]
        return private(await person.select(hand, [option.value], custom_id=offered[0].custom_id)), option.label
    else:
        label = next(label for label in (*choices, *LAST_RESORTS) if label in buttons)
    return private(await person.click(hand, label=label)), label


async def click_through_match(
    sim: SimGuild, channel: ChannelHandle | None = None, *, prefer: Sequence[str] = (), turns: int = 400
) -> list[str]:
    done: list[str] = []
    for _ in range(turns):
        if (await sim.head(channel)).state == "done":
            return done
        done += await take_turn(sim, sim.to_move(channel), channel, prefer=prefer)
    raise AssertionError(f"the match was not over after {turns} turns")
