"""Tables where people draw and pass themselves, and tables where the rules do it for them."""

import pytest
from simcord import MemberActor

from data.words import words
from engine.events import Drew, Passed
from engine.match import Match
from engine.seen import see
from tests.bot.house import BLOCKED, House
from tests.bot.reading import button_ids, menus, private, told, words_of


async def opened(house: House) -> MemberActor:
    """The opening tile was placed by hand; answers with the person who is to move and can place nothing."""
    await house.play_by_typing(house.to_move())
    match = await house.match()
    assert not see(match, match.turn).moves
    return house.to_move()


@pytest.fixture
def stuck(house: House) -> None:
    """The next table is dealt so that nobody can place anything after the opening."""
    house.deals.wanted = [BLOCKED]


@pytest.mark.usefixtures("stuck")
async def test_nothing_plays_itself_at_a_table_by_hand(house: House, ada: MemberActor, grace: MemberActor) -> None:
    await house.table(ada, grace, by_hand=True)
    match = await house.match()
    assert not match.board.placed, "even the opening tile waits for its player"
    assert "you open round 1" in house.calls()[0].content
    opener = house.to_move()
    hand = await house.hand(opener)
    assert "You open this round" in words_of(hand)
    assert len(menus(hand)[0].options) == len(match.choices)
    await opened(house)
    assert {"Draw", "Pass", "Rules"} <= set(button_ids(house.board()))


@pytest.mark.usefixtures("stuck")
async def test_drawing_and_passing_work_by_button_and_by_command(
    house: House, ada: MemberActor, grace: MemberActor
) -> None:
    await house.table(ada, grace, by_hand=True)
    stuck = await opened(house)
    hand = private(await stuck.click(house.board(), label="My hand"))
    assert "Nothing fits: draw a tile. (0 of 3 drawn, −5 each)" in words_of(hand)

    drew = private(await stuck.click(hand, label="Draw"))
    assert "You drew " in words_of(drew)
    assert "drew 1 and is to play" in words_of(house.board())
    assert "You drew " in told(await stuck.click(house.board(), label="Draw"))
    assert "You drew " in told(await stuck.slash(house.channel, "tiles draw"))
    match = await house.match()
    assert match.drawn == 3

    refused = await stuck.slash(house.channel, "tiles draw")
    assert told(refused) == "You have drawn 3, the most a turn allows: pass instead."
    hand = await house.hand(stuck)
    assert "Nothing fits and nothing more can be drawn: pass. (−25)" in words_of(hand)
    passed = private(await stuck.click(hand, label="Pass"))
    assert "You passed: −25. You have " in words_of(passed)
    assert house.to_move().id != stuck.id
    assert "could not play: drew 3, **−25**" in words_of(house.board())


@pytest.mark.usefixtures("stuck")
async def test_passing_before_drawing_is_refused_with_what_is_still_to_do(
    house: House, ada: MemberActor, grace: MemberActor
) -> None:
    await house.table(ada, grace, by_hand=True)
    stuck = await opened(house)
    seq = (await house.head()).seq
    for asked in (stuck.slash(house.channel, "tiles pass"), stuck.click(house.board(), label="Pass")):
        refused = await asked  # the next answer takes this one away
        assert told(refused).startswith("Before passing you must draw: 0 of 3 drawn so far")
        assert "My hand" in button_ids(private(refused))
    assert (await house.head()).seq == seq


async def test_drawing_while_a_tile_fits_is_refused_and_the_tile_named(
    house: House, ada: MemberActor, grace: MemberActor
) -> None:
    await house.table(ada, grace, by_hand=True)
    await house.play_by_typing(house.to_move())
    mover, match = house.to_move(), await house.match()
    best = see(match, match.turn).moves[0]
    assert best is not None
    seq = (await house.head()).seq
    tile = "-".join(map(str, best.placement.tile))
    for command in ("tiles draw", "tiles pass"):
        refused = told(await mover.slash(house.channel, command))
        assert refused.startswith(f"You can play, so you must: {tile} at {best.letter}")
    assert told(await mover.click(house.board(), label="Draw")).startswith("You can play, so you must")
    assert (await house.head()).seq == seq


@pytest.mark.usefixtures("stuck")
async def test_what_the_rules_force_plays_itself_elsewhere_and_is_told_in_one_line_each(
    house: House, ada: MemberActor, grace: MemberActor
) -> None:
    await house.table(ada, grace)
    events = (await house.loaded()).events
    assert sum(isinstance(event, Drew) for event in events) == 6
    assert sum(isinstance(event, Passed) for event in events) == 2
    over = next(message for message in house.public() if "Round 1 is over" in words_of(message))
    assert words()("round.blocked") in words_of(over)
    scores = private(await ada.slash(house.channel, "tiles scores"))
    scores = private(await ada.click(scores, label="◀ Round 1"))
    assert words_of(scores).count("could not play: drew 3, **−25**") == 2
    assert not {"Draw", "Pass"} & set(button_ids(house.board()))
    match: Match = await house.match()
    assert match.round == 2
    assert match.board.placed
