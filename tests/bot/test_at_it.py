"""Whoever goes on to their turn themselves is called only when they are not at it any more."""

from simcord import MemberActor

from bot.client import SWEEP
from engine.table.table_posts import AT_IT
from tests.bot.house import House
from tests.bot.reading import button_ids, menus, private, words_of

MINUTE = AT_IT / 1000


def other(house: House, mover: MemberActor) -> MemberActor:
    return next(person for person in house.people.values() if person is not mover)


def rung(house: House) -> int:
    return sum(bool(body.get("allowed_mentions", {}).get("users")) for body in house.sent("POST", "/messages"))


async def test_active_players_are_not_called(house: House, ada: MemberActor, grace: MemberActor) -> None:
    await house.table(ada, grace)
    once, mover = rung(house), house.to_move()
    for _ in range(4):
        await house.play_by_menu(mover, stands=False)
        mover = other(house, mover)
        offered = await house.hand(mover)
        assert menus(offered) or "Draw" in button_ids(offered)
        assert await house.turn() is mover
        assert house.calls() == [], "the call before went with its turn"
        assert f"**{'Ada' if mover is ada else 'Grace'}** to play" in words_of(house.board())
    assert rung(house) == once


async def test_player_who_left_is_called_after_one_minute(house: House, ada: MemberActor, grace: MemberActor) -> None:
    await house.table(ada, grace)
    mover = house.to_move()
    await house.play_by_menu(mover, stands=False)
    following = other(house, mover)
    await house.hand(following)
    once = rung(house)
    await house.wait(seconds=MINUTE - 2 * SWEEP)
    assert house.calls() == []
    await house.restart()
    await house.wait(seconds=4 * SWEEP)
    (call,) = house.calls()
    assert [user.id for user in call.mentions] == [following.id]
    await house.wait(seconds=2 * MINUTE)
    assert rung(house) == once + 1


async def test_typing_player_is_not_called_for_finished_turn(
    house: House, ada: MemberActor, grace: MemberActor
) -> None:
    await house.table(ada, grace)
    mover = house.to_move()
    await house.play_by_menu(mover, stands=False)
    following = other(house, mover)
    tile = (await following.autocomplete(house.channel, "tiles play", "tile", ""))[0]["value"]
    assert house.calls() == []
    place = (await following.autocomplete(house.channel, "tiles play", "place", "", tile=tile))[0]["value"]
    private(await following.slash(house.channel, "tiles play", tile=tile, place=place))
    await house.wait(seconds=MINUTE + 2 * SWEEP)
    assert [[user.id for user in call.mentions] for call in house.calls()] == [[mover.id]], "theirs is the turn by time"


async def test_absent_player_is_called_when_turn_settles(house: House, ada: MemberActor, grace: MemberActor) -> None:
    await house.table(ada, grace)
    mover = house.to_move()
    await house.play_by_menu(mover, stands=False)
    await house.wait(seconds=20 + 2 * SWEEP)
    assert [[user.id for user in call.mentions] for call in house.calls()] == [[other(house, mover).id]]
