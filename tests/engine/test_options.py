"""Where the sources differ: each option of RULES §3.1 on a table where its readings part.

Those that only change what a placement scores also stand in `test_readings`, against the second opinion.
"""

from collections.abc import Sequence

import pytest

from engine.actions import Draw, Pass, Resign
from engine.decide import decide, forced, start
from engine.errors import RuleBroken, Why
from engine.events import Dealt, Drew, Event, MatchEnded, Passed, Placed, Resigned, RoundEnded
from engine.placing import judge
from engine.rules import Opening
from tests.engine.examples import TRIOMINOES
from tests.engine.readings import CHOICES, READINGS, reading
from tests.engine.tables import SECRET, act, board, match, placement, play, tile, tiles, totals

FIVES = "U0,0=555"
OPTIONS = reading().options()


def kinds(events: Sequence[Event]) -> list[type[Event]]:
    return [type(event) for event in events]


def refusal(table, action) -> Why:
    with pytest.raises(RuleBroken) as refused:
        decide(table, action, SECRET)
    return refused.value.why


def test_between_them_the_tables_of_the_tests_play_every_reading():
    for name, values in CHOICES.items():
        assert {getattr(rules, name) for rules in READINGS.values()} == set(values), name
    assert {rules.draw_limit for rules in READINGS.values()} == {3, "unlimited"}
    assert {rules.empty_boneyard_penalty for rules in READINGS.values()} == {10, 0}
    assert set(OPTIONS) == {*CHOICES, "target", "draw_limit", "empty_boneyard_penalty"}


def test_the_first_reading_of_every_option_is_the_default():
    assert {name: getattr(reading(), name) for name in CHOICES} == {name: values[0] for name, values in CHOICES.items()}


@pytest.mark.parametrize("name", OPTIONS)
def test_an_option_can_be_set_as_somebody_writes_it_and_changes_nothing_else(name: str):
    for value in CHOICES.get(name, ("7",)):
        changed = reading().with_option(name, value)
        assert str(getattr(changed, name)) == value
        assert changed.with_option(name, str(getattr(reading(), name))) == reading()


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("bridge_extension", "some", "bridge_extension is two_sides, opposite_point, none; not 'some'"),
        ("voluntary_draw", "True", "voluntary_draw is off, on; not 'True'"),
        ("draw_limit", "two", "draw_limit is a whole number or unlimited; not 'two'"),
        ("draw_limit", "101", "draw_limit must be from 0 to 100, or unlimited"),
        ("target", "unlimited", "target is a whole number; not 'unlimited'"),
        ("target", "٤٠٠", "target is a whole number; not '٤٠٠'"),
        ("target", "0", "target must be from 1 to 100000"),
        ("bridge", "50", f"there is no option 'bridge'; there is {', '.join(OPTIONS)}"),
        ("game", "chess", f"there is no option 'game'; there is {', '.join(OPTIONS)}"),
        ("", "", f"there is no option ''; there is {', '.join(OPTIONS)}"),
    ],
)
def test_a_wrong_option_is_refused_with_what_is_allowed(name: str, value: str, message: str):
    with pytest.raises(ValueError) as refused:
        reading().with_option(name, value)

    assert str(refused.value) == message


# -- placing ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("example", "points"),
    [
        ("T31", {"bridge_extension=two_sides": 46, "bridge_extension=opposite_point": 46, "bridge_extension=none": 6}),
        ("T62", {"bridge_extension=two_sides": 48, "bridge_extension=opposite_point": 8, "bridge_extension=none": 8}),
        ("T30", {"bridge_extension=two_sides": 47, "bridge_extension=opposite_point": 47, "bridge_extension=none": 47}),
        ("T34", {"bonus_stacking=hexagon_only": 60, "bonus_stacking=sum": 100}),
        ("T25", {"bonus_stacking=hexagon_only": 60, "bonus_stacking=sum": 60}),
        ("T25", {"hexagon_scale=per_hexagon": 60, "hexagon_scale=stepped": 60}),
        ("T26", {"hexagon_scale=per_hexagon": 110, "hexagon_scale=stepped": 70}),
        ("T28", {"hexagon_scale=per_hexagon": 160, "hexagon_scale=stepped": 80}),
        ("T28", {"hexagon_scale=stepped bonus_stacking=sum": 80}),
    ],
)
def test_the_readings_of_a_bonus(example: str, points: dict[str, int]):
    row = next(row for row in TRIOMINOES if row.id == example)

    found = {text: judge(board(row.position), placement(row.placed), reading(text)).points for text in points}

    assert found == points


