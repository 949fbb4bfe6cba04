"""Puts the parts together: makes those that live as long as the bot, and hands each what it works with."""

import secrets
import time
from collections.abc import Callable
from random import SystemRandom

from bot.announce import Announcer
from bot.client import Boneyard
from bot.clockwork import Clockwork
from bot.desk import Desk
from bot.door import Door, open_to_all
from bot.letters import Postman
from bot.names import NameBook
from bot.notices import Notices
from bot.publish import Publisher
from bot.questions import Questions
from bot.rulings import Rulings
from bot.scroll import Scroll
from bot.service.absence import Absence
from bot.service.agreements import Agreements
from bot.service.computers import Computers
from bot.service.house import House
from bot.service.lobby import Lobby
from bot.service.matches import Matches
from bot.service.moderation import Moderation
from bot.service.privacy import Privacy
from bot.service.tables import Tables
from bot.tidying import Tidying
from bot.tongues import Tongues
from data.store import Store
from engine.shuffle import SECRET_BYTES


def now() -> int:
    """UTC epoch ms."""
    return time.time_ns() // 1_000_000


def build(
    store: Store,
    *,
    clock: Callable[[], int] = now,
    secret: Callable[[], bytes] | None = None,
    door: Door | None = None,
) -> Boneyard:
    """A client with everything it needs, around an open store. Tests hand in a clock and the secrets of the deals.

    `door` turns away people who press too fast; without one, nobody is.
    """
    client = Boneyard()
    tables = Tables(store)
    names = NameBook(client, clock)
    house = House(store, clock)
    tongues = Tongues(client, store, house, names)
    matches = Matches(store, tables, clock)
    lobby = Lobby(store, tables, clock, secret or (lambda: secrets.token_bytes(SECRET_BYTES)))
    absence = Absence(store, tables, matches, clock)
    postman, scroll = Postman(client), Scroll()
    publisher = Publisher(postman, store, tables, tongues, scroll, clock)
    agreements = Agreements(store, tables, matches, clock)
    publisher.writers |= Questions(postman, store, names, tongues, agreements).writers
    publisher.writers |= Notices(postman, store, names, tongues).writers
    publisher.writers |= Rulings(store, names, tongues).writers
    announcer = Announcer(publisher, postman, store, tongues, scroll, clock)
    computers = Computers(tables, matches, SystemRandom())
    client.desk = Desk(
        store=store,
        tables=tables,
        lobby=lobby,
        matches=matches,
        agreements=agreements,
        absence=absence,
        house=house,
        moderation=Moderation(store, tables, clock),
        privacy=Privacy(store, tables, lobby, matches, clock),
        clockwork=Clockwork(store, lobby, absence, computers, announcer, clock),
        announcer=announcer,
        tidying=Tidying(store, clock),
        door=door or open_to_all(),
        names=names,
        tongues=tongues,
        now=clock,
    )
    return client
