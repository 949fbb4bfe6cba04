"""Reserved seats: invitations by `with:`, accepting, declining, expiry, and rematches."""

import discord

from bot.core.guild_settings import GuildSettings
from engine.table.commands import CloseTable, Moderate
from tests.bot.member import Member
from tests.bot.messages import get_private_answer, read_button_ids, read_private_text, read_text
from tests.bot.simulated_guild import SHORT_MATCH_DEAL, SimGuild
from tests.wording import en, has_sentence


def list_invitations(sim: SimGuild) -> list[discord.Message]:
    return [
        message
        for message in sim.list_public_messages()
        if "Take seat" in read_button_ids(message) or has_sentence(read_text(message), "lobby.call_over")
    ]


async def test_reserved_seat_is_taken_by_invited_friend(
    sim: SimGuild, ada: Member, grace: Member, linus: Member
) -> None:
    await ada.use_command("tiles new", **{"with": grace})
    assert (await sim.load_terms())["seats"] == 2, "whoever names friends and nothing else means: only these and me"
    assert "2. *reserved for Grace*" in sim.read_board()
    (call,) = list_invitations(sim)
    assert [one.id for one in call.mentions] == [grace.id]
    assert has_sentence(read_text(call), "lobby.call", host="Ada")

    assert has_sentence(await linus.read_click(sim.get_board(), "Join"), "no.SEATS_KEPT", people="**Grace**")
    assert (await sim.load_head()).state == "lobby"

    await grace.click(call, label="Take seat")
    assert (await sim.load_head()).state == "open"
    assert {row.user_id for row in await sim.store.matches.list_seats((await sim.load_head()).match_id)} == {
        ada.id,
        grace.id,
    }
    (call,) = list_invitations(sim)
    assert (read_text(call), read_button_ids(call)) == (en("lobby.call_over", people="Grace"), {})


async def test_invitation_ends_when_all_friends_joined(
    sim: SimGuild, ada: Member, grace: Member, linus: Member
) -> None:
    await ada.use_command("tiles new", **{"with": grace, "with2": linus})
    await grace.click(sim.get_board(), label="Join")
    (call,) = list_invitations(sim)
    assert "Take seat" in read_button_ids(call)
    await linus.use_command("tiles join")
    assert (await sim.load_head()).state == "open"
    (call,) = list_invitations(sim)
    assert read_text(call) == en("lobby.call_over", people="Grace and Linus")


async def test_declined_seat_is_free_for_others(sim: SimGuild, ada: Member, grace: Member, linus: Member) -> None:
    await ada.use_command("tiles new", **{"with": grace})
    (call,) = list_invitations(sim)
    assert has_sentence(await linus.read_click(call, "Decline"), "no.NOT_KEPT_FOR_YOU")
    assert await grace.read_click(call, "Decline") == en("lobby.declined")
    assert "2. *free*" in sim.read_board()
    assert "Decline" not in read_button_ids(sim.get_board())
    assert [read_text(one) for one in list_invitations(sim)] == [en("lobby.call_over", people="Grace")]
    await linus.click(sim.get_board(), label="Join")
    assert (await sim.load_head()).state == "open"
    late_answer = await grace.read_click(await sim.post(read_button_ids(call)["Take seat"]), "Button 0")
    assert has_sentence(late_answer, "no.TABLE_FULL", seats=2)


async def test_ended_invitation_names_no_host(sim: SimGuild, ada: Member, grace: Member, linus: Member) -> None:
    await ada.use_command("tiles new", seats=3, **{"with": grace})
    await linus.click(sim.get_board(), label="Join")
    await ada.click(sim.get_board(), label="Leave")
    assert (await sim.load_head()).host_id == linus.id
    await grace.use_command("tiles leave")
    (call,) = list_invitations(sim)
    assert (read_text(call), read_button_ids(call)) == (en("lobby.call_over", people="Grace"), {})


async def test_reserved_seat_expires(sim: SimGuild, ada: Member, grace: Member, linus: Member) -> None:
    await ada.use_command("tiles new", **{"with": grace})
    await sim.wait(hours=23)
    assert "2. *reserved for Grace*" in sim.read_board()
    await sim.wait(hours=1.1)
    assert "2. *free*" in sim.read_board()
    assert len(list_invitations(sim)) == 1
    await linus.click(sim.get_board(), label="Join")
    assert (await sim.load_head()).state == "open"


async def test_reservation_for_impossible_guest_is_refused(sim: SimGuild, ada: Member, grace: Member) -> None:
    hidden_channel = sim.guild.create_text_channel(
        "hidden",
        overwrites={
            sim.guild.default_role: discord.PermissionOverwrite(view_channel=False),
            ada: discord.PermissionOverwrite(view_channel=True),
            sim.guild.me: discord.PermissionOverwrite(view_channel=True),
        },
    )
    answer = read_private_text(await ada.slash(hidden_channel, "tiles new", **{"with": grace}))
    assert has_sentence(answer, "no.NO_GUEST")
    assert await sim.store.matches.list_heads_in_channel(hidden_channel.id) == []
    answer = await ada.read_command("tiles new", **{"with": ada})
    assert has_sentence(answer, "no.NAMED_YOURSELF")
    answer = await ada.read_command("tiles new", seats=2, computers=1, **{"with": grace})
    assert has_sentence(answer, "no.TOO_MANY_GUESTS", seats=2, guests=1, computers=1)


