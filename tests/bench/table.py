"""All rows there are, in the order of the table."""

from collections.abc import Collection

from tests.bench import (
    counted,
    dailies,
    deals,
    engine,
    films,
    growth,
    leagues,
    legibility,
    levels,
    load,
    masters,
    moves,
    pictures,
)
from tests.bench.rows import QUESTIONS, Question

SUBJECTS = tuple(
    module.__name__.rpartition(".")[2]
    for module in (
        *(engine, pictures, legibility, films, moves, masters, levels, counted, deals),
        *(load, growth, leagues, dailies),
    )
)
"""The modules with rows, in the order of the table."""


def questions(only: Collection[str] = ()) -> list[Question]:
    """What is to be measured, all of it or the subjects named."""
    return [question for question in QUESTIONS if not only or question.subject in only]
