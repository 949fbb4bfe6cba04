"""Relative strength of the levels, measured in short duels (docs/explanation/strength.md)."""

import pytest

from bot.tools.contest import Contest
from bot.tools.tally import compute_win_mean
from tests.bot.computers.duels import play_duel
from tests.depth import DEPTH, scale_count


def compute_win_rate(first: str, second: str, deals: int, game: str = "triominoes", *, single: bool) -> float:
    return compute_win_mean(play_duel(Contest(game, (first, second), 4, single=single), deals)).value


@pytest.mark.parametrize(
    ("first", "second", "deals", "least", "most"),
    [
        ("greedy", "random", 8, 52, 80),
        ("greedy", "easy", 8, 50, 75),
        ("medium", "random", 8, 52, 85),
        ("hard", "greedy", 10, 54, 85),
    ],
)
def test_stronger_triominoes_level_wins_more_matches(
    first: str, second: str, deals: int, least: float, most: float
) -> None:
    assert least <= compute_win_rate(first, second, scale_count(deals), single=False) <= most


@pytest.mark.deep
@pytest.mark.parametrize(("level", "deals", "least"), [("expert", 2, 50), ("master", 1, 50)])
def test_searching_levels_win_more_rounds(level: str, deals: int, least: float) -> None:
    assert compute_win_rate(level, "greedy", scale_count(deals), single=True) >= least


@pytest.mark.skipif(DEPTH < 10, reason="a match takes the master seconds")
def test_master_wins_more_matches_than_hard() -> None:
    assert compute_win_rate("master", "hard", scale_count(2), single=False) > 50


@pytest.mark.parametrize(
    ("game", "deals", "least"),
    [("quad-ominos", 4, 75), ("points", 10, 55), ("muggins", 10, 55), ("star", 4, 90), ("trioker", 10, 50)],
)
def test_greedy_beats_random_in_every_game(game: str, deals: int, least: float) -> None:
    assert compute_win_rate("greedy", "random", scale_count(deals), game, single=True) >= least


@pytest.mark.deep
@pytest.mark.parametrize("game", ["points", "muggins"])
def test_hard_beats_medium_where_one_move_lookahead_does_not_help(game: str) -> None:
    assert compute_win_rate("hard", "medium", scale_count(8, 8), game, single=True) >= 55


@pytest.mark.skipif(DEPTH < 10, reason="a deal takes expert seconds")
def test_expert_wins_nearly_all_star_deals_against_greedy() -> None:
    assert compute_win_rate("expert", "greedy", scale_count(1), "star", single=True) >= 85
