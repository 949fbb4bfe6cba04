"""What a private picture says of itself: all that its menu offers, and nothing else."""

import pytest

from bot.views.hand import move_options
from bot.views.moves import by_tile, tile_token
from bot.views.pointing import pointed
from data.store import Head
from data.words import words
from engine.seen import see
from render import hand_picture
from tests.bot.pointing import read_targets
from tests.render.tables import CAPTIONS, GAMES, NAMES, of


def head() -> Head:
    return Head(**dict.fromkeys(Head.__dataclass_fields__, None) | {"match_id": 7, "seq": 12})  # type: ignore[arg-type]


@pytest.mark.parametrize("game", GAMES)
def test_each_choice_of_the_menu_has_its_tile_and_its_place_and_no_other_is_told(game: str) -> None:
    match = of(game, 10)
    seen = see(match, match.turn)
    assert seen.my_turn
    picture = hand_picture(seen, NAMES, CAPTIONS)
    found = read_targets(pointed(picture, head(), seen, seen.moves, tiles_first=False, chosen=None))
    if not seen.moves:
        assert found is None or found["targets"] == []
        return
    assert found is not None
    assert [value for value, *_ in found["targets"]] == [
        one.value for one in move_options(words(), seen, seen.moves, "classic")
    ]
    for (_, tile, place, turned), move in zip(found["targets"], seen.moves, strict=True):
        lies = move.placement
        assert isinstance(tile, int)
        assert isinstance(place, int)
        assert (seen.mine.hand or ())[tile] == lies.tile if seen.mine else False
        assert list(picture.spots.places)[place] == lies.cell
        shown = {int(corner): label for corner, label in zip(str(turned), lies.tile, strict=True)}
        assert tuple(shown[corner] for corner in range(len(shown))) == lies.shown
    first = found["targets"][0]
    chosen = read_targets(pointed(picture, head(), seen, [], tiles_first=False, chosen=seen.moves[0]))
    assert chosen is not None
    assert chosen["targets"] == [[f"by:play:7:12|{first[0]}", *first[1:]]]
    tiles = read_targets(pointed(picture, head(), seen, seen.moves, tiles_first=True, chosen=None))
    assert tiles is not None
    assert [target[0] for target in tiles["targets"]] == [tile_token(one.tile) for one in by_tile(seen)]


def test_whoever_waits_is_told_of_no_choice() -> None:
    match = of("triominoes", 10)
    seen = see(match, (match.turn + 1) % 4)
    picture = hand_picture(seen, NAMES, CAPTIONS)
    assert read_targets(pointed(picture, head(), seen, seen.moves, tiles_first=False, chosen=None)) is None
