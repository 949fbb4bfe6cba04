"""The guided game: what is asked for when somebody wants one.

It is a table like any other, so it outlives a restart, makes way, is left and ended as all are. What sets it apart
stands in its terms (`guided`): a gentle computer, tiles that were laid out, and a result that counts for nobody.
"""

from typing import Final

from bot.service.invitations import Invitation
from bot.service.tables import Table
from engine.table.terms import GENTLE, RELAXED

GAME: Final = "triominoes"
TARGET: Final = 50
"""Points that somebody has by the end of its one round, however it is played (`engine.table.seats`)."""


def lesson_for(guild_id: int, channel_id: int, user_id: int) -> Invitation:
    """A guided game for this person here."""
    return Invitation(
        guild_id=guild_id,
        channel_id=channel_id,
        host_id=user_id,
        game=GAME,
        computers=(GENTLE,),
        target=TARGET,
        theme="",
        clock=RELAXED,
        rated=False,
        guided=True,
    )


def is_running(table: Table) -> bool:
    """Whether it is a guided game that somebody is in the middle of."""
    return table.terms.guided and table.head.state == "open"
