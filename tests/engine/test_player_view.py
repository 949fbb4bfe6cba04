"""The view of a seat contains everything that the player may know, and nothing hidden."""

from collections import Counter
from dataclasses import replace
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from data.rulebook import list_games, load_rules
from engine.board.demands import Touch
from engine.board.lattice import TRIANGLES, Cell
from engine.board.tiles import count_pips
from engine.match.actions import Choose, Play
from engine.match.decide import decide, list_options
from engine.match.events import Dealt, Drew, Placed, RoundEvent
from engine.match.player_view import list_unseen_tiles, redact_event, view_for
from engine.match.rules import Reward
from engine.match.state import Match
from tests.depth import scale_count
from tests.engine.match_positions import match_positions, redeal_hidden_tiles
from tests.engine.random_play import iterate_positions
from tests.engine.tables import SECRET, Playout, act, build_match, build_play, build_tiles


def list_viewers(table: Match) -> list[int | None]:
    return [None, *range(len(table.seats))]


@given(match_positions(), st.randoms(use_true_random=False))
def test_view_does_not_depend_on_hidden_tiles(playout: Playout, rng: Random):
    table = playout.match
    if table.round_over or table.ended:
        return
    for viewer in list_viewers(table):
        twin = redeal_hidden_tiles(playout.log, viewer, rng)
        assert view_for(twin, viewer) == view_for(table, viewer)


@given(match_positions())
def test_every_view_has_round_history_with_drawn_tiles_hidden(playout: Playout):
    history: list[RoundEvent] = []
    for event in playout.log:
        if isinstance(event, Dealt):
            history.clear()
        elif isinstance(event, RoundEvent):
            history.append(Drew(event.seat, None) if isinstance(event, Drew) else event)
    for viewer in list_viewers(playout.match):
        assert view_for(playout.match, viewer).history == tuple(history)


@given(match_positions())
def test_redacted_events_show_only_viewers_hand_and_drawn_tiles(playout: Playout):
    for event in playout.log:
        for viewer in list_viewers(playout.match):
            redacted_event = redact_event(event, viewer)
            match event:
                case Dealt(hands=hands):
                    shown = tuple(hand if seat == viewer else () for seat, hand in enumerate(hands))
                    choices = event.choices if viewer == event.opener else ()
                    assert redacted_event == replace(event, hands=shown, boneyard=(), aside=(), choices=choices)
                case Drew(seat, tile):
                    assert redacted_event == Drew(seat, tile if seat == viewer else None)
                case _:
                    assert redacted_event == event


@given(match_positions())
def test_hands_are_public_only_after_round_is_over(playout: Playout):
    table = playout.match
    for viewer in list_viewers(table):
        for seat in view_for(table, viewer).seats:
            open_to_viewer = table.round_over is not None or table.ended is not None or seat.seat == viewer
            assert seat.hand == (tuple(sorted(table.seats[seat.seat].hand)) if open_to_viewer else None)
            assert seat.tiles == len(table.seats[seat.seat].hand)


@given(match_positions())
def test_views_share_letters_and_list_legal_moves_of_hand(playout: Playout):
    table = playout.match
    public = view_for(table, None)
    assert public.moves == ()
    if table.ended:
        assert (public.places, public.dead, view_for(table, 0).moves) == ((), (), ()), "nothing is open any more"
        return
    assert len({place.letter for place in public.places}) == len(public.places)
    assert not {place.cell for place in public.places} & set(public.dead)
    for viewer in range(len(table.seats)):
        view = view_for(table, viewer)
        assert (view.places, view.dead, view.tiles) == (public.places, public.dead, public.tiles)
        assert {move.placement for move in view.moves} == set(table.list_legal_moves(viewer))
        assert all(view.find_place(move.placement.cell).letter == move.letter for move in view.moves)
        assert [move.points for move in view.moves] == sorted((move.points for move in view.moves), reverse=True)


