"""Choices within a turn: bonus points or two more tiles, the quad of zeros, a further turn in Star."""

import re

import pytest

from data.rulebook import load_rules
from engine.board.tiles import format_tile_notation
from engine.match.events import Chose, Placed
from tests.bot.member import Member
from tests.bot.messages import Message, find_play_label, list_menus, read_button_ids, read_text
from tests.bot.simulated_guild import SimGuild
from tests.bot.tables.greedy_clicks import click_next, take_turn
from tests.bot.tables.stacked_deals import play_moves, stack_deal, store_match
from tests.wording import en, has_sentence

QUAD_DEAL = 7
THIRD_CORNER_DEAL = 94
ZERO_OR_QUAD_DEAL = 5
ZERO_DEAL = 12
COMPUTER_QUAD_DEAL = 3

CORNER_DEAL = 47

POINTS, TILES, STOP = "+25 points", "2 more tiles", "End turn"
MUST_CHOOSE = en("why.MUST_CHOOSE", options=f"{en('option.points')} or {en('option.tiles')}")


async def start_quads(sim: SimGuild, *members: Member, deal: int, **terms: object) -> None:
    await sim.start_table(*members, game="quad-ominos", options="deal=half", **terms, deal=deal)


def list_choices(message: Message) -> list[str]:
    return [label for label, custom_id in read_button_ids(message).items() if custom_id.startswith("by:choose:")]


async def reach_third_corner(sim: SimGuild, ada: Member, grace: Member) -> Message:
    await start_quads(sim, ada, grace, deal=THIRD_CORNER_DEAL)
    for _ in range(3):
        await take_turn(sim, sim.get_called_player())
    await sim.settle_turns()
    assert sim.get_called_player() is grace
    hand: Message = await sim.open_hand(grace)
    while not list_choices(hand):
        hand, _ = await click_next(grace, hand)
    return hand


async def test_automatic_opening_calls_player_to_choose(sim: SimGuild, ada: Member, grace: Member) -> None:
    await start_quads(sim, ada, grace, deal=QUAD_DEAL)

    (call,) = sim.list_calls()
    assert [user.id for user in call.mentions] == [ada.id]
    board = sim.read_board()
    assert "**Ada** opened with 2-2-2-2: **+8** → 8" in board
    assert en("board.whose_choice", name="Ada", bonus=POINTS, tiles=TILES) in board
    hand = await ada.open_click(call, "My hand")
    assert has_sentence(read_text(hand), "hand.choice")
    assert list_choices(hand) == [POINTS, TILES]
    assert list_menus(hand) == []


async def test_third_corner_offers_bonus_choice(sim: SimGuild, ada: Member, grace: Member) -> None:
    await start_quads(sim, ada, grace, deal=THIRD_CORNER_DEAL)
    for _ in range(3):
        await take_turn(sim, sim.get_called_player())
    (call,) = sim.list_calls()
    hand = await sim.open_hand(grace)
    selected = await grace.open_select(hand, list_menus(hand)[0].options[0].value)
    option = list_menus(selected)[0].options[0] if list_menus(selected) else None
    preview = await grace.open_select(selected, option.value) if option else selected
    assert option is None or has_sentence(option.description, "hand.move_note_choice", points="+25", tiles=TILES)
    assert has_sentence(read_text(preview), "hand.move_note_choice", points="+25", tiles=TILES)

    bonus_message = await grace.open_click(preview, find_play_label(preview))

    assert read_text(bonus_message).startswith("You played 1-5-5-5 ")
    assert list_choices(bonus_message) == [POINTS, TILES]
    assert [one.id for one in sim.list_calls()] == [call.id], "nobody is called to a turn they are in the middle of"
    assert en("board.whose_choice", name="Grace", bonus=POINTS, tiles=TILES) in sim.read_board()
    for reader in (ada, sim.add_member("Linus")):
        assert "**Grace** is choosing" in await reader.read_command("tiles board", text=True)

    before = (await sim.replay_match()).seats[1].total
    answer = await grace.read_click(bonus_message, POINTS)

    assert answer.startswith(en("hand.chose_points", points="+25", total=before + 25))
    assert has_sentence(sim.read_board(), "event.chose_points", name="**Grace**", points="**+25**", total=before + 25)
    await sim.settle_turns()
    assert sim.get_called_player() is ada
    assert len(sim.list_calls()) == 1


