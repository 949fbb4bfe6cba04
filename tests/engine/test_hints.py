"""Hints: every reason is a fact, by a second opinion on many positions, and none depends on a hidden tile."""

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
    MOST_REASONS,
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
from tests.depth import comes_up, scaled
from tests.engine.moments import moments, rearranged
from tests.engine.naive_games import Layout, Shown, second_opinion
from tests.engine.random_play import positions
from tests.engine.tables import Playout, act, match, play

FEW, MANY = scaled(40), scaled(170)


class Told:
    def __init__(self, seen: PlayerView, move: Move | None, match: Match) -> None:
        self.seen, self.move, self.match = seen, move, match
        self.opinion = second_opinion(seen.rules)
        self.before: Layout = [(tuple(lies.cell), lies.shown_labels) for lies in seen.tiles]
        self.after = (
            self.before if move is None else [*self.before, (tuple(move.placement.cell), move.placement.shown_labels)]
        )
        assert seen.own_seat.hand is not None
        self.hand = list(seen.own_seat.hand)
        self.kept = [tile for tile in self.hand if move is None or tile != move.placement.tile]
        lie = {lies.tile for lies in seen.tiles}
        self.unseen = [tile for tile in seen.rules.tiles if tile not in lie and tile not in self.hand]

    def fits(self, layout: Layout, tiles: list[Tile]) -> dict[Tile, set[tuple[str, int, int]]]:
        found: dict[Tile, set[tuple[str, int, int]]] = {tile: set() for tile in tiles}
        for cell, shown in self.opinion.held(layout, list(tiles)):
            found[self.seen.rules.build_placement(Cell(*cell), shown).tile].add(cell)
        return found

    def fitting(self, move: Move, tiles: list[Tile]) -> int:
        left = [tile for tile in tiles if tile != move.placement.tile]
        places = self.fits([*self.before, (tuple(move.placement.cell), move.placement.shown_labels)], left)
        return sum(map(bool, places.values()))

    def bonus(self, layout: Layout, tile: Tile, cell: Cell) -> int:
        ways: list[Shown] = [shown for there, shown in self.opinion.held(layout, [tile]) if there == tuple(cell)]
        return max((self.extra(layout, tile, cell, shown) for shown in ways), default=0)

    def extra(self, layout: Layout, tile: Tile, cell: Cell, shown: Shown) -> int:
        worth, playing = self.opinion.worth(layout, tuple(cell), shown), self.seen.rules
        if playing.game == "quad-ominos":
            return 25 if worth.matched >= 3 else 0
        return worth.points - (count_pips(tile) if playing.game == "triominoes" else 0) if playing.has_bonuses else 0

    def with_bonus(self, move: Move) -> int:
        if self.seen.rules.game != "quad-ominos":
            return move.points
        tile, cell = move.placement.tile, tuple(move.placement.cell)
        opens = not self.before and len(set(tile)) == 1
        matched = self.opinion.worth(self.before, cell, move.placement.shown_labels).matched if self.before else 0
        return move.points + (25 if opens or matched >= 3 else 0)

    def runs(self, tiles: list[Tile], layout: Layout, length: int) -> bool:
        if not length:
            return True
        ways = self.opinion.held(layout, list(tiles)) if tiles else ()
        return any(self.runs(self.without(tiles, one), [*layout, one], length - 1) for one in ways)

    def without(self, tiles: list[Tile], placed: tuple[tuple[str, int, int], Shown]) -> list[Tile]:
        tile = self.seen.rules.build_placement(Cell(*placed[0]), placed[1]).tile
        return [other for other in tiles if other != tile]

    def may_end(self) -> bool:
        return any(not isinstance(action, Play) for action in list_legal_actions(self.seen))

    def must_go_on(self) -> bool:
        seen, move = self.seen, self.move
        worth = self.opinion.worth(self.before, tuple(move.placement.cell), move.placement.shown_labels)
        goes_on = seen.bonus_tiles > 1 or (worth.corner and seen.rules.must_take_further_turn)
        return goes_on and self.runs(self.kept, self.after, 1)

    def holds(self, reason: Reason) -> bool:
        seen, move = self.seen, self.move
        match reason:
            case hint_reasons.OnlyMove():
                return len(list_legal_actions(seen)) == 1
            case hint_reasons.RewardComparison(points, tiles, most):
                best = sorted((self.scores(tile) for tile in self.hand), reverse=True)
                return (points, tiles) == (25, 2) and most == sum(best[:tiles])
        tile, cell = move.placement.tile, move.placement.cell
        match reason:
            case hint_reasons.GoingOut(bonus):
                return self.hand == [tile] and bonus == seen.rules.out_bonus
            case hint_reasons.HighestScore(points, more):
                others = [one for one in seen.moves if one.placement != move.placement]
                by_itself = points - max(one.points for one in others)
                most = self.with_bonus(move) - max(map(self.with_bonus, others))
                told = move.points == points and points > min(one.points for one in others)
                return told and more == min(by_itself, most) >= 0
            case hint_reasons.ClosedHexagons(hexagons, bonus):
                worth = self.opinion.worth(self.before, tuple(cell), move.placement.shown_labels)
                return worth.hexagons == hexagons > 0 and bonus == 50 * hexagons
            case hint_reasons.BridgeBonus(bonus):
                worth = self.opinion.worth(self.before, tuple(cell), move.placement.shown_labels)
                return worth.bridge and bonus == 40
            case hint_reasons.EarnedReward(points, tiles, both):
                further = 2 if self.runs(self.kept, self.after, 2) else 0
                if not self.before:
                    told = points, tiles, both
                    return len(set(tile)) == 1 and told == (25, further, sum(tile) == 0)
                matched = self.opinion.worth(self.before, tuple(cell), move.placement.shown_labels).matched
                return matched >= 3 and (points, tiles, both) == (25, further, False)
            case hint_reasons.FurtherTurn():
                worth = self.opinion.worth(self.before, tuple(cell), move.placement.shown_labels)
                return worth.corner and self.runs(self.kept, self.after, 1)
            case hint_reasons.RareFit(rare, elsewhere):
                places = self.fits(self.before, self.hand)
                others = [len(places[other]) for other in self.kept if places[other]]
                return rare == tile and len(places[tile]) == elsewhere + 1 < min(others)
            case hint_reasons.KeptBonus(own, where, bonus):
                takers = [one for one, cells in self.fits(self.after, self.unseen).items() if tuple(where) in cells]
                earned = [self.bonus(layout, own, where) for layout in (self.before, self.after)]
                return (
                    own in self.kept
                    and takers == []
                    and earned == [bonus, bonus]
                    and seen.find_place(where) is not None
                )
            case hint_reasons.FewReplies(unseen, after, before, holder):
                counts = [sum(map(bool, self.fits(one, self.unseen).values())) for one in (self.before, self.after)]
                few = len(self.unseen) == unseen and counts == [before, after] and after < before
                return few and not self.must_go_on() and self.holds_them(holder)
            case hint_reasons.FewestReplies(unseen, after, holder):
                counts = {one.placement: self.fitting(one, self.unseen) for one in seen.moves}
                few = len(self.unseen) == unseen and counts[move.placement] == after == min(counts.values())
                ended = sum(map(bool, self.fits(self.before, self.unseen).values()))
                few = few and not (self.may_end() and ended < after)
                return few and not self.must_go_on() and self.holds_them(holder)
            case hint_reasons.MostPlayableHand(held, fitting):
                counts = {one.placement: self.fitting(one, self.hand) for one in seen.moves}
                ended = sum(map(bool, self.fits(self.before, self.kept).values()))
                most = counts[move.placement] == fitting == max(counts.values())
                return len(self.kept) == held and most and not (self.may_end() and ended > fitting)
            case hint_reasons.HeaviestTile(heavy):
                return heavy == count_pips(tile) > max(map(count_pips, self.kept))

    def holds_them(self, holder: OnlyOpponent | None) -> bool:
        others = [seat for seat in range(len(self.match.seats)) if seat != self.match.turn]
        if holder is None:
            return len(others) > 1
        theirs, unseen = set(self.match.seats[holder.seat].hand), set(self.unseen)
        whole = holder.tiles == len(unseen)
        return (
            others == [holder.seat] and len(theirs) == holder.tiles and (theirs == unseen if whole else theirs < unseen)
        )

    def scores(self, tile: Tile) -> int:
        moves = self.opinion.held(self.before, [tile])
        return max((self.opinion.worth(self.before, cell, shown).points for cell, shown in moves), default=0)


