"""Premoves as people make them: chosen in their own hand while others play, played by themselves, nobody else knows."""

import json
import re
from types import SimpleNamespace

import pytest
from simcord import MemberActor

from bot.core.component_items import pressed
from bot.core.layout import Press
from bot.tables.hand_views import IF_AWAY
from bot.tables.move_labels import tile_name
from data.store.connection.store_errors import Stale
from data.store.log.match_values import Change
from engine.board.board import Placement
from engine.match.events import Placed
from engine.match.player_view import view_for
from engine.table.table_events import Rearmed, TurnBegan
from engine.table.table_state import decided, dropped
from tests.bot.house import House
from tests.bot.premoves import decide, offered, unharmed, value_of, waits
from tests.bot.presses import take_turn
from tests.bot.reading import button_ids, private, told, words_of
from tests.bot.stranger import Stranger
from tests.bot.traces import forget, traces
from tests.wording import en, says


async def send(house: House, person: MemberActor, press: Press, values: list[str] | None = None) -> str:
    user = SimpleNamespace(id=person.id, display_name="X")
    data = {"custom_id": str(press), "values": values or []}
    asked = Stranger(house.client, user, house.guild.id, house.channel.id, data=data)
    await pressed(asked)  # type: ignore[arg-type]
    return asked.heard[-1] if asked.heard else ""


async def harmed(house: House, mover: MemberActor, person: MemberActor) -> tuple[str, Placement] | None:
    table = await house.now()
    seat = table.seat_of(person.id)
    assert seat is not None
    for theirs in view_for(table.match, table.seat_of(mover.id)).moves:
        after = table.match.copy()
        after.board.place(theirs.placement)
        for move in view_for(table.match, seat).moves:
            if dropped(after, decided(table.match, seat, move.placement)) == "place":
                return value_of(move.placement), theirs.placement
    return None


async def test_premove_is_played_as_soon_as_move_before_it_stands(
    house: House, ada: MemberActor, grace: MemberActor
) -> None:
    mover, person = await waits(house, ada, grace)
    before = [words_of(message) for message in house.public()]
    shown = words_of(await decide(house, person, await unharmed(house, mover, person)))
    assert re.search(r"\*\*Premove:\*\* [\d-]+ at [A-Z]+\. It is played as soon as it is your turn", shown)
    assert [words_of(message) for message in house.public()] == before, "nobody else learns of it"
    calls = len(house.calls())
    await house.play_by_menu(mover, stands=False)
    assert (await house.now()).state.unsettled is not None
    assert len((await house.match()).board.placed) == len((await house.now()).match.board.placed)

    await house.wait(seconds=25)

    log = [entry.event for entry in (await house.loaded()).log]
    last = max(number for number, event in enumerate(log) if isinstance(event, Placed))
    assert log[last - 1] == TurnBegan((await house.now()).seat_of(person.id), log[last - 1].height)  # type: ignore[union-attr, arg-type]
    assert f"**{person.name.title()}** played" in words_of(house.board())
    assert person.id not in [one.id for message in house.calls()[calls:] for one in message.mentions]
    hand = await house.hand(person)
    assert says(words_of(hand), "premove.played")
    assert "Undo" in button_ids(hand), "it can be taken back like any other"
    back = words_of(private(await person.click(hand, label="Undo")))
    assert "You took back" in back
    assert "Your premove" not in back


async def test_it_is_cancelled_and_changed_at_any_time_before(
    house: House, ada: MemberActor, grace: MemberActor
) -> None:
    mover, person = await waits(house, ada, grace)
    first = await decide(house, person)
    menu = offered(first)
    again = private(await person.select(first, [menu.options[-1].value], custom_id=menu.custom_id))
    assert words_of(again).count("**Premove:**") == 1
    gone = private(await person.click(again, label="Cancel premove"))
    assert says(words_of(gone), "premove.cancelled")
    assert "Cancel premove" not in button_ids(gone)
    height = len((await house.match()).board.placed)
    await house.play_by_menu(mover)
    assert len((await house.match()).board.placed) == height + 1


async def test_it_is_dropped_with_word_when_its_place_is_taken(
    house: House, ada: MemberActor, grace: MemberActor
) -> None:
    mover, person = await waits(house, ada, grace)
    found = None
    for _ in range(30):
        found = await harmed(house, mover, person)
        if found is not None:
            break
        await take_turn(house, mover)
        mover = await house.turn()
        person = next(one for one in (ada, grace) if one.id != mover.id)
    assert found is not None
    value, taken = found
    await decide(house, person, value)
    tile = "-".join(map(str, taken.tile))
    await mover.slash(house.channel, "tiles play", tile=tile, place=f"{taken.cell}.{taken.rotation}")
    await house.wait(seconds=25)
    hand = words_of(await house.hand(person))
    assert "### Your turn" in hand
    assert says(hand, "premove.place")
    assert house.to_move().id == person.id, "they are called as ever"
    assert "Your premove" not in words_of(await house.play_by_menu(person))