@pytest.mark.parametrize(("then", "gain", "more"), [(".points", 25, 0), (".tiles", 0, 2)])
async def test_button_of_move_includes_bonus_choice(
    sim: SimGuild, ada: Member, grace: Member, then: str, gain: int, more: int
) -> None:
    await start_quads(sim, ada, grace, deal=THIRD_CORNER_DEAL)
    for _ in range(3):
        await take_turn(sim, sim.get_called_player())
    hand, before = await sim.open_hand(grace), (await sim.replay_match()).seats[1].total
    buttons = {label: one for label, one in read_button_ids(hand).items() if one.startswith("by:play:")}
    assert len(buttons) >= 3
    label = next(label for label, one in buttons.items() if one.endswith(then))
    await grace.click(hand, label=label)
    match = await sim.replay_match()
    placed = next(one for one in reversed((await sim.load_stored_match()).events) if isinstance(one, Placed))
    assert (match.seats[1].total, match.bonus_tiles) == (before + placed.points + gain, more)
    assert label.split(" · ")[0].endswith(f"  +{placed.points + gain}")


async def test_bonus_tiles_are_played_without_new_call(sim: SimGuild, ada: Member, grace: Member) -> None:
    bonus_message = await reach_third_corner(sim, ada, grace)
    (call,) = sim.list_calls()
    seat = (await sim.replay_match()).seats[1]
    hand_size, total = len(seat.hand), seat.total

    hand: Message = await grace.open_click(bonus_message, TILES)
    assert has_sentence(read_text(hand), "hand.chose_tiles", tiles="2 more tiles")
    assert has_sentence(read_text(hand), "hand.bonus", tiles="2 more tiles")
    assert en("board.whose_bonus", name="Grace", tiles=TILES) in sim.read_board()
    assert has_sentence(sim.read_board(), "event.chose_tiles", name="**Grace**", tiles="2 more tiles")
    while not has_sentence(read_text(hand), "hand.bonus", tiles="1 more tile"):
        hand, _ = await click_next(grace, hand)
        assert list_choices(hand) == []
    assert en("board.whose_bonus", name="Grace", tiles="1 more tile") in sim.read_board()
    assert [one.id for one in sim.list_calls()] == [call.id]
    while "### Your turn" in read_text(hand):
        hand, _ = await click_next(grace, hand)

    last_placements = [event for event in (await sim.load_stored_match()).events if isinstance(event, Placed)][-2:]
    match = await sim.replay_match()
    assert len(match.seats[1].hand) == hand_size - 2
    assert match.seats[1].total == total + sum(event.points for event in last_placements)
    await sim.settle_turns()
    assert sim.get_called_player() is ada
    board = sim.read_board()
    assert all(format_tile_notation(event.tile) in board for event in last_placements), (
        "all that came since Ada's turn is told"
    )


async def test_open_choice_survives_restart(sim: SimGuild, ada: Member, grace: Member) -> None:
    bonus_message = await reach_third_corner(sim, ada, grace)
    await sim.restart()
    assert list_choices(await sim.open_hand(grace)) == [POINTS, TILES]
    hand: Message = await grace.open_click(bonus_message, TILES)
    await sim.restart()
    while "### Your turn" in read_text(hand):
        hand, _ = await click_next(grace, hand)
        await sim.restart()
    await sim.settle_turns()
    assert sim.get_called_player() is ada
    assert len(sim.list_calls()) == len(sim.list_boards()) == 1


async def test_open_choice_refuses_other_commands(sim: SimGuild, ada: Member, grace: Member) -> None:
    await reach_third_corner(sim, ada, grace)
    tile = format_tile_notation((await sim.replay_match()).seats[1].hand[0])
    before = await sim.take_snapshot()
    others = {"play": {"tile": tile, "place": "A"}, "draw": {}, "pass": {}, "choose": {"option": "stop"}}
    for command, options in others.items():
        answer = await grace.read_command(f"tiles {command}", **options)
        assert answer == MUST_CHOOSE
    assert await sim.take_snapshot() == before
    total = (await sim.replay_match()).seats[1].total
    choice_answer = await grace.read_command("tiles choose", option="points")
    assert choice_answer.startswith(en("hand.chose_points", points="+25", total=total + 25))
    assert await ada.read_command("tiles choose", option="points") == en("why.NOTHING_TO_CHOOSE")


