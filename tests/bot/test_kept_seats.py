"""Seats that are kept: friends by `with:`, who accepts, declines or says nothing, and a rematch by one press each."""

import discord
from simcord import MemberActor

from bot.core.guild_settings import GuildSettings
from engine.table.commands import CloseTable, Rule
from tests.bot.house import SHORT_MATCH, House
from tests.bot.reading import button_ids, private, told, words_of
from tests.wording import en, says


def invitations(house: House) -> list[discord.Message]:
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
    assert says(words_of(call), "lobby.call", host="Ada")

    assert says(told(await linus.click(house.board(), label="Join")), "no.SEATS_KEPT", people="**Grace**")
    assert (await house.head()).state == "lobby"

    await grace.click(call, label="Take the seat")
    assert (await house.head()).state == "open"
    assert {row.user_id for row in await house.store.matches.seats((await house.head()).match_id)} == {ada.id, grace.id}
    (call,) = invitations(house)
    assert (words_of(call), button_ids(call)) == (en("lobby.call_over", people="Grace"), {})


async def test_call_ends_when_answered(house: House, ada: MemberActor, grace: MemberActor, linus: MemberActor) -> None:
    await ada.slash(house.channel, "tiles new", **{"with": grace, "with2": linus})
    await grace.click(house.board(), label="Join")
    (call,) = invitations(house)
    assert "Take the seat" in button_ids(call)
    await linus.slash(house.channel, "tiles join")
    assert (await house.head()).state == "open"
    (call,) = invitations(house)
    assert words_of(call) == en("lobby.call_over", people="Grace and Linus")


async def test_decline_frees_seat(house: House, ada: MemberActor, grace: MemberActor, linus: MemberActor) -> None:
    await ada.slash(house.channel, "tiles new", **{"with": grace})
    (call,) = invitations(house)
    assert says(told(await linus.click(call, label="Decline")), "no.NOT_KEPT_FOR_YOU")
    assert told(await grace.click(call, label="Decline")) == en("lobby.declined")
    assert "2. *free*" in words_of(house.board())
    assert "Decline" not in button_ids(house.board())
    assert [words_of(one) for one in invitations(house)] == [en("lobby.call_over", people="Grace")]
    await linus.click(house.board(), label="Join")
    assert (await house.head()).state == "open"
    late = told(await grace.click(await house.post(button_ids(call)["Take the seat"]), label="Button 0"))
    assert says(late, "no.TABLE_FULL", seats=2)


async def test_ended_call_names_no_host(house: House, ada: MemberActor, grace: MemberActor, linus: MemberActor) -> None:
    await ada.slash(house.channel, "tiles new", seats=3, **{"with": grace})
    await linus.click(house.board(), label="Join")
    await ada.click(house.board(), label="Leave")
    assert (await house.head()).host_id == linus.id
    await grace.slash(house.channel, "tiles leave")
    (call,) = invitations(house)
    assert (words_of(call), button_ids(call)) == (en("lobby.call_over", people="Grace"), {})


async def test_reserved_seat_expires(house: House, ada: MemberActor, grace: MemberActor, linus: MemberActor) -> None:
    await ada.slash(house.channel, "tiles new", **{"with": grace})
    await house.wait(hours=23)
    assert "2. *kept for Grace*" in words_of(house.board())
    await house.wait(hours=1.1)
    assert "2. *free*" in words_of(house.board())
    assert len(invitations(house)) == 1
    await linus.click(house.board(), label="Join")
    assert (await house.head()).state == "open"


async def test_reservation_for_impossible_guest_is_refused(house: House, ada: MemberActor, grace: MemberActor) -> None:
    hidden = house.guild.create_text_channel(
        "hidden",
        overwrites={
            house.guild.default_role: discord.PermissionOverwrite(view_channel=False),
            ada: discord.PermissionOverwrite(view_channel=True),
            house.guild.me: discord.PermissionOverwrite(view_channel=True),
        },
    )
    said = told(await ada.slash(hidden, "tiles new", **{"with": grace}))
    assert says(said, "no.NO_GUEST")
    assert await house.store.matches.heads_in_channel(hidden.id) == []
    said = told(await ada.slash(house.channel, "tiles new", **{"with": ada}))
    assert says(said, "no.SITS_HERE")
    said = told(await ada.slash(house.channel, "tiles new", seats=2, computers=1, **{"with": grace}))
    assert says(said, "no.TOO_MANY_GUESTS", seats=2, guests=1, computers=1)


