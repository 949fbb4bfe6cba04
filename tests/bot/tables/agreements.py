"""Questions to all players at a table."""

from data.rulebook import load_rules
from tests.bot.member import Member
from tests.bot.messages import Message
from tests.bot.simulated_guild import SimGuild
from tests.bot.tables.stacked_deals import play_moves, stack_deal, store_match
from tests.wording import en

HANDS = ("555 355 014 001", "155 135 133 002")
"""Ada opens with 5-5-5; Grace fits with 1-5-5, then Ada with 3-5-5."""


async def play_one_turn_each(sim: SimGuild, *members: Member) -> None:
    """Begin a match and play one turn for every player."""
    await sim.start_table(*members)
    await sim.play_turns(len(members))


async def ask_to_abort(sim: SimGuild, person: Member) -> str:
    """Ask the others to end the match without a result; return the answer."""
    question = await person.open_command("tiles match abort")
    return await person.read_click(question, "End the match")


async def seat_after_opening(
    sim: SimGuild, ada: Member, grace: Member, hand: str = HANDS[0], *, by_hand: bool = False
) -> None:
    """Store a match where Ada has opened and Grace is next."""
    opening = ("U0,0=555",) if by_hand else ()
    log, _ = play_moves(stack_deal(load_rules("triominoes"), hand, HANDS[1], by_hand=by_hand), *opening)
    await store_match(sim, log, ada, grace)


async def play_tile(sim: SimGuild, person: Member, tile: str) -> Message:
    place = (await person.autocomplete(sim.channel, "tiles play", "place", "", tile=tile))[0]["value"]
    return await person.open_command("tiles play", tile=tile, place=place)


async def play_undoable_tile(
    sim: SimGuild, ada: Member, grace: Member, hand: str = HANDS[0], *, by_hand: bool = False
) -> Message:
    """Let Grace play 1-5-5 after Ada's opening, and return the answer, which has the undo button."""
    await seat_after_opening(sim, ada, grace, hand, by_hand=by_hand)
    return await play_tile(sim, grace, "1-5-5")


async def ask_to_undo(sim: SimGuild, ada: Member, grace: Member) -> None:
    """Let Grace and Ada play a tile each, then let Grace ask for an undo."""
    await play_undoable_tile(sim, ada, grace)
    await play_tile(sim, ada, "3-5-5")
    offer = await grace.open_command("tiles undo")
    assert (await grace.read_click(offer, "Ask the others")).startswith(en("agree.asked"))
