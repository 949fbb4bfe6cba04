"""Asking a lobby for what it cannot give: each answer is private, says what to do next, and changes nothing."""

import pytest
from simcord import InteractionResult, MemberActor

from tests.bot.house import House
from tests.bot.reading import button_ids, private, told, words_of


async def refused(house: House, asked: InteractionResult, before: tuple[int, str]) -> str:
    """The private answer, after a look that nothing public has changed."""
    assert await standing(house) == before
    return told(asked)


async def standing(house: House) -> tuple[int, str]:
    """Where the table is, and what everybody sees of it."""
    return (await house.head()).seq, "\n".join(words_of(message) for message in house.public())


async def test_joining_twice_says_what_comes_next(house: House, ada: MemberActor, grace: MemberActor) -> None:
    await ada.slash(house.channel, "tiles new", seats=3)
    await grace.click(house.board(), label="Join")
    before = await standing(house)
    for asked in (await grace.click(house.board(), label="Join"), await grace.slash(house.channel, "tiles join")):
        assert await refused(house, asked, before) == (
            "You are already at this table. **My hand** shows your tiles once they are dealt."
        )


async def test_joining_a_full_table_offers_a_table_of_ones_own(
    house: House, ada: MemberActor, grace: MemberActor, linus: MemberActor
) -> None:
    await ada.slash(house.channel, "tiles new", seats=2)
    join = button_ids(house.board())["Join"]
    await grace.click(house.board(), label="Join")
    old = await house.post(join)
    before = await standing(house)
    for late in (await linus.click(old, custom_id=join), await linus.slash(house.channel, "tiles join")):
        assert await refused(house, late, before) == (
            "All 2 seats are taken. `/tiles new thread:True` opens another table."
        )
    assert "You are already at this table." in await refused(house, await ada.click(old, custom_id=join), before)


async def test_joining_a_match_that_began_with_fewer_says_so(
    house: House, ada: MemberActor, grace: MemberActor, linus: MemberActor
) -> None:
    await ada.slash(house.channel, "tiles new", seats=4)
    await grace.click(house.board(), label="Join")
    await ada.click(house.board(), label="Start")
    before = await standing(house)
    late = await linus.slash(house.channel, "tiles join")
    assert await refused(house, late, before) == (
        "The match has already begun. `/tiles board` shows the table; `/tiles new thread:True` opens another."
    )


async def test_a_table_of_six_takes_six_and_then_begins(house: House, ada: MemberActor) -> None:
    people = [house.person(name) for name in ("Barbara", "Carol", "Dora", "Emmy")]
    await ada.slash(house.channel, "tiles new")
    for person in people:
        await person.click(house.board(), label="Join")
    assert (await house.head()).state == "lobby"
    await house.person("Frances").click(house.board(), label="Join")
    match = await house.match()
    assert len(match.seats) == 6
    assert {len(seat.hand) for seat in match.seats} <= {5, 6, 7, 8, 9}


async def test_starting_alone_says_how_to_get_company(house: House, ada: MemberActor) -> None:
    await ada.slash(house.channel, "tiles new")
    assert "Start" not in button_ids(house.board())
    before = await standing(house)
    asked = await ada.slash(house.channel, "tiles start")
    assert await refused(house, asked, before) == (
        "A match needs at least 2 seats taken. Wait for somebody to join, "
        "or choose a computer from the menu **Add computer**."
    )


async def test_only_the_host_starts(house: House, ada: MemberActor, grace: MemberActor) -> None:
    await ada.slash(house.channel, "tiles new", seats=3)
    await grace.click(house.board(), label="Join")
    before = await standing(house)
    for asked in (await grace.click(house.board(), label="Start"), await grace.slash(house.channel, "tiles start")):
        assert await refused(house, asked, before) == (
            "Ada is the host and starts the match. You can ask, or open your own table with `/tiles new thread:True`."
        )


async def test_leaving_passes_the_hosts_part_on_and_the_last_one_closes_the_table(
    house: House, ada: MemberActor, grace: MemberActor
) -> None:
    await ada.slash(house.channel, "tiles new", seats=3)
    await grace.click(house.board(), label="Join")
    await ada.click(house.board(), label="Leave")
    assert "1. Grace · host" in words_of(house.board())
    before = await standing(house)
    asked = await ada.slash(house.channel, "tiles leave")
    assert await refused(house, asked, before) == "You do not sit at this table. **Join** gives you a seat."
    left = await grace.slash(house.channel, "tiles leave")
    assert told(left) == "You left the table."
    assert "This table was closed: everybody left." in words_of(house.board())
    assert set(button_ids(house.board())) == {"Open again"}
    await ada.click(house.board(), label="Open again")
    assert "Ada opened a table" in words_of(house.board())


async def test_leaving_a_running_match_points_to_resigning(
    house: House, ada: MemberActor, grace: MemberActor, linus: MemberActor
) -> None:
    await house.table(ada, grace)
    before = await standing(house)
    asked = await ada.slash(house.channel, "tiles leave")
    assert "`/tiles match resign` takes you out" in await refused(house, asked, before)
    asked = await linus.slash(house.channel, "tiles leave")
    assert "You are watching this match" in await refused(house, asked, before)


@pytest.mark.parametrize("command", ["hand", "play", "draw", "pass", "match resign", "board", "scores"])
async def test_what_needs_a_match_says_who_starts_it(house: House, ada: MemberActor, command: str) -> None:
    await ada.slash(house.channel, "tiles new")
    before = await standing(house)
    options = {"tile": "1-2-3"} if command == "play" else {}
    asked = await ada.slash(house.channel, f"tiles {command}", **options)
    assert await refused(house, asked, before) == (
        "The match has not begun. Ada starts it when enough seats are taken."
    )


@pytest.mark.parametrize(
    "command", ["join", "leave", "start", "hand", "play", "draw", "pass", "match resign", "board", "scores"]
)
async def test_what_needs_a_table_says_how_to_open_one(house: House, ada: MemberActor, command: str) -> None:
    options = {"tile": "1-2-3"} if command == "play" else {}
    asked = await ada.slash(house.channel, f"tiles {command}", **options)
    assert told(asked) == "There is no table in this channel. `/tiles new` opens one; `/tiles games` lists yours."
    assert house.public() == []


async def test_a_lobby_that_nobody_starts_closes_after_a_day(house: House, ada: MemberActor) -> None:
    await ada.slash(house.channel, "tiles new")
    lobby = house.board().id
    await house.wait(hours=23)
    assert "Waiting for players" in words_of(house.board())
    await house.wait(hours=24)
    assert house.board().id == lobby
    assert "This table was closed: nobody started it in time." in words_of(house.board())
    opened = await ada.click(house.board(), label="Open again")
    assert private(opened)
    assert "Waiting for players" in words_of(house.board())
