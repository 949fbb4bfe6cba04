"""Public posts about an act: a function of its events and of the table before and after.

A post has a kind and a small JSON body; the sender writes the text.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import zip_longest
from typing import Any, Final, Literal

from engine.board.tiles import tile_text
from engine.match.events import Chose, Dealt, MatchEnded, Passed, Placed, Resigned, RoundEnded, Undone
from engine.match.state import Match
from engine.table import table_events
from engine.table.table_events import MODERATED, LogEvent, ReadAgain
from engine.table.table_state import Question, TableState, Turn

TURN: Final = "turn"  # asks a player to move; obsolete with the next turn
QUESTION: Final = "question"  # asks the players; its message is edited when an answer arrives
ANSWER: Final = "agreement"  # result of a question: the body's `key` is "no" or "replaced"
SETTLED: Final = "settled"  # replaces the question by its outcome
LAPSES: Final = "lapses"  # scheduled message that the question timed out
INVITATION: Final = "invitation"  # invites users to reserved seats, once
ANSWERED: Final = "answered"  # ends the invitations to seats that are no longer reserved
ABSENCE: Final = "absence"  # asks about a silent player; its message is edited as that of a question
UNASKED: Final = "unasked"  # replaces that question by its outcome if no button answered it
ASKED_ON: Final = "asked_on"  # updates the time left to answer that question
ASIDE: Final = "set_aside"  # the table is quarantined, or with `back` in the body, readable again
RULING: Final = "moderated"  # a moderator's act
AT_IT: Final = 60_000  # delay of the turn post in ms for a player who has just looked at their hand
SAID_ALOUD: Final = ("idle", "made_way")  # reasons of closing that are posted because no user caused it
Outcome = Literal["agreed", "no", "withdrawn", "lapsed"]
"""Outcome of a question; "lapsed" also if the match continued without it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Post:
    """A public message, sent later; `body` is JSON. No `channel_id`: the match's channel; no `at`: at once."""

    kind: str
    body: Mapping[str, Any] = field(default_factory=dict)
    channel_id: int | None = None
    at: int | None = None


def posts_of(
    before: TableState, events: Sequence[LogEvent], after: TableState, match: Match | None, turn: Turn | None
) -> list[Post]:
    """Return the posts about these events; `match` and `turn` are as after them."""
    said = [*_settling(before, events, after), *_unasked(before, events, after)]
    if not before.guests.kept.keys() <= after.guests.kept.keys():
        said.append(Post(kind=ANSWERED))
    start = after.seq - len(events)
    for seq, (event, following) in enumerate(zip_longest(events, events[1:]), start + 1):
        said += _told(before, event, following, seq, after.clock.watch.began, turn)
    if match is not None and _calls(events, after, match, turn):
        seen = [event.by for event in events if isinstance(event, table_events.Settled)]
        at_it = turn is not None and turn.seat in seen
        said += _call(turn, at=after.clock.watch.began + AT_IT if at_it else None)
    # The refusal or the new player appears before the question is closed.
    return sorted(said, key=lambda post: post.kind != ANSWER)


def withdrawn_by(before: TableState, events: Sequence[LogEvent], after: TableState) -> tuple[str, ...]:
    """Return the kinds of waiting posts that are obsolete after these events."""
    settled = _ended(before, after) is not None
    # A turn post would show a time that does not run.
    stopped = any(isinstance(event, table_events.Paused | table_events.PauseAgreed) for event in events)
    return (LAPSES,) * settled + (TURN,) * stopped


def begins_turn(events: Sequence[LogEvent], match: Match) -> bool:
    """Return whether events of a match lead to a turn that has just begun. A choice or a further tile continues a turn.
    A forced opening tile that earned a choice counts as a new turn, since its seat was not notified.
    """
    dealt = any(isinstance(event, Dealt) for event in events)
    goes_on = not dealt and (match.choosing or match.bonus_tiles or match.further)
    turn_ended = any(isinstance(event, Placed | Chose | Passed | Dealt | Resigned | Undone) for event in events)
    return turn_ended and not goes_on and match.ended is None


def _calls(events: Sequence[LogEvent], after: TableState, match: Match, turn: Turn | None) -> bool:
    """Return whether to post the turn: not while the turn before is tentative, nor after it was undone alone."""
    alone = any(isinstance(event, Undone) and not event.agreed for event in events)
    if after.unsettled is not None or alone or match.ended is not None:
        return False
    # A premove may have led to the middle of a turn without a post.
    begun = [event for event in events if isinstance(event, table_events.TurnBegan) and event.how == "next"]
    ahead = turn is not None and bool(begun) and begun[-1].seat == turn.seat
    return begins_turn(events, match) or ahead or any(isinstance(event, table_events.Settled) for event in events)


