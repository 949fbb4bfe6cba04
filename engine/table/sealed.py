"""A table of a sealed deal: the same hands by seat, and the same boneyard, as at all its other tables.

Until the deal is opened nobody but those who sit there sees anything of it, and nobody changes what makes the tables
comparable.
"""

from typing import Final

from engine.events import fact
from engine.table.refusals import No, Refused
from engine.table.state import TableState
from engine.table.terms import Terms

OF_MATCH: Final = "match-"
"""What the name of a deal begins with that was a match before; the number of that match is the rest."""


@fact
class DealOpened:
    """The sealed deal of the table is open: everybody may see all of it, and whoever still plays is not compared."""


def is_sealed(table: TableState) -> bool:
    """Whether what happens at a table is for those alone who sit there."""
    return bool(table.terms.deal) and not table.deal_opened


def newly_dealt_to(before: TableState, after: TableState) -> frozenset[int]:
    """The people who see the hands of a match from now on: all who sit there as it begins, and who comes later."""
    if after.state == "lobby":
        return frozenset()
    return after.sitting - (frozenset() if before.state == "lobby" else before.sitting)


def check_full(table: TableState) -> None:
    """Raise Refused(DEAL_SEATS) where seats of a sealed deal are empty: fewer people would be dealt other hands."""
    if table.terms.deal and len(table.seats) < table.terms.seats:
        raise Refused(No.DEAL_SEATS, seats=table.terms.seats)


def check_terms(before: Terms, after: Terms) -> None:
    """Raise Refused(DEAL_FIXED) for a change of what all tables of a sealed deal have in common."""

    def common(terms: Terms) -> tuple[object, ...]:
        rated = terms.deal.startswith(OF_MATCH) and terms.rated
        played = terms.target, terms.preset, dict(terms.options), terms.by_hand
        return terms.deal, terms.game, terms.seats, *played, rated

    if before.deal and common(before) != common(after):
        raise Refused(No.DEAL_FIXED)
