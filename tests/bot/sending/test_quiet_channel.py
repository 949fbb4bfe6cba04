"""A channel has one board and one call, mentions only the next player, and escapes names."""

import re

from simcord import MemberActor

from tests.bot.messages import button_ids, ids, pictures, words_of
from tests.bot.simulated_guild import BLOCKED, GOING_OUT, SimGuild
from tests.wording import en


async def test_match_is_one_board_edited_in_place_and_one_call(
    sim: SimGuild, ada: MemberActor, grace: MemberActor
) -> None:
    sim.deals.wanted = [GOING_OUT]
    await sim.table(ada, grace)
    board = sim.board().id
    for _ in range(4):
        mover, call = sim.to_move(), sim.calls()[0].id
        before = words_of(sim.board())
        await sim.play_by_typing(mover)
        assert [message.id for message in sim.boards()] == [board]
        assert words_of(sim.board()) != before
        (after,) = sim.calls()
        assert after.id != call, "the call before was deleted"
        assert [user.id for user in after.mentions] == [sim.to_move().id]
        assert sim.to_move().id != mover.id
        assert len(sim.public()) == 2


async def test_only_call_may_mention_and_only_next_player(sim: SimGuild, ada: MemberActor, grace: MemberActor) -> None:
    sim.deals.wanted = [GOING_OUT]
    await sim.table(ada, grace)
    for _ in range(3):
        await sim.play_by_typing(sim.to_move())
    people = {ada.id, grace.id}
    calls = 0
    for request in sim.env.http_requests:
        body = request.json
        if request.method not in ("POST", "PATCH") or not isinstance(body, dict) or "components" not in body:
            continue
        allowed = body.get("allowed_mentions")
        if body.get("content"):
            calls += 1
            (user,) = allowed["users"]
            assert int(user) in people
            assert allowed == {"users": [user], "parse": []}
            assert body["content"].startswith(f"<@{user}>, ")
        elif request.method == "POST":
            assert allowed == {"parse": []}
    assert calls == 4


async def test_board_pushed_up_is_reposted_and_linked(sim: SimGuild, ada: MemberActor, grace: MemberActor) -> None:
    await sim.table(ada, grace)
    old = sim.board().id
    for number in range(13):
        await grace.send(sim.channel, f"chatter {number}")
    await sim.play_by_typing(sim.to_move())
    assert sim.board().id == old, "thirteen messages and the call are not yet far"
    for number in range(2):
        await grace.send(sim.channel, f"more chatter {number}")
    await sim.play_by_typing(sim.to_move())

    new = sim.board()
    assert new.id > old
    left = next(message for message in sim.public() if message.id == old)
    assert words_of(left) == en("board.moved_on", link=new.jump_url)
    assert button_ids(left) == {}
    assert left.attachments == []
    assert len(sim.boards()) == 1
    assert (await sim.head()).board_message_id == new.id


async def test_messages_after_board_are_counted_after_restart(
    sim: SimGuild, ada: MemberActor, grace: MemberActor
) -> None:
    await sim.table(ada, grace)
    old = sim.board().id
    for number in range(16):
        await grace.send(sim.channel, f"chatter {number}")
    await sim.restart()
    await sim.play_by_typing(sim.to_move())
    assert sim.board().id > old


async def test_names_with_markdown_and_mentions_are_escaped(sim: SimGuild, grace: MemberActor) -> None:
    sly = sim.person("**Sly** @everyone `x` <t:0> [a](http://b) <@123456789012345678>")
    sim.deals.wanted = [BLOCKED]
    await sim.table(sly, grace, clock="relaxed")
    await sim.play_by_typing(sim.to_move())
    said = [words_of(message) for message in sim.public()]
    assert any("\\*\\*Sly\\*\\*" in text for text in said)
    for text in said:
        assert "@everyone" not in text
        assert "**Sly**" not in text
        assert "[a](http" not in text.replace("\\[", "")
        assert "<t:" not in text.replace("\\<", "")
        for mention in re.findall(r"(?<!\\)<@(\d+)>", text):
            assert int(mention) in (sly.id, grace.id)


async def test_alt_texts_and_custom_ids_fit_discord_limits(sim: SimGuild, ada: MemberActor, grace: MemberActor) -> None:
    sim.deals.wanted = [BLOCKED]
    await sim.table(ada, grace)
    private = [await sim.hand(sim.to_move()), await sim.play_by_menu(sim.to_move())]
    shown = [alt for message in (*sim.public(), *private) for alt in pictures(message)]
    assert len(shown) == 3
    assert all(40 < len(alt) <= 1024 for alt in shown)
    for message in (*sim.public(), *private):
        assert all(len(custom_id) <= 100 for custom_id in ids(message))
