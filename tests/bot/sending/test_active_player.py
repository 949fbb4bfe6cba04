"""A player who opens the hand without a call is called only after becoming inactive."""

from simcord import MemberActor

from bot.client import SWEEP_INTERVAL
from engine.table.table_posts import TURN_POST_DELAY
from tests.bot.messages import get_private_answer, list_menus, read_button_ids, read_text
from tests.bot.simulated_guild import SimGuild
from tests.wording import en

DELAY_SECONDS = TURN_POST_DELAY / 1000


def get_other_player(sim: SimGuild, mover: MemberActor) -> MemberActor:
    return next(person for person in sim.members.values() if person is not mover)


def count_mentions(sim: SimGuild) -> int:
    return sum(
        bool(body.get("allowed_mentions", {}).get("users")) for body in sim.iterate_request_bodies("POST", "/messages")
    )


async def test_active_player_gets_no_call(sim: SimGuild, ada: MemberActor, grace: MemberActor) -> None:
    await sim.start_table(ada, grace)
    mentions_before, mover = count_mentions(sim), sim.get_called_player()
    for _ in range(4):
        await sim.play_by_menu(mover, settle=False)
        mover = get_other_player(sim, mover)
        hand = await sim.open_hand(mover)
        assert list_menus(hand) or "Draw" in read_button_ids(hand)
        assert await sim.load_turn_player() is mover
        assert sim.list_calls() == [], "the call before went with its turn"
        assert en("board.whose", name="Ada" if mover is ada else "Grace") in read_text(sim.get_board())
    assert count_mentions(sim) == mentions_before


async def test_player_who_left_is_called_after_one_minute(sim: SimGuild, ada: MemberActor, grace: MemberActor) -> None:
    await sim.start_table(ada, grace)
    mover = sim.get_called_player()
    await sim.play_by_menu(mover, settle=False)
    following = get_other_player(sim, mover)
    await sim.open_hand(following)
    mentions_before = count_mentions(sim)
    await sim.wait(seconds=DELAY_SECONDS - 2 * SWEEP_INTERVAL)
    assert sim.list_calls() == []
    await sim.restart()
    await sim.wait(seconds=4 * SWEEP_INTERVAL)
    (call,) = sim.list_calls()
    assert [user.id for user in call.mentions] == [following.id]
    await sim.wait(seconds=2 * DELAY_SECONDS)
    assert count_mentions(sim) == mentions_before + 1


async def test_typing_player_is_not_called_for_finished_turn(
    sim: SimGuild, ada: MemberActor, grace: MemberActor
) -> None:
    await sim.start_table(ada, grace)
    mover = sim.get_called_player()
    await sim.play_by_menu(mover, settle=False)
    following = get_other_player(sim, mover)
    tile = (await following.autocomplete(sim.channel, "tiles play", "tile", ""))[0]["value"]
    assert sim.list_calls() == []
    place = (await following.autocomplete(sim.channel, "tiles play", "place", "", tile=tile))[0]["value"]
    get_private_answer(await following.slash(sim.channel, "tiles play", tile=tile, place=place))
    await sim.wait(seconds=DELAY_SECONDS + 2 * SWEEP_INTERVAL)
    assert [[user.id for user in call.mentions] for call in sim.list_calls()] == [[mover.id]], (
        "theirs is the turn by time"
    )


async def test_absent_player_is_called_when_turn_settles(sim: SimGuild, ada: MemberActor, grace: MemberActor) -> None:
    await sim.start_table(ada, grace)
    mover = sim.get_called_player()
    await sim.play_by_menu(mover, settle=False)
    await sim.wait(seconds=20 + 2 * SWEEP_INTERVAL)
    assert [[user.id for user in call.mentions] for call in sim.list_calls()] == [[get_other_player(sim, mover).id]]
