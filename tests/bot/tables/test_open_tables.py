"""`/tiles games` lists the open tables of the server that the user can join."""

from dataclasses import replace

from discord import Permissions
from simcord.backend.models import Overwrite

from data.store.results.scores import EVERYWHERE, Profile
from tests.bot.core.channels import hide_channel
from tests.bot.member import Member
from tests.bot.messages import Message, read_button_ids, read_private_text, read_text
from tests.bot.simulated_guild import GOING_OUT_DEAL, SHORT_MATCH_DEAL, SimGuild
from tests.wording import en, has_sentence


async def open_table_list(sim: SimGuild, person: Member) -> Message:
    return await person.open_command("tiles games")


def list_join_labels(message: Message) -> list[str]:
    return [label for label in read_button_ids(message) if label.startswith("Join")]


async def test_open_table_in_other_channel_is_listed_and_joined(sim: SimGuild, ada: Member, grace: Member) -> None:
    lounge = sim.guild.create_text_channel("parlour")
    await ada.slash(lounge, "tiles new", seats=2, rated=False, clock="days 1d")
    table_list = await open_table_list(sim, grace)
    link = sim.get_board(lounge).jump_url
    assert read_text(table_list).split("\n") == [
        en("tables.none"),
        "### Open tables here",
        "**Triominoes** by Ada, table 1: default rules · to 400 · 1 of 2 seats taken · 1 day per turn · not rated · "
        f"{link}",
    ]
    join_answer = await grace.click(table_list, label="Join table 1")
    assert has_sentence(read_private_text(join_answer), "lobby.joined", host="Ada")
    assert (await sim.load_table(lounge)).find_turn_user() in (ada.id, grace.id)
    assert "Open tables" not in read_text(await open_table_list(sim, grace))


async def test_own_and_full_tables_are_not_listed(sim: SimGuild, ada: Member, grace: Member, linus: Member) -> None:
    await ada.use_command("tiles new", seats=2)
    assert list_join_labels(await open_table_list(sim, ada)) == []
    table_list = await open_table_list(sim, linus)
    await grace.click(sim.get_board(), label="Join")
    assert list_join_labels(await open_table_list(sim, linus)) == []
    late_answer = await linus.click(table_list, label="Join table 1")
    assert has_sentence(read_private_text(late_answer), "no.TABLE_FULL", seats=2)
    assert (await sim.load_table()).find_seat(linus.id) is None


async def test_table_in_hidden_channel_is_neither_listed_nor_joined(
    sim: SimGuild, ada: Member, grace: Member, linus: Member
) -> None:
    hidden_channel = sim.guild.create_text_channel("cellar")
    for member in (ada, grace):
        overwrite = Overwrite(member.id, 1, allow=Permissions(view_channel=True).value)
        sim.env.backend.set_overwrite(hidden_channel.id, overwrite)
    await ada.slash(hidden_channel, "tiles new", seats=3, game="quad-ominos")
    hide_channel(sim, hidden_channel)
    member_list = await open_table_list(sim, grace)
    assert list_join_labels(member_list) == ["Join table 1"]
    outsider_list = await open_table_list(sim, linus)
    assert read_text(outsider_list) == en("tables.none")
    assert list(read_button_ids(outsider_list)) == [en("alerts.choose")]
    # Buttons for a hidden and for an unknown table get the same answer.
    forged = await sim.post("by:sit:1", "by:join:1", "by:sit:77")
    answers = {await linus.read_click(forged, label) for label in ("Button 0", "Button 1", "Button 2")}
    assert len(answers) == 1, answers
    assert [row.user_id for row in (await sim.load_table(hidden_channel)).seats] == [ada.id]
    await grace.click(sim.get_board(hidden_channel), label="Join")
    assert (await sim.load_table(hidden_channel)).find_seat(grace.id) == 1


async def test_table_list_shows_five_tables_and_counts_others(sim: SimGuild, ada: Member, grace: Member) -> None:
    for number in range(7):
        await ada.slash(sim.guild.create_text_channel(f"room-{number}"), "tiles new", seats=4)
    table_list = await open_table_list(sim, grace)
    assert list_join_labels(table_list) == [f"Join table {match}" for match in (7, 6, 5, 4, 3)]
    assert read_text(table_list).endswith("-# …and 2 more open tables.")


async def test_player_at_table_limit_is_offered_no_table(sim: SimGuild, ada: Member, grace: Member) -> None:
    settings = await sim.client.services.guilds.load_settings(sim.guild.id)
    await sim.client.services.guilds.change(sim.guild.id, replace(settings, person=1))
    await ada.slash(sim.guild.create_text_channel("first"), "tiles new", seats=4)
    await grace.slash(sim.guild.create_text_channel("second"), "tiles new", seats=4)
    assert list_join_labels(await open_table_list(sim, grace)) == []
    assert list_join_labels(await open_table_list(sim, ada)) == []


GAME = "triominoes"


async def load_profiles(sim: SimGuild, *members: Member) -> list[Profile | None]:
    return [await sim.store.results.find_profile(person.id, EVERYWHERE, GAME) for person in members]


async def test_unrated_match_is_labelled_and_changes_no_rating(
    sim: SimGuild, ada: Member, grace: Member, linus: Member
) -> None:
    sim.deals.next_numbers = [SHORT_MATCH_DEAL]
    await ada.use_command("tiles new", seats=3, target=60, rated=False)
    assert has_sentence(sim.read_board(), "lobby.unrated")
    for person in (grace, linus):
        await person.click(sim.get_board(), label="Join")
    assert sim.read_board().split("\n")[0].endswith("· to 60 · not rated")
    await sim.play_to_the_end()
    assert has_sentence(read_text(sim.list_results()[-1]), "end.unrated_chosen")
    assert "rating" not in read_text(sim.list_results()[-1]).replace(en("end.unrated_chosen"), "")
    assert [(one.matches, one.rating) for one in await load_profiles(sim, ada, grace, linus) if one] == [(1, None)] * 3
    # The rematch is unrated too.
    await ada.click(sim.get_board(), label="Rematch")
    assert has_sentence(sim.read_board(), "lobby.unrated")


async def test_rated_match_is_labelled_and_rates_players(sim: SimGuild, ada: Member, grace: Member) -> None:
    sim.deals.next_numbers = [GOING_OUT_DEAL]
    await ada.use_command("tiles new", seats=2, target=100)
    assert has_sentence(sim.read_board(), "lobby.rated")
    await grace.click(sim.get_board(), label="Join")
    assert "not rated" not in sim.read_board()
    await sim.play_to_the_end()
    assert all(one and one.rating for one in await load_profiles(sim, ada, grace))


async def test_match_against_computers_is_never_rated(sim: SimGuild, ada: Member) -> None:
    await ada.use_command("tiles new", computers=2, rated=True)
    assert "· not rated" in sim.read_board()
    board_text = await ada.read_command("tiles board", text=True)
    assert has_sentence(board_text, "lobby.unrated")


async def test_practice_is_unrated_and_labelled(sim: SimGuild, ada: Member) -> None:
    answer = await ada.open_command("tiles help")
    assert has_sentence(read_button_ids(answer), "help.practice")
    opened = await ada.click(answer, label="Practice vs computer")
    assert has_sentence(read_private_text(opened), "lobby.opened")
    assert not (await sim.load_table()).is_rated
    assert (await sim.load_terms())["rated"] is False
    assert "· not rated" in sim.read_board()
