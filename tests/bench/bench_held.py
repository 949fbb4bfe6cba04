"""Every ratio that is held, in the environment where all the yardsticks are: `uv run pytest tests/bench -k held`."""

import pytest

from tests.bench.held import asked, told
from tests.bench.rows import ROOM, Question
from tests.bench.table import questions


@pytest.mark.parametrize("question", [one for one in questions() if one.cheap], ids=lambda one: one.name)
def test_the_ratio_is_near_its_goal_or_past_it(question: Question) -> None:
    rows = asked(question)
    assert rows[-1].within(ROOM), told(rows)
