"""A player who opens the hand without a call is called only after becoming inactive."""

from simcord import MemberActor

from bot.client import SWEEP_INTERVAL
from engine.table.table_posts import TURN_POST_DELAY
from tests.bot.messages import button_ids, menus, private, words_of
from tests.bot.simulated_guild import SimGuild
from tests.wording import en

MINUTE = TURN_POST_DELAY / 1000


def other_player(sim: SimGuild, mover: MemberActor) -> MemberActor:
    return next(person for person in sim.people.values() if person is not mover)


def count_mentions(sim: SimGuild) -> int:
    return sum(bool(body.get("allowed_mentions", {}).get("users")) for body in sim.sent("POST", "/messages"))


async def test_active_player_gets_no_call(sim: SimGuild, ada: MemberActor, grace: MemberActor) -> None:
    await sim.table(ada, grace)
    mentions_before, mover = count_mentions(sim), sim.to_move()
    for _ in range(4):
        await sim.play_by_menu(mover, stands=False)
        mover = other_player(sim, mover)
        offered = await sim.hand(mover)
        assert menus(offered) or "Draw" in button_ids(offered)
        assert await sim.turn() is mover
        assert sim.calls() == [], "the call before went with its turn"
        assert en("board.whose", name="Ada" if mover is ada else "Grace") in words_of(sim.board())
    assert count_mentions(sim) == mentions_before


async def test_player_who_left_is_called_after_one_minute(sim: SimGuild, ada: MemberActor, grace: MemberActor) -> None:
    await sim.table(ada, grace)
    mover = sim.to_move()
    await sim.play_by_menu(mover, stands=False)
    following = other_player(sim, mover)
    await sim.hand(following)
    mentions_before = count_mentions(sim)
    await sim.wait(seconds=MINUTE - 2 * SWEEP_INTERVAL)
    assert sim.calls() == []
    await sim.restart()
    await sim.wait(seconds=4 * SWEEP_INTERVAL)
    (call,) = sim.calls()
    assert [user.id for user in call.mentions] == [following.id]
    await sim.wait(seconds=2 * MINUTE)
    assert count_mentions(sim) == mentions_before + 1


async def test_typing_player_is_not_called_for_finished_turn(
    sim: SimGuild, ada: MemberActor, grace: MemberActor
) -> None:
    await sim.table(ada, grace)
    mover = sim.to_move()
    await sim.play_by_menu(mover, stands=False)
    following = other_player(sim, mover)
    tile = (await following.autocomplete(sim.channel, "tiles play", "tile", ""))[0]["value"]
    assert sim.calls() == []
    place = (await following.autocomplete(sim.channel, "tiles play", "place", "", tile=tile))[0]["value"]
    private(await following.slash(sim.channel, "tiles play", tile=tile, place=place))
    await sim.wait(seconds=MINUTE + 2 * SWEEP_INTERVAL)
    assert [[user.id for user in call.mentions] for call in sim.calls()] == [[mover.id]], "theirs is the turn by time"


async def test_absent_player_is_called_when_turn_settles(sim: SimGuild, ada: MemberActor, grace: MemberActor) -> None:
    await sim.table(ada, grace)
    mover = sim.to_move()
    await sim.play_by_menu(mover, stands=False)
    await sim.wait(seconds=20 + 2 * SWEEP_INTERVAL)
    assert [[user.id for user in call.mentions] for call in sim.calls()] == [[other_player(sim, mover).id]]
