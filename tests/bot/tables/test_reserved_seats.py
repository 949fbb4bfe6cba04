"""Reserved seats: invitations by `with:`, accepting, declining, expiry, and rematches."""

import discord
from simcord import MemberActor

from bot.core.guild_settings import GuildSettings
from engine.table.commands import CloseTable, Moderate
from tests.bot.messages import button_ids, private, told, words_of
from tests.bot.simulated_guild import SHORT_MATCH, SimGuild
from tests.wording import en, says


def invitations(sim: SimGuild) -> list[discord.Message]:
    return [
        message
        for message in sim.public()
        if "Take seat" in button_ids(message) or says(words_of(message), "lobby.call_over")
    ]


async def test_reserved_seat_is_taken_by_invited_friend(
    sim: SimGuild, ada: MemberActor, grace: MemberActor, linus: MemberActor
) -> None:
    await ada.slash(sim.channel, "tiles new", **{"with": grace})
    assert (await sim.terms())["seats"] == 2, "whoever names friends and nothing else means: only these and me"
    assert "2. *reserved for Grace*" in words_of(sim.board())
    (call,) = invitations(sim)
    assert [one.id for one in call.mentions] == [grace.id]
    assert says(words_of(call), "lobby.call", host="Ada")

    assert says(told(await linus.click(sim.board(), label="Join")), "no.SEATS_KEPT", people="**Grace**")
    assert (await sim.head()).state == "lobby"

    await grace.click(call, label="Take seat")
    assert (await sim.head()).state == "open"
    assert {row.user_id for row in await sim.store.matches.list_seats((await sim.head()).match_id)} == {
        ada.id,
        grace.id,
    }
    (call,) = invitations(sim)
    assert (words_of(call), button_ids(call)) == (en("lobby.call_over", people="Grace"), {})


async def test_invitation_ends_when_all_friends_joined(
    sim: SimGuild, ada: MemberActor, grace: MemberActor, linus: MemberActor
) -> None:
    await ada.slash(sim.channel, "tiles new", **{"with": grace, "with2": linus})
    await grace.click(sim.board(), label="Join")
    (call,) = invitations(sim)
    assert "Take seat" in button_ids(call)
    await linus.slash(sim.channel, "tiles join")
    assert (await sim.head()).state == "open"
    (call,) = invitations(sim)
    assert words_of(call) == en("lobby.call_over", people="Grace and Linus")


async def test_declined_seat_is_free_for_others(
    sim: SimGuild, ada: MemberActor, grace: MemberActor, linus: MemberActor
) -> None:
    await ada.slash(sim.channel, "tiles new", **{"with": grace})
    (call,) = invitations(sim)
    assert says(told(await linus.click(call, label="Decline")), "no.NOT_KEPT_FOR_YOU")
    assert told(await grace.click(call, label="Decline")) == en("lobby.declined")
    assert "2. *free*" in words_of(sim.board())
    assert "Decline" not in button_ids(sim.board())
    assert [words_of(one) for one in invitations(sim)] == [en("lobby.call_over", people="Grace")]
    await linus.click(sim.board(), label="Join")
    assert (await sim.head()).state == "open"
    late = told(await grace.click(await sim.post(button_ids(call)["Take seat"]), label="Button 0"))
    assert says(late, "no.TABLE_FULL", seats=2)


async def test_ended_invitation_names_no_host(
    sim: SimGuild, ada: MemberActor, grace: MemberActor, linus: MemberActor
) -> None:
    await ada.slash(sim.channel, "tiles new", seats=3, **{"with": grace})
    await linus.click(sim.board(), label="Join")
    await ada.click(sim.board(), label="Leave")
    assert (await sim.head()).host_id == linus.id
    await grace.slash(sim.channel, "tiles leave")
    (call,) = invitations(sim)
    assert (words_of(call), button_ids(call)) == (en("lobby.call_over", people="Grace"), {})


async def test_reserved_seat_expires(sim: SimGuild, ada: MemberActor, grace: MemberActor, linus: MemberActor) -> None:
    await ada.slash(sim.channel, "tiles new", **{"with": grace})
    await sim.wait(hours=23)
    assert "2. *reserved for Grace*" in words_of(sim.board())
    await sim.wait(hours=1.1)
    assert "2. *free*" in words_of(sim.board())
    assert len(invitations(sim)) == 1
    await linus.click(sim.board(), label="Join")
    assert (await sim.head()).state == "open"


async def test_reservation_for_impossible_guest_is_refused(sim: SimGuild, ada: MemberActor, grace: MemberActor) -> None:
    hidden = sim.guild.create_text_channel(
        "hidden",
        overwrites={
            sim.guild.default_role: discord.PermissionOverwrite(view_channel=False),
            ada: discord.PermissionOverwrite(view_channel=True),
            sim.guild.me: discord.PermissionOverwrite(view_channel=True),
        },
    )
    said = told(await ada.slash(hidden, "tiles new", **{"with": grace}))
    assert says(said, "no.NO_GUEST")
    assert await sim.store.matches.list_heads_in_channel(hidden.id) == []
    said = told(await ada.slash(sim.channel, "tiles new", **{"with": ada}))
    assert says(said, "no.SITS_HERE")
    said = told(await ada.slash(sim.channel, "tiles new", seats=2, computers=1, **{"with": grace}))
    assert says(said, "no.TOO_MANY_GUESTS", seats=2, guests=1, computers=1)


