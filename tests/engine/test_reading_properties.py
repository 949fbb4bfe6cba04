"""The invariants of RULES §9 under every preset, every set and the rarer options, on matches from random choices.

Layouts of all games are in `test_layout_properties`.
"""

from random import Random

from hypothesis import given, settings
from hypothesis import strategies as st

from engine.board.tiles import is_triple
from engine.families import TriominoRules
from engine.match.actions import Draw, Pass
from engine.match.decide import decide
from engine.match.errors import RuleError, Violation
from engine.match.events import Dealt, Drew, MatchEnded, Passed, Placed, RoundEnded
from tests.depth import scale_count
from tests.engine import naive
from tests.engine.readings import CHOICE_OPTIONS, RULES_BY_NAME, build_triominoes_rules, given_rules, rngs
from tests.engine.tables import Playout, list_totals

some_examples = settings(max_examples=scale_count(4))


def build_playout(rng: Random, rules: TriominoRules, *, resign_chance: float = 0.0) -> Playout:
    return Playout(rng, rng.randint(2, 6), resign_chance=resign_chance, draw_chance=0.1, rules=rules)


@given_rules(RULES_BY_NAME, 4, rng=rngs)
def test_every_turn_scores_within_bounds_of_its_rules(rules: TriominoRules, rng: Random):
    is_simple = rules.scoring == "children"
    hexagons = {"stepped": {0, 50, 60, 70}, "flat": {0, 50}}.get(rules.hexagon_scale, {0, 50, 100, 150})
    hexagons, bridge, draw = ({0, 1, 2, 3}, 1, 0) if is_simple else (hexagons, 40, 5)
    highest = 18 if rules.tile_set == "trio84" else 15
    playout = build_playout(rng, rules)
    is_opening = True
    for event in playout.iterate_events():
        match event:
            case Placed() if is_opening:
                assert (event.drawn, event.hexagons, event.bridge) == (0, 0, False)
                assert event.points == rules.compute_opening_score(event.tile).points
                is_opening = False
            case Placed():
                assert event.base == (1 if is_simple else sum(event.tile)) in range(highest + 1)
                assert event.bonus - bridge * event.bridge in hexagons
                assert (event.bonus - bridge * event.bridge > 0) == (event.hexagons > 0)
                assert rules.bonus_stacking == "sum" or not (event.hexagons and event.bridge)
                assert event.points == event.base + event.bonus - draw * event.drawn
            case Passed() if is_simple:
                assert event.points == 0
            case Passed():
                fee = -event.points - 5 * event.drawn
                if event.drawn == rules.draw_limit:
                    both = 20 if rules.draws_spent_penalty == "additional" else 10
                    assert fee in {10, both, 0 if rules.block_detection == "immediate" else 10}
                else:
                    penalties = {rules.empty_boneyard_penalty, *[0] * (rules.block_detection == "immediate")}
                    assert fee in penalties
            case Dealt():
                is_opening = True


@given_rules(RULES_BY_NAME, 4, rng=rngs)
def test_draws_respect_draw_limit_and_voluntary_draw_option(rules: TriominoRules, rng: Random):
    playout = build_playout(rng, rules)
    table = playout.match
    before = table.turn, len(table.boneyard), len(table.seats[table.turn].hand)
    for action, (first, *rest) in playout.iterate_steps():
        if not isinstance(first, Drew):
            seat, boneyard, held = before
            assert first.seat == seat
            assert first.drawn <= boneyard
            assert rules.draw_limit == "unlimited" or first.drawn <= rules.draw_limit
            if isinstance(first, Passed) and rules.voluntary_draw == "off":
                assert first.drawn == min(rules.max_draws, boneyard)
            if not rest:
                assert len(table.seats[seat].hand) == held + first.drawn - isinstance(first, Placed)
        if not isinstance(first, Drew) or rest:
            before = table.turn, len(table.boneyard), len(table.seats[table.turn].hand)
        if table.ended or not table.list_legal_moves(table.turn):
            continue
        is_optional = rules.voluntary_draw == "on" and bool(table.board.placed)
        for action, expected in (
            (Draw(table.turn), is_optional),
            (Pass(table.turn), is_optional and (table.drawn or table.can_draw())),
        ):
            try:
                decide(table, action, playout.secret)
                is_accepted = True
            except RuleError as broken:
                is_accepted = broken.why is not Violation.MUST_PLAY
            assert is_accepted == bool(expected)


