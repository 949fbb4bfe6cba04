"""Choices inside a turn: a bonus or two more tiles, the quad of zeros, a further turn in Star."""

from __future__ import annotations

import re

import pytest
from simcord import MemberActor

from data.rulebook import rules
from engine.events import Chose, Placed
from engine.tiles import tile_text
from tests.bot.house import House
from tests.bot.presses import PLAY, press_on, take_turn
from tests.bot.reading import Message, button_ids, menus, private, told, words_of
from tests.bot.stacked import dealt, played, seated

# Deals of Quad-Ominos with half hands, while everybody presses what comes first.
QUAD = 7
"""Ada opens with 2-2-2-2, which plays itself and earns the bonus."""
THIRD_CORNER = 94
"""After four tiles, one of Grace's matches three corners."""
ZERO_OR_QUAD = 5
"""Ada holds 5-5-5-5 and 0-0-0-0."""
ZERO = 12
"""Ada opens with 0-0-0-0, which is the highest she has; two more tiles fit."""
COMPUTER_QUAD = 3
"""The second seat opens with 5-5-5-5."""

CORNER = 47
"""A deal of Star: Ada opens, and Grace's best tile goes corner to corner."""

POINTS, TILES, STOP = "+25 points", "2 more tiles", "End my turn"


async def quads(house: House, *people: MemberActor, deal: int, **terms: object) -> None:
    """A table of Quad-Ominos with half hands."""
    house.deals.wanted = [deal]
    await house.table(*people, game="quad-ominos", options="deal=half", **terms)


def choices(message: Message) -> list[str]:
    """The buttons that say how a turn goes on."""
    return [label for label, custom_id in button_ids(message).items() if custom_id.startswith("by:choose:")]


def play_label(preview: Message) -> str:
    """What stands on the button that plays the move one looks at."""
    return next(label for label in button_ids(preview) if PLAY.fullmatch(label))


async def third_corner(house: House, ada: MemberActor, grace: MemberActor) -> Message:
    """Up to the tile of Grace's that matches three corners; answers with what she is told when she has played it."""
    await quads(house, ada, grace, deal=THIRD_CORNER)
    for _ in range(3):
        await take_turn(house, house.to_move())
    await house.stands()
    assert house.to_move() is grace
    hand: Message = await house.hand(grace)
    while not choices(hand):
        hand, _ = await press_on(grace, hand)
    return hand


async def star_corner(house: House, ada: MemberActor, grace: MemberActor) -> Message:
    """Up to Grace's corner play; answers with what she is told when she has played it."""
    house.deals.wanted = [CORNER]
    await house.table(ada, grace, game="star")
    hand: Message = await house.hand(grace)
    while not choices(hand):
        hand, _ = await press_on(grace, hand)
    return hand


async def test_an_opening_that_plays_itself_calls_its_player_to_the_choice(
    house: House, ada: MemberActor, grace: MemberActor
) -> None:
    await quads(house, ada, grace, deal=QUAD)

    (call,) = house.calls()
    assert [user.id for user in call.mentions] == [ada.id]
    board = words_of(house.board())
    assert "**Ada** opened with 2-2-2-2: **+8** → 8" in board
    assert "**Ada** chooses: +25 points, or 2 more tiles now." in board
    hand = private(await ada.click(call, label="My hand"))
    assert "Your tile earned a bonus: take the points, or play further tiles now." in words_of(hand)
    assert choices(hand) == [POINTS, TILES]
    assert menus(hand) == []