async def test_reserved_seat_for_uncalled_player_has_no_invitation(sim: SimGuild, ada: Member, grace: Member) -> None:
    await grace.use_command("tiles settings", call="none")
    await ada.use_command("tiles new", **{"with": grace})
    assert list_invitations(sim) == []
    assert "2. *reserved for Grace*" in sim.read_board()


async def test_rematch_needs_one_click_per_player(sim: SimGuild, ada: Member, grace: Member, linus: Member) -> None:
    mary = sim.add_member("Mary")
    await sim.start_table(ada, grace, linus, target=60, deal=SHORT_MATCH_DEAL)
    await sim.play_to_the_end()
    over = sim.list_results()[-1]
    assert (await mary.read_click(over, "Rematch")).startswith(en("no.REMATCH_OF_OTHERS"))
    assert (await sim.load_head()).state == "done"
    assert (await grace.read_click(over, "Rematch")).startswith(en("lobby.opened", link=""))
    assert "to 60 · 2–3 seats" in sim.read_board()
    assert "1. Grace · host" in sim.read_board()
    lobby = await sim.load_head()
    assert (lobby.state, lobby.host_id) == ("lobby", grace.id)
    (call,) = list_invitations(sim)
    assert {one.id for one in call.mentions} == {ada.id, linus.id}
    assert has_sentence(await mary.read_click(sim.get_board(), "Join"), "no.SEATS_KEPT")
    joined = await ada.read_click(over, "Rematch")  # the second click joins the rematch
    assert joined.startswith(en("lobby.joined", host="Grace", link=""))
    assert (await sim.load_head()).state == "lobby"
    await linus.click(call, label="Take seat")
    assert (await sim.load_head()).match_id == lobby.match_id
    assert (await sim.load_head()).state == "open"
    assert len(list_invitations(sim)) == 1


async def test_rematch_keeps_computers(sim: SimGuild, ada: Member, grace: Member) -> None:
    await sim.start_table(ada, grace, computers=1)
    match_id = (await sim.load_head()).match_id
    await sim.client.services.acts.act(match_id, Moderate("stop", 1, "late"))
    await sim.client.services.announcer.refresh(match_id)
    await ada.click(sim.get_board(), label="Open again")
    table = await sim.load_table()
    assert [row.computer for row in table.seats] == [None, "medium"]
    assert set(table.guests.reserved_until) == {grace.id}


async def test_player_at_table_limit_cannot_accept_invitation(sim: SimGuild, ada: Member, grace: Member) -> None:
    await sim.client.services.guilds.change(sim.guild.id, GuildSettings(person=1))
    other_channel = sim.guild.create_text_channel("elsewhere")
    await grace.slash(other_channel, "tiles new")
    await ada.use_command("tiles new", **{"with": grace})
    assert "2. *reserved for Grace*" in sim.read_board(), "being invited costs nobody a table"
    assert has_sentence(await grace.read_command("tiles join"), "no.TOO_MANY_TABLES_PERSON", most=1)
    assert (await sim.load_head()).state == "lobby"
    await grace.slash(other_channel, "tiles leave")
    await grace.use_command("tiles join")
    assert (await sim.load_head()).state == "open"


async def test_table_list_shows_reserved_seat_first(sim: SimGuild, ada: Member, grace: Member, linus: Member) -> None:
    await ada.use_command("tiles new", **{"with": grace})
    other_channel = sim.guild.create_text_channel("elsewhere")
    await linus.slash(other_channel, "tiles new")
    table_list = get_private_answer(await grace.slash(other_channel, "tiles games"))
    assert read_text(table_list).index(en("tables.open_kept")) < read_text(table_list).index("by Linus")
    assert "reserved for you" not in read_private_text(await sim.add_member("Mary").slash(other_channel, "tiles games"))
    await grace.click(table_list, label="Join table 1")
    table = await sim.client.services.tables.load(1)
    assert (table.head.state, table.find_seat(grace.id)) == ("open", 1)


async def test_join_from_list_after_terms_changed_is_refused(sim: SimGuild, ada: Member, grace: Member) -> None:
    await ada.use_command("tiles new", seats=2)
    table_list = await grace.open_command("tiles games")
    await ada.use_command("tiles-host setup", clock="live 1m")
    assert has_sentence(await grace.read_click(table_list, "Join table 1"), "no.TERMS_CHANGED")
    assert (await sim.load_head()).state == "lobby"


async def test_invitation_is_exported_until_declined(sim: SimGuild, ada: Member, grace: Member) -> None:
    await ada.use_command("tiles new", **{"with": grace})
    assert (await sim.store.erasure.export_user(grace.id))["tables"] == [1]
    await grace.use_command("tiles leave")
    assert "2. *free*" in sim.read_board()
    await sim.client.services.acts.act(1, CloseTable(ada.id))
    assert (await sim.store.erasure.export_user(grace.id))["tables"] == []