@pytest.mark.parametrize(
    ("tiles", "there"),
    [("trio56", [True, False, False]), ("trio84", [True, True, False]), ("mac76", [True, False, True])],
)
def test_the_set_says_which_tiles_there_are(tiles: str, there: list[bool]):
    rules = reading(f"tile_set={tiles}")

    for shown, exists in zip(("013", "666", "031"), there, strict=True):
        if exists:
            judge(board(), placement(f"U0,0={shown}"), rules)
            continue
        with pytest.raises(RuleBroken) as refused:
            judge(board(), placement(f"U0,0={shown}"), rules)
        assert refused.value.why is Why.NO_SUCH_TILE


# -- opening ------------------------------------------------------------------------------------------------


def opens(text: str, *hands: str) -> Opening:
    return reading(text).opening([tiles(hand) for hand in hands])


@pytest.mark.parametrize(
    ("hands", "only_if_top", "holder_may_choose"),
    [
        (("0-0-0 1-1-1", "4-5-5"), "0 1-1-1", "0 0-0-0 1-1-1"),
        (("0-0-0 1-2-2", "2-2-2"), "1 2-2-2", "1 2-2-2"),
        (("0-0-0 1-2-2", "2-4-4"), "0 0-0-0", "0 0-0-0"),
    ],
)
def test_zeros_open_only_alone_or_where_the_holder_of_the_highest_triple_likes(
    hands: tuple[str, ...], only_if_top: str, holder_may_choose: str
):
    for value, expected in (("only_if_top", only_if_top), ("holder_may_choose", holder_may_choose)):
        seat, choices = expected.split(" ", 1)
        assert opens(f"zero_opening={value}", *hands) == (int(seat), tiles(choices))


def test_who_opens_with_zeros_by_choice_scores_forty():
    table = match(["0-0-0 1-1-1", "4-5-5"], choices="0-0-0 1-1-1", rules=reading("zero_opening=holder_may_choose"))
    assert forced(table) is None

    act(table, play(0, "U0,0=000"))

    assert totals(table) == [40, 0]


@pytest.mark.parametrize(
    ("hands", "next_tile", "next_unique_sum"),
    [
        # 13 = 13; then 6 and 9: under both B opens, with its top tile or with the 9 that it alone holds.
        (("3-5-5 1-2-3", "4-4-5 0-4-5"), "1 4-4-5", "1 0-4-5"),
        # The 12 that C alone holds is the highest sum held by one player, though C had no part in the tie.
        (("3-5-5 1-2-3", "4-4-5 0-4-5", "2-5-5 0-0-1"), "1 4-4-5", "2 2-5-5"),
        # Two tiles of one player are no tie.
        (("3-5-5 4-4-5", "3-4-5 2-5-5"), "0 3-5-5 4-4-5", "0 3-5-5 4-4-5"),
        # Equal throughout: the lowest seat.
        (("3-5-5 1-2-3", "4-4-5 0-2-4"), "0 3-5-5", "0 3-5-5"),
    ],
)
def test_a_tie_for_the_opening_goes_to_the_next_tile_or_to_a_sum_that_one_player_holds(
    hands: tuple[str, ...], next_tile: str, next_unique_sum: str
):
    for value, expected in (("next_tile", next_tile), ("next_unique_sum", next_unique_sum)):
        seat, choices = expected.split(" ", 1)
        assert opens(f"opening_tie={value}", *hands) == (int(seat), tuple(sorted(tiles(choices))))


def test_the_opener_is_found_by_the_rule_or_by_lot_with_any_tile():
    by_lot, by_rule = reading("opening_choice=any_tile"), reading()
    openers = set()
    for number in range(60):
        secret = bytes([number]) * 32
        _, lot = start(by_lot, seats=3, computers=(), by_hand=True, secret=secret)
        _, rule = start(by_rule, seats=3, computers=(), by_hand=True, secret=secret)
        assert isinstance(lot, Dealt)
        assert isinstance(rule, Dealt)
        assert (lot.hands, lot.boneyard) == (rule.hands, rule.boneyard)
        assert lot.choices == tuple(sorted(lot.hands[lot.opener]))
        assert (rule.opener, rule.choices) == by_rule.opening(rule.hands)
        assert start(by_lot, seats=3, computers=(), by_hand=True, secret=secret)[1] == lot
        openers.add(lot.opener)
    assert openers == {0, 1, 2}


