"""Whoever wants it is told, alone, when a table opens: of what they can see and join, when they want it, and seldom."""

from random import Random

import pytest
from discord import Permissions
from simcord import MemberActor
from simcord.backend.models import Overwrite

from bot.core.formats import pace_text
from bot.sending.sender import Sender
from data.store.outbox.alert_posts import MOST_A_DAY
from data.words import words
from tests.bot.house import House
from tests.bot.parlour import Parlour, labels
from tests.bot.parlour import words_of as said_in
from tests.bot.reading import private, told, words_of
from tests.wording import en, says

MINUTE = 1 / 60


def alerts(person: MemberActor) -> list[str]:
    return [text for text in map(words_of, person.user.dm_channel.history()) if says(text, "alerts.opened")]


async def wants(house: House, person: MemberActor, game: str = "Triominoes") -> None:
    listed = private(await person.slash(house.channel, "tiles games"))
    chosen = private(await person.click(listed, label="Tell me when a table opens"))
    assert says(told(await person.click(chosen, label=game)), "alerts.on", games=game)


async def passes(house: House, hours: float = 2 * MINUTE) -> None:
    await house.wait(hours=hours)
    await house.client.services.alerts.idle()


async def test_alert_reaches_chooser(house: House, ada: MemberActor, grace: MemberActor, linus: MemberActor) -> None:
    await wants(house, grace)
    await wants(house, ada)
    await ada.slash(house.channel, "tiles new", seats=3, rated=False)
    await passes(house)
    await passes(house)
    (said,) = alerts(grace)
    pace = pace_text(words(), (await house.now()).terms.pace)
    terms = f"default rules · to 400 · 1 of 3 seats taken · {pace} · not rated"
    facts = {"server": "The Parlour", "game": "Triominoes", "name": "Ada", "link": house.board().jump_url}
    assert said.split("\n")[0] == en("alerts.opened", terms=terms, **facts)
    assert alerts(linus) == []
    assert alerts(ada) == [], "nobody is told of their own"


async def test_alerts_follow_chosen_game_until_stopped(house: House, ada: MemberActor, grace: MemberActor) -> None:
    await wants(house, grace, "Star")
    await ada.slash(house.channel, "tiles new", seats=3)
    await passes(house)
    assert alerts(grace) == []
    await ada.slash(house.channel, "tiles leave")
    await passes(house, hours=7)
    await ada.slash(house.channel, "tiles new", seats=2, game="star")
    await passes(house)
    (message,) = [one for one in grace.user.dm_channel.history() if says(words_of(one), "alerts.opened", game="Star")]
    stopped = await grace.user.click(message, label="Tell me no more")
    assert told(stopped).startswith(en("alerts.stopped"))
    settings = told(await grace.slash(house.channel, "tiles settings"))
    assert settings.endswith(en("alerts.off"))


async def test_full_table_sends_no_alert(
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


async def test_alert_obeys_quiet_hours(house: House, ada: MemberActor, grace: MemberActor, linus: MemberActor) -> None:
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


async def test_hidden_channel_sends_no_alert(house: House, ada: MemberActor, grace: MemberActor) -> None:
    await wants(house, grace)
    cellar = house.guild.create_text_channel("cellar")
    see = Permissions(view_channel=True).value
    await ada.slash(cellar, "tiles new", seats=3)
    house.env.backend.set_overwrite(cellar.id, Overwrite(house.guild.id, 0, deny=see))
    await passes(house)
    assert alerts(grace) == []
    assert "cellar" not in "".join(words_of(one) for one in grace.user.dm_channel.history())


async def test_nobody_is_told_more_often_than_few_times_day(house: House, ada: MemberActor) -> None:
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


async def test_alert_is_sent_once_across_restart(house: House, ada: MemberActor, grace: MemberActor) -> None:
    await wants(house, grace)
    await ada.slash(house.channel, "tiles new", seats=3)
    await house.restart()
    await passes(house)
    await house.restart()
    await passes(house)
    assert len(alerts(grace)) == 1


async def test_deleted_user_gets_no_alert_and_leaves_no_data(
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


async def test_whoever_is_forgotten_while_bot_looks_for_them_is_told_nothing_and_nothing_is_left(
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


async def opens(local: Parlour) -> None:
    await local.store.alerts.want_alerts(int(local.grace.id), _guild(local), "triominoes", now=0)
    await local.answered(local.ada, await local.ada.slash(local.place, "tiles", "new", seats=3))
    await local.quiet()


def _guild(local: Parlour) -> int:
    return int(next(iter(local.discord.world.guilds)))


async def sweeps(local: Parlour, seconds: float) -> None:
    local.skipped[0] += int(seconds * 1000)
    await local.client.services.alerts.sweep()
    await local.client.services.alerts.idle()


async def test_closed_door_turns_it_off_and_says_so_at_next_command(local: Parlour) -> None:
    local.discord.world.shut_doors.add(local.grace.id)
    await opens(local)
    await sweeps(local, 120)
    assert await local.direct(local.grace) == []
    listed = await local.answered(local.grace, await local.grace.slash(local.place, "tiles", "games"))
    assert says(said_in(listed), "alerts.unreached")
    assert says(labels(listed), "alerts.choose")
    assert local.place in str((await local.public())[0]), "and nobody was called in the channel instead"
    assert not await local.calls()


async def test_message_whose_arrival_nobody_knows_of_is_not_sent_twice(local: Parlour) -> None:
    await opens(local)
    local.faults.lose_answers(1.0, Random(1), times=1)
    await sweeps(local, 120)
    for _ in range(3):
        await sweeps(local, 600)
    assert len([one for one in await local.direct(local.grace) if says(said_in(one), "alerts.opened")]) == 1
