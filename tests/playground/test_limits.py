"""The local Discord refuses what Discord refuses, with Discord's codes."""

import asyncio
import json
from typing import Any

import pytest

from bot.playground import components
from bot.playground.channel_messages import Post
from bot.playground.discord_limits import ApiError
from bot.playground.server import LocalDiscord
from tests.playground.page_user import PageUser
from tests.playground.raw_bot import RawBot, build_form, open_raw_bot

LAYOUT = 1 << 15
Tree = list[dict[str, Any]]


def build_text(content: str = "x") -> dict[str, Any]:
    return {"type": 10, "content": content}


def build_button(number: int = 0, **more: Any) -> dict[str, Any]:
    return {"type": 2, "style": 1, "label": "Go", "custom_id": f"b{number}"} | more


def build_row(*children: dict[str, Any]) -> dict[str, Any]:
    return {"type": 1, "components": list(children)}


def build_menu(count: int = 1, **more: Any) -> dict[str, Any]:
    options = [{"label": f"o{n}", "value": str(n)} for n in range(count)]
    return {"type": 3, "custom_id": "menu", "options": options} | more


def build_container(*children: dict[str, Any]) -> dict[str, Any]:
    return {"type": 17, "components": list(children)}


def build_gallery(count: int = 1, **more: Any) -> dict[str, Any]:
    return {"type": 12, "items": [{"media": {"url": "https://example.org/a.png"}} | more for _ in range(count)]}


@pytest.mark.parametrize(
    "tree",
    [
        [build_row(*[build_button(n) for n in range(5)])],
        [build_row(build_menu(25))],
        [
            build_container(
                build_text(),
                {"type": 14},
                build_gallery(10, description="d" * 1024),
                build_row(build_button(label="l" * 80)),
            )
        ],
        [{"type": 9, "components": [build_text()] * 3, "accessory": build_button(custom_id="c" * 100)}],
        [build_row({"type": 2, "style": 5, "label": "Read", "url": "https://example.org"})],
        [build_row({"type": 2, "style": 2, "emoji": {"name": "🎲"}, "custom_id": "e"})],
        [build_text() for _ in range(40)],
        [build_text("x" * 4000)],
        [build_row({"type": 5, "custom_id": "who"})],
    ],
)
def test_good_tree_is_accepted_and_numbered(tree: Tree) -> None:
    tree = json.loads(json.dumps(tree))
    components.check_components(tree, layout=True)
    components.assign_component_ids(tree)
    found = [one["id"] for one in components.walk(tree)]
    assert found == list(range(1, len(found) + 1))


@pytest.mark.parametrize(
    ("tree", "where"),
    [
        ([build_row(*[build_button(n) for n in range(6)])], "0.components"),
        ([build_row()], "0.components"),
        ([build_button()], "0.type"),
        ([build_container(build_button())], "0.components.0.type"),
        ([build_container(build_container(build_text()))], "0.components.0.type"),
        ([build_container()], "0.components"),
        ([build_row(build_menu(26))], "0.components.0.options"),
        ([build_row(build_menu(0))], "0.components.0.options"),
        ([build_row(build_menu(), build_button())], "0.components"),
        ([build_row(build_menu(2, max_values=3))], "0.components.0.max_values"),
        ([build_row(build_menu(options=[{"label": "l" * 101, "value": "v"}]))], "0.components.0.options.0.label"),
        ([build_row(build_menu(options=[{"label": "l", "value": "v" * 101}]))], "0.components.0.options.0.value"),
        ([build_row(build_menu(options=[{"label": "l", "value": "v"}] * 2))], "0.components.0.options.1.value"),
        ([build_row(build_button(custom_id="c" * 101))], "0.components.0.custom_id"),
        ([build_row(build_button(custom_id=""))], "0.components.0.custom_id"),
        ([build_row(build_button(label="l" * 81))], "0.components.0.label"),
        ([build_row(build_button(label=None))], "0.components.0"),
        ([build_row(build_button(style=9))], "0.components.0.style"),
        ([build_row(build_button(1), build_button(1))], ""),
        ([build_row(build_button(1)), build_row(build_button(1))], ""),
        ([build_row({"type": 2, "style": 5, "label": "l"})], "0.components.0.url"),
        ([{"type": 9, "components": [build_text()]}], "0.accessory.type"),
        ([build_gallery(11)], "0.items"),
        ([build_gallery(1, description="d" * 1025)], "0.items.0.description"),
        ([build_text("")], "0.content"),
        ([build_text("x" * 2001), build_text("x" * 2000)], ""),
        ([build_text() for _ in range(41)], ""),
        ([{"type": 99}], "0.type"),
    ],
)
def test_bad_tree_is_refused_and_place_named(tree: Tree, where: str) -> None:
    with pytest.raises(ApiError) as caught:
        components.check_components(tree, layout=True)
    node = caught.value.body["errors"]["components"]
    assert (caught.value.status, caught.value.body["code"]) == (400, 50035)
    for step in filter(None, where.split(".")):
        node = node[step]
    assert node["_errors"]


