"""The lists that Discord fills in while somebody types `/tiles play`."""

import sqlite3
from contextlib import closing

from simcord import MemberActor
from sqlalchemy import make_url

from engine.board.tiles import tile_text
from engine.match.player_view import PlayerView, view_for
from tests.bot.house import HEXAGON, LIVELY, House
from tests.bot.reading import private, told, words_of
from tests.wording import en


async def running(house: House, ada: MemberActor, grace: MemberActor) -> PlayerView:
    house.deals.wanted = [LIVELY]
    await house.table(ada, grace)
    for _ in range(2):
        await house.play_by_typing(house.to_move())
    match = await house.match()
    return view_for(match, match.turn)


async def listed(house: House, person: MemberActor, option: str, typed: str, **filled: str) -> list[tuple[str, str]]:
    choices = await person.autocomplete(house.channel, "tiles play", option, typed, **filled)
    assert len(choices) <= 25
    assert all(len(choice["name"]) <= 100 and len(choice["value"]) <= 100 for choice in choices)
    return [(choice["name"], choice["value"]) for choice in choices]


async def test_tiles_that_fit_are_listed_best_first_with_their_points(
    house: House, ada: MemberActor, grace: MemberActor
) -> None:
    seen = await running(house, ada, grace)
    best: dict[str, int] = {}
    for move in seen.moves:
        best.setdefault(tile_text(move.placement.tile), move.points)
    listing = await listed(house, house.to_move(), "tile", "")
    assert [value for _, value in listing] == list(best)
    assert list(best.values()) == sorted(best.values(), reverse=True)
    for name, value in listing:
        places = sum(tile_text(move.placement.tile) == value for move in seen.moves)
        assert name == f"{value} · best +{best[value]} · {places} place{'s' if places > 1 else ''}"


async def test_places_of_typed_tile_are_listed_best_first(house: House, ada: MemberActor, grace: MemberActor) -> None:
    seen = await running(house, ada, grace)
    for tile in {move.placement.tile for move in seen.moves}:
        listing = await listed(house, house.to_move(), "place", "", tile=tile_text(tile))
        expected = [(f"{m.letter} · +{m.points}", m.letter) for m in seen.moves if m.placement.tile == tile]
        assert [(" · ".join(name.split(" · ")[:2]), value) for name, value in listing] == expected


async def test_what_is_typed_filters_both_lists(house: House, ada: MemberActor, grace: MemberActor) -> None:
    seen = await running(house, ada, grace)
    person = house.to_move()
    everything = await listed(house, person, "tile", "")
    target = everything[-1][1]
    turned = "-".join((target.split("-") * 2)[1:4])
    for typed in (target, target.replace("-", ""), target.replace("-", " "), target[:3], turned):
        assert target in [value for _, value in await listed(house, person, "tile", typed)]
    assert await listed(house, person, "tile", "9") == []
    letter = seen.moves[0].letter
    assert await listed(house, person, "place", letter.lower(), tile=tile_text(seen.moves[0].placement.tile))
    assert await listed(house, person, "place", "zz", tile=target) == []


async def test_without_tile_each_place_is_listed_once_with_best_it_can_make(
    house: House, ada: MemberActor, grace: MemberActor
) -> None:
    seen = await running(house, ada, grace)
    for unread in ("", "nonsense", "1-2"):
        listing = await listed(house, house.to_move(), "place", "", **({"tile": unread} if unread else {}))
        best: dict[str, int] = {}
        for move in seen.moves:
            best.setdefault(move.letter, move.points)
        assert [(" · ".join(name.split(" · ")[:2]), value) for name, value in listing] == [
            (f"{letter} · +{points}", letter) for letter, points in best.items()
        ]


async def test_nothing_is_listed_out_of_turn_for_watchers_or_without_match(
    house: House, ada: MemberActor, grace: MemberActor, linus: MemberActor
) -> None:
    assert await listed(house, ada, "tile", "") == []
    await running(house, ada, grace)
    for person in (house.waiting(), linus):
        assert await listed(house, person, "tile", "") == []
        assert await listed(house, person, "place", "", tile="1-2-3") == []
    for option in ("tile", "place"):
        for typed in ("🂠", "'; --", "x" * 100, "²"):
            assert await listed(house, house.to_move(), option, typed) == []


async def test_bonuses_are_named_behind_points(house: House, ada: MemberActor, grace: MemberActor) -> None:
    house.deals.wanted = [HEXAGON]
    await house.table(ada, grace)
    for _ in range(5):
        await house.play_by_typing(house.to_move())
    match = await house.match()
    best = view_for(match, match.turn).moves[0]
    listing = await listed(house, house.to_move(), "place", "", tile=tile_text(best.placement.tile))
    assert best.hexagons == 1
    name, letter = listing[0]
    assert name.startswith(f"{best.letter} · +{best.points} · {en('hand.move_note_hexagon', n=1)} · between ")
    assert letter == best.letter
    played = told(await house.play_by_typing(house.to_move()))
    assert f"{best.base} + 50 hexagon = **+{best.points}**" in played
    assert f"{best.base} + 50 hexagon = **+{best.points}**" in words_of(house.board())


async def test_match_that_is_over_is_not_read_again_with_every_key(
    house: House, ada: MemberActor, grace: MemberActor
) -> None:
    await house.table(ada, grace)
    await ada.click(private(await ada.slash(house.channel, "tiles match resign")), label="Resign")
    assert (await house.head()).state == "done"
    with closing(sqlite3.connect(str(make_url(house.url).database))) as file, file:
        file.execute("UPDATE events SET kind = 'unreadable'")
    assert await listed(house, grace, "tile", "") == []
