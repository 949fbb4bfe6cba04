"""Hints: on many positions every reason is true by a separate check, and none depends on a hidden tile."""

from collections import Counter
from itertools import chain
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from data.rulebook import list_games, load_rules
from data.weights import load_weights
from engine.board.lattice import Cell
from engine.board.tiles import Tile, count_pips
from engine.match.actions import Play
from engine.match.player_view import Move, PlayerView, list_legal_actions, view_for
from engine.match.state import Match
from engine.players import hint_reasons
from engine.players.hint_reasons import (
    MAX_REASONS,
    EarnedReward,
    FewestReplies,
    FewReplies,
    FurtherTurn,
    HighestScore,
    Hint,
    MostPlayableHand,
    OnlyOpponent,
    Reason,
    build_hint,
)
from engine.players.levels import build_player
from tests.depth import list_required_cases, scale_count
from tests.engine.match_positions import match_positions, redeal_hidden_tiles
from tests.engine.naive_games import Layout, ReferenceScore, Shown, build_reference_rules
from tests.engine.random_layouts import to_naive
from tests.engine.random_play import iterate_positions
from tests.engine.tables import Playout, act, build_match, build_play

FEW, MANY = scale_count(40), scale_count(170)


class HintChecker:
    def __init__(self, view: PlayerView, move: Move | None, match: Match) -> None:
        self.view, self.move, self.match = view, move, match
        self.reference = build_reference_rules(view.rules)
        self.layout_before: Layout = [to_naive(placement) for placement in view.tiles]
        self.layout_after = self.layout_before if move is None else self.lay(move)
        self.hand = list(view.own_seat.hand)
        self.remaining_hand = [tile for tile in self.hand if move is None or tile != move.placement.tile]
        placed_tiles = {lies.tile for lies in view.tiles}
        self.unseen_tiles = [tile for tile in view.rules.tiles if tile not in placed_tiles and tile not in self.hand]

    def lay(self, move: Move) -> Layout:
        return [*self.layout_before, to_naive(move.placement)]

    def score(self, move: Move) -> ReferenceScore:
        return self.reference.score_placement(self.layout_before, *to_naive(move.placement))

    def find_cells_by_tile(self, layout: Layout, tiles: list[Tile]) -> dict[Tile, set[tuple[str, int, int]]]:
        found: dict[Tile, set[tuple[str, int, int]]] = {tile: set() for tile in tiles}
        for cell, shown in self.reference.list_hand_moves(layout, list(tiles)):
            found[self.view.rules.build_placement(Cell(*cell), shown).tile].add(cell)
        return found

    def count_fitting_tiles(self, move: Move, tiles: list[Tile]) -> int:
        return self.count_placeable_tiles(self.lay(move), [tile for tile in tiles if tile != move.placement.tile])

    def count_placeable_tiles(self, layout: Layout, tiles: list[Tile]) -> int:
        return sum(map(bool, self.find_cells_by_tile(layout, tiles).values()))

    def compute_best_bonus(self, layout: Layout, tile: Tile, cell: Cell) -> int:
        moves = self.reference.list_hand_moves(layout, [tile])
        ways = [shown for other_cell, shown in moves if other_cell == tuple(cell)]
        return max((self.compute_bonus(layout, tile, cell, shown) for shown in ways), default=0)

    def compute_bonus(self, layout: Layout, tile: Tile, cell: Cell, shown: Shown) -> int:
        score, rules = self.reference.score_placement(layout, tuple(cell), shown), self.view.rules
        if rules.game == "quad-ominos":
            return 25 if score.matched >= 3 else 0
        return score.points - (count_pips(tile) if rules.game == "triominoes" else 0) if rules.has_bonuses else 0

    def compute_points_with_bonus(self, move: Move) -> int:
        if self.view.rules.game != "quad-ominos":
            return move.points
        earns_bonus = self.score(move).matched >= 3 if self.layout_before else len(set(move.placement.tile)) == 1
        return move.points + 25 * earns_bonus

    def can_place_tiles(self, tiles: list[Tile], layout: Layout, length: int) -> bool:
        if not length:
            return True
        ways = self.reference.list_hand_moves(layout, list(tiles)) if tiles else ()
        return any(self.can_place_tiles(self.remove_tile(tiles, one), [*layout, one], length - 1) for one in ways)

    def remove_tile(self, tiles: list[Tile], placed: tuple[tuple[str, int, int], Shown]) -> list[Tile]:
        tile = self.view.rules.build_placement(Cell(*placed[0]), placed[1]).tile
        return [other for other in tiles if other != tile]

    def can_end_turn(self) -> bool:
        return any(not isinstance(action, Play) for action in list_legal_actions(self.view))

    def must_play_again(self) -> bool:
        view, move = self.view, self.move
        has_further_turn = view.bonus_tiles > 1 or (self.score(move).corner and view.rules.must_take_further_turn)
        return has_further_turn and self.can_place_tiles(self.remaining_hand, self.layout_after, 1)

    def is_true(self, reason: Reason) -> bool:
        view, move = self.view, self.move
        match reason:
            case hint_reasons.OnlyMove():
                return len(list_legal_actions(view)) == 1
            case hint_reasons.RewardComparison(points, tiles, most):
                best = sorted((self.compute_highest_score(tile) for tile in self.hand), reverse=True)
                return (points, tiles) == (25, 2) and most == sum(best[:tiles])
        tile = move.placement.tile
        match reason:
            case hint_reasons.GoingOut(bonus):
                return self.hand == [tile] and bonus == view.rules.out_bonus
            case hint_reasons.HighestScore(points, more):
                others = [one for one in view.moves if one.placement != move.placement]
                by_itself = points - max(one.points for one in others)
                most = self.compute_points_with_bonus(move) - max(map(self.compute_points_with_bonus, others))
                result = move.points == points and points > min(one.points for one in others)
                return result and more == min(by_itself, most) >= 0
            case hint_reasons.ClosedHexagons(hexagons, bonus):
                return self.score(move).hexagons == hexagons > 0 and bonus == 50 * hexagons
            case hint_reasons.BridgeBonus(bonus):
                return self.score(move).bridge and bonus == 40
            case hint_reasons.EarnedReward(points, tiles, both):
                further = 2 if self.can_place_tiles(self.remaining_hand, self.layout_after, 2) else 0
                if not self.layout_before:
                    result = points, tiles, both
                    return len(set(tile)) == 1 and result == (25, further, sum(tile) == 0)
                return self.score(move).matched >= 3 and (points, tiles, both) == (25, further, False)
            case hint_reasons.FurtherTurn():
                return self.score(move).corner and self.can_place_tiles(self.remaining_hand, self.layout_after, 1)
            case hint_reasons.RareFit(rare, elsewhere):
                places = self.find_cells_by_tile(self.layout_before, self.hand)
                others = [len(places[other]) for other in self.remaining_hand if places[other]]
                return rare == tile and len(places[tile]) == elsewhere + 1 < min(others)
            case hint_reasons.KeptBonus(own, where, bonus):
                takers = self.find_cells_by_tile(self.layout_after, self.unseen_tiles)
                is_safe = not any(tuple(where) in cells for cells in takers.values())
                layouts = (self.layout_before, self.layout_after)
                earned = [self.compute_best_bonus(layout, own, where) for layout in layouts]
                is_held = own in self.remaining_hand and view.find_place(where) is not None
                return is_held and is_safe and earned == [bonus, bonus]
            case hint_reasons.FewReplies(unseen, after, before, holder):
                layouts = (self.layout_before, self.layout_after)
                counts = [self.count_placeable_tiles(layout, self.unseen_tiles) for layout in layouts]
                few = len(self.unseen_tiles) == unseen and counts == [before, after] and after < before
                return few and not self.must_play_again() and self.is_only_opponent(holder)
            case hint_reasons.FewestReplies(unseen, after, holder):
                counts = {one.placement: self.count_fitting_tiles(one, self.unseen_tiles) for one in view.moves}
                few = len(self.unseen_tiles) == unseen and counts[move.placement] == after == min(counts.values())
                ended = self.count_placeable_tiles(self.layout_before, self.unseen_tiles)
                few = few and not (self.can_end_turn() and ended < after)
                return few and not self.must_play_again() and self.is_only_opponent(holder)
            case hint_reasons.MostPlayableHand(held, fitting):
                counts = {one.placement: self.count_fitting_tiles(one, self.hand) for one in view.moves}
                ended = self.count_placeable_tiles(self.layout_before, self.remaining_hand)
                most = counts[move.placement] == fitting == max(counts.values())
                return len(self.remaining_hand) == held and most and not (self.can_end_turn() and ended > fitting)
            case hint_reasons.HeaviestTile(heavy):
                return heavy == count_pips(tile) > max(map(count_pips, self.remaining_hand))

    def is_only_opponent(self, holder: OnlyOpponent | None) -> bool:
        others = [seat for seat in range(len(self.match.seats)) if seat != self.match.turn]
        if holder is None:
            return len(others) > 1
        theirs, unseen = set(self.match.seats[holder.seat].hand), set(self.unseen_tiles)
        is_subset = theirs == unseen if holder.tiles == len(unseen) else theirs < unseen
        return others == [holder.seat] and len(theirs) == holder.tiles and is_subset

    def compute_highest_score(self, tile: Tile) -> int:
        layout, score = self.layout_before, self.reference.score_placement
        return max((score(layout, *one).points for one in self.reference.list_hand_moves(layout, [tile])), default=0)


