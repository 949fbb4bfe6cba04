"""What is shown of little tables: places and their letters, hexagons, choices, the cost of drawing."""

from data.rulebook import rules
from engine.actions import Choose
from engine.places import Touch
from engine.rules import Reward
from engine.seen import see
from tests.engine.tables import act, match, play, tiles

STAR, QUAD = rules("star"), rules("quad-ominos")


def test_the_places_of_a_star_say_at_which_corner_they_are_met():
    seen = see(match(["000", "111"], position="U0,0=234", rules=STAR), None)

    places = {str(place.cell): place for place in seen.places}

    assert places["D0,0"].touch is None
    assert places["D0,0"].needs == (None, None, 3)
    assert places["D1,-1"].touch == Touch(0, (3, 4))
    assert places["D1,-1"].needs == (None, None, None)
    assert len(places) == 12


def test_a_choice_and_what_it_is_between_is_seen_by_all_and_made_by_one():
    table = match(["1244 4444 2444 0000", "3333"], position="0,0=4455 1,0=4445 1,1=2244", rules=QUAD)
    shown = next(move for move in see(table, 0).moves if str(move.placement) == "0,1=1244")
    assert (shown.matched, shown.reward) == (3, Reward(25, 2))

    act(table, play(0, "0,1=1244", QUAD))

    assert [see(table, viewer).options for viewer in (0, 1, None)] == [("points", "tiles"), (), ()]
    assert [see(table, viewer).reward for viewer in (0, 1, None)] == [Reward(25, 2)] * 3
    act(table, Choose(0, "tiles"))
    assert [see(table, viewer).bonus_tiles for viewer in (0, 1, None)] == [2, 2, 2]


def test_only_the_opener_sees_what_may_open():
    table = match(["3-5-5 4-4-5", "0-0-1"], choices="3-5-5 4-4-5")

    assert see(table, 0).choices == tiles("3-5-5 4-4-5")
    assert [str(move.placement) for move in see(table, 0).moves] == ["U0,0=355", "U0,0=445"]
    for viewer in (1, None):
        assert see(table, viewer).choices == ()
        assert see(table, viewer).moves == ()
    assert [(place.letter, str(place.cell)) for place in see(table, None).places] == [("A", "U0,0")]


def test_the_table_shows_hexagons_bridges_and_which_are_new():
    ring = "D0,-1=151 U0,-1=111 D-1,-1=211 U-1,0=231 D-1,0=341 U-1,1=344 D-1,1=444 U0,1=445 D0,0=455"
    table = match(["1-4-5 0-0-0", "0-0-1"], position=ring)

    act(table, play(0, "U0,0=145"))
    seen = see(table, None)

    assert set(seen.newest) == set(seen.hexagons) == {(0, 0), (0, 1)}
    assert seen.seats[0].hexagons == 2
    assert (seen.seats[0].best, seen.seats[0].change, seen.seats[0].total) == (110, 110, 110)
    assert seen.bridges == ()
    assert seen.last is not None
    assert seen.last.bonus == 100


def test_a_bridge_is_shown_where_it_was_earned():
    position = "D-1,0=341 U-1,1=344 D-1,1=444 U0,1=445 D0,0=455 U1,0=555 D1,-1=550 U1,-1=150"
    table = match(["1-1-5 0-0-0", "0-0-1"], position=position)

    act(table, play(0, "D0,-1=151"))
    seen = see(table, None)

    assert [str(cell) for cell in seen.bridges] == ["D0,-1"]
    assert (seen.seats[0].bridges, seen.seats[0].total) == (1, 47)


def test_a_place_says_what_its_corners_demand_and_letters_run_in_reading_order():
    seen = see(match(["0-0-1", "0-0-2"], position="U0,0=135"), None)

    assert [(place.letter, str(place.cell), place.needs) for place in seen.places] == [
        ("A", "D-1,0", (None, 3, 1)),
        ("B", "D0,0", (3, None, 5)),
        ("C", "D0,-1", (1, 5, None)),
    ]
    assert seen.dead == ()


def test_a_gap_that_no_tile_fills_gets_no_letter():
    seen = see(
        match(["0-0-1", "0-0-2"], position="D0,-1=122 U0,-1=312 D-1,-1=413 U-1,0=451 D-1,0=501"),
        None,
    )

    assert [str(cell) for cell in seen.dead] == ["U0,0"]
    assert "U0,0" not in {str(place.cell) for place in seen.places}


def test_the_cost_of_drawing_is_in_the_points_of_ones_own_turn_only():
    table = match(["1-3-3 0-0-0", "1-2-3 0-0-2"], position="U0,0=135", boneyard="0-0-1")
    table.drawn = 2

    assert [move.points for move in see(table, 0).moves] == [7 - 10]
    assert [move.points for move in see(table, 1).moves] == [6]