async def test_quad_of_zeros_opening_earns_both_bonuses(sim: SimGuild, ada: Member, grace: Member) -> None:
    await start_quads(sim, ada, grace, deal=ZERO_OR_QUAD_DEAL)
    await sim.settle_turns()
    assert sim.get_called_player() is ada
    hand = await sim.open_hand(ada)
    assert list_menus(hand)[0].placeholder == en("hand.choose_opening")
    labels = {option.label.split(" · ")[0]: option for option in list_menus(hand)[0].options}
    assert list(labels) == ["5-5-5-5", "0-0-0-0"]
    assert has_sentence(labels["5-5-5-5"].description, "hand.move_note_choice", points="+25", tiles=TILES)
    assert has_sentence(labels["0-0-0-0"].description, "hand.move_note_both", points="+25", tiles=TILES)

    preview = await ada.open_select(hand, labels["0-0-0-0"].value)
    answer = await ada.open_click(preview, find_play_label(preview))

    assert has_sentence(read_text(answer), "hand.chose_both", points="+25", tiles="2 more tiles", total="25")
    assert list_choices(answer) == []
    assert len(sim.list_calls()) == 1
    assert has_sentence(
        sim.read_board(), "event.chose_both", name="**Ada**", points="**+25**", total="25", tiles="2 more tiles"
    )
    current_hand: Message = answer
    while "### Your turn" in read_text(current_hand):
        current_hand, _ = await click_next(ada, current_hand)
    assert len((await sim.replay_match()).board.placed) == 3
    await sim.settle_turns()
    assert sim.get_called_player() is grace


async def test_automatic_zeros_call_player_to_bonus_tiles(sim: SimGuild, ada: Member, grace: Member) -> None:
    await start_quads(sim, ada, grace, deal=ZERO_DEAL)
    (call,) = sim.list_calls()
    assert [user.id for user in call.mentions] == [ada.id]
    hand = await sim.open_hand(ada)
    assert has_sentence(read_text(hand), "hand.bonus", tiles=TILES)
    assert list_menus(hand)


async def test_bonus_menu_offers_only_tiles_with_following_tile(sim: SimGuild, ada: Member, grace: Member) -> None:
    log, event_log = play_moves(
        stack_deal(load_rules("quad-ominos"), "4455 2244 0000", "4445 1244 2555 0355"),
        *("1,0=4445", "1,1=2244", "0,1=1244", "tiles"),
    )
    assert len(list(event_log.match.board.list_legal_moves(event_log.match.seats[1].hand))) == 3
    await store_match(sim, log, ada, grace)

    hand = await sim.open_hand(grace)

    (menu,) = list_menus(hand)
    assert [option.label for option in menu.options] == ["2-5-5-5 → G · +17"]
    before = await sim.take_snapshot()
    answer = await grace.read_command("tiles play", tile="0-3-5-5", place="G")
    assert answer == en("why.BONUS_TILES_IMPOSSIBLE_TILE", tile="0-3-5-5", tiles="2")
    assert await sim.take_snapshot() == before
    for label in ("2-5-5-5 → ", "0-3-5-5 → "):
        assert list_menus(hand)[0].options[0].label.startswith(label)
        preview = await grace.open_select(hand, list_menus(hand)[0].options[0].value)
        hand = await grace.open_click(preview, find_play_label(preview))
    assert (await sim.replay_match()).round == 2, "both were placed, and Grace went out"


async def test_impossible_bonus_tiles_are_refused(sim: SimGuild, ada: Member, grace: Member) -> None:
    log, _ = play_moves(
        stack_deal(load_rules("quad-ominos"), "4455 2244 3333", "4445 1244 0000 0001", by_hand=True),
        *("0,0=4455", "1,0=4445", "1,1=2244", "0,1=1244"),
    )
    await store_match(sim, log, ada, grace)
    hand = await sim.open_hand(grace)
    assert has_sentence(read_text(hand), "hand.choice_only")
    assert list_choices(hand) == [POINTS]
    answer = await grace.read_command("tiles choose", option="tiles")
    assert answer == en("why.BONUS_TILES_IMPOSSIBLE", tiles="2")
    assert (await grace.read_click(hand, POINTS)).startswith(en("hand.chose_points", points="+25", total="53"))


async def test_only_possible_bonus_is_taken_without_question(sim: SimGuild, ada: Member, grace: Member) -> None:
    log, _ = play_moves(
        stack_deal(load_rules("quad-ominos"), "4455 2244 3333", "4445 1244 0000 0001"), "1,0=4445", "1,1=2244"
    )
    await store_match(sim, log, ada, grace)
    (menu,) = list_menus(await sim.open_hand(grace))
    bonus_descriptions = [one.description for one in menu.options if "then" in str(one.description)]
    assert bonus_descriptions
    assert not any("more tile" in str(description) for description in bonus_descriptions), "only the points"
    answer = await grace.read_command("tiles play", tile="1-2-4-4", place="0,1")
    assert has_sentence(
        answer, "hand.played_at", tile="1-2-4-4", where="between 2-2-4-4 and 4-4-5-5", arithmetic="**+11**", total="28"
    )
    assert has_sentence(answer, "hand.chose_points", points="+25", total="53")
    await sim.settle_turns()
    assert sim.get_called_player() is ada


