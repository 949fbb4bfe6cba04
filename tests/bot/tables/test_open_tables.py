"""`/tiles games` lists the open tables of the server that the user can join."""

from dataclasses import replace

from discord import Permissions
from simcord import ChannelHandle, MemberActor
from simcord.backend.models import Overwrite

from data.store.results.scores import EVERYWHERE, Profile
from tests.bot.messages import Message, button_ids, private, told, words_of
from tests.bot.simulated_guild import GOING_OUT, SHORT_MATCH, SimGuild
from tests.wording import en, says

SEE = Permissions(view_channel=True).value
ROLE = 0


def hide_channel(sim: SimGuild, channel: ChannelHandle) -> None:
    sim.env.backend.set_overwrite(channel.id, Overwrite(sim.guild.id, ROLE, deny=SEE))


def allow_member(sim: SimGuild, channel: ChannelHandle, person: MemberActor) -> None:
    sim.env.backend.set_overwrite(channel.id, Overwrite(person.id, 1, allow=SEE))


async def open_table_list(sim: SimGuild, person: MemberActor) -> Message:
    return private(await person.slash(sim.channel, "tiles games"))


def join_labels(message: Message) -> list[str]:
    return [label for label in button_ids(message) if label.startswith("Join")]


async def test_open_table_in_other_channel_is_listed_and_joined(
    sim: SimGuild, ada: MemberActor, grace: MemberActor
) -> None:
    lounge = sim.guild.create_text_channel("parlour")
    await ada.slash(lounge, "tiles new", seats=2, rated=False, clock="days 1d")
    listed = await open_table_list(sim, grace)
    link = sim.board(lounge).jump_url
    assert words_of(listed).split("\n") == [
        en("tables.none"),
        "### Open tables here",
        "**Triominoes** by Ada, table 1: default rules · to 400 · 1 of 2 seats taken · 1 day per turn · not rated · "
        f"{link}",
    ]
    sat = await grace.click(listed, label="Join table 1")
    assert says(told(sat), "lobby.joined", host="Ada")
    assert (await sim.now(lounge)).find_turn_user() in (ada.id, grace.id)
    assert "Open tables" not in words_of(await open_table_list(sim, grace))


async def test_own_and_full_tables_are_not_listed(
    sim: SimGuild, ada: MemberActor, grace: MemberActor, linus: MemberActor
) -> None:
    await ada.slash(sim.channel, "tiles new", seats=2)
    assert join_labels(await open_table_list(sim, ada)) == []
    listed = await open_table_list(sim, linus)
    await grace.click(sim.board(), label="Join")
    assert join_labels(await open_table_list(sim, linus)) == []
    late = await linus.click(listed, label="Join table 1")
    assert says(told(late), "no.TABLE_FULL", seats=2)
    assert (await sim.now()).find_seat(linus.id) is None


async def test_table_in_hidden_channel_is_neither_listed_nor_joined(
    sim: SimGuild, ada: MemberActor, grace: MemberActor, linus: MemberActor
) -> None:
    cellar = sim.guild.create_text_channel("cellar")
    for insider in (ada, grace):
        allow_member(sim, cellar, insider)
    await ada.slash(cellar, "tiles new", seats=3, game="quad-ominos")
    hide_channel(sim, cellar)
    seen = await open_table_list(sim, grace)
    assert join_labels(seen) == ["Join table 1"]
    unseen = await open_table_list(sim, linus)
    assert words_of(unseen) == en("tables.none")
    assert list(button_ids(unseen)) == [en("alerts.choose")]
    # Buttons for a hidden and for an unknown table get the same answer.
    forged = await sim.post("by:sit:1", "by:join:1", "by:sit:77")
    said = {told(await linus.click(forged, label=label)) for label in ("Button 0", "Button 1", "Button 2")}
    assert len(said) == 1, said
    assert [row.user_id for row in (await sim.now(cellar)).seats] == [ada.id]
    await grace.click(sim.board(cellar), label="Join")
    assert (await sim.now(cellar)).find_seat(grace.id) == 1


