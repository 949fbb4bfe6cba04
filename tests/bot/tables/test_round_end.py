"""The result message of a round, and the score sheet."""

import re
from random import Random

import pytest

from bot.core.names import SeatNames, shorten_names
from bot.core.safe_text import count_columns
from bot.tables.board_text import MAX_SHEET_WIDTH, format_score_sheet
from bot.tables.end_views import build_round_view
from data.rulebook import load_rules
from data.words import load_words
from engine.match.event_log import build_event_log
from tests.bot.tables.stacked_deals import play_moves, stack_deal
from tests.engine.tables import Playout

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


@pytest.mark.parametrize(
    ("game", "target", "seats"), [("triominoes", 1, 2), ("triominoes", 2000, 4), ("quad-ominos", 800, 12)]
)
def test_score_sheet_adds_up_in_lines_that_fit_a_phone(game: str, target: int, seats: int):
    playout = Playout(
        Random(1), seats, frozenset(range(seats)), rules=load_rules(game).with_option("target", str(target))
    )
    playout.play()
    sheet = format_score_sheet(build_event_log(playout.log), [f"A long player name {seat}" for seat in range(seats)])

    found: list[int] = []
    for block in sheet.split("\n\n"):
        names, *rows, line, totals = block.split("\n")
        columns = [[int(cell.replace("−", "-")) for cell in row.split()[1:]] for row in (*rows, totals)]
        assert [sum(cells[:-1]) for cells in zip(*columns, strict=True)] == columns[-1]
        assert {*map(len, (names, *rows, line, totals))} == {len(line)}
        assert len(line) <= MAX_SHEET_WIDTH
        found += columns[-1]
    assert found == [seat.total for seat in playout.match.seats]
    assert re.findall(r"^(\d+)\b(?!–)", sheet, re.MULTILINE)[-1] == str(playout.match.round)


def test_short_names_stay_distinct_and_inside_code():
    names = [
        "Alexander the Great",
        "Alexandra",
        "ale#1x",
        "Jo```hn",
        "\u2068שלום עולם\u2069",
        "日本語の名前",
        "Computer",
        "computer",
    ]
    short = shorten_names(names, 6)

    assert len({name.casefold() for name in short}) == len(names)
    assert max(map(count_columns, short)) <= 6
    assert "`" not in "".join(short)