@pytest.mark.parametrize(("text", "rule", "any_tile"), [("5-5-5", 25, 15), ("0-0-0", 40, 0), ("3-4-5", 12, 12)])
def test_any_tile_opens_for_its_sum_alone(text: str, rule: int, any_tile: int):
    assert reading().opening_score(tile(text)).points == rule
    assert reading("opening_choice=any_tile").opening_score(tile(text)).points == any_tile


# -- a turn in which nothing fits, or in which somebody would rather not --------------------------------------


def test_who_could_place_may_draw_only_where_that_is_the_reading():
    table = match(["1-2-3 0-0-0", "4-4-4"], position="U0,0=135", boneyard="0-0-1 0-0-2 0-0-3 0-0-4")
    willing = match(
        ["1-2-3 0-0-0", "4-4-4"],
        position="U0,0=135",
        boneyard="0-0-1 0-0-2 0-0-3 0-0-4",
        rules=reading("voluntary_draw=on"),
    )
    assert refusal(table, Draw(0)) is Why.MUST_PLAY
    assert refusal(table, Pass(0)) is Why.MUST_PLAY

    act(willing, Draw(0))
    assert refusal(willing, Pass(0)) is Why.MUST_DRAW
    (placed,) = act(willing.copy(), play(0, "D-1,0=231"))
    assert placed.points == 6 - 5
    act(willing, Draw(0), Draw(0))
    assert refusal(willing, Draw(0)) is Why.DRAW_LIMIT
    (passed,) = act(willing, Pass(0))

    assert passed == Passed(0, 3, -25)
    assert willing.turn == 1


def test_nobody_draws_before_the_opening():
    table = match(["1-2-3 0-0-0", "4-4-4"], choices="0-0-0", boneyard="0-0-1", rules=reading("voluntary_draw=on"))

    assert refusal(table, Draw(0)) is Why.MUST_PLAY
    assert refusal(table, Pass(0)) is Why.MUST_PLAY


NO_FIVES = "0-0-1 0-0-2 0-0-3 0-0-4 1-1-2"


@pytest.mark.parametrize(
    ("text", "boneyard", "draws", "points"),
    [
        ("", NO_FIVES, 3, -25),
        ("draw_limit=unlimited", NO_FIVES, 5, -35),
        ("draw_limit=1", NO_FIVES, 1, -15),
        ("draw_limit=0", NO_FIVES, 0, -10),
        ("empty_boneyard_penalty=10", "0-0-1 0-0-2", 2, -20),
        ("empty_boneyard_penalty=0", "0-0-1 0-0-2", 2, -10),
        ("empty_boneyard_penalty=0", "", 0, 0),
        ("empty_boneyard_penalty=0", NO_FIVES, 3, -25),
        ("empty_boneyard_penalty=0 draw_limit=unlimited", NO_FIVES, 5, -25),
    ],
)
def test_what_a_turn_without_a_placement_costs(text: str, boneyard: str, draws: int, points: int):
    table = match(["0-1-2 0-1-3", "4-5-5"], position=FIVES, boneyard=boneyard, rules=reading(text))
    act(table, *[Draw(0)] * draws)
    assert refusal(table, Draw(0)) is (Why.DRAW_LIMIT if table.boneyard else Why.BONEYARD_EMPTY)

    (passed,) = act(table, Pass(0))

    assert passed == Passed(0, draws, points)


# -- blocked rounds -------------------------------------------------------------------------------------------


def test_a_placement_after_which_nobody_can_go_on_ends_the_round_at_once_or_after_a_circle():
    hands = ["2-5-5 0-0-1", "0-0-3"]
    circle = match(hands, position=FIVES)
    at_once = match(hands, position=FIVES, rules=reading("block_detection=immediate"))

    assert kinds(act(circle, play(0, "D0,0=525"))) == [Placed]
    assert kinds(act(circle, Pass(1), Pass(0))) == [Passed, Passed, RoundEnded, Dealt]
    assert totals(circle) == [12 - 10 + 2, -10]
    assert kinds(act(at_once, play(0, "D0,0=525"))) == [Placed, RoundEnded, Dealt]
    assert totals(at_once) == [12 + 2, 0]


def test_a_draw_that_leaves_nobody_anything_to_do_is_paid_and_the_failed_turn_is_not():
    hands = ["0-1-2", "0-0-3"]
    table = match(hands, position=FIVES, boneyard="0-0-1", rules=reading("block_detection=immediate"))

    drew, passed, over, _ = act(table, Draw(0))

    assert drew == Drew(0, (0, 0, 1))
    assert passed == Passed(0, 1, -5)
    assert over.awards == (0, 4 - 3)
    assert totals(table) == [-5, 1]


