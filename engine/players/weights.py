"""What computer players weigh, as data: every number of theirs comes from `data/players`, where a command puts it."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Taste:
    """What a placement is worth to a player that looks one move ahead: points for each unit of what it leads to."""

    points: float = 1.0
    """Each point that it scores, a bonus that may be taken for it included."""
    pips: float = 0.0
    """Each pip of its tile: below zero, a heavy tile is not worth all of its points."""
    triple: float = 0.0
    """Its tile being a triple, which fits at fewer places than others later."""
    own_bonus: float = 0.0
    """Each point of the bonuses that the rest of the hand can take afterwards."""
    own_next: float = 0.0
    """Each point of the best placement of the rest of the hand afterwards."""
    own_fit: float = 0.0
    """The part of the rest of the hand that fits somewhere afterwards, from 0 to 1."""
    last_fits: float = 0.0
    """The hand being down to one tile that fits."""
    reply: float = 0.0
    """Each point that the next seat's best answer is expected to bring, by the tiles that are unseen."""
    unseen_fit: float = 0.0
    """The part of the unseen tiles that fits somewhere afterwards, from 0 to 1."""

    @property
    def looks_on(self) -> bool:
        """Whether anything is asked of the table afterwards."""
        return any((self.own_bonus, self.own_next, self.own_fit, self.last_fits, self.reply, self.unseen_fit))


@dataclass(frozen=True, slots=True, kw_only=True)
class Weights:
    """The numbers of all levels of a game. Where one is missing, the level plays as greedy does."""

    fitted_by: str = ""
    """The command that makes them."""
    medium: Taste | None = None
    hard: Taste | None = None


NOTHING = Weights()
"""What is known of a game that nobody has fitted."""
