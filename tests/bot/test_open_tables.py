"""`/tiles games` tells of the open tables of the server that the asker may join, and of nothing else."""

from __future__ import annotations

from dataclasses import replace

from discord import Permissions
from simcord import ChannelHandle, MemberActor
from simcord.backend.models import Overwrite

from tests.bot.house import House
from tests.bot.reading import Message, button_ids, private, told, words_of
from tests.wording import en, says

SEE = Permissions(view_channel=True).value
ROLE = 0


def hide(house: House, channel: ChannelHandle) -> None:
    """Only those who get it allowed by themselves see the channel from now on."""
    house.env.backend.set_overwrite(channel.id, Overwrite(house.guild.id, ROLE, deny=SEE))


def let_in(house: House, channel: ChannelHandle, person: MemberActor) -> None:
    """Somebody sees it all the same."""
    house.env.backend.set_overwrite(channel.id, Overwrite(person.id, 1, allow=SEE))


async def games(house: House, person: MemberActor) -> Message:
    """What `/tiles games` answers."""
    return private(await person.slash(house.channel, "tiles games"))


def joins(message: Message) -> list[str]:
    """The buttons by which one sits down."""
    return [label for label in button_ids(message) if label.startswith("Join")]


async def test_an_open_table_elsewhere_is_listed_with_a_link_and_joined_from_there(
    house: House, ada: MemberActor, grace: MemberActor
) -> None:
    parlour = house.guild.create_text_channel("parlour")
    await ada.slash(parlour, "tiles new", seats=2, rated=False, clock="days 1d")
    listed = await games(house, grace)
    link = house.board(parlour).jump_url
    assert words_of(listed).split("\n") == [
        en("tables.none"),
        "### Open tables here",
        "**Triominoes** by Ada, table 1: default rules · to 400 · 1 of 2 seats taken · 1 day a turn · not rated · "
        f"{link}",
    ]
    sat = await grace.click(listed, label="Join table 1")
    assert says(told(sat), "lobby.joined")
    assert (await house.now(parlour)).turn_user() in (ada.id, grace.id)
    assert "Open tables" not in words_of(await games(house, grace))


async def test_ones_own_and_full_tables_are_not_offered_and_a_late_press_says_so(
    house: House, ada: MemberActor, grace: MemberActor, linus: MemberActor
) -> None:
    await ada.slash(house.channel, "tiles new", seats=2)
    assert joins(await games(house, ada)) == []
    listed = await games(house, linus)
    await grace.click(house.board(), label="Join")
    assert joins(await games(house, linus)) == []
    late = await linus.click(listed, label="Join table 1")
    assert says(told(late), "no.TABLE_FULL")
    assert (await house.now()).seat_of(linus.id) is None


async def test_a_table_in_a_channel_that_one_cannot_see_is_neither_told_nor_joined(
    house: House, ada: MemberActor, grace: MemberActor, linus: MemberActor
) -> None:
    cellar = house.guild.create_text_channel("cellar")
    for insider in (ada, grace):
        let_in(house, cellar, insider)
    await ada.slash(cellar, "tiles new", seats=3, game="quad-ominos")
    hide(house, cellar)
    seen = await games(house, grace)
    assert joins(seen) == ["Join table 1"]
    unseen = await games(house, linus)
    assert words_of(unseen) == en("tables.none")
    assert list(button_ids(unseen)) == [en("alerts.choose")]
    # A forged button says what one of another server says.
    forged = await house.post("by:sit:1", "by:join:1", "by:sit:77")
    said = {told(await linus.click(forged, label=label)) for label in ("Button 0", "Button 1", "Button 2")}
    assert len(said) == 1, said
    assert [row.user_id for row in (await house.now(cellar)).seats] == [ada.id]
    await grace.click(house.board(cellar), label="Join")
    assert (await house.now(cellar)).seat_of(grace.id) == 1


async def test_few_are_listed_and_the_others_counted(house: House, ada: MemberActor, grace: MemberActor) -> None:
    for number in range(7):
        await ada.slash(house.guild.create_text_channel(f"room-{number}"), "tiles new", seats=4)
    listed = await games(house, grace)
    assert joins(listed) == [f"Join table {match}" for match in (7, 6, 5, 4, 3)]
    assert words_of(listed).endswith("-# …and 2 more open tables.")


async def test_whoever_sits_at_as_many_tables_as_the_server_allows_is_offered_none(
    house: House, ada: MemberActor, grace: MemberActor
) -> None:
    settings = await house.client.services.guilds.settings(house.guild.id)
    await house.client.services.guilds.change(house.guild.id, replace(settings, person=1))
    await ada.slash(house.guild.create_text_channel("first"), "tiles new", seats=4)
    await grace.slash(house.guild.create_text_channel("second"), "tiles new", seats=4)
    assert joins(await games(house, grace)) == []
    assert joins(await games(house, ada)) == []
