"""The views of the puzzle of the day.

Before its end nothing shows what a move would bring: the table has no points (`engine.puzzles.position`), menus are
sorted by tile and letter, and ids hold only the reader's own choices.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime
from typing import Final, Self

import discord
from discord import ui

from bot.computers.hints import reason_text
from bot.core.environment import ms
from bot.core.formats import day_text, moment
from bot.core.layout import CALM_COLOUR, GOLD, Item, Press, button, layout, menu, primary, rows, select_options
from bot.core.names import Names
from bot.core.pictures import picture
from bot.core.safe_text import safe
from bot.puzzles.service import PARTED, Daily, PuzzleStanding
from bot.tables import board_text
from bot.tables.move_labels import MoveNotes, arithmetic, tile_name
from bot.tables.ratings import points
from data.rulebook import games
from data.store.puzzles.tries import MOST_TRIES, PuzzleTry
from data.weights import weights
from data.words import Words
from engine.board.board import Placement
from engine.match.actions import Play
from engine.match.player_view import Move, PlayerView, view_for
from engine.players.hint_reasons import hint
from engine.players.prospects import counts_wins
from engine.puzzles.position import after, unmarked
from engine.puzzles.puzzle import HEXAGONS, most_points, offered_numbers, proposal, solution
from engine.record.text import parse_placement
from render.canvas.picture import Captions, Picture
from render.puzzles.picture import PuzzleCard, puzzle_card
from render.table.hand import HandWords, hand_picture


@dataclass(frozen=True, slots=True)
class PuzzleChoice:
    """What a button or menu of a puzzle refers to: the game, its day, and the reader's choices."""

    game: str
    day: date
    line: tuple[str, ...] = ()

    def __str__(self) -> str:
        return PARTED.join([self.game, self.day.strftime("%Y%m%d"), *self.line])

    @classmethod
    def parsed(cls, text: str) -> Self | None:
        """Parse a button's argument; None if it is not ours."""
        game, *more = text.split(PARTED)
        if game not in games() or not more or not (more[0].isascii() and more[0].isdecimal() and len(more[0]) == 8):
            return None
        try:
            return cls(game, datetime.strptime(more[0], "%Y%m%d").date(), tuple(more[1:]))  # noqa: DTZ007 - a day
        except ValueError:
            return None


@dataclass(frozen=True, slots=True)
class Chosen:
    asked: PuzzleChoice
    number: str  # the chosen points, if the puzzle asks for points; may be empty
    shown: PlayerView  # the table with the chosen tiles except the ghost, without what moves would bring
    ghost: Move | None  # the last tile, once all is chosen
    complete: bool
    stuck: bool  # whether no tile fits though more are needed


def chosen_of(daily: Daily, asked: PuzzleChoice) -> Chosen:
    """Return the position of a choice. Raises RuleBroken, ValueError for an impossible one."""
    match, seat = daily.match, daily.match.turn
    before = view_for(match, seat)
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
    shown = unmarked(view_for(stands, seat), before)
    ghost = (
        next((move for move in shown.moves if line and move.placement == line[-1]), None) if tried.complete else None
    )
    stuck = tried.complete and daily.puzzle.kind == "out" and len(line) < daily.puzzle.steps
    return Chosen(asked, "", shown, ghost, tried.complete, stuck)


def seat_names(words: Words) -> Names:
    both = (words("daily.player", n=1), words("daily.player", n=2))
    return Names(both, both)


def daily_picture(daily: Daily, chosen: Chosen, words: Words, scheme: str) -> Picture:
    held = {move.placement.tile for move in chosen.shown.moves}
    many = chosen.shown.mine.tiles if chosen.shown.mine else 0
    captions = Captions(
        title=words(f"game.{daily.game}"),
        subtitle=words("daily.seat", name=seat_names(words).plain[chosen.shown.turn]),
        turn=words(f"daily.kind_{daily.puzzle.kind}"),
        note=day_text(words, daily.begins_at),
    )
    return hand_picture(
        chosen.shown,
        seat_names(words).pictured,
        captions,
        said=HandWords(words("hand.what_fits"), words("hand.fitting", n=len(held), held=many)),
        ghost=chosen.ghost.placement if chosen.ghost else None,
        scheme=scheme,
    )


