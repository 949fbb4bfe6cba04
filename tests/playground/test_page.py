"""What a user of the page sees and may do, checked before the bot gets an event."""

import re
from typing import Any

import aiohttp
import pytest

from bot.playground import page_access
from bot.playground.discord_limits import PageError
from bot.playground.server import LocalDiscord
from data.words import list_languages, load_words
from tests.playground.page_user import PageUser
from tests.playground.raw_bot import RawBot
from tests.wording import en


def build_button_row(custom_id: str, **more: Any) -> dict[str, Any]:
    return {"type": 1, "components": [{"type": 2, "style": 1, "label": "Go", "custom_id": custom_id} | more]}


async def test_new_world_has_first_channels_and_users(ada: PageUser) -> None:
    state = await ada.fetch_state()
    assert state["guild"]["name"] == "Your server"
    assert [one["name"] for one in state["channels"]] == ["tiles", "games-night"]
    assert [one["username"] for one in state["people"]] == ["Ada", "Grace", "Linus"]
    assert (state["bot"]["username"], state["bot_online"], state["commands"]) == ("Boneyard", False, [])
    assert await ada.fetch_messages(state["welcome"]["channel_id"]) == []


async def test_joining_person_is_announced_and_invalid_names_are_refused(ada: PageUser, local: LocalDiscord) -> None:
    await ada.listen()
    async with PageUser(local.address, "Zoë") as zoe:
        event = await ada.wait_for_event(lambda one: one["type"] == "people_update")
    assert event["data"]["people"][-1]["id"] == zoe.id
    for name in ("", " ", "zoë", "a\nb"):
        with pytest.raises(PageError):
            await ada.post("/local/people", name=name)
    for number in range(20):
        await ada.post("/local/people", name=f"Guest {number}")
    with pytest.raises(PageError, match=re.escape(en("page.refused_full", n=24))):
        await ada.post("/local/people", name="One more")


OPTIONS: tuple[dict[str, Any], ...] = (
    {"type": 3, "name": "game", "description": "d", "required": True, "choices": [{"name": "Tri", "value": "tri"}]},
    {"type": 4, "name": "seats", "description": "d", "min_value": 2, "max_value": 6},
    {"type": 5, "name": "open", "description": "d"},
    {"type": 6, "name": "guest", "description": "d"},
    {"type": 3, "name": "note", "description": "d", "max_length": 3},
)


@pytest.mark.parametrize(
    ("given", "reason"),
    [
        ({}, en("page.refused_needed", name="game")),
        ({"game": "quad"}, "game must be one of: Tri."),
        ({"game": "tri", "seats": 7}, "seats must be 2 to 6."),
        ({"game": "tri", "seats": "two"}, "seats must be a number."),
        ({"game": "tri", "seats": 2.5}, "seats must be a whole number."),
        ({"game": "tri", "seats": "1e999"}, "seats must be a number."),
        ({"game": "tri", "open": "maybe"}, "open must be true or false."),
        ({"game": "tri", "guest": "5"}, en("page.refused_person", name="guest")),
        ({"game": "tri", "note": "long"}, "note must have at most 3 characters."),
        ({"game": "tri", "colour": "red"}, "There is no option called colour."),
    ],
)
async def test_wrong_options_are_refused_in_plain_words(
    raw_bot: RawBot, ada: PageUser, tiles: str, given: dict[str, Any], reason: str
) -> None:
    await raw_bot.register(*OPTIONS)
    with pytest.raises(PageError) as caught:
        await ada.use_command(tiles, "act", **given)
    assert str(caught.value) == reason


async def test_options_reach_bot_in_their_types_with_people_resolved(
    raw_bot: RawBot, ada: PageUser, grace: PageUser, tiles: str
) -> None:
    await raw_bot.register(*OPTIONS)
    interaction_id = await ada.use_command(tiles, "act", game="tri", seats="3", open="true", guest=grace.id)
    data = raw_bot.find_interaction(interaction_id).data
    assert {one["name"]: one["value"] for one in data["options"]} == {
        "game": "tri",
        "seats": 3,
        "open": True,
        "guest": grace.id,
    }
    assert data["resolved"]["users"][grace.id]["username"] == "Grace"
    assert data["resolved"]["members"][grace.id]["roles"] == []


async def test_subcommand_is_nested_as_in_discord(raw_bot: RawBot, ada: PageUser, tiles: str) -> None:
    option = {"type": 3, "name": "text", "description": "d", "autocomplete": True}
    await raw_bot.register({"type": 1, "name": "say", "description": "d", "options": [option]})
    interaction_id = await ada.use_command(tiles, "act", "say", text="hi")
    text_option = {"type": 3, "name": "text", "value": "hi"}
    assert raw_bot.find_interaction(interaction_id).data["options"] == [
        {"type": 1, "name": "say", "options": [text_option]}
    ]
    for path in ((), ("shout",), ("say", "more")):
        with pytest.raises(PageError):
            await ada.use_command(tiles, "act", *path)
    with pytest.raises(PageError, match="no command /play"):
        await ada.use_command(tiles, "play")


