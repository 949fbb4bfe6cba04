"""The sweep of the client runs the jobs of all features."""

from tests.bot.simulated_guild import SimGuild


async def test_failing_job_does_not_stop_other_jobs(sim: SimGuild, logged_errors: list[str]) -> None:
    ran = []

    async def fail() -> None:
        raise ZeroDivisionError

    async def record() -> None:
        ran.append(True)

    sim.client.app.sweep_jobs[:0] = [fail, record]
    before = sim.client.swept_at
    await sim.client._sweep()
    assert ran
    assert sim.client.swept_at > before
    assert all("a sweep of a feature failed" in line for line in logged_errors)
    assert logged_errors
    logged_errors.clear()
