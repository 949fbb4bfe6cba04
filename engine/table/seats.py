"""A table before its match: open, sit down, leave, add computers, start. Also the lesson's deal and users' entropy."""

from typing import Final

from engine.board.tiles import Tile, parse_labels
from engine.match.actions import Resign
from engine.match.decide import start
from engine.match.events import Dealt
from engine.match.rules import Rules
from engine.match.shuffle import MAX_WORD_LENGTH, compute_commitment, hash_interaction, normalize_word
from engine.players.levels import LEVELS
from engine.table.commands import (
    AddComputer,
    AddWord,
    Join,
    LeaveTable,
    MoveTable,
    OpenTable,
    StartMatch,
    VacateChannel,
)
from engine.table.evolve import Draft
from engine.table.hosting import check_lobby, reserve_for
from engine.table.play import apply_action, play_forced_moves, update_clock
from engine.table.refusals import Refusal, RefusalError
from engine.table.table_events import Closed, Contributed, Freed, Joined, Left, Moved, Opened, check_full
from engine.table.table_state import RUNNING, SeatRow
from engine.table.terms import GENTLE, GREEDY, find_program_name

MAX_ECHO: Final = 60  # maximal number of characters that a refusal repeats


def open_table(draft: Draft, command: OpenTable) -> None:
    """Open a table with its host and computers. Raises RefusalError(NO_SUCH_LEVEL)."""
    now = draft.context.now
    for player in command.computers:
        _check_level(player, guided=command.terms.guided)
    sitting = enumerate((command.host, *command.companions))
    people = [SeatRow(seat=seat, user_id=user, joined_at=now) for seat, user in sitting]
    computers = [
        SeatRow(seat=seat, computer=player, joined_at=now) for seat, player in enumerate(command.computers, len(people))
    ]
    opened = Opened(command.terms, command.host, (*people, *computers), compute_commitment(draft.context.secret))
    _seat_player(draft, opened, command.host, command.word)
    if command.guests:
        reserve_for(draft, command.host, command.guests)


def take_seat(draft: Draft, command: Join) -> None:
    """Sit down. Raises RefusalError(ALREADY_SEATED, TABLE_FULL, SEATS_KEPT, REMOVED, TERMS_CHANGED, ...)."""
    if draft.table.find_seat(command.user) is not None and draft.table.state in RUNNING:
        raise RefusalError(Refusal.ALREADY_SEATED)
    if draft.table.state == "open":
        _check_free(draft)
    check_lobby(draft)
    if command.user in draft.table.guests.removed:
        raise RefusalError(Refusal.REMOVED, host=draft.table.host or 0)
    _check_free(draft, command.user)
    if command.revised is not None and command.revised != draft.table.revised_seq:
        # The last player begins the match, and must have seen the current terms.
        raise RefusalError(Refusal.TERMS_CHANGED, table=draft.context.match_id)
    _seat_player(draft, Joined(command.user), command.user, command.word)


def seat_computer(draft: Draft, command: AddComputer) -> None:
    """Add a computer on the first free seat. Only the host may add a program or take the last seat. Raises
    RefusalError(NO_SUCH_LEVEL, JOIN_FIRST, TABLE_FULL, SEATS_KEPT, HOST_DECIDES, ...).
    """
    check_lobby(draft)
    _check_level(command.level)
    if draft.table.find_seat(command.by) is None:
        raise RefusalError(Refusal.JOIN_FIRST)
    _check_free(draft)
    last = len(draft.table.seats) + 1 == draft.table.terms.seats
    if command.by != draft.table.host and (last or find_program_name(command.level) is not None):
        # It would begin the match before the host is ready, or make it unrated.
        raise RefusalError(Refusal.HOST_DECIDES, host=draft.table.host or 0)
    _seat_player(draft, Joined(None, command.level))


def give_up_seat(draft: Draft, command: LeaveTable) -> None:
    """Leave a lobby, or decline. Raises RefusalError(LEAVE_MEANS_RESIGN, NOT_SEATED, JOIN_FIRST, ...)."""
    seat, state = draft.table.find_seat(command.user), draft.table.state
    invited = state == "lobby" and seat is None and command.user in draft.table.guests.reserved_until
    if command.deletes_data and not invited and (seat is None or state != "lobby"):
        if seat is not None and state == "open" and seat in draft.match.active:
            apply_action(draft, Resign(seat))
        return
    if draft.table.is_practice and seat is not None:
        draft.apply(Closed("practice_left", seat))
        return
    if state == "open":
        raise RefusalError(Refusal.LEAVE_MEANS_RESIGN if seat is not None else Refusal.NOT_SEATED)
    check_lobby(draft)
    if invited:
        draft.apply(Freed((command.user,), "declined"))
        return
    if seat is None:
        raise RefusalError(Refusal.JOIN_FIRST)
    stay = any(row.user_id is not None for row in draft.table.seats if row.seat != seat)
    draft.apply(Left(seat) if stay else Closed("empty"))


def start_match(draft: Draft, command: StartMatch) -> None:
    """Begin with the taken seats. Raises RefusalError(NOT_HOST, SEATS_WAITED_FOR, ALONE, DEAL_SEATS, ...)."""
    check_lobby(draft)
    if draft.table.host != command.by:
        raise RefusalError(Refusal.NOT_HOST, host=draft.table.host or 0)
    kept = draft.table.guests.reserved_until
    if kept:
        raise RefusalError(Refusal.SEATS_WAITED_FOR, people=tuple(kept))
    least = draft.context.rules.min_seats
    if len(draft.table.seats) < least:
        raise RefusalError(Refusal.ALONE, least=least)
    check_full(draft.table)
    add_entropy(draft, command.by)
    _begin_match(draft)


