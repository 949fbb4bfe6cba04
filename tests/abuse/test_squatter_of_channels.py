"""The squatter of channels: tables that keep a channel from everybody, and nobody plays at them together."""

import pytest
from simcord import MemberActor

from bot.core.permissions import TO_OPEN_THREADS
from engine.table.terms import DAY
from tests.bot.channels import without
from tests.bot.house import House
from tests.bot.reading import button_ids, private, told, words_of
from tests.depth import scaled
from tests.wording import en, says

pytestmark = pytest.mark.deep

HOURS = 24


async def owners(house: House, channel: object = None) -> list[int | None]:
    return [row.user_id for row in (await house.now(channel)).seats]  # type: ignore[arg-type]


@pytest.mark.parametrize("moves", [0, 2])
@pytest.mark.parametrize("who", ["somebody else", "the same person"])
async def test_match_against_computer_makes_way_at_once_and_goes_on_in_thread(
    house: House, ada: MemberActor, grace: MemberActor, who: str, moves: int
) -> None:
    await ada.slash(house.channel, "tiles new", computers=1)
    for _ in range(moves):
        await house.play_by_typing(ada)
    before = await house.loaded()
    asker = grace if who == "somebody else" else ada
    answer = await asker.slash(house.channel, "tiles new", seats=2)
    assert told(answer).startswith(en("lobby.opened", link=""))
    assert await owners(house) == [asker.id]
    (thread,) = house.channel.threads
    there = await house.loaded(thread)
    assert there.head.match_id == before.head.match_id
    assert there.head.state == "open"
    assert says(words_of(house.public(thread)[0]) + words_of(house.public(thread)[-1]), "notice.made_way_moved")
    # Nothing of it is left where it was, and it can be played where it is.
    assert len(house.boards()) == 1
    assert house.to_move(thread).id == ada.id
    await house.play_by_typing(ada, thread)
    assert (await house.head(thread)).seq > there.head.seq


async def test_where_bot_may_open_no_threads_it_ends_without_result_and_says_so(
    house: House, ada: MemberActor, grace: MemberActor
) -> None:
    cellar = without(house, *TO_OPEN_THREADS)
    await ada.slash(cellar, "tiles new", computers=1)
    first = await house.head(cellar)
    assert told(await grace.slash(cellar, "tiles new", seats=2)).startswith(en("lobby.opened", link=""))
    assert await owners(house, cellar) == [grace.id]
    old = await house.store.matches.head(first.match_id)
    assert old.state == "void"
    said = [words_of(message) for message in house.public(cellar)]
    assert any(en("notice.made_way") in text for text in said)
    assert any(en("lobby.closed_made_way") in text for text in said)


async def test_match_against_computer_ends_after_day_of_silence_and_channel_is_free(
    house: House, ada: MemberActor, grace: MemberActor
) -> None:
    await ada.slash(house.channel, "tiles new", computers=1)
    assert says(words_of(house.board()), "clock.practice")
    await house.wait(hours=HOURS + 1)
    assert (await house.head()).state == "void"
    assert says(words_of(house.board()), "lobby.closed_practice_over")
    await grace.slash(house.channel, "tiles new", seats=2)
    assert await owners(house) == [grace.id]


@pytest.mark.parametrize("command", ["tiles match abort", "tiles leave"])
async def test_its_player_ends_it_and_whoever_watches_is_told_what_they_can_do(
    house: House, ada: MemberActor, grace: MemberActor, command: str
) -> None:
    await ada.slash(house.channel, "tiles new", computers=1)
    for _ in range(2):
        await house.play_by_typing(ada)
    assert told(await grace.slash(house.channel, command)) == en("no.WATCHING_PRACTICE")
    asked = await ada.slash(house.channel, command)
    if command == "tiles match abort":
        assert "ust agree" not in told(asked)
        await ada.click(private(asked), label="End the match")
    assert (await house.head()).state == "void"


async def test_nobody_keeps_every_channel_of_server(house: House, ada: MemberActor, grace: MemberActor) -> None:
    places = [house.guild.create_text_channel(f"hall-{number}") for number in range(scaled(3))]
    for place in places:
        for _ in range(2):
            await ada.slash(place, "tiles new", computers=1)
        assert told(await grace.slash(place, "tiles new", seats=2)).startswith(en("lobby.opened", link=""))
        assert await owners(house, place) == [grace.id]


async def test_channel_whose_players_have_vanished_is_anybodys(
    house: House, ada: MemberActor, grace: MemberActor, linus: MemberActor
) -> None:
    await house.table(ada, grace, clock="1d")
    answer = await linus.slash(house.channel, "tiles new", seats=2)
    assert en("lobby.in_thread") in button_ids(private(answer))
    for _ in range(5):
        await house.wait(hours=HOURS + 1)
    assert says(told(await linus.slash(house.channel, "tiles match abort")), "no.WATCHING_SILENT")
    assert told(await linus.slash(house.channel, "tiles new", seats=2)).startswith(en("lobby.opened", link=""))
    assert await owners(house) == [linus.id]


async def test_where_people_play_same_table_opens_in_thread_with_one_press(
    house: House, ada: MemberActor, grace: MemberActor, linus: MemberActor
) -> None:
    await house.table(ada, grace)
    wish = {"game": "quad-ominos", "seats": 3, "clock": "live 7m", "absent": "end", "by_hand": True}
    answer = private(await linus.slash(house.channel, "tiles new", **wish))
    before = (await house.head()).match_id
    press = button_ids(answer)["Open it in a thread"]
    stolen = await house.post(press)
    assert told(await grace.click(stolen, label="Button 0")) == en("no.OFFER_GONE")
    assert house.channel.threads == []
    await linus.click(answer, label="Open it in a thread")
    (thread,) = house.channel.threads
    terms = await house.terms(thread)
    assert {key: terms[key] for key in wish} == wish
    assert await owners(house, thread) == [linus.id]
    assert (await house.head()).match_id == before


async def test_offer_from_before_restart_says_how_to_ask_again(
    house: House, ada: MemberActor, grace: MemberActor, linus: MemberActor
) -> None:
    await house.table(ada, grace)
    answer = private(await linus.slash(house.channel, "tiles new", seats=2))
    await house.restart()
    assert "`/tiles new thread:True`" in told(await linus.click(answer, label=en("lobby.in_thread")))
    assert house.channel.threads == []


async def test_match_of_people_makes_way_for_nobody(
    house: House, ada: MemberActor, grace: MemberActor, linus: MemberActor
) -> None:
    await house.table(ada, grace, clock="1d")
    match = (await house.head()).match_id
    for _ in range(2):
        await linus.slash(house.channel, "tiles new", computers=1)
        assert (await house.head()).match_id == match
        await house.wait(hours=HOURS + 1)
    assert (await house.head()).state == "open"
    assert (await house.head()).due is not None
    assert (await house.now()).clock.acted <= house.clock() - DAY
