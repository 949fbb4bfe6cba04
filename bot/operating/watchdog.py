"""Notices that something is due and nothing gets through, says so loudly, and sets it going again.

Each part of the bot tries again by itself. This is for what nobody thought of: a wait that nobody ends, a task that
hangs, a connection that is dead and does not know it.
"""

import asyncio
from typing import Final

from bot.base.discord_errors import PASSES
from bot.base.logs import logger
from bot.base.requests import Requests
from bot.operating.client import Boneyard
from data.store import StoreClosed

log = logger(__name__)

LOOK: Final = 10.0
"""Seconds between two looks."""

ALARM: Final = 60.0
"""Seconds in which something is due and nothing gets through, beyond what Discord asked for, until that is said."""

STUCK: Final = 300.0
"""Seconds that one table may take to be brought up to date, beyond what Discord asked for."""

DEAF: Final = 300.0
"""Seconds without Discord's gateway until the connection is made anew."""

PATIENT: Final = 3600.0
"""Seconds between two new connections at most: Discord counts them."""

REFUSING: Final = (
    "nothing gets through: Discord refuses all posts. They wait and are tried again by themselves. 401: the token is "
    "not valid any more; 429: a ban of up to an hour; 5xx: Discord is ill, see discordstatus.com"
)
HELD: Final = (
    "nothing gets through: what is due is held by another process, or by one that died. If this does not end within a "
    "minute, look whether two bots with different clocks share the database"
)
HUNG: Final = "nothing gets through though something is due; all that hung is begun anew, and nothing is lost"
ANEW: Final = (
    "still nothing gets through; the connection to Discord is made anew. If this comes again, restart the bot and look "
    "whether this machine reaches discord.com"
)
ASKED: Final = "Discord asks the bot to send nothing for a long while; after that it goes on by itself"
DEAFENED: Final = "Discord's gateway has not been heard for a long while; the connection is made anew"
NO_ANSWER: Final = "the database has not answered for a while; look after it: nothing is done or said until it does"
TOO_LONG: Final = "some tables took too long to be shown, and are begun anew"


class Silent(Exception):  # noqa: N818 - what happened
    """Nothing gets through: the connection to Discord has to be made anew."""


class Watchdog:
    """Watches one client after the other."""

    def __init__(self, patience: float = ALARM) -> None:
        self.patience = patience
        """Seconds after the first alarm until the connection is made anew; longer each time that did not help."""
        self._first_patience = patience

    async def watch(self, client: Boneyard) -> None:
        """Look after a client for as long as it lives. Raises Silent where another has to take its place."""
        last = _Look(client)
        while True:
            await asyncio.sleep(LOOK)
            if not client.services.presence.heard and not client.is_ready():
                continue
            try:
                await self._look(client, last)
            except Silent:
                # What hangs is held by nobody when another client goes on with it.
                _begin_anew(client)
                raise
            except StoreClosed:
                log.info("the next start looks whether anything gets through")
            except Exception:
                # Whoever watches must not be what ends the bot.
                log.exception("it could not be seen whether anything gets through")

    async def _look(self, client: Boneyard, last: "_Look") -> None:
        # One shard that is heard speaks for the machine; what the others miss, Discord keeps for them.
        if not client.services.presence.heard:
            self._is_deaf(last)
            return
        last.deaf_since = None
        announcer = client.services.announcer
        waiting = await _waiting(client)
        now, asked = asyncio.get_running_loop().time(), _quiet_until(client)
        if now > asked + STUCK and (stuck := announcer.begin_anew(now - STUCK)):
            log.error(TOO_LONG, tables=stuck, seconds=round(STUCK))
        if waiting == 0 or announcer.deliveries.arrived != last.arrived:
            if last.alarmed:
                log.warning("it gets through again", seconds=round(now - last.well_at))
                self.patience = self._first_patience
            last.is_well(now)
            return
        if asked - now > ALARM and not last.asked:
            last.asked = True
            log.error(ASKED, seconds=round(asked - now), tables=waiting)
        last.notice(now)
        silent = now - max(last.well_at, asked)
        if silent < ALARM:
            return
        facts = {"tables": waiting, "seconds": round(silent), "code": announcer.deliveries.why()}
        if last.set_going_at is not None and now - last.set_going_at < self.patience:
            return
        why = last.why(now)
        if why != HUNG:
            if why != last.said or now >= last.again_at:
                last.say(why, now)
                log.error(why, **facts)
        elif last.set_going_at is None:
            last.set_going_at = now
            gate = "was shut" if isinstance(client.http, Requests) and client.http.free() else "was open"
            log.error(HUNG, **facts, hung=_begin_anew(client), gate=gate)
        else:
            log.error(ANEW, **facts)
            self._lose_patience()
            raise Silent

    def _is_deaf(self, last: "_Look") -> None:
        now = asyncio.get_running_loop().time()
        last.is_well(now)
        if last.deaf_since is None:
            last.deaf_since = now
        if now - last.deaf_since >= max(DEAF, self.patience):
            log.error(DEAFENED, seconds=round(now - last.deaf_since))
            self._lose_patience()
            raise Silent

    def _lose_patience(self) -> None:
        self.patience = min(PATIENT, 2 * self.patience)