@pytest.mark.parametrize(
    ("payload", "refusal"),
    [
        ({}, (400, 50006)),
        ({"content": "x" * 2001}, (400, 50035)),
        ({"content": "x", "flags": LAYOUT, "components": [build_text()]}, (400, 50035)),
        ({"embeds": [{"title": "t"}], "flags": LAYOUT, "components": [build_text()]}, (400, 50035)),
        ({"content": "x", "components": [build_text()]}, (400, 50035)),
        ({"content": "x", "components": [build_row(build_button(n)) for n in range(6)]}, (400, 50035)),
        ({"embeds": [{"title": "t"}] * 11}, (400, 50035)),
        ({"embeds": [{"description": "d" * 4097}]}, (400, 50035)),
        ({"embeds": [{"description": "d" * 4000}] * 2}, (400, 50035)),
        ({"flags": LAYOUT, "components": [{"type": 12, "items": [{"media": {"url": "attachment://no.png"}}]}]},
         (400, 50035)),
        ({"content": "x", "nonce": "n" * 26, "enforce_nonce": True}, (400, 50035)),
        ({"content": "x", "allowed_mentions": {"parse": ["users"], "users": ["1"]}}, (400, 50035)),
        ({"content": "x", "message_reference": {"message_id": "1"}}, (400, 50035)),
    ],
)  # fmt: skip
async def test_message_beyond_limits_is_refused_and_leaves_nothing(
    raw_bot: RawBot, ada: PageUser, tiles: str, payload: dict[str, Any], refusal: tuple[int, int]
) -> None:
    assert await raw_bot.request_error("POST", f"/channels/{tiles}/messages", payload) == refusal
    assert await ada.fetch_messages(tiles) == []


async def test_too_many_and_too_large_files_are_refused(raw_bot: RawBot, tiles: str) -> None:
    path, most = f"/channels/{tiles}/messages", b"0" * 10 * 1024 * 1024
    assert await raw_bot.request_error("POST", path, data=build_form({}, *[b"0"] * 11)) == (400, 50035)
    assert await raw_bot.request_error("POST", path, data=build_form({}, most + b"0")) == (413, 40005)
    status, message = await raw_bot.request("POST", path, data=build_form({}, most))
    assert status == 200
    async with raw_bot.web.get(message["attachments"][0]["url"]) as answer:
        assert len(await answer.read()) == 10 * 1024 * 1024


async def test_layout_stays_layout(raw_bot: RawBot, tiles: str) -> None:
    message = await raw_bot.send(tiles, flags=LAYOUT, components=[build_text("one")])
    path = f"/channels/{tiles}/messages/{message['id']}"
    assert await raw_bot.request_error("PATCH", path, {"content": "x"}) == (400, 50035)
    _, changed = await raw_bot.request("PATCH", path, {"components": [build_text("two")], "flags": 0})
    assert changed["flags"] == LAYOUT
    assert changed["components"] == [{"type": 10, "content": "two", "id": 1}]


