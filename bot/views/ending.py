"""What stays in the channel at the end of a round and of a match."""

from collections.abc import Sequence

from discord import ui

from bot.service.ladder import NEWCOMER, change, points
from bot.service.tables import Table
from bot.views import sentences as sentences
from bot.views.leaders import certainty_text
from bot.views.match_card import MATCH_FILE
from bot.views.names import Names
from bot.views.parts import GOLD, Item, Press, button, layout, primary, rows
from bot.views.pictures import picture
from bot.views.programs import programs_told
from bot.views.table import BOARD_FILE, board_alt_text
from data.store import Result
from data.store.scores import FAIR
from data.words import Words
from engine.events import RoundEnded
from engine.rules import pips_of
from engine.seen import SeatSeen, Seen
from engine.story import Story
from engine.tiles import tile_text

RECORD_FILE = "match.txt"


def round_view(match_id: int, story: Story, names: Names, words: Words, alt: str, opener: int) -> ui.LayoutView:
    """The end of a round, the hands open in the picture; and who opens the next."""
    ended = story.match.round_over
    assert ended is not None
    lines = [f"### {words('round.title', round=ended.round)}", *_how(ended, story, names, words)]
    told = (
        words("round.totals", name=name, total=sentences.number_text(total))
        for name, total in zip(names.safe, story.told[-1].totals, strict=True)
    )
    lines.append(" · ".join(told))
    lines.append(words("round.next", name=names.safe[opener], round=ended.round + 1))
    lines += names.numbered(words)
    ledger = button(words("board.scores"), Press("scores", match_id, argument=str(ended.round)))
    return layout(ui.TextDisplay("\n".join(lines)), picture(BOARD_FILE, alt), *rows([ledger]), colour=GOLD)


def _how(ended: RoundEnded, story: Story, names: Names, words: Words) -> list[str]:
    if ended.out is not None:
        award, bonus = ended.awards[ended.out], story.match.rules.out_bonus
        key = "round.out" if bonus else "round.out_tiles" if award else "round.out_bare"
        points, tiles = sentences.points_text(award), award - bonus
        return [words(key, name=names.safe[ended.out], going_out=bonus, tiles=tiles, points=points)]
    lines = [words("round.blocked")]
    if not any(ended.awards):
        return [*lines, words("round.blocked_none")]
    for seat, award in enumerate(ended.awards):
        # What the others held is what the points come from.
        if award or not story.match.seats[seat].resigned:
            key = "round.blocked_award" if award else "round.blocked_held"
            held, points = pips_of(ended.hands[seat]), sentences.points_text(award)
            lines.append(words(key, name=names.safe[seat], held=held, points=points))
    return lines


def match_view(
    table: Table, seen: Seen, names: Names, words: Words, alt: str, results: tuple[Result, ...], under: Sequence[Item]
) -> ui.LayoutView:
    """The end of the match: the ranking, what each seat did, and how the ratings moved; and what stands `under` it."""
    ended, story = seen.ended, table.story
    assert ended is not None
    assert story is not None
    winners = [names.safe[seat] for seat, place in enumerate(ended.places) if place == 1]
    game = words(f"game.{seen.rules.game}")
    key = "end.title" if len(winners) == 1 else "end.title_shared"
    lines = [f"## {words(key, game=game, name=winners[0], names=sentences.listed(words, winners))}"]
    if story.match.round_over is not None:
        lines += _how(story.match.round_over, story, names, words)
    by_user = {result.user_id: result for result in results}
    for seat in sorted(seen.seats, key=lambda seat: ended.places[seat.seat]):
        user_id = table.seats[seat.seat].user_id
        result = by_user.get(user_id) if user_id is not None else None
        lines.append(
            words(
                "end.row",
                place=ended.places[seat.seat],
                name=names.safe[seat.seat],
                points=sentences.count_points(words, seat.total),
                facts=_facts(seen, seat, words),
                rating=_rating(result, words),
                gone=words("end.gone") if seat.resigned else "",
            )
        )
    lines += [*_unrated(table, results, names, words), *names.numbered(words)]
    if not table.terms.guided:
        lines.append(words("fair.at_end"))
    match_id = table.head.match_id
    first = [
        primary(words("board.rematch"), Press("rematch", match_id)),
        button(words("replay.button"), Press("replay", match_id)),
        button(words("review.button"), Press("review", match_id)),
    ]
    more = [
        button(words("board.scores"), Press("scores", match_id)),
        button(words("board.record"), Press("record", match_id)),
        button(words("fair.verify"), Press("verify", match_id)),
    ]
    if table.terms.guided:
        # Nothing was shuffled and little was chosen, so there is nothing to check or to weigh.
        first, more = first[:2], []
    told = "\n".join(lines)
    return layout(ui.TextDisplay(told), picture(MATCH_FILE, alt), *rows(first), *rows(more), *under, colour=GOLD)


def _facts(seen: Seen, seat: SeatSeen, words: Words) -> str:
    """What a seat made, where that counts in this game."""
    told = words("end.best", best=seat.best) if seat.best else ""
    if seat.hexagons or seat.bridges:
        hexagons, bridges = words("count.hexagons", n=seat.hexagons), words("count.bridges", n=seat.bridges)
        told += words("end.made", hexagons=hexagons, bridges=bridges)
    return told


def record_view(words: Words) -> ui.LayoutView:
    """What goes with the record of a match, which is sent along as `match.txt`."""
    return layout(ui.TextDisplay(words("record.here")), ui.File(f"attachment://{RECORD_FILE}"))


def _unrated(table: Table, results: tuple[Result, ...], names: Names, words: Words) -> list[str]:
    """Why no rating has moved, where none has."""
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


def _rating(result: Result | None, words: Words) -> str:
    if result is None or not result.rated or result.after is None:
        return ""
    moved = sentences.points_text(change(result.before, result.after))
    return words("end.rating", points=points(result.after), sure=certainty_text(result.after, words), change=moved)


def alt(seen: Seen, story: Story, names: Names, words: Words) -> str:
    """The picture at the end of a round in words, open hands first."""
    board = board_alt_text(seen, story, names, words)
    ended = seen.round_over
    if ended is None:
        return board
    hands = (
        words(
            "alt.hand_of",
            name=name,
            tiles=" ".join(tile_text(tile) for tile in sorted(hand)) or words("alt.empty_hand"),
        )
        for name, hand in zip(names.plain, ended.hands, strict=True)
    )
    return sentences.clipped(f"{words('alt.round', round=ended.round, hands='; '.join(hands))} {board}")
