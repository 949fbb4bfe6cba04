"""A table as the services see it: its row in the store, its seats, its terms, and the match once it has begun."""

from collections import OrderedDict
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from typing import Any, Final, Literal

import msgspec

from bot.service.clockface import Clockface
from bot.service.outages import Outages
from bot.service.paces import Pace, parse_pace
from bot.service.refusals import No, Refused
from bot.service.story import Story, story_of
from data.rulebook import DEFAULT, rules
from data.store import Asked, Head, Loaded, SeatRow, Store
from engine.match import Match
from engine.rules import Rules

CLASSIC: Final = "classic"
"""Tiles with digits."""
THEMES: Final = (CLASSIC, "picture")
"""The ways to draw tiles, as the pictures know them."""
RELAXED: Final = "relaxed"
"""The clock of a table that gives everybody all the time there is."""

Absent = Literal["turn", "seat", "end"]
"""What is done about somebody who lets their time run out again: the computer plays that turn, or their seat until they
are back, or the match ends."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Terms:
    """What the host chose when the table was opened."""

    game: str
    seats: int
    """How many can sit down; the match starts by itself when all have."""
    target: int
    by_hand: bool
    preset: str = DEFAULT
    options: Mapping[str, str] = field(default_factory=dict)
    """What the host chose beside the preset, by the names of RULES §3.1."""
    theme: str = CLASSIC
    """How tiles are drawn."""
    clock: str = RELAXED
    """How long people have to move, as `bot.service.paces` reads it."""
    absent: Absent = "turn"
    closed: str = ""
    """Why the table was closed without a match, as the end of a key of `lobby.closed_`."""

    @property
    def rules(self) -> Rules:
        """The rules of this table."""
        chosen = rules(self.game, self.preset)
        for name, value in self.options.items():
            chosen = chosen.with_option(name, value)
        return replace(chosen, target=self.target)

    @property
    def pace(self) -> Pace:
        """How long people have to move."""
        return parse_pace(self.clock)

    def stored(self) -> Mapping[str, Any]:
        """As the store keeps it."""
        return asdict(self)


@dataclass(frozen=True, slots=True)
class Table:
    """One table at one moment. The story is None in the lobby; it is shared, so copy it before carrying it on."""

    head: Head
    seats: tuple[SeatRow, ...]
    terms: Terms
    story: Story | None

    @property
    def rules(self) -> Rules:
        """What is played here: as the match began, whatever the game's file has come to say since."""
        return self.terms.rules if self.story is None else self.story.match.rules

    @property
    def match(self) -> Match:
        """The match. Raises Refused when there is none yet, or none came about."""
        if self.story is None or self.head.state == "void":
            raise Refused(No.CLOSED if self.head.state == "void" else No.NOT_STARTED, host=self.head.host_id)
        return self.story.match

    def seat_of(self, user_id: int) -> int | None:
        """The seat of a person, None for somebody who watches."""
        return next((row.seat for row in self.seats if row.user_id == user_id), None)

    @property
    def face(self) -> Clockface:
        """What the clock says."""
        return Clockface.read(self.head.clock)

    def still(self, seq: int) -> bool:
        """Whether a button made at that move is still good: since then there were at most reminders and the like."""
        return self.face.still(seq, self.head.seq)

    def turn_user(self) -> int | None:
        """The person to act; None when it is a computer's turn or nobody's."""
        return self.head.turn.user if self.head.turn else None


class Tables:
    """Reads tables from the store. Replayed matches are kept for a while; the store's head says if one is current.

    A clock that ran through an outage is read as if that time had been given back already.
    """

    KEPT: Final = 1000

    def __init__(self, store: Store) -> None:
        self._store = store
        self.outages = Outages(store)
        self._stories: OrderedDict[int, tuple[int, Story]] = OrderedDict()

    async def load(self, match_id: int) -> Table:
        """The table as it stands. Raises Refused(NO_SUCH_TABLE)."""
        return await self._current(match_id, await self._store.sat_at(match_id))

    async def asked(self, match_id: int, request: int) -> tuple[Table, Asked]:
        """The same, with what else the store knew when this interaction asked for something there."""
        asked = await self._store.asked(match_id, request)
        if asked is None:
            raise Refused(No.NO_SUCH_TABLE)
        return await self._current(match_id, (asked.head, asked.seats)), asked

    async def _current(self, match_id: int, found: tuple[Head, tuple[SeatRow, ...]] | None) -> Table:
        if found is None:
            raise Refused(No.NO_SUCH_TABLE)
        head, seats = found
        kept = self._stories.get(match_id)
        if kept is not None and kept[0] == head.seq:
            self._stories.move_to_end(match_id)
            return Table(await self.outages.given(head), seats, _terms(head), kept[1])
        loaded = await self._store.load(match_id)
        if loaded is None:
            raise Refused(No.NO_SUCH_TABLE)
        return self._read(replace(loaded, head=await self.outages.given(loaded.head)))

    async def here(self, channel_id: int, *, over: bool = True) -> Table | None:
        """The table that is open in a channel, else the last one that was played there, unless `over` is False."""
        heads = await self._store.heads_in_channel(channel_id, ("lobby", "open"))
        if over and not heads:
            heads = await self._store.heads_in_channel(channel_id, ("done",), limit=1)
        return await self.load(heads[0].match_id) if heads else None

    async def of(self, user_id: int) -> list[Table]:
        """The tables somebody sits at that are not over."""
        heads = await self._store.heads_of_user(user_id, ("lobby", "open"))
        return [await self.load(head.match_id) for head in heads]

    async def earlier(self, match_id: int, seq: int) -> Table:
        """The table as it stood at an earlier move."""
        now = await self.load(match_id)
        return Table(now.head, now.seats, now.terms, story_of(await self._store.events(match_id, upto=seq)))

    def keep(self, head: Head, story: Story) -> None:
        """Remember a story that was just carried on. One that is over is hardly ever looked at again."""
        if head.state != "open":
            self._stories.pop(head.match_id, None)
            return
        self._stories[head.match_id] = (head.seq, story)
        self._stories.move_to_end(head.match_id)
        while len(self._stories) > self.KEPT:
            self._stories.popitem(last=False)

    def _read(self, loaded: Loaded) -> Table:
        story = story_of(loaded.events) if loaded.events else None
        if story is not None:
            self.keep(loaded.head, story)
        return Table(loaded.head, loaded.seats, _terms(loaded.head), story)


def _terms(head: Head) -> Terms:
    return msgspec.convert(head.settings, Terms)
