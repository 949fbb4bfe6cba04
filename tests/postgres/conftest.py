"""Whatever these tests do, what is said to a server is held to what other engines take as well."""

from collections.abc import Iterator

import pytest

from tests.postgres.language import held_to_it


@pytest.fixture(autouse=True)
def portable() -> Iterator[None]:
    """Nothing is sent that only PostgreSQL takes."""
    with held_to_it():
        yield
