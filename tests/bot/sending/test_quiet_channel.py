"""A channel has one board and one call, mentions only the next player, and escapes names."""

import re

from tests.bot.member import Member
from tests.bot.messages import read_button_ids, read_text
from tests.bot.simulated_guild import BLOCKED_DEAL, GOING_OUT_DEAL, SimGuild
from tests.wording import en


async def test_match_is_one_board_edited_in_place_and_one_call(sim: SimGuild, ada: Member, grace: Member) -> None:
    await sim.start_table(ada, grace, deal=GOING_OUT_DEAL)
    board = sim.get_board().id
    for _ in range(4):
        mover, call = sim.get_called_player(), sim.list_calls()[0].id
        before = sim.read_board()
        await sim.play_by_typing(mover)
        assert [message.id for message in sim.list_boards()] == [board]
        assert sim.read_board() != before
        (after,) = sim.list_calls()
        assert after.id != call, "the call before was deleted"
        assert [user.id for user in after.mentions] == [sim.get_called_player().id]
        assert sim.get_called_player().id != mover.id
        assert len(sim.list_public_messages()) == 2


async def test_only_call_may_mention_and_only_next_player(sim: SimGuild, ada: Member, grace: Member) -> None:
    await sim.start_table(ada, grace, deal=GOING_OUT_DEAL)
    await sim.play_turns(3)
    user_ids = {ada.id, grace.id}
    calls = 0
    for request in sim.env.http_requests:
        body = request.json
        if request.method not in ("POST", "PATCH") or not isinstance(body, dict) or "components" not in body:
            continue
        allowed = body.get("allowed_mentions")
        if body.get("content"):
            calls += 1
            (user,) = allowed["users"]
            assert int(user) in user_ids
            assert allowed == {"users": [user], "parse": []}
            assert body["content"].startswith(f"<@{user}>, ")
        elif request.method == "POST":
            assert allowed == {"parse": []}
    assert calls == 4


async def test_board_pushed_up_is_reposted_and_linked(room: SimGuild, grace: Member) -> None:
    old_board_id = room.get_board().id
    for number in range(13):
        await grace.send(room.channel, f"chatter {number}")
    await room.play_by_typing(room.get_called_player())
    assert room.get_board().id == old_board_id, "thirteen messages and the call are not yet far"
    for number in range(2):
        await grace.send(room.channel, f"more chatter {number}")
    await room.play_by_typing(room.get_called_player())

    new = room.get_board()
    assert new.id > old_board_id
    old_board = next(message for message in room.list_public_messages() if message.id == old_board_id)
    assert read_text(old_board) == en("board.moved_on", link=new.jump_url)
    assert read_button_ids(old_board) == {}
    assert old_board.attachments == []
    assert len(room.list_boards()) == 1
    assert (await room.load_head()).board_message_id == new.id


async def test_messages_after_board_are_counted_after_restart(room: SimGuild, grace: Member) -> None:
    old_board_id = room.get_board().id
    for number in range(16):
        await grace.send(room.channel, f"chatter {number}")
    await room.restart()
    await room.play_by_typing(room.get_called_player())
    assert room.get_board().id > old_board_id


async def test_names_with_markdown_and_mentions_are_escaped(sim: SimGuild, grace: Member) -> None:
    sly = sim.add_member("**Sly** @everyone `x` <t:0> [a](http://b) <@123456789012345678>")
    await sim.start_table(sly, grace, clock="relaxed", deal=BLOCKED_DEAL)
    await sim.play_by_typing(sim.get_called_player())
    texts = sim.list_public_texts()
    assert any("\\*\\*Sly\\*\\*" in text for text in texts)
    for text in texts:
        assert "@everyone" not in text
        assert "**Sly**" not in text
        assert "[a](http" not in text.replace("\\[", "")
        assert "<t:" not in text.replace("\\<", "")
        for mention in re.findall(r"(?<!\\)<@(\d+)>", text):
            assert int(mention) in (sly.id, grace.id)
