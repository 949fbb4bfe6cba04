"""Whoever is refused something at the page reads why in the language of the page, and so is the server named."""

from __future__ import annotations

from typing import Any

import aiohttp
import pytest

from bot.playground import guard
from bot.playground.person import Person
from bot.playground.server import LocalDiscord
from data.words import languages, words
from tests.playground.raw_bot import RawBot


async def refused(local: LocalDiscord, path: str, spoken: str, **body: Any) -> str:
    """Why a page with these languages is told that it may not."""
    headers = {guard.KEY: local.world.page_key, "Origin": local.url, "Accept-Language": spoken}
    async with aiohttp.ClientSession() as web, web.post(local.url + path, json=body, headers=headers) as answer:
        assert answer.status == 400
        return str((await answer.json())["message"])


@pytest.mark.parametrize("language", languages())
async def test_a_refusal_speaks_the_language_of_the_page(
    raw_bot: RawBot, ada: Person, local: LocalDiscord, tiles: str, language: str
) -> None:
    said = words(language)
    await raw_bot.register({"type": 4, "name": "seats", "description": "d", "min_value": 2, "max_value": 6})
    place = {"as": ada.id, "channel_id": tiles}
    for spoken in (language, f"xx-YY, {language}-AT;q=0.8, en;q=0.1"):
        command = await refused(local, "/local/commands", spoken, **place, command="play")
        assert command == said("page.refused_command", name="play")
    limits = await refused(local, "/local/commands", language, **place, command="act", options={"seats": 7})
    told = said("page.range", least=2, most=6)
    assert limits == said("page.refused_limits", name="seats", limits=told), "a part of it is said in words too"


async def test_a_language_that_nobody_has_written_is_answered_in_english(local: LocalDiscord) -> None:
    for spoken in ("xx", "", ";;,,=", "de" * 2000):
        assert await refused(local, "/local/people", spoken, name="") == words("en")("page.refused_name")


async def test_what_the_world_was_furnished_with_is_known_and_what_people_call_their_own_is_theirs(
    ada: Person, local: LocalDiscord, tiles: str
) -> None:
    state = await ada.state()
    assert state["guild"]["name_key"] == "first_guild"
    assert [one["topic_key"] for one in state["channels"]] == ["first_topic_tiles", "first_topic_second"]
    local.world.channels[tiles]["topic"] = "Kakadus only"
    state = await ada.state()
    assert (state["channels"][0]["topic"], state["channels"][0]["topic_key"]) == ("Kakadus only", None)
