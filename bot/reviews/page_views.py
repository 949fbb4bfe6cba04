"""The pages of a review: the table at a decisive moment, or a hand with the best move."""

from collections.abc import Sequence
from dataclasses import dataclass

from bot.core.names import Names
from bot.reviews.views import Pages
from bot.tables import move_labels
from bot.tables.board_views import board_alt_text
from bot.tables.hand_views import picture_words
from bot.tables.move_labels import MoveNotes, tile_name
from bot.tables.past_match import Replay, replay_alt, replay_lines, replay_picture
from bot.tables.service import Table
from data.words import Words
from engine.board.tiles import Tile, tile_text
from engine.match.actions import Action, Choose, Draw, Play
from engine.match.events import Dealt
from engine.match.player_view import Move, PlayerView, view_for
from engine.reviews.findings import LuckyDraw
from render.canvas.picture import Captions, Picture
from render.table.hand import hand_picture


@dataclass(frozen=True, slots=True)
class ReviewPage:
    title: str
    lines: Sequence[str]
    image: Picture
    alt: str


def labels(pages: Pages, names: Names, words: Words) -> list[str]:
    rounds = {point.at: point.round for point in pages.review.curve}
    moments = [
        words("review.moment_label", number=number, round=rounds.get(at, 1))
        for number, at in enumerate(pages.moments, 1)
    ]
    choices = [
        words(
            "review.choice_label",
            label=words(f"review.{choice.label}"),
            name=names.plain[choice.seat],
            round=choice.round,
            points=_points(choice.cost, words),
        )
        for choice in pages.choices
    ]
    return moments + choices + ([words("review.draws")] if pages.draws_page else [])


def _points(value: float, words: Words) -> str:
    return words("count.points", n=max(1, round(value)))


def moment_leaf(
    past: Replay, pages: Pages, page: int, after: Table, names: Names, words: Words, scheme: str
) -> ReviewPage:
    """Return the page of a decisive moment: the table after it, and how the expectation changed."""
    at, event_log = pages.moments[page - 1], after.event_log
    assert event_log is not None
    theme, curve = after.terms.theme, pages.review.curve
    dealt = isinstance(past.events[at], Dealt)
    lines = [words("replay.dealt")] if dealt else replay_lines(event_log, names, words, theme)
    step = next((step for step, point in enumerate(curve) if point.at == at), None)
    if step is not None:
        before = _before_turn(past, pages, step)
        for name, was, now in zip(names.safe, before, curve[step].ahead, strict=True):
            before_text, after_text = (move_labels.points_text(round(ahead)) for ahead in (was, now))
            lines.append(words("review.swing", name=name, before=before_text, after=after_text))
        lines.append(words("review.swing_means"))
    facts = {"number": page, "of": len(pages.moments), "round": event_log.match.round}
    image = replay_picture(event_log, names, words, theme, scheme)
    return ReviewPage(words("review.moment", **facts), lines, image, replay_alt(event_log, names, words))


def _before_turn(past: Replay, pages: Pages, step: int) -> Sequence[float]:
    """Return the curve before the turn that ends with this step, that is before all steps of its seat in a row."""
    events, curve = past.events, pages.review.curve
    seat = getattr(events[curve[step].at], "seat", None)
    while step and seat is not None and getattr(events[curve[step - 1].at], "seat", None) == seat:
        step -= 1
    return curve[step - 1].ahead if step else (0.0,) * len(curve[0].ahead)