@pytest.mark.parametrize(
    ("press", "reason"),
    [
        ({"custom_id": "gone"}, en("page.refused_gone")),
        ({"custom_id": "go", "component_type": 3}, en("page.refused_gone")),
        ({"custom_id": "off"}, en("page.refused_off")),
        ({"custom_id": "go", "message_id": "1"}, en("page.refused_message")),
        ({"custom_id": "go", "channel_id": "1"}, en("page.refused_place")),
        ({"custom_id": "pick", "component_type": 3, "values": ["z"]}, en("page.refused_pick_gone")),
        ({"custom_id": "pick", "component_type": 3, "values": []}, "Choose 1 to 2."),
        ({"custom_id": "pick", "component_type": 3, "values": ["a", "a"]}, "Choose 1 to 2."),
        ({"custom_id": "pick", "component_type": 3, "values": 7}, en("page.refused_malformed")),
    ],
)
async def test_invalid_component_interaction_is_refused(
    raw_bot: RawBot, ada: PageUser, tiles: str, press: dict[str, Any], reason: str
) -> None:
    options = [{"label": letter, "value": letter} for letter in "abc"]
    menu = {"type": 3, "custom_id": "pick", "options": options, "min_values": 1, "max_values": 2}
    rows = [build_button_row("go"), build_button_row("off", disabled=True), {"type": 1, "components": [menu]}]
    message = await raw_bot.send(tiles, components=rows)
    whole = {"channel_id": tiles, "message_id": message["id"], "component_type": 2} | press
    with pytest.raises(PageError) as caught:
        await ada.post("/local/components", **whole)
    assert str(caught.value) == reason


async def test_component_interaction_has_message_and_values(raw_bot: RawBot, ada: PageUser, tiles: str) -> None:
    options = [{"label": letter, "value": letter} for letter in "abc"]
    menu = {"type": 3, "custom_id": "pick", "options": options, "max_values": 2}
    message = await raw_bot.send(tiles, content="x", components=[{"type": 1, "components": [menu]}])
    one = raw_bot.find_interaction(await ada.select(message, ["a", "c"]))
    assert one.data == {"component_type": 3, "custom_id": "pick", "id": 2, "values": ["a", "c"]}
    assert one.source.id == message["id"]


async def test_interaction_fails_when_bot_misses_deadline(local: LocalDiscord, raw_bot: RawBot, tiles: str) -> None:
    await raw_bot.register()
    local.interactions.answer_within = 0.05
    async with PageUser(local.address, "Ada") as ada:
        await ada.listen()
        interaction_id = await ada.use_command(tiles, "act")
        failed = await ada.wait_for_event(lambda one: one["type"] == "interaction_failed")
    assert failed["data"] == {"interaction_id": interaction_id, "message": en("page.no_answer")}


async def test_ephemeral_message_is_dismissed_by_its_owner_only(
    raw_bot: RawBot, ada: PageUser, grace: PageUser, tiles: str
) -> None:
    await raw_bot.register()
    await ada.listen()
    interaction_id = await ada.use_command(tiles, "act")
    await raw_bot.respond(interaction_id, 4, content="psst", flags=64)
    message = await ada.wait_for_answer(tiles, interaction_id)
    with pytest.raises(PageError, match=re.escape(en("page.refused_no_message"))):
        await grace.dismiss(message)
    await ada.dismiss(message)
    await ada.wait_for_event(lambda one: one["type"] == "message_delete" and one["data"]["id"] == message["id"])
    assert await ada.fetch_messages(tiles) == []
    public = await raw_bot.send(tiles, content="for all")
    with pytest.raises(PageError, match=re.escape(en("page.refused_no_message"))):
        await ada.dismiss(public)


async def test_messages_are_paged_oldest_first(raw_bot: RawBot, ada: PageUser, local: LocalDiscord) -> None:
    channel = local.world.add_channel("quiet")["id"]
    for number in range(7):
        await raw_bot.send(channel, content=str(number))
    last = await ada.fetch_messages(channel, 3)
    assert [one["content"] for one in last] == ["4", "5", "6"]
    earlier = await ada.get(f"/local/channels/{channel}/messages", before=last[0]["id"], limit="3")
    assert [one["content"] for one in earlier["messages"]] == ["1", "2", "3"]


async def test_live_events_report_messages_threads_and_commands(raw_bot: RawBot, ada: PageUser, tiles: str) -> None:
    await ada.listen()
    message = await raw_bot.send(tiles, content=f"<@{ada.id}> look", allowed_mentions={"parse": ["users"]})
    path = f"/channels/{tiles}/messages/{message['id']}"
    await raw_bot.request("PATCH", path, {"content": "changed"})
    await raw_bot.request("POST", path + "/threads", {"name": "aside"})
    await raw_bot.request("PATCH", f"/channels/{message['id']}", {"archived": True})
    await raw_bot.request("DELETE", path)
    await raw_bot.register()
    await ada.wait_for_event(lambda one: one["type"] == "commands_update")
    assert [one["type"] for one in ada.events] == [
        "message_create",
        "mention",
        "message_update",
        "channel_create",
        "message_update",
        "channel_update",
        "message_delete",
        "commands_update",
    ]
    assert ada.events[5]["data"]["archived"] is True


