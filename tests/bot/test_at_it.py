"""Whoever goes on to their turn themselves is called only when they are not at it any more."""

from simcord import MemberActor

from bot.operating.client import SWEEP
from engine.table.posts import AT_IT
from tests.bot.house import House
from tests.bot.reading import button_ids, menus, private, words_of

MINUTE = AT_IT / 1000


async def places(house: House, person: MemberActor) -> None:
    """My hand, the first move of the menu, Play."""
    await house.play_by_menu(person, stands=False)


def other(house: House, mover: MemberActor) -> MemberActor:
    """The other of the two."""
    return next(person for person in house.people.values() if person is not mover)


def rung(house: House) -> int:
    """How often somebody was rung so far."""
    return sum(bool(body.get("allowed_mentions", {}).get("users")) for body in house.sent("POST", "/messages"))


async def test_two_who_are_both_there_play_on_without_being_called(
    house: House, ada: MemberActor, grace: MemberActor
) -> None:
    await house.table(ada, grace)
    once, mover = rung(house), house.to_move()
    for _ in range(4):
        await places(house, mover)
        mover = other(house, mover)
        offered = await house.hand(mover)
        assert menus(offered) or "Draw" in button_ids(offered)
        assert await house.turn() is mover
        assert house.calls() == [], "the call before went with its turn"
        assert f"**{'Ada' if mover is ada else 'Grace'}** to play" in words_of(house.board())
    assert rung(house) == once


async def test_who_looks_and_goes_away_is_called_a_minute_later_once(
    house: House, ada: MemberActor, grace: MemberActor
) -> None:
    await house.table(ada, grace)
    mover = house.to_move()
    await places(house, mover)
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


async def test_who_begins_to_type_is_at_it_and_is_not_called_for_a_turn_that_is_over(
    house: House, ada: MemberActor, grace: MemberActor
) -> None:
    await house.table(ada, grace)
    mover = house.to_move()
    await places(house, mover)
    following = other(house, mover)
    tile = (await following.autocomplete(house.channel, "tiles play", "tile", ""))[0]["value"]
    assert house.calls() == []
    place = (await following.autocomplete(house.channel, "tiles play", "place", "", tile=tile))[0]["value"]
    private(await following.slash(house.channel, "tiles play", tile=tile, place=place))
    await house.wait(seconds=MINUTE + 2 * SWEEP)
    assert [[user.id for user in call.mentions] for call in house.calls()] == [[mover.id]], "theirs is the turn by time"


async def test_whom_nobody_waits_for_is_called_as_soon_as_the_turn_before_stands(
    house: House, ada: MemberActor, grace: MemberActor
) -> None:
    await house.table(ada, grace)
    mover = house.to_move()
    await places(house, mover)
    await house.wait(seconds=20 + 2 * SWEEP)
    assert [[user.id for user in call.mentions] for call in house.calls()] == [[other(house, mover).id]]
