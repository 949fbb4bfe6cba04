"""Runs a handler and turns whatever goes wrong into an answer that says what to do next."""

import asyncio
import secrets
from collections.abc import Awaitable, Callable
from typing import Any, Final

import discord
from discord import ui

from bot.ask import Ask, link
from bot.door import Entry
from bot.logs import bound, logger
from bot.names import safe
from bot.permissions import missing
from bot.replies import refusal_text, rule_text
from bot.service.refusals import No, Refused
from bot.trouble import FAILURES, code_of
from bot.views.ids import Press
from bot.views.parts import button, primary, said
from bot.views.whynot import whynot_button
from engine.errors import RuleBroken

log = logger(__name__)

ACKNOWLEDGED: Final = 40060
"""Discord's code for an interaction that was acknowledged before."""

GRACE: Final = 2.0
"""Seconds that another process has for what it acknowledged."""

Handler = Callable[[Ask], Awaitable[None]]


async def handle(ask: Ask, handler: Handler) -> None:
    """Acknowledge, do, answer. What Discord delivers twice is done once."""
    interaction = ask.interaction
    with bound(interaction=interaction.id, server=interaction.guild_id):
        match ask.desk.door.enter(interaction.id, ask.user_id):
            case Entry.COME_IN:
                with ask.desk.door.inside():
                    await _serve(ask, handler)
            case Entry.AGAIN:
                log.info("delivered again", verb=ask.press.verb)
            case Entry.TOO_FAST:
                await _turn_away(ask, "door.too_fast")
            case Entry.CLOSING:
                await _turn_away(ask, "door.closing")


async def _serve(ask: Ask, handler: Handler) -> None:
    interaction = ask.interaction
    if interaction.guild_id is not None:
        ask.desk.names.meet(interaction.guild_id, interaction.user)
        ask.desk.tongues.meet(interaction)
    if not await _acknowledged(ask):
        return
    try:
        await _do(ask, handler)
    except FAILURES as error:
        log.warning("the answer did not get through", verb=ask.press.verb, code=code_of(error))
        await _apologise(ask)
    except Exception:
        await _apologise(ask)
    _look_around(ask)


async def _do(ask: Ask, handler: Handler) -> None:
    """Do what is asked, or say why not. Saying so may fail as well."""
    try:
        await ask.attune()
        await handler(ask)
        log.info("served", verb=ask.press.verb)
    except Refused as refused:
        log.info("refused", verb=ask.press.verb, why=refused.why.value)
        await _refuse(ask, refused)
    except RuleBroken as broken:
        log.info("refused", verb=ask.press.verb, why=broken.why.value)
        await _explain(ask, broken)


async def _acknowledged(ask: Ask) -> bool:
    """Acknowledge. False when nobody waits for an answer any more, or another process gives it."""
    lost = False
    while True:
        try:
            await ask.begin()
        except discord.NotFound:
            # The three seconds were over.
            log.warning("too late to acknowledge", verb=ask.press.verb)
            return False
        except discord.HTTPException as error:
            if error.code != ACKNOWLEDGED:
                log.warning("could not be acknowledged", verb=ask.press.verb, code=code_of(error))
                return False
            # By an attempt of ours whose answer was lost, or by another process, which may have died of it.
            return lost or await _left_undone(ask)
        except FAILURES as error:
            log.warning("could not be acknowledged", verb=ask.press.verb, code=code_of(error))
            if lost:
                return False
            lost = True
        else:
            return True


async def _left_undone(ask: Ask) -> bool:
    """Whether an interaction that somebody else acknowledged has had no effect after a while. What only looks at a
    table has none, and can be answered twice.
    """
    await asyncio.sleep(GRACE)
    return await ask.desk.store.seen_request(ask.interaction.id) is None


async def _turn_away(ask: Ask, key: str) -> None:
    """A private word for somebody who is not served now. Nothing is read for it."""
    log.info("turned away", verb=ask.press.verb, why=key)
    try:
        await ask.interaction.response.send_message(view=said(ask.words(key)), ephemeral=True)
    except FAILURES as error:
        log.info("nobody heard that", code=code_of(error))


