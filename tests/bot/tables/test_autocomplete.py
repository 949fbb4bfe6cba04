"""Autocomplete of `/tiles play`."""

import sqlite3
from contextlib import closing

from sqlalchemy import make_url

from engine.board.tiles import format_tile_notation
from engine.match.player_view import PlayerView, view_for
from tests.bot.member import Member
from tests.bot.messages import read_private_text
from tests.bot.simulated_guild import HEXAGON_DEAL, MIXED_HAND_DEAL, SimGuild
from tests.wording import en


async def start_match(sim: SimGuild, ada: Member, grace: Member) -> PlayerView:
    await sim.start_table(ada, grace, deal=MIXED_HAND_DEAL)
    await sim.play_turns(2)
    match = await sim.replay_match()
    return view_for(match, match.turn)


async def list_choices(sim: SimGuild, person: Member, option: str, typed: str, **filled: str) -> list[tuple[str, str]]:
    choices = await person.autocomplete(sim.channel, "tiles play", option, typed, **filled)
    assert len(choices) <= 25
    assert all(len(choice["name"]) <= 100 and len(choice["value"]) <= 100 for choice in choices)
    return [(choice["name"], choice["value"]) for choice in choices]


async def test_playable_tiles_are_listed_by_points(sim: SimGuild, ada: Member, grace: Member) -> None:
    view = await start_match(sim, ada, grace)
    best: dict[str, int] = {}
    for move in view.moves:
        best.setdefault(format_tile_notation(move.placement.tile), move.points)
    listing = await list_choices(sim, sim.get_called_player(), "tile", "")
    assert [value for _, value in listing] == list(best)
    assert list(best.values()) == sorted(best.values(), reverse=True)
    for name, value in listing:
        places = sum(format_tile_notation(move.placement.tile) == value for move in view.moves)
        assert name == f"{value} · best +{best[value]} · {places} spot{'s' if places > 1 else ''}"


async def test_places_of_typed_tile_are_listed_by_points(sim: SimGuild, ada: Member, grace: Member) -> None:
    view = await start_match(sim, ada, grace)
    for tile in {move.placement.tile for move in view.moves}:
        listing = await list_choices(sim, sim.get_called_player(), "place", "", tile=format_tile_notation(tile))
        expected = [(f"{m.letter} · +{m.points}", m.letter) for m in view.moves if m.placement.tile == tile]
        assert [(" · ".join(name.split(" · ")[:2]), value) for name, value in listing] == expected


async def test_typed_text_filters_tiles_and_places(sim: SimGuild, ada: Member, grace: Member) -> None:
    view = await start_match(sim, ada, grace)
    person = sim.get_called_player()
    all_choices = await list_choices(sim, person, "tile", "")
    target = all_choices[-1][1]
    rotated_tile = "-".join((target.split("-") * 2)[1:4])
    for typed in (target, target.replace("-", ""), target.replace("-", " "), target[:3], rotated_tile):
        assert target in [value for _, value in await list_choices(sim, person, "tile", typed)]
    assert await list_choices(sim, person, "tile", "9") == []
    letter = view.moves[0].letter
    assert await list_choices(
        sim, person, "place", letter.lower(), tile=format_tile_notation(view.moves[0].placement.tile)
    )
    assert await list_choices(sim, person, "place", "zz", tile=target) == []


async def test_places_without_tile_are_listed_once_with_best_points(sim: SimGuild, ada: Member, grace: Member) -> None:
    view = await start_match(sim, ada, grace)
    for unread in ("", "nonsense", "1-2"):
        listing = await list_choices(sim, sim.get_called_player(), "place", "", **({"tile": unread} if unread else {}))
        best: dict[str, int] = {}
        for move in view.moves:
            best.setdefault(move.letter, move.points)
        assert [(" · ".join(name.split(" · ")[:2]), value) for name, value in listing] == [
            (f"{letter} · +{points}", letter) for letter, points in best.items()
        ]


async def test_autocomplete_is_empty_out_of_turn_and_for_watchers(
    sim: SimGuild, ada: Member, grace: Member, linus: Member
) -> None:
    assert await list_choices(sim, ada, "tile", "") == []
    await start_match(sim, ada, grace)
    for person in (sim.get_waiting_player(), linus):
        assert await list_choices(sim, person, "tile", "") == []
        assert await list_choices(sim, person, "place", "", tile="1-2-3") == []
    for option in ("tile", "place"):
        for typed in ("🂠", "'; --", "x" * 100, "²"):
            assert await list_choices(sim, sim.get_called_player(), option, typed) == []


async def test_place_list_names_bonus_after_points(sim: SimGuild, ada: Member, grace: Member) -> None:
    await sim.start_table(ada, grace, deal=HEXAGON_DEAL)
    await sim.play_turns(5)
    match = await sim.replay_match()
    best = view_for(match, match.turn).moves[0]
    listing = await list_choices(
        sim, sim.get_called_player(), "place", "", tile=format_tile_notation(best.placement.tile)
    )
    assert best.hexagons == 1
    name, letter = listing[0]
    assert name.startswith(f"{best.letter} · +{best.points} · {en('hand.move_note_hexagon', n=1)} · between ")
    assert letter == best.letter
    answer = read_private_text(await sim.play_by_typing(sim.get_called_player()))
    assert f"{best.base} + 50 hexagon = **+{best.points}**" in answer
    assert f"{best.base} + 50 hexagon = **+{best.points}**" in sim.read_board()


async def test_autocomplete_does_not_load_finished_match(room: SimGuild, ada: Member, grace: Member) -> None:
    await ada.click(await ada.open_command("tiles match resign"), label="Resign")
    assert (await room.load_head()).state == "done"
    with closing(sqlite3.connect(str(make_url(room.url).database))) as file, file:
        file.execute("UPDATE events SET kind = 'unreadable'")
    assert await list_choices(room, grace, "tile", "") == []
