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

from bot.computers.hints import format_reason
from bot.core.environment import to_epoch_ms
from bot.core.formats import format_day
from bot.core.layout import (
    CALM_COLOUR,
    GOLD,
    CustomId,
    Item,
    build_button,
    build_layout,
    build_menu,
    build_primary_button,
    build_rows,
    build_select_options,
    format_timestamp,
)
from bot.core.names import SeatNames
from bot.core.pictures import build_gallery
from bot.core.safe_text import escape_text
from bot.puzzles.service import SEPARATOR, DailyPuzzle, PuzzleStanding
from bot.tables import board_text
from bot.tables.move_labels import MoveNotes, format_arithmetic, format_tile
from bot.tables.ratings import compute_points
from data.rulebook import list_games
from data.store.puzzles.tries import MAX_TRIES, PuzzleTry
from data.weights import load_weights
from data.words import Words
from engine.board.board import Placement
from engine.match.actions import Play
from engine.match.player_view import Move, PlayerView, view_for
from engine.players.hint_reasons import build_hint
from engine.players.prospects import is_valued_in_wins
from engine.puzzles.position import hide_scores, play_tile
from engine.puzzles.puzzle import HEXAGONS, build_proposal, compute_max_points, list_offered_numbers, parse_solution
from engine.record.text import parse_placement
from engine.table.terms import DAY
from render.canvas.picture import Captions, Picture
from render.puzzles.picture import PuzzleCard, render_puzzle_card
from render.table.hand import HandWords, render_hand


@dataclass(frozen=True, slots=True)
class PuzzleChoice:
    """What a button or menu of a puzzle refers to: the game, its day, and the reader's choices."""

    game: str
    day: date
    line: tuple[str, ...] = ()

    def __str__(self) -> str:
        return SEPARATOR.join([self.game, self.day.strftime("%Y%m%d"), *self.line])

    def build_id(self, verb: str, number: int = 0) -> CustomId:
        return CustomId(verb, number, argument=str(self))

    @classmethod
    def parse(cls, text: str) -> Self | None:
        """Parse a button's argument; None if it is not ours."""
        game, _, more = text.partition(SEPARATOR)
        day, *line = more.split(SEPARATOR)
        if game not in list_games() or not (day.isascii() and day.isdecimal() and len(day) == 8):
            return None
        try:
            return cls(game, datetime.strptime(day, "%Y%m%d").date(), tuple(line))  # noqa: DTZ007 - a day
        except ValueError:
            return None


@dataclass(frozen=True, slots=True)
class PuzzlePosition:
    choice: PuzzleChoice
    number: str  # the chosen points, if the puzzle asks for points; may be empty
    view: PlayerView  # the table with the chosen tiles except the ghost, without what moves would bring
    ghost: Move | None  # the last tile, once all is chosen
    is_complete: bool
    is_stuck: bool  # whether no tile fits though more are needed


def build_position(daily: DailyPuzzle, choice: PuzzleChoice) -> PuzzlePosition:
    """Return the position of a choice. Raises RuleError, ValueError for an impossible one."""
    match, seat = daily.match, daily.match.turn
    before = view_for(match, seat)
    if daily.puzzle.kind == "count":
        number = choice.line[0] if choice.line else ""
        if number and number not in map(str, list_offered_numbers(match)):
            raise ValueError(f"{number!r} is not among the numbers")
        return PuzzlePosition(choice, number, hide_scores(before, before), None, bool(number), is_stuck=False)
    if len(choice.line) > daily.puzzle.steps:
        raise ValueError("so many tiles are not asked for")
    line = tuple(parse_placement(text, match.rules) for text in choice.line)
    proposed = build_proposal(daily.puzzle, match, line)
    placed = line[:-1] if proposed.complete else line
    match_now = build_proposal(daily.puzzle, match, placed).match
    view = hide_scores(view_for(match_now, seat), before)
    last = line[-1] if line and proposed.complete else None
    ghost = next((move for move in view.moves if move.placement == last), None)
    is_stuck = proposed.complete and daily.puzzle.kind == "out" and len(line) < daily.puzzle.steps
    return PuzzlePosition(choice, "", view, ghost, proposed.complete, is_stuck)


def build_seat_names(words: Words) -> SeatNames:
    names = (words("daily.player", n=1), words("daily.player", n=2))
    return SeatNames(names, names)


def render_puzzle(daily: DailyPuzzle, position: PuzzlePosition, words: Words, scheme: str) -> Picture:
    fitting = {move.placement.tile for move in position.view.moves}
    hand_size = position.view.own_seat.tiles if position.view.own_seat else 0
    captions = Captions(
        title=words(f"game.{daily.game}"),
        subtitle=words("daily.seat", name=build_seat_names(words).plain[position.view.turn]),
        turn=words(f"daily.kind_{daily.puzzle.kind}"),
        note=format_day(words, daily.begins_at),
    )
    return render_hand(
        position.view,
        build_seat_names(words).picture_names,
        captions,
        words=HandWords(words("hand.what_fits"), words("hand.fitting", n=len(fitting), held=hand_size)),
        ghost=position.ghost.placement if position.ghost else None,
        scheme=scheme,
    )