@settings(max_examples=scale_count(20))
@given(match_positions())
def test_move_earns_the_shown_score(playout: Playout):
    table = playout.match
    if table.ended or table.choosing:
        return
    for move in view_for(table, table.turn).moves:
        placement = move.placement
        placed, *_ = decide(table, Play(table.turn, placement.tile, placement.cell, placement.rotation), playout.secret)
        for fact in ("points", "base", "hexagons", "bridge", "matched", "corner", "beside"):
            assert getattr(placed, fact) == getattr(move, fact), fact
        assert (placed.follows == "choice") == (move.reward is not None)


@given(match_positions())
def test_only_seat_to_act_sees_its_choices(playout: Playout):
    table = playout.match
    for viewer in list_viewers(table):
        view = view_for(table, viewer)
        assert view.options == (list_options(table) if viewer == table.turn else ())
        assert (view.reward is not None) == table.choosing
        assert view.aside == len(table.aside)


@settings(max_examples=scale_count(12))
@given(st.integers(0, 2**32), st.integers(0, 150))
def test_view_shows_hexagons_and_bridges_of_current_round_only(seed: int, stop: int):
    playout = Playout(Random(seed), 3, greedy_seats=frozenset({0, 1, 2}))
    bridges: list[Cell] = []
    for count, (_, events) in enumerate(playout.iterate_steps()):
        for event in events:
            if isinstance(event, Dealt):
                bridges = []
            elif isinstance(event, Placed) and event.bridge:
                bridges.append(event.cell)
        if count >= stop:
            break
    view = view_for(playout.match, None)

    covers = Counter(site for placement in view.tiles for site in TRIANGLES.get_shape(placement.cell).corners)
    assert sorted(view.hexagons) == sorted(site for site, tiles in covers.items() if tiles == 6)
    assert list(view.bridges) == bridges
    assert set(view.newest) <= set(view.hexagons)


def test_view_of_unfinished_round_after_match_end_shows_all_hands():
    playout = Playout(Random(5), 2, rules=load_rules("quad-ominos"))
    playout.play()
    match = playout.match.copy()
    match.round_over = None  # regardless of the reason
    view = view_for(match, 0)
    assert (view.round_over.out, set(view.round_over.awards)) == (None, {0})
    assert [seat.hand for seat in view.seats] == [tuple(sorted(seat.hand)) for seat in match.seats]
    assert (view.places, view.dead, view.moves) == ((), (), ())


def test_commitment_is_public_from_start_and_secret_only_at_end():
    playout = Playout(Random(3), 3, secret=SECRET)
    started = playout.log[0]
    assert view_for(playout.match, None).commitment == started.commitment

    for _ in playout.iterate_steps():
        if not playout.match.ended:
            assert SECRET.hex() not in repr(view_for(playout.match, 0))
    assert playout.match.ended.secret == SECRET.hex()


@pytest.mark.parametrize("game", list_games())
def test_unseen_tiles_are_other_hands_boneyard_and_set_aside(game: str) -> None:
    for _, _, dealt in iterate_positions(game, scale_count(12, 4)):
        for viewer in range(len(dealt.seats)):
            held = [tile for number, seat in enumerate(dealt.seats) if number != viewer for tile in seat.hand]
            view = view_for(dealt, viewer)
            unseen_tiles = list_unseen_tiles(view)
            assert unseen_tiles == sorted([*held, *dealt.boneyard, *dealt.aside])
            others = sum(seat.tiles for seat in view.seats if seat.seat != viewer)
            assert len(unseen_tiles) == others + view.boneyard + view.aside, "as everybody may count"


STAR, QUAD = load_rules("star"), load_rules("quad-ominos")


def test_star_places_show_touching_corner():
    view = view_for(build_match(["000", "111"], position="U0,0=234", rules=STAR), None)

    places = {str(place.cell): place for place in view.places}

    assert places["D0,0"].touch is None
    assert places["D0,0"].needs == (None, None, 3)
    assert places["D1,-1"].touch == Touch(0, (3, 4))
    assert places["D1,-1"].needs == (None, None, None)
    assert len(places) == 12