async def test_reserved_seat_without_call(house: House, ada: MemberActor, grace: MemberActor) -> None:
    await grace.slash(house.channel, "tiles settings", call="none")
    await ada.slash(house.channel, "tiles new", **{"with": grace})
    assert invitations(house) == []
    assert "2. *kept for Grace*" in words_of(house.board())


async def test_rematch_is_one_click(house: House, ada: MemberActor, grace: MemberActor, linus: MemberActor) -> None:
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
    assert says(told(await mary.click(house.board(), label="Join")), "no.SEATS_KEPT")
    await ada.click(over, label="Rematch")  # the second press means: me too
    assert (await house.head()).state == "lobby"
    await linus.click(call, label="Take the seat")
    assert (await house.head()).match_id == lobby.match_id
    assert (await house.head()).state == "open"
    assert len(invitations(house)) == 1


async def test_computers_come_along_to_rematch(house: House, ada: MemberActor, grace: MemberActor) -> None:
    await house.table(ada, grace, computers=1)
    match_id = (await house.head()).match_id
    await house.client.services.acts.act(match_id, Rule("stop", 1, "late"))
    await house.client.services.announcer.refresh(match_id)
    await ada.click(house.board(), label="Open again")
    table = await house.now()
    assert [row.computer for row in table.seats] == [None, "medium"]
    assert set(table.guests.kept) == {grace.id}


async def test_rematch_calls_no_absent_player_again(house: House, ada: MemberActor, grace: MemberActor) -> None:
    await ada.slash(house.channel, "tiles new", **{"with": grace})
    for _ in range(4):
        match_id = (await house.head()).match_id
        await house.client.services.acts.act(match_id, CloseTable(ada.id))
        await house.client.services.announcer.refresh(match_id)
        await ada.slash(house.channel, "tiles new", **{"with": grace})
        assert set((await house.now()).guests.kept) == {grace.id}
    assert len(invitations(house)) == 1


async def test_player_with_enough_tables_cannot_accept(house: House, ada: MemberActor, grace: MemberActor) -> None:
    await house.client.services.guilds.change(house.guild.id, GuildSettings(person=1))
    elsewhere = house.guild.create_text_channel("elsewhere")
    await grace.slash(elsewhere, "tiles new")
    await ada.slash(house.channel, "tiles new", **{"with": grace})
    assert "2. *kept for Grace*" in words_of(house.board()), "being invited costs nobody a table"
    assert says(told(await grace.slash(house.channel, "tiles join")), "no.TOO_MANY_TABLES_PERSON", most=1)
    assert (await house.head()).state == "lobby"
    await grace.slash(elsewhere, "tiles leave")
    await grace.slash(house.channel, "tiles join")
    assert (await house.head()).state == "open"


async def test_games_shows_reservation(house: House, ada: MemberActor, grace: MemberActor, linus: MemberActor) -> None:
    await ada.slash(house.channel, "tiles new", **{"with": grace})
    elsewhere = house.guild.create_text_channel("elsewhere")
    await linus.slash(elsewhere, "tiles new")
    said = private(await grace.slash(elsewhere, "tiles games"))
    assert words_of(said).index(en("tables.open_kept")) < words_of(said).index("by Linus")
    assert "kept for you" not in told(await house.person("Mary").slash(elsewhere, "tiles games"))
    await grace.click(said, label="Join table 1")
    table = await house.client.services.tables.load(1)
    assert (table.head.state, table.seat_of(grace.id)) == ("open", 1)


async def test_join_from_list_with_old_terms_is_refused(house: House, ada: MemberActor, grace: MemberActor) -> None:
    await ada.slash(house.channel, "tiles new", seats=2)
    said = private(await grace.slash(house.channel, "tiles games"))
    await ada.slash(house.channel, "tiles-host setup", clock="live 1m")
    assert says(told(await grace.click(said, label="Join table 1")), "no.TERMS_CHANGED")
    assert (await house.head()).state == "lobby"


async def test_invitation_is_exported_until_declined(house: House, ada: MemberActor, grace: MemberActor) -> None:
    await ada.slash(house.channel, "tiles new", **{"with": grace})
    assert (await house.store.erasure.held(grace.id))["tables"] == [1]
    await grace.slash(house.channel, "tiles leave")
    assert "2. *free*" in words_of(house.board())
    await house.client.services.acts.act(1, CloseTable(ada.id))
    assert (await house.store.erasure.held(grace.id))["tables"] == []