class _Look:
    """What was seen of one client so far. Times are the loop's."""

    def __init__(self, client: Boneyard) -> None:
        self._announcer = client.services.announcer
        self.deaf_since: float | None = None
        """Since when the gateway is not heard."""
        self.is_well(asyncio.get_running_loop().time())

    def is_well(self, now: float) -> None:
        """Something got through, or nothing was due."""
        self.well_at = now
        self.set_going_at: float | None = None
        """When all that hung was begun anew."""
        self.said = ""
        """What was said last of those that nothing can be done about, and when it is said again."""
        self.again_at = now
        self._pause = ALARM
        self.asked = False
        """Whether it was said that Discord wants silence."""
        self.arrived = self._announcer.deliveries.arrived
        self._finished, self._finished_at = self._announcer.finished, now
        self._failed, self._failed_at = self._announcer.deliveries.failed, now

    @property
    def alarmed(self) -> bool:
        """Whether it was said that nothing gets through."""
        return bool(self.said) or self.set_going_at is not None

    def notice(self, now: float) -> None:
        """Whether the tables are looked after, and what becomes of that."""
        if self._announcer.finished != self._finished:
            self._finished, self._finished_at = self._announcer.finished, now
        if self._announcer.deliveries.failed != self._failed:
            self._failed, self._failed_at = self._announcer.deliveries.failed, now

    def why(self, now: float) -> str:
        """Why nothing gets through, as far as one knows."""
        deliveries = self._announcer.deliveries
        if self._announcer.hangs(now - ALARM / 2):
            return HUNG
        # Each table tries again within a minute; a ban may take longer.
        tried = now - self._failed_at < 2 * PASSES or now < deliveries.probe_at + ALARM
        if deliveries.in_a_row and deliveries.answered() and tried:
            return REFUSING
        if not deliveries.in_a_row and now - self._finished_at < ALARM / 2:
            return HELD
        return HUNG

    def say(self, why: str, now: float) -> None:
        """It is said, and said again later and later while it stays so."""
        self._pause = min(PATIENT, 2 * self._pause) if why == self.said else ALARM
        self.said, self.again_at = why, now + self._pause


def _begin_anew(client: Boneyard) -> int:
    """Leave all that is being said; how many tables that were."""
    client.services.alerts.begin_anew()
    client.services.seasons.begin_anew()
    client.services.deal_news.begin_anew()
    return client.services.announcer.begin_anew(float("inf"))


async def _waiting(client: Boneyard) -> int:
    """How many tables have something to say. A database that does not answer is said, and waited for."""
    asking = asyncio.create_task(client.services.announcer.waiting())
    try:
        await asyncio.wait([asking], timeout=ALARM)
        if not asking.done():
            log.error(NO_ANSWER, seconds=round(ALARM))
        return await asking
    finally:
        asking.cancel()  # where the watch ends meanwhile, nobody is left to hear that the store was closed


def _quiet_until(client: Boneyard) -> float:
    """Until when Discord wants silence, on the loop's clock."""
    return client.http.quiet_until if isinstance(client.http, Requests) else 0.0
