"""The pages of a review: the table at a decisive moment, or a hand with the best move."""

from collections.abc import Sequence

from bot.core.names import SeatNames
from bot.reviews.views import ReviewPage, ReviewPages
from bot.tables.board_views import format_full_board_alt
from bot.tables.hand_views import build_picture_words
from bot.tables.move_labels import MoveNotes, clip_text, format_points, format_tile, strip_markdown
from bot.tables.past_match import Replay, format_replay_alt, format_replay_lines, render_replay
from bot.tables.service import Table
from data.words import Words
from engine.board.tiles import Tile, format_tile_notation
from engine.match.actions import Action, Play
from engine.match.events import Dealt
from engine.match.player_view import Move, PlayerView, view_for
from engine.record.text import format_choice
from engine.reviews.findings import LuckyDraw
from render.canvas.picture import Captions
from render.table.hand import render_hand


def format_labels(pages: ReviewPages, names: SeatNames, words: Words) -> list[str]:
    rounds = {point.at: point.round for point in pages.review.curve}
    labels = [
        words("review.moment_label", number=number, round=rounds.get(at, 1))
        for number, at in enumerate(pages.moments, 1)
    ]
    for choice in pages.choices:
        label, points = words(f"review.{choice.label}"), _format_points(choice.cost, words)
        facts = {"label": label, "name": names.plain[choice.seat], "round": choice.round, "points": points}
        labels.append(words("review.choice_label", **facts))
    return labels + ([words("review.draws")] if pages.draws_page else [])


def _format_points(value: float, words: Words) -> str:
    return words("count.points", n=max(1, round(value)))


def build_moment_page(
    past: Replay, pages: ReviewPages, page: int, after: Table, names: SeatNames, words: Words, scheme: str
) -> ReviewPage:
    """Return the page of a decisive moment: the table after it, and how the expectation changed."""
    at, event_log = pages.moments[page - 1], after.event_log
    assert event_log is not None
    theme, curve = after.terms.theme, pages.review.curve
    dealt = isinstance(past.events[at], Dealt)
    lines = [words("replay.dealt")] if dealt else format_replay_lines(event_log, names, words, theme)
    step = next((step for step, point in enumerate(curve) if point.at == at), None)
    if step is not None:
        before = _find_values_before_turn(past, pages, step)
        for name, was, now in zip(names.escaped, before, curve[step].ahead, strict=True):
            before_text, after_text = (format_points(round(ahead)) for ahead in (was, now))
            lines.append(words("review.swing", name=name, before=before_text, after=after_text))
        lines.append(words("review.swing_means"))
    facts = {"number": page, "of": len(pages.moments), "round": event_log.match.round}
    image = render_replay(event_log, names, words, theme, scheme)
    return ReviewPage(words("review.moment", **facts), lines, image, format_replay_alt(event_log, names, words))


def _find_values_before_turn(past: Replay, pages: ReviewPages, step: int) -> Sequence[float]:
    """Return the curve before the turn that ends with this step, that is before all steps of its seat in a row."""
    events, curve = past.events, pages.review.curve
    seat = getattr(events[curve[step].at], "seat", None)
    while step and seat is not None and getattr(events[curve[step - 1].at], "seat", None) == seat:
        step -= 1
    return curve[step - 1].ahead if step else (0.0,) * len(curve[0].ahead)


def build_choice_page(
    pages: ReviewPages, page: int, before: Table, names: SeatNames, words: Words, scheme: str
) -> ReviewPage:
    """Return the page of a costly choice: its seat's view with the best move, and the move that was made."""
    choice = pages.get_choice(page)
    view, theme = view_for(before.match, choice.seat), before.terms.theme
    notes, name = MoveNotes(words, view, theme), names.escaped[choice.seat]
    made, best = (_find_move(view, action) for action in (choice.made, choice.best))
    label = words(f"review.{choice.label}")
    lines = [
        words("review.made", name=f"**{name}**", move=_format_action(words, view, notes, choice.made, theme)),
        words("review.best", move=_format_action(words, view, notes, choice.best, theme)),
        words("review.costs", points=f"**{_format_points(choice.cost, words)}**", error=_round_error(choice.error)),
    ]
    if choice.missed_hexagons:
        lines.append(words("review.missed_hexagon", n=choice.missed_hexagons))
    if choice.missed_bridge:
        lines.append(words("review.missed_bridge"))
    lines.append(words("review.worlds", name=name, n=choice.worlds))
    facts = {"number": page - len(pages.moments), "of": len(pages.choices), "round": choice.round}
    heading = Captions(
        title=words("replay.round", round=choice.round),
        subtitle=words("review.best", move=format_tile(best.placement.tile)) if best else "",
        turn=words("review.caption", name=names.picture_names[choice.seat], label=label),
        note=_format_points(choice.cost, words),
    )
    image = render_hand(
        view,
        names.picture_names,
        heading,
        words=build_picture_words(view, words),
        letters={move.placement.cell for move in (made, best) if move is not None},
        picked=None if best is None else best.placement.tile,
        ghost=None if best is None else best.placement,
        theme=theme,
        scheme=scheme,
    )
    alt = _format_alt(lines[:3], before, choice.seat, names, words)
    return ReviewPage(words("review.choice", label=label, **facts), lines, image, alt)


