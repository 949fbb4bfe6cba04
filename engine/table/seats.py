"""A table before its match: open, sit down, leave, add computers, start. Also the lesson's deal and users' entropy."""

from typing import Final

from engine.board.tiles import Tile, parse_labels
from engine.match.actions import Resign
from engine.match.decide import start
from engine.match.events import Dealt
from engine.match.rules import Rules
from engine.match.shuffle import LONGEST_WORD, commitment, contribution_of, own_word
from engine.players.levels import LEVELS
from engine.table.commands import AddComputer, AddWord, GiveWay, Join, Leave, MoveTable, Open, Start
from engine.table.evolve import Draft
from engine.table.hosting import check_lobby, keep_for
from engine.table.play import act, follow, play_out
from engine.table.refusals import No, Refused
from engine.table.table_events import Closed, Contributed, Freed, Joined, Left, Moved, Opened, check_full
from engine.table.table_state import RUNNING, SeatRow
from engine.table.terms import GENTLE, GREEDY, program_named

ECHOED: Final = 60  # maximal number of characters that a refusal repeats


def set_up(draft: Draft, command: Open) -> None:
    """Open a table with its host and computers. Raises Refused(NO_SUCH_LEVEL)."""
    now = draft.given.now
    for player in command.computers:
        _check_level(player, guided=command.terms.guided)
    sitting = enumerate((command.host, *command.beside))
    people = [SeatRow(seat=seat, user_id=user, joined_at=now) for seat, user in sitting]
    computers = [
        SeatRow(seat=seat, computer=player, joined_at=now) for seat, player in enumerate(command.computers, len(people))
    ]
    opened = Opened(command.terms, command.host, (*people, *computers), commitment(draft.given.secret))
    _sit(draft, opened, command.host, command.word)
    if command.guests:
        keep_for(draft, command.guests)


def take_seat(draft: Draft, command: Join) -> None:
    """Sit down. Raises Refused(ALREADY_SEATED, TABLE_FULL, SEATS_KEPT, REMOVED, TERMS_CHANGED, ...)."""
    if draft.table.seat_of(command.user) is not None and draft.table.state in RUNNING:
        raise Refused(No.ALREADY_SEATED)
    if draft.table.state == "open":
        _check_free(draft)
    check_lobby(draft)
    if command.user in draft.table.guests.removed:
        raise Refused(No.REMOVED, host=draft.table.host or 0)
    _check_free(draft, command.user)
    if command.revised is not None and command.revised != draft.table.revised:
        # The last player begins the match, and must have seen the current terms.
        raise Refused(No.TERMS_CHANGED, table=draft.given.match_id)
    _sit(draft, Joined(command.user), command.user, command.word)


def seat_computer(draft: Draft, command: AddComputer) -> None:
    """Add a computer on the first free seat. Only the host may add a program or take the last seat. Raises
    Refused(NO_SUCH_LEVEL, JOIN_FIRST, TABLE_FULL, SEATS_KEPT, HOST_DECIDES, ...).
    """
    check_lobby(draft)
    _check_level(command.level)
    if draft.table.seat_of(command.by) is None:
        raise Refused(No.JOIN_FIRST)
    _check_free(draft)
    last = len(draft.table.seats) + 1 == draft.table.terms.seats
    if command.by != draft.table.host and (last or program_named(command.level) is not None):
        # It would begin the match before the host is ready, or make it unrated.
        raise Refused(No.HOST_DECIDES, host=draft.table.host or 0)
    _sit(draft, Joined(None, command.level))


def give_up_seat(draft: Draft, command: Leave) -> None:
    """Leave a lobby, or decline. Raises Refused(LEAVE_MEANS_RESIGN, NOT_SEATED, JOIN_FIRST, ...)."""
    seat, state = draft.table.seat_of(command.user), draft.table.state
    invited = state == "lobby" and seat is None and command.user in draft.table.guests.kept
    if command.forgotten and not invited and (seat is None or state != "lobby"):
        if seat is not None and state == "open" and seat in draft.match.active:
            act(draft, Resign(seat))
        return
    if draft.table.practice and seat is not None:
        draft.happens(Closed("practice_left", seat))
        return
    if state == "open":
        raise Refused(No.LEAVE_MEANS_RESIGN if seat is not None else No.NOT_SEATED)
    check_lobby(draft)
    if invited:
        draft.happens(Freed((command.user,), "declined"))
        return
    if seat is None:
        raise Refused(No.JOIN_FIRST)
    stay = any(row.user_id is not None for row in draft.table.seats if row.seat != seat)
    draft.happens(Left(seat) if stay else Closed("empty"))


