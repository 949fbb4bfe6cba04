"""Tables where people draw and pass themselves, and tables where the rules do it for them."""

import pytest
from simcord import MemberActor

from data.words import words
from engine.match.events import Drew, Passed
from engine.match.player_view import view_for
from engine.match.state import Match
from tests.bot.house import BLOCKED, House
from tests.bot.reading import button_ids, menus, private, told, words_of
from tests.wording import en, says, sentence_pattern


async def opened(house: House) -> MemberActor:
    await house.play_by_typing(house.to_move())
    match = await house.match()
    assert not view_for(match, match.turn).moves
    return house.to_move()


@pytest.fixture
def stuck(house: House) -> None:
    house.deals.wanted = [BLOCKED]


@pytest.mark.usefixtures("stuck")
async def test_nothing_plays_itself_at_table_by_hand(house: House, ada: MemberActor, grace: MemberActor) -> None:
    await house.table(ada, grace, by_hand=True)
    match = await house.match()
    assert not match.board.placed, "even the opening tile waits for its player"
    assert "you open round 1" in house.calls()[0].content
    opener = house.to_move()
    hand = await house.hand(opener)
    assert says(words_of(hand), "hand.opening")
    assert len(menus(hand)[0].options) == len(match.choices)
    await opened(house)
    assert {"Draw", "Pass", "Rules"} <= set(button_ids(house.board()))


@pytest.mark.usefixtures("stuck")
async def test_draw_and_pass_work_by_button_and_command(house: House, ada: MemberActor, grace: MemberActor) -> None:
    await house.table(ada, grace, by_hand=True)
    stuck = await opened(house)
    hand = private(await stuck.click(house.board(), label="My hand"))
    assert says(words_of(hand), "hand.must_draw", drawn="0", limit="3", cost="−5")

    drew = private(await stuck.click(hand, label="Draw"))
    assert says(words_of(drew), "hand.drew")
    assert says(words_of(house.board()), "board.whose_drawn", drawn=1)
    assert "You drew " in told(await stuck.click(house.board(), label="Draw"))
    assert "You drew " in told(await stuck.slash(house.channel, "tiles draw"))
    match = await house.match()
    assert match.drawn == 3

    refused = await stuck.slash(house.channel, "tiles draw")
    assert told(refused) == en("why.DRAW_LIMIT", limit="3")
    hand = await house.hand(stuck)
    assert says(words_of(hand), "hand.must_pass", points="−25")
    passed = private(await stuck.click(hand, label="Pass"))
    assert says(words_of(passed), "hand.passed", points="−25")
    assert house.to_move().id != stuck.id
    assert says(words_of(house.board()), "event.passed_drew", drawn=3, points="**−25**")


@pytest.mark.usefixtures("stuck")
async def test_pass_before_draw_is_refused(house: House, ada: MemberActor, grace: MemberActor) -> None:
    await house.table(ada, grace, by_hand=True)
    stuck = await opened(house)
    seq = (await house.head()).seq
    for asked in (stuck.slash(house.channel, "tiles pass"), stuck.click(house.board(), label="Pass")):
        refused = await asked  # the next answer takes this one away
        assert told(refused).startswith(en("why.MUST_DRAW", drawn=0, limit=3))
        assert "My hand" in button_ids(private(refused))
    assert (await house.head()).seq == seq


async def test_draw_with_playable_tile_names_it(house: House, ada: MemberActor, grace: MemberActor) -> None:
    await house.table(ada, grace, by_hand=True)
    await house.play_by_typing(house.to_move())
    mover, match = house.to_move(), await house.match()
    best = view_for(match, match.turn).moves[0]
    seq = (await house.head()).seq
    tile = "-".join(map(str, best.placement.tile))
    for command in ("tiles draw", "tiles pass"):
        refused = told(await mover.slash(house.channel, command))
        assert says(refused, "why.MUST_PLAY")
        assert f": {tile} at {best.letter}" in refused
    assert says(told(await mover.click(house.board(), label="Draw")), "why.MUST_PLAY")
    assert (await house.head()).seq == seq


@pytest.mark.usefixtures("stuck")
async def test_forced_moves_are_played_and_told(house: House, ada: MemberActor, grace: MemberActor) -> None:
    await house.table(ada, grace)
    events = (await house.loaded()).events
    assert sum(isinstance(event, Drew) for event in events) == 6
    assert sum(isinstance(event, Passed) for event in events) == 2
    over = next(message for message in house.public() if "Round 1 is over" in words_of(message))
    assert words()("round.blocked") in words_of(over)
    scores = private(await ada.slash(house.channel, "tiles scores"))
    scores = private(await ada.click(scores, label="◀ Round 1"))
    assert len(sentence_pattern("event.passed_drew", drawn=3, points="**−25**").findall(words_of(scores))) == 2
    assert not {"Draw", "Pass"} & set(button_ids(house.board()))
    match: Match = await house.match()
    assert match.round == 2
    assert match.board.placed
