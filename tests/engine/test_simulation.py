"""Simulations and predictions give the same moves, scores, turns and ends as `decide` and `apply_event`."""

from collections import Counter
from random import Random

import pytest

from data.rulebook import list_games, load_rules
from engine.match.actions import Action, Play, Resign
from engine.match.decide import decide, list_options, start
from engine.match.events import MatchEnded, RoundEnded
from engine.match.following import FollowUpProbe
from engine.match.player_view import Move, list_legal_actions, view_for
from engine.match.rules import Rules
from engine.match.simulation import Simulation
from engine.match.state import Match, apply_event, replay
from tests.depth import list_required_cases, scale_count
from tests.engine.random_play import MAX_ACTIONS, list_accepted_actions, randomize_options
from tests.engine.tables import SECRET, Playout, build_match


def capture_match(table: Match) -> tuple[object, ...]:
    held = [0 if seat.resigned else table.board.to_mask(seat.hand) for seat in table.seats]
    turn = (table.turn, table.drawn, table.choosing, table.bonus_tiles, table.further, tuple(table.failed))
    return *turn, table.latched, [seat.total for seat in table.seats], held, len(table.boneyard)


def capture_simulation(one: Simulation) -> tuple[object, ...]:
    turn = (one.turn, one.drawn, one.reward is not None, one.bonus_tiles, one.further, one.failed)
    return *turn, one.latched, one.totals, list(one.hands), len(one.boneyard)


def capture_everything(one: Simulation) -> tuple[object, ...]:
    tableau = one.tableau
    table = (
        list(tableau.placed_ways.items()),
        tableau.played_mask,
        tableau.get_open_cells(),
        {*one.list_moves()},
        list(one.boneyard),
    )
    return *capture_simulation(one), *table, one.reward, one.over, one.out, one.places


def look_ahead(one: Simulation, rng: Random) -> None:
    before, plies, deal = capture_everything(one), one.ply_count, (one.hands.copy(), one.boneyard.copy(), one.choices)
    snapshot = one.tableau.take_snapshot()
    for _ in range(rng.randrange(1, 9)):
        if moves := one.list_moves():
            one.play(rng.choice(moves))
    if not plies and rng.random() < 0.5:
        one.reset(snapshot)
        one.deal(*deal)
    while one.ply_count > plies:
        one.undo()
    assert capture_everything(one) == before


def build_viewed_simulation(table: Match, rng: Random) -> Simulation:
    one = Simulation.from_view(view_for(table, rng.choice(table.active)))
    board = table.board
    held = [0 if seat.resigned else board.to_mask(seat.hand) for seat in table.seats]
    hidden = [board.to_mask([tile]) for tile in table.boneyard]
    one.deal([*reversed(held)], [*reversed(hidden)])
    one.deal(held, hidden, board.to_mask(table.choices))
    return one


def play_in_parallel(rules: Rules, rng: Random, seats: int) -> Counter[str]:
    table = replay(start(rules, seats=seats, computers=(), by_hand=True, secret=SECRET))
    if rng.random() < 1 / 3:
        # Large hands always contain a tile that fits, and a well of 125 tiles is hardly ever empty.
        del table.boneyard[: -rng.randint(1, 6)]
        for seat in table.seats:
            seat.hand = [tile for place, tile in enumerate(seat.hand) if place < 2 or tile in table.choices]
    one, coverage = Simulation.from_match(table), Counter[str]()
    for _ in range(MAX_ACTIONS):
        assert capture_simulation(one) == capture_match(table)
        choices = {one.to_action(move): move for move in one.list_moves()}
        assert choices.keys() == list_accepted_actions(table)
        if rng.random() < 0.2:
            look_ahead(one, rng)
            for cell, way in (move for move in choices.values() if move[1] >= 0):
                earned = rules.compute_score(one.tableau, cell, way)
                assert rules.compute_points(one.tableau, cell, way) == earned.base + earned.bonus
        action: Action = rng.choice([*choices])
        if rng.random() < 0.005:
            action = Resign(rng.choice(table.active))
        events = decide(table, action, SECRET)
        for event in events:
            apply_event(table, event)
        coverage[type(action).__name__] += 1
        if isinstance(action, Resign):
            if table.ended:
                break
            one = Simulation.from_match(table)
            continue
        one.play(choices[action])
        ended = [event for event in events if isinstance(event, RoundEnded | MatchEnded)]
        assert one.over == bool(ended)
        if ended:
            assert one.list_moves() == []
            assert one.totals == [seat.total for seat in table.seats]
            assert one.places == (table.ended.places if table.ended else None)
            if isinstance(ended[0], RoundEnded):
                assert one.out == ended[0].out
                coverage["blocked" if one.out is None else "out"] += 1
            if table.ended:
                break
            one = Simulation.from_match(table)
        elif rng.random() < 0.1:
            one = build_viewed_simulation(table, rng)
    return coverage


