"""The messages at the end of a round and of a match."""

from collections.abc import Sequence
from operator import itemgetter

from discord import ui

from bot.core.layout import (
    GOLD,
    CustomId,
    Item,
    build_button,
    build_layout,
    build_primary_button,
    build_rows,
    build_text_view,
    format_timestamp,
)
from bot.core.names import SeatNames
from bot.core.pictures import build_gallery
from bot.tables import move_labels
from bot.tables.board_views import BOARD_FILE, build_end_buttons, format_full_board_alt
from bot.tables.move_labels import format_number, format_point_count, format_programs
from bot.tables.ratings import NEWCOMER, compute_change, compute_points, format_certainty
from bot.tables.service import Table
from data.store.results.scores import MIN_PLACED_TILES, Result
from data.words import Words
from engine.board.board import Placement
from engine.board.tiles import format_tile_notation
from engine.match.event_log import EventLog
from engine.match.events import RoundEnded
from engine.match.highlights import Highlight, find_highlight, list_totals
from engine.match.player_view import PlayerView, SeatView
from engine.match.rules import sum_pips
from render.canvas.picture import Picture
from render.table.match_end import DecisiveMove, EndWords, render_match_end

MATCH_FILE = "match.png"


class MatchCard:
    """The card of a finished match in one language: its words, picture and alt text."""

    def __init__(self, view: PlayerView, event_log: EventLog, names: SeatNames, words: Words) -> None:
        assert view.ended is not None
        self._view, self._event_log, self._names, self._words = view, event_log, names, words
        self._ended = view.ended
        self._winners = [seat for seat, place in enumerate(view.ended.places) if place == 1]
        self._highlight = find_highlight(event_log)

    def render(self, *, theme: str, scheme: str) -> Picture:
        names, courses, move = self._names.picture_names, list_totals(self._event_log), self._find_decisive_move()
        return render_match_end(self._view, names, self._build_words(names), courses, move, theme=theme, scheme=scheme)

    def format_alt(self) -> str:
        words, card_words = self._words, self._build_words(self._names.plain)
        ranked = sorted(zip(self._ended.places, self._names.plain, self._view.seats, strict=True), key=itemgetter(0))
        scores = [(place, name, format_point_count(words, seat.total)) for place, name, seat in ranked]
        rows = [words("card.alt_row", place=place, name=name, points=points) for place, name, points in scores]
        move = ""
        if highlight := self._highlight:
            facts = {"move": card_words.move, "effect": card_words.effect, "heading": card_words.decisive}
            move = words("card.alt_move", **facts, points=move_labels.format_points(highlight.points))
        text = words("card.alt", title=card_words.title, subtitle=card_words.subtitle, move=move, rows=", ".join(rows))
        return move_labels.clip_text(" ".join(text.split()))

    def _build_words(self, names: tuple[str, ...]) -> EndWords:
        words, view, highlight, lead = self._words, self._view, self._highlight, self._compute_lead()
        winners = [names[seat] for seat in self._winners]
        title = "card.title" if len(winners) == 1 else "card.title_shared"
        subtitle = "card.subtitle" if view.rules.goal else "card.subtitle_one"
        facts = {"game": words(f"game.{view.rules.game}"), "target": move_labels.format_target(words, view.rules)}
        best = [move_labels.format_points(seat.best) if seat.best else "" for seat in view.seats]
        return EndWords(
            title=words(title, name=winners[0], names=move_labels.format_list(words, winners)),
            subtitle=words(subtitle, **facts, rounds=words("count.rounds", n=view.round)),
            lead=words("card.ahead", points=move_labels.format_number(lead)) if lead else "",
            decisive=words("card.decisive" if highlight and highlight.is_decisive else "card.best_move"),
            move=self._format_move(highlight) if highlight else "",
            effect=self._format_effect(highlight) if highlight else "",
            best=tuple(words("card.best", points=points) if points else "" for points in best),
        )

    def _compute_lead(self) -> int:
        first = self._winners[0]
        others = [total for seat, total in enumerate(self._ended.totals) if seat != first]
        return self._ended.totals[first] - max(others)

    def _format_move(self, highlight: Highlight) -> str:
        tile = format_tile_notation(highlight.placed.tile)
        if highlight.going_out:
            return self._words("card.goes_out", tile=tile)
        if highlight.placed.hexagons:
            return self._words("card.closes", n=highlight.placed.hexagons, tile=tile)
        return self._words("card.bridge", tile=tile) if highlight.placed.bridge else tile

    def _format_effect(self, highlight: Highlight) -> str:
        before, after = move_labels.format_number(highlight.before), move_labels.format_number(highlight.after)
        return self._words("card.effect_leads" if highlight.takes_lead else "card.effect", before=before, after=after)

    def _find_decisive_move(self) -> DecisiveMove | None:
        if self._highlight is None:
            return None
        placed = self._highlight.placed
        visible = [one for one in self._view.tiles if (one.tile, one.cell) == (placed.tile, placed.cell)]
        placement = visible[0] if visible else Placement(placed.tile, placed.cell, placed.rotation)
        return DecisiveMove(placement, self._highlight.points, is_visible=bool(visible))


