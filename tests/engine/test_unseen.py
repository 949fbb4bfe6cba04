"""What a seat has not seen: exactly what lies hidden from it, in every game, and told from its own sight alone."""

import pytest

from data.rulebook import games
from engine.seen import see, unseen
from tests.depth import deep
from tests.engine.test_hints import positions


@pytest.mark.parametrize("game", games())
def test_unseen_is_what_the_others_hold_and_the_boneyard_and_what_was_set_aside(game: str) -> None:
    for _, _, match in positions(game, deep(12, 4)):
        for viewer in range(len(match.seats)):
            held = [tile for number, seat in enumerate(match.seats) if number != viewer for tile in seat.hand]
            hidden = [*held, *match.boneyard, *match.aside]
            told = unseen(see(match, viewer))
            assert told == sorted(hidden)
            seen = see(match, viewer)
            others = sum(seat.tiles for seat in seen.seats if seat.seat != viewer)
            assert len(told) == others + seen.boneyard + seen.aside, "as everybody may count"