async def test_a_third_matched_corner_is_announced_before_and_chosen_after_it_is_played(
    house: House, ada: MemberActor, grace: MemberActor
) -> None:
    await quads(house, ada, grace, deal=THIRD_CORNER)
    for _ in range(3):
        await take_turn(house, house.to_move())
    (call,) = house.calls()
    hand = await house.hand(grace)
    chosen = private(await grace.select(hand, [menus(hand)[0].options[0].value]))
    option = menus(chosen)[0].options[0] if menus(chosen) else None
    preview = private(await grace.select(chosen, [option.value])) if option else chosen
    assert option is None or "then +25 or 2 more tiles" in option.description
    assert "then +25 or 2 more tiles" in words_of(preview)

    earned = private(await grace.click(preview, label=play_label(preview)))

    assert words_of(earned).startswith("You played 1-5-5-5 ")
    assert choices(earned) == [POINTS, TILES]
    assert [one.id for one in house.calls()] == [call.id], "nobody is called to a turn they are in the middle of"
    assert "**Grace** chooses: +25 points, or 2 more tiles now." in words_of(house.board())
    for reader in (ada, house.person("Linus")):
        assert "**Grace** chooses" in told(await reader.slash(house.channel, "tiles board", text=True))

    before = (await house.match()).seats[1].total
    took = told(await grace.click(earned, label=POINTS))

    assert took.startswith(f"You took the bonus: +25. You have {before + 25}.")
    assert f"**Grace** took the bonus: **+25** → {before + 25}" in words_of(house.board())
    await house.stands()
    assert house.to_move() is ada
    assert len(house.calls()) == 1


async def test_two_more_tiles_are_played_one_after_the_other_without_another_call(
    house: House, ada: MemberActor, grace: MemberActor
) -> None:
    earned = await third_corner(house, ada, grace)
    (call,) = house.calls()
    seat = (await house.match()).seats[1]
    held, total = len(seat.hand), seat.total

    hand: Message = private(await grace.click(earned, label=TILES))
    assert "Now place 2 more tiles." in words_of(hand)
    assert "Your bonus: 2 more tiles to place now." in words_of(hand)
    assert "**Grace** places 2 more tiles." in words_of(house.board())
    assert "**Grace** plays 2 more tiles instead of the bonus" in words_of(house.board())
    while "Your bonus: 1 more tile to place now" not in words_of(hand):
        hand, _ = await press_on(grace, hand)
        assert choices(hand) == []
    assert "**Grace** places 1 more tile." in words_of(house.board())
    assert [one.id for one in house.calls()] == [call.id]
    while "### Your turn" in words_of(hand):
        hand, _ = await press_on(grace, hand)

    placed = [event for event in (await house.loaded()).events if isinstance(event, Placed)][-2:]
    match = await house.match()
    assert len(match.seats[1].hand) == held - 2
    assert match.seats[1].total == total + sum(event.points for event in placed)
    await house.stands()
    assert house.to_move() is ada
    board = words_of(house.board())
    assert all(tile_text(event.tile) in board for event in placed), "all that came since Ada's turn is told"


async def test_the_choice_is_nobody_elses(
    house: House, ada: MemberActor, grace: MemberActor, linus: MemberActor
) -> None:
    earned = await third_corner(house, ada, grace)
    copied = await house.post(*(button_ids(earned)[label] for label in (POINTS, TILES)))
    before = await house.standing()
    hand = await house.hand(ada)
    assert choices(hand) == []
    assert "Grace is to play" in words_of(hand)
    for number in range(2):
        assert told(await ada.click(copied, label=f"Button {number}")).startswith("It is Grace's turn.")
        assert told(await linus.click(copied, label=f"Button {number}")).startswith("You are watching this match.")
    for option in ("points", "tiles", "stop"):
        said = told(await ada.slash(house.channel, "tiles choose", option=option))
        assert said.startswith("It is Grace's turn.")
        assert "You are watching" in told(await linus.slash(house.channel, "tiles choose", option=option))
    assert await house.standing() == before


async def test_a_choice_pressed_twice_counts_once(house: House, ada: MemberActor, grace: MemberActor) -> None:
    earned = await third_corner(house, ada, grace)
    twin = await house.post(*(button_ids(earned)[label] for label in (POINTS, TILES)))
    await grace.click(earned, label=POINTS)
    after = await house.standing()
    for number in range(2):
        again = told(await grace.click(twin, label=f"Button {number}"))
        assert again.startswith("The table has moved on since that button. This is how it stands now.")
        assert "Ada is to play" in again
    assert await house.standing() == after
    assert sum(isinstance(event, Chose) for event in (await house.loaded()).events) == 1


