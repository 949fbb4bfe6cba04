"""The messages at the end of a round and of a match."""

from collections.abc import Sequence
from operator import itemgetter

from discord import ui

from bot.core.formats import moment
from bot.core.layout import GOLD, Item, Press, button, layout, primary, rows, said
from bot.core.names import Names
from bot.core.pictures import picture
from bot.tables import move_labels
from bot.tables.board_views import BOARD_FILE, board_alt_text, end_buttons
from bot.tables.move_labels import programs_told
from bot.tables.ratings import NEWCOMER, certainty_text, change, points
from bot.tables.service import Table
from data.store.results.scores import FAIR, Result
from data.words import Words
from engine.board.board import Placement
from engine.board.tiles import tile_text
from engine.match.event_log import EventLog
from engine.match.events import RoundEnded
from engine.match.highlights import Highlight, highlight, totals
from engine.match.player_view import PlayerView, SeatView
from engine.match.rules import pips_of
from render.canvas.picture import Picture
from render.table.match_end import DecisiveMove, EndWords, match_picture

MATCH_FILE = "match.png"


class MatchCard:
    """The card of a finished match in one language: its words, picture and alt text."""

    def __init__(self, seen: PlayerView, event_log: EventLog, names: Names, words: Words) -> None:
        assert seen.ended is not None
        self._seen, self._story, self._names, self._words = seen, event_log, names, words
        self._ended = seen.ended
        self._winners = [seat for seat, place in enumerate(seen.ended.places) if place == 1]
        self._highlight = highlight(event_log)

    def picture(self, *, theme: str, scheme: str) -> Picture:
        said = self._said(self._names.pictured)
        courses, move = totals(self._story), self._move()
        return match_picture(self._seen, self._names.pictured, said, courses, move, theme=theme, scheme=scheme)

    def alt(self) -> str:
        words, said = self._words, self._said(self._names.plain)
        ranked = sorted(zip(self._ended.places, self._names.plain, self._seen.seats, strict=True), key=itemgetter(0))
        rows = (
            words("card.alt_row", place=place, name=name, points=move_labels.count_points(words, seat.total))
            for place, name, seat in ranked
        )
        move = ""
        if made := self._highlight:
            facts = {"move": said.move, "points": move_labels.points_text(made.placed.points), "effect": said.effect}
            move = words("card.alt_move", heading=said.decisive, **facts)
        told = words("card.alt", title=said.title, subtitle=said.subtitle, move=move, rows=", ".join(rows))
        return move_labels.clipped(" ".join(told.split()))

    def _said(self, names: tuple[str, ...]) -> EndWords:
        words, seen = self._words, self._seen
        winners = [names[seat] for seat in self._winners]
        title = "card.title" if len(winners) == 1 else "card.title_shared"
        return EndWords(
            title=words(title, name=winners[0], names=move_labels.listed(words, winners)),
            subtitle=words(
                "card.subtitle" if seen.rules.target else "card.subtitle_one",
                game=words(f"game.{seen.rules.game}"),
                target=move_labels.target_text(words, seen.rules),
                rounds=words("count.rounds", n=seen.round),
            ),
            ahead=words("card.ahead", points=move_labels.number_text(self._ahead())) if self._ahead() else "",
            decisive=words("card.decisive" if self._highlight and self._highlight.decided else "card.best_move"),
            move=self._did(self._highlight) if self._highlight else "",
            effect=self._effect(self._highlight) if self._highlight else "",
            best=tuple(
                words("card.best", points=move_labels.points_text(seat.best)) if seat.best else ""
                for seat in seen.seats
            ),
        )

    def _ahead(self) -> int:
        first = self._winners[0]
        others = [total for seat, total in enumerate(self._ended.totals) if seat != first]
        return self._ended.totals[first] - max(others)

    def _did(self, made: Highlight) -> str:
        tile = tile_text(made.placed.tile)
        if made.placed.hexagons:
            return self._words("card.closes", n=made.placed.hexagons, tile=tile)
        return self._words("card.bridge", tile=tile) if made.placed.bridge else tile

    def _effect(self, made: Highlight) -> str:
        before, after = move_labels.number_text(made.before), move_labels.number_text(made.after)
        return self._words("card.effect_leads" if made.leads else "card.effect", before=before, after=after)

    def _move(self) -> DecisiveMove | None:
        if self._highlight is None:
            return None
        placed = self._highlight.placed
        lying = next(
            (lying for lying in self._seen.tiles if (lying.tile, lying.cell) == (placed.tile, placed.cell)), None
        )
        placement = lying or Placement(placed.tile, placed.cell, placed.rotation)
        return DecisiveMove(placement, placed.points, here=lying is not None)


