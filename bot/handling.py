"""Runs a handler and turns whatever goes wrong into an answer that says what to do next."""

import logging
import secrets
from collections.abc import Awaitable, Callable
from typing import Any

import discord
from discord import ui

from bot.ask import Ask, link
from bot.replies import refusal_text, rule_text
from bot.service.refusals import No, Refused
from bot.views.ids import Press
from bot.views.parts import button, primary
from bot.views.whynot import whynot_button
from engine.errors import RuleBroken

log = logging.getLogger(__name__)

Handler = Callable[[Ask], Awaitable[None]]


async def handle(ask: Ask, handler: Handler) -> None:
    """Acknowledge, do, answer."""
    user = ask.interaction.user
    if ask.interaction.guild_id is not None:
        ask.desk.names.meet(ask.interaction.guild_id, user)
    try:
        await ask.begin()
    except discord.NotFound:
        # The three seconds were over, or another process was quicker: nobody waits for an answer any more.
        log.warning("interaction %s could not be acknowledged", ask.interaction.id)
        return
    try:
        await handler(ask)
    except Refused as refused:
        await _refuse(ask, refused)
    except RuleBroken as broken:
        await _explain(ask, broken)
    except discord.HTTPException as error:
        log.warning("interaction %s could not be answered: %s %s", ask.interaction.id, error.code, error.text)
        await _apologise(ask)
    except Exception:
        await _apologise(ask)


async def _refuse(ask: Ask, refused: Refused) -> None:
    facts: dict[str, object] = {}
    words, desk = ask.desk.words, ask.desk
    if "host" in refused.facts:
        facts["name"] = await ask.name(int(str(refused.facts["host"])))
    if refused.why is No.STALE:
        await _show_where_it_stands(ask, words("no.STALE"))
        return
    if "table" in refused.facts:
        facts["link"] = link(await desk.tables.load(int(str(refused.facts["table"]))))
    await ask.aside(refusal_text(words, refused, facts), *await _what_helps(ask, refused.why))


async def _what_helps(ask: Ask, why: No) -> list[ui.Button[Any]]:
    """The buttons that the sentence of a refusal speaks of."""
    if why not in (No.FINISHED, No.CLOSED, No.NOT_SEATED):
        return []
    words, match_id = ask.desk.words, (await ask.table()).head.match_id
    if why is No.NOT_SEATED:
        return [
            button(words("board.text"), Press("text", match_id)),
            button(words("board.scores"), Press("scores", match_id)),
        ]
    return [primary(words("board.rematch"), Press("rematch", match_id))]


async def _explain(ask: Ask, broken: RuleBroken) -> None:
    desk = ask.desk
    try:
        table = await ask.table()
        seat = table.seat_of(ask.user_id)
        names, seen = await desk.sheets.names(table), desk.sheets.seen(table, seat)
    except Refused:
        # There is no table yet: the rule is about opening one.
        await ask.aside(rule_text(desk.words, broken, None, None), whynot_button(broken.why, 0, desk.words))
        return
    text = rule_text(desk.words, broken, seen, names)
    hand = primary(desk.words("board.hand"), Press("hand", table.head.match_id))
    why = whynot_button(broken.why, table.head.match_id, desk.words)
    await ask.aside(text, *([hand] if seat is not None and not seen.ended else []), why)


async def _show_where_it_stands(ask: Ask, note: str) -> None:
    table = await ask.table()
    seat = table.seat_of(ask.user_id)
    if table.story is None or seat is None:
        await ask.aside(note)
    else:
        await ask.show(await ask.desk.sheets.hand(table, seat, note=note))


async def _apologise(ask: Ask) -> None:
    reference = secrets.token_hex(4)
    log.exception("reference %s: interaction %s (%s) failed", reference, ask.interaction.id, ask.press.verb)
    try:
        await ask.aside(ask.desk.words("no.BROKEN", reference=reference))
    except discord.HTTPException:
        log.warning("reference %s: the apology could not be sent either", reference)
