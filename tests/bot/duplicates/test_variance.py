"""Variance of duels with duplicate deals, and the documented figures."""

import shlex
from collections import Counter
from pathlib import Path
from random import Random

import pytest

from bot.tools.duel_results import DuelResults
from bot.tools.position_reading import UnreadableError
from bot.tools.seating import PlayedDeal
from tests.bot.computers.duels import build_contest
from tests.project.sources import ROOT
from tests.tools.variance import compute_variance, main

DUPLICATE_PAGE = (ROOT / "docs" / "explanation" / "duplicate.md").read_text(encoding="utf-8")


def build_results(*margins: tuple[int, int]) -> DuelResults:
    results = DuelResults(build_contest())
    for deal, (first, second) in enumerate(margins):
        results.add(PlayedDeal(deal, ((first, 0), (second, 0)), ((1, 2), (1, 2))))
    return results


def test_duplicate_deals_remove_luck_of_deal() -> None:
    luck = [Random(seed).randrange(-300, 300) for seed in range(200)]
    found = compute_variance(build_results(*((20 + one, 20 - one) for one in luck)))
    assert found.duplicate == 0
    assert found.independent > 20_000


def test_duplicate_deals_keep_luck_of_play() -> None:
    chance = Random(5)
    found = compute_variance(
        build_results(*((chance.randrange(-300, 300), chance.randrange(-300, 300)) for _ in range(3000)))
    )
    assert found.share_per_match == pytest.approx(1, abs=0.08)
    assert found.share_per_deal == pytest.approx(0.5, abs=0.04)
    assert found.interval[0] < 0.5 < found.interval[1]


def test_too_few_deals_give_no_variance(tmp_path: Path) -> None:
    file = tmp_path / "few.jsonl"
    results = DuelResults(build_contest("greedy", "random"), file)
    results.add(PlayedDeal(0, ((3, 0), (1, 0)), ((1, 2), (1, 2)), (Counter(), Counter()), ({}, {})))
    with pytest.raises(UnreadableError, match="play 10 at"):
        main([str(file)])


def test_documented_variance_matches_command_output(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(ROOT)
    command, _, after_command = DUPLICATE_PAGE.partition("```sh\n")[2].partition("```\n")
    expected_start, words = "uv run checks -m tests.tools.variance", shlex.split(command.strip())
    assert words[:5] == expected_start.split()
    main(words[5:])
    assert capsys.readouterr().out.strip() == after_command.strip("\n").partition("\n\n")[0]


@pytest.mark.parametrize("level", ["hard", "expert", "medium"])
def test_duplicate_deal_halves_variance_of_match_or_better(level: str) -> None:
    results = DuelResults.from_file(ROOT / "docs" / "strength" / f"triominoes-2-{level}-greedy.jsonl")
    found = compute_variance(results)
    assert results.contest.players[0] == level
    assert found.share_per_deal <= 0.5
    assert found.share_per_match < 1
