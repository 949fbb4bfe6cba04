"""Variance of duels with duplicate deals, and the documented figures."""

import json
import shlex
from collections import Counter
from pathlib import Path
from random import Random

import pytest

from bot.tools.duel_results import DuelResults
from bot.tools.position_reading import UnreadableError
from bot.tools.seating import PlayedDeal
from tests.bot.computers.duels import contest
from tests.project.sources import ROOT
from tests.tools.variance import main, variance

PAGE = (ROOT / "docs" / "explanation" / "duplicate.md").read_text(encoding="utf-8")


def made(*margins: tuple[int, int]) -> DuelResults:
    found = DuelResults(contest())
    for deal, (first, second) in enumerate(margins):
        found.add(PlayedDeal(deal, ((first, 0), (second, 0)), ((1, 2), (1, 2))))
    return found


def test_duplicate_deals_remove_luck_of_deal() -> None:
    luck = [Random(seed).randrange(-300, 300) for seed in range(200)]
    found = variance(made(*((20 + one, 20 - one) for one in luck)))
    assert found.duplicate == 0
    assert found.independent > 20_000


def test_duplicate_deals_keep_luck_of_play() -> None:
    chance = Random(5)
    found = variance(made(*((chance.randrange(-300, 300), chance.randrange(-300, 300)) for _ in range(3000))))
    assert found.of_as_many == pytest.approx(1, abs=0.08)
    assert found.of_a_match == pytest.approx(0.5, abs=0.04)
    assert found.within[0] < 0.5 < found.within[1]


def test_too_few_deals_give_no_variance(tmp_path: Path) -> None:
    file = tmp_path / "few.jsonl"
    results = DuelResults(contest("greedy", "random"), file)
    results.add(PlayedDeal(0, ((3, 0), (1, 0)), ((1, 2), (1, 2)), (Counter(), Counter()), ({}, {})))
    with pytest.raises(UnreadableError, match="play 10 at"):
        main([str(file)])


def test_documented_variance_matches_command_output(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(ROOT)
    command, _, below = PAGE.partition("```sh\n")[2].partition("```\n")
    begins, words = "uv run checks -m tests.tools.variance", shlex.split(command.strip())
    assert words[:5] == begins.split()
    main(words[5:])
    assert capsys.readouterr().out.strip() == below.strip("\n").partition("\n\n")[0]


def test_duplicate_deal_halves_variance_of_match_or_better(capsys: pytest.CaptureFixture[str]) -> None:
    files = [ROOT / "docs" / "strength" / f"triominoes-2-{one}-greedy.jsonl" for one in ("hard", "expert", "medium")]
    main([*map(str, files), "--json"])
    told = json.loads(capsys.readouterr().out)
    assert [one["players"][0] for one in told] == ["hard", "expert", "medium"]
    assert all(one["of_a_match"] <= 0.5 for one in told)
    assert all(one["of_as_many"] < 1 for one in told)