@pytest.mark.parametrize("game", list_games())
def test_simulation_equals_match_under_any_options(game: str):
    coverage, usual = Counter[str](), load_rules(game)
    for seed in range(scale_count(20)):
        rng = Random(f"{game} {seed}")
        rules = randomize_options(usual, rng) if seed else usual
        coverage += play_in_parallel(rules, rng, rng.randint(rules.min_seats, rules.max_seats))

    assert coverage.keys() >= list_required_cases({"Play", "Pass", "out", "blocked", "Resign"}), coverage


def test_simulation_refuses_actions_at_wrong_time():
    table = build_match(["555", "444"], position="U0,0=135", turn=0)
    one = Simulation.from_match(table)
    one.play(one.list_moves()[0])

    with pytest.raises(ValueError, match="take back"):
        one.deal([0, 0], [])
    one.undo()
    one.deal([1, 2], [])
    table.ended = MatchEnded((0, 0), (1, 1), "")
    with pytest.raises(ValueError, match="no round"):
        Simulation.from_match(table)
    with pytest.raises(ValueError, match="no round"):
        Simulation.from_view(view_for(table, 0))


@pytest.mark.parametrize("game", list_games())
def test_player_is_offered_exactly_the_legal_actions(game: str) -> None:
    rng = Random(5)
    for _ in range(scale_count(3)):
        reading = randomize_options(load_rules(game), rng)
        seats = rng.randrange(reading.min_seats, reading.max_seats + 1)
        table = replay(start(reading, seats=seats, computers=(), by_hand=True, secret=SECRET))
        for _ in range(MAX_ACTIONS):
            if table.ended:
                break
            offered = list_legal_actions(view_for(table, table.turn))
            assert len(offered) == len({*offered})
            assert {*offered} == list_accepted_actions(table)
            assert list_legal_actions(view_for(table, (table.turn + 1) % seats)) == ()
            for event in decide(table, rng.choice(offered), SECRET):
                apply_event(table, event)
        else:
            continue
        assert list_legal_actions(view_for(table, table.turn)) == ()


MOVES = scale_count(150)


def apply_move(playout: Playout, move: Move) -> Match:
    match, placement = replay(playout.log), move.placement
    for event in decide(match, Play(match.turn, placement.tile, placement.cell, placement.rotation), playout.secret):
        apply_event(match, event)
    return match


@pytest.mark.parametrize("game", ["quad-ominos", "star"])
def test_predicted_further_tiles_and_turns_follow(game: str) -> None:
    rules, rng, coverage = load_rules(game), Random(3), Counter[tuple[str, bool]]()
    while coverage.total() < MOVES:
        playout = Playout(rng, 2, rules=rules)
        for _ in playout.iterate_steps():
            match = playout.match
            seat, probe = match.turn, FollowUpProbe(view_for(match, match.turn))
            for move in view_for(match, seat).moves if not match.choosing else ():
                if move.reward is not None and not move.reward.both:
                    prediction = probe.can_take_tiles(move)
                    assert prediction == ("tiles" in list_options(apply_move(playout, move)))
                    coverage["tiles", prediction] += 1
                elif move.corner:
                    after = apply_move(playout, move)
                    prediction = probe.can_move_again(move)
                    assert prediction == (after.turn == seat and after.further and bool(after.list_legal_moves(seat)))
                    coverage["turn", prediction] += 1
    kind = "turn" if game == "star" else "tiles"
    assert list_required_cases({(kind, True), (kind, False)}) <= set(coverage)