def _look_around(ask: Ask) -> None:
    """Whoever can press a button somewhere may also show that the bot can write there again."""
    interaction, announcer = ask.interaction, ask.desk.announcer
    channel_id = interaction.channel_id
    if channel_id is None or interaction.guild_id is None or not announcer.is_shut(channel_id):
        return
    in_thread = isinstance(interaction.channel, discord.Thread)
    if not missing(interaction.app_permissions, in_thread=in_thread):
        announcer.reopened([channel_id])


async def _refuse(ask: Ask, refused: Refused) -> None:
    if refused.why is No.STALE:
        await _show_where_it_stands(ask)
    else:
        await _say_no(ask, refused)


async def _say_no(ask: Ask, refused: Refused) -> None:
    facts: dict[str, object] = {}
    words, desk = ask.words, ask.desk
    if "host" in refused.facts:
        facts["name"] = await ask.name(int(str(refused.facts["host"])))
    if refused.why is No.PAUSED:
        facts = await _who_paused(ask, refused)
    if "table" in refused.facts:
        facts["link"] = link(await desk.tables.load(int(str(refused.facts["table"]))))
    await ask.aside(refusal_text(words, refused, facts), *await _what_helps(ask, refused.why))


async def _who_paused(ask: Ask, refused: Refused) -> dict[str, object]:
    moderator = refused.facts["moderator"]
    name = ask.words("name.somebody") if moderator is None else await ask.name(int(str(moderator)))
    return {"name": name, "reason": safe(str(refused.facts["reason"]))}


async def _what_helps(ask: Ask, why: No) -> list[ui.Button[Any]]:
    """The buttons that the sentence of a refusal speaks of."""
    if why not in (No.FINISHED, No.CLOSED, No.NOT_SEATED):
        return []
    words, match_id = ask.words, (await ask.table()).head.match_id
    if why is No.NOT_SEATED:
        return [
            button(words("board.text"), Press("text", match_id)),
            button(words("board.scores"), Press("scores", match_id)),
        ]
    # A table that is opened from a direct message would stand nowhere.
    return [] if ask.direct else [primary(words("board.rematch"), Press("rematch", match_id))]


async def _explain(ask: Ask, broken: RuleBroken) -> None:
    try:
        table = await ask.table()
        seat = table.seat_of(ask.user_id)
        names, seen = await ask.sheets.names(table), ask.sheets.seen(table, seat)
    except Refused:
        # There is no table yet: the rule is about opening one.
        await ask.aside(rule_text(ask.words, broken, None, None), whynot_button(broken.why, 0, ask.words))
        return
    text = rule_text(ask.words, broken, seen, names)
    hand = primary(ask.words("board.hand"), Press("hand", table.head.match_id))
    why = whynot_button(broken.why, table.head.match_id, ask.words)
    await ask.aside(text, *([hand] if seat is not None and not seen.ended else []), why)


async def _show_where_it_stands(ask: Ask) -> None:
    """The hand as it is now, for whoever pressed what was made for an earlier one."""
    table, note = await ask.table(), ask.words("no.STALE")
    seat = table.seat_of(ask.user_id)
    if table.head.state == "void":
        await _say_no(ask, Refused(No.CLOSED))
    elif table.story is None:
        await ask.aside(note)
    elif seat is None:
        await _say_no(ask, Refused(No.NOT_SEATED))
    else:
        await ask.show(await ask.sheets.hand(table, seat, note=note, direct=ask.direct))


async def _apologise(ask: Ask) -> None:
    reference = secrets.token_hex(4)
    log.exception("failed", reference=reference, verb=ask.press.verb)
    try:
        await ask.aside(ask.words("no.BROKEN", reference=reference))
    except FAILURES as error:
        log.warning("the apology could not be sent either", reference=reference, code=code_of(error))