def choice_leaf(pages: Pages, page: int, before: Table, names: Names, words: Words, scheme: str) -> ReviewPage:
    """Return the page of a costly choice: its seat's view with the best move, and the move that was made."""
    choice, event_log = pages.choice(page), before.event_log
    assert event_log is not None
    seen, theme = view_for(before.match, choice.seat), before.terms.theme
    notes, name = MoveNotes(words, seen, theme), names.safe[choice.seat]
    made, best = (_move(seen, action) for action in (choice.made, choice.best))
    label = words(f"review.{choice.label}")
    lines = [
        words("review.made", name=f"**{name}**", move=_deed(words, seen, notes, choice.made, theme)),
        words("review.best", move=_deed(words, seen, notes, choice.best, theme)),
        words("review.costs", points=f"**{_points(choice.cost, words)}**", error=max(1, round(2 * choice.error))),
    ]
    if choice.missed_hexagons:
        lines.append(words("review.missed_hexagon", n=choice.missed_hexagons))
    if choice.missed_bridge:
        lines.append(words("review.missed_bridge"))
    lines.append(words("review.worlds", name=name, n=choice.worlds))
    facts = {"number": page - len(pages.moments), "of": len(pages.choices), "round": choice.round}
    heading = Captions(
        title=words("replay.round", round=choice.round),
        subtitle=words("review.best", move=tile_name(best.placement.tile)) if best else "",
        turn=words("review.caption", name=names.pictured[choice.seat], label=label),
        note=_points(choice.cost, words),
    )
    image = hand_picture(
        seen,
        names.pictured,
        heading,
        said=picture_words(seen, words),
        letters={move.placement.cell for move in (made, best) if move is not None},
        picked=None if best is None else best.placement.tile,
        ghost=None if best is None else best.placement,
        theme=theme,
        scheme=scheme,
    )
    told = " ".join(move_labels.plain(line) for line in lines[:3])
    held = " ".join(tile_text(tile) for tile in sorted(seen.mine.hand or ())) if seen.mine else ""
    hand = words("alt.hand_of", name=names.plain[choice.seat], tiles=held or words("alt.empty_hand"))
    alt = f"{hand}. {board_alt_text(view_for(before.match, None), event_log, names, words)}"
    return ReviewPage(words("review.choice", label=label, **facts), lines, image, move_labels.clipped(f"{told} {alt}"))


def _move(seen: PlayerView, action: Action) -> Move | None:
    if not isinstance(action, Play):
        return None
    where = action.tile, action.cell, action.rotation
    lying = ((move, move.placement) for move in seen.moves)
    return next((move for move, lies in lying if (lies.tile, lies.cell, lies.rotation) == where), None)


def _deed(words: Words, seen: PlayerView, notes: MoveNotes, action: Action, theme: str) -> str:
    """Return an action as text: `**5-5-5** at C, left of 3-3-4 (+15)`."""
    move = _move(seen, action)
    if move is not None:
        told = words("review.placed", tile=tile_name(move.placement.tile, theme), letter=move.letter)
        if not seen.tiles:
            told = f"**{tile_name(move.placement.tile, theme)}**"
        at = words("and.comma").join(filter(None, [notes.where(move), notes.lies(move)]))
        points = move_labels.points_text(move.points) if seen.rules.scores_tiles else ""
        return " · ".join(filter(None, [told, at, points]))
    match action:
        case Choose(option=option):
            return words(f"review.did_{option}")
        case Draw():
            return words("review.did_draw")
        case _:
            return words("review.did_pass")


def luckiest_draw_leaf(
    draws: Sequence[LuckyDraw], tile: Tile, after: Table, names: Names, words: Words, scheme: str
) -> ReviewPage:
    """Return the page of the luckiest draw, from its seat's view; `after` is the table after it."""
    drew, event_log = draws[0], after.event_log
    assert event_log is not None
    seen, theme = view_for(after.match, drew.seat), after.terms.theme
    named = tile_name(tile, theme)
    lines = [
        words("review.drew", name=f"**{names.safe[drew.seat]}**", n=drew.tiles, tile=f"**{named}**"),
        words("review.drew_worth", points=f"**{_points(drew.ahead, words)}**", error=_error(drew)),
    ]
    lines += [
        words(
            "review.drew_best",
            name=f"**{names.safe[other.seat]}**",
            round=other.round,
            points=_points(other.ahead, words),
            error=_error(other),
        )
        for other in draws[1:]
    ]
    heading = Captions(
        title=words("replay.round", round=drew.round),
        subtitle=words("review.drew_tile", tile=named),
        turn=words("review.caption", name=names.pictured[drew.seat], label=words("review.draw")),
        note=_points(drew.ahead, words),
    )
    image = hand_picture(
        seen,
        names.pictured,
        heading,
        said=picture_words(seen, words),
        letters={move.placement.cell for move in seen.moves if move.placement.tile == tile},
        picked=tile,
        theme=theme,
        scheme=scheme,
    )
    held = " ".join(tile_text(tile) for tile in sorted(seen.mine.hand or ())) if seen.mine else ""
    hand = words("alt.hand_of", name=names.plain[drew.seat], tiles=held or words("alt.empty_hand"))
    said = " ".join(move_labels.plain(line) for line in lines[:2])
    alt = move_labels.clipped(f"{said} {hand}. {board_alt_text(view_for(after.match, None), event_log, names, words)}")
    return ReviewPage(words("review.draw_title", round=drew.round), [*lines, words("review.drew_means")], image, alt)


def _error(drew: LuckyDraw) -> int:
    return max(1, round(2 * drew.error))
