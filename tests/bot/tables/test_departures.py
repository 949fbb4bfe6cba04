"""Players who leave the server: the others choose at once what happens."""

import pytest

from bot.sending.departures import CALLED_AGE
from tests.bot.member import Member
from tests.bot.messages import read_button_ids, read_text
from tests.bot.simulated_guild import SimGuild
from tests.bot.tables.timeouts import find_absence_question, get_display_name
from tests.wording import en, has_sentence


async def start_with_departed_player(sim: SimGuild, *members: Member, clock: str = "3d") -> Member:
    """Let a player leave before their turn begins; return them."""
    await sim.start_table(*members, clock=clock)
    mover, departed = sim.get_called_player(), sim.get_waiting_player()
    sim.guild.remove_member(departed)
    await sim.wait(hours=2 * CALLED_AGE / 3_600_000)
    await sim.play_by_typing(mover)
    await sim.wait()
    return departed


@pytest.mark.parametrize("pace", ["3d", "relaxed", "live 10m"])
async def test_turn_of_departed_player_asks_others_at_once(
    sim: SimGuild, ada: Member, grace: Member, pace: str
) -> None:
    departed = await start_with_departed_player(sim, ada, grace, clock=pace)
    question = find_absence_question(sim)
    assert has_sentence(read_text(question), "absence.asked_left", name=get_display_name(departed))
    assert has_sentence(sim.read_board(), "clock.asking_left", name=get_display_name(departed))
    other = next(person for person in (ada, grace) if person.id != departed.id)
    await other.click(question, label=en("absence.turn"))
    await sim.wait()
    assert await sim.load_turn_player() == other


async def test_waiting_for_departed_player_asks_no_second_time(sim: SimGuild, ada: Member, grace: Member) -> None:
    departed = await start_with_departed_player(sim, ada, grace)
    other = next(person for person in (ada, grace) if person.id != departed.id)
    question = find_absence_question(sim)
    await other.click(question, label=next(label for label in read_button_ids(question) if label.startswith("Wait")))
    await sim.wait(hours=1)
    assert sum("What now?" in read_text(message) for message in sim.list_public_messages()) == 0
    assert await sim.load_turn_player() == departed


async def test_returning_player_plays_on(sim: SimGuild, ada: Member, grace: Member) -> None:
    departed = await start_with_departed_player(sim, ada, grace)
    sim.guild.add_member(departed.user)
    await sim.play_by_typing(departed)
    assert (await sim.load_table()).clock.watch.absence_question is None
    lookups = len(sim.list_member_lookups())
    await sim.play_turns(2)
    await sim.wait()
    assert len(sim.list_member_lookups()) == lookups, "players who act are present"
