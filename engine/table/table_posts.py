"""What has to be said in public about an act: a function of its events, and of the table before and after them.

A post is a kind and a small JSON body for whoever writes it. Nothing here knows who reads it.
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

TURN: Final = "turn"
"""Calls somebody to move: worthless as soon as the turn is somebody else's."""
QUESTION: Final = "question"
"""Asks the people at a table: its message is looked for again when there is an answer."""
ANSWER: Final = "agreement"
"""Tells what a question led to: by its body's `key`, that somebody said "no", or that a seat was "replaced"."""
SETTLED: Final = "settled"
"""Puts the outcome of a question in the place of the question."""
LAPSES: Final = "lapses"
"""Says, at its time, that nobody has settled the question."""
INVITATION: Final = "invitation"
"""Calls people to seats that are kept for them: once, whatever becomes of it."""
ANSWERED: Final = "answered"
"""Lets the calls stop calling whose seats are kept for nobody any more."""
ABSENCE: Final = "absence"
"""Asks the others what to do about a silent player: its message is looked for again like that of a question."""
UNASKED: Final = "unasked"
"""Puts what became of it in the place of that question, where nobody has answered it by its buttons."""
ASKED_ON: Final = "asked_on"
"""Says in that question how long there is to answer it by now."""
ASIDE: Final = "set_aside"
"""Says that a table's log cannot be read and it is set aside; with `back` in its body, that it can be read again."""
RULING: Final = "moderated"
"""Tells of what a moderator did."""

AT_IT: Final = 60_000
"""Whoever has gone on to their turn themselves is at it: they are called so many ms later, if it is still theirs."""

SAID_ALOUD: Final = ("idle", "made_way")
"""Why a table was closed, where nobody at it did that: it is said beside the board."""

Outcome = Literal["agreed", "no", "withdrawn", "lapsed"]
"""What becomes of a question: it is done, somebody else says no, the asker does, or the match goes on without it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Post:
    """Something to say in public, written together with what it tells and sent after that.

    `body` is JSON for the sender. `channel_id` None is the match's channel, `at` None is at once.
    """

    kind: str
    body: Mapping[str, Any] = field(default_factory=dict)
    channel_id: int | None = None
    at: int | None = None


def posts_of(
    before: TableState, events: Sequence[LogEvent], after: TableState, match: Match | None, turn: Turn | None
) -> list[Post]:
    """What these events, which lead from one state to the other, have to say; `match` and `turn` are as after them."""
    said = [*_settling(before, events, after), *_unasked(before, events, after)]
    if not before.guests.kept.keys() <= after.guests.kept.keys():
        said.append(Post(kind=ANSWERED))
    start = after.seq - len(events)
    for seq, (event, following) in enumerate(zip_longest(events, events[1:]), start + 1):
        said += _told(before, event, following, seq, after.clock.watch.began, turn)
    if match is not None and _calls(events, after, match, turn):
        said += _call(turn, at=after.clock.watch.began + AT_IT if _is_at_it(events, turn) else None)
    # Who said no, or who goes on, is told before the question stops asking.
    return sorted(said, key=lambda post: post.kind != ANSWER)


def withdrawn_by(before: TableState, events: Sequence[LogEvent], after: TableState) -> tuple[str, ...]:
    """The kinds of posts that wait to be sent and lose their sense by these events."""
    settled = _ended(before, after) is not None
    # The call tells a time that does not run, to somebody who cannot act.
    stopped = any(isinstance(event, table_events.Paused | table_events.PauseAgreed) for event in events)
    return (LAPSES,) * settled + (TURN,) * stopped


def begins_turn(events: Sequence[LogEvent], match: Match) -> bool:
    """Whether what happened in a match leads to a turn that has just begun.

    Whoever goes on after a choice or with a further tile is in the middle of one; but an opening tile that played
    itself, and earned a choice, is a turn that its seat has yet to hear of.
    """
    dealt = any(isinstance(event, Dealt) for event in events)
    goes_on = not dealt and (match.choosing or match.bonus_tiles or match.further)
    turn_ended = any(isinstance(event, Placed | Chose | Passed | Dealt | Resigned | Undone) for event in events)
    return turn_ended and not goes_on and match.ended is None


def _calls(events: Sequence[LogEvent], after: TableState, match: Match, turn: Turn | None) -> bool:
    """Whether somebody is to be called: never while the turn before can be taken back alone, nor when it just was."""
    alone = any(isinstance(event, Undone) and not event.agreed for event in events)
    if after.unsettled is not None or alone or match.ended is not None:
        return False
    # Somebody's premove may have brought them to the middle of a turn that they do not know of.
    begun = [event for event in events if isinstance(event, table_events.TurnBegan) and event.how == "next"]
    ahead = turn is not None and bool(begun) and begun[-1].seat == turn.seat
    return begins_turn(events, match) or ahead or any(isinstance(event, table_events.Settled) for event in events)


def _is_at_it(events: Sequence[LogEvent], turn: Turn | None) -> bool:
    """Whether the turn that begins is that of the person who would not wait for it: they look at their hand."""
    return turn is not None and any(isinstance(one, table_events.Settled) and one.by == turn.seat for one in events)


def _told(
    before: TableState, event: LogEvent, following: LogEvent | None, seq: int, began: int, turn: Turn | None
) -> list[Post]:
    match event:
        # The last round's end is told together with the match's.
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
            # Whoever was asked reads it where they were asked.
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
    """The post that calls a person to move; nobody is called where it is a computer's turn or nobody's."""
    return [] if turn is None or turn.user is None else [Post(kind=TURN, body={"seat": turn.seat}, at=at)]


def _unasked(before: TableState, events: Sequence[LogEvent], after: TableState) -> list[Post]:
    """The question about a silent player is none any more: their turn has ended, the clock has decided, it stands
    still, or they have ended a pause. Whoever answers it by a button has the answer written over it.
    """
    asked, now = before.clock.watch, after.clock.watch
    if asked.asking is None:
        return []
    if now.asking == asked.asking and after.state == "open":
        # A pause or an outage has come in between.
        return [] if now.until == asked.until else [Post(kind=ASKED_ON, body={"asked": asked.asking})]
    made = [event for event in events if isinstance(event, table_events.ChoiceMade)]
    goes_on = any(isinstance(event, table_events.PauseEnded) for event in events)
    if any(event.how != "default" for event in made) and not goes_on:
        return []
    outcome = made[0].choice if made and not goes_on else "end" if after.state != "open" else "goes_on"
    return [Post(kind=UNASKED, body={"asked": asked.asking, "seat": asked.seat, "outcome": outcome})]


def _ended(before: TableState, after: TableState) -> Question | None:
    """The question whose message still asks, and that is none any more."""
    asked, now = before.question, after.question
    goes_on = now is not None and asked is not None and now.number == asked.number and not now.refused
    return None if asked is None or asked.refused or goes_on else asked


def _settling(before: TableState, events: Sequence[LogEvent], after: TableState) -> list[Post]:
    """What is to be said because the open question is none any more. Everything that a sentence about it needs goes
    along: the table changes with it.
    """
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
    """What became of a question, and who said no where somebody else did."""
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
