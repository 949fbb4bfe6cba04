"""A match at one moment of its record: the table, the hands, and what the seat to act has before it."""

from bot.referee.sentences import counted
from bot.referee.verdicts import RefereeAnswer
from engine.actions import Option
from engine.choosing import options, reward
from engine.match import Match
from engine.record import Rerun
from engine.record.text import position_text, seat_name, tiles_text
from engine.tiles import tile_text


def position(there: Rerun) -> RefereeAnswer:
    """The table as the value `--json` prints. `turn` is null once the round is over.

    `options` are what the seat to act may choose beside placing a tile, `bonus_tiles` the tiles of a bonus that it may
    still place, and `further` says that it has a further turn.
    """
    match = there.match
    over = bool(match.round_over or match.ended)
    return {
        "plays": there.plays,
        "round": match.round,
        "position": position_text(match.board),
        "seats": [
            {"total": seat.total, "hand": [tile_text(tile) for tile in seat.hand], "resigned": seat.resigned}
            for seat in match.seats
        ],
        "boneyard": len(match.boneyard),
        "aside": len(match.aside),
        "turn": None if over else match.turn,
        "drawn": match.drawn,
        "options": [] if over else list(_options(match)),
        "bonus_tiles": match.bonus_tiles,
        "further": match.further,
    }


def position_told(there: Rerun | None, plays: int) -> list[str]:
    """The same in words, the one-line form of the table first."""
    if there is None:
        return [f"Line of play {plays} cannot be reached."]
    match = there.match
    told = [position_text(match.board) or "The table is empty."]
    for place, seat in enumerate(match.seats):
        holds = "resigned" if seat.resigned else f"holds {tiles_text(seat.hand)}"
        told.append(f"{seat_name(place)} {seat.total}, {holds}")
    rest = f"boneyard {len(match.boneyard)}" if match.rules.has_boneyard else f"set aside {len(match.aside)}"
    after = f"After {counted(plays, 'line')} of play, round {match.round}, {rest}"
    if match.ended:
        return [*told, f"{after}: the match is over."]
    if match.round_over:
        return [*told, f"{after}: the round is over."]
    return [*told, f"{after}: {seat_name(match.turn)} {_turn(match)}."]


def _turn(match: Match) -> str:
    if match.choosing:
        bonus = reward(match)
        points, tiles = counted(bonus.points, "point"), counted(bonus.tiles, "more tile")
        possible = "tiles" in options(match)
        return f"takes {points} {'and' if bonus.both else 'or'} {tiles}" if possible else f"takes {points}"
    if match.bonus_tiles:
        return f"may place {counted(match.bonus_tiles, 'more tile')}"
    if match.further:
        return "may take a further turn" if options(match) else "must take a further turn"
    return f"is to play and has drawn {match.drawn}" if match.drawn else "is to play"


def _options(match: Match) -> tuple[Option, ...]:
    """What the seat to act may choose; nothing where the rules give it both, which is only about to be written down."""
    return () if match.choosing and reward(match).both else options(match)
