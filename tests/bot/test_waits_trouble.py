"""What a refusal of Discord's means: how long to wait, and when waiting is no use."""

from __future__ import annotations

import aiohttp
import pytest

from bot.base.discord_errors import LONGEST, code_of, is_closed, is_hung_up, wait_after
from tests.bot.discord_errors import refusal


def test_waits_double_up_to_an_hour() -> None:
    waits = [wait_after(None, attempts) for attempts in range(20)]
    assert waits[:4] == [5_000, 10_000, 20_000, 40_000]
    assert waits[-1] == LONGEST * 1000
    assert waits == sorted(waits)


def test_discords_own_wish_is_kept_when_it_is_longer() -> None:
    assert wait_after(refusal(429, **{"Retry-After": "600"}), 0) == 600_000
    assert wait_after(refusal(429, **{"Retry-After": "1"}), 3) == 40_000
    assert wait_after(refusal(429, **{"Retry-After": "Sat, 21 Nov 2026 15:00:00 GMT"}), 0) == 5_000


@pytest.mark.parametrize(("status", "code"), [(404, 10003), (403, 50001), (403, 50013), (400, 160005)])
def test_a_closed_channel_is_not_asked_again(status: int, code: int) -> None:
    assert is_closed(refusal(status, code))


@pytest.mark.parametrize("error", [refusal(500), refusal(429), refusal(404, 10008), aiohttp.ClientError(), OSError()])
def test_other_failures_pass(error: Exception) -> None:
    assert not is_closed(error)


def test_a_failure_is_named_in_the_log_by_its_numbers_alone() -> None:
    assert code_of(refusal(403, 50013)) == "403/50013"
    assert code_of(aiohttp.ServerDisconnectedError("Grace")) == "ServerDisconnectedError"


async def test_a_session_that_the_bot_itself_has_closed_is_told_from_other_errors() -> None:
    session = aiohttp.ClientSession()
    await session.close()
    with pytest.raises(RuntimeError) as raised:
        await session.get("http://127.0.0.1:9/")
    assert is_hung_up(raised.value)
    assert not is_hung_up(RuntimeError("another error"))