async def test_edit_keeps_removes_or_adds_attachments(raw_bot: RawBot, tiles: str) -> None:
    form = build_form({}, b"a", filename="a.txt")
    _, first = await raw_bot.request("POST", f"/channels/{tiles}/messages", data=form)
    path, (old,) = f"/channels/{tiles}/messages/{first['id']}", first["attachments"]
    assert old["url"].startswith(raw_bot.local.url + "/attachments/")
    _, unchanged = await raw_bot.request("PATCH", path, {"content": "text"})
    assert [one["filename"] for one in unchanged["attachments"]] == ["a.txt"]
    both = {"attachments": [{"id": old["id"]}, {"id": 0}]}
    _, joined = await raw_bot.request("PATCH", path, data=build_form(both, b"b", filename="b.txt"))
    assert [one["filename"] for one in joined["attachments"]] == ["a.txt", "b.txt"]
    _, emptied = await raw_bot.request("PATCH", path, {"attachments": []})
    assert emptied["attachments"] == []


async def test_first_response_is_accepted_once_within_three_seconds(raw_bot: RawBot, ada: PageUser, tiles: str) -> None:
    await raw_bot.register()
    assert raw_bot.local.interactions.answer_within == 3.0
    interaction_id = await ada.use_command(tiles, "act")
    hook = raw_bot.build_webhook_path(interaction_id)
    assert await raw_bot.request_error("POST", hook, {"content": "early"}) == (404, 10015)
    assert (await raw_bot.respond(interaction_id, 4, content="in time"))[0] == 200
    status, error = await raw_bot.respond(interaction_id, 4, content="again")
    assert (status, error["code"]) == (400, 40060)
    raw_bot.local.interactions.answer_within = 0.05
    late = await ada.use_command(tiles, "act")
    assert (await ada.fetch_outcome(late))["state"] == "failed"
    status, error = await raw_bot.respond(late, 4, content="late")
    assert (status, error["code"]) == (404, 10062)
    assert [one["content"] for one in await ada.fetch_messages(tiles)] == ["in time"]


async def test_token_lives_for_fifteen_minutes() -> None:
    clock = [1_800_000_000.0]
    async with open_raw_bot(now=lambda: clock[0]) as raw_bot, PageUser(raw_bot.local.address, "Ada") as user:
        await raw_bot.register()
        channel = raw_bot.local.world.welcome_channel
        interaction_id = await user.use_command(channel, "act")
        await raw_bot.respond(interaction_id, 4, content="first")
        hook = raw_bot.build_webhook_path(interaction_id)
        clock[0] += 15 * 60 - 1
        assert (await raw_bot.request("PATCH", hook + "/messages/@original", {"content": "second"}))[0] == 200
        clock[0] += 2
        assert await raw_bot.request_error("PATCH", hook + "/messages/@original", {"content": "x"}) == (401, 50027)
        assert await raw_bot.request_error("POST", hook, {"content": "x"}) == (401, 50027)


async def test_response_must_fit_kind_of_interaction(raw_bot: RawBot, ada: PageUser, tiles: str) -> None:
    await raw_bot.register({"type": 3, "name": "text", "description": "d", "autocomplete": True})
    interaction_id = await ada.use_command(tiles, "act")
    for kind in (6, 7, 8, 99):
        assert (await raw_bot.respond(interaction_id, kind, content="x"))[0] == 400
    typing = asyncio.create_task(ada.fetch_choices(tiles, "act", focused="text", text="a"))
    while not (found := [one for one in raw_bot.local.interactions.list_recent() if one.kind == 4]):
        await ada.fetch_state()
    assert (await raw_bot.respond(found[0].id, 4, content="x"))[0] == 400
    assert (await raw_bot.respond(found[0].id, 8, choices=[{"name": "a", "value": "a"}]))[0] == 200
    assert await typing == [{"name": "a", "value": "a"}]


async def test_follow_up_access_requires_its_interaction_token(raw_bot: RawBot, ada: PageUser, tiles: str) -> None:
    await raw_bot.register()
    interaction_id, other = await ada.use_command(tiles, "act"), await ada.use_command(tiles, "act")
    await raw_bot.respond(interaction_id, 5, flags=64)
    await raw_bot.respond(other, 4, content="other")
    hook, original = raw_bot.build_webhook_path(interaction_id), "/messages/@original"
    assert (await raw_bot.request("GET", hook + original))[1]["flags"] == 64 | 128
    _, filled = await raw_bot.request("POST", hook, {"content": "filled"})
    assert (filled["flags"], (await raw_bot.request("GET", hook + original))[1]["id"]) == (64, filled["id"])
    _, more = await raw_bot.request("POST", hook, {"content": "more"})
    assert more["flags"] == 0
    assert (await raw_bot.request("PATCH", f"{hook}/messages/{more['id']}", {"content": "edited"}))[0] == 200
    foreign = f"{raw_bot.build_webhook_path(other)}/messages/{filled['id']}"
    assert await raw_bot.request_error("PATCH", foreign, {"content": "x"}) == (404, 10008)
    by_channel = f"/channels/{tiles}/messages/{filled['id']}"
    assert await raw_bot.request_error("GET", by_channel) == (404, 10008), "ephemeral messages have no channel route"
    assert (await raw_bot.request("DELETE", hook + original))[0] == 204
    assert await raw_bot.request_error("PATCH", hook + original, {"content": "x"}) == (404, 10008)


