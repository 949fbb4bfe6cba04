"""Several tables in channels, threads and servers, and the lists of them."""

from simcord import ChannelHandle

from tests.bot.member import Member
from tests.bot.messages import read_button_ids, read_private_text, read_text
from tests.bot.simulated_guild import GOING_OUT_DEAL, SimGuild
from tests.wording import en, has_sentence


async def test_tables_in_several_channels_are_independent(sim: SimGuild, ada: Member, grace: Member) -> None:
    lounge = sim.guild.create_text_channel("parlour")
    sim.deals.next_numbers = [GOING_OUT_DEAL, GOING_OUT_DEAL]
    await sim.start_table(ada, grace, target=100)
    await sim.start_table(grace, ada, channel=lounge, target=200)
    before = sim.read_board()
    for _ in range(3):
        await sim.play_by_typing(sim.get_called_player(lounge), lounge)
    assert sim.read_board() == before
    assert "to 200" in sim.read_board(lounge)
    assert len(sim.list_public_messages()) == len(sim.list_public_messages(lounge)) == 2
    await sim.play_by_typing(sim.get_called_player())
    assert sim.read_board() != before


async def test_second_table_in_channel_is_refused_with_link(
    sim: SimGuild, ada: Member, grace: Member, linus: Member
) -> None:
    await ada.use_command("tiles new")
    while_lobby = await grace.use_command("tiles new")
    assert read_private_text(while_lobby) == (en("no.CHANNEL_BUSY_OFFER", link=sim.get_board().jump_url))
    await grace.click(sim.get_board(), label="Join")
    await ada.click(sim.get_board(), label="Start")
    while_running = await linus.use_command("tiles new")
    assert sim.get_board().jump_url in read_private_text(while_running)
    assert len(sim.list_boards()) == 1


async def test_table_opens_in_own_thread(room: SimGuild, ada: Member, grace: Member) -> None:
    thread = await room.start_table(grace, ada, thread=True, target=150)
    assert thread.is_thread
    assert thread.name == "Triominoes · Grace's table"
    assert "to 150" in room.read_board(thread)
    await room.play_by_typing(room.get_called_player(thread), thread)
    assert len(room.list_boards()) == len(room.list_boards(thread)) == 1


async def test_table_thread_from_thread_opens_in_parent_channel(sim: SimGuild, ada: Member, grace: Member) -> None:
    thread = await sim.start_table(ada, grace, thread=True)
    opened = await grace.slash(thread, "tiles new", thread=True)
    assert has_sentence(read_private_text(opened), "lobby.opened")
    assert len(sim.channel.threads) == 2
    assert has_sentence(sim.read_board(sim.channel.threads[-1]), "lobby.title", host="Grace")


async def test_own_tables_are_listed_with_waiting_turns_first(sim: SimGuild, ada: Member, grace: Member) -> None:
    assert has_sentence(await ada.read_command("tiles games"), "tables.none")
    lounge = sim.guild.create_text_channel("parlour")
    await sim.start_table(ada, grace)
    await sim.start_table(grace, ada, channel=lounge)
    if sim.get_called_player(lounge).id == sim.get_called_player().id:
        await sim.play_by_typing(sim.get_called_player())
    for person in (ada, grace):
        table_list = await person.open_command("tiles games")
        title, own_turn_line, other_turn_line = read_text(table_list).split("\n")
        assert title == "## Your tables"
        assert "**your turn**" in own_turn_line
        assert "your turn" not in other_turn_line
        own_turn_channel = sim.channel if sim.get_called_player().id == person.id else lounge
        assert sim.get_board(own_turn_channel).jump_url in own_turn_line
        assert len(read_button_ids(table_list)) == 3, "a hand each, and to be told of tables that open"
        hand = await person.open_click(table_list, next(iter(read_button_ids(table_list))))
        assert "### Your turn" in read_text(hand)


async def open_lobbies(sim: SimGuild, person: Member, number: int) -> list[ChannelHandle]:
    channels = [sim.guild.create_text_channel(f"room-{count}") for count in range(number)]
    for channel in channels:
        await person.slash(channel, "tiles new")
    return channels


async def test_table_list_shows_all_allowed_tables(sim: SimGuild, ada: Member) -> None:
    channels = await open_lobbies(sim, ada, 20)
    refused = await ada.use_command("tiles new")
    assert has_sentence(read_private_text(refused), "no.TOO_MANY_TABLES_PERSON", most=20)
    table_list = await ada.read_command("tiles games")
    assert all(sim.get_board(channel).jump_url in table_list for channel in channels)
    assert "more table" not in table_list


async def test_table_list_counts_tables_beyond_twenty(sim: SimGuild, ada: Member, mary: Member) -> None:
    await mary.use_command("tiles-admin settings", person=30)
    await open_lobbies(sim, ada, 22)
    table_list = await ada.read_command("tiles games")
    assert table_list.count("waiting for players") == 20
    assert table_list.endswith(en("tables.more", n=2))


async def test_table_list_with_long_names_fits_message(sim: SimGuild) -> None:
    # Escaping every character of these names gives the longest possible lines.
    members = [sim.add_member(f"{letter}{'*_' * 15}") for letter in "abcdef"]
    channels = [sim.guild.create_text_channel(f"room-{count}") for count in range(14)]
    for channel in channels:
        await sim.start_table(*members, channel=channel)
    table_list = await members[0].open_command("tiles games")
    _, *lines, last_line = read_text(table_list).split("\n")
    assert all("and 2 more" in line for line in lines), "of five others three are named"
    assert len(read_button_ids(table_list)) == len(lines) + 1
    assert last_line == en("tables.more", n=len(channels) - len(lines))
    assert 0 < len(lines) < len(channels)
    assert len(read_text(table_list)) <= 4000


async def test_command_in_other_channel_uses_own_table_only(
    sim: SimGuild, ada: Member, grace: Member, linus: Member
) -> None:
    lounge = sim.guild.create_text_channel("parlour")
    await sim.start_table(ada, grace)
    hand = await sim.get_called_player().slash(lounge, "tiles hand")
    assert "### Your turn" in read_private_text(hand)
    refusal = await linus.slash(lounge, "tiles hand")
    assert has_sentence(read_private_text(refusal), "no.NO_TABLE_HERE")


async def test_table_is_invisible_on_other_server(room: SimGuild, ada: Member) -> None:
    other_guild = room.env.create_guild("Elsewhere")
    channel = other_guild.create_text_channel("tiles")
    ada_there = other_guild.add_member(ada.user)
    assert has_sentence(read_private_text(await ada_there.slash(channel, "tiles games")), "tables.none")
    assert has_sentence(read_private_text(await ada_there.slash(channel, "tiles hand")), "no.NO_TABLE_HERE")
    leaders = read_private_text(await ada_there.slash(channel, "tiles leaderboard"))
    assert has_sentence(leaders, "leaders.none")
