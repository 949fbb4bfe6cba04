"""Seats that are kept: friends by `with:`, who accepts, declines or says nothing, and a rematch by one press each."""

from __future__ import annotations

import discord
from simcord import MemberActor

from bot.service.guild_settings import GuildSettings
from engine.table.commands import CloseTable, Rule
from tests.bot.house import SHORT_MATCH, House
from tests.bot.reading import button_ids, private, told, words_of


def invitations(house: House) -> list[discord.Message]:
    """The messages that call people to kept seats, or have."""
    return [
        message
        for message in house.public()
        if "Take the seat" in button_ids(message) or "This call is over" in words_of(message)
    ]


async def test_two_friends_by_with(house: House, ada: MemberActor, grace: MemberActor, linus: MemberActor) -> None:
    await ada.slash(house.channel, "tiles new", **{"with": grace})
    assert (await house.terms())["seats"] == 2, "whoever names friends and nothing else means: only these and me"
    assert "2. *kept for Grace*" in words_of(house.board())
    (call,) = invitations(house)
    assert [one.id for one in call.mentions] == [grace.id]
    assert "Ada keeps a seat for you" in words_of(call)

    said = told(await linus.click(house.board(), label="Join"))
    assert said.startswith("The free seats are kept: for **Grace**")
    assert (await house.head()).state == "lobby"

    await grace.click(call, label="Take the seat")
    assert (await house.head()).state == "open"
    assert {row.user_id for row in await house.store.seats((await house.head()).match_id)} == {ada.id, grace.id}
    (call,) = invitations(house)
    assert (words_of(call), button_ids(call)) == ("Called to a seat here: Grace. This call is over.", {})


async def test_a_call_goes_on_until_nobody_it_names_is_waited_for(
    house: House, ada: MemberActor, grace: MemberActor, linus: MemberActor
) -> None:
    await ada.slash(house.channel, "tiles new", **{"with": grace, "with2": linus})
    await grace.click(house.board(), label="Join")
    (call,) = invitations(house)
    assert "Take the seat" in button_ids(call)
    await linus.click(call, label="Decline")
    (call,) = invitations(house)
    assert words_of(call) == "Called to a seat here: Grace and Linus. This call is over."


async def test_a_kept_seat_can_be_taken_by_the_button_of_the_lobby_and_by_typing(
    house: House, ada: MemberActor, grace: MemberActor, linus: MemberActor
) -> None:
    await ada.slash(house.channel, "tiles new", **{"with": grace, "with2": linus})
    await grace.click(house.board(), label="Join")
    assert (await house.head()).state == "lobby"
    await linus.slash(house.channel, "tiles join")
    assert (await house.head()).state == "open"


async def test_who_declines_says_so_alone_and_frees_the_seat(
    house: House, ada: MemberActor, grace: MemberActor, linus: MemberActor
) -> None:
    await ada.slash(house.channel, "tiles new", **{"with": grace})
    (call,) = invitations(house)
    assert told(await linus.click(call, label="Decline")).startswith("No seat is kept for you here")
    said = told(await grace.click(call, label="Decline"))
    assert said == "You declined: others can have that seat now."
    assert "2. *free*" in words_of(house.board())
    assert "Decline" not in button_ids(house.board())
    await linus.click(house.board(), label="Join")
    assert (await house.head()).state == "open"
    # Somebody else's screen may still show the button.
    late = told(await grace.click(await house.post(button_ids(call)["Take the seat"]), label="Button 0"))
    assert late.startswith("All 2 seats are taken.")


async def test_a_call_that_is_over_names_no_host_who_never_called(
    house: House, ada: MemberActor, grace: MemberActor, linus: MemberActor
) -> None:
    await ada.slash(house.channel, "tiles new", seats=3, **{"with": grace})
    await linus.click(house.board(), label="Join")
    await ada.click(house.board(), label="Leave")
    assert (await house.head()).host_id == linus.id
    await grace.slash(house.channel, "tiles leave")
    (call,) = invitations(house)
    assert (words_of(call), button_ids(call)) == ("Called to a seat here: Grace. This call is over.", {})


async def test_leaving_declines_too(house: House, ada: MemberActor, grace: MemberActor) -> None:
    await ada.slash(house.channel, "tiles new", **{"with": grace})
    await grace.slash(house.channel, "tiles leave")
    assert "2. *free*" in words_of(house.board())


async def test_after_a_day_the_seat_is_anybodys_and_nobody_is_called_again(
    house: House, ada: MemberActor, grace: MemberActor, linus: MemberActor
) -> None:
    await ada.slash(house.channel, "tiles new", **{"with": grace})
    await house.wait(hours=23)
    assert "2. *kept for Grace*" in words_of(house.board())
    await house.wait(hours=1.1)
    assert "2. *free*" in words_of(house.board())
    assert len(invitations(house)) == 1
    await linus.click(house.board(), label="Join")
    assert (await house.head()).state == "open"


async def test_bots_and_people_who_cannot_see_the_channel_are_refused(
    house: House, ada: MemberActor, grace: MemberActor
) -> None:
    hidden = house.guild.create_text_channel(
        "hidden",
        overwrites={
            house.guild.default_role: discord.PermissionOverwrite(view_channel=False),
            ada: discord.PermissionOverwrite(view_channel=True),
            house.guild.me: discord.PermissionOverwrite(view_channel=True),
        },
    )
    said = told(await ada.slash(hidden, "tiles new", **{"with": grace}))
    assert said.startswith("A seat can be kept for people of this server who can see this channel")
    assert await house.store.heads_in_channel(hidden.id) == []
    said = told(await ada.slash(house.channel, "tiles new", **{"with": ada}))
    assert said.startswith("Somebody you named sits at this table already.")
    said = told(await ada.slash(house.channel, "tiles new", seats=2, computers=1, **{"with": grace}))
    assert said.startswith("2 seats are too few: one is yours, people named: 1, computers: 1.")


