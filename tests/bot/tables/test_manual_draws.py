"""Tables with manual and with automatic drawing and passing."""

import pytest

from data.words import load_words
from engine.match.events import Drew, Passed
from engine.match.player_view import view_for
from engine.match.state import Match
from tests.bot.member import Member
from tests.bot.messages import list_menus, read_button_ids, read_private_text, read_text
from tests.bot.simulated_guild import BLOCKED_DEAL, SimGuild
from tests.wording import build_sentence_pattern, en, has_sentence


async def play_opening_turn(sim: SimGuild) -> Member:
    await sim.play_by_typing(sim.get_called_player())
    match = await sim.replay_match()
    assert not view_for(match, match.turn).moves
    return sim.get_called_player()


@pytest.fixture
def blocked_deal(sim: SimGuild) -> None:
    sim.deals.next_numbers = [BLOCKED_DEAL]


@pytest.mark.usefixtures("blocked_deal")
async def test_manual_table_plays_nothing_automatically(sim: SimGuild, ada: Member, grace: Member) -> None:
    await sim.start_table(ada, grace, by_hand=True)
    match = await sim.replay_match()
    assert not match.board.placed, "even the opening tile waits for its player"
    assert "you open round 1" in sim.list_calls()[0].content
    opener = sim.get_called_player()
    hand = await sim.open_hand(opener)
    assert has_sentence(read_text(hand), "hand.opening")
    assert len(list_menus(hand)[0].options) == len(match.choices)
    await play_opening_turn(sim)
    assert {"Draw", "Pass", "Rules"} <= set(read_button_ids(sim.get_board()))


@pytest.mark.usefixtures("blocked_deal")
async def test_draw_and_pass_work_by_button_and_command(sim: SimGuild, ada: Member, grace: Member) -> None:
    await sim.start_table(ada, grace, by_hand=True)
    player = await play_opening_turn(sim)
    hand = await player.open_click(sim.get_board(), "My hand")
    assert has_sentence(read_text(hand), "hand.must_draw", drawn="0", limit="3", cost="−5")

    drew = await player.open_click(hand, "Draw")
    assert has_sentence(read_text(drew), "hand.drew")
    assert has_sentence(sim.read_board(), "board.whose_drawn", drawn=1)
    assert "You drew " in await player.read_click(sim.get_board(), "Draw")
    assert "You drew " in await player.read_command("tiles draw")
    match = await sim.replay_match()
    assert match.drawn == 3

    refused = await player.use_command("tiles draw")
    assert read_private_text(refused) == en("why.DRAW_LIMIT", limit="3")
    hand = await sim.open_hand(player)
    assert has_sentence(read_text(hand), "hand.must_pass", points="−25")
    passed = await player.open_click(hand, "Pass")
    assert has_sentence(read_text(passed), "hand.passed_drew", points="−25")
    assert sim.get_called_player().id != player.id
    assert has_sentence(sim.read_board(), "event.passed_drew", drawn=3, points="**−25**")


async def test_draw_with_playable_tile_names_it(sim: SimGuild, ada: Member, grace: Member) -> None:
    await sim.start_table(ada, grace, by_hand=True)
    await sim.play_by_typing(sim.get_called_player())
    mover, match = sim.get_called_player(), await sim.replay_match()
    best = view_for(match, match.turn).moves[0]
    seq = (await sim.load_head()).seq
    tile = "-".join(map(str, best.placement.tile))
    for command in ("tiles draw", "tiles pass"):
        refused = await mover.read_command(command)
        assert has_sentence(refused, "why.MUST_PLAY")
        assert f": {tile} at {best.letter}" in refused
    assert has_sentence(await mover.read_click(sim.get_board(), "Draw"), "why.MUST_PLAY")
    assert (await sim.load_head()).seq == seq


@pytest.mark.usefixtures("blocked_deal")
async def test_forced_moves_are_played_and_reported(sim: SimGuild, ada: Member, grace: Member) -> None:
    await sim.start_table(ada, grace)
    events = (await sim.load_stored_match()).events
    assert sum(isinstance(event, Drew) for event in events) == 6
    assert sum(isinstance(event, Passed) for event in events) == 2
    over = next(message for message in sim.list_public_messages() if "Round 1 is over" in read_text(message))
    assert load_words()("round.blocked") in read_text(over)
    scores = await ada.open_command("tiles scores")
    scores = await ada.open_click(scores, "◀ Round 1")
    assert len(build_sentence_pattern("event.passed_drew", drawn=3, points="**−25**").findall(read_text(scores))) == 2
    assert not {"Draw", "Pass"} & set(read_button_ids(sim.get_board()))
    match: Match = await sim.replay_match()
    assert match.round == 2
    assert match.board.placed