def format_alt_text(daily: DailyPuzzle, position: PuzzlePosition, words: Words) -> str:
    board = board_text.format_board_alt(words, position.view, build_seat_names(words).plain, ())
    return board_text.format_hand_alt(words, position.view, board, "daily.fits")


def build_solved_position(daily: DailyPuzzle) -> PuzzlePosition:
    """Return the position with the answer, its last tile as a ghost."""
    line = parse_solution(daily.puzzle, daily.match.rules)
    match, seat, before = daily.match, daily.match.turn, view_for(daily.match, daily.match.turn)
    for placement in line[:-1]:
        match = play_tile(match, placement)
    view = hide_scores(view_for(match, seat), before)
    ghost = next(move for move in view.moves if move.placement == line[-1])
    return PuzzlePosition(PuzzleChoice(daily.game, daily.day), "", view, ghost, True, is_stuck=False)


DAILY_FILE: Final = "puzzle.png"
MENU_SIZE: Final = 25
MAX_MENUS: Final = 2


def build_open_view(
    daily: DailyPuzzle,
    standing: PuzzleStanding,
    position: PuzzlePosition,
    words: Words,
    alt: str,
    *,
    is_late: bool = False,
    note: str = "",
    text: bool = False,
) -> ui.LayoutView:
    """Return an open puzzle. It is `is_late` if its day is over; as `text` it has no picture."""
    attempt = standing.attempt
    lines = [format_title(daily, words), words(f"daily.task_{daily.puzzle.kind}"), *([note] if note else [])]
    lines += _format_attempts(daily, attempt, words, is_late=is_late)
    board: Item = build_gallery(DAILY_FILE, alt)
    if text:
        board = ui.TextDisplay(board_text.format_text_board(words, position.view, build_seat_names(words).escaped, ()))
    controls = [*_build_menus(daily, position, words), *_build_buttons(daily, standing, position, words)]
    return build_layout(ui.TextDisplay("\n".join(lines)), board, *controls, colour=GOLD)


def format_title(daily: DailyPuzzle, words: Words) -> str:
    facts = {"day": format_day(words, daily.begins_at), "game": words(f"game.{daily.game}")}
    return f"### {words('daily.title', **facts)}"


def _format_attempts(daily: DailyPuzzle, attempt: PuzzleTry, words: Words, *, is_late: bool) -> list[str]:
    lines = [words("daily.not_it", answer=format_answer(daily, answer, words)) for answer in attempt.answers]
    if attempt.hinted:
        lines.append(format_hint(daily, words))
    tries = words("daily.tries", n=attempt.tries_left)
    if not attempt.counted:
        note = words("daily.practice", tries=tries)
    elif is_late:
        note = words("daily.counts_late", tries=tries, until=format_timestamp(daily.closes_at, "f"))
    else:
        note = words("daily.counts", tries=tries, until=format_timestamp(daily.begins_at + DAY))
    return [*lines, f"-# {note}"]


def _build_menus(daily: DailyPuzzle, position: PuzzlePosition, words: Words) -> list[Item]:
    if position.is_complete:
        return []
    if daily.puzzle.kind == "count":
        options = [
            discord.SelectOption(label=words("count.points", n=number), value=str(number))
            for number in list_offered_numbers(daily.match)
        ]
        return [build_menu(position.choice.build_id("dailypick"), words("daily.choose_number"), options)]
    notes, options = MoveNotes(words, position.view), []
    for move in position.view.moves:
        label, description = _format_move(move, words), notes.format_note(move) or None
        options.append(discord.SelectOption(label=label, value=str(move.placement), description=description))
    steps, number = daily.puzzle.steps, len(position.choice.line) + 1
    prompt = words("hand.choose") if steps == 1 else words("daily.choose_step", number=number, of=steps)
    pages = [options[start : start + MENU_SIZE] for start in range(0, len(options), MENU_SIZE)][:MAX_MENUS]
    return [build_menu(position.choice.build_id("dailypick", page), prompt, part) for page, part in enumerate(pages, 1)]


def list_click_targets(daily: DailyPuzzle, position: PuzzlePosition) -> list[tuple[str, Placement]]:
    """Return what can be pointed at in the picture: the moves of the menus, or the answer's button; no points."""
    if position.ghost is not None:
        press = position.choice.build_id("dailyanswer")
        return [] if position.is_stuck else [(str(press), position.ghost.placement)]
    if daily.puzzle.kind == "count":
        return []
    return [(str(move.placement), move.placement) for move in position.view.moves[: MENU_SIZE * MAX_MENUS]]