RECORD_FILE = "match.txt"


def build_round_view(
    match_id: int, event_log: EventLog, names: SeatNames, words: Words, alt: str, opener: int
) -> ui.LayoutView:
    """Show the end of a round with open hands, and who opens the next."""
    ended = event_log.match.round_over
    assert ended is not None
    lines = [f"### {words('round.title', round=ended.round)}", *_format_ending(ended, event_log, names, words)]
    totals = zip(names.escaped, map(format_number, event_log.events[-1].totals), strict=True)
    lines.append(" · ".join(words("round.totals", name=name, total=total) for name, total in totals))
    lines.append(words("round.next", name=names.escaped[opener], round=ended.round + 1))
    lines += names.explain_numbers(words)
    ledger = build_button(words("board.scores"), CustomId("scores", match_id, argument=str(ended.round)))
    items = [build_gallery(BOARD_FILE, alt), *build_rows([ledger])]
    return build_layout(ui.TextDisplay("\n".join(lines)), *items, colour=GOLD)


def _format_ending(ended: RoundEnded, event_log: EventLog, names: SeatNames, words: Words) -> list[str]:
    if ended.out is not None:
        award, bonus = ended.awards[ended.out], event_log.match.rules.out_bonus
        tiles = award - bonus
        key = "round.out" if bonus and tiles else "round.out_bonus" if bonus else "round.out_tiles"
        key, points = key if award else "round.out_bare", move_labels.format_points(award)
        return [words(key, name=names.escaped[ended.out], going_out=bonus, tiles=tiles, points=points)]
    lines = [words("round.blocked")]
    if not any(ended.awards):
        return [*lines, words("round.blocked_none")]
    for seat, award in enumerate(ended.awards):
        # The points come from the tiles of the other hands.
        if award or not event_log.match.seats[seat].resigned:
            key = "round.blocked_award" if award else "round.blocked_held"
            pip_count, points = sum_pips(ended.hands[seat]), move_labels.format_points(award)
            lines.append(words(key, name=names.escaped[seat], held=pip_count, points=points))
    return lines


def build_match_view(
    table: Table,
    view: PlayerView,
    names: SeatNames,
    words: Words,
    alt: str,
    results: tuple[Result, ...],
    extra_items: Sequence[Item],
    *,
    note: str = "",
    lesson: Sequence[str] = (),
    direct: bool = False,
) -> ui.LayoutView:
    """Show the end of the match: ranking, statistics and rating changes, and the items `extra_items` below them.

    In a private message, `note` is the user's last act, and the `lesson` of a guided game replaces the ranking. A
    `direct` message cannot open tables.
    """
    ended, event_log = view.ended, table.event_log
    assert ended is not None
    assert event_log is not None
    winners = [names.escaped[seat] for seat, place in enumerate(ended.places) if place == 1]
    game = words(f"game.{view.rules.game}")
    key = "end.title" if len(winners) == 1 else "end.title_shared"
    lines = [f"## {words(key, game=game, name=winners[0], names=move_labels.format_list(words, winners))}"]
    if event_log.match.round_over is not None:
        lines += _format_ending(event_log.match.round_over, event_log, names, words)
    by_user = {result.user_id: result for result in results}
    for seat in sorted(view.seats, key=lambda seat: ended.places[seat.seat]):
        user_id = table.seats[seat.seat].user_id
        result = by_user.get(user_id) if user_id is not None else None
        facts = {"place": ended.places[seat.seat], "points": move_labels.format_point_count(words, seat.total)}
        facts |= {"facts": _format_achievements(view, seat, words), "rating": _format_rating_change(result, words)}
        left_text = words("end.gone") if seat.resigned else ""
        lines.append(words("end.row", name=names.escaped[seat.seat], gone=left_text, **facts))
    lines += [*_explain_unrated(table, results, names, words), *names.explain_numbers(words)]
    guided, match_id = table.terms.guided, table.head.match_id
    if not guided:
        lines.append(words("fair.at_end"))
    again = CustomId("practice") if guided else CustomId("rematch", match_id)
    first = [build_primary_button(words("lesson.real" if guided else "board.rematch"), again)]
    first += build_end_buttons("guided end" if guided else "end", match_id, words)
    if lesson:
        lines = [*lesson]
        first.append(build_button(words("lesson.again"), CustomId("guide")))
    if note:
        lines.insert(0, note)
    items = [build_gallery(MATCH_FILE, alt), *build_rows(first[1:] if direct else first)]
    if not guided:  # else nothing was shuffled, so there is nothing to check
        scores = build_button(words("board.scores"), CustomId("scores", match_id))
        record = build_button(words("board.record"), CustomId("record", match_id))
        items += build_rows([scores, record, build_button(words("fair.verify"), CustomId("verify", match_id))])
    return build_layout(ui.TextDisplay("\n".join(lines)), *items, *extra_items, colour=GOLD)


