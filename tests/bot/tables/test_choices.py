"""Choices within a turn: bonus points or two more tiles, the quad of zeros, a further turn in Star."""

import re

import pytest
from simcord import MemberActor

from data.rulebook import load_rules
from engine.board.tiles import format_tile_notation
from engine.match.events import Chose, Placed
from tests.bot.messages import Message, button_ids, menus, private, told, words_of
from tests.bot.simulated_guild import SimGuild
from tests.bot.tables.greedy_clicks import PLAY, click_next, take_turn
from tests.bot.tables.stacked_deals import dealt, played, store_match
from tests.wording import en, says

QUAD_DEAL = 7
THIRD_CORNER_DEAL = 94
ZERO_OR_QUAD_DEAL = 5
ZERO_DEAL = 12
COMPUTER_QUAD_DEAL = 3

CORNER_DEAL = 47

POINTS, TILES, STOP = "+25 points", "2 more tiles", "End turn"
MUST_CHOOSE = en("why.MUST_CHOOSE", options=f"{en('option.points')} or {en('option.tiles')}")


async def start_quads(sim: SimGuild, *people: MemberActor, deal: int, **terms: object) -> None:
    sim.deals.wanted = [deal]
    await sim.table(*people, game="quad-ominos", options="deal=half", **terms)


def choices(message: Message) -> list[str]:
    return [label for label, custom_id in button_ids(message).items() if custom_id.startswith("by:choose:")]


def play_label(preview: Message) -> str:
    return next(label for label in button_ids(preview) if PLAY.fullmatch(label))


async def reach_third_corner(sim: SimGuild, ada: MemberActor, grace: MemberActor) -> Message:
    await start_quads(sim, ada, grace, deal=THIRD_CORNER_DEAL)
    for _ in range(3):
        await take_turn(sim, sim.to_move())
    await sim.stands()
    assert sim.to_move() is grace
    hand: Message = await sim.hand(grace)
    while not choices(hand):
        hand, _ = await click_next(grace, hand)
    return hand


async def reach_star_corner(sim: SimGuild, ada: MemberActor, grace: MemberActor) -> Message:
    sim.deals.wanted = [CORNER_DEAL]
    await sim.table(ada, grace, game="star")
    hand: Message = await sim.hand(grace)
    while not choices(hand):
        hand, _ = await click_next(grace, hand)
    return hand


async def test_automatic_opening_calls_player_to_choose(sim: SimGuild, ada: MemberActor, grace: MemberActor) -> None:
    await start_quads(sim, ada, grace, deal=QUAD_DEAL)

    (call,) = sim.calls()
    assert [user.id for user in call.mentions] == [ada.id]
    board = words_of(sim.board())
    assert "**Ada** opened with 2-2-2-2: **+8** → 8" in board
    assert en("board.whose_choice", name="Ada", bonus=POINTS, tiles=TILES) in board
    hand = private(await ada.click(call, label="My hand"))
    assert says(words_of(hand), "hand.choice")
    assert choices(hand) == [POINTS, TILES]
    assert menus(hand) == []


async def test_third_corner_offers_bonus_choice(sim: SimGuild, ada: MemberActor, grace: MemberActor) -> None:
    await start_quads(sim, ada, grace, deal=THIRD_CORNER_DEAL)
    for _ in range(3):
        await take_turn(sim, sim.to_move())
    (call,) = sim.calls()
    hand = await sim.hand(grace)
    chosen = private(await grace.select(hand, [menus(hand)[0].options[0].value]))
    option = menus(chosen)[0].options[0] if menus(chosen) else None
    preview = private(await grace.select(chosen, [option.value])) if option else chosen
    assert option is None or says(option.description, "hand.move_note_choice", points="+25", tiles=TILES)
    assert says(words_of(preview), "hand.move_note_choice", points="+25", tiles=TILES)

    earned = private(await grace.click(preview, label=play_label(preview)))

    assert words_of(earned).startswith("You played 1-5-5-5 ")
    assert choices(earned) == [POINTS, TILES]
    assert [one.id for one in sim.calls()] == [call.id], "nobody is called to a turn they are in the middle of"
    assert en("board.whose_choice", name="Grace", bonus=POINTS, tiles=TILES) in words_of(sim.board())
    for reader in (ada, sim.person("Linus")):
        assert "**Grace** is choosing" in told(await reader.slash(sim.channel, "tiles board", text=True))

    before = (await sim.match()).seats[1].total
    took = told(await grace.click(earned, label=POINTS))

    assert took.startswith(en("hand.chose_points", points="+25", total=before + 25))
    assert says(words_of(sim.board()), "event.chose_points", name="**Grace**", points="**+25**", total=before + 25)
    await sim.stands()
    assert sim.to_move() is ada
    assert len(sim.calls()) == 1