async def test_star_corner_play_offers_further_turn(sim: SimGuild, ada: Member, grace: Member) -> None:
    await sim.start_table(ada, grace, game="star", deal=CORNER_DEAL)
    (call,) = sim.list_calls()
    hand, note = await sim.open_hand(grace), en("hand.move_note_corner")
    option = next(one for one in list_menus(hand)[0].options if one.description.startswith(note))
    preview = await grace.open_select(hand, option.value)
    assert has_sentence(read_text(preview), "where.corner")

    further_turn = await grace.open_click(preview, find_play_label(preview))

    assert has_sentence(read_text(further_turn), "hand.further")
    assert list_choices(further_turn) == [STOP]
    assert list_menus(further_turn)
    assert [one.id for one in sim.list_calls()] == [call.id]
    board = sim.read_board()
    move_line = (
        r"\*\*Grace\*\* played 0-4-4 corner to corner with 4-4-4 \([a-z ]+ to [a-z ]+\): 8 \+ 12 = \*\*\+20\*\* → 20"
    )
    assert re.search(move_line, board)
    assert has_sentence(board, "board.whose_further", name="Grace")

    answer = await grace.read_click(further_turn, STOP)

    assert answer.startswith(en("hand.chose_stop"))
    assert has_sentence(sim.read_board(), "event.chose_stop", name="**Grace**")
    await sim.settle_turns()
    assert sim.get_called_player() is ada
    assert len(sim.list_calls()) == 1


async def test_forced_further_turn_has_no_stop(sim: SimGuild, ada: Member, grace: Member) -> None:
    log, _ = play_moves(
        stack_deal(load_rules("star").with_option("extra_turn", "forced"), "233 000 BOSS", "343 344 333", by_hand=True),
        *("U0,0=233", "D1,-1=343"),
    )
    await store_match(sim, log, ada, grace)
    hand = await sim.open_hand(grace)
    assert has_sentence(read_text(hand), "hand.further_must")
    assert not has_sentence(read_text(hand), "hand.further")
    assert list_menus(hand)
    assert list_choices(hand) == []
    assert has_sentence(sim.read_board(), "board.whose_further_must", name="Grace")


@pytest.mark.parametrize("way", ["pressed", "typed"])
async def test_further_turn_is_ended_once_by_its_player_only(
    sim: SimGuild, ada: Member, grace: Member, linus: Member, way: str
) -> None:
    await sim.start_table(ada, grace, game="star", deal=CORNER_DEAL)
    further_turn = await sim.open_hand(grace)
    while not list_choices(further_turn):
        further_turn, _ = await click_next(grace, further_turn)
    copied_message = await sim.post(read_button_ids(further_turn)[STOP])
    others = await sim.open_hand(ada)
    assert list_choices(others) == []
    assert has_sentence(read_text(others), "hand.title_wait", name="Grace")
    before = await sim.take_snapshot()

    async def end_turn(person: Member) -> str:
        if way == "typed":
            return await person.read_command("tiles choose", option="stop")
        return await person.read_click(copied_message, "Button 0")

    assert (await end_turn(ada)).startswith(en("why.NOT_YOUR_TURN", name="Grace"))
    assert (await end_turn(linus)).startswith(en("no.NOT_SEATED"))
    for command in ("draw", "pass"):
        answer = await grace.read_command(f"tiles {command}")
        assert answer == en("why.MUST_CHOOSE", options=en("option.stop"))
    assert await sim.take_snapshot() == before
    await sim.restart()
    assert (await end_turn(grace)).startswith(en("hand.chose_stop"))
    after = await sim.take_snapshot()
    second_answer = await end_turn(grace)
    assert second_answer.startswith(en("why.NOT_YOUR_TURN", name="Ada") if way == "typed" else en("no.STALE"))
    assert await sim.take_snapshot() == after
    assert sum(isinstance(event, Chose) for event in (await sim.load_stored_match()).events) == 1


async def test_computer_chooses_bonus_then_player_is_called(sim: SimGuild, ada: Member) -> None:
    await start_quads(sim, ada, deal=COMPUTER_QUAD_DEAL, computers=1)
    chosen = [event for event in (await sim.load_stored_match()).events if isinstance(event, Chose)]
    assert [event.seat for event in chosen] == [1]
    await sim.settle_turns()
    assert sim.get_called_player() is ada
    assert len(sim.list_calls()) == 1
    board = sim.read_board()
    assert has_sentence(
        board, "event.opened", name="**Computer (medium)**", tile="5-5-5-5", arithmetic="**+20**", total="20"
    )
    assert "bonus" in board
