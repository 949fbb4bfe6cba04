"""Fixtures that check every statement against the SQL that other engines support."""

from collections.abc import Iterator

import pytest

from tests.postgres.supported_sql import assert_portable_sql


@pytest.fixture(autouse=True)
def portable() -> Iterator[None]:
    """Check that no statement is specific to PostgreSQL."""
    with assert_portable_sql():
        yield