def daily_alt(daily: Daily, chosen: Chosen, words: Words) -> str:
    board = board_text.board_alt(words, chosen.shown, seat_names(words).plain, ())
    return board_text.hand_alt(words, chosen.shown, board, "daily.fits")


def solved_position(daily: Daily) -> Chosen:
    """Return the position with the answer, its last tile as a ghost."""
    line = solution(daily.puzzle, daily.match.rules)
    match, seat, before = daily.match, daily.match.turn, view_for(daily.match, daily.match.turn)
    for placement in line[:-1]:
        match = after(match, placement)
    shown = unmarked(view_for(match, seat), before)
    ghost = next(move for move in shown.moves if move.placement == line[-1])
    return Chosen(PuzzleChoice(daily.game, daily.day), "", shown, ghost, True, stuck=False)


DAILY_FILE: Final = "puzzle.png"
MENU: Final = 25
MENUS: Final = 2


def open_view(
    daily: Daily,
    standing: PuzzleStanding,
    chosen: Chosen,
    words: Words,
    alt: str,
    *,
    late: bool = False,
    note: str = "",
    text: bool = False,
) -> ui.LayoutView:
    """Return an open puzzle. It is `late` if its day is over; as `text` it has no picture."""
    tried = standing.tried
    lines = [puzzle_title(daily, words), words(f"daily.task_{daily.puzzle.kind}"), *([note] if note else [])]
    lines += _so_far(daily, tried, words, late=late)
    items: list[Item] = [ui.TextDisplay("\n".join(lines))]
    if text:
        items.append(ui.TextDisplay(board_text.text_board(words, chosen.shown, seat_names(words).safe, ())))
    else:
        items.append(picture(DAILY_FILE, alt))
    return layout(*items, *_choices(daily, chosen, words), *_buttons(daily, standing, chosen, words), colour=GOLD)


def puzzle_title(daily: Daily, words: Words) -> str:
    facts = {"day": day_text(words, daily.begins_at), "game": words(f"game.{daily.game}")}
    return f"### {words('daily.title', **facts)}"


def _so_far(daily: Daily, tried: PuzzleTry, words: Words, *, late: bool) -> list[str]:
    lines = [words("daily.not_it", answer=answer_text(daily, answer, words)) for answer in tried.answers]
    if tried.hinted:
        lines.append(hint_text(daily, words))
    tries = words("daily.tries", n=tried.left)
    if tried.counted and late:
        return [*lines, f"-# {words('daily.counts_late', tries=tries, until=moment(daily.closes_at, 'f'))}"]
    if tried.counted:
        return [*lines, f"-# {words('daily.counts', tries=tries, until=moment(ms(daily.day) + 86_400_000))}"]
    return [*lines, f"-# {words('daily.practice', tries=tries)}"]


def _choices(daily: Daily, chosen: Chosen, words: Words) -> list[Item]:
    if chosen.complete:
        return []
    if daily.puzzle.kind == "count":
        options = [
            discord.SelectOption(label=words("count.points", n=number), value=str(number))
            for number in offered_numbers(daily.match)
        ]
        return [menu(Press("dailypick", argument=str(chosen.asked)), words("daily.choose_number"), options)]
    notes, options = MoveNotes(words, chosen.shown), []
    for move in chosen.shown.moves:
        label = words("hand.move", tile=tile_name(move.placement.tile), letter=move.letter)
        about = notes.under(move) or None
        options.append(discord.SelectOption(label=label, value=str(move.placement), description=about))
    steps, number = daily.puzzle.steps, len(chosen.asked.line) + 1
    prompt = words("hand.choose") if steps == 1 else words("daily.choose_step", number=number, of=steps)
    pages = [options[start : start + MENU] for start in range(0, len(options), MENU)][:MENUS]
    return [
        menu(Press("dailypick", page, argument=str(chosen.asked)), prompt, part) for page, part in enumerate(pages, 1)
    ]


