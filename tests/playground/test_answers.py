"""A real discord.py bot answers users in every way that the product uses."""

import asyncio
import re

import pytest

from bot.playground import components
from bot.playground.discord_limits import PageError
from bot.playground.server import LocalDiscord
from tests.playground.page_user import PageUser
from tests.playground.small_bot import SmallBot
from tests.wording import en

pytestmark = pytest.mark.usefixtures("small_bot")


def list_button_labels(message: dict[str, object]) -> list[str]:
    return [one["label"] for one in components.walk(message["components"]) if one["type"] == components.BUTTON]  # type: ignore[arg-type]


async def test_bots_commands_are_offered_with_their_options(ada: PageUser) -> None:
    (command,) = (await ada.fetch_state())["commands"]
    word = next(part for part in command["options"] if part["name"] == "word")
    assert [(o["name"], o["type"], o["required"]) for o in word["options"]] == [
        ("word", 3, True),
        ("who", 6, False),
        ("times", 4, False),
    ]
    assert word["options"][0]["autocomplete"] is True
    assert (word["options"][2]["min_value"], word["options"][2]["max_value"]) == (1, 3)


async def test_command_is_answered_by_layout_with_picture(ada: PageUser, tiles: str) -> None:
    message = await ada.wait_for_answer(tiles, await ada.use_command(tiles, "try", "board"))
    assert message["flags"] == 1 << 15
    assert message["interaction_metadata"]["name"] == "try board"
    assert message["interaction_metadata"]["user"]["username"] == "Ada"
    (gallery,) = [one for one in components.walk(message["components"]) if one["type"] == components.GALLERY]
    (attachment,) = message["attachments"]
    assert gallery["items"][0]["media"]["url"] == attachment["url"]
    assert (attachment["width"], attachment["height"]) == (40, 30)
    assert gallery["items"][0]["description"].endswith("after 0 moves")


async def test_button_edits_public_message_and_brings_new_picture(ada: PageUser, grace: PageUser, tiles: str) -> None:
    before = await ada.wait_for_answer(tiles, await ada.use_command(tiles, "try", "board"))
    after = await grace.wait_for_answer(tiles, await grace.click(before, label="Count 0"))
    assert after["id"] == before["id"]
    assert list_button_labels(after) == ["Count 1", "My hand"]
    assert [one["filename"] for one in after["attachments"]] == ["board1.png"]
    assert after["edited_timestamp"] is not None


async def test_ephemeral_answer_is_seen_by_its_owner_only(ada: PageUser, grace: PageUser, tiles: str) -> None:
    board = await ada.wait_for_answer(tiles, await ada.use_command(tiles, "try", "board"))
    hand = await ada.wait_for_answer(tiles, await ada.click(board, label="My hand"))
    assert hand["flags"] & 64
    assert hand["message_reference"]["message_id"] == board["id"]
    assert hand["id"] in [one["id"] for one in await ada.fetch_messages(tiles)]
    assert hand["id"] not in [one["id"] for one in await grace.fetch_messages(tiles)]
    with pytest.raises(PageError, match=re.escape(en("page.refused_message"))):
        await grace.select(hand, ["apple"])


async def test_menu_on_ephemeral_message_edits_it(ada: PageUser, tiles: str) -> None:
    board = await ada.wait_for_answer(tiles, await ada.use_command(tiles, "try", "board"))
    hand = await ada.wait_for_answer(tiles, await ada.click(board, label="My hand"))
    after = await ada.wait_for_answer(tiles, await ada.select(hand, ["bridge"]))
    assert after["id"] == hand["id"]
    assert components.list_texts(after["components"]) == ["You chose bridge"]
    assert after["attachments"] == []


async def test_thinking_turns_into_answer_and_stays_ephemeral(ada: PageUser, grace: PageUser, tiles: str) -> None:
    answer = await ada.wait_for_answer(tiles, await ada.use_command(tiles, "try", "think"))
    assert (answer["content"], answer["flags"], answer["edited_timestamp"]) == ("thought", 64, None)
    public = await grace.wait_for_message(tiles, lambda one: one["content"] == "and more, for everybody")
    assert public["flags"] & 64 == 0
    assert answer["id"] not in [one["id"] for one in await grace.fetch_messages(tiles)]


async def test_autocomplete_suggests_matching_choices(ada: PageUser, tiles: str) -> None:
    found = await ada.fetch_choices(tiles, "try", "word", focused="word", word="a")
    assert found == [{"name": "anchor", "value": "anchor"}, {"name": "apple", "value": "apple"}]


