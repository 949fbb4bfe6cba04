"""What one person's results add up to. Pure: the standings are these sums, kept up to date."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from data.store.scores import PlayerResult, Rating, RatingStep, ranked


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
    finished: int = 0
    opponents: int = 0
    rating: Rating | None = None

    @property
    def ranked(self) -> float | None:
        """What leaderboards rank by."""
        return ranked(self.rating, self.opponents)

    def plus(self, player: PlayerResult, rating: Rating | None, opponents: int) -> "Tally":
        """The record after one more match, which left the person with this rating and so many opponents."""
        return Tally(
            matches=self.matches + 1,
            wins=self.wins + player.won,
            points=self.points + player.score,
            # A total can be negative, so the first one is the best whatever it is.
            best_score=max(self.best_score, player.score) if self.matches else player.score,
            best_move=max(self.best_move, player.best_move),
            hexagons=self.hexagons + player.hexagons,
            bridges=self.bridges + player.bridges,
            finished=self.finished + player.finished,
            opponents=opponents,
            rating=rating,
        )


def add_match(
    before: Mapping[int, Tally],
    players: Sequence[PlayerResult],
    settled: Mapping[int, RatingStep],
    met: Mapping[int, Collection[int]],
) -> dict[int, Tally]:
    """The records of these people, by user id, after a match they played, which settled some ratings.

    `met` has those whom somebody met before; who is missing there has met so many that nobody counts any more. Raises
    ValueError where a rating is somebody else's.
    """
    if not settled.keys() <= {player.user_id for player in players}:
        raise ValueError("rate() must answer with ratings of people who played, and of nobody else")
    after = {}
    for player in sorted(players, key=lambda player: player.user_id):
        user, mine = player.user_id, before.get(player.user_id, Tally())
        rating = settled[user].rating if user in settled else mine.rating
        new = set(settled) - {user, *met[user]} if user in settled and user in met else set()
        after[user] = mine.plus(player, rating, mine.opponents + len(new))
    return after
