"""Autocomplete of `/tiles play`."""

import sqlite3
from contextlib import closing

from simcord import MemberActor
from sqlalchemy import make_url

from engine.board.tiles import format_tile_notation
from engine.match.player_view import PlayerView, view_for
from tests.bot.messages import private, told, words_of
from tests.bot.simulated_guild import HEXAGON, LIVELY, SimGuild
from tests.wording import en


async def start_match(sim: SimGuild, ada: MemberActor, grace: MemberActor) -> PlayerView:
    sim.deals.wanted = [LIVELY]
    await sim.table(ada, grace)
    for _ in range(2):
        await sim.play_by_typing(sim.to_move())
    match = await sim.match()
    return view_for(match, match.turn)


async def list_choices(
    sim: SimGuild, person: MemberActor, option: str, typed: str, **filled: str
) -> list[tuple[str, str]]:
    choices = await person.autocomplete(sim.channel, "tiles play", option, typed, **filled)
    assert len(choices) <= 25
    assert all(len(choice["name"]) <= 100 and len(choice["value"]) <= 100 for choice in choices)
    return [(choice["name"], choice["value"]) for choice in choices]


async def test_playable_tiles_are_listed_by_points(sim: SimGuild, ada: MemberActor, grace: MemberActor) -> None:
    seen = await start_match(sim, ada, grace)
    best: dict[str, int] = {}
    for move in seen.moves:
        best.setdefault(format_tile_notation(move.placement.tile), move.points)
    listing = await list_choices(sim, sim.to_move(), "tile", "")
    assert [value for _, value in listing] == list(best)
    assert list(best.values()) == sorted(best.values(), reverse=True)
    for name, value in listing:
        places = sum(format_tile_notation(move.placement.tile) == value for move in seen.moves)
        assert name == f"{value} · best +{best[value]} · {places} spot{'s' if places > 1 else ''}"


async def test_places_of_typed_tile_are_listed_by_points(sim: SimGuild, ada: MemberActor, grace: MemberActor) -> None:
    seen = await start_match(sim, ada, grace)
    for tile in {move.placement.tile for move in seen.moves}:
        listing = await list_choices(sim, sim.to_move(), "place", "", tile=format_tile_notation(tile))
        expected = [(f"{m.letter} · +{m.points}", m.letter) for m in seen.moves if m.placement.tile == tile]
        assert [(" · ".join(name.split(" · ")[:2]), value) for name, value in listing] == expected


async def test_typed_text_filters_tiles_and_places(sim: SimGuild, ada: MemberActor, grace: MemberActor) -> None:
    seen = await start_match(sim, ada, grace)
    person = sim.to_move()
    everything = await list_choices(sim, person, "tile", "")
    target = everything[-1][1]
    turned = "-".join((target.split("-") * 2)[1:4])
    for typed in (target, target.replace("-", ""), target.replace("-", " "), target[:3], turned):
        assert target in [value for _, value in await list_choices(sim, person, "tile", typed)]
    assert await list_choices(sim, person, "tile", "9") == []
    letter = seen.moves[0].letter
    assert await list_choices(
        sim, person, "place", letter.lower(), tile=format_tile_notation(seen.moves[0].placement.tile)
    )
    assert await list_choices(sim, person, "place", "zz", tile=target) == []


async def test_places_without_tile_are_listed_once_with_best_points(
    sim: SimGuild, ada: MemberActor, grace: MemberActor
) -> None:
    seen = await start_match(sim, ada, grace)
    for unread in ("", "nonsense", "1-2"):
        listing = await list_choices(sim, sim.to_move(), "place", "", **({"tile": unread} if unread else {}))
        best: dict[str, int] = {}
        for move in seen.moves:
            best.setdefault(move.letter, move.points)
        assert [(" · ".join(name.split(" · ")[:2]), value) for name, value in listing] == [
            (f"{letter} · +{points}", letter) for letter, points in best.items()
        ]


async def test_autocomplete_is_empty_out_of_turn_and_for_watchers(
    sim: SimGuild, ada: MemberActor, grace: MemberActor, linus: MemberActor
) -> None:
    assert await list_choices(sim, ada, "tile", "") == []
    await start_match(sim, ada, grace)
    for person in (sim.waiting(), linus):
        assert await list_choices(sim, person, "tile", "") == []
        assert await list_choices(sim, person, "place", "", tile="1-2-3") == []
    for option in ("tile", "place"):
        for typed in ("🂠", "'; --", "x" * 100, "²"):
            assert await list_choices(sim, sim.to_move(), option, typed) == []


async def test_place_list_names_bonus_after_points(sim: SimGuild, ada: MemberActor, grace: MemberActor) -> None:
    sim.deals.wanted = [HEXAGON]
    await sim.table(ada, grace)
    for _ in range(5):
        await sim.play_by_typing(sim.to_move())
    match = await sim.match()
    best = view_for(match, match.turn).moves[0]
    listing = await list_choices(sim, sim.to_move(), "place", "", tile=format_tile_notation(best.placement.tile))
    assert best.hexagons == 1
    name, letter = listing[0]
    assert name.startswith(f"{best.letter} · +{best.points} · {en('hand.move_note_hexagon', n=1)} · between ")
    assert letter == best.letter
    played = told(await sim.play_by_typing(sim.to_move()))
    assert f"{best.base} + 50 hexagon = **+{best.points}**" in played
    assert f"{best.base} + 50 hexagon = **+{best.points}**" in words_of(sim.board())


async def test_autocomplete_does_not_load_finished_match(sim: SimGuild, ada: MemberActor, grace: MemberActor) -> None:
    await sim.table(ada, grace)
    await ada.click(private(await ada.slash(sim.channel, "tiles match resign")), label="Resign")
    assert (await sim.head()).state == "done"
    with closing(sqlite3.connect(str(make_url(sim.url).database))) as file, file:
        file.execute("UPDATE events SET kind = 'unreadable'")
    assert await list_choices(sim, grace, "tile", "") == []