async def test_bonus_tiles_are_played_without_new_call(sim: SimGuild, ada: MemberActor, grace: MemberActor) -> None:
    earned = await reach_third_corner(sim, ada, grace)
    (call,) = sim.calls()
    seat = (await sim.match()).seats[1]
    held, total = len(seat.hand), seat.total

    hand: Message = private(await grace.click(earned, label=TILES))
    assert says(words_of(hand), "hand.chose_tiles", tiles="2 more tiles")
    assert says(words_of(hand), "hand.bonus", tiles="2 more tiles")
    assert en("board.whose_bonus", name="Grace", tiles=TILES) in words_of(sim.board())
    assert says(words_of(sim.board()), "event.chose_tiles", name="**Grace**", tiles="2 more tiles")
    while not says(words_of(hand), "hand.bonus", tiles="1 more tile"):
        hand, _ = await click_next(grace, hand)
        assert choices(hand) == []
    assert en("board.whose_bonus", name="Grace", tiles="1 more tile") in words_of(sim.board())
    assert [one.id for one in sim.calls()] == [call.id]
    while "### Your turn" in words_of(hand):
        hand, _ = await click_next(grace, hand)

    placed = [event for event in (await sim.loaded()).events if isinstance(event, Placed)][-2:]
    match = await sim.match()
    assert len(match.seats[1].hand) == held - 2
    assert match.seats[1].total == total + sum(event.points for event in placed)
    await sim.stands()
    assert sim.to_move() is ada
    board = words_of(sim.board())
    assert all(format_tile_notation(event.tile) in board for event in placed), "all that came since Ada's turn is told"


async def test_open_choice_survives_restart(sim: SimGuild, ada: MemberActor, grace: MemberActor) -> None:
    earned = await reach_third_corner(sim, ada, grace)
    await sim.restart()
    assert choices(await sim.hand(grace)) == [POINTS, TILES]
    hand: Message = private(await grace.click(earned, label=TILES))
    await sim.restart()
    while "### Your turn" in words_of(hand):
        hand, _ = await click_next(grace, hand)
        await sim.restart()
    await sim.stands()
    assert sim.to_move() is ada
    assert len(sim.calls()) == len(sim.boards()) == 1


async def test_open_choice_refuses_other_commands(sim: SimGuild, ada: MemberActor, grace: MemberActor) -> None:
    await reach_third_corner(sim, ada, grace)
    tile = format_tile_notation((await sim.match()).seats[1].hand[0])
    before = await sim.standing()
    others = {"play": {"tile": tile, "place": "A"}, "draw": {}, "pass": {}, "choose": {"option": "stop"}}
    for command, options in others.items():
        said = told(await grace.slash(sim.channel, f"tiles {command}", **options))
        assert said == MUST_CHOOSE
    assert await sim.standing() == before
    total = (await sim.match()).seats[1].total
    typed = told(await grace.slash(sim.channel, "tiles choose", option="points"))
    assert typed.startswith(en("hand.chose_points", points="+25", total=total + 25))
    assert told(await ada.slash(sim.channel, "tiles choose", option="points")) == en("why.NOTHING_TO_CHOOSE")


async def test_quad_of_zeros_opening_earns_both_bonuses(sim: SimGuild, ada: MemberActor, grace: MemberActor) -> None:
    await start_quads(sim, ada, grace, deal=ZERO_OR_QUAD_DEAL)
    await sim.stands()
    assert sim.to_move() is ada
    hand = await sim.hand(ada)
    assert menus(hand)[0].placeholder == en("hand.choose_opening")
    labels = {option.label.split(" · ")[0]: option for option in menus(hand)[0].options}
    assert list(labels) == ["5-5-5-5", "0-0-0-0"]
    assert says(labels["5-5-5-5"].description, "hand.move_note_choice", points="+25", tiles=TILES)
    assert says(labels["0-0-0-0"].description, "hand.move_note_both", points="+25", tiles=TILES)

    preview = private(await ada.select(hand, [labels["0-0-0-0"].value]))
    answer = private(await ada.click(preview, label=play_label(preview)))

    assert says(words_of(answer), "hand.chose_both", points="+25", tiles="2 more tiles", total="25")
    assert choices(answer) == []
    assert len(sim.calls()) == 1
    assert says(
        words_of(sim.board()), "event.chose_both", name="**Ada**", points="**+25**", total="25", tiles="2 more tiles"
    )
    hand_now: Message = answer
    while "### Your turn" in words_of(hand_now):
        hand_now, _ = await click_next(ada, hand_now)
    assert len((await sim.match()).board.placed) == 3
    await sim.stands()
    assert sim.to_move() is grace


