"""Computer players: the knowledge and choices of each level, legal play, and the quality of the search."""

from random import Random
from unittest.mock import Mock

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from data.rulebook import list_games, load_rules
from data.weights import load_weights
from engine.match.actions import Action, Choose, Draw, Pass, Play
from engine.match.decide import decide, start
from engine.match.player_view import view_for
from engine.match.simulation import Simulation
from engine.match.state import Match, apply_event, replay
from engine.players import greedy
from engine.players.endgame import EndgameSearch, OutOfNodesError
from engine.players.evaluation_weights import TreeBudget
from engine.players.levels import LEVELS, REFERENCE_PLAYERS, GreedyPlayer, Player, build_player
from engine.players.tree import TreeSearchPlayer, drop_lost_moves
from tests.depth import scale_count
from tests.engine.match_positions import choice_positions, redeal_hidden_tiles, stop_after
from tests.engine.readings import build_rules
from tests.engine.tables import Playout, act, build_match, build_play, build_tile

every_level = pytest.mark.parametrize("level", [*LEVELS, *REFERENCE_PLAYERS])


@pytest.mark.parametrize("game", list_games())
@every_level
@settings(max_examples=scale_count(3), deadline=None)
@given(data=st.data(), luck=st.integers(0, 99))
def test_level_plays_legally_and_ignores_hidden_tiles(level: str, game: str, data: st.DataObject, luck: int):
    playout = data.draw(choice_positions(game))
    table = playout.match
    player = build_player(level, table.rules, load_weights(table.rules))
    twin = redeal_hidden_tiles(playout.log, table.turn, Random(luck))

    action = player.choose(view_for(table, table.turn), Random(luck), stop_after(9))

    assert player.choose(view_for(twin, table.turn), Random(luck), stop_after(9)) == action
    assert decide(table, action, playout.secret)


def test_unknown_level_name_is_refused():
    with pytest.raises(ValueError, match="grandmaster"):
        build_player("grandmaster", load_rules("triominoes"), load_weights(load_rules("triominoes")))


@pytest.mark.parametrize("game", list_games())
def test_weights_of_game_can_be_read(game: str):
    found = load_weights(load_rules(game))
    assert found.hard is None or found.hard.needs_lookahead


def choose_at_level(level: str, hands: list[str], position: str) -> str:
    table = build_match(hands, position=position)
    found = build_player(level, table.rules, load_weights(table.rules)).choose(view_for(table, 0), Random(0))
    return str(getattr(found, "tile", found))


def test_medium_plays_triple_before_heavier_tile():
    assert choose_at_level("greedy", ["4-4-4 4-4-5 0-0-1", "0-0-2"], "U0,0=144") == "(4, 4, 5)"
    assert choose_at_level("medium", ["4-4-4 4-4-5 0-0-1", "0-0-2"], "U0,0=144") == "(4, 4, 4)"


def choose_action(table: Match, seed: int = 0) -> Action:
    return greedy.choose(view_for(table, table.turn), Random(seed))


def choose_from_hand(hand: str, position: str, boneyard: str = "", seed: int = 0) -> Action:
    return choose_action(build_match([hand, "0-0-1"], position=position, boneyard=boneyard), seed)


def test_computer_plays_highest_scoring_move():
    ring = "D0,-1=134 U0,-1=514 D-1,-1=515 U-1,0=511 D-1,0=111"

    action = choose_from_hand("1-1-3 1-5-5 3-4-4", ring)

    assert (action.tile, str(action.cell)) == (build_tile("1-1-3"), "U0,0")


def test_computer_draws_without_fitting_tile_and_passes_on_empty_boneyard():
    assert choose_from_hand("0-0-0", "U0,0=555", boneyard="0-0-2") == Draw(0)
    assert choose_from_hand("0-0-0", "U0,0=555") == Pass(0)


def test_computer_plays_heaviest_tile_when_no_bonus_is_possible():
    for seed in range(10):
        action = choose_from_hand("0-4-4 4-4-5 1-4-4", "U0,0=444", seed=seed)
        assert action.tile == build_tile("4-4-5")


def test_chance_decides_only_between_moves_of_equal_points_and_weight():
    cells = {str(choose_from_hand("4-4-5", "U0,0=444", seed=luck).cell) for luck in range(30)}

    assert cells == {"D-1,0", "D0,0", "D0,-1"}


QUAD, STAR = build_rules("quad-ominos"), build_rules("star")
THREE = "0,0=4455 1,0=4445 1,1=2244"


@pytest.mark.parametrize(
    ("hand", "option"),
    [
        # 4-4-4-4 and 2-4-4-4 make 30; 0-0-0-0 and 0-0-0-1 fit nowhere; 0-4-4-4 and 0-1-4-4 make 21.
        ("4444 2444 0000", "tiles"),
        ("0000 0001 0002", "points"),
        ("0444 0144 0000", "points"),
    ],
)
def test_computer_chooses_bonus_tiles_only_when_they_score_more(hand: str, option: str):
    table = build_match([f"1244 {hand}", "3333"], position=THREE, rules=QUAD)
    act(table, build_play(0, "0,1=1244", QUAD))

    assert choose_action(table) == Choose(0, option)


