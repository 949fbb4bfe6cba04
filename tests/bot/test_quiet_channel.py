"""The channel stays quiet: one board, one call, nobody pinged but the next player, names that do nothing."""

import re

from simcord import MemberActor

from tests.bot.house import BLOCKED, GOING_OUT, House
from tests.bot.reading import button_ids, ids, pictures, words_of
from tests.wording import en


async def test_match_is_one_board_edited_in_place_and_one_call(
    house: House, ada: MemberActor, grace: MemberActor
) -> None:
    house.deals.wanted = [GOING_OUT]
    await house.table(ada, grace)
    board = house.board().id
    for _ in range(4):
        mover, call = house.to_move(), house.calls()[0].id
        before = words_of(house.board())
        await house.play_by_typing(mover)
        assert [message.id for message in house.boards()] == [board]
        assert words_of(house.board()) != before
        (after,) = house.calls()
        assert after.id != call, "the call before was deleted"
        assert [user.id for user in after.mentions] == [house.to_move().id]
        assert house.to_move().id != mover.id
        assert len(house.public()) == 2


async def test_call_may_mention_next_player_and_no_message_anybody_else(
    house: House, ada: MemberActor, grace: MemberActor
) -> None:
    house.deals.wanted = [GOING_OUT]
    await house.table(ada, grace)
    for _ in range(3):
        await house.play_by_typing(house.to_move())
    people = {ada.id, grace.id}
    calls = 0
    for request in house.env.http_requests:
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


async def test_board_that_was_pushed_up_is_posted_afresh_and_leaves_link(
    house: House, ada: MemberActor, grace: MemberActor
) -> None:
    await house.table(ada, grace)
    old = house.board().id
    for number in range(13):
        await grace.send(house.channel, f"chatter {number}")
    await house.play_by_typing(house.to_move())
    assert house.board().id == old, "thirteen messages and the call are not yet far"
    for number in range(2):
        await grace.send(house.channel, f"more chatter {number}")
    await house.play_by_typing(house.to_move())

    new = house.board()
    assert new.id > old
    left = next(message for message in house.public() if message.id == old)
    assert words_of(left) == en("board.moved_on", link=new.jump_url)
    assert button_ids(left) == {}
    assert left.attachments == []
    assert len(house.boards()) == 1
    assert (await house.head()).board_message_id == new.id


async def test_busy_channel_is_counted_from_its_history_after_restart(
    house: House, ada: MemberActor, grace: MemberActor
) -> None:
    await house.table(ada, grace)
    old = house.board().id
    for number in range(16):
        await grace.send(house.channel, f"chatter {number}")
    await house.restart()
    await house.play_by_typing(house.to_move())
    assert house.board().id > old


async def test_names_with_markdown_and_mentions_do_nothing(house: House, grace: MemberActor) -> None:
    sly = house.person("**Sly** @everyone `x` <t:0> [a](http://b) <@123456789012345678>")
    house.deals.wanted = [BLOCKED]
    await house.table(sly, grace, clock="relaxed")
    await house.play_by_typing(house.to_move())
    said = [words_of(message) for message in house.public()]
    assert any("\\*\\*Sly\\*\\*" in text for text in said)
    for text in said:
        assert "@everyone" not in text
        assert "**Sly**" not in text
        assert "[a](http" not in text.replace("\\[", "")
        assert "<t:" not in text.replace("\\<", "")
        for mention in re.findall(r"(?<!\\)<@(\d+)>", text):
            assert int(mention) in (sly.id, grace.id)


async def test_every_picture_has_alt_text_that_fits_and_every_id_is_short(
    house: House, ada: MemberActor, grace: MemberActor
) -> None:
    house.deals.wanted = [BLOCKED]
    await house.table(ada, grace)
    private = [await house.hand(house.to_move()), await house.play_by_menu(house.to_move())]
    shown = [alt for message in (*house.public(), *private) for alt in pictures(message)]
    assert len(shown) == 3
    assert all(40 < len(alt) <= 1024 for alt in shown)
    for message in (*house.public(), *private):
        assert all(len(custom_id) <= 100 for custom_id in ids(message))
