"""What a table's clock says, as the head of its match keeps it: the time, the reminders, and who plays for whom."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Literal, Self, TypeVar

import msgspec

from bot.service.clocks import REMIND_AT, Time, deadline, left, spent
from bot.service.paces import MINUTE
from bot.service.wishes import Wishes, quiet_since, quiet_until
from data.store import Due

T = TypeVar("T")

StandIn = Literal["turn", "seat"]
"""The computer plays one turn for a person, or their seat until they are back."""


@dataclass(frozen=True, slots=True)
class Watch:
    """What has been said and asked about the running turn. All times are UTC epoch ms."""

    seat: int | None = None
    """Whose turn it is."""
    began: int = 0
    """When that turn began."""
    mark: int | None = None
    """The used time at which its player is reminded; None: no more."""
    told: int = 0
    """When its player was last called or reminded."""
    asking: int | None = None
    """While the others choose what to do about a silent player: the move at which they were asked."""
    until: int | None = None
    """When what the table agreed on is done without them."""
    silences: Mapping[int, int] = field(default_factory=dict)
    """By seat: how often in a row its time ran out."""
    away: Mapping[int, int] = field(default_factory=dict)
    """By seat: until when its person is on vacation."""
    moved: int = 0
    """The move since which nothing on the table has changed ..."""
    calm: int = 0
    """... up to this one: what came between were reminders and the like. A button of any of them is still good."""


@dataclass(frozen=True, slots=True)
class Clockface:
    """Time, watch and stand-ins of one table."""

    time: Time = field(default_factory=Time)
    watch: Watch = field(default_factory=Watch)
    standins: Mapping[int, StandIn] = field(default_factory=dict)

    @classmethod
    def read(cls, clock: Mapping[str, Any]) -> Self:
        """Out of `Head.clock`; empty for tables that never had one."""
        kept = clock.get("time") or {}
        parts = {**kept, "standins": clock.get("standins") or {}}
        return msgspec.convert(parts, cls, str_keys=True)

    def onto(self, clock: Mapping[str, Any]) -> Mapping[str, Any]:
        """`Head.clock` with this in it; what others keep there stays."""
        kept = msgspec.to_builtins(self, str_keys=True)
        standins = kept.pop("standins")
        return {**clock, "time": kept, "standins": standins}

    def still(self, seq: int, head: int) -> bool:
        """Whether the table stands, at the move `head`, as it stood at `seq`."""
        return seq == head or (self.watch.calm == head and self.watch.moved <= seq <= head)

    def calmed(self, before: int, after: int) -> "Clockface":
        """Events from `before` to `after` that left the table as it was: what was good then is still good."""
        moved = self.watch.moved if self.watch.calm == before else before
        return replace(self, watch=replace(self.watch, moved=moved, calm=after))

    def heard(self, seat: int) -> "Clockface":
        """Somebody is there: their silences are forgotten."""
        return replace(self, watch=replace(self.watch, silences=_without(self.watch.silences, (seat,))))

    def vacated(self, seats: Collection[int]) -> "Clockface":
        """Whoever sat on these seats plays there no longer: their vacations, silences and stand-ins go with them."""
        silences, away = _without(self.watch.silences, seats), _without(self.watch.away, seats)
        watch = replace(self.watch, silences=silences, away=away)
        return replace(self, watch=watch, standins=_without(self.standins, seats))

    def stirred(self, after: int) -> "Clockface":
        """The table is another one from the move `after` on."""
        return replace(self, watch=replace(self.watch, moved=after, calm=after))


def _without(by_seat: Mapping[int, T], seats: Collection[int]) -> Mapping[int, T]:
    return {seat: value for seat, value in by_seat.items() if seat not in seats}


def marked(watch: Watch, time: Time, now: int) -> Watch:
    """The reminder stands at its share of what the turn has left."""
    rest = left(time, now)
    return replace(watch, mark=None if rest is None else spent(time, now) + rest * REMIND_AT // 100)


def next_due(face: Clockface, wishes: Wishes, *, muted: bool, calls: bool = True) -> Due | None:
    """When the clock of a person's turn acts next; None where it stands still, or has nothing to say.

    `calls` is whether the person wants to hear of turns at all.
    """
    time, watch = face.time, face.watch
    if watch.asking is not None and watch.until is not None:
        return None if time.paused else Due(at=watch.until, kind="default")
    if time.since is None:
        return None
    end = deadline(time)
    moment = None if muted or not calls else reminder(face, wishes)
    if moment is not None and (end is None or moment < end):
        return Due(at=moment, kind="remind")
    return None if end is None else Due(at=end, kind="deadline")


def reminder(face: Clockface, wishes: Wishes) -> int | None:
    """When the player of the running turn is reminded next. None: never, in this turn.

    Quiet hours put it off to their end. Where that would be too late they put it forward, before they begin.
    """
    time, watch = face.time, face.watch
    if time.since is None:
        return None
    moments = []
    if wishes.remind and watch.mark is not None:
        moments.append(time.since + max(0, watch.mark - time.used))
    if wishes.every:
        moments.append(max(watch.told, time.since) + wishes.every)
    if not moments:
        return None
    moment = min(moments)
    quiet_end = quiet_until(wishes, moment)
    if quiet_end is None:
        return moment
    end = deadline(time)
    if end is None or quiet_end < end:
        return quiet_end
    start = quiet_since(wishes, moment)
    # A minute before: at that very moment they would be asleep already.
    return None if start is None or start - MINUTE <= watch.told else start - MINUTE
