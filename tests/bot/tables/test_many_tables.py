"""Several tables in channels, threads and servers, and the lists of them."""

from simcord import ChannelHandle, MemberActor

from tests.bot.messages import button_ids, private, told, words_of
from tests.bot.simulated_guild import GOING_OUT, SimGuild
from tests.wording import en, says


async def test_tables_in_several_channels_are_independent(sim: SimGuild, ada: MemberActor, grace: MemberActor) -> None:
    lounge = sim.guild.create_text_channel("parlour")
    sim.deals.wanted = [GOING_OUT, GOING_OUT]
    await sim.table(ada, grace, target=100)
    await sim.table(grace, ada, channel=lounge, target=200)
    before = words_of(sim.board())
    for _ in range(3):
        await sim.play_by_typing(sim.to_move(lounge), lounge)
    assert words_of(sim.board()) == before
    assert "to 200" in words_of(sim.board(lounge))
    assert len(sim.public()) == len(sim.public(lounge)) == 2
    await sim.play_by_typing(sim.to_move())
    assert words_of(sim.board()) != before


async def test_second_table_in_channel_is_refused_with_link(
    sim: SimGuild, ada: MemberActor, grace: MemberActor, linus: MemberActor
) -> None:
    await ada.slash(sim.channel, "tiles new")
    while_lobby = await grace.slash(sim.channel, "tiles new")
    assert told(while_lobby) == (en("no.CHANNEL_BUSY_OFFER", link=sim.board().jump_url))
    await grace.click(sim.board(), label="Join")
    await ada.click(sim.board(), label="Start")
    while_running = await linus.slash(sim.channel, "tiles new")
    assert sim.board().jump_url in told(while_running)
    assert len(sim.boards()) == 1


async def test_table_opens_in_own_thread(sim: SimGuild, ada: MemberActor, grace: MemberActor) -> None:
    await sim.table(ada, grace)
    thread = await sim.table(grace, ada, thread=True, target=150)
    assert thread.is_thread
    assert thread.name == "Triominoes · Grace's table"
    assert "to 150" in words_of(sim.board(thread))
    await sim.play_by_typing(sim.to_move(thread), thread)
    assert len(sim.boards()) == len(sim.boards(thread)) == 1


async def test_table_thread_from_thread_opens_in_parent_channel(
    sim: SimGuild, ada: MemberActor, grace: MemberActor
) -> None:
    thread = await sim.table(ada, grace, thread=True)
    opened = await grace.slash(thread, "tiles new", thread=True)
    assert says(told(opened), "lobby.opened")
    assert len(sim.channel.threads) == 2
    assert says(words_of(sim.board(sim.channel.threads[-1])), "lobby.title", host="Grace")


async def test_refused_terms_leave_no_empty_thread(sim: SimGuild, ada: MemberActor) -> None:
    refused = await ada.slash(sim.channel, "tiles new", seats=2, computers=4, thread=True)
    assert says(told(refused), "no.TOO_MANY_COMPUTERS", computers=4, seats=2)
    assert sim.channel.threads == []


async def test_own_tables_are_listed_with_waiting_turns_first(
    sim: SimGuild, ada: MemberActor, grace: MemberActor
) -> None:
    assert says(told(await ada.slash(sim.channel, "tiles games")), "tables.none")
    lounge = sim.guild.create_text_channel("parlour")
    await sim.table(ada, grace)
    await sim.table(grace, ada, channel=lounge)
    if sim.to_move(lounge).id == sim.to_move().id:
        await sim.play_by_typing(sim.to_move())
    for person in (ada, grace):
        listed = private(await person.slash(sim.channel, "tiles games"))
        title, mine, theirs = words_of(listed).split("\n")
        assert title == "## Your tables"
        assert "**your turn**" in mine
        assert "your turn" not in theirs
        here = sim.channel if sim.to_move().id == person.id else lounge
        assert sim.board(here).jump_url in mine
        assert len(button_ids(listed)) == 3, "a hand each, and to be told of tables that open"
        hand = private(await person.click(listed, label=next(iter(button_ids(listed)))))
        assert "### Your turn" in words_of(hand)


async def open_lobbies(sim: SimGuild, person: MemberActor, number: int) -> list[ChannelHandle]:
    channels = [sim.guild.create_text_channel(f"room-{count}") for count in range(number)]
    for channel in channels:
        await person.slash(channel, "tiles new")
    return channels


async def test_table_list_shows_all_allowed_tables(sim: SimGuild, ada: MemberActor) -> None:
    channels = await open_lobbies(sim, ada, 20)
    refused = await ada.slash(sim.channel, "tiles new")
    assert says(told(refused), "no.TOO_MANY_TABLES_PERSON", most=20)
    listed = told(await ada.slash(sim.channel, "tiles games"))
    assert all(sim.board(channel).jump_url in listed for channel in channels)
    assert "more table" not in listed


async def test_table_list_counts_tables_beyond_twenty(sim: SimGuild, ada: MemberActor, mary: MemberActor) -> None:
    await mary.slash(sim.channel, "tiles-admin settings", person=30)
    await open_lobbies(sim, ada, 22)
    listed = told(await ada.slash(sim.channel, "tiles games"))
    assert listed.count("waiting for players") == 20
    assert listed.endswith(en("tables.more", n=2))


async def test_table_list_with_long_names_fits_message(sim: SimGuild) -> None:
    # Escaping every character of these names gives the longest possible lines.
    people = [sim.person(f"{letter}{'*_' * 15}") for letter in "abcdef"]
    channels = [sim.guild.create_text_channel(f"room-{count}") for count in range(14)]
    for channel in channels:
        await sim.table(*people, channel=channel)
    listed = private(await people[0].slash(sim.channel, "tiles games"))
    _, *lines, more = words_of(listed).split("\n")
    assert all("and 2 more" in line for line in lines), "of five others three are named"
    assert len(button_ids(listed)) == len(lines) + 1
    assert more == en("tables.more", n=len(channels) - len(lines))
    assert 0 < len(lines) < len(channels)
    assert len(words_of(listed)) <= 4000


async def test_command_in_other_channel_uses_own_table_only(
    sim: SimGuild, ada: MemberActor, grace: MemberActor, linus: MemberActor
) -> None:
    lounge = sim.guild.create_text_channel("parlour")
    await sim.table(ada, grace)
    hand = await sim.to_move().slash(lounge, "tiles hand")
    assert "### Your turn" in told(hand)
    nothing = await linus.slash(lounge, "tiles hand")
    assert says(told(nothing), "no.NO_TABLE_HERE")


async def test_table_is_invisible_on_other_server(sim: SimGuild, ada: MemberActor, grace: MemberActor) -> None:
    await sim.table(ada, grace)
    elsewhere = sim.env.create_guild("Elsewhere")
    channel = elsewhere.create_text_channel("tiles")
    ada_there = elsewhere.add_member(ada.user)
    assert says(told(await ada_there.slash(channel, "tiles games")), "tables.none")
    assert says(told(await ada_there.slash(channel, "tiles hand")), "no.NO_TABLE_HERE")
    leaders = told(await ada_there.slash(channel, "tiles leaderboard"))
    assert says(leaders, "leaders.none")