def test_computer_counts_bonus_of_placement():
    # 4-4-5-5 is on the table; 1-2-4-4 earns 11 and 25, 4-4-4-4 earns 16.
    table = build_match(["1244 4444 0000", "3333"], position=THREE, rules=QUAD)

    assert choose_action(table).tile == build_tile("1244", QUAD)


def test_computer_places_bonus_tiles_and_stops_when_rest_lapses():
    table = build_match(["1244 4444 0000", "3333"], position=THREE, rules=QUAD.with_option("partial_bonus", "on"))
    act(table, build_play(0, "0,1=1244", QUAD), Choose(0, "tiles"))

    act(table, choose_action(table))

    assert len(table.board.placed) == 5
    assert choose_action(table) == Choose(0, "stop")


def test_computer_plays_further_turn_only_while_a_tile_fits():
    able_match = build_match(["343 333", "000"], position="U0,0=233", rules=STAR)
    stuck_match = build_match(["343 000", "111"], position="U0,0=233", rules=STAR)
    for table in (able_match, stuck_match):
        act(table, build_play(0, "D1,-1=343", STAR))

    assert isinstance(choose_action(able_match), Play)
    assert choose_action(stuck_match) == Choose(0, "stop")


def compute_minimax(one: Simulation, viewer: int) -> float:
    if one.over:
        return 1 / one.places.count(1) if one.places[viewer] == 1 else 0
    found = []
    best = max if one.turn == viewer else min
    for move in one.list_moves():
        one.play(move)
        found.append(compute_minimax(one, viewer))
        one.undo()
    return best(found)


def find_endgame(game: str, tiles: int, rng: Random) -> Simulation:
    while True:
        playout = Playout(rng, 2, rules=load_rules(game))
        for _ in playout.iterate_steps():
            table = playout.match
            if table.ended or sum(len(seat.hand) for seat in table.seats) < tiles:
                break
            one = Simulation.from_match(table)
            if sum(map(int.bit_count, one.hands)) == tiles and len(one.list_moves()) > 1:
                return one


@pytest.mark.parametrize(("game", "tiles"), [("points", 7), ("muggins", 7), ("star", 4), ("trioker", 6)])
def test_endgame_value_equals_minimax(game: str, tiles: int):
    for seed in range(scale_count(5)):
        one = find_endgame(game, tiles, Random(f"{game} {seed}"))
        endgame = EndgameSearch(one, 100_000)
        for move in one.list_moves():
            viewer = one.turn
            one.play(move)
            expected = compute_minimax(one, viewer)
            one.undo()
            assert endgame.evaluate(move) == expected
            assert one.ply_count == 0


def test_endgame_search_without_nodes_left_leaves_state_unchanged():
    one = find_endgame("trioker", 12, Random(1))
    before = (sorted(one.list_moves()), list(one.hands))

    with pytest.raises(OutOfNodesError):
        EndgameSearch(one, 3).evaluate(one.list_moves()[0])

    assert (sorted(one.list_moves()), list(one.hands)) == before
    moves = one.list_moves()
    assert drop_lost_moves(one, moves, TreeBudget(plies=1, nodes=3, tiles=24)) == moves


def test_search_finds_win_that_greedy_misses():
    # 0-0-4 leaves nothing that fits for the other; 2-3-4, the heavier tile, does not.
    table = build_match(["0-0-4 2-3-4 0-0-1", "1-2-3 2-2-3"], position="U0,0=444", rules=load_rules("points"))

    action = TreeSearchPlayer(TreeBudget(plies=1, nodes=1000, tiles=8)).choose(view_for(table, 0), Random(0))

    assert action != greedy.choose(view_for(table, 0), Random(0))


def test_search_stops_when_callback_returns_true():
    playout = Playout(Random(2), 2, rules=load_rules("trioker"))
    playout.play(lambda match: len(match.board.placed) == 3)
    should_stop = Mock(side_effect=[False] * 4 + [True])

    TreeSearchPlayer(TreeBudget(plies=100_000)).choose(
        view_for(playout.match, playout.match.turn), Random(0), should_stop
    )

    assert should_stop.call_count == 5


def play_match(table: Match, players: list[Player], secret: bytes, luck: str) -> tuple[int, ...]:
    rngs = [Random(f"{luck} {seat}") for seat in range(len(players))]
    while not table.ended:
        seat = table.turn
        for event in decide(table, players[seat].choose(view_for(table, seat), rngs[seat]), secret):
            apply_event(table, event)
    return table.ended.places


@pytest.mark.parametrize("game", ["points", "muggins", "trioker"])
def test_even_short_search_beats_greedy(game: str):
    reading, won, deals = load_rules(game), 0.0, scale_count(3, least=3)
    search: Player = TreeSearchPlayer(TreeBudget(plies=300, nodes=300, tiles=10))
    for deal in range(deals):
        secret = Random(f"deal {deal}").randbytes(32)
        for mine in (0, 1):
            table = replay(start(reading, seats=2, computers=(), by_hand=True, secret=secret))
            players = [search if seat == mine else GreedyPlayer() for seat in range(2)]
            places = play_match(table, players, secret, f"{deal} {mine}")
            won += (places[mine] == 1) / places.count(1)

    assert won >= deals * 4 / 3
