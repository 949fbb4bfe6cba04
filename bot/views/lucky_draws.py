"""The page of a review about luck at the boneyard: the draw that brought most, and the best of everybody else."""

from collections.abc import Sequence

from bot.service.tables import Table
from bot.views import sentences as sentences
from bot.views.hand import picture_words
from bot.views.moves import tile_name
from bot.views.names import Names
from bot.views.review_pages import ReviewPage
from bot.views.table import board_alt_text
from data.words import Words
from engine.review.findings import LuckyDraw
from engine.seen import see
from engine.tiles import Tile, tile_text
from render import Captions, hand_picture


def luckiest_draw_leaf(
    draws: Sequence[LuckyDraw], tile: Tile, after: Table, names: Names, words: Words, scheme: str
) -> ReviewPage:
    """The first of these, as its seat saw it: its hand with the tile that came, and where that fitted. The match is
    over, so there is nothing left to hide; `after` is the table after the draw.
    """
    drew, story = draws[0], after.story
    assert story is not None
    seen, theme = see(after.match, drew.seat), after.terms.theme
    named = tile_name(tile, theme)
    lines = [
        words("review.drew", name=f"**{names.safe[drew.seat]}**", n=drew.tiles, tile=f"**{named}**"),
        words("review.drew_worth", points=f"**{_points(drew, words)}**", error=_error(drew)),
    ]
    lines += [
        words(
            "review.drew_best",
            name=f"**{names.safe[other.seat]}**",
            round=other.round,
            points=_points(other, words),
            error=_error(other),
        )
        for other in draws[1:]
    ]
    heading = Captions(
        title=words("replay.round", round=drew.round),
        subtitle=words("review.drew_tile", tile=named),
        turn=words("review.caption", name=names.pictured[drew.seat], label=words("review.draw")),
        note=_points(drew, words),
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
    said = " ".join(sentences.plain(line) for line in lines[:2])
    alt = sentences.clipped(f"{said} {hand}. {board_alt_text(see(after.match, None), story, names, words)}")
    return ReviewPage(words("review.draw_title", round=drew.round), [*lines, words("review.drew_means")], image, alt)


def _points(drew: LuckyDraw, words: Words) -> str:
    return words("count.points", n=max(1, round(drew.ahead)))


def _error(drew: LuckyDraw) -> int:
    return max(1, round(2 * drew.error))
