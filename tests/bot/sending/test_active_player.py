"""A player who opens the hand without a call is called only after becoming inactive."""

from bot.client import SWEEP_INTERVAL
from engine.table.table_posts import TURN_POST_DELAY
from tests.bot.member import Member
from tests.bot.messages import list_menus, read_button_ids
from tests.bot.simulated_guild import SimGuild
from tests.wording import en

DELAY_SECONDS = TURN_POST_DELAY / 1000


def get_other_player(sim: SimGuild, mover: Member) -> Member:
    return next(person for person in sim.members.values() if person is not mover)


def count_mentions(sim: SimGuild) -> int:
    return sum(
        bool(body.get("allowed_mentions", {}).get("users")) for body in sim.iterate_request_bodies("POST", "/messages")
    )


async def test_active_player_gets_no_call(room: SimGuild, ada: Member) -> None:
    mentions_before, mover = count_mentions(room), room.get_called_player()
    for _ in range(4):
        await room.play_by_menu(mover, settle=False)
        mover = get_other_player(room, mover)
        hand = await room.open_hand(mover)
        assert list_menus(hand) or "Draw" in read_button_ids(hand)
        assert await room.load_turn_player() is mover
        assert room.list_calls() == [], "the call before went with its turn"
        assert en("board.whose", name="Ada" if mover is ada else "Grace") in room.read_board()
    assert count_mentions(room) == mentions_before


async def test_player_who_left_is_called_after_one_minute(room: SimGuild) -> None:
    mover = room.get_called_player()
    await room.play_by_menu(mover, settle=False)
    following = get_other_player(room, mover)
    await room.open_hand(following)
    mentions_before = count_mentions(room)
    await room.wait(seconds=DELAY_SECONDS - 2 * SWEEP_INTERVAL)
    assert room.list_calls() == []
    await room.restart()
    await room.wait(seconds=4 * SWEEP_INTERVAL)
    (call,) = room.list_calls()
    assert [user.id for user in call.mentions] == [following.id]
    await room.wait(seconds=2 * DELAY_SECONDS)
    assert count_mentions(room) == mentions_before + 1


async def test_typing_player_is_not_called_for_finished_turn(room: SimGuild) -> None:
    mover = room.get_called_player()
    await room.play_by_menu(mover, settle=False)
    following = get_other_player(room, mover)
    tile = (await following.autocomplete(room.channel, "tiles play", "tile", ""))[0]["value"]
    assert room.list_calls() == []
    place = (await following.autocomplete(room.channel, "tiles play", "place", "", tile=tile))[0]["value"]
    await following.open_command("tiles play", tile=tile, place=place)
    await room.wait(seconds=DELAY_SECONDS + 2 * SWEEP_INTERVAL)
    assert [[user.id for user in call.mentions] for call in room.list_calls()] == [[mover.id]], (
        "theirs is the turn by time"
    )


async def test_absent_player_is_called_when_turn_settles(room: SimGuild) -> None:
    mover = room.get_called_player()
    await room.play_by_menu(mover, settle=False)
    await room.wait(seconds=20 + 2 * SWEEP_INTERVAL)
    assert [[user.id for user in call.mentions] for call in room.list_calls()] == [[get_other_player(room, mover).id]]