async def test_nobody_decides_for_another_nor_on_their_own_turn_nor_on_what_is_not_theirs(
    house: House, ada: MemberActor, grace: MemberActor, linus: MemberActor
) -> None:
    mover, person = await waits(house, ada, grace)
    head = await house.head()
    table = await house.now()
    theirs = view_for(table.match, table.seat_of(mover.id)).moves[0].placement
    value = value_of(theirs)
    press = Press("premove", head.match_id, head.seq)
    await send(house, mover, press, [value])
    assert "You are watching" in await send(house, linus, press, [value])
    for forged in (value, "999.U0,0.0", "345.Z9.9", "nonsense", "", "345", IF_AWAY + "x"):
        await send(house, person, press, [forged])
    await send(house, person, Press("premove", head.match_id, 1), [IF_AWAY])
    assert (await house.now()).premoves == {}


async def test_computer_plays_for_somebody_only_where_no_rating_is_at_stake(
    house: House, ada: MemberActor, grace: MemberActor
) -> None:
    _, person = await waits(house, ada, grace)
    menu = offered(await house.hand(person))
    assert IF_AWAY not in [one.value for one in menu.options]
    head = await house.head()
    await send(house, person, Press("premove", head.match_id, head.seq), [IF_AWAY])
    assert (await house.now()).premoves == {}


async def test_at_unrated_table_it_does_and_says_so(house: House, ada: MemberActor, grace: MemberActor) -> None:
    mover, person = await waits(house, ada, grace, rated=False)
    shown = words_of(await decide(house, person, IF_AWAY))
    assert says(shown, "premove.armed_most")
    height = len((await house.match()).board.placed)
    await house.play_by_menu(mover, stands=False)
    await house.wait(seconds=25)
    assert len((await house.match()).board.placed) >= height + 2
    assert says(words_of(await house.hand(person)), "premove.played", tile="whatever scores most")


async def test_in_quad_ominos_one_says_beforehand_what_is_taken_for_bonus(
    house: House, ada: MemberActor, grace: MemberActor
) -> None:
    await house.table(ada, grace, game="quad-ominos")
    for _ in range(30):
        table = await house.now()
        person = next(one for one in (ada, grace) if one.id != table.turn_user())
        seat = table.seat_of(person.id)
        moves = [move for move in view_for(table.match, seat).moves if move.reward is not None]
        if moves:
            break
        await take_turn(house, await house.turn())
    lies = moves[0].placement
    hand = await house.hand(person)
    menu = offered(hand)
    value = value_of(lies)
    if value not in [one.value for one in menu.options]:
        hand = private(await person.select(hand, [value.split(".")[0]], custom_id=menu.custom_id))
        menu = offered(hand)
        assert menu is not None
    asked = private(await person.select(hand, [value], custom_id=menu.custom_id))
    assert says(words_of(asked), "premove.choose_then")
    assert "Ask me then" in button_ids(asked)
    armed = private(await person.click(asked, label="+25 points"))
    assert says(words_of(armed), "premove.then_points")
    assert (await house.now()).premoves[person.id].then == "points"


async def test_tile_whose_places_are_wanted_is_named_as_table_shows_it(
    house: House, ada: MemberActor, grace: MemberActor
) -> None:
    _, person = await waits(house, ada, grace, theme="picture")
    table = await house.now()
    seat = table.seat_of(person.id)
    assert seat is not None
    tile = table.match.legal(seat)[0].tile
    wanted = Press("premove", table.head.match_id, table.head.seq, "".join(map(str, tile)))
    menu = offered(private(await person.click(await house.post(str(wanted)), label="Button 0")))
    assert menu.placeholder == en("premove.menu_place", tile=tile_name(tile, "picture"))


async def test_deleting_ones_data_takes_it_along_and_export_has_it(
    house: House, ada: MemberActor, grace: MemberActor
) -> None:
    _, person = await waits(house, ada, grace)
    await decide(house, person)
    answer = private(await person.slash(house.channel, "tiles data export"))
    held = json.loads(await answer.attachments[0].read())
    assert len(held["premoves"]) == 1
    await forget(house, person)
    assert traces(house, person) == []


async def test_whoever_acts_on_table_without_knowing_of_it_finds_that_out(
    house: House, ada: MemberActor, grace: MemberActor
) -> None:
    _, person = await waits(house, ada, grace)
    table = await house.now()
    seat = table.seat_of(person.id)
    assert seat is not None
    move = view_for(table.match, seat).moves[0].placement
    await house.store.matches.arm(table.head, person.id, decided(table.match, seat, move))
    late = Change(match_id=table.head.match_id, expected_seq=table.head.seq, decided_on=table.head, events=[Rearmed()])
    with pytest.raises(Stale):
        await house.store.matches.commit(late, now=house.clock())
    assert (await house.now()).premoves.keys() == {person.id}


async def test_end_of_match_leaves_none(house: House, ada: MemberActor, grace: MemberActor) -> None:
    mover, person = await waits(house, ada, grace)
    await decide(house, person)
    await mover.click(private(await mover.slash(house.channel, "tiles match resign")), label="Resign")
    assert (await house.head()).state == "done"
    assert "premoves" not in traces(house, person)


async def test_text_of_table_tells_its_owner_and_nobody_else(
    house: House, ada: MemberActor, grace: MemberActor
) -> None:
    mover, person = await waits(house, ada, grace)
    await decide(house, person)
    assert "**Premove:**" in told(await person.slash(house.channel, "tiles board", text=True))
    assert "Premove" not in told(await mover.slash(house.channel, "tiles board", text=True))