async def test_an_open_choice_survives_a_restart(house: House, ada: MemberActor, grace: MemberActor) -> None:
    earned = await third_corner(house, ada, grace)
    await house.restart()
    assert choices(await house.hand(grace)) == [POINTS, TILES]
    hand: Message = private(await grace.click(earned, label=TILES))
    await house.restart()
    while "### Your turn" in words_of(hand):
        hand, _ = await press_on(grace, hand)
        await house.restart()
    await house.stands()
    assert house.to_move() is ada
    assert len(house.calls()) == len(house.boards()) == 1


async def test_a_choice_is_typed_as_well(house: House, ada: MemberActor, grace: MemberActor) -> None:
    await third_corner(house, ada, grace)
    total = (await house.match()).seats[1].total
    assert told(await grace.slash(house.channel, "tiles choose", option="stop")).startswith(
        "First say how your turn goes on: take the points or play further tiles."
    )
    typed = told(await grace.slash(house.channel, "tiles choose", option="points"))
    assert typed.startswith(f"You took the bonus: +25. You have {total + 25}.")
    assert told(await ada.slash(house.channel, "tiles choose", option="points")) == ("There is nothing to choose now.")


async def test_nothing_else_is_done_while_a_choice_is_open(house: House, ada: MemberActor, grace: MemberActor) -> None:
    await third_corner(house, ada, grace)
    tile = tile_text((await house.match()).seats[1].hand[0])
    before = await house.standing()
    for command, options in (("play", {"tile": tile, "place": "A"}), ("draw", {}), ("pass", {})):
        said = told(await grace.slash(house.channel, f"tiles {command}", **options))
        assert said == (
            "First say how your turn goes on: take the points or play further tiles. "
            "**My hand** has the buttons; `/tiles choose` does it too."
        )
    assert await house.standing() == before


async def test_the_quad_of_zeros_may_open_instead_and_earns_both(
    house: House, ada: MemberActor, grace: MemberActor
) -> None:
    await quads(house, ada, grace, deal=ZERO_OR_QUAD)
    await house.stands()
    assert house.to_move() is ada
    hand = await house.hand(ada)
    assert menus(hand)[0].placeholder == "Choose the tile that opens…"
    labels = {option.label.split(" · ")[0]: option for option in menus(hand)[0].options}
    assert list(labels) == ["5-5-5-5", "0-0-0-0"]
    assert "then +25 or 2 more tiles" in labels["5-5-5-5"].description
    assert "+25 and 2 more tiles" in labels["0-0-0-0"].description

    preview = private(await ada.select(hand, [labels["0-0-0-0"].value]))
    played = private(await ada.click(preview, label=play_label(preview)))

    assert "You took the bonus, +25, and may place 2 more tiles. You have 25." in words_of(played)
    assert choices(played) == []
    assert len(house.calls()) == 1
    assert "**Ada** took the bonus, **+25** → 25, and plays 2 more tiles" in words_of(house.board())
    hand_now: Message = played
    while "### Your turn" in words_of(hand_now):
        hand_now, _ = await press_on(ada, hand_now)
    assert len((await house.match()).board.placed) == 3
    await house.stands()
    assert house.to_move() is grace


async def test_the_higher_quad_opens_too_and_earns_one_of_them(
    house: House, ada: MemberActor, grace: MemberActor
) -> None:
    await quads(house, ada, grace, deal=ZERO_OR_QUAD)
    said = told(await ada.slash(house.channel, "tiles play", tile="5-5-5-5"))
    assert said.startswith("You opened with 5-5-5-5: **+20**. You have 20.")
    assert choices(await house.hand(ada)) == [POINTS, TILES]


async def test_zeros_that_open_by_themselves_call_their_player_to_the_further_tiles(
    house: House, ada: MemberActor, grace: MemberActor
) -> None:
    await quads(house, ada, grace, deal=ZERO)
    (call,) = house.calls()
    assert [user.id for user in call.mentions] == [ada.id]
    hand = await house.hand(ada)
    assert "Your bonus: 2 more tiles to place now" in words_of(hand)
    assert menus(hand)