def pointable(daily: Daily, chosen: Chosen) -> list[tuple[str, Placement]]:
    """Return what can be pointed at in the picture: the moves of the menus, or the answer's button; no points."""
    if chosen.ghost is not None:
        gives = str(Press("dailyanswer", argument=str(chosen.asked)))
        return [] if chosen.stuck else [(gives, chosen.ghost.placement)]
    if daily.puzzle.kind == "count":
        return []
    return [(str(move.placement), move.placement) for move in chosen.shown.moves[: MENU * MENUS]]


def _buttons(daily: Daily, standing: PuzzleStanding, chosen: Chosen, words: Words) -> list[Item]:
    asked, items = chosen.asked, list[Item]()
    gives = Press("dailyanswer", argument=str(asked))
    if chosen.number:
        items.append(ui.TextDisplay(words("daily.you_say", answer=words("count.points", n=int(chosen.number)))))
    elif chosen.ghost is not None:
        where = MoveNotes(words, chosen.shown).where(chosen.ghost)
        told = " · ".join(filter(None, [answer_text(daily, PARTED.join(asked.line), words), where]))
        items.append(ui.TextDisplay(words("daily.stuck") if chosen.stuck else words("daily.you_say", answer=told)))
    buttons = []
    if chosen.complete and not chosen.stuck:
        buttons.append(button(words("daily.give"), gives, style=discord.ButtonStyle.success))
    elif daily.puzzle.kind == "hexagons" and len(asked.line) == HEXAGONS - 1:
        buttons.append(button(words("daily.give_one"), gives))
    if asked.line:
        back = replace(asked, line=asked.line[:-1])
        buttons.append(button(words("hand.back"), Press("daily", argument=str(back))))
    if not standing.tried.hinted:
        buttons.append(button(words("daily.hint"), Press("dailyhint", argument=str(replace(asked, line=())))))
    buttons.append(button(words("hand.text"), Press("dailytext", argument=str(asked))))
    return [*items, *rows(buttons)]


def hint_text(daily: Daily, words: Words) -> str:
    """Return a part of the answer: its place if the puzzle asks for a move, else its tile."""
    first = _moves(daily)[0]
    if daily.puzzle.kind in ("best", "hexagons"):
        return words("hint.look_letter", letter=first.letter)
    return words("daily.hint_tile", tile=tile_name(first.placement.tile))


def answer_text(daily: Daily, answer: str, words: Words) -> str:
    """Return an answer as text: `3-3-4 at G` for each tile, or points."""
    if daily.puzzle.kind == "count":
        return words("count.points", n=int(answer))
    line = tuple(parse_placement(text, daily.match.rules) for text in answer.split(PARTED))
    told = [words("hand.move", tile=tile_name(move.placement.tile), letter=move.letter) for move in _made(daily, line)]
    return words("and.comma").join(told)


def _made(daily: Daily, line: tuple[Placement, ...]) -> tuple[Move, ...]:
    return proposal(daily.puzzle, daily.match, line).moves if daily.puzzle.steps else ()


def _moves(daily: Daily) -> tuple[Move, ...]:
    """Return the moves of the answer; if points are asked for, the move that scores them."""
    line = solution(daily.puzzle, daily.match.rules)
    if daily.puzzle.steps:
        return _made(daily, line)
    return tuple(move for move in view_for(daily.match, daily.match.turn).moves if move.placement == line[0])


