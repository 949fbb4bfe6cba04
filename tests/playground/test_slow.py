"""A bot that is slow after its first response, and a connection that is slow to deliver what the bot sends."""

import asyncio
from collections.abc import AsyncIterator
from typing import Any

from tests.playground.page_user import PageUser
from tests.playground.raw_bot import RawBot

REPLY, SIGN = 4, 6
PRIVATE = 64
BUTTON = [{"type": 1, "components": [{"type": 2, "style": 1, "label": "Go", "custom_id": "go"}]}]


async def click_button(raw_bot: RawBot, ada: PageUser, tiles: str, **payload: Any) -> tuple[dict[str, Any], str]:
    await raw_bot.register()
    interaction_id = await ada.use_command(tiles, "act")
    await raw_bot.respond(interaction_id, REPLY, content="before", components=BUTTON, **payload)
    message = await ada.wait_for_answer(tiles, interaction_id)
    click_id = await ada.click(message, label="Go")
    await raw_bot.respond(click_id, SIGN)
    return message, click_id


async def test_private_message_is_answer_after_its_edit(raw_bot: RawBot, ada: PageUser, tiles: str) -> None:
    message, click_id = await click_button(raw_bot, ada, tiles, flags=PRIVATE)
    outcome = await ada.fetch_outcome(click_id)
    assert (outcome["state"], outcome["complete"], outcome["message_id"]) == ("answered", False, message["id"])
    answer = asyncio.create_task(ada.wait_for_answer(tiles, click_id))
    await raw_bot.request("PATCH", f"{raw_bot.build_webhook_path(click_id)}/messages/@original", {"content": "after"})
    assert ((await answer)["id"], (await answer)["content"]) == (message["id"], "after")


async def test_followup_is_answer_when_it_precedes_edit(raw_bot: RawBot, ada: PageUser, tiles: str) -> None:
    message, click_id = await click_button(raw_bot, ada, tiles, flags=PRIVATE)
    answer = asyncio.create_task(ada.wait_for_answer(tiles, click_id))
    await raw_bot.request("POST", raw_bot.build_webhook_path(click_id), {"content": "no", "flags": PRIVATE})
    assert (await answer)["content"] == "no"
    assert (await ada.fetch_message(tiles, message["id"]))["content"] == "before"


async def test_public_message_counts_as_answer_without_edit(raw_bot: RawBot, ada: PageUser, tiles: str) -> None:
    message, click_id = await click_button(raw_bot, ada, tiles)
    assert (await ada.fetch_outcome(click_id))["complete"]
    assert await ada.wait_for_answer(tiles, click_id) == message


async def test_form_that_arrives_in_pieces_is_read_like_any_other(raw_bot: RawBot, tiles: str) -> None:
    part = "--line\r\nContent-Disposition: form-data; name="
    words = f'{part}"payload_json"\r\n\r\n{{"content": "in pieces"}}\r\n{part}"files[0]"; filename="f.txt"\r\n\r\n'
    head, file, end = words.encode(), b"0" * 30_000, b"\r\n--line--\r\n"

    async def pieces() -> AsyncIterator[bytes]:
        for piece in (head + file[:100], file[100:105], file[105:] + end):
            yield piece
            await asyncio.sleep(0.1)

    path, kind = f"/channels/{tiles}/messages", {"Content-Type": "multipart/form-data; boundary=line"}
    status, message = await raw_bot.request("POST", path, data=pieces(), headers=kind)
    assert (status, message["content"]) == (200, "in pieces")
    assert [(one["filename"], one["size"]) for one in message["attachments"]] == [("f.txt", len(file))]