def start_match(draft: Draft, command: Start) -> None:
    """Begin with the taken seats. Raises Refused(NOT_HOST, SEATS_WAITED_FOR, ALONE, DEAL_SEATS, ...)."""
    check_lobby(draft)
    if draft.table.host != command.by:
        raise Refused(No.NOT_HOST, host=draft.table.host or 0)
    kept = draft.table.guests.kept
    if kept:
        raise Refused(No.SEATS_WAITED_FOR, people=tuple(kept))
    least = draft.given.rules.min_seats
    if len(draft.table.seats) < least:
        raise Refused(No.ALONE, least=least)
    check_full(draft.table)
    contribute(draft, command.by)
    _begin(draft)


def move(draft: Draft, command: MoveTable) -> None:
    """Move to another channel. Raises Refused(NOT_SEATED)."""
    if draft.table.seat_of(command.by) is None:
        raise Refused(No.NOT_SEATED)
    draft.happens(Moved(command.channel))


def give_way(draft: Draft, command: GiveWay) -> None:
    """Leave the channel to another table. Raises Refused(CHANNEL_BUSY) if several users play here."""
    if draft.event_log is None or not draft.table.gives_way(draft.event_log.match):
        raise Refused(No.CHANNEL_BUSY, table=draft.given.match_id)
    thread = command.thread
    draft.happens(Closed("made_way") if thread is None else Moved(thread, made_way=True))


def _check_level(player: str, *, guided: bool = False) -> None:
    """Raise Refused(NO_SUCH_LEVEL); the gentle one is for guided games only. Programs are checked by the caller."""
    known = player == GENTLE if guided else player in (*LEVELS, GREEDY) or program_named(player)
    if not known:
        raise Refused(No.NO_SUCH_LEVEL, text=player[:ECHOED], levels=LEVELS)


def _check_free(draft: Draft, user: int | None = None) -> None:
    seats, kept = draft.table.terms.seats, draft.table.guests.kept
    if len(draft.table.seats) >= seats:
        raise Refused(No.TABLE_FULL, seats=seats)
    if user not in kept and len(draft.table.seats) + len(kept) >= seats:
        raise Refused(No.SEATS_KEPT, people=tuple(kept), until=min(kept.values()))


def _sit(draft: Draft, event: Opened | Joined, user: int | None = None, word: str = "") -> None:
    """Apply a seating event and the user's entropy; the last seat begins the match."""
    draft.happens(event)
    if user is not None:
        contribute(draft, user, word)
    if len(draft.table.seats) == draft.table.terms.seats:
        _begin(draft)


def _begin(draft: Draft) -> None:
    seats, given = draft.table.seats, draft.given
    if draft.table.commitment not in ("", commitment(given.secret)):
        raise ValueError("this is not the secret with which the table was opened")
    computers, by_hand = [row.seat for row in seats if row.computer is not None], draft.table.terms.by_hand
    began = start(
        given.rules,
        seats=len(seats),
        computers=computers,
        by_hand=by_hand,
        secret=given.secret,
        contributions=[row.contribution for row in seats],
    )
    if draft.table.terms.guided:
        began = [began[0], laid_out(given.rules)]
    draft.happens(*began)
    follow(draft, [*began, *play_out(draft)])


def contribute(draft: Draft, user: int, word: str = "") -> None:
    """Add a word of a seated user to the deals, or else the interaction id if they have added nothing yet. Raises
    Refused(BAD_WORD, DEAL_NO_WORD).
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
    """Add a word to the deals. Raises Refused(BAD_WORD, WORD_TOO_LATE, JOIN_FIRST, ...)."""
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


LEARNER: Final = "113 235 224 244 445 125"  # hand of seat 0, the user
COMPUTER: Final = "124 444 114 111 001 014"
"""Hand of seat 1; its highest triple opens, so the user finds a tile to play at."""
BONEYARD: Final = "134 225 011 045"  # draw order; so few tiles keep the lesson short


def laid_out(rules: Rules) -> Dealt:
    """Return the deal of a guided game; tiles in no hand and not in the boneyard are set aside."""
    hands, boneyard = (_tiles(LEARNER), _tiles(COMPUTER)), _tiles(BONEYARD)
    used = {tile for group in (*hands, boneyard) for tile in group}
    opener, choices = rules.opening(hands)
    aside = tuple(tile for tile in rules.tiles if tile not in used)
    return Dealt(1, hands, boneyard, opener, choices, aside)


def _tiles(text: str) -> tuple[Tile, ...]:
    return tuple(parse_labels(labels, 3) for labels in text.split())
