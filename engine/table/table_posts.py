"""Public posts about an act: a function of its events and of the table before and after.

A post has a kind and a small JSON body; the sender writes the text.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import zip_longest
from typing import Any, Final, Literal

from engine.board.tiles import format_tile_notation
from engine.match.events import Chose, Dealt, MatchEnded, Passed, Placed, Resigned, RoundEnded, Undone
from engine.match.state import Match
from engine.table import table_events
from engine.table.table_events import RULING_EVENTS, LogEvent, ReadAgain
from engine.table.table_state import Question, TableState, Turn

TURN: Final = "turn"  # asks a player to move; obsolete with the next turn
QUESTION: Final = "question"  # asks the players; its message is edited when an answer arrives
ANSWER: Final = "agreement"  # result of a question: the body's `key` is "no" or "replaced"
QUESTION_CLOSED: Final = "settled"  # replaces the question by its outcome
QUESTION_EXPIRED: Final = "lapses"  # scheduled message that the question timed out
INVITATION: Final = "invitation"  # invites users to reserved seats, once
INVITATION_CLOSED: Final = "answered"  # ends the invitations to seats that are no longer reserved
ABSENCE: Final = "absence"  # asks about a silent player; its message is edited as that of a question
ABSENCE_CLOSED: Final = "unasked"  # replaces that question by its outcome if no button answered it
ABSENCE_UPDATED: Final = "asked_on"  # updates the time left to answer that question
QUARANTINE: Final = "set_aside"  # the table is quarantined, or with `back` in the body, readable again
RULING: Final = "moderated"  # a moderator's act
TURN_POST_DELAY: Final = 60_000  # delay of the turn post in ms for a player who has just looked at their hand
POSTED_REASONS: Final = ("idle", "made_way")  # reasons of closing that are posted because no user caused it
Outcome = Literal["agreed", "no", "withdrawn", "lapsed"]
"""Outcome of a question; "lapsed" also if the match continued without it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Post:
    """A public message, sent later; `body` is JSON. No `channel_id`: the match's channel; no `at`: at once."""

    kind: str
    body: Mapping[str, Any] = field(default_factory=dict)
    channel_id: int | None = None
    at: int | None = None


def build_posts(
    before: TableState, events: Sequence[LogEvent], after: TableState, match: Match | None, turn: Turn | None
) -> list[Post]:
    """Return the posts about these events; `match` and `turn` are as after them."""
    posts = [*_close_question(before, events, after), *_close_absence_question(before, events, after)]
    if not before.guests.reserved_until.keys() <= after.guests.reserved_until.keys():
        posts.append(Post(kind=INVITATION_CLOSED))
    start = after.seq - len(events)
    for seq, (event, following) in enumerate(zip_longest(events, events[1:]), start + 1):
        posts += _build_event_posts(before, event, following, seq, after.clock.watch.began, turn)
    if match is not None and _should_post_turn(events, after, match, turn):
        settled_by = [event.by for event in events if isinstance(event, table_events.Settled)]
        is_viewing = turn is not None and turn.seat in settled_by
        posts += _build_turn_posts(turn, at=after.clock.watch.began + TURN_POST_DELAY if is_viewing else None)
    # The refusal or the new player appears before the question is closed.
    return sorted(posts, key=lambda post: post.kind != ANSWER)


def list_obsolete_kinds(before: TableState, events: Sequence[LogEvent], after: TableState) -> tuple[str, ...]:
    """Return the kinds of waiting posts that are obsolete after these events."""
    settled = _find_ended_question(before, after) is not None
    # A turn post would show a time that does not run.
    stopped = any(isinstance(event, table_events.Paused | table_events.PauseAgreed) for event in events)
    return (QUESTION_EXPIRED,) * settled + (TURN,) * stopped