async def test_enforced_nonce_finds_earlier_message(raw_bot: RawBot, ada: PageUser, tiles: str) -> None:
    first = await raw_bot.send(tiles, content="once", nonce="n1", enforce_nonce=True)
    again = await raw_bot.send(tiles, content="twice", nonce="n1", enforce_nonce=True)
    other = await raw_bot.send(tiles, content="other", nonce="n1")
    assert (again["id"], again["content"], again["nonce"]) == (first["id"], "once", "n1")
    assert other["id"] != first["id"]
    assert len(await ada.fetch_messages(tiles)) == 2


@pytest.mark.parametrize(
    ("taken", "method", "path", "refusal"),
    [
        ("view_channel", "GET", "", (403, 50001)),
        ("view_channel", "POST", "/messages", (403, 50001)),
        ("view_channel", "PATCH", "/messages/{message}", (403, 50001)),
        ("send_messages", "POST", "/messages", (403, 50013)),
        ("create_public_threads", "POST", "/messages/{message}/threads", (403, 50013)),
        ("read_message_history", "GET", "/messages/{message}", (403, 50013)),
    ],
)
async def test_request_needs_its_permission(
    raw_bot: RawBot, tiles: str, taken: str, method: str, path: str, refusal: tuple[int, int]
) -> None:
    message = await raw_bot.send(tiles, content="before")
    whole = f"/channels/{tiles}" + path.format(message=message["id"])
    body = None if method == "GET" else {"content": "x", "name": "n"}
    raw_bot.local.world.set_bot_permissions(tiles, **{taken: False})
    assert await raw_bot.request_error(method, whole, body) == refusal
    raw_bot.local.world.set_bot_permissions(tiles, **{taken: True})
    assert (await raw_bot.request(method, whole, body))[0] in (200, 201)


async def test_files_and_threads_need_permissions_of_their_own(raw_bot: RawBot, tiles: str) -> None:
    world = raw_bot.local.world
    thread = (await raw_bot.request("POST", f"/channels/{tiles}/threads", {"name": "t", "type": 11}))[1]["id"]
    world.set_bot_permissions(tiles, send_messages_in_threads=False, attach_files=False, embed_links=False)
    assert await raw_bot.request_error("POST", f"/channels/{thread}/messages", {"content": "x"}) == (403, 50013)
    form = build_form({}, b"0")
    assert await raw_bot.request_error("POST", f"/channels/{tiles}/messages", data=form) == (403, 50013)
    bare = await raw_bot.send(tiles, content="x", embeds=[{"title": "t"}])
    assert bare["embeds"] == [], "without embed_links they are dropped without a word"


async def test_request_for_deleted_or_foreign_message_is_refused(raw_bot: RawBot, tiles: str) -> None:
    world = raw_bot.local.world
    foreign = world.messages.post(Post(world.build_message(world.channels[tiles], next(iter(world.users.values()))))).id
    own = await raw_bot.send(tiles, content="mine")
    path = f"/channels/{tiles}/messages/"
    assert await raw_bot.request_error("PATCH", path + foreign, {"content": "x"}) == (403, 50005)
    assert await raw_bot.request_error("DELETE", path + foreign) == (403, 50013)
    world.delete_message(tiles, own["id"])
    assert await raw_bot.request_error("PATCH", path + own["id"], {"content": "x"}) == (404, 10008)
    assert await raw_bot.request_error("GET", path + "nonsense") == (404, 10008)
    world.delete_channel(tiles)
    assert await raw_bot.request_error("POST", path[:-1], {"content": "x"}) == (404, 10003)
    assert await raw_bot.request_error("GET", "/guilds/1") == (404, 10004)
    assert await raw_bot.request_error("GET", "/users/1") == (404, 10013)