def build_sealed_round_view(table: Table, number: int, words: Words) -> ui.LayoutView:
    ledger = build_button(words("board.scores"), CustomId("scores", table.head.match_id, argument=str(number)))
    return build_text_view(f"### {words('round.title', round=number)}\n{words('deal.round')}", ledger, colour=GOLD)


def build_sealed_end_view(table: Table, words: Words) -> ui.LayoutView:
    text = words("deal.over", until=format_timestamp(table.terms.deal_until, "f"))
    scores = build_button(words("board.scores"), CustomId("scores", table.head.match_id))
    return build_text_view(f"### {words('deal.title', deal=table.terms.deal)}\n{text}", scores, colour=GOLD)


def _format_achievements(view: PlayerView, seat: SeatView, words: Words) -> str:
    text = words("end.best", best=seat.best) if seat.best else ""
    if seat.hexagons or seat.bridges:
        hexagons, bridges = words("count.hexagons", n=seat.hexagons), words("count.bridges", n=seat.bridges)
        text += words("end.made", hexagons=hexagons, bridges=bridges)
    return text


def build_record_view(words: Words) -> ui.LayoutView:
    return build_layout(ui.TextDisplay(words("record.here")), ui.File(f"attachment://{RECORD_FILE}"))


def _explain_unrated(table: Table, results: tuple[Result, ...], names: SeatNames, words: Words) -> list[str]:
    """Explain why no rating changed; empty if one did."""
    if table.terms.guided:
        return [words("end.unrated_guided")]
    if table.state.programs:
        return [words("end.unrated_program"), *format_programs(table, names, words)]
    if not table.terms.rated:
        return [words("end.unrated_chosen")]
    if not table.state.is_rated:
        return [words("end.unrated_head_start")]
    rated = [result for result in results if result.rated and result.after is not None]
    if not rated:
        if len(results) < 2:
            return [words("end.unrated")]
        key = "end.unrated_early" if any(result.won for result in results) else "end.unrated_empty"
        return [words(key, tiles=words("count.tiles", n=MIN_PLACED_TILES))]
    if any(result.after != (result.before or NEWCOMER) for result in rated):
        return []
    return [words("end.unmoved" if all(result.finished for result in results) else "end.unmoved_early")]


def _format_rating_change(result: Result | None, words: Words) -> str:
    if result is None or not result.rated or result.after is None:
        return ""
    change = move_labels.format_points(compute_change(result.before, result.after))
    certainty = format_certainty(result.after, words)
    return words("end.rating", points=compute_points(result.after), sure=certainty, change=change)


def format_alt_with_hands(view: PlayerView, event_log: EventLog, names: SeatNames, words: Words) -> str:
    board = format_full_board_alt(view, event_log, names, words)
    ended = view.round_over
    if ended is None:
        return board
    tiles = [" ".join(map(format_tile_notation, sorted(hand))) or words("alt.empty_hand") for hand in ended.hands]
    hands = (words("alt.hand_of", name=name, tiles=held) for name, held in zip(names.plain, tiles, strict=True))
    return move_labels.clip_text(f"{words('alt.round', round=ended.round, hands='; '.join(hands))} {board}")