def has_turn_begun(events: Sequence[LogEvent], match: Match) -> bool:
    """Return whether events of a match lead to a turn that has just begun. A choice or a further tile continues a turn.
    A forced opening tile that earned a choice counts as a new turn, since its seat was not notified.
    """
    dealt = any(isinstance(event, Dealt) for event in events)
    goes_on = not dealt and (match.choosing or match.bonus_tiles or match.further)
    turn_ended = any(isinstance(event, Placed | Chose | Passed | Dealt | Resigned | Undone) for event in events)
    return turn_ended and not goes_on and match.ended is None


def _should_post_turn(events: Sequence[LogEvent], after: TableState, match: Match, turn: Turn | None) -> bool:
    """Return whether to post the turn: not while the turn before is tentative, nor after it was undone alone."""
    undone_alone = any(isinstance(event, Undone) and not event.agreed for event in events)
    if after.tentative_turn is not None or undone_alone or match.ended is not None:
        return False
    # A premove may have led to the middle of a turn without a post.
    begun = [event for event in events if isinstance(event, table_events.TurnBegan) and event.how == "next"]
    has_new_turn = turn is not None and bool(begun) and begun[-1].seat == turn.seat
    has_settled = any(isinstance(event, table_events.Settled) for event in events)
    return has_turn_begun(events, match) or has_new_turn or has_settled


def _build_event_posts(
    before: TableState, event: LogEvent, following: LogEvent | None, seq: int, began: int, turn: Turn | None
) -> list[Post]:
    match event:
        # The end of the last round is posted with that of the match.
        case RoundEnded() if isinstance(following, Dealt):
            return [Post(kind="round", body={"seq": seq, "opener": following.opener})]
        case MatchEnded():
            return [Post(kind="end", body={"seq": seq})]
        case table_events.Reminded(seat):
            return [Post(kind="remind", body={"seat": seat, "began": began})]
        case table_events.ChoiceAsked(seat, until):
            return [Post(kind=ABSENCE, body={"seat": seat, "asked": seq, "until": until})]
        case table_events.ChoiceMade(seat, choice, how):
            key = how if how == "returned" else f"{choice}_{how}"
            turn_posts = _build_turn_posts(turn) if (choice, how) == ("wait", "chosen") else []
            return [_build_notice(key, seat), *turn_posts]
        case table_events.EndWished(seat, silent, waiting):
            return [Post(kind="notice", body={"key": "end_wished", "seat": seat, "silent": silent, "waiting": waiting})]
        case table_events.Returned(seat, True):
            return [_build_notice("returned", seat)]
        case table_events.Away(seat, until, told) if told:
            return [_build_notice(told, seat, until)]
        case table_events.Asked():
            lapses = Post(kind=QUESTION_EXPIRED, body={"number": seq}, at=event.until)
            return [Post(kind=QUESTION, body={"number": seq}), lapses]
        case table_events.Answered(seat, False) if before.question is not None:
            asked = before.question
            user = _find_user(before, seat, asked)
            refusal = Post(kind=ANSWER, body={"key": "no", "kind": asked.kind, "user": user})
            return [] if seat == asked.by else [refusal]
        case table_events.Replaced(seat, user):
            left = before.seats[seat].user_id
            turn_posts = _build_turn_posts(turn) if turn is not None and turn.seat == seat else []
            return [Post(kind=ANSWER, body={"key": "replaced", "user": left, "person": user}), *turn_posts]
        case table_events.Kept(users, _, True):
            return [Post(kind=INVITATION, body={"users": list(users)})]
        case table_events.PauseAgreed(seat, until):
            # The asked players read it in the question's message.
            return [] if before.open_question is not None else [_build_notice("pause", seat, until)]
        case table_events.PauseEnded(seat):
            key = "goes_on" if seat is not None else "goes_on_by_itself"
            return [_build_notice(key, seat), *_build_turn_posts(turn)]
        case table_events.Moved(_, made_way):
            return [*([_build_plain_notice("made_way_moved")] if made_way else []), *_build_turn_posts(turn)]
        case ReadAgain():
            return [Post(kind=QUARANTINE, body={"back": True}), *_build_turn_posts(turn)]
        case table_events.Closed(reason) if reason in POSTED_REASONS:
            return [_build_plain_notice(reason)]
        case _ if isinstance(event, RULING_EVENTS):
            turn_posts = _build_turn_posts(turn) if isinstance(event, table_events.Resumed) else []
            return [Post(kind=RULING, body={"seq": seq}), *turn_posts]
        case _:
            return []


