"""Two people at a table, who see what the page of the local Discord would show them and press that."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field
from random import Random
from typing import TYPE_CHECKING, Any, Final

from bot.playground import components, usage
from bot.playground import interactions as kinds
from bot.playground.interactions import Interaction
from bot.playground.news import Happening
from bot.playground.refusals import ApiError, PageError
from bot.playground.shapes import LOADING, Json
from bot.views.ids import Press, parse

if TYPE_CHECKING:
    from tests.bench.load_crowd import Crowd

TYPED: Final = 0.3
"""Of all moves, so many are typed with suggestions; the others are chosen from the menu of the hand."""
GIVES_UP: Final = 30.0
"""Seconds after which somebody gives up waiting, which is counted."""


Wanted = Callable[[Json], bool]
"""Whether a private message is what somebody waits for."""


def _anything(message: Json) -> bool:
    """Whatever it says."""
    return True


class Stuck(Exception):  # noqa: N818 - people give up; the run goes on and counts it
    """What somebody waited for did not come."""


@dataclass
class Habits:
    """How people play. It may change while they do."""

    target: int = 400
    """Points that end a match."""
    between: float = 0.3
    """Seconds between two presses of one turn, on average."""
    resigns_after: int | None = None
    """Whoever is to move after so many moves resigns: matches that are soon over."""
    level: str = ""
    """A computer of this level sits between them; none where it is empty."""
    opens: bool = True
    """Whether they open tables; the do-nothing bot has one lying ready in each channel."""
    patience: float = GIVES_UP
    """Seconds after which they give up waiting."""


@dataclass
class Party:
    """Two people at one channel, who play match after match."""

    crowd: Crowd
    channel: Json
    people: tuple[Json, Json]
    rng: Random
    call: Json | None = None
    """The message that says whose turn it is."""
    at_it: Json | None = None
    """Whoever has gone on to their turn themselves: nobody need call them."""
    lobby: Json | None = None
    table: int = 0
    """The number of the table that they sit at, as the buttons of its lobby say; 0 where nothing does."""
    board: Json | None = None
    hands: dict[str, Json] = field(default_factory=dict)
    """Everybody's last private message, once it is complete."""
    moved_at: float | None = None
    types: bool = False
    """Whether the next move is going to be typed."""
    begun: str | None = None
    """The tile of the move that somebody has begun to type."""
    moves: int = 0
    """Of this match."""
    over: bool = False
    changed: asyncio.Event = field(default_factory=asyncio.Event)

    @property
    def waits(self) -> bool:
        """Whether it is known whose move is next."""
        return self.call is not None or self.at_it is not None

    async def play(self) -> None:
        """Play until cancelled. Whoever is stuck is counted and tries again."""
        while True:
            try:
                await self._open()
                while not self.over:
                    await self._turn()
                self.crowd.watch.matches += 1
            except (Stuck, PageError, ApiError) as error:
                self.crowd.watch.troubles[f"{type(error).__name__}: {error}"] += 1
                self._forget()
                await asyncio.sleep(1)

    def _forget(self) -> None:
        """What somebody had before them is not looked at any more."""
        self.types, self.begun = False, None

    async def _open(self) -> None:
        if self.waits and not self.over:
            return
        if self.crowd.habits.opens:
            async with self.crowd.opening:
                self.lobby, self.call, self.at_it, self.over, self.moves = None, None, None, False, 0
                # Whoever had begun a turn of the match before has no hand of the next.
                self._forget()
                self.hands.clear()
                terms: dict[str, object] = {"game": "triominoes", "seats": 2, "target": self.crowd.habits.target}
                if level := self.crowd.habits.level:
                    terms |= {"seats": 3, "computers": 1, "level": level}
                self._command(self.people[0], "new", terms)
                await self._until(lambda: self.lobby is not None, "a lobby")
                # What says so in private may come later, and would be taken for a hand.
                await self._until(lambda: self.people[0]["id"] in self.hands, "the answer to /tiles new")
                assert self.lobby is not None
                self._press(self.people[1], self.lobby, "join")
                await self._until(lambda: self.call is not None, "the first call")
        else:
            await self._until(lambda: self.call is not None, "the first call")

    async def _turn(self) -> None:
        await self._until(lambda: self.waits or self.over, "the next turn")
        if not self.waits:
            return
        await self.crowd.pace.turn()
        try:
            who = self.at_it or self._called()
            after = self.crowd.habits.resigns_after
            if after is not None and self.moves >= after:
                await self._resign(who)
                return
            if not self.types or not await self._type(who):
                await self._choose(who)
            self.moves += 1
            # The old call is deleted before anybody hears of the next.
            await self._until(lambda: self.moved_at is None, "the new board")
            await self._look_after(who)
        finally:
            self.crowd.pace.over()

    def _called(self) -> Json:
        assert self.call is not None
        wanted = self.call["mentions"][0]["id"]
        return next(person for person in self.people if person["id"] == wanted)

    async def _look_after(self, who: Json) -> None:
        """Whoever sits behind this person sees the new board and begins their turn, so that the move stands: they look
        at their hand, or begin to type.
        """
        self._forget()
        self.types = self.rng.random() < TYPED
        if self.board is None or self.call is not None or self.over:
            return
        following = self.people[(self.people.index(who) + 1) % len(self.people)]
        if self.types:
            self.begun = await self._suggestion(following, "tile", {})
            self.at_it = following if self.begun else None
        elif any(press.verb == "hand" for _, press in _presses(self.board)):
            self.at_it = following if _moves(await self._look(following, self.board)) else None

    async def _type(self, who: Json) -> bool:
        """`/tiles play` with the suggestions. False when there are none: then it takes the menu."""
        tile = self.begun or await self._suggestion(who, "tile", {})
        if tile is None:
            return False
        place = await self._suggestion(who, "place", {"tile": tile})
        if place is None:
            return False
        await self._pause()
        since = self._command(who, "play", {"tile": tile, "place": place}, moves=True)
        await self._answer(who, since)
        return True

    async def _suggestion(self, who: Json, option: str, given: Json) -> str | None:
        one, _ = self._start(kinds.AUTOCOMPLETE, who, self._command_data("play", given, option), typing=True)
        # Not by wait_for, which in Python 3.11 forgets that it was cancelled when the answer comes at that moment.
        async with asyncio.timeout(self.crowd.habits.patience):
            await one.done.wait()
        return str(self.rng.choice(one.choices)["value"]) if one.choices else None

    async def _choose(self, who: Json) -> None:
        """My hand, then whatever it offers until the move is made."""
        there = who["id"] in self.hands and _moves(self.hands[who["id"]])
        hand = self.hands[who["id"]] if there else await self._look(who, self._there(), _moves)
        for _ in range(6):
            await self._pause()
            verb, custom_id, values = _offered(hand, self.rng)
            final = verb in ("play", "draw", "pass", "choose") or (verb == "move" and who["id"] in self.crowd.quick)
            self.hands.pop(who["id"], None)
            kind = components.STRING_SELECT if values else components.BUTTON
            since = self._use(who, hand, custom_id, kind, values, moves=final)
            hand = await self._answer(who, since, _anything if final else _moves)
            if final:
                return
        raise Stuck("a hand that offers nothing")

    def _there(self) -> Json:
        """What stands lowest of that which leads to a hand."""
        found = self.call or self.board
        assert found is not None
        return found

    async def _look(self, who: Json, message: Json, such: Wanted | None = None) -> Json:
        """My hand, from the button of their own message where they have one, else from that of this message."""
        own = self.hands.pop(who["id"], message)
        if not any(press.verb == "hand" for _, press in _presses(own)):
            own = message
        return await self._answer(who, self._press(who, own, "hand"), such or _anything)

    async def _resign(self, who: Json) -> None:
        since = self._command(who, "match resign", {})
        question = await self._answer(who, since, _asks)
        self.call = self.at_it = None
        custom_id = next(found for found, press in _presses(question) if press.argument == "yes")
        self.hands.pop(who["id"], None)
        self._use(who, question, custom_id, components.BUTTON, [])
        await self._until(lambda: self.over, "the end")
        # It says so in private, too, which would be taken for the answer to the next thing that is asked.
        await self._until(lambda: who["id"] in self.hands, "the answer to a resignation")

    async def _answer(self, who: Json, since: float, such: Wanted = _anything) -> Json:
        """The private message, complete. A hand that comes by itself may be there before: it is not `such` a one."""
        await self._until(lambda: who["id"] in self.hands and such(self.hands[who["id"]]), "an answer")
        self.crowd.watch.saw("answered", since)
        return self.hands[who["id"]]

    async def _pause(self) -> None:
        await self.crowd.rest()
        if self.crowd.habits.between:
            await asyncio.sleep(self.rng.expovariate(1 / self.crowd.habits.between))

    async def _until(self, happened: Callable[[], bool], what: str) -> None:
        try:
            async with asyncio.timeout(self.crowd.habits.patience):
                while not happened():
                    self.changed.clear()
                    await self.changed.wait()
        except TimeoutError:
            self.moved_at = None
            raise Stuck(f"no sign of {what}") from None
        await self.crowd.rest()

    # -- acting

    def _press(self, who: Json, message: Json, verb: str) -> float:
        custom_id = next(found for found, press in _presses(message) if press.verb == verb)
        return self._use(who, message, custom_id, components.BUTTON, [])

    def _use(
        self, who: Json, message: Json, custom_id: str, kind: int, values: list[str], *, moves: bool = False
    ) -> float:
        world = self.crowd.discord.world
        post = world.talk.find(self.channel["id"], message["id"])
        data = usage.component_data(world, post.body["components"], custom_id, kind, values, self.channel["guild_id"])
        return self._start(kinds.COMPONENT, who, data, source=post, moves=moves)[1]

    def _command(self, who: Json, name: str, given: Json, *, moves: bool = False) -> float:
        self.hands.pop(who["id"], None)
        return self._start(kinds.COMMAND, who, self._command_data(name, given, None), name="tiles", moves=moves)[1]

    def _command_data(self, name: str, given: Json, focused: str | None) -> Json:
        guild_id = self.channel["guild_id"]
        command = self.crowd.discord.commands.named(guild_id, "tiles")
        if command is None:
            raise Stuck("no /tiles")
        return usage.command_data(self.crowd.discord.world, command, name.split(), given, guild_id, focused)

    def _start(
        self, kind: int, who: Json, data: Json, *, typing: bool = False, moves: bool = False, **more: Any
    ) -> tuple[Interaction, float]:
        if moves:
            # The next board is the one of this move; the call before it has had its time.
            self.call = self.at_it = None
        one = self.crowd.discord.interactions.start(kind, who, self.channel, data, **more)
        since = self.crowd.watch.asked(one, typing=typing)
        if moves:
            self.moved_at = since
        return one, since

    # -- seeing

    def hear(self, happening: Happening) -> None:
        """A message appeared here, or changed."""
        body = happening.data
        if happening.kind == "message_delete" or body["author"]["id"] != self.crowd.discord.world.bot["id"]:
            return
        if happening.secret:
            # What is said of the match before may come late, and is no answer to anything asked in this one.
            if not body["flags"] & LOADING and happening.only_for is not None and self._is_ours(body):
                self.hands[happening.only_for] = body
                self.changed.set()
            return
        verbs = {press.verb for _, press in _presses(body)}
        if "join" in verbs:
            self.lobby = body
            self.table = next(press.table for _, press in _presses(body) if press.verb == "join")
            self.hands = {person: hand for person, hand in self.hands.items() if self._is_ours(hand)}
        elif body["mentions"]:
            if happening.kind == "message_create" and self._is_ours(body):
                self.call = body
        elif body["attachments"] and verbs & {"hand", "rematch"}:
            self.board = body
            if self.moved_at is not None and (happening.kind == "message_update" or "hand" in verbs):
                self.crowd.watch.saw("board", self.moved_at)
                self.crowd.watch.moves += 1
                self.moved_at = None
            self.over = "hand" not in verbs
        self.changed.set()

    def _is_ours(self, message: Json) -> bool:
        """Whether a message is of the table that they sit at, or names none."""
        tables = {press.table for _, press in _presses(message)} - {0}
        return not tables or not self.table or self.table in tables


