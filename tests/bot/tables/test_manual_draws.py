"""Tables with manual and with automatic drawing and passing."""

import pytest
from simcord import MemberActor

from data.words import load_words
from engine.match.events import Drew, Passed
from engine.match.player_view import view_for
from engine.match.state import Match
from tests.bot.messages import button_ids, menus, private, told, words_of
from tests.bot.simulated_guild import BLOCKED, SimGuild
from tests.wording import en, says, sentence_pattern


async def play_opening_turn(sim: SimGuild) -> MemberActor:
    await sim.play_by_typing(sim.to_move())
    match = await sim.match()
    assert not view_for(match, match.turn).moves
    return sim.to_move()


@pytest.fixture
def blocked_deal(sim: SimGuild) -> None:
    sim.deals.wanted = [BLOCKED]


@pytest.mark.usefixtures("blocked_deal")
async def test_manual_table_plays_nothing_automatically(sim: SimGuild, ada: MemberActor, grace: MemberActor) -> None:
    await sim.table(ada, grace, by_hand=True)
    match = await sim.match()
    assert not match.board.placed, "even the opening tile waits for its player"
    assert "you open round 1" in sim.calls()[0].content
    opener = sim.to_move()
    hand = await sim.hand(opener)
    assert says(words_of(hand), "hand.opening")
    assert len(menus(hand)[0].options) == len(match.choices)
    await play_opening_turn(sim)
    assert {"Draw", "Pass", "Rules"} <= set(button_ids(sim.board()))


@pytest.mark.usefixtures("blocked_deal")
async def test_draw_and_pass_work_by_button_and_command(sim: SimGuild, ada: MemberActor, grace: MemberActor) -> None:
    await sim.table(ada, grace, by_hand=True)
    player = await play_opening_turn(sim)
    hand = private(await player.click(sim.board(), label="My hand"))
    assert says(words_of(hand), "hand.must_draw", drawn="0", limit="3", cost="−5")

    drew = private(await player.click(hand, label="Draw"))
    assert says(words_of(drew), "hand.drew")
    assert says(words_of(sim.board()), "board.whose_drawn", drawn=1)
    assert "You drew " in told(await player.click(sim.board(), label="Draw"))
    assert "You drew " in told(await player.slash(sim.channel, "tiles draw"))
    match = await sim.match()
    assert match.drawn == 3

    refused = await player.slash(sim.channel, "tiles draw")
    assert told(refused) == en("why.DRAW_LIMIT", limit="3")
    hand = await sim.hand(player)
    assert says(words_of(hand), "hand.must_pass", points="−25")
    passed = private(await player.click(hand, label="Pass"))
    assert says(words_of(passed), "hand.passed", points="−25")
    assert sim.to_move().id != player.id
    assert says(words_of(sim.board()), "event.passed_drew", drawn=3, points="**−25**")


@pytest.mark.usefixtures("blocked_deal")
async def test_pass_before_draw_is_refused(sim: SimGuild, ada: MemberActor, grace: MemberActor) -> None:
    await sim.table(ada, grace, by_hand=True)
    player = await play_opening_turn(sim)
    seq = (await sim.head()).seq
    for asked in (player.slash(sim.channel, "tiles pass"), player.click(sim.board(), label="Pass")):
        refused = await asked  # read it now: the next answer replaces it
        assert told(refused).startswith(en("why.MUST_DRAW", drawn=0, limit=3))
        assert "My hand" in button_ids(private(refused))
    assert (await sim.head()).seq == seq


async def test_draw_with_playable_tile_names_it(sim: SimGuild, ada: MemberActor, grace: MemberActor) -> None:
    await sim.table(ada, grace, by_hand=True)
    await sim.play_by_typing(sim.to_move())
    mover, match = sim.to_move(), await sim.match()
    best = view_for(match, match.turn).moves[0]
    seq = (await sim.head()).seq
    tile = "-".join(map(str, best.placement.tile))
    for command in ("tiles draw", "tiles pass"):
        refused = told(await mover.slash(sim.channel, command))
        assert says(refused, "why.MUST_PLAY")
        assert f": {tile} at {best.letter}" in refused
    assert says(told(await mover.click(sim.board(), label="Draw")), "why.MUST_PLAY")
    assert (await sim.head()).seq == seq


@pytest.mark.usefixtures("blocked_deal")
async def test_forced_moves_are_played_and_reported(sim: SimGuild, ada: MemberActor, grace: MemberActor) -> None:
    await sim.table(ada, grace)
    events = (await sim.loaded()).events
    assert sum(isinstance(event, Drew) for event in events) == 6
    assert sum(isinstance(event, Passed) for event in events) == 2
    over = next(message for message in sim.public() if "Round 1 is over" in words_of(message))
    assert load_words()("round.blocked") in words_of(over)
    scores = private(await ada.slash(sim.channel, "tiles scores"))
    scores = private(await ada.click(scores, label="◀ Round 1"))
    assert len(sentence_pattern("event.passed_drew", drawn=3, points="**−25**").findall(words_of(scores))) == 2
    assert not {"Draw", "Pass"} & set(button_ids(sim.board()))
    match: Match = await sim.match()
    assert match.round == 2
    assert match.board.placed