def _build_buttons(daily: DailyPuzzle, standing: PuzzleStanding, position: PuzzlePosition, words: Words) -> list[Item]:
    choice, items = position.choice, list[Item]()
    press = choice.build_id("dailyanswer")
    if position.number:
        items.append(ui.TextDisplay(words("daily.you_say", answer=words("count.points", n=int(position.number)))))
    elif position.ghost is not None:
        location = MoveNotes(words, position.view).format_location(position.ghost)
        answer = " · ".join(filter(None, [format_answer(daily, SEPARATOR.join(choice.line), words), location]))
        text = words("daily.stuck") if position.is_stuck else words("daily.you_say", answer=answer)
        items.append(ui.TextDisplay(text))
    buttons = []
    if position.is_complete and not position.is_stuck:
        buttons.append(build_button(words("daily.give"), press, style=discord.ButtonStyle.success))
    elif daily.puzzle.kind == "hexagons" and len(choice.line) == HEXAGONS - 1:
        buttons.append(build_button(words("daily.give_one"), press))
    if choice.line:
        back = replace(choice, line=choice.line[:-1])
        buttons.append(build_button(words("hand.back"), back.build_id("daily")))
    if not standing.attempt.hinted:
        buttons.append(build_button(words("daily.hint"), replace(choice, line=()).build_id("dailyhint")))
    buttons.append(build_button(words("hand.text"), choice.build_id("dailytext")))
    return [*items, *build_rows(buttons)]


def format_hint(daily: DailyPuzzle, words: Words) -> str:
    """Return a part of the answer: its place if the puzzle asks for a move, else its tile."""
    first = _list_answer_moves(daily)[0]
    if daily.puzzle.kind in ("best", "hexagons"):
        return words("hint.look_letter", letter=first.letter)
    return words("daily.hint_tile", tile=format_tile(first.placement.tile))


def format_answer(daily: DailyPuzzle, answer: str, words: Words) -> str:
    """Return an answer as text: `3-3-4 at G` for each tile, or points."""
    if daily.puzzle.kind == "count":
        return words("count.points", n=int(answer))
    line = tuple(parse_placement(text, daily.match.rules) for text in answer.split(SEPARATOR))
    return words("and.comma").join(_format_move(move, words) for move in _list_moves(daily, line))


def _format_move(move: Move, words: Words) -> str:
    return words("hand.move", tile=format_tile(move.placement.tile), letter=move.letter)


def _list_moves(daily: DailyPuzzle, line: tuple[Placement, ...]) -> tuple[Move, ...]:
    return build_proposal(daily.puzzle, daily.match, line).moves if daily.puzzle.steps else ()


def _list_answer_moves(daily: DailyPuzzle) -> tuple[Move, ...]:
    """Return the moves of the answer; if points are asked for, the move that scores them."""
    line = parse_solution(daily.puzzle, daily.match.rules)
    if daily.puzzle.steps:
        return _list_moves(daily, line)
    return tuple(move for move in view_for(daily.match, daily.match.turn).moves if move.placement == line[0])


def build_end_view(
    daily: DailyPuzzle,
    standing: PuzzleStanding,
    words: Words,
    alt: str,
    *,
    can_share: bool,
    table: Sequence[str],
    past_days: Sequence[date],
    note: str = "",
) -> ui.LayoutView:
    attempt = standing.attempt
    key = "daily.unsolved" if not attempt.solved else "daily.solved_hinted" if attempt.hinted else "daily.solved"
    outcome = words(key, n=len(attempt.answers))
    lines = [format_title(daily, words), *([note] if note else []), outcome, *format_solution(daily, words)]
    if attempt.counted:
        lines.append(words("daily.streak", n=standing.streak))
    if attempt.counted and standing.rating is not None:
        lines.append(words("daily.rating", points=compute_points(standing.rating)))
    if (puzzle_rating := standing.puzzle_rating) is not None:
        points = compute_points(puzzle_rating.rating)
        lines.append(words("daily.others", n=puzzle_rating.tried, solved=puzzle_rating.solved, points=points))
    items: list[Item] = [ui.TextDisplay("\n".join(lines)[:3000]), build_gallery(DAILY_FILE, alt)]
    if table:
        items.append(ui.TextDisplay("\n".join([words("daily.table"), *table])))
    choice = PuzzleChoice(daily.game, daily.day)
    if can_share:
        items += build_rows([build_primary_button(words("daily.share"), choice.build_id("dailyshare"))])
    others = [day for day in past_days if day != daily.day][:MENU_SIZE]
    if others:
        days = {str(PuzzleChoice(daily.game, day)): format_day(words, to_epoch_ms(day)) for day in others}
        items.append(build_menu(CustomId("dailyday"), words("daily.others_menu"), build_select_options(days, "")))
    games = {str(replace(choice, game=game)): words(f"game.{game}") for game in list_games()}
    items.append(build_menu(CustomId("dailygame"), words("leaders.game"), build_select_options(games, str(choice))))
    return build_layout(*items, colour=GOLD if attempt.solved else CALM_COLOUR)


