"""The sweep of the client runs the jobs of all features."""

from tests.bot.house import House


async def test_failing_job_of_feature_stops_no_other(house: House, nothing_broke: list[str]) -> None:
    ran = []

    async def fail() -> None:
        raise ZeroDivisionError

    async def record() -> None:
        ran.append(True)

    house.client.app.sweeps[:0] = [fail, record]
    before = house.client.swept_at
    await house.client._sweep()
    assert ran
    assert house.client.swept_at > before
    assert all("a sweep of a feature failed" in line for line in nothing_broke)
    assert nothing_broke
    nothing_broke.clear()