def move_table(draft: Draft, command: MoveTable) -> None:
    """Move to another channel. Raises RefusalError(NOT_SEATED)."""
    if draft.table.find_seat(command.by) is None:
        raise RefusalError(Refusal.NOT_SEATED)
    draft.apply(Moved(command.channel))


def vacate_channel(draft: Draft, command: VacateChannel) -> None:
    """Leave the channel to another table. Raises RefusalError(CHANNEL_BUSY) if several users play here."""
    if draft.event_log is None or not draft.table.can_vacate(draft.event_log.match):
        raise RefusalError(Refusal.CHANNEL_BUSY, table=draft.context.match_id)
    thread = command.thread
    draft.apply(Closed("made_way") if thread is None else Moved(thread, made_way=True))


def _check_level(player: str, *, guided: bool = False) -> None:
    """Raise RefusalError(NO_SUCH_LEVEL). The gentle one is for guided games only; callers check programs."""
    known = player == GENTLE if guided else player in (*LEVELS, GREEDY) or find_program_name(player)
    if not known:
        raise RefusalError(Refusal.NO_SUCH_LEVEL, text=player[:MAX_ECHO], levels=LEVELS)


def _check_free(draft: Draft, user: int | None = None) -> None:
    seats, kept = draft.table.terms.seats, draft.table.guests.reserved_until
    if len(draft.table.seats) >= seats:
        raise RefusalError(Refusal.TABLE_FULL, seats=seats)
    if user not in kept and len(draft.table.seats) + len(kept) >= seats:
        raise RefusalError(Refusal.SEATS_KEPT, people=tuple(kept), until=min(kept.values()))


def _seat_player(draft: Draft, event: Opened | Joined, user: int | None = None, word: str = "") -> None:
    """Apply a seating event and the user's entropy; the last seat begins the match."""
    draft.apply(event)
    if user is not None:
        add_entropy(draft, user, word)
    if len(draft.table.seats) == draft.table.terms.seats:
        _begin_match(draft)


def _begin_match(draft: Draft) -> None:
    seats, given = draft.table.seats, draft.context
    if draft.table.commitment not in ("", compute_commitment(given.secret)):
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
        began = [began[0], build_guided_deal(given.rules)]
    draft.apply(*began)
    update_clock(draft, [*began, *play_forced_moves(draft)])


def add_entropy(draft: Draft, user: int, word: str = "") -> None:
    """Add a word of a seated user to the deals, or else the interaction id if they have added nothing yet. Raises
    RefusalError(BAD_WORD, DEAL_NO_WORD).
    """
    if draft.table.terms.deal:
        if word:
            raise RefusalError(Refusal.DEAL_NO_WORD)
        return  # entropy would give this table other hands than the other tables of the deal
    seat = draft.table.find_seat(user)
    before = "" if seat is None else draft.table.seats[seat].contribution
    interaction_id = draft.context.interaction_id
    text = _normalize_word(word) if word else before
    if not text and interaction_id is not None:
        text = hash_interaction(interaction_id)
    if seat is not None and text != before:
        draft.apply(Contributed(seat, text))


def add_word(draft: Draft, command: AddWord) -> None:
    """Add a word to the deals. Raises RefusalError(BAD_WORD, WORD_TOO_LATE, JOIN_FIRST, ...)."""
    if draft.table.state != "lobby":
        reasons = {"open": Refusal.WORD_TOO_LATE, "done": Refusal.FINISHED}
        raise RefusalError(reasons.get(draft.table.state, Refusal.CLOSED))
    if draft.table.find_seat(command.user) is None:
        raise RefusalError(Refusal.JOIN_FIRST)
    add_entropy(draft, command.user, _normalize_word(command.word))


def _normalize_word(word: str) -> str:
    try:
        return normalize_word(word)
    except ValueError:
        raise RefusalError(Refusal.BAD_WORD, most=MAX_WORD_LENGTH) from None


LEARNER_HAND: Final = "113 235 224 244 445 125"  # hand of seat 0, the user
COMPUTER_HAND: Final = "124 444 114 111 001 014"
"""Hand of seat 1; its highest triple opens, so the user finds a tile to play at."""
GUIDED_BONEYARD: Final = "134 225 011 045"  # draw order; so few tiles keep the lesson short


def build_guided_deal(rules: Rules) -> Dealt:
    """Return the deal of a guided game; tiles in no hand and not in the boneyard are set aside."""
    hands, boneyard = (_parse_tiles(LEARNER_HAND), _parse_tiles(COMPUTER_HAND)), _parse_tiles(GUIDED_BONEYARD)
    used = {tile for group in (*hands, boneyard) for tile in group}
    opener, choices = rules.find_opening(hands)
    aside = tuple(tile for tile in rules.tiles if tile not in used)
    return Dealt(1, hands, boneyard, opener, choices, aside)


def _parse_tiles(text: str) -> tuple[Tile, ...]:
    return tuple(parse_labels(labels, 3) for labels in text.split())
