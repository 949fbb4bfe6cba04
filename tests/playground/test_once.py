"""What is sent once more, because its answer was lost, is done once."""

from __future__ import annotations

import asyncio
import uuid
from typing import Any

import aiohttp
from yarl import URL

from bot.playground import guard, once
from bot.playground.server import LocalDiscord


async def sent(local: LocalDiscord, mark: str, name: str) -> tuple[int, Any]:
    address = URL(local.address)
    headers = {"Origin": local.url, guard.KEY: address.query["key"], once.MARK: mark}
    async with (
        aiohttp.ClientSession(local.url, headers=headers) as page,
        page.post("/local/people", json={"name": name}) as answer,
    ):
        return answer.status, await answer.json()


async def test_the_same_request_is_done_once_and_answered_as_often_as_it_is_sent(local: LocalDiscord) -> None:
    mark = uuid.uuid4().hex
    first, *again = await asyncio.gather(*(sent(local, mark, "Zoë") for _ in range(3)))
    assert first == (201, first[1])
    assert again == [first, first]
    status, body = await sent(local, uuid.uuid4().hex, "Zoë")
    assert (status, list(body)) == (400, ["message"]), "another request of the same words is another request"


async def test_what_was_refused_is_refused_in_the_same_words(local: LocalDiscord) -> None:
    mark = uuid.uuid4().hex
    assert await sent(local, mark, "") == await sent(local, mark, "")


async def test_answers_are_not_kept_for_ever(local: LocalDiscord) -> None:
    marks = [uuid.uuid4().hex for _ in range(once.MOST + 2)]
    refused = {(await sent(local, mark, ""))[0] for mark in marks}
    assert refused == {400}
    assert len(local._once._answers) == once.MOST
