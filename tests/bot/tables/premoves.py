"""Choose premoves in the hand."""

from engine.board.board import Placement
from engine.match.player_view import view_for
from engine.table.table_state import create_premove, find_drop_reason
from tests.bot.member import Member
from tests.bot.messages import Menu, Message, list_menus
from tests.bot.simulated_guild import SimGuild
from tests.bot.tables.greedy_clicks import take_turn


def find_premove_menu(hand: Message) -> Menu | None:
    return next((one for one in list_menus(hand) if one.custom_id.startswith("by:premove")), None)


async def start_with_possible_premove(sim: SimGuild, *members: Member, **options: object) -> tuple[Member, Member]:
    await sim.start_table(*members, **options)
    for _ in range(12):
        mover = await sim.load_turn_player()
        person = next(one for one in members if one.id != mover.id)
        if await find_safe_premove(sim, mover, person):
            return mover, person
        await take_turn(sim, mover)
    raise AssertionError("another deal is needed here")


def format_menu_value(placement: Placement) -> str:
    """Return the menu value of a move."""
    return f"{''.join(map(str, placement.tile))}.{placement.cell}.{placement.rotation}"


async def choose_premove(sim: SimGuild, person: Member, value: str | None = None) -> Message:
    hand = await sim.open_hand(person)
    menu = find_premove_menu(hand)
    return await person.open_select(hand, value or menu.options[0].value, custom_id=menu.custom_id)


async def find_safe_premove(sim: SimGuild, mover: Member, person: Member) -> str:
    table = await sim.load_table()
    seat, mover_seat = table.find_seat(person.id), table.find_seat(mover.id)
    assert seat is not None
    moves = view_for(table.match, mover_seat).moves
    if not moves or not view_for(table.match, mover_seat).tiles:
        return ""
    after = table.match.copy()
    after.board.place(moves[0].placement)
    for move in view_for(table.match, seat).moves:
        if find_drop_reason(after, create_premove(table.match, seat, move.placement)) is None:
            return format_menu_value(move.placement)
    return ""