@pytest.mark.parametrize("game", list_games())
@pytest.mark.parametrize("wanted", [FEW, pytest.param(MANY, marks=pytest.mark.deep)])
def test_every_hint_reason_is_confirmed_by_reference_implementation(game: str, wanted: int):
    coverage: Counter[str] = Counter()
    # With two players, each knows that the other one holds the unseen tiles.
    for view, action, table in chain(
        iterate_positions(game, wanted), iterate_positions(game, wanted // 5, max_seats=2)
    ):
        found = build_hint(view, action)
        checker = HintChecker(view, found.move, table)
        for reason in found.reasons:
            coverage[type(reason).__name__] += 1
            if isinstance(reason, hint_reasons.FewReplies | hint_reasons.FewestReplies) and reason.holder is not None:
                coverage["OnlyOpponent"] += 1
            assert checker.is_true(reason), f"{reason} is not so at {action}: {checker.layout_before}, {checker.hand}"
        assert len(found.reasons) <= MAX_REASONS
        assert (found.move is not None) == isinstance(action, Play)
    assert wanted == FEW or set(coverage) >= list_required_cases(EXPECTED_REASONS[game])


EXPECTED_REASONS = {
    "triominoes": {
        "OnlyOpponent",
        "OnlyMove",
        "HighestScore",
        "BridgeBonus",
        "KeptBonus",
        "FewestReplies",
        "MostPlayableHand",
        "RareFit",
        "HeaviestTile",
    },
    "quad-ominos": {
        "OnlyOpponent",
        "EarnedReward",
        "HighestScore",
        "RewardComparison",
        "FewReplies",
        "RareFit",
        "HeaviestTile",
    },
    "points": {"OnlyOpponent", "FewReplies", "RareFit", "HeaviestTile"},
    "muggins": {"OnlyOpponent", "FewReplies", "RareFit", "HeaviestTile"},
    "star": {"OnlyOpponent", "OnlyMove", "FurtherTurn", "HighestScore", "FewReplies", "RareFit"},
    "trioker": {"OnlyOpponent", "OnlyMove", "ClosedHexagons", "KeptBonus", "HighestScore", "FewReplies", "RareFit"},
}


def list_hint_reasons(
    hands: list[str], position: str, *texts: str, reading: str, preset: str = "default"
) -> tuple[Reason, ...]:
    rules = load_rules(reading, preset)
    table = build_match(hands, position=position, rules=rules, choices="" if position else "0-0-0-0 1-1-1-2")
    *before, last = (build_play(0, text, rules) for text in texts)
    act(table, *before)
    return build_hint(view_for(table, 0), last).reasons


@pytest.mark.parametrize(
    ("hand", "position", "played", "earned"),
    [
        ("1-2-4-4 4-4-4-4 2-4-4-4", "0,0=4455 1,0=4445 1,1=2244", "0,1=1244", EarnedReward(25, 2, both=False)),
        ("1-2-4-4 0-0-0-0 0-0-0-1", "0,0=4455 1,0=4445 1,1=2244", "0,1=1244", EarnedReward(25, 0, both=False)),
        ("0-0-0-0 1-1-1-2 3-3-3-4", "", "0,0=0000", EarnedReward(25, 0, both=True)),
    ],
    ids=["Q21 of RULES", "Q20", "Q07"],
)
def test_hint_mentions_bonus_tiles_only_when_they_fit(hand: str, position: str, played: str, earned: EarnedReward):
    assert list_hint_reasons([hand, "3-3-3-5"], position, played, reading="quad-ominos")[0] == earned


def test_hint_for_highest_score_includes_bonuses_of_other_moves():
    def list_score_reasons(hand: str) -> list[Reason]:
        position = "0,0=4455 1,0=4445 1,1=2244"
        found = list_hint_reasons([hand, "3-3-3-3"], position, "0,-1=5554", reading="quad-ominos")
        return [reason for reason in found if isinstance(reason, HighestScore)]

    assert list_score_reasons("4-5-5-5 0-1-4-4") == [HighestScore(19, 0)]
    assert list_score_reasons("4-5-5-5 0-1-4-4 1-2-4-4") == []


@pytest.mark.parametrize(("kept", "follows"), [("3-3-3", True), ("0-0-0", False)])
def test_hint_mentions_further_turn_only_when_a_tile_fits(kept: str, follows: bool):
    found = list_hint_reasons([f"3-3-4 {kept}", "1-1-1 2-2-2"], "U0,0=233", "D1,-1=343", reading="star")
    assert (FurtherTurn() in found) == follows


@pytest.mark.parametrize(("preset", "left"), [("default", True), ("strict", False)])
def test_hint_omits_opponents_options_when_own_further_turn_follows(preset: str, left: bool):
    found = list_hint_reasons(
        ["0-1-3 3-3-3 1-1-1", "0-1-2 1-2-4 1-1-3"], "U0,0=233", "D1,-1=333", reading="star", preset=preset
    )
    assert FurtherTurn() in found
    assert any(isinstance(reason, FewReplies) for reason in found) == left


@pytest.mark.parametrize(
    ("hands", "texts", "untrue"),
    [
        (["0-3-4 2-2-2 1-1-4 1-3-3", "0-4-4 0-2-4"], ["U1,0=313", "D1,0=141"], FewestReplies),
        (["0-0-3 0-0-2 1-2-4 2-2-3", "0-2-2 0-1-1"], ["U-1,1=232", "D-1,1=003"], MostPlayableHand),
    ],
)
def test_hint_for_stop_gives_no_untrue_reason(hands: list[str], texts: list[str], untrue: type[Reason]):
    assert untrue not in map(type, list_hint_reasons(hands, "U0,0=233", *texts, reading="star"))


@settings(max_examples=scale_count(30), deadline=None)
@given(playout=match_positions(), luck=st.integers(0, 99))
def test_hint_does_not_depend_on_tile_that_cannot_be_seen(playout: Playout, luck: int):
    table = playout.match
    if table.ended or not list_legal_actions(view_for(table, table.turn)):
        return
    twin = redeal_hidden_tiles(playout.log, table.turn, Random(luck))

    assert build_level_hint(view_for(twin, table.turn), luck) == build_level_hint(view_for(table, table.turn), luck)


def build_level_hint(view: PlayerView, seed: int) -> Hint:
    return build_hint(view, build_player("hard", view.rules, load_weights(view.rules)).choose(view, Random(seed)))