RECORD_FILE = "match.txt"


def round_view(match_id: int, event_log: EventLog, names: Names, words: Words, alt: str, opener: int) -> ui.LayoutView:
    """Show the end of a round with open hands, and who opens the next."""
    ended = event_log.match.round_over
    assert ended is not None
    lines = [f"### {words('round.title', round=ended.round)}", *_ending_lines(ended, event_log, names, words)]
    told = (
        words("round.totals", name=name, total=move_labels.number_text(total))
        for name, total in zip(names.safe, event_log.told[-1].totals, strict=True)
    )
    lines.append(" · ".join(told))
    lines.append(words("round.next", name=names.safe[opener], round=ended.round + 1))
    lines += names.numbered(words)
    ledger = button(words("board.scores"), Press("scores", match_id, argument=str(ended.round)))
    return layout(ui.TextDisplay("\n".join(lines)), picture(BOARD_FILE, alt), *rows([ledger]), colour=GOLD)


def _ending_lines(ended: RoundEnded, event_log: EventLog, names: Names, words: Words) -> list[str]:
    if ended.out is not None:
        award, bonus = ended.awards[ended.out], event_log.match.rules.out_bonus
        key = "round.out" if bonus else "round.out_tiles" if award else "round.out_bare"
        points, tiles = move_labels.points_text(award), award - bonus
        return [words(key, name=names.safe[ended.out], going_out=bonus, tiles=tiles, points=points)]
    lines = [words("round.blocked")]
    if not any(ended.awards):
        return [*lines, words("round.blocked_none")]
    for seat, award in enumerate(ended.awards):
        # The points come from the tiles of the other hands.
        if award or not event_log.match.seats[seat].resigned:
            key = "round.blocked_award" if award else "round.blocked_held"
            held, points = pips_of(ended.hands[seat]), move_labels.points_text(award)
            lines.append(words(key, name=names.safe[seat], held=held, points=points))
    return lines


def match_view(
    table: Table,
    seen: PlayerView,
    names: Names,
    words: Words,
    alt: str,
    results: tuple[Result, ...],
    under: Sequence[Item],
) -> ui.LayoutView:
    """Show the end of the match: ranking, statistics and rating changes, and the items `under` them."""
    ended, event_log = seen.ended, table.event_log
    assert ended is not None
    assert event_log is not None
    winners = [names.safe[seat] for seat, place in enumerate(ended.places) if place == 1]
    game = words(f"game.{seen.rules.game}")
    key = "end.title" if len(winners) == 1 else "end.title_shared"
    lines = [f"## {words(key, game=game, name=winners[0], names=move_labels.listed(words, winners))}"]
    if event_log.match.round_over is not None:
        lines += _ending_lines(event_log.match.round_over, event_log, names, words)
    by_user = {result.user_id: result for result in results}
    for seat in sorted(seen.seats, key=lambda seat: ended.places[seat.seat]):
        user_id = table.seats[seat.seat].user_id
        result = by_user.get(user_id) if user_id is not None else None
        facts = {"place": ended.places[seat.seat], "points": move_labels.count_points(words, seat.total)}
        facts |= {"facts": _made_text(seen, seat, words), "rating": _rating_text(result, words)}
        gone = words("end.gone") if seat.resigned else ""
        lines.append(words("end.row", name=names.safe[seat.seat], gone=gone, **facts))
    lines += [*_unrated_lines(table, results, names, words), *names.numbered(words)]
    if not table.terms.guided:
        lines.append(words("fair.at_end"))
    match_id = table.head.match_id
    added = end_buttons("guided end" if table.terms.guided else "end", match_id, words)
    first = [primary(words("board.rematch"), Press("rematch", match_id)), *added]
    more = [
        button(words("board.scores"), Press("scores", match_id)),
        button(words("board.record"), Press("record", match_id)),
        button(words("fair.verify"), Press("verify", match_id)),
    ]
    if table.terms.guided:
        # Nothing was shuffled, so there is nothing to check.
        more = []
    told = "\n".join(lines)
    return layout(ui.TextDisplay(told), picture(MATCH_FILE, alt), *rows(first), *rows(more), *under, colour=GOLD)