@given_rules(RULES_BY_NAME, 4, rng=rngs)
def test_opener_follows_opening_options(rules: TriominoRules, rng: Random):
    playout = build_playout(rng, rules)
    for event in [*playout.log, *playout.iterate_events()]:
        if not isinstance(event, Dealt):
            continue
        hand = event.hands[event.opener]
        assert set(event.choices) <= set(hand)
        if rules.opening_choice == "any_tile":
            assert set(event.choices) == set(hand)
            continue
        assert rules.find_opening(event.hands) == (event.opener, event.choices)
        triples = [tile for held in event.hands for tile in held if is_triple(tile)]
        if triples:
            assert max(triples) in event.choices
            assert set(event.choices) <= {max(triples), (0, 0, 0)}
        else:
            assert len({sum(tile) for tile in event.choices}) == 1


@given_rules(RULES_BY_NAME, 4, rng=rngs)
def test_round_and_match_ends_equal_reference_implementation(rules: TriominoRules, rng: Random):
    playout, option_values = build_playout(rng, rules), {name: getattr(rules, name) for name in CHOICE_OPTIONS}
    ledger = [int(points) for points in [*rules.head_start.split("/"), *"000000"][: playout.seats]]
    for _, events in playout.iterate_steps():
        ended = None
        for event in events:
            match event:
                case Placed() | Passed():
                    ledger[event.seat] += event.points
                case RoundEnded():
                    ended = event
                    held = [list(hand) for hand in event.hands]
                    awards = [0] * len(held)
                    if event.out is None:
                        awards = naive.score_blocked_round(held, option_values)
                        won = naive.list_winning_seats(held, option_values)
                    else:
                        won = [event.out]
                        held_points = sum(sum(tile) for hand in held for tile in hand)
                        awards[event.out] = 5 if rules.scoring == "children" else 25 + held_points
                    assert list(event.awards) == awards
                    ledger = [total + award for total, award in zip(ledger, awards, strict=True)]
                case MatchEnded(totals=final, places=places):
                    assert ended is not None
                    assert list(final) == ledger
                    best = [seat for seat, place in enumerate(places) if place == 1]
                    assert best == naive.list_match_winners(ledger, rules.target, won, option_values)
                    assert rules.game_tie == "shared" or len(best) == 1
        assert list_totals(playout.match) == ledger


@given_rules(RULES_BY_NAME, 4, rng=rngs)
def test_round_is_dealt_exactly_until_target_counts_as_reached(rules: TriominoRules, rng: Random):
    playout = build_playout(rng, rules)
    reached = False
    for _, events in playout.iterate_steps():
        for event in events:
            is_over = reached if rules.final_round == "latched" else max(list_totals(playout.match)) >= rules.target
            if rules.rounds:
                is_over = playout.match.round > rules.rounds or (
                    isinstance(event, MatchEnded) and playout.match.latched
                )
            if isinstance(event, Dealt) and is_over:
                now = list_totals(playout.match)
                assert rules.game_tie == "extra_round"
                assert now.count(max(now)) > 1
            if isinstance(event, MatchEnded):
                assert is_over or max(event.totals) >= rules.target
        reached = reached or max(list_totals(playout.match)) >= rules.target
        is_latched = reached and rules.final_round == "latched"
        assert playout.match.latched == (playout.match.round == rules.rounds if rules.rounds else is_latched)


@given_rules(RULES_BY_NAME, 4, rng=rngs)
def test_blocked_table_never_waits_except_with_full_circle(rules: TriominoRules, rng: Random):
    playout = build_playout(rng, rules)
    stuck_count = 0
    for _ in playout.iterate_steps():
        table = playout.match
        if not table.ended and table.board.placed and not table.boneyard:
            stuck_count += not any(table.board.has_legal_move(seat.hand) for seat in table.seats)
    assert stuck_count == 0 or rules.block_detection == "full_circle"


@settings(max_examples=scale_count(25))
@given(st.lists(st.integers(0, 200), min_size=2, max_size=6), st.randoms(use_true_random=False))
def test_blocked_award_goes_to_lowest_hands_in_any_seat_order(hands: list[int], rng: Random):
    rules, lowest = build_triominoes_rules(), min(hands)

    awards = rules.compute_block_awards(hands)

    assert awards == [sum(other - lowest for other in hands) if hand == lowest else 0 for hand in hands]
    seats = rng.sample(range(len(hands)), len(hands))
    assert rules.compute_block_awards([hands[seat] for seat in seats]) == [awards[seat] for seat in seats]


@some_examples
@given(rng=rngs)
def test_most_points_win_among_seats_that_stayed(rng: Random):
    playout = build_playout(rng, build_triominoes_rules(), resign_chance=0.01)
    playout.play()
    table, ended = playout.match, playout.match.ended
    active_totals = {seat: ended.totals[seat] for seat in table.active}

    best = max(active_totals.values())
    assert [seat for seat, place in enumerate(ended.places) if place == 1] == [
        seat for seat, total in active_totals.items() if total == best
    ]
    assert table.latched or len(active_totals) == 1