def _build_notice(key: str, seat: int | None, until: int | None = None) -> Post:
    return Post(kind="notice", body={"key": key, "seat": seat} | ({} if until is None else {"until": until}))


def _build_plain_notice(key: str) -> Post:
    return Post(kind="notice", body={"key": key})


def _build_turn_posts(turn: Turn | None, *, at: int | None = None) -> list[Post]:
    """Return the turn post; none for a computer."""
    return [] if turn is None or turn.user is None else [Post(kind=TURN, body={"seat": turn.seat}, at=at)]


def _close_absence_question(before: TableState, events: Sequence[LogEvent], after: TableState) -> list[Post]:
    """Close the question about a silent player, unless a button answered it: that edits the message itself."""
    asked, now = before.clock.watch, after.clock.watch
    if asked.absence_question is None:
        return []
    if now.absence_question == asked.absence_question and after.state == "open":
        # A pause or an outage has moved the deadline since the question.
        return [] if now.until == asked.until else [Post(kind=ABSENCE_UPDATED, body={"asked": asked.absence_question})]
    made = [event for event in events if isinstance(event, table_events.ChoiceMade)]
    goes_on = any(isinstance(event, table_events.PauseEnded) for event in events)
    if any(event.how != "default" for event in made) and not goes_on:
        return []
    outcome = made[0].choice if made and not goes_on else "end" if after.state != "open" else "goes_on"
    body = {"asked": asked.absence_question, "seat": asked.seat, "outcome": outcome}
    return [Post(kind=ABSENCE_CLOSED, body=body | ({"left": True} if asked.asked == "left" else {}))]


def _find_ended_question(before: TableState, after: TableState) -> Question | None:
    """Return the question that is no longer open but whose message still asks."""
    asked, now = before.question, after.question
    goes_on = now is not None and asked is not None and now.number == asked.number and not now.refused
    return None if asked is None or asked.refused or goes_on else asked


def _close_question(before: TableState, events: Sequence[LogEvent], after: TableState) -> list[Post]:
    """Return the post that closes the open question, with all facts for its text, because the table changes."""
    asked = _find_ended_question(before, after)
    if asked is None:
        return []
    outcome, user = _find_outcome(before, events, asked)
    people = [before.seats[seat].user_id for seat in asked.asked]
    body = {
        "number": asked.number,
        "outcome": "lapsed" if asked.is_unanswerable else outcome,
        "kind": asked.kind,
        "by": before.seats[asked.by].user_id,
        "owner": None if asked.seat == asked.by else before.seats[asked.seat].user_id,
        "person": asked.person,
        "user": user,
        "tile": format_tile_notation(asked.tile) if asked.tile is not None else "",
        "asked": [*people, *([asked.person] if asked.person else [])],
    }
    return [Post(kind=QUESTION_CLOSED, body=body)]


def _find_outcome(before: TableState, events: Sequence[LogEvent], asked: Question) -> tuple[Outcome, int | None]:
    for event in events:
        match event:
            case table_events.Answered(seat, False) if seat == asked.by:
                return "withdrawn", _find_user(before, seat, asked)
            case table_events.Answered(seat, False):
                return "no", _find_user(before, seat, asked)
            case (
                Undone(_, True) | table_events.Closed(_, _, True) | table_events.Replaced() | table_events.PauseAgreed()
            ):
                return "agreed", None
            case _:
                continue
    return "lapsed", None


def _find_user(table: TableState, seat: int | None, asked: Question) -> int | None:
    return asked.person if seat is None else table.seats[seat].user_id