async def test_automatic_zeros_call_player_to_bonus_tiles(sim: SimGuild, ada: MemberActor, grace: MemberActor) -> None:
    await start_quads(sim, ada, grace, deal=ZERO_DEAL)
    (call,) = sim.calls()
    assert [user.id for user in call.mentions] == [ada.id]
    hand = await sim.hand(ada)
    assert says(words_of(hand), "hand.bonus", tiles=TILES)
    assert menus(hand)


async def test_bonus_menu_offers_only_tiles_with_following_tile(
    sim: SimGuild, ada: MemberActor, grace: MemberActor
) -> None:
    log, event_log = played(
        dealt(load_rules("quad-ominos"), "4455 2244 0000", "4445 1244 2555 0355"),
        *("1,0=4445", "1,1=2244", "0,1=1244", "tiles"),
    )
    assert len(list(event_log.match.board.list_legal_moves(event_log.match.seats[1].hand))) == 3
    await store_match(sim, log, ada, grace)

    hand = await sim.hand(grace)

    (menu,) = menus(hand)
    assert [option.label for option in menu.options] == ["2-5-5-5 → G · +17"]
    before = await sim.standing()
    said = told(await grace.slash(sim.channel, "tiles play", tile="0-3-5-5", place="G"))
    assert said == en("why.BONUS_TILES_IMPOSSIBLE_TILE", tile="0-3-5-5", tiles="2")
    assert await sim.standing() == before
    for label in ("2-5-5-5 → ", "0-3-5-5 → "):
        assert menus(hand)[0].options[0].label.startswith(label)
        preview = private(await grace.select(hand, [menus(hand)[0].options[0].value]))
        hand = private(await grace.click(preview, label=play_label(preview)))
    assert (await sim.match()).round == 2, "both were placed, and Grace went out"


async def test_impossible_bonus_tiles_are_refused(sim: SimGuild, ada: MemberActor, grace: MemberActor) -> None:
    log, _ = played(
        dealt(load_rules("quad-ominos"), "4455 2244 3333", "4445 1244 0000 0001", by_hand=True),
        *("0,0=4455", "1,0=4445", "1,1=2244", "0,1=1244"),
    )
    await store_match(sim, log, ada, grace)
    hand = await sim.hand(grace)
    assert says(words_of(hand), "hand.choice_only")
    assert choices(hand) == [POINTS]
    said = told(await grace.slash(sim.channel, "tiles choose", option="tiles"))
    assert said == en("why.BONUS_TILES_IMPOSSIBLE", tiles="2")
    assert told(await grace.click(hand, label=POINTS)).startswith(en("hand.chose_points", points="+25", total="53"))


async def test_only_possible_bonus_is_taken_without_question(
    sim: SimGuild, ada: MemberActor, grace: MemberActor
) -> None:
    log, _ = played(dealt(load_rules("quad-ominos"), "4455 2244 3333", "4445 1244 0000 0001"), "1,0=4445", "1,1=2244")
    await store_match(sim, log, ada, grace)
    (menu,) = menus(await sim.hand(grace))
    earning = [one.description for one in menu.options if "then" in str(one.description)]
    assert earning
    assert not any("more tile" in str(about) for about in earning), "only the points"
    said = told(await grace.slash(sim.channel, "tiles play", tile="1-2-4-4", place="0,1"))
    assert says(
        said, "hand.played_at", tile="1-2-4-4", where="between 2-2-4-4 and 4-4-5-5", arithmetic="**+11**", total="28"
    )
    assert says(said, "hand.chose_points", points="+25", total="53")
    await sim.stands()
    assert sim.to_move() is ada


