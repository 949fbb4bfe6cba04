"""Fixtures that check every statement against the SQL that other engines support. All tests are deep."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.postgres.servers import NEEDS_POSTGRES
from tests.postgres.supported_sql import assert_portable_sql


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if item.path.parent == Path(__file__).parent:
            item.add_marker(pytest.mark.deep)
            item.add_marker(NEEDS_POSTGRES)


@pytest.fixture(autouse=True)
def portable() -> Iterator[None]:
    """Check that no statement is specific to PostgreSQL."""
    with assert_portable_sql():
        yield
