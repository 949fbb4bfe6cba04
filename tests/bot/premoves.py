"""Decide on premoves and check what became of them."""

from simcord import MemberActor

from engine.board.board import Placement
from engine.match.player_view import view_for
from engine.table.table_state import decided, dropped
from tests.bot.house import House
from tests.bot.presses import take_turn
from tests.bot.reading import Menu, Message, menus, private


def offered(hand: Message) -> Menu | None:
    return next((one for one in menus(hand) if one.custom_id.startswith("by:premove")), None)


async def waits(house: House, *people: MemberActor, **options: object) -> tuple[MemberActor, MemberActor]:
    await house.table(*people, **options)
    for _ in range(12):
        mover = await house.turn()
        person = next(one for one in people if one.id != mover.id)
        if await unharmed(house, mover, person):
            return mover, person
        await take_turn(house, mover)
    raise AssertionError("another deal is needed here")


def value_of(lies: Placement) -> str:
    """The value of a move in a menu."""
    return f"{''.join(map(str, lies.tile))}.{lies.cell}.{lies.rotation}"


async def decide(house: House, person: MemberActor, value: str | None = None) -> Message:
    hand = await house.hand(person)
    menu = offered(hand)
    return private(await person.select(hand, [value or menu.options[0].value], custom_id=menu.custom_id))


async def unharmed(house: House, mover: MemberActor, person: MemberActor) -> str:
    table = await house.now()
    seat, theirs = table.seat_of(person.id), table.seat_of(mover.id)
    assert seat is not None
    moves = view_for(table.match, theirs).moves
    if not moves or not view_for(table.match, theirs).tiles:
        return ""
    after = table.match.copy()
    after.board.place(moves[0].placement)
    for move in view_for(table.match, seat).moves:
        if dropped(after, decided(table.match, seat, move.placement)) is None:
            return value_of(move.placement)
    return ""