def test_a_boneyard_that_is_not_empty_waits_for_the_circle_under_both_readings():
    table = match(
        ["2-5-5 0-0-1", "0-0-3"], position=FIVES, boneyard="0-0-2", rules=reading("block_detection=immediate")
    )

    assert kinds(act(table, play(0, "D0,0=525"))) == [Placed]


def test_who_was_drawing_when_a_resignation_blocked_the_round_pays_for_it():
    hands = ["0-1-2", "0-5-5", "0-0-3"]
    table = match(hands, position=FIVES, boneyard="0-0-1", rules=reading("block_detection=immediate"))
    assert kinds(act(table, Draw(0))) == [Drew]

    happened = act(table, Resign(1))

    assert kinds(happened) == [Resigned, Passed, RoundEnded, Dealt]
    assert happened[1] == Passed(0, 1, -5)
    assert totals(table) == [-5, 0, 1]


@pytest.mark.parametrize(
    ("text", "held", "counts", "awards"),
    [
        ("blocked_bonus=differences", [23, 15, 27], [2, 2, 3], [0, 20, 0]),
        ("blocked_bonus=others_minus_own", [23, 15, 27], [2, 2, 3], [0, 35, 0]),
        ("blocked_bonus=none", [23, 15, 27], [2, 2, 3], [-23, -15, -27]),
        # Of two players both ways come to the same.
        ("blocked_bonus=differences", [23, 15], [2, 2], [0, 8]),
        ("blocked_bonus=others_minus_own", [23, 15], [2, 2], [0, 8]),
        ("blocked_winner=lowest_total", [5, 9, 20], [3, 1, 2], [19, 0, 0]),
        ("blocked_winner=fewest_tiles", [5, 9, 20], [3, 1, 2], [0, 11, 0]),
        ("blocked_winner=fewest_tiles blocked_bonus=others_minus_own", [5, 9, 20], [3, 1, 2], [0, 16, 0]),
        # The fewest tiles may weigh the most; the winner of a round never loses by it.
        ("blocked_winner=fewest_tiles", [1, 15], [2, 1], [0, 0]),
        ("blocked_winner=fewest_tiles blocked_bonus=others_minus_own", [1, 15], [2, 1], [0, 0]),
        ("blocked_tie=each", [12, 12, 20], [1, 2, 2], [8, 8, 0]),
        ("blocked_tie=none", [12, 12, 20], [1, 2, 2], [0, 0, 0]),
        ("blocked_tie=none", [12, 13, 20], [1, 1, 2], [9, 0, 0]),
        ("blocked_tie=each blocked_bonus=others_minus_own", [12, 12, 20], [1, 2, 2], [20, 20, 0]),
        ("blocked_tie=none blocked_winner=fewest_tiles", [12, 12, 20], [1, 2, 2], [8, 0, 0]),
        ("blocked_tie=none blocked_bonus=none", [12, 12, 20], [1, 2, 2], [-12, -12, -20]),
    ],
)
def test_what_a_blocked_round_pays(text: str, held: list[int], counts: list[int], awards: list[int]):
    assert reading(text).block_awards(held, counts) == awards


def test_the_fewest_tiles_are_counted_in_the_hands_of_a_match():
    table = match(
        ["0-0-1 0-0-2", "4-4-4"], position=FIVES, turn=1, failed=[0], rules=reading("blocked_winner=fewest_tiles")
    )
    _, over, _ = act(table, Pass(1))
    assert over.awards == (0, 0)

    table = match(
        ["3-4-4 0-0-2", "4-4-4"], position=FIVES, turn=1, failed=[0], rules=reading("blocked_winner=fewest_tiles")
    )
    _, over, _ = act(table, Pass(1))
    assert over.awards == (0, 1)


# -- the end of the match -------------------------------------------------------------------------------------


def crossed_and_fell(text: str) -> Event:
    """T56: one reaches 404 and falls to 379 before the round is blocked; the last event."""
    table = match(
        ["2-5-5 0-0-0", "0-5-5 0-0-1"],
        position=FIVES,
        boneyard="1-1-1 1-1-2 0-2-2",
        totals=[392, 380],
        rules=reading(text),
    )
    *_, last = act(table, play(0, "D0,0=525"), play(1, "D-1,0=055"), *[Draw(0)] * 3, Pass(0), Pass(1))
    return last


def test_a_target_that_was_reached_and_lost_again_counts_only_while_latched():
    assert isinstance(crossed_and_fell("final_round=latched"), MatchEnded)
    assert isinstance(crossed_and_fell("final_round=at_round_end"), Dealt)


