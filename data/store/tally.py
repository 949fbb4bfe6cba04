"""What one person's results add up to. Pure: the standings are these sums, kept up to date."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from data.store.scores import PlayerResult, Rate, Rating


@dataclass(frozen=True, slots=True, kw_only=True)
class Tally:
    """One person's record in one game, on one server or everywhere."""

    matches: int = 0
    wins: int = 0
    points: int = 0
    best_score: int = 0
    best_move: int = 0
    hexagons: int = 0
    bridges: int = 0
    rating: Rating | None = None

    def plus(self, player: PlayerResult, rating: Rating | None) -> "Tally":
        """The record after one more match, which left the person with this rating."""
        return Tally(
            matches=self.matches + 1,
            wins=self.wins + (player.place == 1),
            points=self.points + player.score,
            # A total can be negative, so the first one is the best whatever it is.
            best_score=max(self.best_score, player.score) if self.matches else player.score,
            best_move=max(self.best_move, player.best_move),
            hexagons=self.hexagons + player.hexagons,
            bridges=self.bridges + player.bridges,
            rating=rating,
        )


def add_match(
    before: Mapping[int, Tally], players: Sequence[PlayerResult], rate: Rate, *, rated: bool = True
) -> dict[int, Tally]:
    """The records of these people, by user id, after a match they played. One person alone is never rated.

    Raises ValueError when `rate` does not answer for exactly these people.
    """
    ratings = {user: tally.rating for user, tally in sorted(before.items()) if tally.rating is not None}
    after: Mapping[int, Rating] = ratings
    if rated and len(players) > 1:
        after = rate(ratings, {player.user_id: player.place for player in players})
        if after.keys() != {player.user_id for player in players}:
            raise ValueError("rate() must answer with a rating for each of the rated people, and for nobody else")
    return {
        player.user_id: before.get(player.user_id, Tally()).plus(player, after.get(player.user_id))
        for player in sorted(players, key=lambda player: player.user_id)
    }