def sealed_round_view(table: Table, number: int, words: Words) -> ui.LayoutView:
    ledger = button(words("board.scores"), Press("scores", table.head.match_id, argument=str(number)))
    return said(f"### {words('round.title', round=number)}\n{words('deal.round')}", ledger, colour=GOLD)


def sealed_end_view(table: Table, words: Words) -> ui.LayoutView:
    told = words("deal.over", until=moment(table.terms.deal_until, "f"))
    scores = button(words("board.scores"), Press("scores", table.head.match_id))
    return said(f"### {words('deal.title', deal=table.terms.deal)}\n{told}", scores, colour=GOLD)


def _made_text(seen: PlayerView, seat: SeatView, words: Words) -> str:
    told = words("end.best", best=seat.best) if seat.best else ""
    if seat.hexagons or seat.bridges:
        hexagons, bridges = words("count.hexagons", n=seat.hexagons), words("count.bridges", n=seat.bridges)
        told += words("end.made", hexagons=hexagons, bridges=bridges)
    return told


def record_view(words: Words) -> ui.LayoutView:
    return layout(ui.TextDisplay(words("record.here")), ui.File(f"attachment://{RECORD_FILE}"))


def _unrated_lines(table: Table, results: tuple[Result, ...], names: Names, words: Words) -> list[str]:
    """Explain why no rating changed; empty if one did."""
    if table.terms.guided:
        return [words("end.unrated_guided")]
    if table.state.programs:
        return [words("end.unrated_program"), *programs_told(table, names, words)]
    if not table.terms.rated:
        return [words("end.unrated_chosen")]
    rated = [result for result in results if result.rated and result.after is not None]
    if not rated:
        if len(results) < 2:
            return [words("end.unrated")]
        key = "end.unrated_early" if any(result.won for result in results) else "end.unrated_empty"
        return [words(key, tiles=words("count.tiles", n=FAIR))]
    if any(result.after != (result.before or NEWCOMER) for result in rated):
        return []
    return [words("end.unmoved" if all(result.finished for result in results) else "end.unmoved_early")]


def _rating_text(result: Result | None, words: Words) -> str:
    if result is None or not result.rated or result.after is None:
        return ""
    moved = move_labels.points_text(change(result.before, result.after))
    return words("end.rating", points=points(result.after), sure=certainty_text(result.after, words), change=moved)


def alt(seen: PlayerView, event_log: EventLog, names: Names, words: Words) -> str:
    board = board_alt_text(seen, event_log, names, words)
    ended = seen.round_over
    if ended is None:
        return board
    tiles = [" ".join(map(tile_text, sorted(hand))) or words("alt.empty_hand") for hand in ended.hands]
    hands = (words("alt.hand_of", name=name, tiles=held) for name, held in zip(names.plain, tiles, strict=True))
    return move_labels.clipped(f"{words('alt.round', round=ended.round, hands='; '.join(hands))} {board}")
