"""Writes a database as this version keeps it, and what this version says of it: `python -m tests.data.store.old.write`.

Every table is one case, made by the use cases as people and the clock drive them; what they cannot make any more is
written by hand at the end (`by_hand`). Times, deals and interactions are fixed: the same files come out every time.
"""

from __future__ import annotations

import asyncio
import gzip
import hashlib
import itertools
import json
import sqlite3
import tempfile
from collections.abc import Callable, Sequence
from contextlib import closing, suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from random import Random
from typing import Any, Final

from bot.clockwork import PULSE
from bot.service import outages
from bot.service.agreements import Agreements, Asked
from bot.service.house import House, HouseRules
from bot.service.invitations import Invitation
from bot.service.lobby import Lobby
from bot.service.matches import Acted
from bot.service.paces import DAY, HOUR, MINUTE
from bot.service.privacy import Privacy
from bot.service.proposals import standing
from bot.service.tables import Table
from bot.service.wishes import Quiet
from bot.tidying import Tidying
from data.store import QUESTION, Change, Head, LobbyEvent, NewMatch, Outage, OutboxRow, SeatRow, Store, Turn
from engine.actions import Resign, TakeBack
from engine.decide import start
from engine.events import MatchEnded, RoundEnded
from engine.moments import can_take_back
from engine.players import greedy
from engine.seen import see
from tests.bot.waiting_room import WaitingRoom
from tests.data.store.old.reading import everything

HERE: Final = Path(__file__).parent

MAY: Final = 1_777_896_000_000
"""4 May 2026, 12:00 UTC: matches of long ago."""
JUNE: Final = MAY + 31 * DAY
"""4 June 2026, 12:00 UTC: the tables that run."""
MORNING: Final = JUNE + 22 * HOUR + 30 * MINUTE
NOW: Final = JUNE + 26 * HOUR + 30 * MINUTE
"""When the database is looked at."""

PARLOUR, LOUNGE, CAFE, ATTIC, GARDEN, PORCH = (301_118_503_000_000_000 + 7_700_001 * n for n in range(6))
"""Servers: with everything set, with little, with nothing, one that the bot was removed from, and more with nothing."""

THREE, FOUR, NEWCOMER = 3, 4, 777
"""People with short ids."""


def person(number: int) -> int:
    """The id of somebody."""
    return 240_118_503_000_000_000 + 3_700_001_013 * number


ADA, GRACE, LINUS, MARY, KATE, PAUL, ROSE, TOM = map(person, range(8))
"""Who plays much."""
GUS, HAL, IVY = map(person, range(10, 13))
"""Who will be forgotten."""
MOD = person(20)
AWAY, HOME, GONE, HELD, AUTO, OUT, MUTE, QUIET, OFTEN, SILENT = map(person, range(30, 40))
"""Who have set something."""


