"""Everything that whoever looks may ask for now: what a player that knows no rules chooses from.

    seen = see(match, match.turn)
    decide(match, rng.choice(legal_actions(seen)), secret)

A simulation has the same in small numbers, for hands that are imagined (`Simulation.moves`).
"""

from engine.actions import Action, Choose, Draw, Pass, Play
from engine.seen import Seen


def legal_actions(seen: Seen) -> tuple[Action, ...]:
    """The actions of the seat that is looking that the rules allow, its placements first, best first.

    It is what `decide` takes, resigning and taking back left out; nothing where it is somebody else's turn or the round
    is over. Never empty while the seat is to act.
    """
    if not seen.my_turn or seen.round_over is not None:
        return ()
    seat = seen.turn
    chosen = [Choose(seat, option) for option in seen.options]
    if seen.reward is not None:
        return tuple(chosen)
    plays = [Play(seat, lies.tile, lies.cell, lies.rotation) for lies in (move.placement for move in seen.moves)]
    if chosen or (plays and not (seen.rules.may_draw_freely and seen.tiles)):
        return (*plays, *chosen)
    if seen.can_draw:
        return (*plays, Draw(seat))
    # Who may draw instead of playing may stay out after it, but not without.
    return (*plays, Pass(seat)) if seen.drawn or not plays else tuple(plays)
