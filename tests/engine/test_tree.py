"""Players that search: exact at the end, better than greedy before it, and never longer than they may."""

from random import Random
from unittest.mock import Mock

import pytest

from data.rulebook import load_rules
from engine.match.decide import decide, start
from engine.match.player_view import view_for
from engine.match.simulation import Simulation
from engine.match.state import Match, apply_event, replay
from engine.players import greedy
from engine.players.endgame import EndgameSearch, OutOfNodesError
from engine.players.evaluation_weights import TreeBudget
from engine.players.levels import GreedyPlayer, Player
from engine.players.tree import TreeSearchPlayer, drop_lost_moves
from tests.depth import scale_count
from tests.engine.tables import Playout, build_match


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


def test_search_stops_when_callback_says_enough():
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