async def test_quiet_message_mentions_without_notification(raw_bot: RawBot, ada: PageUser, tiles: str) -> None:
    await ada.listen()
    quiet = await raw_bot.send(tiles, content=f"<@{ada.id}>", flags=1 << 12)
    assert [who["username"] for who in quiet["mentions"]] == ["Ada"]
    silent = await raw_bot.send(tiles, content=f"<@{ada.id}>", allowed_mentions={"parse": []})
    assert silent["mentions"] == []
    await ada.wait_for_event(lambda one: one["data"].get("id") == silent["id"])
    assert [one["type"] for one in ada.events] == ["message_create", "message_create"]


async def test_page_gets_bot_start_progress(ada: PageUser, local: LocalDiscord, raw_bot: RawBot) -> None:
    await ada.listen()
    assert (await ada.fetch_state())["bot_start"] == {"step": 1, "steps": 4, "doing": "begin", "ended": 0}
    local.bot_start.record_end()
    local.bot_start.advance("loading")
    await raw_bot.request("GET", "/users/@me")
    local.bot_start.advance("loading")
    event = await ada.wait_for_event(lambda one: one["type"] == "bot_start" and one["data"]["doing"] == "login")
    assert event["data"] == {"step": 3, "steps": 4, "doing": "login", "ended": 1}
    assert [one["data"]["step"] for one in ada.events if one["type"] == "bot_start"] == [1, 2, 3]


@pytest.mark.parametrize(
    ("browser", "locale"),
    [("de-AT", "de"), ("de", "de"), ("en-GB", "en-GB"), ("pt", "pt-BR"), ("PL", "pl"), ("tlh", "en-US"), ("", "en-US")],
)
async def test_interaction_has_locale_of_its_user(
    ada: PageUser, grace: PageUser, raw_bot: RawBot, tiles: str, browser: str, locale: str
) -> None:
    await raw_bot.register()
    await ada.post("/local/language", language=browser)
    for who, expected in ((ada, locale), (grace, "en-US")):
        interaction_id = await who.use_command(tiles, "act")
        payload = next(one for one in raw_bot.local.interactions.list_recent() if one.id == interaction_id)
        assert payload.user.get("locale", "en-US") == expected
    assert raw_bot.local.world.guilds[next(iter(raw_bot.local.world.guilds))]["preferred_locale"] == locale


async def test_page_uses_first_supported_language(ada: PageUser) -> None:
    german = await ada.get("/page/words.json", of="tlh,de-AT,en")
    assert (german["language"], german["texts"]["send"]) == ("de", "Senden")
    assert german["texts"]["new_messages"] == {"one": "{n} neue Nachricht", "other": "{n} neue Nachrichten"}
    assert set(german["languages"]) == set(list_languages())
    assert german["languages"]["de"] == "Deutsch"
    assert (await ada.get("/page/words.json"))["language"] == "en"


async def read_refusal(local: LocalDiscord, path: str, accept_language: str, **body: Any) -> str:
    headers = {page_access.KEY: local.world.page_key, "Origin": local.url, "Accept-Language": accept_language}
    async with aiohttp.ClientSession() as web, web.post(local.url + path, json=body, headers=headers) as answer:
        assert answer.status == 400
        return str((await answer.json())["message"])


@pytest.mark.parametrize("language", list_languages())
async def test_refusal_uses_language_of_page(
    raw_bot: RawBot, ada: PageUser, local: LocalDiscord, tiles: str, language: str
) -> None:
    words = load_words(language)
    await raw_bot.register({"type": 4, "name": "seats", "description": "d", "min_value": 2, "max_value": 6})
    place = {"as": ada.id, "channel_id": tiles}
    for accept_language in (language, f"xx-YY, {language}-AT;q=0.8, en;q=0.1"):
        command = await read_refusal(local, "/local/commands", accept_language, **place, command="play")
        assert command == words("page.refused_command", name="play")
    limits = await read_refusal(local, "/local/commands", language, **place, command="act", options={"seats": 7})
    range_text = words("page.range", least=2, most=6)
    assert limits == words("page.refused_limits", name="seats", limits=range_text), "a part of it is said in words too"


async def test_unknown_language_is_answered_in_english(local: LocalDiscord) -> None:
    for accept_language in ("xx", "", ";;,,=", "de" * 2000):
        assert await read_refusal(local, "/local/people", accept_language, name="") == load_words("en")(
            "page.refused_name"
        )


async def test_default_topic_has_a_key_and_custom_topic_none(ada: PageUser, local: LocalDiscord, tiles: str) -> None:
    state = await ada.fetch_state()
    assert state["guild"]["name_key"] == "first_guild"
    assert [one["topic_key"] for one in state["channels"]] == ["first_topic_tiles", "first_topic_second"]
    local.world.channels[tiles]["topic"] = "Kakadus only"
    state = await ada.fetch_state()
    assert (state["channels"][0]["topic"], state["channels"][0]["topic_key"]) == ("Kakadus only", None)
