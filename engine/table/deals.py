"""What the people at a table add to its deals before the match begins: a press each, or a word of their own."""

from engine.shuffle import LONGEST_WORD, contribution_of, own_word
from engine.table.commands import AddWord
from engine.table.draft import Draft
from engine.table.events import Contributed
from engine.table.refusals import No, Refused


def contribute(draft: Draft, user: int, word: str = "") -> None:
    """Somebody who sits there adds this word; without one, the press that asks, where they have added nothing yet.

    Raises Refused(BAD_WORD, DEAL_NO_WORD).
    """
    if draft.table.terms.deal:
        if word:
            raise Refused(No.DEAL_NO_WORD)
        return  # what one table added would make its hands others than those of the rest
    seat = draft.table.seat_of(user)
    before = "" if seat is None else draft.table.seats[seat].contribution
    press = draft.given.press
    text = _checked(word) if word else before or ("" if press is None else contribution_of(press))
    if seat is not None and text != before:
        draft.happens(Contributed(seat, text))


def add_word(draft: Draft, command: AddWord) -> None:
    """A word of one's own. Raises Refused(BAD_WORD, WORD_TOO_LATE, JOIN_FIRST, ...)."""
    if draft.table.state != "lobby":
        raise Refused({"open": No.WORD_TOO_LATE, "done": No.FINISHED}.get(draft.table.state, No.CLOSED))
    if draft.table.seat_of(command.user) is None:
        raise Refused(No.JOIN_FIRST)
    contribute(draft, command.user, _checked(command.word))


def _checked(word: str) -> str:
    try:
        return own_word(word)
    except ValueError:
        raise Refused(No.BAD_WORD, most=LONGEST_WORD) from None