async def test_who_wants_no_calls_gets_a_seat_and_no_call(house: House, ada: MemberActor, grace: MemberActor) -> None:
    await grace.slash(house.channel, "tiles settings", call="none")
    await ada.slash(house.channel, "tiles new", **{"with": grace})
    assert invitations(house) == []
    assert "2. *kept for Grace*" in words_of(house.board())


async def test_a_rematch_is_one_press_each(
    house: House, ada: MemberActor, grace: MemberActor, linus: MemberActor
) -> None:
    mary = house.person("Mary")
    house.deals.wanted = [SHORT_MATCH]
    await house.table(ada, grace, linus, target=60)
    await house.play_to_the_end()
    over = house.ends()[-1]
    await grace.click(over, label="Rematch")
    lobby = await house.head()
    assert (lobby.state, lobby.host_id) == ("lobby", grace.id)
    (call,) = invitations(house)
    assert {one.id for one in call.mentions} == {ada.id, linus.id}
    assert told(await mary.click(house.board(), label="Join")).startswith("The free seats are kept:")
    await ada.click(over, label="Rematch")  # the second press means: me too
    assert (await house.head()).state == "lobby"
    await linus.click(call, label="Take the seat")
    assert (await house.head()).match_id == lobby.match_id
    assert (await house.head()).state == "open"
    assert len(invitations(house)) == 1


async def test_computers_come_along_to_a_rematch(house: House, ada: MemberActor, grace: MemberActor) -> None:
    await house.table(ada, grace, computers=1)
    match_id = (await house.head()).match_id
    await house.client.services.acts.act(match_id, Rule("stop", 1, "late"))
    await house.client.services.announcer.refresh(match_id)
    await ada.click(house.board(), label="Open again")
    table = await house.now()
    assert [row.computer for row in table.seats] == [None, "medium"]
    assert set(table.guests.kept) == {grace.id}


async def test_a_rematch_calls_nobody_who_did_not_come_to_the_last_one(
    house: House, ada: MemberActor, grace: MemberActor
) -> None:
    await ada.slash(house.channel, "tiles new", **{"with": grace})
    for _ in range(4):
        match_id = (await house.head()).match_id
        await house.client.services.acts.act(match_id, CloseTable(ada.id))
        await house.client.services.announcer.refresh(match_id)
        await ada.slash(house.channel, "tiles new", **{"with": grace})
        assert set((await house.now()).guests.kept) == {grace.id}
    assert len(invitations(house)) == 1


async def test_whoever_has_enough_tables_cannot_take_one_more_seat(
    house: House, ada: MemberActor, grace: MemberActor
) -> None:
    await house.client.services.guilds.change(house.guild.id, GuildSettings(person=1))
    elsewhere = house.guild.create_text_channel("elsewhere")
    await grace.slash(elsewhere, "tiles new")
    await ada.slash(house.channel, "tiles new", **{"with": grace})
    assert "2. *kept for Grace*" in words_of(house.board()), "being invited costs nobody a table"
    said = told(await grace.slash(house.channel, "tiles join"))
    assert said.startswith("You sit at")
    assert (await house.head()).state == "lobby"
    await grace.slash(elsewhere, "tiles leave")
    await grace.slash(house.channel, "tiles join")
    assert (await house.head()).state == "open"


async def test_games_tells_whom_a_seat_is_kept_for_and_offers_it_first(
    house: House, ada: MemberActor, grace: MemberActor, linus: MemberActor
) -> None:
    await ada.slash(house.channel, "tiles new", **{"with": grace})
    elsewhere = house.guild.create_text_channel("elsewhere")
    await linus.slash(elsewhere, "tiles new")
    said = private(await grace.slash(elsewhere, "tiles games"))
    assert words_of(said).index("**a seat is kept for you**") < words_of(said).index("by Linus")
    assert "kept for you" not in told(await house.person("Mary").slash(elsewhere, "tiles games"))
    await grace.click(said, label="Join table 1")
    table = await house.client.services.tables.load(1)
    assert (table.head.state, table.seat_of(grace.id)) == ("open", 1)


async def test_a_join_from_the_list_is_for_the_terms_that_the_list_told(
    house: House, ada: MemberActor, grace: MemberActor
) -> None:
    await ada.slash(house.channel, "tiles new", seats=2)
    said = private(await grace.slash(house.channel, "tiles games"))
    await ada.slash(house.channel, "tiles-host setup", clock="live 1m")
    answer = told(await grace.click(said, label="Join table 1"))
    assert answer.startswith("The host has changed what is played since then.")
    assert (await house.head()).state == "lobby"


async def test_whoever_is_invited_finds_that_in_their_export(
    house: House, ada: MemberActor, grace: MemberActor
) -> None:
    await ada.slash(house.channel, "tiles new", **{"with": grace})
    assert (await house.store.held(grace.id))["tables"] == [1]
    await grace.slash(house.channel, "tiles leave")
    await house.client.services.acts.act(1, CloseTable(ada.id))
    assert (await house.store.held(grace.id))["tables"] == []
