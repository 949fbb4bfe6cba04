"""What stands on the picture of a match that is over, and its alt text."""

from bot.views import sentences as sentences
from bot.views.names import Names
from data.words import Words
from engine.board import Placement
from engine.highlights import Highlight, highlight, totals
from engine.seen import Seen
from engine.story import Story
from engine.tiles import tile_text
from render import DecisiveMove, EndWords, Picture, match_picture

MATCH_FILE = "match.png"


class MatchCard:
    """The end of a match for one language: its words, its picture, its alt text."""

    def __init__(self, seen: Seen, story: Story, names: Names, words: Words) -> None:
        assert seen.ended is not None
        self._seen, self._story, self._names, self._words = seen, story, names, words
        self._ended = seen.ended
        self._winners = [seat for seat, place in enumerate(seen.ended.places) if place == 1]
        self._highlight = highlight(story)

    def picture(self, *, theme: str, scheme: str) -> Picture:
        """The picture; drawing it takes a while."""
        said = self._said(self._names.pictured)
        courses, move = totals(self._story), self._move()
        return match_picture(self._seen, self._names.pictured, said, courses, move, theme=theme, scheme=scheme)

    def alt(self) -> str:
        """The picture in words: who won, with how much, by which move, and where all came."""
        words, said = self._words, self._said(self._names.plain)
        rows = (
            words(
                "card.alt_row",
                place=self._ended.places[seat.seat],
                name=self._names.plain[seat.seat],
                points=sentences.count_points(words, seat.total),
            )
            for seat in sorted(self._seen.seats, key=lambda seat: self._ended.places[seat.seat])
        )
        made = self._highlight
        move = (
            words(
                "card.alt_move",
                heading=said.decisive,
                move=said.move,
                points=sentences.points_text(made.placed.points),
                effect=said.effect,
            )
            if made
            else ""
        )
        told = words("card.alt", title=said.title, subtitle=said.subtitle, move=move, rows=", ".join(rows))
        return sentences.clipped(" ".join(told.split()))

    def _said(self, names: tuple[str, ...]) -> EndWords:
        words, seen = self._words, self._seen
        winners = [names[seat] for seat in self._winners]
        title = "card.title" if len(winners) == 1 else "card.title_shared"
        return EndWords(
            title=words(title, name=winners[0], names=sentences.listed(words, winners)),
            subtitle=words(
                "card.subtitle" if seen.rules.target else "card.subtitle_one",
                game=words(f"game.{seen.rules.game}"),
                target=sentences.target_text(words, seen.rules),
                rounds=words("count.rounds", n=seen.round),
            ),
            ahead=words("card.ahead", points=sentences.number_text(self._ahead())) if self._ahead() else "",
            decisive=words("card.decisive" if self._highlight and self._highlight.decided else "card.best_move"),
            move=self._did(self._highlight) if self._highlight else "",
            effect=self._effect(self._highlight) if self._highlight else "",
            best=tuple(
                words("card.best", points=sentences.points_text(seat.best)) if seat.best else "" for seat in seen.seats
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
        before, after = sentences.number_text(made.before), sentences.number_text(made.after)
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
