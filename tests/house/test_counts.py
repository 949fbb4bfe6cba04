"""What a move takes of the database, of drawing and of Discord is counted over a real match, and does not grow.

`python -m tests.bench.counted` tells the same by name. A count that has come down is held where it is by then.
"""

import pytest

from tests.bench.counted import by_name
from tests.bench.measure import SHORT
from tests.bench.rows import Question
from tests.bench.table import questions

COUNTS = questions(["counted"])


@pytest.mark.parametrize("question", COUNTS, ids=[question.name for question in COUNTS])
def test_a_move_takes_no_more_than_is_held(question: Question) -> None:
    assert question.measure(SHORT) <= (question.held or question.goal or 0), by_name()
