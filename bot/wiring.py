"""Puts the parts together. The only file that names concrete ones."""

import secrets
import time
from collections.abc import Callable
from random import SystemRandom

from bot.announce import Announcer
from bot.client import Boneyard
from bot.clockwork import Clockwork
from bot.desk import Desk
from bot.names import NameBook
from bot.service.computers import Computers
from bot.service.lobby import Lobby
from bot.service.matches import Matches
from bot.service.tables import Tables
from bot.sheets import Sheets
from data.store import Store
from data.words import words
from engine.shuffle import SECRET_BYTES


def now() -> int:
    """UTC epoch ms."""
    return time.time_ns() // 1_000_000


def build(store: Store, *, clock: Callable[[], int] = now, secret: Callable[[], bytes] | None = None) -> Boneyard:
    """A client with everything it needs, around an open store. Tests hand in a clock and the secrets of the deals."""
    client = Boneyard()
    said = words()
    tables = Tables(store)
    names = NameBook(client)
    sheets = Sheets(store, names, said)
    matches = Matches(store, tables, clock)
    lobby = Lobby(store, tables, clock, secret or (lambda: secrets.token_bytes(SECRET_BYTES)))
    announcer = Announcer(client, store, tables, sheets, clock)
    computers = Computers(tables, matches, SystemRandom())
    client.desk = Desk(
        store=store,
        tables=tables,
        lobby=lobby,
        matches=matches,
        clockwork=Clockwork(store, lobby, computers, announcer, clock),
        announcer=announcer,
        sheets=sheets,
        names=names,
        words=said,
        now=clock,
    )
    return client