@dataclass
class Past(WaitingRoom):
    """All that happened, at many tables, and who sat there when a round ended."""

    cases: dict[str, int] = field(default_factory=dict)
    sat: dict[int, dict[int, list[int | None]]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        super().__post_init__()
        self.numbers = itertools.count(1_310_000_000_000_000_000, 4_194_304)
        self._deals, self._messages = itertools.count(1), itertools.count(1_320_000_000_000_000_000, 8_388_608)
        self._channels = itertools.count(1_100_000_000_000_000_000, 1_048_577)
        self.asked: list[int] = []
        self.rng = Random(5)
        self.lobby = Lobby(self.store, self.tables, self.now, self.secret)
        self.agreements = Agreements(self.store, self.tables, self.matches, self.now)
        self.privacy = Privacy(self.store, self.tables, self.lobby, self.matches, self.now)
        self.house = House(self.store, self.now)

    def now(self) -> int:
        return self.time

    def secret(self) -> bytes:
        return hashlib.sha256(f"an old deal {next(self._deals)}".encode()).digest()

    def request(self) -> int:
        """An interaction, some seconds after the one before."""
        self.time += 3_017
        self.asked.append(next(self.numbers))
        return self.asked[-1]

    def channel(self) -> int:
        return next(self._channels)

    # -- tables

    async def invite(self, name: str, host: int, *, guild: int = 0, game: str = "triominoes", **terms: Any) -> int:
        """Somebody opens a table; where nothing else is said, on one of four servers."""
        guild = guild or (CAFE, LOUNGE, GARDEN, PORCH)[len(self.cases) % 4]
        asked = Invitation(guild_id=guild, channel_id=self.channel(), host_id=host, game=game, **terms)
        table = await self.lobby.open(asked, request=self.request())
        self.cases[name] = table.head.match_id
        return table.head.match_id

    async def begin(self, name: str, *people: int, computers: int = 0, moves: int = 0, **terms: Any) -> int:
        """These people sit down, computers beside them, and play some turns."""
        host, *others = people
        number = await self.invite(name, host, seats=len(people) + computers, computers=computers, **terms)
        for other in others:
            await self.lobby.join(number, other, request=self.request())
        await self.computers.play(number, self.unseen)
        return await self.turns(number, moves)

    async def turns(self, number: int, count: int) -> int:
        """People make some moves, and computers theirs."""
        for _ in range(count):
            await self.move(number)
            await self.computers.play(number, self.unseen)
        return number

    async def until(self, number: int, found: Callable[[Table], object]) -> Table:
        """People and computers move until the table is like this."""
        for _ in range(500):
            table = await self.table(number)
            if found(table):
                return table
            await self.turns(number, 1)
        raise AssertionError(f"table {number} never came to be like that")

    async def turn_of(self, number: int, user: int) -> None:
        """They move until this person is to."""
        await self.until(number, lambda table: table.turn_user() == user)

    async def move(self, match_id: int) -> Table:
        """Whoever is to move does what a computer would do."""
        table = await self.table(match_id)
        user = table.turn_user()
        assert user is not None
        acted = await self.matches.act(
            match_id,
            lambda seat: greedy.choose(see(table.match, seat), self.rng),
            user,
            expected=table.head.seq,
            request=self.request(),
        )
        self.noted(acted)
        return acted.table

    def noted(self, acted: Acted) -> None:
        """Keep who sat there, where a round or the match has ended."""
        head, people = acted.table.head, [row.user_id for row in acted.table.seats]
        for seq, event in enumerate(acted.events, head.seq - len(acted.events) + 1):
            if isinstance(event, RoundEnded | MatchEnded):
                self.sat.setdefault(head.match_id, {})[seq] = people

    async def mover(self, number: int) -> int:
        """Who is to move."""
        user = (await self.table(number)).turn_user()
        assert user is not None
        return user

    async def others(self, number: int) -> list[int]:
        """The people who sit there and are not to move."""
        table = await self.table(number)
        return [row.user_id for row in table.seats if row.user_id not in (None, table.turn_user())]

    async def take_back(self, number: int) -> None:
        """Somebody places a tile that can be taken back, a while later, and takes it back."""
        table = await self.table(number)
        for _ in range(50):
            seat, user = table.match.turn, await self.mover(number)
            self.time += 7 * MINUTE
            table = await self.move(number)
            if can_take_back(table.match, seat):
                break
        self.time += 2 * MINUTE
        await self.matches.act(number, TakeBack, user, expected=None, request=self.request())

    def remembered(self, told: set[tuple[int, int]]) -> dict[str, dict[str, list[int | None]]]:
        """Who sat there at these ends, by match and move; nobody for those who are forgotten."""
        gone = {GUS, HAL, IVY}
        found: dict[str, dict[str, list[int | None]]] = {}
        for number, seq in sorted(told):
            people = self.sat.get(number, {}).get(seq)
            if people is not None:
                found.setdefault(str(number), {})[str(seq)] = [None if user in gone else user for user in people]
        return found

    # -- questions

    async def answer(self, asked: Asked, user: int, *, yes: bool = True) -> Asked:
        """Somebody says yes or no to a question."""
        number = asked.proposal.number
        return await self.agreements.answer(
            asked.table.head.match_id, user, number=number, yes=yes, request=self.request()
        )

    async def substitute(self, number: int, user: int, new: int, owner: int | None = None) -> Asked:
        """Somebody would like another person to go on with a seat."""
        return await self.agreements.substitute(number, user, new, owner=owner, request=self.request())

    async def hand_over(self, number: int, user: int, new: int) -> None:
        """Somebody gives their seat away, and it is taken."""
        await self.answer(await self.substitute(number, user, new), new)

    # -- time

    async def unseen(self, _number: int) -> None:
        """Nobody looks on while the computers move."""

    async def tick(self) -> None:
        """Do all that is due now, as the sweep does."""
        while heads := await self.store.heads_due(self.time, limit=50):
            for head in heads:
                assert head.due is not None
                if head.due.kind == "computer":
                    await self.computers.play(head.match_id, self.unseen)
                elif head.due.kind == "expire":
                    await self.lobby.expire(head.match_id)
                elif await self.absence.due(head):
                    self.done.append((self.time, head.due.kind))

    async def gone(self, since: int) -> None:
        """The bot was gone since then, and is there again."""
        await self.store.pulse(PULSE, now=since)
        assert await self.store.note_outage(PULSE, Outage(start=since, end=self.time))
        await self.absence.outages.look()

    # -- messages

    async def publish(self, *numbers: int) -> None:
        """All that these tables have to say becomes messages."""
        for number in numbers:
            await self._send(number)
            await self.show(number)
            await self._send(number)

    async def show(self, number: int, *, anew: bool = False) -> None:
        """The board of a table is edited, or posted afresh."""
        head = await self.head(number)
        row = await self.store.take_board(head, nonce=f"b{number:x}", now=self.time)
        assert row is not None
        message = next(self._messages) if anew or head.board_message_id is None else head.board_message_id
        assert await self.store.board_shown(row, head, message_id=message, now=self.time)

    async def head(self, number: int) -> Head:
        head = await self.store.head(number)
        assert head is not None
        return head

    async def row(self, number: int, kind: str) -> OutboxRow:
        """The newest post of a kind that waits."""
        rows = await self.store.due_outbox(self.time, limit=1000, match_id=number)
        return next(row for row in reversed(rows) if row.kind == kind)

    async def _send(self, number: int) -> None:
        while rows := await self.store.due_outbox(self.time, limit=1000, match_id=number):
            for row in rows:
                assert await self.store.take(row, now=self.time)
                await self._sent(await self.table(number), row)

    async def _sent(self, table: Table, row: OutboxRow) -> None:
        asked = standing(table) if table.head.state == "open" else None
        match row.kind:
            case "turn":
                message = next(self._messages)
                old = await self.store.called(row, sent_as=message, shown_as=message, now=self.time)
                if old is not None:
                    await self.store.retired(old)
            case "remind":
                await self.store.mark_passing(row, next(self._messages), now=self.time)
            case "settled":
                for one in await self.store.standing_posts(row.match_id, QUESTION):
                    if one.body["number"] == row.body["number"]:
                        await self.store.over(one)
                await self.store.drop(row)
            case "lapses":
                await self.agreements.lapse(row.match_id, int(row.body["number"]))
                await self.store.drop(row)
            case "question" if asked is None or asked.number != row.body["number"]:
                await self.store.drop(row)
            case "absence" if table.head.state != "open" or table.face.watch.asking != row.body["asked"]:
                await self.store.drop(row)
            case "recall":
                await self.store.drop(row)
            case "remove" | "shrink":
                await self.store.retired(row.body["message"])
            case _:
                await self.store.mark_sent(row, next(self._messages))


# -- long ago: matches that are over, and tables that were closed


async def servers(past: Past) -> None:
    """What moderators have set."""
    await past.house.change(
        PARLOUR,
        HouseRules(
            preset="evening", clock="days 2d", themes=("classic", "picture"), language="de", person=19, server=90
        ),
    )
    await past.house.change(LOUNGE, HouseRules(language="en"))
    await past.house.change(
        ATTIC, HouseRules(clock="live 5m", channels=(1_100_000_000_000_000_001,), themes=("picture",))
    )


async def finished(past: Past) -> None:
    """Matches that were played to their end, with a result."""
    played = (
        ("done: triominoes", (ADA, GRACE), {"game": "triominoes", "preset": "evening"}),
        ("done: quad-ominos", (LINUS, MARY), {"game": "quad-ominos", "preset": "evening", "target": 100}),
        ("done: points", (ADA, LINUS, MARY), {"game": "points"}),
        ("done: muggins", (GRACE, KATE, PAUL, ROSE), {"game": "muggins", "clock": "days 3d"}),
        ("done: star", (ADA, KATE), {"game": "star", "guild": LOUNGE, "clock": "bank 5d+6h"}),
        ("done: trioker", (GUS, GRACE, TOM), {"game": "trioker"}),
        ("done: against a computer", (ADA,), {"game": "points", "computers": 1}),
    )
    for name, people, terms in played:
        chosen: dict[str, Any] = {"guild": PARLOUR, **terms}
        number = await past.begin(name, *people, **chosen)
        await past.until(number, lambda table: table.head.state != "open")
        await past.publish(number)
    resigned = ((ADA, GRACE), (GRACE, LINUS), (MARY, ADA), (KATE, PAUL), (ROSE, TOM), (GUS, ADA), (PAUL, ADA))
    for count, people in enumerate(resigned, 1):
        guild = (PARLOUR, LOUNGE, ATTIC)[count % 3]
        number = await past.begin(f"done: resigned {count}", *people, guild=guild, moves=2)
        await past.matches.act(number, Resign, people[0], expected=None, request=past.request())
        await past.publish(number)


async def closed(past: Past) -> None:
    """Tables that were closed without a result."""
    number = await past.invite("void: empty", ADA)
    await past.lobby.leave(number, ADA, request=past.request())
    number = await past.begin("void: aborted by one before all had a turn", ADA, GRACE, LINUS, game="points")
    await past.agreements.abort(number, ADA, request=past.request())
    number = await past.begin("void: aborted by agreement", ADA, GRACE, LINUS, moves=5)
    asked = await past.agreements.abort(number, ADA, request=past.request())
    for user in (GRACE, LINUS):
        asked = await past.answer(asked, user)
    number = await past.invite("void: a lobby that a moderator stopped", MARY, guild=PARLOUR)
    await past.moderation.stop(number, reason="not in this channel", moderator=MOD, request=past.request())
    number = await past.begin("void: a match that a moderator stopped", MARY, KATE, guild=PARLOUR, moves=4)
    await past.moderation.stop(number, reason="a tournament begins", moderator=MOD, request=past.request())
    people = (ADA, KATE, MARY)
    await past.begin("void: nobody came before all had a turn", *people, game="points", clock="live 5m", absent="end")
    await past.wait(10 * MINUTE)
    await past.invite("void: expired", LINUS, seats=4)
    await past.publish(*past.cases.values())
    await past.wait(DAY + HOUR)


async def long_ago(past: Past) -> None:
    """Tables of that time that still run."""
    number = await past.begin(
        "handed over long ago: nothing says any more by whom", KATE, PAUL, game="points", preset="evening"
    )
    await past.until(number, lambda table: table.match.round == 2)
    await past.publish(number)
    await past.hand_over(number, KATE, ROSE)
    await past.turns(number, 2)
    await past.publish(number)


# -- June: tables that run


async def ordinary(past: Past) -> None:
    """All games and clocks, between two turns and within one."""
    begun = (
        ("runs: triominoes, relaxed, computers too", (ADA, GRACE), {"computers": 2, "moves": 4}),
        ("runs: triominoes, days", (LINUS, MARY, KATE), {"clock": "3d", "preset": "goliath", "moves": 7}),
        (
            "runs: quad-ominos, bank with increment",
            (ADA, LINUS),
            {"game": "quad-ominos", "clock": "bank 7d+12h", "moves": 6},
        ),
        ("runs: points, days", (GRACE, MARY, PAUL), {"game": "points", "clock": "36h", "moves": 5}),
        ("runs: muggins, bank", (KATE, PAUL), {"game": "muggins", "clock": "bank 5d", "preset": "boss", "moves": 4}),
        ("runs: star, days", (ROSE, TOM), {"game": "star", "clock": "14d", "absent": "seat", "moves": 4}),
        ("runs: trioker, relaxed", (ADA, TOM, ROSE), {"game": "trioker", "preset": "evening", "moves": 6}),
        (
            "runs: a picture theme and an option",
            (PAUL, TOM),
            {"theme": "picture", "options": ("final_round=at_round_end",), "moves": 3},
        ),
    )
    for name, people, terms in begun:
        await past.publish(await past.begin(name, *people, guild=PARLOUR, **terms))
    number = await past.begin("runs: by hand, within a turn, tiles drawn", GRACE, TOM, by_hand=True, clock="10d")
    await past.until(number, lambda table: table.match.drawn)
    number = await past.begin("runs: a choice between bonuses", MARY, ROSE, game="quad-ominos", clock="bank 9d+1h")
    await past.until(number, lambda table: table.match.choosing)
    number = await past.begin("runs: a further turn", MARY, TOM, game="star", clock="12d", preset="advanced")
    await past.until(number, lambda table: table.match.further)
    number = await past.begin("runs: one has resigned", MARY, TOM, PAUL, clock="bank 6d+2h", moves=5)
    await past.matches.act(number, Resign, TOM, expected=None, request=past.request())
    number = await past.begin("runs: rounds whose ends are not told yet", PAUL, ROSE, game="muggins", preset="evening")
    await past.until(number, lambda table: table.match.round == 3)
    await past.begin("runs: nothing was shown yet", LINUS, KATE, computers=1, clock="4d")


async def lobbies(past: Past) -> None:
    """Tables that gather people."""
    await past.publish(await past.invite("lobby: one person", ADA, guild=PARLOUR, game="star", clock="2d"))
    number = await past.invite("lobby: people and a computer", GRACE, seats=5, absent="end", target=200, by_hand=True)
    await past.lobby.join(number, LINUS, request=past.request())
    await past.lobby.add_computer(number, LINUS, request=past.request())
    number = await past.invite("lobby: its host has left", MARY, seats=4, game="points")
    await past.lobby.join(number, KATE, request=past.request())
    await past.lobby.join(number, PAUL, request=past.request())
    await past.lobby.leave(number, MARY, request=past.request())
    number = await past.invite("lobby: in another channel", ROSE, guild=PARLOUR, game="trioker")
    await past.publish(number)
    await past.lobby.bring(number, ROSE, past.channel(), request=past.request())
    number = await past.invite("runs: the host started it early", TOM, seats=6, game="points", clock="9d")
    await past.lobby.join(number, ADA, request=past.request())
    await past.lobby.start(number, TOM, request=past.request())
    number = await past.begin("runs: in another channel", KATE, ROSE, guild=PARLOUR, clock="8d", moves=3)
    await past.publish(number)
    await past.lobby.bring(number, KATE, past.channel(), request=past.request())


async def wishes(past: Past) -> None:
    """People who have set something, each at a table of their own."""
    personal = past.absence.personal
    for user in (AWAY, HOME, GONE, HELD, OUT, MUTE):
        await past.store.set_person(user, quick=user in (AWAY, MUTE), pings="channel", now=past.time)
    await past.store.set_person(ADA, pings="dm", now=past.time)
    await past.store.set_person(GRACE, pings="none", now=past.time)
    await personal.wish(LINUS, lambda one: replace(one, remind=False))
    await personal.wish(QUIET, lambda one: replace(one, quiet=Quiet(23 * 60, 11 * 60), zone="Europe/Berlin"))
    await personal.wish(OFTEN, lambda one: replace(one, every=6 * HOUR), pings="dm")
    await personal.wish(AUTO, lambda one: replace(one, automatic=True))
    # A vacation that is over, and nobody has moved since.
    number = await past.begin("vacation: over, nobody has moved since", GONE, KATE, clock="14d", moves=2)
    await past.until(number, lambda table: table.turn_user() != GONE)
    await personal.leave(GONE, 1)


async def absences(past: Past) -> None:
    """People whose time runs out tomorrow morning; whatever is done about them, is done then."""
    clocked = (
        "asked",
        "asked, and paused",
        "asked, paused and resumed",
        "waited for",
        "one turn",
        "seat",
        "ended",
        "back",
    )
    for name in clocked:
        await past.begin(f"silent: {name}", MARY, KATE, PAUL, clock="20h", guild=LOUNGE, moves=5)
    number = await past.begin("silent: handed over by the others", ROSE, TOM, SILENT, clock="20h", moves=3)
    await past.turn_of(number, SILENT)
    for name, user in (("automatic", AUTO), ("begun when the time was out", OUT)):
        number = await past.begin(f"vacation: {name}", user, ROSE, TOM, clock="20h", moves=3)
        await past.turn_of(number, user)
    for name, user in (("quiet hours", QUIET), ("further reminders", OFTEN), ("muted", MUTE)):
        number = await past.begin(f"wish: {name}", user, TOM, clock="1d", moves=2)
        await past.turn_of(number, user)
    await past.absence.personal.mute(past.cases["wish: muted"], MUTE)
    await past.begin("reminded: not sent", LINUS, TOM, MARY, clock="1d", moves=3)
    await past.until(past.cases["reminded: not sent"], lambda table: table.turn_user() != LINUS)
    await past.begin("reminded: sent", LINUS, TOM, MARY, clock="1d", guild=PARLOUR, moves=3)
    await past.until(past.cases["reminded: sent"], lambda table: table.turn_user() != LINUS)
    number = await past.begin("question: its time is over", ADA, PAUL, moves=4)
    await past.agreements.abort(number, ADA, request=past.request())
    number = await past.begin("question: lapsed by itself", ADA, PAUL, moves=4)
    await past.agreements.abort(number, ADA, request=past.request())
    past.time += 40 * MINUTE


async def outage(past: Past) -> None:
    """The bot is gone for two hours, and everybody is given that time back."""
    since = past.time
    past.time += 2 * HOUR
    await past.gone(since)
    assert await past.absence.outages.settle(past.time)


async def taken_back(past: Past) -> None:
    """Tiles that went back: the clock remembers turns that ended, and turns that were broken off."""
    for name, clock in (("days", "6d"), ("bank", "bank 4d+6h"), ("relaxed", "relaxed")):
        await past.take_back(await past.begin(f"taken back: alone, {name}", MARY, PAUL, clock=clock, moves=3))
    number = await past.begin("taken back: by agreement, bank", ADA, KATE, TOM, game="points", clock="bank 4d+6h")
    for span in (11, 45, 20, 95, 10):
        past.time += span * MINUTE
        await past.turns(number, 1)
    owner = (await past.table(number)).match.behind[-3].seat
    user = (await past.table(number)).seats[owner].user_id
    assert user is not None
    asked = await past.agreements.undo(number, user, request=past.request())
    past.time += 25 * MINUTE
    for other in asked.proposal.asked:
        sitter = (await past.table(number)).seats[other].user_id
        assert sitter is not None
        asked = await past.answer(asked, sitter)
    number = await past.begin("taken back: and played again, bank", LINUS, ROSE, game="points", clock="bank 3d+1h")
    for span in (3, 8, 13):
        past.time += span * MINUTE
        await past.turns(number, 1)
    await past.take_back(number)
    past.time += 5 * MINUTE
    await past.turns(number, 1)


async def handed_over(past: Past) -> None:
    """Seats that changed hands, and rounds that others had played."""
    number = await past.begin(
        "handed over: a round before it is not told yet", THREE, FOUR, game="muggins", preset="evening"
    )
    await past.until(number, lambda table: table.match.round == 2)
    await past.hand_over(number, THREE, NEWCOMER)
    number = await past.begin(
        "handed over: twice, rounds in between", KATE, GRACE, game="points", preset="evening", clock="9d"
    )
    await past.until(number, lambda table: table.match.round == 2)
    await past.hand_over(number, GRACE, ROSE)
    await past.until(number, lambda table: table.match.round == 3)
    await past.hand_over(number, ROSE, TOM)
    await past.turns(number, 1)
    number = await past.begin(
        "handed over: the match ended, not told yet", LINUS, PAUL, game="trioker", preset="evening"
    )
    await past.until(number, lambda table: table.match.round == 2)
    await past.hand_over(number, LINUS, MARY)
    await past.turns(number, 2)
    acted = await past.matches.act(number, Resign, PAUL, expected=None, request=past.request())
    past.noted(acted)


async def choices(past: Past) -> None:
    """In the morning, time has run out at many tables: what the others choose."""
    choose = past.absence.choose

    async def chosen(name: str, choice: Any) -> int:
        number = past.cases[f"silent: {name}"]
        table = await past.table(number)
        user = (await past.others(number))[0]
        await choose(number, user, choice, table.face.watch.asking, request=past.request())
        return number

    await chosen("waited for", "wait")
    await past.tick()
    await chosen("ended", "end")
    seat = await chosen("seat", "seat")
    await past.computers.play(seat, past.unseen)
    number = await chosen("one turn", "turn")
    await past.computers.play(number, past.unseen)
    back = await chosen("back", "seat")
    owner = next(seat for seat in (await past.table(back)).face.standins)
    await past.computers.play(back, past.unseen)
    user = (await past.table(back)).seats[owner].user_id
    assert user is not None
    await past.absence.back(back, user, request=past.request())
    for name in ("asked, and paused", "asked, paused and resumed"):
        number = past.cases[f"silent: {name}"]
        await past.moderation.pause(number, reason="the server moves", moderator=MOD, request=past.request())
    past.time += 10 * MINUTE
    await past.moderation.resume(number, reason="it has moved", moderator=MOD, request=past.request())
    number = past.cases["silent: handed over by the others"]
    asked = await past.substitute(number, ROSE, person(50), owner=SILENT)
    asked = await past.answer(asked, TOM)
    await past.answer(asked, person(50))


async def ruled(past: Past) -> None:
    """What moderators did, at tables that go on."""
    pause, resume = past.moderation.pause, past.moderation.resume
    number = await past.begin("moderated: paused", ADA, TOM, clock="bank 2d+1h", guild=PARLOUR, moves=3)
    await past.publish(number)
    past.time += 9 * MINUTE
    await pause(number, reason="a holiday", moderator=MOD, request=past.request())
    number = await past.begin("moderated: paused, relaxed", ADA, KATE, guild=PARLOUR, moves=2)
    await pause(number, reason="", moderator=GUS, request=past.request())
    number = await past.begin("moderated: resumed", GRACE, TOM, clock="2d", guild=PARLOUR, moves=3)
    await pause(number, reason="a holiday of <@1>", moderator=MOD, request=past.request())
    past.time += 20 * MINUTE
    await resume(number, reason="it is over", moderator=MOD, request=past.request())
    number = await past.begin("moderated: paused during a vacation", HELD, ROSE, clock="2d", moves=2)
    await past.turn_of(number, HELD)
    await past.absence.personal.leave(HELD, 5)
    await pause(number, reason="both", moderator=MOD, request=past.request())
    number = await past.begin(
        "moderated: a turn was skipped and played", LINUS, PAUL, clock="2d", guild=PARLOUR, moves=3
    )
    await past.absence.skip(number, reason="asked for it", moderator=MOD, request=past.request())
    await past.computers.play(number, past.unseen)
    number = await past.begin("moderated: stopped just now", GRACE, KATE, guild=PARLOUR, moves=3)
    await past.moderation.stop(number, reason="too late", moderator=MOD, request=past.request())


async def vacations(past: Past) -> None:
    """People who are away."""
    personal = past.absence.personal
    number = await past.begin("vacation: whoever is to move", AWAY, KATE, clock="3d", moves=2)
    await past.turn_of(number, AWAY)
    await past.publish(number)
    number = await past.begin("vacation: back early", HOME, KATE, clock="3d", moves=2)
    await past.turn_of(number, HOME)
    for name, clock in (("after", "2d"), ("before", "18h")):
        number = await past.begin(f"wish: a reminder {name} quiet hours", QUIET, ROSE, clock=clock, game="points")
        await past.turn_of(number, QUIET)
    await personal.leave(HOME, 10)
    await past.wait(2 * HOUR)
    await personal.leave(HOME, 0)
    number = await past.begin("vacation: whoever is not to move", AWAY, ROSE, PAUL, clock="live 50m", moves=2)
    await past.until(number, lambda table: table.turn_user() != AWAY)
    past.time += 6 * MINUTE
    await personal.leave(AWAY, 7)
    await personal.leave(OUT, 4)


async def questions(past: Past) -> None:
    """What people are asked just now, and what became of it."""
    ask = past.agreements
    number = await past.begin(
        "question: end the match, one agreed", ADA, GRACE, ROSE, clock="5d", guild=PARLOUR, moves=6
    )
    asked = await ask.abort(number, ADA, request=past.request())
    await past.publish(number)
    await past.answer(asked, GRACE)
    number = await past.begin("question: take a tile back", ADA, ROSE, TOM, game="points", clock="bank 3d+3h", moves=5)
    seat = (await past.table(number)).match.behind[-2].seat
    user = (await past.table(number)).seats[seat].user_id
    assert user is not None
    await ask.undo(number, user, request=past.request())
    number = await past.begin("question: newcomer has not accepted", GRACE, MARY, clock="5d", moves=4)
    await past.substitute(number, GRACE, person(51))
    number = await past.begin("question: newcomer has accepted, owner not", GRACE, MARY, clock="5d", moves=4)
    asked = await past.substitute(number, GRACE, person(52), owner=MARY)
    await past.answer(asked, person(52))
    number = await past.begin("question: newcomer was forgotten", LINUS, MARY, moves=4)
    await past.substitute(number, LINUS, HAL)
    number = await past.begin("question: refused, remembered", KATE, ROSE, moves=4)
    asked = await ask.abort(number, KATE, request=past.request())
    await past.publish(number)
    await past.answer(asked, ROSE, yes=False)
    number = await past.begin("question: newcomer refused, remembered", KATE, TOM, moves=4)
    await past.answer(await past.substitute(number, KATE, person(53)), person(53), yes=False)
    number = await past.begin("question: withdrawn, remembered", PAUL, TOM, moves=4)
    await past.answer(await ask.abort(number, PAUL, request=past.request()), PAUL, yes=False)
    number = await past.begin("question: lost by a move", PAUL, ROSE, moves=4)
    await ask.abort(number, PAUL, request=past.request())
    await past.publish(number)
    await past.turns(number, 1)
    number = await past.begin("question: agreed just now", PAUL, ROSE, MARY, game="points", clock="2d", moves=5)
    seat = (await past.table(number)).match.behind[-2].seat
    user = (await past.table(number)).seats[seat].user_id
    assert user is not None
    asked = await ask.undo(number, user, request=past.request())
    await past.publish(number)
    for other in asked.proposal.asked:
        sitter = (await past.table(number)).seats[other].user_id
        assert sitter is not None
        asked = await past.answer(asked, sitter)
    await past.publish(past.cases["question: lapsed by itself"])


async def forgotten(past: Past) -> None:
    """People who wanted to be forgotten."""
    await past.begin("forgotten: at a match that goes on, its host", GUS, KATE, TOM, clock="5d", moves=4)
    number = await past.begin(
        "forgotten: a round before it is not told yet", KATE, GUS, TOM, game="points", preset="evening"
    )
    await past.until(number, lambda table: table.match.round == 2)
    number = await past.begin("forgotten: at a match with a question", MARY, GUS, TOM, clock="5d", moves=5)
    await past.agreements.abort(number, MARY, request=past.request())
    number = await past.begin(
        "forgotten: had given the seat away, a round before it is not told yet",
        GUS,
        ROSE,
        game="points",
        preset="evening",
    )
    await past.until(number, lambda table: table.match.round == 2)
    await past.hand_over(number, GUS, LINUS)
    await past.invite("forgotten: alone in a lobby", IVY)
    for user in (GUS, HAL, IVY):
        past.time += MINUTE
        await past.privacy.delete(user)


async def twice(past: Past) -> None:
    """People whose time runs out again within minutes."""
    numbers = [
        await past.begin(
            f"silent: twice, then {usual}", MARY, GRACE, PAUL, clock="live 2m", absent=usual, guild=LOUNGE, moves=5
        )
        for usual in ("turn", "seat", "end")
    ]
    await past.wait(2 * MINUTE)
    for number in numbers:
        table = await past.table(number)
        await past.absence.choose(
            number, (await past.others(number))[0], "wait", table.face.watch.asking, request=past.request()
        )
    await past.wait(3 * MINUTE)


async def last_minutes(past: Past) -> None:
    """What is not done yet when the database is put aside: computers to move, posts half sent, time not given back."""
    number = await past.begin("runs: live", ADA, KATE, clock="live 59m", game="muggins", moves=3)
    await past.begin("runs: live, its time is out and nobody noticed", ROSE, KATE, clock="live 30m", moves=3)
    await past.begin("runs: in time taken from an outage, bank", TOM, KATE, clock="bank 2d+30m", game="points", moves=3)
    number = await past.begin("posts: all kinds of chores", LINUS, ROSE, clock="9d", guild=PARLOUR, moves=3)
    await past.publish(number)
    await past.show(number, anew=True)
    await past.turns(number, 1)
    await past.store.take(await past.row(number, "turn"), now=past.time)
    past.time += 10_000
    await past.turns(number, 1)
    head = await past.head(number)
    await past.store.take_board(head, nonce="b5f0000000000000000000001", now=past.time)
    number = await past.begin("posts: a closed channel", PAUL, ROSE, clock="9d", guild=LOUNGE, moves=3)
    await past.store.block(number, (await past.head(number)).channel_id, 50001, now=past.time)
    number = await past.begin("posts: refused by Discord", PAUL, GRACE, clock="9d", guild=LOUNGE, moves=3)
    row = await past.row(number, "turn")
    await past.store.refuse(row, 50035)
    await past.turns(number, 1)
    row = await past.row(number, "turn")
    await past.store.take(row, now=past.time)
    await past.store.put_off(row.id, past.time + 90_000)
    number = past.cases["runs: triominoes, days"]
    head = await past.head(number)
    board = await past.store.take_board(head, nonce="b5f0000000000000000000002", now=past.time)
    assert board is not None
    await past.store.refuse_board(board, head, 50035)
    number = await past.begin("done: just now, not told yet", ADA, ROSE, TOM, game="muggins", guild=PARLOUR)
    await past.until(number, lambda table: table.head.state != "open")
    await past.turns(past.cases["reminded: sent"], 1)
    # The bot is gone for twelve minutes, and dies when it has given back the time to some.
    since = past.time
    past.time += 12 * MINUTE
    await past.gone(since)
    await past.turns(past.cases["runs: in time taken from an outage, bank"], 1)
    with suppress(ConnectionError):
        await _half(past)
    number = await past.begin("stand-in: the computer is to play one turn", LINUS, GRACE, clock="2d", moves=3)
    await past.absence.skip(number, reason="it is late", moderator=MOD)
    number = await past.begin("runs: a computer is to move", MARY, computers=1, clock="2d", moves=2)
    await past.move(number)
    number = await past.begin(
        "stand-in: the computer is to play, and the match is paused", LINUS, TOM, clock="2d", moves=3
    )
    await past.absence.skip(number, reason="it is late", moderator=MOD)
    await past.moderation.pause(number, reason="and later", moderator=MOD)
    number = past.cases["silent: seat"]
    table = await past.table(number)
    while table.turn_user() is not None:
        table = await past.move(number)


async def _half(past: Past) -> None:
    """Give an outage back, a table at a time, and end after a few."""
    credit, done = past.store.commit_each, itertools.count()

    async def dying(changes: Sequence[Change], *, now: int) -> list[Head]:
        if next(done) == 5:
            raise ConnectionError("the process ends here")
        return await credit(changes, now=now)

    past.store.commit_each = dying  # type: ignore[method-assign]
    outages.SOME = 1  # type: ignore[misc]
    await past.absence.outages.settle(past.time)


# -- by hand: what earlier versions wrote, and the use cases of this one do not


async def by_hand(past: Past) -> None:
    """A computer that was sent away from a lobby; a match from before there were clocks."""
    number = await past.invite("by hand: a computer was sent away", ADA, seats=4, guild=LOUNGE)
    table = await past.lobby.add_computer(number, ADA, request=past.request())
    unseated = LobbyEvent(kind="unseated", facts={"seat": 1})
    await past.store.commit(
        Change(match_id=number, expected_seq=table.head.seq, events=[unseated], seats=table.seats[:1]), now=past.time
    )
    terms, secret = table.terms, past.secret()
    rules = replace(terms, seats=2).rules
    began = start(rules, seats=2, computers=(), by_hand=False, secret=secret)
    opener = began[1].opener  # type: ignore[union-attr]
    people = (ADA, PAUL)
    new = NewMatch(
        game="triominoes",
        guild_id=LOUNGE,
        channel_id=past.channel(),
        host_id=ADA,
        secret=secret,
        events=[LobbyEvent(kind="opened", facts={"seats": 1}), LobbyEvent(kind="joined", facts={"seat": 1}), *began],
        seats=[SeatRow(seat=seat, user_id=user, joined_at=past.time) for seat, user in enumerate(people)],
        settings={"game": "triominoes", "seats": 2, "target": 400, "by_hand": False},
        state="open",
        turn=Turn(seat=opener, user=people[opener]),
    )
    past.cases["by hand: a match from before there were clocks"] = (
        await past.store.create(new, now=past.time)
    ).match_id
    await past.begin("by hand: a clock from before tiles were taken back", GRACE, PAUL, clock="bank 4d+6h", moves=4)


def rewritten(connection: sqlite3.Connection, cases: dict[str, int]) -> None:
    """Leave out what earlier versions did not write, which this one reads as its default."""
    number = cases["by hand: a match from before there were clocks"]
    query = "SELECT seq, kind, body FROM events WHERE match_id = ?"
    for seq, kind, text in connection.execute(query, (number,)).fetchall():
        body = json.loads(text)
        if kind == "started":
            del body["rules"]["family"]
        if kind == "dealt":
            del body["aside"]
        written = json.dumps(body, separators=(",", ":"))
        connection.execute("UPDATE events SET body = ? WHERE match_id = ? AND seq = ?", (written, number, seq))
    number = cases["by hand: a clock from before tiles were taken back"]
    (text,) = connection.execute("SELECT clock FROM matches WHERE match_id = ?", (number,)).fetchone()
    clock = json.loads(text)
    for part, names in (("time", ("height", "spells", "broken")), ("watch", ("moved", "calm"))):
        for name in names:
            del clock["time"][part][name]
    written = json.dumps(clock, separators=(",", ":"))
    connection.execute("UPDATE matches SET clock = ? WHERE match_id = ?", (written, number))
    connection.commit()


async def history(past: Past) -> None:
    """All of it, in order."""
    for part in (servers, finished, closed, long_ago):
        await part(past)
    assert past.time < JUNE - 12 * HOUR, "May must not last until June"
    past.time = JUNE - 12 * HOUR
    tidying = Tidying(past.store, past.now)
    for _ in range(20):
        await tidying.sweep()
    await past.privacy.sent_away(ATTIC)
    await wishes(past)
    past.time = JUNE
    for part in (ordinary, absences, outage, taken_back, handed_over):
        await part(past)
    assert past.time < MORNING
    await past.wait_until(MORNING)
    # One of these messages is to go when the turn ends, and the turn of the other ends.
    await past.publish(past.cases["reminded: sent"], past.cases["wish: quiet hours"])
    for part in (choices, ruled, vacations, lobbies, questions, forgotten, by_hand, twice, last_minutes):
        await part(past)
    assert past.time < NOW - 30 * MINUTE


async def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "old.db"
        store = await Store.open(f"sqlite:///{file}")
        past = Past(store, MAY)
        await history(past)
        await store.close()
        with closing(sqlite3.connect(file)) as connection:
            rewritten(connection, past.cases)
            script = "\n".join(connection.iterdump()) + "\n"
        store = await Store.open(f"sqlite:///{file}")
        requests, held = past.asked[::5], [ADA, MARY]
        told = await everything(store, NOW, requests=requests, held=held)
        await store.close()
    over = {"silent: ended": "done", "silent: twice, then end": "done", "moderated: stopped just now": "void"}
    over |= {"handed over: the match ended, not told yet": "done", "forgotten: alone in a lobby": "void"}
    over |= {"by hand: a computer was sent away": "lobby"}
    for name, number in past.cases.items():
        kind = name.partition(":")[0]
        state = over.get(name, kind if kind in ("done", "void", "lobby") else "open")
        assert told["matches"][str(number)]["state"] == state, name
    expected = {
        "cases": past.cases,
        "now": NOW,
        "requests": requests,
        "held": held,
        "sat": past.remembered({(row[1], row[7].get("seq")) for row in told["unsent"] if row[3] in ("round", "end")}),
        "shown": told,
    }
    packed = gzip.compress(script.encode(), mtime=0)
    (HERE / "boneyard-0005.sql.gz").write_bytes(packed)
    text = lines(expected) + "\n"
    (HERE / "expected.json").write_text(text, encoding="utf-8")
    print(len(past.cases), "tables,", len(script), "bytes,", len(packed), "packed,", len(text), "expected;")
    print("last write", past.time, "looked at", NOW)


def lines(value: Any, depth: int = 0) -> str:
    """JSON with a line for each thing worth a line."""
    deep = 3 if depth else 4
    if isinstance(value, dict) and value and depth < deep:
        inner = ",\n".join(
            " " * (depth + 1) + f"{json.dumps(key)}: {lines(one, depth + 1)}" for key, one in value.items()
        )
        return "{\n" + inner + "\n" + " " * depth + "}"
    if isinstance(value, list) and value and isinstance(value[0], list) and depth < deep:
        return "[\n" + ",\n".join(" " * (depth + 1) + json.dumps(one) for one in value) + "\n" + " " * depth + "]"
    return json.dumps(value)


if __name__ == "__main__":
    asyncio.run(main())
