"""The result message of a round."""

import pytest

from bot.core.names import SeatNames
from bot.tables.end_views import build_round_view
from data.rulebook import load_rules
from data.words import load_words
from tests.bot.tables.stacked_deals import play_moves, stack_deal

NAMES = SeatNames(("Ada", "Grace"), ("Ada", "Grace"))


@pytest.mark.parametrize(
    ("game", "told"),
    [
        ("points", ["The round is blocked: no player can move.", "**Ada** held 0: **+4**", "**Grace** held 4"]),
        ("star", ["The round is blocked: no player can move.", "No player gets points for it."]),
    ],
)
def test_blocked_round_shows_hands_when_points_are_earned(game: str, told: list[str]):
    _, event_log = play_moves(stack_deal(load_rules(game), "444 000", "111 001"))
    view = build_round_view(1, event_log, NAMES, load_words(), "", 0)
    lines = view.to_components()[0]["components"][0]["content"].split("\n")
    assert lines[1 : 1 + len(told)] == told