def _told(
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
            called = _call(turn) if (choice, how) == ("wait", "chosen") else []
            return [_notice(key, seat), *called]
        case table_events.EndWished(seat, silent, waiting):
            return [Post(kind="notice", body={"key": "end_wished", "seat": seat, "silent": silent, "waiting": waiting})]
        case table_events.Returned(seat, True):
            return [_notice("returned", seat)]
        case table_events.Away(seat, until, told) if told:
            return [_notice(told, seat, until)]
        case table_events.Asked():
            lapses = Post(kind=LAPSES, body={"number": seq}, at=event.until)
            return [Post(kind=QUESTION, body={"number": seq}), lapses]
        case table_events.Answered(seat, False) if before.question is not None:
            asked = before.question
            user = _user(before, seat, asked)
            refusal = Post(kind=ANSWER, body={"key": "no", "kind": asked.kind, "user": user})
            return [] if seat == asked.by else [refusal]
        case table_events.Replaced(seat, user):
            left = before.seats[seat].user_id
            called = _call(turn) if turn is not None and turn.seat == seat else []
            return [Post(kind=ANSWER, body={"key": "replaced", "user": left, "person": user}), *called]
        case table_events.Kept(users, _, True):
            return [Post(kind=INVITATION, body={"users": list(users)})]
        case table_events.PauseAgreed(seat, until):
            # The asked players read it in the question's message.
            return [] if before.open_question is not None else [_notice("pause", seat, until)]
        case table_events.PauseEnded(seat):
            return [_notice("goes_on" if seat is not None else "goes_on_by_itself", seat), *_call(turn)]
        case table_events.Moved(_, made_way):
            return [*([_line("made_way_moved")] if made_way else []), *_call(turn)]
        case ReadAgain():
            return [Post(kind=ASIDE, body={"back": True}), *_call(turn)]
        case table_events.Closed(reason) if reason in SAID_ALOUD:
            return [_line(reason)]
        case _ if isinstance(event, MODERATED):
            called = _call(turn) if isinstance(event, table_events.Resumed) else []
            return [Post(kind=RULING, body={"seq": seq}), *called]
        case _:
            return []


def _notice(key: str, seat: int | None, until: int | None = None) -> Post:
    return Post(kind="notice", body={"key": key, "seat": seat} | ({} if until is None else {"until": until}))


def _line(key: str) -> Post:
    return Post(kind="notice", body={"key": key})


def _call(turn: Turn | None, *, at: int | None = None) -> list[Post]:
    """Return the turn post; none for a computer."""
    return [] if turn is None or turn.user is None else [Post(kind=TURN, body={"seat": turn.seat}, at=at)]


def _unasked(before: TableState, events: Sequence[LogEvent], after: TableState) -> list[Post]:
    """Close the question about a silent player, unless a button answered it: that edits the message itself."""
    asked, now = before.clock.watch, after.clock.watch
    if asked.asking is None:
        return []
    if now.asking == asked.asking and after.state == "open":
        # A pause or an outage came in between.
        return [] if now.until == asked.until else [Post(kind=ASKED_ON, body={"asked": asked.asking})]
    made = [event for event in events if isinstance(event, table_events.ChoiceMade)]
    goes_on = any(isinstance(event, table_events.PauseEnded) for event in events)
    if any(event.how != "default" for event in made) and not goes_on:
        return []
    outcome = made[0].choice if made and not goes_on else "end" if after.state != "open" else "goes_on"
    return [Post(kind=UNASKED, body={"asked": asked.asking, "seat": asked.seat, "outcome": outcome})]


def _ended(before: TableState, after: TableState) -> Question | None:
    """Return the question that is no longer open but whose message still asks."""
    asked, now = before.question, after.question
    goes_on = now is not None and asked is not None and now.number == asked.number and not now.refused
    return None if asked is None or asked.refused or goes_on else asked


def _settling(before: TableState, events: Sequence[LogEvent], after: TableState) -> list[Post]:
    """Return the post that closes the open question, with all facts for its text, because the table changes."""
    asked = _ended(before, after)
    if asked is None:
        return []
    outcome, user = _outcome(before, events, asked)
    people = [before.seats[seat].user_id for seat in asked.asked]
    body = {
        "number": asked.number,
        "outcome": "lapsed" if asked.lost else outcome,
        "kind": asked.kind,
        "by": before.seats[asked.by].user_id,
        "owner": None if asked.seat == asked.by else before.seats[asked.seat].user_id,
        "person": asked.person,
        "user": user,
        "tile": tile_text(asked.tile) if asked.tile is not None else "",
        "asked": [*people, *([asked.person] if asked.person else [])],
    }
    return [Post(kind=SETTLED, body=body)]


def _outcome(before: TableState, events: Sequence[LogEvent], asked: Question) -> tuple[Outcome, int | None]:
    for event in events:
        match event:
            case table_events.Answered(seat, False) if seat == asked.by:
                return "withdrawn", _user(before, seat, asked)
            case table_events.Answered(seat, False):
                return "no", _user(before, seat, asked)
            case (
                Undone(_, True) | table_events.Closed(_, _, True) | table_events.Replaced() | table_events.PauseAgreed()
            ):
                return "agreed", None
            case _:
                continue
    return "lapsed", None


def _user(table: TableState, seat: int | None, asked: Question) -> int | None:
    return asked.person if seat is None else table.seats[seat].user_id
