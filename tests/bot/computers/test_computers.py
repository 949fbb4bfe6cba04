"""Computer players at tables."""

from tests.bot.member import Member
from tests.bot.messages import read_button_ids, read_private_text, read_text
from tests.bot.simulated_guild import GOING_OUT_DEAL, SimGuild
from tests.wording import en, has_sentence


async def test_table_with_one_player_and_computers_starts_at_once(sim: SimGuild, ada: Member) -> None:
    opened = await ada.use_command("tiles new", computers=2)
    assert has_sentence(read_private_text(opened), "lobby.opened")
    match = await sim.replay_match()
    assert [seat.computer for seat in match.seats] == [False, True, True]
    assert not match.seats[match.turn].computer, "the computers have moved already"
    assert "Bot 1 (medium)" in sim.read_board()


async def test_two_players_are_rated_although_computer_plays(sim: SimGuild, ada: Member, grace: Member) -> None:
    await sim.start_table(ada, grace, computers=1, target=150, deal=GOING_OUT_DEAL)
    await sim.play_to_the_end()
    results = await sim.store.results.list_results((await sim.load_head()).match_id)
    assert {result.user_id for result in results} == {ada.id, grace.id}
    assert all(result.rated for result in results)
    (end,) = sim.list_results()
    assert read_text(end).count("· rating ") == 2 + read_text(end).count("Not rated")


async def test_only_seated_player_can_add_computer(sim: SimGuild, ada: Member, grace: Member) -> None:
    await ada.use_command("tiles new", seats=3)
    refused = await sim.add_computer(grace)
    assert has_sentence(read_private_text(refused), "no.JOIN_FIRST")
    await sim.add_computer(ada)
    assert "2. Computer (medium)" in sim.read_board()
    assert (await sim.load_head()).state == "lobby"


async def test_lobby_with_one_player_and_computer_can_start(sim: SimGuild, ada: Member) -> None:
    await ada.use_command("tiles new", seats=4)
    assert "Start" not in read_button_ids(sim.get_board()), "nobody to play with yet"
    await sim.add_computer(ada)
    await ada.click(sim.get_board(), label="Start")
    assert (await sim.load_head()).state == "open"


async def test_practice_in_busy_channel_opens_thread(sim: SimGuild, ada: Member, grace: Member) -> None:
    helped = await ada.open_command("tiles help")
    await ada.click(helped, label="Practice vs computer")
    assert (await sim.load_head()).state == "open"
    helped = await grace.open_command("tiles help")
    await grace.click(helped, label="Practice vs computer")
    (thread,) = sim.channel.threads
    assert thread.name == "Practice · Grace"
    assert (await sim.load_head(thread)).host_id == grace.id


async def test_too_many_computers_are_refused_with_number_of_free_seats(sim: SimGuild, ada: Member) -> None:
    refused = await ada.use_command("tiles new", seats=3, computers=3)
    assert read_private_text(refused) == en("no.TOO_MANY_COMPUTERS", computers="3", seats="3", most="2")
    assert sim.list_public_messages() == []
    refused = await ada.use_command("tiles new", computers=5)
    assert has_sentence(read_private_text(refused), "lobby.opened")
