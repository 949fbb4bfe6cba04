"""Two presses at the same moment do not get somebody a table more than the server allows."""

from __future__ import annotations

import asyncio

from bot.service.guild_settings import GuildSettings
from bot.service.invitations import Invitation
from bot.service.tables import Table
from engine.table.commands import Answer, AskSubstitute, Join
from engine.table.refusals import No, Refused
from tests.bot.desk import ADA, GRACE, GUILD, LINUS, Desk


async def opened(desk: Desk, channel: int, host: int = ADA) -> Table:
    """A lobby in this channel."""
    invitation = Invitation(guild_id=GUILD, channel_id=channel, host_id=host, game="triominoes")
    return await desk.acts.open(invitation, request=desk.request())


async def outcomes(*acts: object) -> list[object]:
    """What became of acts at the same moment: a table, or the reason why not."""
    done = await asyncio.gather(*acts, return_exceptions=True)  # type: ignore[call-overload]
    return sorted(one.why.value if isinstance(one, Refused) else type(one).__name__ for one in done)


async def test_two_tables_joined_at_once_are_one_where_one_is_allowed(desk: Desk) -> None:
    tables = [await opened(desk, 1), await opened(desk, 2, LINUS)]
    await desk.store.set_guild(GUILD, GuildSettings(person=1).stored(), now=0)
    acts = [desk.act(table.head.match_id, Join(GRACE), request=desk.request()) for table in tables]
    assert await outcomes(*acts) == [No.TOO_MANY_TABLES_PERSON, "Table"]
    assert len(await desk.tables.of(GRACE)) == 1


async def test_two_tables_opened_at_once_are_one_where_one_is_allowed(desk: Desk) -> None:
    await desk.store.set_guild(GUILD, GuildSettings(server=1).stored(), now=0)
    assert await outcomes(opened(desk, 1, ADA), opened(desk, 2, GRACE)) == [No.TOO_MANY_TABLES_SERVER, "Table"]
    await desk.store.set_guild(GUILD, GuildSettings(person=1).stored(), now=0)
    assert await outcomes(opened(desk, 3, LINUS), opened(desk, 4, LINUS)) == [No.TOO_MANY_TABLES_PERSON, "Table"]


async def test_a_seat_is_not_handed_to_somebody_who_sits_at_too_many_tables(desk: Desk) -> None:
    table = await desk.started(GRACE)
    await opened(desk, 2, LINUS)
    await desk.store.set_guild(GUILD, GuildSettings(person=1).stored(), now=0)
    match_id = table.head.match_id
    table = await desk.act(match_id, AskSubstitute(GRACE, LINUS), request=desk.request())
    assert table.question is not None
    answer = desk.act(match_id, Answer(LINUS, table.question.number, yes=True), request=desk.request())
    assert await outcomes(answer) == [No.SITS_AT_TOO_MANY]
    assert (await desk.tables.load(match_id)).seats[1].user_id == GRACE
