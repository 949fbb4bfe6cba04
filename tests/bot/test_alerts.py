"""Whoever wants it is told, alone, when a table opens: of what they can see and join, when they want it, and seldom."""

from __future__ import annotations

from collections.abc import AsyncIterator
from random import Random

import pytest
from discord import Permissions
from simcord import MemberActor
from simcord.backend.models import Overwrite

from bot.posting.sending import Sender
from bot.views.times import pace_text
from data.store.alerts import MOST_A_DAY
from data.words import words
from tests.bot.house import House
from tests.bot.parlour import Parlour, labels, parlour
from tests.bot.parlour import words_of as said_in
from tests.bot.reading import private, told, words_of

MINUTE = 1 / 60
"""In hours."""


def alerts(person: MemberActor) -> list[str]:
    """What somebody was told of tables."""
    return [text for text in map(words_of, person.user.dm_channel.history()) if "A table is open" in text]


async def wants(house: House, person: MemberActor, game: str = "Triominoes") -> None:
    """Somebody wants to be told."""
    listed = private(await person.slash(house.channel, "tiles games"))
    chosen = private(await person.click(listed, label="Tell me when a table opens"))
    assert "You are told when somebody opens a table here" in told(await person.click(chosen, label=game))


async def passes(house: House, hours: float = 2 * MINUTE) -> None:
    """Time passes, and whoever is to be told is."""
    await house.wait(hours=hours)
    await house.client.services.alerts.idle()


async def test_whoever_wants_it_is_told_once_with_what_there_is_to_know_and_nobody_else(
    house: House, ada: MemberActor, grace: MemberActor, linus: MemberActor
) -> None:
    await wants(house, grace)
    await wants(house, ada)
    await ada.slash(house.channel, "tiles new", seats=3, rated=False)
    await passes(house)
    await passes(house)
    (said,) = alerts(grace)
    assert said.split("\n")[0] == (
        "A table is open on **The Parlour**: **Triominoes** by Ada, default rules · to 400 · 1 of 3 seats taken · "
        f"{pace_text(words(), (await house.now()).terms.pace)} · not rated · {house.board().jump_url}"
    )
    assert alerts(linus) == []
    assert alerts(ada) == [], "nobody is told of their own"


async def test_only_of_the_games_that_were_chosen_and_no_more_after_stopping(
    house: House, ada: MemberActor, grace: MemberActor
) -> None:
    await wants(house, grace, "Star")
    await ada.slash(house.channel, "tiles new", seats=3)
    await passes(house)
    assert alerts(grace) == []
    await ada.slash(house.channel, "tiles leave")
    await passes(house, hours=7)
    await ada.slash(house.channel, "tiles new", seats=2, game="star")
    await passes(house)
    (message,) = [one for one in grace.user.dm_channel.history() if "A table is open" in words_of(one)]
    stopped = await grace.user.click(message, label="Tell me no more")
    assert told(stopped).startswith("You are told of that server's tables no more.")
    settings = told(await grace.slash(house.channel, "tiles settings"))
    assert settings.endswith("You are not told when somebody opens a table here.")


async def test_a_table_that_is_gone_or_full_by_then_is_told_to_nobody(
    house: House, ada: MemberActor, grace: MemberActor, linus: MemberActor
) -> None:
    await wants(house, grace)
    await ada.slash(house.channel, "tiles new", seats=3)
    await ada.slash(house.channel, "tiles leave")
    await passes(house)
    await linus.slash(house.channel, "tiles new", seats=2)
    await ada.click(house.board(), label="Join")
    await passes(house)
    assert alerts(grace) == []