@pytest.mark.parametrize(("target", "ends"), [("400", False), ("393", False), ("392", True), ("380", True)])
def test_the_match_ends_at_its_target(target: str, ends: bool):
    table = match(["2-5-5 0-0-1", "0-0-4"], position=FIVES, totals=[380, 0], rules=reading(f"target={target}"))

    # 380 + 12 is the most there is; a failed turn then takes 10, and the block gives 3 back.
    *_, last = act(table, play(0, "D0,0=525"), Pass(1), Pass(0))

    assert totals(table) == [385, -10]
    assert isinstance(last, MatchEnded) == ends


def out(text: str, before: list[int], hands: Sequence[str] = ("2-5-5", "0-0-4")) -> MatchEnded:
    """Seat 0 goes out for 12 + 25 + 4, and the match ends."""
    *_, last = act(match(hands, position=FIVES, totals=before, rules=reading(text)), play(0, "D0,0=525"))
    assert isinstance(last, MatchEnded)
    return last


@pytest.mark.parametrize(
    ("text", "before", "places"),
    [
        ("game_winner=most_points", [380, 450], (2, 1)),
        ("game_winner=round_winner", [380, 450], (1, 2)),
        # One alone has passed the target, so the winner of the round is not asked.
        ("game_winner=round_winner", [300, 450], (2, 1)),
        ("game_winner=round_winner", [380, 390], (1, 2)),
    ],
)
def test_of_several_past_the_target_the_most_points_win_or_the_winner_of_the_round(
    text: str, before: list[int], places: tuple[int, ...]
):
    assert out(text, before).places == places


@pytest.mark.parametrize("bonus", CHOICES["blocked_bonus"])
def test_a_blocked_round_has_a_winner_whatever_it_pays(bonus: str):
    table = match(
        ["0-0-1", "0-0-4"],
        position=FIVES,
        totals=[430, 480],
        turn=1,
        failed=[0],
        rules=reading(f"game_winner=round_winner blocked_bonus={bonus}"),
    )

    *_, last = act(table, Pass(1))

    assert isinstance(last, MatchEnded)
    assert last.places == (1, 2)


def test_a_loss_at_a_block_does_not_undo_a_target_that_was_reached_in_that_turn():
    hands = ["2-5-5 0-0-4", "0-0-3"]
    latched = match(
        hands, position=FIVES, totals=[390, 0], rules=reading("block_detection=immediate blocked_bonus=none")
    )
    tested = match(
        hands,
        position=FIVES,
        totals=[390, 0],
        rules=reading("block_detection=immediate blocked_bonus=none final_round=at_round_end"),
    )

    *_, end = act(latched, play(0, "D0,0=525"))
    *_, dealt = act(tested, play(0, "D0,0=525"))

    assert isinstance(end, MatchEnded)
    assert end.totals == (390 + 12 - 4, -3)
    assert isinstance(dealt, Dealt)


@pytest.mark.parametrize("final_round", CHOICES["final_round"])
def test_a_tie_for_the_first_place_is_shared_or_played_off(final_round: str):
    hands, before = ("2-5-5", "0-0-4"), [400, 441]
    assert out(f"game_tie=shared final_round={final_round}", before, hands).places == (1, 1)

    rules = reading(f"game_tie=extra_round final_round={final_round}")
    table = match(hands, position=FIVES, totals=before, rules=rules)
    *_, dealt = act(table, play(0, "D0,0=525"))

    assert isinstance(dealt, Dealt)
    assert (totals(table), table.ended, table.round) == ([441, 441], None, 2)


def test_the_round_that_plays_off_a_tie_is_the_last_unless_it_ties_again():
    table = match(["2-5-5", "0-0-4"], position=FIVES, totals=[400, 441], rules=reading("game_tie=extra_round"))
    act(table, play(0, "D0,0=525"))
    while not table.ended and table.round == 2:
        action = forced(table)
        if action is None:
            first = table.legal(table.turn)[0]
            action = play(table.turn, str(first))
        act(table, action)

    assert table.ended is not None
    assert table.ended.places in {(1, 2), (2, 1)}


def test_somebody_who_left_with_the_target_does_not_end_the_match_for_those_who_stay():
    rules = reading("final_round=at_round_end")
    table = match(["2-5-5", "0-0-4", "0-0-3"], position=FIVES, totals=[0, 410, 0], rules=rules)

    act(table, Resign(1))
    *_, dealt = act(table, play(0, "D0,0=525"))

    assert isinstance(dealt, Dealt)
