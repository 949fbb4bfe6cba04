"""What a move takes of the database, of drawing and of Discord is counted over a real match, and does not grow.

`python -m tests.bench.counted` tells the same by name. A count that has come down is held where it is by then.
"""

import pytest

from tests.bench.counted import by_name, counts
from tests.bench.deals import statements
from tests.bench.measure import SHORT
from tests.bench.rows import Question
from tests.bench.table import questions

COUNTS = questions(["counted"])
AGAIN = 2
"""So often a match is counted once more: on a busy machine one edit of a board in thirty moves may miss the next one,
with which it goes out as one. What a move really takes more it takes every time.
"""


@pytest.mark.parametrize("question", COUNTS, ids=[question.name for question in COUNTS])
def test_a_move_takes_no_more_than_is_held(question: Question) -> None:
    held = question.held or question.goal or 0
    for _ in range(AGAIN):
        if question.measure(SHORT) <= held:
            return
        counts.cache_clear()
    assert question.measure(SHORT) <= held, by_name()


def test_the_field_of_a_deal_reads_each_of_its_tables_once_however_many_there_are() -> None:
    few, more = 4, 12
    assert 12 * statements(more) - 4 * statements(few) <= 4 * (more - few)
    assert statements(more) <= 4.4
