"""What somebody sees who is to solve a puzzle: the position as it stands, and nothing of what a move would bring."""

from dataclasses import replace

from engine.seen import Move, Seen


def unmarked(seen: Seen, before: Seen) -> Seen:
    """The table without the points, hexagons and bridges of moves, and these in no order that tells anything.

    `before` is what was seen where the puzzle begins: tiles that are tried out have neither scored nor made anything.
    """
    moves = sorted(map(_plain, seen.moves), key=lambda move: (move.placement.tile, _order(seen, move), str(move)))
    seats = tuple(
        replace(then, tiles=now.tiles, hand=now.hand) for then, now in zip(before.seats, seen.seats, strict=True)
    )
    return replace(
        seen,
        moves=tuple(moves),
        seats=seats,
        hexagons=before.hexagons,
        newest=before.newest,
        bridges=before.bridges,
        latched=before.latched,
        last=before.last,
        history=before.history,
    )


def _plain(move: Move) -> Move:
    return replace(move, points=0, base=0, hexagons=0, bridge=False, matched=0, corner=False, beside=None, reward=None)


def _order(seen: Seen, move: Move) -> int:
    """Places come in the order of their letters, of which the later ones have two."""
    return [place.letter for place in seen.places].index(move.letter)