async def test_too_many_suggestions_are_reported_as_bot_error(
    ada: PageUser, tiles: str, local: LocalDiscord, small_bot: SmallBot
) -> None:
    assert await ada.fetch_choices(tiles, "try", "word", focused="word", word="many") == []
    assert "25 or fewer" in local.replies.bot_errors[0]
    small_bot.errors.clear()


async def test_people_and_numbers_arrive_in_their_types(ada: PageUser, grace: PageUser, tiles: str) -> None:
    interaction_id = await ada.use_command(tiles, "try", "word", word="hi", who=grace.id, times="2")
    answer = await ada.wait_for_answer(tiles, interaction_id)
    assert answer["content"] == f"hi hi for <@{grace.id}>"
    assert answer["mentions"] == [], "the bot allows no mentions"


async def test_form_is_opened_filled_and_answered(ada: PageUser, tiles: str) -> None:
    await ada.listen()
    await ada.use_command(tiles, "try", "ask")
    form = (await ada.wait_for_event(lambda event: event["type"] == "modal"))["data"]
    assert form["title"] == "Say something"
    answer = await ada.wait_for_answer(tiles, await ada.submit(form, words="good day"))
    assert answer["content"].endswith("said good day")
    with pytest.raises(PageError, match="at most 20"):
        await ada.submit(form, words="x" * 21)


async def test_thread_opens_on_message_and_notifies_mentioned_users(ada: PageUser, grace: PageUser, tiles: str) -> None:
    await ada.listen()
    await grace.listen()
    start = await ada.wait_for_answer(tiles, await ada.use_command(tiles, "try", "thread"))
    mention = await ada.wait_for_event(lambda event: event["type"] == "mention")
    thread = await ada.fetch_channel_id("Table 1")
    assert mention["data"]["channel_id"] == thread == start["id"]
    assert (await ada.fetch_message(tiles, start["id"]))["thread"]["name"] == "Table 1"
    (inside,) = await grace.fetch_messages(thread)
    assert inside["content"] == f"come in, <@{ada.id}>"
    await grace.wait_for_event(lambda event: event["data"].get("id") == inside["id"])
    assert "mention" not in [event["type"] for event in grace.events]


async def test_direct_message_reaches_one_person(ada: PageUser, grace: PageUser, tiles: str) -> None:
    await ada.wait_for_answer(tiles, await ada.use_command(tiles, "try", "direct"))
    direct = await ada.fetch_channel_id("Direct messages")
    message = await ada.wait_for_message(direct, lambda one: one["content"] == "hello")
    assert message["attachments"][0]["filename"] == "d.png"
    with pytest.raises(PageError):
        await grace.fetch_channel_id("Direct messages")
    with pytest.raises(PageError, match=re.escape(en("page.refused_place"))):
        await grace.fetch_messages(direct)


async def test_repeated_delivery_reaches_bot_twice_and_second_answer_is_refused(
    ada: PageUser, tiles: str, local: LocalDiscord, small_bot: SmallBot
) -> None:
    local.faults.deliver_twice()
    await ada.wait_for_answer(tiles, await ada.use_command(tiles, "try", "word", word="once"))
    while not small_bot.errors:
        await ada.fetch_state()
    assert "40060" in str(small_bot.errors.pop())
    assert [one["content"] for one in await ada.fetch_messages(tiles)].count("once for all") == 1


async def test_bot_can_download_what_it_uploaded(ada: PageUser, tiles: str, small_bot: SmallBot) -> None:
    board = await ada.wait_for_answer(tiles, await ada.use_command(tiles, "try", "board"))
    message = await small_bot.get_partial_messageable(int(tiles)).fetch_message(int(board["id"]))
    (attachment,) = message.attachments
    assert (await attachment.read())[:4] == b"\x89PNG"


async def test_many_people_at_once_each_get_their_own_answer(ada: PageUser, grace: PageUser, tiles: str) -> None:
    async def use_word_command(who: PageUser, word: str) -> str:
        return str(
            (await who.wait_for_answer(tiles, await who.use_command(tiles, "try", "word", word=word)))["content"]
        )

    words = [f"word{number}" for number in range(20)]
    found = await asyncio.gather(
        *[use_word_command((ada, grace)[number % 2], word) for number, word in enumerate(words)]
    )
    assert found == [f"{word} for all" for word in words]
