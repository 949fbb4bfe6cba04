"""The position of a puzzle as whoever solves it sees it, with what they have chosen so far: in a picture and in words.

The table is shown without points (`engine.puzzles.unmarked`): nothing tells what a move would bring.
"""

from dataclasses import dataclass
from datetime import date, datetime
from typing import Self

from bot.service.daily import PARTED, Daily
from bot.views import alt_text
from bot.views.names import Names
from bot.views.times import day_text
from data.rulebook import games
from data.words import Words
from engine.puzzles.position import after
from engine.puzzles.puzzle import offered_numbers, proposal, solution
from engine.puzzles.unmarked import unmarked
from engine.record.text import parse_placement
from engine.seen import Move, Seen, see
from render import Captions, HandWords, Picture, hand_picture


@dataclass(frozen=True, slots=True)
class PuzzleChoice:
    """What a button or menu of a puzzle is about: the game, its day, and what its reader has chosen so far."""

    game: str
    day: date
    line: tuple[str, ...] = ()

    def __str__(self) -> str:
        return PARTED.join([self.game, self.day.strftime("%Y%m%d"), *self.line])

    @classmethod
    def parsed(cls, text: str) -> Self | None:
        """The same out of an id; None for one that we never made."""
        game, *more = text.split(PARTED)
        if game not in games() or not more or not (more[0].isascii() and more[0].isdecimal() and len(more[0]) == 8):
            return None
        try:
            return cls(game, datetime.strptime(more[0], "%Y%m%d").date(), tuple(more[1:]))  # noqa: DTZ007 - a day
        except ValueError:
            return None


@dataclass(frozen=True, slots=True)
class Chosen:
    """What somebody has chosen so far, and what they see of it."""

    asked: PuzzleChoice
    number: str
    """Of points, where these are counted; empty for none yet."""
    shown: Seen
    """Without what moves would bring; the last tile chosen lies on it, unless it is the ghost."""
    ghost: Move | None
    """The last tile, where nothing is left to be chosen."""
    complete: bool
    stuck: bool
    """Whether no further tile fits though there should be one."""


def chosen_of(daily: Daily, asked: PuzzleChoice) -> Chosen:
    """What this choice shows. Raises RuleBroken, ValueError for one that cannot be made."""
    match, seat = daily.match, daily.match.turn
    before = see(match, seat)
    if daily.puzzle.kind == "count":
        number = asked.line[0] if asked.line else ""
        if number and number not in map(str, offered_numbers(match)):
            raise ValueError(f"{number!r} is not among the numbers")
        return Chosen(asked, number, unmarked(before, before), None, bool(number), stuck=False)
    if len(asked.line) > daily.puzzle.steps:
        raise ValueError("so many tiles are not asked for")
    line = tuple(parse_placement(text, match.rules) for text in asked.line)
    tried = proposal(daily.puzzle, match, line)
    lies = line[:-1] if tried.complete else line
    stands = proposal(daily.puzzle, match, lies).match
    shown = unmarked(see(stands, seat), before)
    ghost = (
        next((move for move in shown.moves if line and move.placement == line[-1]), None) if tried.complete else None
    )
    stuck = tried.complete and daily.puzzle.kind == "out" and len(line) < daily.puzzle.steps
    return Chosen(asked, "", shown, ghost, tried.complete, stuck)


def seat_names(words: Words) -> Names:
    """What the two seats are called: nobody sat there."""
    both = (words("daily.player", n=1), words("daily.player", n=2))
    return Names(both, both)


def daily_picture(daily: Daily, chosen: Chosen, words: Words, scheme: str) -> Picture:
    """The table and the hand, with the last tile where it would lie."""
    held = {move.placement.tile for move in chosen.shown.moves}
    many = chosen.shown.mine.tiles if chosen.shown.mine else 0
    return hand_picture(
        chosen.shown,
        seat_names(words).pictured,
        _captions(daily, chosen.shown, words),
        said=HandWords(words("hand.what_fits"), words("hand.fitting", n=len(held), held=many)),
        ghost=chosen.ghost.placement if chosen.ghost else None,
        scheme=scheme,
    )


def _captions(daily: Daily, seen: Seen, words: Words) -> Captions:
    return Captions(
        title=words(f"game.{daily.game}"),
        subtitle=words("daily.seat", name=seat_names(words).plain[seen.turn]),
        turn=words(f"daily.kind_{daily.puzzle.kind}"),
        note=day_text(words, daily.begins_at),
    )


def daily_alt(daily: Daily, chosen: Chosen, words: Words) -> str:
    """The picture in words, to be solved from these alone."""
    board = alt_text.board_alt(words, chosen.shown, seat_names(words).plain, ())
    return alt_text.hand_alt(words, chosen.shown, board, "daily.fits")


def solved_position(daily: Daily) -> Chosen:
    """What the end of a puzzle shows: its answer, the last tile as a ghost."""
    line = solution(daily.puzzle, daily.match.rules)
    match, seat, before = daily.match, daily.match.turn, see(daily.match, daily.match.turn)
    for placement in line[:-1]:
        match = after(match, placement)
    shown = unmarked(see(match, seat), before)
    ghost = next(move for move in shown.moves if move.placement == line[-1])
    return Chosen(PuzzleChoice(daily.game, daily.day), "", shown, ghost, True, stuck=False)
