"""Computer seats: they sit down, move by themselves and stay out of the ratings."""

import re

from simcord import MemberActor

from engine.match.events import Placed
from tests.bot.house import GOING_OUT, SHORT_MATCH, House
from tests.bot.reading import button_ids, private, told, words_of
from tests.wording import en, says


async def test_table_of_one_person_and_computers_begins_at_once(house: House, ada: MemberActor) -> None:
    opened = await ada.slash(house.channel, "tiles new", computers=2)
    assert says(told(opened), "lobby.opened")
    match = await house.match()
    assert [seat.computer for seat in match.seats] == [False, True, True]
    assert not match.seats[match.turn].computer, "the computers have moved already"
    assert "Bot 1 (medium)" in words_of(house.board())


async def test_computer_moves_by_itself_after_person(house: House, ada: MemberActor) -> None:
    await house.table(ada, computers=1)
    for _ in range(3):
        await house.play_by_typing(ada)
        match = await house.match()
        assert match.turn == 0
        (call,) = house.calls()
        assert [user.id for user in call.mentions] == [ada.id]
    placed = {event.seat for event in (await house.loaded()).events if isinstance(event, Placed)}
    assert placed == {0, 1}


async def test_match_against_computer_is_finished_counted_and_unrated(house: House, ada: MemberActor) -> None:
    house.deals.wanted = [SHORT_MATCH]
    await house.table(ada, computers=2, target=60)
    await house.play_to_the_end()
    (end,) = house.ends()
    assert re.search(r"`\d` \*\*Bot 1 \(medium\)\*\* ·", words_of(end))
    assert "rating " not in words_of(end)
    assert says(words_of(end), "end.unrated")
    leaders = told(await ada.slash(house.channel, "tiles leaderboard"))
    assert "**Ada** · not rated" in leaders
    assert "Computer" not in leaders


async def test_two_players_with_computer_are_rated(house: House, ada: MemberActor, grace: MemberActor) -> None:
    house.deals.wanted = [GOING_OUT]
    await house.table(ada, grace, computers=1, target=150)
    await house.play_to_the_end()
    results = await house.store.results.of_match((await house.head()).match_id)
    assert {result.user_id for result in results} == {ada.id, grace.id}
    assert all(result.rated for result in results)
    (end,) = house.ends()
    assert words_of(end).count("· rating ") == 2 + words_of(end).count("Not rated")


async def test_only_seated_player_adds_computer(house: House, ada: MemberActor, grace: MemberActor) -> None:
    await ada.slash(house.channel, "tiles new", seats=3)
    refused = await house.add_computer(grace)
    assert says(told(refused), "no.JOIN_FIRST")
    await house.add_computer(ada)
    assert "2. Computer (medium)" in words_of(house.board())
    assert (await house.head()).state == "lobby"


async def test_lobby_with_one_person_and_computer_can_be_started(house: House, ada: MemberActor) -> None:
    await ada.slash(house.channel, "tiles new", seats=4)
    assert "Start" not in button_ids(house.board()), "nobody to play with yet"
    await house.add_computer(ada)
    await ada.click(house.board(), label="Start")
    assert (await house.head()).state == "open"


async def test_practice_in_busy_channel_opens_thread(house: House, ada: MemberActor, grace: MemberActor) -> None:
    helped = private(await ada.slash(house.channel, "tiles help"))
    await ada.click(helped, label="Practice against the computer")
    assert (await house.head()).state == "open"
    helped = private(await grace.slash(house.channel, "tiles help"))
    await grace.click(helped, label="Practice against the computer")
    (thread,) = house.channel.threads
    assert thread.name == "Practice · Grace"
    assert (await house.head(thread)).host_id == grace.id


async def test_more_computers_than_seats_are_refused_with_number_that_fits(house: House, ada: MemberActor) -> None:
    refused = await ada.slash(house.channel, "tiles new", seats=3, computers=3)
    assert told(refused) == en("no.TOO_MANY_COMPUTERS", computers="3", seats="3", most="2")
    assert house.public() == []
    refused = await ada.slash(house.channel, "tiles new", computers=5)
    assert says(told(refused), "lobby.opened")
