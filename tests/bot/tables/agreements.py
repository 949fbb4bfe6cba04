"""Questions to everybody at a table."""

from simcord import MemberActor

from data.rulebook import rules
from tests.bot.messages import Message, private, told
from tests.bot.simulated_guild import SimGuild
from tests.bot.tables.stacked_deals import dealt, played, seated
from tests.wording import en

HANDS = ("555 355 014 001", "155 135 133 002")
"""Ada opens with 5-5-5; Grace fits with 1-5-5, then Ada with 3-5-5."""


async def circle(sim: SimGuild, *people: MemberActor) -> None:
    """Begin a match and play one turn for every player."""
    await sim.table(*people)
    for _ in people:
        await sim.play_by_typing(sim.to_move())


async def asks_to_abort(sim: SimGuild, person: MemberActor) -> str:
    """Ask the others to end the match without a result; return the answer."""
    question = private(await person.slash(sim.channel, "tiles match abort"))
    return told(await person.click(question, label="End the match"))


async def sit(
    sim: SimGuild, ada: MemberActor, grace: MemberActor, hand: str = HANDS[0], *, by_hand: bool = False
) -> None:
    """Seat both where Ada has opened and Grace is to play."""
    opening = ("U0,0=555",) if by_hand else ()
    log, _ = played(dealt(rules("triominoes"), hand, HANDS[1], by_hand=by_hand), *opening)
    await seated(sim, log, ada, grace)


async def play(sim: SimGuild, person: MemberActor, tile: str) -> Message:
    place = (await person.autocomplete(sim.channel, "tiles play", "place", "", tile=tile))[0]["value"]
    return private(await person.slash(sim.channel, "tiles play", tile=tile, place=place))


async def undoable(
    sim: SimGuild, ada: MemberActor, grace: MemberActor, hand: str = HANDS[0], *, by_hand: bool = False
) -> Message:
    """Let Grace play 1-5-5 after Ada's opening, and return the answer, which has the undo button."""
    await sit(sim, ada, grace, hand, by_hand=by_hand)
    return await play(sim, grace, "1-5-5")


async def ask_to_undo(sim: SimGuild, ada: MemberActor, grace: MemberActor) -> None:
    """Let Grace and Ada place a tile each, and Grace ask for hers back."""
    await undoable(sim, ada, grace)
    await play(sim, ada, "3-5-5")
    offer = private(await grace.slash(sim.channel, "tiles undo"))
    assert told(await grace.click(offer, label="Ask the others")).startswith(en("agree.asked"))