def test_reward_is_public_and_choice_belongs_to_one_seat():
    table = build_match(["1244 4444 2444 0000", "3333"], position="0,0=4455 1,0=4445 1,1=2244", rules=QUAD)
    shown = next(move for move in view_for(table, 0).moves if str(move.placement) == "0,1=1244")
    assert (shown.matched, shown.reward) == (3, Reward(25, 2))

    act(table, build_play(0, "0,1=1244", QUAD))

    assert [view_for(table, viewer).options for viewer in (0, 1, None)] == [("points", "tiles"), (), ()]
    assert [view_for(table, viewer).reward for viewer in (0, 1, None)] == [Reward(25, 2)] * 3
    act(table, Choose(0, "tiles"))
    assert [view_for(table, viewer).bonus_tiles for viewer in (0, 1, None)] == [2, 2, 2]


def test_only_opener_sees_opening_tiles():
    table = build_match(["3-5-5 4-4-5", "0-0-1"], choices="3-5-5 4-4-5")

    assert view_for(table, 0).choices == build_tiles("3-5-5 4-4-5")
    assert [str(move.placement) for move in view_for(table, 0).moves] == ["U0,0=355", "U0,0=445"]
    for viewer in (1, None):
        assert (view_for(table, viewer).choices, view_for(table, viewer).moves) == ((), ())
    assert [(place.letter, str(place.cell)) for place in view_for(table, None).places] == [("A", "U0,0")]


def test_view_shows_hexagons_and_bridges_and_newest_ones():
    ring = "D0,-1=151 U0,-1=111 D-1,-1=211 U-1,0=231 D-1,0=341 U-1,1=344 D-1,1=444 U0,1=445 D0,0=455"
    table = build_match(["1-4-5 0-0-0", "0-0-1"], position=ring)

    act(table, build_play(0, "U0,0=145"))
    view = view_for(table, None)

    assert set(view.newest) == set(view.hexagons) == {(0, 0), (0, 1)}
    assert view.seats[0].hexagons == 2
    assert (view.seats[0].best, view.seats[0].change, view.seats[0].total) == (110, 110, 110)
    assert view.bridges == ()
    assert view.last.bonus == 100


def test_bridge_is_shown_where_it_was_earned():
    position = "D-1,0=341 U-1,1=344 D-1,1=444 U0,1=445 D0,0=455 U1,0=555 D1,-1=550 U1,-1=150"
    table = build_match(["1-1-5 0-0-0", "0-0-1"], position=position)

    act(table, build_play(0, "D0,-1=151"))
    view = view_for(table, None)

    assert [str(cell) for cell in view.bridges] == ["D0,-1"]
    assert (view.seats[0].bridges, view.seats[0].total) == (1, 47)


def test_places_have_corner_requirements_and_letters_in_reading_order():
    view = view_for(build_match(["0-0-1", "0-0-2"], position="U0,0=135"), None)

    assert [(place.letter, str(place.cell), place.needs) for place in view.places] == [
        ("A", "D-1,0", (None, 3, 1)),
        ("B", "D0,0", (3, None, 5)),
        ("C", "D0,-1", (1, 5, None)),
    ]
    assert view.dead == ()


def test_gap_that_no_tile_fills_gets_no_letter():
    position = "D0,-1=122 U0,-1=312 D-1,-1=413 U-1,0=451 D-1,0=501"
    view = view_for(build_match(["0-0-1", "0-0-2"], position=position), None)

    assert [str(cell) for cell in view.dead] == ["U0,0"]
    assert "U0,0" not in {str(place.cell) for place in view.places}


def test_draw_penalty_reduces_move_points_only_on_own_turn():
    table = build_match(["1-3-3 0-0-0", "1-2-3 0-0-2"], position="U0,0=135", boneyard="0-0-1")
    table.drawn = 2

    assert [move.points for move in view_for(table, 0).moves] == [7 - 10]
    assert [move.points for move in view_for(table, 1).moves] == [6]


@given(match_positions())
def test_moves_with_equal_points_begin_with_heaviest_tile(playout: Playout):
    view = view_for(playout.match, playout.match.turn)
    ranks = [(-move.points, -count_pips(move.placement.tile)) for move in view.moves]
    assert ranks == sorted(ranks)