def format_solution(daily: DailyPuzzle, words: Words) -> list[str]:
    puzzle, moves, match = daily.puzzle, _list_answer_moves(daily), daily.match
    answer = str(compute_max_points(match)) if puzzle.kind == "count" else SEPARATOR.join(puzzle.line)
    lines = [words("daily.answer", answer=format_answer(daily, answer, words))]
    if puzzle.kind in ("count", "bridge", "hexagons"):
        for move in moves:
            calculation = format_arithmetic(words, move, match.rules, opening=False, drawn=0)
            lines.append(f"- {words('and.colon', what=_format_move(move, words), more=calculation)}")
    if puzzle.kind == "best":
        view = view_for(match, match.turn)
        placement = moves[0].placement
        advised = build_hint(view, Play(view.turn, placement.tile, placement.cell, placement.rotation))
        lines += [f"- {format_reason(view, words, reason, build_seat_names(words))}" for reason in advised.reasons]
        margin = int(puzzle.margin)
        lines.append(f"- {words('daily.leads', margin=margin, worlds=puzzle.deal_count)}")
        if is_valued_in_wins(match.rules, load_weights(match.rules)):
            lines.append(words("review.one_deal"))
    return lines


PUZZLE_CARD_FILE: Final = "card.png"
MISS, HIT, HINT = "🔺", "🟢", "💡"
_NAME: Final = "\0"


def format_table_row(rank: int, attempt: PuzzleTry, name: str, words: Words) -> str:
    """Return a line of the table of the day: `1. Ada 🔺🟢`."""
    return words("daily.row", place=rank, name=name, marks=format_marks(attempt))


def format_marks(attempt: PuzzleTry) -> str:
    """Return signs for the tries: a triangle for each miss, a circle for the solution."""
    return MISS * _count_misses(attempt) + (HIT if attempt.solved else "") + (HINT if attempt.hinted else "")


def build_card(
    daily: DailyPuzzle, standing: PuzzleStanding, plain_name: str, words: Words, alt: str, table: Sequence[str]
) -> ui.LayoutView:
    """Return the card for the channel. `plain` is the user's unescaped name."""
    lines = [format_title(daily, words), words(f"daily.kind_{daily.puzzle.kind}"), _format_result(standing, words)]
    lines[-1] = lines[-1].replace(_NAME, escape_text(plain_name))
    if standing.streak > 1:
        lines.append(words("daily.streak_of", n=standing.streak))
    items = [ui.TextDisplay("\n".join(lines)), build_gallery(PUZZLE_CARD_FILE, alt)]
    if table:
        items.append(ui.TextDisplay("\n".join([words("daily.table"), *table])))
    solve = build_primary_button(words("daily.solve"), PuzzleChoice(daily.game, daily.day).build_id("daily"))
    return build_layout(*items, *build_rows([solve]), colour=GOLD)


def render_card(
    daily: DailyPuzzle, standing: PuzzleStanding, plain_name: str, words: Words, scheme: str
) -> tuple[Picture, str]:
    """Return the picture of the card and its alt text."""
    attempt, title = standing.attempt, format_title(daily, words).removeprefix("### ")
    kind = words(f"daily.kind_{daily.puzzle.kind}")
    streak = words("daily.streak_of", n=standing.streak) if standing.streak > 1 else ""
    card = PuzzleCard(
        title=title,
        kind=kind,
        name=plain_name,
        miss_count=_count_misses(attempt),
        is_solved=bool(attempt.solved),
        has_hint=attempt.hinted,
        max_tries=MAX_TRIES,
        streak=streak,
        streak_days=standing.streak,
    )
    result = _format_result(standing, words).replace(f"**{_NAME}**", plain_name)
    hint_note = words("daily.hint_taken") if attempt.hinted else ""
    alt = ". ".join(part.removesuffix(".") for part in (title, kind, result, hint_note, streak) if part)
    return render_puzzle_card(card, scheme=scheme), f"{alt}."


def _count_misses(attempt: PuzzleTry) -> int:
    return len(attempt.answers) - int(bool(attempt.solved))


def _format_result(standing: PuzzleStanding, words: Words) -> str:
    """Return the result, with `_NAME` for the name."""
    attempt = standing.attempt
    facts = {"name": _NAME, "marks": format_marks(attempt), "most": MAX_TRIES, "n": len(attempt.answers)}
    return words("daily.card_solved" if attempt.solved else "daily.card_unsolved", **facts)
