"""How somebody did with a puzzle, for everybody: the card, its picture, and the table of the day. None of it tells
anything of the answer.
"""

from collections.abc import Sequence
from typing import Final

from discord import ui

from bot.service.daily import Daily, PuzzleStanding
from bot.views.daily import puzzle_title
from bot.views.harmless import safe
from bot.views.parts import GOLD, Press, layout, primary, rows
from bot.views.pictures import picture
from bot.views.puzzle_position import PuzzleChoice
from data.store.puzzle_tries import MOST_TRIES, PuzzleTry
from data.words import Words
from render import Picture, PuzzleCard, puzzle_card

PUZZLE_CARD_FILE: Final = "card.png"
MISS, HIT, HINT = "🔺", "🟢", "💡"
_NAME: Final = "\0"


def table_row(place: int, tried: PuzzleTry, name: str, words: Words) -> str:
    """A line of the table of the day: `1. Ada 🔺🟢`."""
    return words("daily.row", place=place, name=name, marks=marks_of(tried))


def marks_of(tried: PuzzleTry) -> str:
    """How it went in signs that tell nothing of the answer: a triangle for each miss, a circle for the end."""
    return MISS * _missed(tried) + (HIT if tried.solved else "") + (HINT if tried.hinted else "")


def daily_card(
    daily: Daily, standing: PuzzleStanding, plain: str, words: Words, alt: str, table: Sequence[str]
) -> ui.LayoutView:
    """The card for everybody, of somebody with this name as it is: how it went, with its picture."""
    lines = [puzzle_title(daily, words), words(f"daily.kind_{daily.puzzle.kind}"), _went(standing, words)]
    lines[-1] = lines[-1].replace(_NAME, safe(plain))
    if standing.streak > 1:
        lines.append(words("daily.streak_of", n=standing.streak))
    told = [ui.TextDisplay("\n".join(lines)), picture(PUZZLE_CARD_FILE, alt)]
    if table:
        told.append(ui.TextDisplay("\n".join([words("daily.table"), *table])))
    solve = primary(words("daily.solve"), Press("daily", argument=str(PuzzleChoice(daily.game, daily.day))))
    return layout(*told, *rows([solve]), colour=GOLD)


def card_drawn(daily: Daily, standing: PuzzleStanding, plain: str, words: Words, scheme: str) -> tuple[Picture, str]:
    """The picture of the card, and all of it in words."""
    tried, title = standing.tried, puzzle_title(daily, words).removeprefix("### ")
    kind = words(f"daily.kind_{daily.puzzle.kind}")
    streak = words("daily.streak_of", n=standing.streak) if standing.streak > 1 else ""
    card = PuzzleCard(
        title=title,
        kind=kind,
        name=plain,
        missed=_missed(tried),
        solved=bool(tried.solved),
        hinted=tried.hinted,
        most=MOST_TRIES,
        streak=streak,
        days=standing.streak,
    )
    went = _went(standing, words).replace(f"**{_NAME}**", plain)
    hint = words("daily.hint_taken") if tried.hinted else ""
    alt = ". ".join(part.removesuffix(".") for part in (title, kind, went, hint, streak) if part)
    return puzzle_card(card, scheme=scheme), f"{alt}."


def _missed(tried: PuzzleTry) -> int:
    return len(tried.answers) - int(bool(tried.solved))


def _went(standing: PuzzleStanding, words: Words) -> str:
    """How it went, with `_NAME` where the name stands."""
    tried = standing.tried
    facts = {"name": _NAME, "marks": marks_of(tried), "most": MOST_TRIES, "n": len(tried.answers)}
    return words("daily.card_solved" if tried.solved else "daily.card_unsolved", **facts)