async def test_the_menu_of_a_bonus_has_only_tiles_that_leave_another(
    house: House, ada: MemberActor, grace: MemberActor
) -> None:
    log, story = played(
        dealt(rules("quad-ominos"), "4455 2244 0000", "4445 1244 2555 0355"),
        *("1,0=4445", "1,1=2244", "0,1=1244", "tiles"),
    )
    assert len(list(story.match.board.legal(story.match.seats[1].hand))) == 3
    await seated(house, log, ada, grace)

    hand = await house.hand(grace)

    (menu,) = menus(hand)
    assert [option.label for option in menu.options] == ["2-5-5-5 → G · +17"]
    before = await house.standing()
    said = told(await grace.slash(house.channel, "tiles play", tile="0-3-5-5", place="G"))
    assert said == "After 0-3-5-5 there your next tile would find no place, and the bonus is 2 tiles."
    assert await house.standing() == before
    for label in ("2-5-5-5 → ", "0-3-5-5 → "):
        assert menus(hand)[0].options[0].label.startswith(label)
        preview = private(await grace.select(hand, [menus(hand)[0].options[0].value]))
        hand = private(await grace.click(preview, label=play_label(preview)))
    assert (await house.match()).round == 2, "both were placed, and Grace went out"


async def test_tiles_that_cannot_both_be_played_are_refused_with_the_reason(
    house: House, ada: MemberActor, grace: MemberActor
) -> None:
    log, _ = played(
        dealt(rules("quad-ominos"), "4455 2244 3333", "4445 1244 0000 0001", by_hand=True),
        *("0,0=4455", "1,0=4445", "1,1=2244", "0,1=1244"),
    )
    await seated(house, log, ada, grace)
    hand = await house.hand(grace)
    assert "Your tile earned a bonus: take the points." in words_of(hand)
    assert choices(hand) == [POINTS]
    said = told(await grace.slash(house.channel, "tiles choose", option="tiles"))
    assert said == "No 2 tiles of yours can be placed one after the other now: take the points."
    assert told(await grace.click(hand, label=POINTS)).startswith("You took the bonus: +25. You have 53.")


async def test_where_only_the_points_can_be_taken_nobody_is_asked(
    house: House, ada: MemberActor, grace: MemberActor
) -> None:
    log, _ = played(dealt(rules("quad-ominos"), "4455 2244 3333", "4445 1244 0000 0001"), "1,0=4445", "1,1=2244")
    await seated(house, log, ada, grace)
    (menu,) = menus(await house.hand(grace))
    earning = [one.description for one in menu.options if "then" in str(one.description)]
    assert earning
    assert not any("more tile" in str(about) for about in earning), "only the points"
    said = told(await grace.slash(house.channel, "tiles play", tile="1-2-4-4", place="0,1"))
    assert "You played 1-2-4-4 between 2-2-4-4 and 4-4-5-5: **+11**. You have 28." in said
    assert "You took the bonus: +25. You have 53." in said
    await house.stands()
    assert house.to_move() is ada


async def test_a_corner_play_in_star_gives_a_further_turn_that_one_may_leave(
    house: House, ada: MemberActor, grace: MemberActor
) -> None:
    house.deals.wanted = [CORNER]
    await house.table(ada, grace, game="star")
    (call,) = house.calls()
    hand = await house.hand(grace)
    chosen = private(await grace.select(hand, [menus(hand)[0].options[0].value]))
    option = menus(chosen)[0].options[0]
    assert "then a further turn · corner to corner with " in option.description
    preview = private(await grace.select(chosen, [option.value]))
    assert "corner to corner with " in words_of(preview)

    went_on = private(await grace.click(preview, label=play_label(preview)))

    assert "A further turn: place a tile next to the one you just placed, or end your turn." in words_of(went_on)
    assert choices(went_on) == [STOP]
    assert menus(went_on)
    assert [one.id for one in house.calls()] == [call.id]
    board = words_of(house.board())
    told_so = (
        r"\*\*Grace\*\* played 0-4-4 corner to corner with 4-4-4 \([a-z ]+ to [a-z ]+\): 8 \+ 12 = \*\*\+20\*\* → 20"
    )
    assert re.search(told_so, board)
    assert "**Grace** may place another tile next to that one, or end the turn." in board

    said = told(await grace.click(went_on, label=STOP))

    assert said.startswith("You ended your turn.")
    assert "**Grace** ended the turn" in words_of(house.board())
    await house.stands()
    assert house.to_move() is ada
    assert len(house.calls()) == 1