async def test_table_list_shows_five_tables_and_counts_others(
    sim: SimGuild, ada: MemberActor, grace: MemberActor
) -> None:
    for number in range(7):
        await ada.slash(sim.guild.create_text_channel(f"room-{number}"), "tiles new", seats=4)
    listed = await open_table_list(sim, grace)
    assert join_labels(listed) == [f"Join table {match}" for match in (7, 6, 5, 4, 3)]
    assert words_of(listed).endswith("-# …and 2 more open tables.")


async def test_player_at_table_limit_is_offered_no_table(sim: SimGuild, ada: MemberActor, grace: MemberActor) -> None:
    settings = await sim.client.services.guilds.load_settings(sim.guild.id)
    await sim.client.services.guilds.change(sim.guild.id, replace(settings, person=1))
    await ada.slash(sim.guild.create_text_channel("first"), "tiles new", seats=4)
    await grace.slash(sim.guild.create_text_channel("second"), "tiles new", seats=4)
    assert join_labels(await open_table_list(sim, grace)) == []
    assert join_labels(await open_table_list(sim, ada)) == []


GAME = "triominoes"


async def profiles(sim: SimGuild, *people: MemberActor) -> list[Profile | None]:
    return [await sim.store.results.find_profile(person.id, EVERYWHERE, GAME) for person in people]


async def test_unrated_match_is_labelled_and_changes_no_rating(
    sim: SimGuild, ada: MemberActor, grace: MemberActor, linus: MemberActor
) -> None:
    sim.deals.wanted = [SHORT_MATCH]
    await ada.slash(sim.channel, "tiles new", seats=3, target=60, rated=False)
    assert says(words_of(sim.board()), "lobby.unrated")
    for person in (grace, linus):
        await person.click(sim.board(), label="Join")
    assert words_of(sim.board()).split("\n")[0].endswith("· to 60 · not rated")
    await sim.play_to_the_end()
    assert says(words_of(sim.ends()[-1]), "end.unrated_chosen")
    assert "rating" not in words_of(sim.ends()[-1]).replace(en("end.unrated_chosen"), "")
    assert [(one.matches, one.rating) for one in await profiles(sim, ada, grace, linus) if one] == [(1, None)] * 3
    # The rematch is unrated too.
    await ada.click(sim.board(), label="Rematch")
    assert says(words_of(sim.board()), "lobby.unrated")


async def test_rated_match_is_labelled_and_rates_players(sim: SimGuild, ada: MemberActor, grace: MemberActor) -> None:
    sim.deals.wanted = [GOING_OUT]
    await ada.slash(sim.channel, "tiles new", seats=2, target=100)
    assert says(words_of(sim.board()), "lobby.rated")
    await grace.click(sim.board(), label="Join")
    assert "not rated" not in words_of(sim.board())
    await sim.play_to_the_end()
    assert all(one and one.rating for one in await profiles(sim, ada, grace))


async def test_match_against_computers_is_never_rated(sim: SimGuild, ada: MemberActor) -> None:
    await ada.slash(sim.channel, "tiles new", computers=2, rated=True)
    assert "· not rated" in words_of(sim.board())
    in_words = told(await ada.slash(sim.channel, "tiles board", text=True))
    assert says(in_words, "lobby.unrated")


async def test_practice_is_unrated_and_labelled(sim: SimGuild, ada: MemberActor) -> None:
    answer = private(await ada.slash(sim.channel, "tiles help"))
    assert says(button_ids(answer), "help.practice")
    opened = await ada.click(answer, label="Practice vs computer")
    assert says(told(opened), "lobby.opened")
    assert not (await sim.now()).is_rated
    assert (await sim.terms())["rated"] is False
    assert "· not rated" in words_of(sim.board())