def _format_alt(summary: Sequence[str], table: Table, seat: int, names: SeatNames, words: Words) -> str:
    """Return the summary, the hand of the seat and the board as the alt text of a picture."""
    own_seat = view_for(table.match, seat).own_seat
    tiles = " ".join(format_tile_notation(tile) for tile in sorted(own_seat.hand or ())) if own_seat else ""
    hand = words("alt.hand_of", name=names.plain[seat], tiles=tiles or words("alt.empty_hand"))
    assert table.event_log is not None
    board = format_full_board_alt(view_for(table.match, None), table.event_log, names, words)
    return clip_text(f"{' '.join(map(strip_markdown, summary))} {hand}. {board}")


def _find_move(view: PlayerView, action: Action) -> Move | None:
    if not isinstance(action, Play):
        return None
    placement = action.tile, action.cell, action.rotation
    return next((move for move in view.moves if move.placement == placement), None)


def _format_action(words: Words, view: PlayerView, notes: MoveNotes, action: Action, theme: str) -> str:
    """Return an action as text: `**5-5-5** at C, left of 3-3-4 (+15)`."""
    move = _find_move(view, action)
    if move is not None:
        text = words("review.placed", tile=format_tile(move.placement.tile, theme), letter=move.letter)
        if not view.tiles:
            text = f"**{format_tile(move.placement.tile, theme)}**"
        location = words("and.comma").join(filter(None, [notes.format_location(move), notes.format_rotation(move)]))
        points = format_points(move.points) if view.rules.scores_tiles else ""
        return " · ".join(filter(None, [text, location, points]))
    return words(f"review.did_{format_choice(action)}")


def build_luckiest_draw_page(
    draws: Sequence[LuckyDraw], tile: Tile, after: Table, names: SeatNames, words: Words, scheme: str
) -> ReviewPage:
    """Return the page of the luckiest draw, from its seat's view; `after` is the table after it."""
    drew = draws[0]
    view, theme = view_for(after.match, drew.seat), after.terms.theme
    tile_label = format_tile(tile, theme)
    lines = [
        words("review.drew", name=f"**{names.escaped[drew.seat]}**", n=drew.tiles, tile=f"**{tile_label}**"),
        words("review.drew_worth", points=f"**{_format_points(drew.ahead, words)}**", error=_round_error(drew.error)),
    ]
    for other in draws[1:]:
        points, error = _format_points(other.ahead, words), _round_error(other.error)
        name = f"**{names.escaped[other.seat]}**"
        lines.append(words("review.drew_best", name=name, round=other.round, points=points, error=error))
    heading = Captions(
        title=words("replay.round", round=drew.round),
        subtitle=words("review.drew_tile", tile=tile_label),
        turn=words("review.caption", name=names.picture_names[drew.seat], label=words("review.draw")),
        note=_format_points(drew.ahead, words),
    )
    image = render_hand(
        view,
        names.picture_names,
        heading,
        words=build_picture_words(view, words),
        letters={move.placement.cell for move in view.moves if move.placement.tile == tile},
        picked=tile,
        theme=theme,
        scheme=scheme,
    )
    alt = _format_alt(lines[:2], after, drew.seat, names, words)
    return ReviewPage(words("review.draw_title", round=drew.round), [*lines, words("review.drew_means")], image, alt)


def _round_error(error: float) -> int:
    return max(1, round(2 * error))