async def test_archived_thread_opens_by_writing_but_not_by_editing(raw_bot: RawBot, tiles: str) -> None:
    start = await raw_bot.send(tiles, content="table")
    _, thread = await raw_bot.request("POST", f"/channels/{tiles}/messages/{start['id']}/threads", {"name": "t"})
    path = f"/channels/{thread['id']}"
    again = await raw_bot.request_error("POST", f"/channels/{tiles}/messages/{start['id']}/threads", {"name": "t"})
    assert again == (400, 160004)
    inside = await raw_bot.send(thread["id"], content="in")
    await raw_bot.request("PATCH", path, {"archived": True})
    assert await raw_bot.request_error("PATCH", f"{path}/messages/{inside['id']}", {"content": "x"}) == (400, 50083)
    await raw_bot.send(thread["id"], content="again")
    assert (await raw_bot.request("GET", path))[1]["thread_metadata"]["archived"] is False
    assert (await raw_bot.request("PATCH", path, {"locked": True}))[1]["code"] == 50013


async def test_direct_message_to_user_with_closed_dms_is_refused(raw_bot: RawBot, ada: PageUser) -> None:
    _, direct = await raw_bot.request("POST", "/users/@me/channels", {"recipient_id": ada.id})
    assert (await raw_bot.request("POST", "/users/@me/channels", {"recipient_id": ada.id}))[1]["id"] == direct["id"]
    raw_bot.local.world.closed_direct_messages.add(ada.id)
    assert await raw_bot.request_error("POST", f"/channels/{direct['id']}/messages", {"content": "x"}) == (403, 50007)


@pytest.mark.parametrize(
    "command",
    [
        {"name": "Act", "description": "d"},
        {"name": "a b", "description": "d"},
        {"name": "act", "description": ""},
        {"name": "act", "description": "d" * 101},
        {"name": "act", "description": "d", "options": [{"type": 3, "name": f"o{n}", "description": "d"}
                                                        for n in range(26)]},
        {"name": "act", "description": "d", "options": [
            {"type": 3, "name": "a", "description": "d"},
            {"type": 3, "name": "b", "description": "d", "required": True}]},
        {"name": "act", "description": "d", "options": [
            {"type": 3, "name": "a", "description": "d", "choices": [{"name": "n" * 101, "value": "v"}]}]},
    ],
)  # fmt: skip
async def test_malformed_command_is_not_registered(raw_bot: RawBot, command: dict[str, Any]) -> None:
    assert await raw_bot.request_error("PUT", f"/applications/{raw_bot.bot_id}/commands", [command]) == (400, 50035)


async def test_command_keeps_its_id_when_registered_again(raw_bot: RawBot) -> None:
    path = f"/applications/{raw_bot.bot_id}/commands"
    await raw_bot.register()
    _, (before,) = await raw_bot.request("GET", path)
    await raw_bot.register({"type": 5, "name": "loud", "description": "d"})
    _, (after,) = await raw_bot.request("GET", path)
    assert (after["id"], after["options"][0]["name"]) == (before["id"], "loud")
    assert (await raw_bot.request("DELETE", f"{path}/{after['id']}"))[0] == 204
    assert (await raw_bot.request("GET", path))[1] == []


async def test_messages_are_listed_newest_first_around_point(raw_bot: RawBot, local: LocalDiscord) -> None:
    channel = local.world.add_channel("quiet")["id"]
    sent = [(await raw_bot.send(channel, content=str(n)))["id"] for n in range(6)]
    path = f"/channels/{channel}/messages"

    async def list_contents(query: str) -> str:
        return "".join(one["content"] for one in (await raw_bot.request("GET", path + query))[1])

    assert await list_contents("") == "543210"
    assert await list_contents(f"?limit=2&before={sent[3]}") == "21"
    assert await list_contents(f"?limit=2&after={sent[1]}") == "32"
    assert await list_contents(f"?limit=3&around={sent[2]}") == "321"
    assert await raw_bot.request_error("GET", path + "?limit=101") == (400, 50035)