async def test_where_whoever_can_must_go_on_nobody_is_told_that_they_may_stop(
    house: House, ada: MemberActor, grace: MemberActor
) -> None:
    log, _ = played(
        dealt(rules("star").with_option("extra_turn", "forced"), "233 000 BOSS", "343 344 333", by_hand=True),
        *("U0,0=233", "D1,-1=343"),
    )
    await seated(house, log, ada, grace)
    hand = await house.hand(grace)
    assert "A further turn: place a tile next to the one you just placed." in words_of(hand)
    assert "end your turn" not in words_of(hand)
    assert menus(hand)
    assert choices(hand) == []
    assert "**Grace** goes on: another tile next to that one, if one fits." in words_of(house.board())


async def test_a_further_turn_is_taken_with_a_tile_next_to_the_last_one(
    house: House, ada: MemberActor, grace: MemberActor
) -> None:
    hand = await star_corner(house, ada, grace)
    last = next(reversed((await house.match()).board.placed))
    while "### Your turn" in words_of(hand):
        hand, _ = await press_on(grace, hand)
    match = await house.match()
    further = next(reversed(match.board.placed))
    assert further != last
    assert match.turn == 0
    await house.stands()
    assert house.to_move() is ada
    assert words_of(house.board()).count("**Grace** played ") == 2


@pytest.mark.parametrize("way", ["pressed", "typed"])
async def test_a_further_turn_is_left_by_its_player_alone_and_once(
    house: House, ada: MemberActor, grace: MemberActor, linus: MemberActor, way: str
) -> None:
    went_on = await star_corner(house, ada, grace)
    copied = await house.post(button_ids(went_on)[STOP])
    before = await house.standing()

    async def stop(person: MemberActor) -> str:
        if way == "typed":
            return told(await person.slash(house.channel, "tiles choose", option="stop"))
        return told(await person.click(copied, label="Button 0"))

    assert (await stop(ada)).startswith("It is Grace's turn.")
    assert (await stop(linus)).startswith("You are watching this match.")
    for command in ("draw", "pass"):
        said = told(await grace.slash(house.channel, f"tiles {command}"))
        assert said.startswith("First say how your turn goes on: end your turn.")
    assert await house.standing() == before
    await house.restart()
    assert (await stop(grace)).startswith("You ended your turn.")
    after = await house.standing()
    again = await stop(grace)
    assert again.startswith("It is Ada's turn." if way == "typed" else "The table has moved on since that button.")
    assert await house.standing() == after


async def test_a_further_turn_without_a_tile_that_fits_ends_by_itself(
    house: House, ada: MemberActor, grace: MemberActor
) -> None:
    log, _ = played(dealt(rules("star"), "234 034 001", "344 000 111"))
    await seated(house, log, ada, grace)
    await grace.slash(house.channel, "tiles play", tile="3-4-4", place="D1,-1")
    chosen = [event for event in (await house.loaded()).events if isinstance(event, Chose)]
    assert [(event.seat, event.option) for event in chosen] == [(1, "stop")]
    await house.stands()
    assert house.to_move() is ada


async def test_a_computer_chooses_by_itself_and_then_calls_the_person(house: House, ada: MemberActor) -> None:
    await quads(house, ada, deal=COMPUTER_QUAD, computers=1)
    chosen = [event for event in (await house.loaded()).events if isinstance(event, Chose)]
    assert [event.seat for event in chosen] == [1]
    await house.stands()
    assert house.to_move() is ada
    assert len(house.calls()) == 1
    board = words_of(house.board())
    assert "**Computer (medium)** opened with 5-5-5-5: **+20** → 20" in board
    assert "bonus" in board