def end_view(
    daily: Daily,
    standing: PuzzleStanding,
    words: Words,
    alt: str,
    *,
    shares: bool,
    table: Sequence[str],
    past: Sequence[date],
    note: str = "",
) -> ui.LayoutView:
    tried = standing.tried
    key = "daily.unsolved" if not tried.solved else "daily.solved_hinted" if tried.hinted else "daily.solved"
    outcome = words(key, n=len(tried.answers))
    lines = [puzzle_title(daily, words), *([note] if note else []), outcome, *reasons_of(daily, words)]
    if tried.counted:
        lines.append(words("daily.streak", n=standing.streak))
    if tried.counted and standing.rating is not None:
        lines.append(words("daily.rating", points=points(standing.rating)))
    if standing.hardness is not None:
        known = standing.hardness
        lines.append(words("daily.others", n=known.tried, solved=known.solved, points=points(known.rating)))
    told: list[Item] = [ui.TextDisplay("\n".join(lines)[:3000]), picture(DAILY_FILE, alt)]
    if table:
        told.append(ui.TextDisplay("\n".join([words("daily.table"), *table])))
    here = PuzzleChoice(daily.game, daily.day)
    if shares:
        told += rows([primary(words("daily.share"), Press("dailyshare", argument=str(here)))])
    others = [day for day in past if day != daily.day][:MENU]
    if others:
        days = {str(PuzzleChoice(daily.game, day)): day_text(words, ms(day)) for day in others}
        told.append(menu(Press("dailyday"), words("daily.others_menu"), select_options(days, "")))
    named = {str(replace(here, game=game)): words(f"game.{game}") for game in games()}
    told.append(menu(Press("dailygame"), words("leaders.game"), select_options(named, str(here))))
    return layout(*told, colour=GOLD if tried.solved else CALM_COLOUR)


def reasons_of(daily: Daily, words: Words) -> list[str]:
    puzzle, moves, match = daily.puzzle, _moves(daily), daily.match
    line = PARTED.join(puzzle.line)
    if puzzle.kind == "count":
        told = [words("daily.answer", answer=words("count.points", n=most_points(match)))]
    else:
        told = [words("daily.answer", answer=answer_text(daily, line, words))]
    if puzzle.kind in ("count", "bridge", "hexagons"):
        for move in moves:
            sums = arithmetic(words, move, match.rules, tile=move.placement.tile, opening=False, drawn=0)
            what = words("hand.move", tile=tile_name(move.placement.tile), letter=move.letter)
            told.append(f"- {words('and.colon', what=what, more=sums)}")
    if puzzle.kind == "best":
        seen = view_for(match, match.turn)
        lies = moves[0].placement
        found = hint(seen, Play(seen.turn, lies.tile, lies.cell, lies.rotation))
        told += [f"- {reason_text(seen, words, reason, seat_names(words))}" for reason in found.reasons]
        margin = int(puzzle.margin)
        told.append(f"- {words('daily.leads', margin=margin, worlds=puzzle.worlds)}")
        if counts_wins(match.rules, weights(match.rules)):
            told.append(words("review.one_deal"))
    return told


PUZZLE_CARD_FILE: Final = "card.png"
MISS, HIT, HINT = "🔺", "🟢", "💡"
_NAME: Final = "\0"


def table_row(place: int, tried: PuzzleTry, name: str, words: Words) -> str:
    """Return a line of the table of the day: `1. Ada 🔺🟢`."""
    return words("daily.row", place=place, name=name, marks=marks_of(tried))


def marks_of(tried: PuzzleTry) -> str:
    """Return signs for the tries: a triangle for each miss, a circle for the solution."""
    return MISS * _missed(tried) + (HIT if tried.solved else "") + (HINT if tried.hinted else "")


def daily_card(
    daily: Daily, standing: PuzzleStanding, plain: str, words: Words, alt: str, table: Sequence[str]
) -> ui.LayoutView:
    """Return the card for the channel. `plain` is the user's unescaped name."""
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
    """Return the picture of the card and its alt text."""
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
    """Return the result, with `_NAME` for the name."""
    tried = standing.tried
    facts = {"name": _NAME, "marks": marks_of(tried), "most": MOST_TRIES, "n": len(tried.answers)}
    return words("daily.card_solved" if tried.solved else "daily.card_unsolved", **facts)