async def test_quiet_hours_put_it_off_and_a_vacation_takes_it_away(
    house: House, ada: MemberActor, grace: MemberActor, linus: MemberActor
) -> None:
    for person in (grace, linus):
        await wants(house, person)
    hour = (house.clock() // 3_600_000) % 24
    await grace.slash(house.channel, "tiles settings", quiet=f"{hour:02}:00-{(hour + 3) % 24:02}:00", zone="UTC")
    await linus.slash(house.channel, "tiles settings", vacation=2)
    await ada.slash(house.channel, "tiles new", seats=3)
    await passes(house)
    assert (alerts(grace), alerts(linus)) == ([], [])
    await passes(house, hours=3)
    assert (len(alerts(grace)), alerts(linus)) == (1, [])


async def test_of_a_channel_that_one_cannot_see_nothing_is_told(
    house: House, ada: MemberActor, grace: MemberActor
) -> None:
    await wants(house, grace)
    cellar = house.guild.create_text_channel("cellar")
    see = Permissions(view_channel=True).value
    await ada.slash(cellar, "tiles new", seats=3)
    house.env.backend.set_overwrite(cellar.id, Overwrite(house.guild.id, 0, deny=see))
    await passes(house)
    assert alerts(grace) == []
    assert "cellar" not in "".join(words_of(one) for one in grace.user.dm_channel.history())


async def test_nobody_is_told_more_often_than_a_few_times_a_day(house: House, ada: MemberActor) -> None:
    listener = house.person("Listener")
    await wants(house, listener)
    for number in range(MOST_A_DAY + 2):
        host = house.person(f"Host {number}")
        await host.slash(house.guild.create_text_channel(f"room-{number}"), "tiles new", seats=4)
        await passes(house)
    assert len(alerts(listener)) == MOST_A_DAY
    await passes(house, hours=25)
    await ada.slash(house.channel, "tiles new", seats=4)
    await passes(house)
    assert len(alerts(listener)) == MOST_A_DAY + 1


async def test_a_restart_between_opening_and_telling_loses_nobody_and_tells_nobody_twice(
    house: House, ada: MemberActor, grace: MemberActor
) -> None:
    await wants(house, grace)
    await ada.slash(house.channel, "tiles new", seats=3)
    await house.restart()
    await passes(house)
    await house.restart()
    await passes(house)
    assert len(alerts(grace)) == 1


async def test_whoever_is_forgotten_is_told_nothing_and_nothing_is_left_of_what_they_wanted(
    house: House, ada: MemberActor, grace: MemberActor
) -> None:
    await wants(house, grace)
    await ada.slash(house.channel, "tiles new", seats=3)
    held = await house.client.services.privacy.export(grace.id)
    assert [row["game"] for row in held["alerts"]] == ["triominoes"]
    assert "outbox" in {row["table"] for row in held["named_in"]}
    await house.client.services.privacy.delete(grace.id)
    await passes(house)
    assert alerts(grace) == []
    held = await house.client.services.privacy.export(grace.id)
    assert (held["alerts"], held["alerted"], held["named_in"]) == ([], [], [])


async def test_whoever_is_forgotten_while_the_bot_looks_for_them_is_told_nothing_and_nothing_is_left(
    house: House, ada: MemberActor, grace: MemberActor, monkeypatch: pytest.MonkeyPatch
) -> None:
    await wants(house, grace)
    sees, services = Sender.sees, house.client.services

    async def forgotten_meanwhile(sender: Sender, guild_id: int, channel_id: int, user_id: int) -> bool:
        await services.privacy.delete(user_id)
        return await sees(sender, guild_id, channel_id, user_id)

    monkeypatch.setattr(Sender, "sees", forgotten_meanwhile)
    await ada.slash(house.channel, "tiles new", seats=3)
    await passes(house)
    assert alerts(grace) == []
    held = await services.privacy.export(grace.id)
    assert (held["alerts"], held["alerted"], held["named_in"]) == ([], [], [])


# -- closed doors, and failures of Discord -------------------------------------------------------------------


@pytest.fixture
async def room(url: str) -> AsyncIterator[Parlour]:
    """A server over real sockets, where requests can fail."""
    async with parlour(url) as found:
        yield found


async def opens(room: Parlour) -> None:
    """Grace wants to be told, and Ada opens a table."""
    await room.store.want_alerts(int(room.grace.id), _guild(room), "triominoes", now=0)
    await room.answered(room.ada, await room.ada.slash(room.place, "tiles", "new", seats=3))
    await room.quiet()


def _guild(room: Parlour) -> int:
    return int(next(iter(room.discord.world.guilds)))


async def sweeps(room: Parlour, seconds: float) -> None:
    """Time passes, and whoever is to be told is."""
    room.skipped[0] += int(seconds * 1000)
    await room.client.services.alerts.sweep()
    await room.client.services.alerts.idle()


async def test_a_closed_door_turns_it_off_and_says_so_at_the_next_command(room: Parlour) -> None:
    room.discord.world.shut_doors.add(room.grace.id)
    await opens(room)
    await sweeps(room, 120)
    assert await room.direct(room.grace) == []
    listed = await room.answered(room.grace, await room.grace.slash(room.place, "tiles", "games"))
    assert "my direct messages do not reach you: that is off now" in said_in(listed)
    assert "Tell me when a table opens" in labels(listed)
    assert room.place in str((await room.public())[0]), "and nobody was called in the channel instead"
    assert not await room.calls()


async def test_a_message_whose_arrival_nobody_knows_of_is_not_sent_twice(room: Parlour) -> None:
    await opens(room)
    room.faults.lose_answers(1.0, Random(1), times=1)
    await sweeps(room, 120)
    for _ in range(3):
        await sweeps(room, 600)
    assert len([one for one in await room.direct(room.grace) if "A table is open" in said_in(one)]) == 1