async def test_star_corner_play_offers_further_turn(sim: SimGuild, ada: MemberActor, grace: MemberActor) -> None:
    sim.deals.wanted = [CORNER_DEAL]
    await sim.table(ada, grace, game="star")
    (call,) = sim.calls()
    hand = await sim.hand(grace)
    chosen = private(await grace.select(hand, [menus(hand)[0].options[0].value]))
    option = menus(chosen)[0].options[0]
    assert option.description.startswith(en("hand.move_note_corner"))
    preview = private(await grace.select(chosen, [option.value]))
    assert says(words_of(preview), "where.corner")

    went_on = private(await grace.click(preview, label=play_label(preview)))

    assert says(words_of(went_on), "hand.further")
    assert choices(went_on) == [STOP]
    assert menus(went_on)
    assert [one.id for one in sim.calls()] == [call.id]
    board = words_of(sim.board())
    move_line = (
        r"\*\*Grace\*\* played 0-4-4 corner to corner with 4-4-4 \([a-z ]+ to [a-z ]+\): 8 \+ 12 = \*\*\+20\*\* → 20"
    )
    assert re.search(move_line, board)
    assert says(board, "board.whose_further", name="Grace")

    said = told(await grace.click(went_on, label=STOP))

    assert said.startswith(en("hand.chose_stop"))
    assert says(words_of(sim.board()), "event.chose_stop", name="**Grace**")
    await sim.stands()
    assert sim.to_move() is ada
    assert len(sim.calls()) == 1


async def test_forced_further_turn_has_no_stop(sim: SimGuild, ada: MemberActor, grace: MemberActor) -> None:
    log, _ = played(
        dealt(load_rules("star").with_option("extra_turn", "forced"), "233 000 BOSS", "343 344 333", by_hand=True),
        *("U0,0=233", "D1,-1=343"),
    )
    await store_match(sim, log, ada, grace)
    hand = await sim.hand(grace)
    assert says(words_of(hand), "hand.further_must")
    assert not says(words_of(hand), "hand.further")
    assert menus(hand)
    assert choices(hand) == []
    assert says(words_of(sim.board()), "board.whose_further_must", name="Grace")


@pytest.mark.parametrize("way", ["pressed", "typed"])
async def test_further_turn_is_ended_once_by_its_player_only(
    sim: SimGuild, ada: MemberActor, grace: MemberActor, linus: MemberActor, way: str
) -> None:
    went_on = await reach_star_corner(sim, ada, grace)
    copied = await sim.post(button_ids(went_on)[STOP])
    others = await sim.hand(ada)
    assert choices(others) == []
    assert says(words_of(others), "hand.title_wait", name="Grace")
    before = await sim.standing()

    async def stop(person: MemberActor) -> str:
        if way == "typed":
            return told(await person.slash(sim.channel, "tiles choose", option="stop"))
        return told(await person.click(copied, label="Button 0"))

    assert (await stop(ada)).startswith(en("why.NOT_YOUR_TURN", name="Grace"))
    assert (await stop(linus)).startswith(en("no.NOT_SEATED"))
    for command in ("draw", "pass"):
        said = told(await grace.slash(sim.channel, f"tiles {command}"))
        assert said == en("why.MUST_CHOOSE", options=en("option.stop"))
    assert await sim.standing() == before
    await sim.restart()
    assert (await stop(grace)).startswith(en("hand.chose_stop"))
    after = await sim.standing()
    again = await stop(grace)
    assert again.startswith(en("why.NOT_YOUR_TURN", name="Ada") if way == "typed" else en("no.STALE"))
    assert await sim.standing() == after
    assert sum(isinstance(event, Chose) for event in (await sim.loaded()).events) == 1


async def test_computer_chooses_bonus_then_player_is_called(sim: SimGuild, ada: MemberActor) -> None:
    await start_quads(sim, ada, deal=COMPUTER_QUAD_DEAL, computers=1)
    chosen = [event for event in (await sim.loaded()).events if isinstance(event, Chose)]
    assert [event.seat for event in chosen] == [1]
    await sim.stands()
    assert sim.to_move() is ada
    assert len(sim.calls()) == 1
    board = words_of(sim.board())
    assert says(board, "event.opened", name="**Computer (medium)**", tile="5-5-5-5", arithmetic="**+20**", total="20")
    assert "bonus" in board
