"""Notices that something is due and nothing gets through, says so loudly, and sets it going again.

Each part of the bot tries again by itself. This is for what nobody thought of: a wait that nobody ends, a task that
hangs, a connection that is dead and does not know it.
"""

import asyncio
from typing import Final

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

    def __init__(self) -> None:
        self._patience = ALARM
        """Seconds after the first alarm until the connection is made anew; longer each time that did not help."""

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
            if last.alarmed_at is not None:
                log.warning("it gets through again", seconds=round(now - last.well_at))
                self._patience = ALARM
            last.is_well(now)
            return
        if asked - now > ALARM and not last.asked:
            last.asked = True
            log.error(ASKED, seconds=round(asked - now), tables=waiting)
        silent = now - max(last.well_at, asked)
        if silent < ALARM:
            return
        if last.alarmed_at is None:
            last.alarmed_at = now
            self._alarm(client, last, waiting, silent)
        elif now - last.alarmed_at >= self._patience and last.helpless:
            log.error(ANEW, tables=waiting, seconds=round(silent))
            self._lose_patience()
            raise Silent

    def _alarm(self, client: Boneyard, last: "_Look", waiting: int, silent: float) -> None:
        """Say that nothing gets through, and why as far as one knows; what hangs is begun anew."""
        announcer, deliveries = client.services.announcer, client.services.announcer.deliveries
        facts = {"tables": waiting, "seconds": round(silent), "code": deliveries.why()}
        if deliveries.in_a_row and deliveries.answered():
            log.error(REFUSING, **facts)
            return
        hung = announcer.hangs(asyncio.get_running_loop().time() - ALARM)
        if not hung and not deliveries.in_a_row and announcer.finished != last.finished:
            log.error(HELD, **facts)
            return
        last.helpless = True
        gate = "was shut" if isinstance(client.http, Requests) and client.http.free() else "was open"
        log.error(HUNG, **facts, hung=_begin_anew(client), gate=gate)

    def _is_deaf(self, last: "_Look") -> None:
        now = asyncio.get_running_loop().time()
        last.is_well(now)
        if last.deaf_since is None:
            last.deaf_since = now
        if now - last.deaf_since >= max(DEAF, self._patience):
            log.error(DEAFENED, seconds=round(now - last.deaf_since))
            self._lose_patience()
            raise Silent

    def _lose_patience(self) -> None:
        self._patience = min(PATIENT, 2 * self._patience)


class _Look:
    """What was seen of one client so far."""

    def __init__(self, client: Boneyard) -> None:
        self._announcer = client.services.announcer
        self.deaf_since: float | None = None
        """Since when the gateway is not heard (the loop's time, like all of these)."""
        self.is_well(asyncio.get_running_loop().time())

    def is_well(self, now: float) -> None:
        """Something got through, or nothing was due."""
        self.well_at = now
        self.alarmed_at: float | None = None
        """When it was said that nothing gets through."""
        self.helpless = False
        """Whether beginning anew was all that one could do about it."""
        self.asked = False
        """Whether it was said that Discord wants silence."""
        self.arrived, self.finished = self._announcer.deliveries.arrived, self._announcer.finished


def _begin_anew(client: Boneyard) -> int:
    """Leave all that is being said; how many tables that were."""
    client.services.alerts.begin_anew()
    return client.services.announcer.begin_anew(float("inf"))


async def _waiting(client: Boneyard) -> int:
    """How many tables have something to say. A database that does not answer is said, and waited for."""
    asking = asyncio.create_task(client.services.announcer.waiting())
    await asyncio.wait([asking], timeout=ALARM)
    if not asking.done():
        log.error(NO_ANSWER, seconds=round(ALARM))
    return await asking


def _quiet_until(client: Boneyard) -> float:
    """Until when Discord wants silence, on the loop's clock."""
    return client.http.quiet_until if isinstance(client.http, Requests) else 0.0