def _presses(message: Json) -> list[tuple[str, Press]]:
    """The buttons and menus of a message that are the bot's, with what they stand for."""
    found = []
    for one in components.walk(message["components"]):
        press = parse(one["custom_id"]) if "custom_id" in one and not one.get("disabled") else None
        if press is not None:
            found.append((one["custom_id"], press))
    return found


def _asks(message: Json) -> bool:
    """Whether it is a question that *yes* answers."""
    return any(press.argument == "yes" for _, press in _presses(message))


def _moves(hand: Json) -> bool:
    """Whether a private message is a hand whose turn it is: it comes by itself where it was before."""
    return any(press.verb in ("move", "tile", "play", "draw", "pass", "choose") for _, press in _presses(hand))


def _offered(hand: Json, rng: Random) -> tuple[str, str, list[str]]:
    """One of the things that a hand offers: its verb, its custom id, and the values chosen in a menu."""
    acts = []
    for one in components.walk(hand["components"]):
        press = parse(one["custom_id"]) if "custom_id" in one else None
        if press is None:
            continue
        if one["type"] == components.STRING_SELECT:
            return press.verb, one["custom_id"], [str(rng.choice(one["options"])["value"])]
        if press.verb in ("play", "draw", "pass", "choose"):
            acts.append((press.verb, one["custom_id"], []))
    if not acts:
        raise Stuck("a hand with nothing to do")
    return acts[0] if acts[0][0] == "play" else rng.choice(acts)