async def test_reserved_seat_for_uncalled_player_has_no_invitation(
    sim: SimGuild, ada: MemberActor, grace: MemberActor
) -> None:
    await grace.slash(sim.channel, "tiles settings", call="none")
    await ada.slash(sim.channel, "tiles new", **{"with": grace})
    assert invitations(sim) == []
    assert "2. *reserved for Grace*" in words_of(sim.board())


async def test_rematch_needs_one_click_per_player(
    sim: SimGuild, ada: MemberActor, grace: MemberActor, linus: MemberActor
) -> None:
    mary = sim.person("Mary")
    sim.deals.wanted = [SHORT_MATCH]
    await sim.table(ada, grace, linus, target=60)
    await sim.play_to_the_end()
    over = sim.ends()[-1]
    await grace.click(over, label="Rematch")
    lobby = await sim.head()
    assert (lobby.state, lobby.host_id) == ("lobby", grace.id)
    (call,) = invitations(sim)
    assert {one.id for one in call.mentions} == {ada.id, linus.id}
    assert says(told(await mary.click(sim.board(), label="Join")), "no.SEATS_KEPT")
    await ada.click(over, label="Rematch")  # the second click joins the rematch
    assert (await sim.head()).state == "lobby"
    await linus.click(call, label="Take seat")
    assert (await sim.head()).match_id == lobby.match_id
    assert (await sim.head()).state == "open"
    assert len(invitations(sim)) == 1


async def test_rematch_keeps_computers(sim: SimGuild, ada: MemberActor, grace: MemberActor) -> None:
    await sim.table(ada, grace, computers=1)
    match_id = (await sim.head()).match_id
    await sim.client.services.acts.act(match_id, Moderate("stop", 1, "late"))
    await sim.client.services.announcer.refresh(match_id)
    await ada.click(sim.board(), label="Open again")
    table = await sim.now()
    assert [row.computer for row in table.seats] == [None, "medium"]
    assert set(table.guests.reserved_until) == {grace.id}


async def test_repeated_invitations_call_player_once(sim: SimGuild, ada: MemberActor, grace: MemberActor) -> None:
    await ada.slash(sim.channel, "tiles new", **{"with": grace})
    for _ in range(4):
        match_id = (await sim.head()).match_id
        await sim.client.services.acts.act(match_id, CloseTable(ada.id))
        await sim.client.services.announcer.refresh(match_id)
        await ada.slash(sim.channel, "tiles new", **{"with": grace})
        assert set((await sim.now()).guests.reserved_until) == {grace.id}
    assert len(invitations(sim)) == 1


async def test_player_at_table_limit_cannot_accept_invitation(
    sim: SimGuild, ada: MemberActor, grace: MemberActor
) -> None:
    await sim.client.services.guilds.change(sim.guild.id, GuildSettings(person=1))
    elsewhere = sim.guild.create_text_channel("elsewhere")
    await grace.slash(elsewhere, "tiles new")
    await ada.slash(sim.channel, "tiles new", **{"with": grace})
    assert "2. *reserved for Grace*" in words_of(sim.board()), "being invited costs nobody a table"
    assert says(told(await grace.slash(sim.channel, "tiles join")), "no.TOO_MANY_TABLES_PERSON", most=1)
    assert (await sim.head()).state == "lobby"
    await grace.slash(elsewhere, "tiles leave")
    await grace.slash(sim.channel, "tiles join")
    assert (await sim.head()).state == "open"


async def test_table_list_shows_reserved_seat_first(
    sim: SimGuild, ada: MemberActor, grace: MemberActor, linus: MemberActor
) -> None:
    await ada.slash(sim.channel, "tiles new", **{"with": grace})
    elsewhere = sim.guild.create_text_channel("elsewhere")
    await linus.slash(elsewhere, "tiles new")
    said = private(await grace.slash(elsewhere, "tiles games"))
    assert words_of(said).index(en("tables.open_kept")) < words_of(said).index("by Linus")
    assert "reserved for you" not in told(await sim.person("Mary").slash(elsewhere, "tiles games"))
    await grace.click(said, label="Join table 1")
    table = await sim.client.services.tables.load(1)
    assert (table.head.state, table.find_seat(grace.id)) == ("open", 1)


async def test_join_from_list_after_terms_changed_is_refused(
    sim: SimGuild, ada: MemberActor, grace: MemberActor
) -> None:
    await ada.slash(sim.channel, "tiles new", seats=2)
    said = private(await grace.slash(sim.channel, "tiles games"))
    await ada.slash(sim.channel, "tiles-host setup", clock="live 1m")
    assert says(told(await grace.click(said, label="Join table 1")), "no.TERMS_CHANGED")
    assert (await sim.head()).state == "lobby"


async def test_invitation_is_exported_until_declined(sim: SimGuild, ada: MemberActor, grace: MemberActor) -> None:
    await ada.slash(sim.channel, "tiles new", **{"with": grace})
    assert (await sim.store.erasure.export_user(grace.id))["tables"] == [1]
    await grace.slash(sim.channel, "tiles leave")
    assert "2. *free*" in words_of(sim.board())
    await sim.client.services.acts.act(1, CloseTable(ada.id))
    assert (await sim.store.erasure.export_user(grace.id))["tables"] == []
