"""The time of every piece of work that is compared somewhere in the table."""

import pytest
from pytest_benchmark.fixture import BenchmarkFixture

from tests.bench import table
from tests.bench.rows import WORKS, Missing


@pytest.mark.parametrize("name", WORKS)
def test_it_can_be_done_again(name: str, benchmark: BenchmarkFixture) -> None:
    subject = name.partition(":")[0]
    assert subject in table.SUBJECTS
    benchmark.group = subject
    try:
        work = WORKS[name]()
    except Missing as missing:
        pytest.skip(str(missing))
    benchmark.extra_info["units"] = work.units
    if work.before is None:
        benchmark(work.do)
    else:
        benchmark.pedantic(work.do, setup=work.before, rounds=10)  # type: ignore[no-untyped-call]