@pytest.mark.parametrize("game", list_games())
@pytest.mark.parametrize("wanted", [FEW, pytest.param(MANY, marks=pytest.mark.deep)])
def test_every_hint_reason_is_confirmed_by_reference_implementation(game: str, wanted: int):
    met: Counter[str] = Counter()
    # Of two, each knows who holds what they do not see.
    for seen, action, table in chain(positions(game, wanted), positions(game, wanted // 5, most=2)):
        found = build_hint(seen, action)
        told = Told(seen, found.move, table)
        for reason in found.reasons:
            met[type(reason).__name__] += 1
            if isinstance(reason, hint_reasons.FewReplies | hint_reasons.FewestReplies) and reason.holder is not None:
                met["Holder"] += 1
            assert told.holds(reason), f"{reason} is not so at {action}: {told.before}, {told.hand}"
        assert len(found.reasons) <= MOST_REASONS
        assert (found.move is not None) == isinstance(action, Play)
    assert wanted == FEW or set(met) >= comes_up(EXPECTED[game])


EXPECTED = {
    "triominoes": {
        "Holder",
        "OnlyMove",
        "ScoresMost",
        "Bridges",
        "Keeps",
        "LeavesFewest",
        "KeepsMost",
        "RarelyFits",
        "Heaviest",
    },
    "quad-ominos": {"Holder", "Earns", "ScoresMost", "Weighs", "LeavesFew", "RarelyFits", "Heaviest"},
    "points": {"Holder", "LeavesFew", "RarelyFits", "Heaviest"},
    "muggins": {"Holder", "LeavesFew", "RarelyFits", "Heaviest"},
    "star": {"Holder", "OnlyMove", "GoesOn", "ScoresMost", "LeavesFew", "RarelyFits"},
    "trioker": {"Holder", "OnlyMove", "Closes", "Keeps", "ScoresMost", "LeavesFew", "RarelyFits"},
}


def said(hands: list[str], position: str, *texts: str, reading: str, preset: str = "default") -> tuple[Reason, ...]:
    playing = load_rules(reading, preset)
    table = match(hands, position=position, rules=playing, choices="" if position else "0-0-0-0 1-1-1-2")
    *before, last = (play(0, text, playing) for text in texts)
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
    assert said([hand, "3-3-3-5"], position, played, reading="quad-ominos")[0] == earned


def test_hint_for_highest_score_includes_bonuses_of_other_moves():
    def of_a_heavy_tile(hand: str) -> list[Reason]:
        position = "0,0=4455 1,0=4445 1,1=2244"
        found = said([hand, "3-3-3-3"], position, "0,-1=5554", reading="quad-ominos")
        return [reason for reason in found if isinstance(reason, HighestScore)]

    assert of_a_heavy_tile("4-5-5-5 0-1-4-4") == [HighestScore(19, 0)]
    assert of_a_heavy_tile("4-5-5-5 0-1-4-4 1-2-4-4") == []


@pytest.mark.parametrize(("kept", "follows"), [("3-3-3", True), ("0-0-0", False)])
def test_hint_mentions_further_turn_only_when_a_tile_fits(kept: str, follows: bool):
    found = said([f"3-3-4 {kept}", "1-1-1 2-2-2"], "U0,0=233", "D1,-1=343", reading="star")
    assert (FurtherTurn() in found) == follows


@pytest.mark.parametrize(("preset", "left"), [("default", True), ("strict", False)])
def test_hint_omits_opponents_options_when_own_further_turn_follows(preset: str, left: bool):
    found = said(["0-1-3 3-3-3 1-1-1", "0-1-2 1-2-4 1-1-3"], "U0,0=233", "D1,-1=333", reading="star", preset=preset)
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
    assert not any(isinstance(reason, untrue) for reason in said(hands, "U0,0=233", *texts, reading="star"))


@settings(max_examples=scaled(30), deadline=None)
@given(playout=moments(), luck=st.integers(0, 99))
def test_hint_does_not_depend_on_tile_that_cannot_be_seen(playout: Playout, luck: int):
    table = playout.match
    if table.ended or not list_legal_actions(view_for(table, table.turn)):
        return
    twin = rearranged(playout.log, table.turn, Random(luck))

    assert hinted(view_for(twin, table.turn), luck) == hinted(view_for(table, table.turn), luck)


def hinted(seen: PlayerView, luck: int) -> Hint:
    return build_hint(seen, build_player("hard", seen.rules, load_weights(seen.rules)).choose(seen, Random(luck)))
