"""Questions to everybody at a table."""

from simcord import MemberActor

from data.rulebook import rules
from tests.bot.house import House
from tests.bot.reading import Message, private, told
from tests.bot.stacked import dealt, played, seated
from tests.wording import en

HANDS = ("555 355 014 001", "155 135 133 002")
"""Ada opens with 5-5-5; Grace fits with 1-5-5, then Ada with 3-5-5."""


async def circle(house: House, *people: MemberActor) -> None:
    """Begin a match and play one turn for every player."""
    await house.table(*people)
    for _ in people:
        await house.play_by_typing(house.to_move())


async def asks_to_abort(house: House, person: MemberActor) -> str:
    """Ask the others to end the match without a result; return the answer."""
    question = private(await person.slash(house.channel, "tiles match abort"))
    return told(await person.click(question, label="End the match"))


async def sit(
    house: House, ada: MemberActor, grace: MemberActor, hand: str = HANDS[0], *, by_hand: bool = False
) -> None:
    """Seat both where Ada has opened and Grace is to play."""
    opening = ("U0,0=555",) if by_hand else ()
    log, _ = played(dealt(rules("triominoes"), hand, HANDS[1], by_hand=by_hand), *opening)
    await seated(house, log, ada, grace)


async def play(house: House, person: MemberActor, tile: str) -> Message:
    place = (await person.autocomplete(house.channel, "tiles play", "place", "", tile=tile))[0]["value"]
    return private(await person.slash(house.channel, "tiles play", tile=tile, place=place))


async def undoable(
    house: House, ada: MemberActor, grace: MemberActor, hand: str = HANDS[0], *, by_hand: bool = False
) -> Message:
    """Let Grace play 1-5-5 after Ada's opening, and return the answer, which has the undo button."""
    await sit(house, ada, grace, hand, by_hand=by_hand)
    return await play(house, grace, "1-5-5")


async def ask_to_undo(house: House, ada: MemberActor, grace: MemberActor) -> None:
    """Let Grace and Ada place a tile each, and Grace ask for hers back."""
    await undoable(house, ada, grace)
    await play(house, ada, "3-5-5")
    offer = private(await grace.slash(house.channel, "tiles undo"))
    assert told(await grace.click(offer, label="Ask the others")).startswith(en("agree.asked"))
