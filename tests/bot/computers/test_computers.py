"""Computer players at tables."""

import re

from simcord import MemberActor

from engine.match.events import Placed
from tests.bot.messages import button_ids, private, told, words_of
from tests.bot.simulated_guild import GOING_OUT, SHORT_MATCH, SimGuild
from tests.wording import en, says


async def test_table_with_one_player_and_computers_starts_at_once(sim: SimGuild, ada: MemberActor) -> None:
    opened = await ada.slash(sim.channel, "tiles new", computers=2)
    assert says(told(opened), "lobby.opened")
    match = await sim.match()
    assert [seat.computer for seat in match.seats] == [False, True, True]
    assert not match.seats[match.turn].computer, "the computers have moved already"
    assert "Bot 1 (medium)" in words_of(sim.board())


async def test_computer_moves_automatically_after_player(sim: SimGuild, ada: MemberActor) -> None:
    await sim.table(ada, computers=1)
    for _ in range(3):
        await sim.play_by_typing(ada)
        match = await sim.match()
        assert match.turn == 0
        (call,) = sim.calls()
        assert [user.id for user in call.mentions] == [ada.id]
    placed = {event.seat for event in (await sim.loaded()).events if isinstance(event, Placed)}
    assert placed == {0, 1}


async def test_match_against_computer_is_recorded_but_unrated(sim: SimGuild, ada: MemberActor) -> None:
    sim.deals.wanted = [SHORT_MATCH]
    await sim.table(ada, computers=2, target=60)
    await sim.play_to_the_end()
    (end,) = sim.ends()
    assert re.search(r"`\d` \*\*Bot 1 \(medium\)\*\* ·", words_of(end))
    assert "rating " not in words_of(end)
    assert says(words_of(end), "end.unrated")
    leaders = told(await ada.slash(sim.channel, "tiles leaderboard"))
    assert "**Ada** · not rated" in leaders
    assert "Computer" not in leaders


async def test_two_players_are_rated_although_computer_plays(
    sim: SimGuild, ada: MemberActor, grace: MemberActor
) -> None:
    sim.deals.wanted = [GOING_OUT]
    await sim.table(ada, grace, computers=1, target=150)
    await sim.play_to_the_end()
    results = await sim.store.results.list_results((await sim.head()).match_id)
    assert {result.user_id for result in results} == {ada.id, grace.id}
    assert all(result.rated for result in results)
    (end,) = sim.ends()
    assert words_of(end).count("· rating ") == 2 + words_of(end).count("Not rated")


async def test_only_seated_player_can_add_computer(sim: SimGuild, ada: MemberActor, grace: MemberActor) -> None:
    await ada.slash(sim.channel, "tiles new", seats=3)
    refused = await sim.add_computer(grace)
    assert says(told(refused), "no.JOIN_FIRST")
    await sim.add_computer(ada)
    assert "2. Computer (medium)" in words_of(sim.board())
    assert (await sim.head()).state == "lobby"


async def test_lobby_with_one_player_and_computer_can_start(sim: SimGuild, ada: MemberActor) -> None:
    await ada.slash(sim.channel, "tiles new", seats=4)
    assert "Start" not in button_ids(sim.board()), "nobody to play with yet"
    await sim.add_computer(ada)
    await ada.click(sim.board(), label="Start")
    assert (await sim.head()).state == "open"


async def test_practice_in_busy_channel_opens_thread(sim: SimGuild, ada: MemberActor, grace: MemberActor) -> None:
    helped = private(await ada.slash(sim.channel, "tiles help"))
    await ada.click(helped, label="Practice vs computer")
    assert (await sim.head()).state == "open"
    helped = private(await grace.slash(sim.channel, "tiles help"))
    await grace.click(helped, label="Practice vs computer")
    (thread,) = sim.channel.threads
    assert thread.name == "Practice · Grace"
    assert (await sim.head(thread)).host_id == grace.id


async def test_too_many_computers_are_refused_with_number_of_free_seats(sim: SimGuild, ada: MemberActor) -> None:
    refused = await ada.slash(sim.channel, "tiles new", seats=3, computers=3)
    assert told(refused) == en("no.TOO_MANY_COMPUTERS", computers="3", seats="3", most="2")
    assert sim.public() == []
    refused = await ada.slash(sim.channel, "tiles new", computers=5)
    assert says(told(refused), "lobby.opened")
