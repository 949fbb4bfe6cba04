"""Runs the handler of an interaction, and answers errors with what to do next."""

import asyncio
import secrets
from collections.abc import Awaitable, Callable
from contextlib import suppress
from functools import partial
from typing import Any, Final, TypeVar

import discord
from discord import ui

from bot.core.admission import Admit
from bot.core.context import ACKNOWLEDGED, Context, FirstAnswer, Interaction, NobodyWaits, is_old, link
from bot.core.discord_errors import FAILURES, code_of, is_hung_up
from bot.core.formats import moment
from bot.core.layout import Press, button, primary, said
from bot.core.logs import bound, logger
from bot.core.permissions import invite_address, is_on, missing
from bot.core.refusal_text import refusal_text, rule_text
from bot.core.safe_text import UNSAID, safe
from bot.tables.move_labels import listed
from bot.tables.rules_text import whynot_button
from data.store.connection.faults import KEPT, DatabaseUnavailable
from data.store.connection.store_errors import StoreClosed
from engine.match.errors import RuleBroken
from engine.table.refusals import No, Refused

log = logger(__name__)
GRACE: Final = 2.0  # seconds for another process to act on what it acknowledged
# Verbs that are usually answered at once, in place of the clicked private message. All are idempotent.
PROMPT: Final = frozenset({"hand", "tile", "move", "play", "choose", "draw", "pass", "text", "replay"})
# Commands that are usually answered at once, in a separate message.
TYPED: Final = frozenset({"play", "choose", "draw", "pass"})
# Verbs that work where the bot is no member: users can always reach their data.
ANYWHERE: Final = frozenset({"export", "forget"})
Handler = Callable[[Context], Awaitable[None]]
H = TypeVar("H", bound=Handler)
Form = Callable[[Interaction, Press], Awaitable[None]]
HANDLERS: Final[dict[str, Handler]] = {}  # by the verb of a button or menu
FORMS: Final[dict[str, Form]] = {}  # handlers that open a modal, by verb
QUIET: Final[set[str]] = set()  # verbs whose effect is public and needs no private answer


def handles(*verbs: str, quiet: bool = False) -> Callable[[H], H]:
    def register(handler: H) -> H:
        for verb in verbs:
            assert verb not in HANDLERS, f"two handlers for {verb}"
            HANDLERS[verb] = handler
        if quiet:
            QUIET.update(verbs)
        return handler

    return register


def opens_form(verb: str) -> Callable[[Form], Form]:
    def register(form: Form) -> Form:
        FORMS[verb] = form
        return form

    return register


async def dispatch(ctx: Context, handler: Handler) -> None:
    """Admit an interaction, acknowledge it, run its handler and answer. Duplicate deliveries are ignored."""
    interaction = ctx.interaction
    with bound(interaction=interaction.id, server=interaction.guild_id):
        match ctx.services.admission.enter(interaction.id, ctx.user_id):
            case Admit.COME_IN if (
                not is_on(interaction.client, interaction.guild_id) and ctx.press.verb not in ANYWHERE
            ):
                where = invite_address(interaction.application_id, ctx.guild_id)
                await _refuse_admission(
                    ctx, "no.NOT_A_MEMBER", ui.Button(label=ctx.words("permission.invite"), url=where)
                )
            case Admit.COME_IN:
                with ctx.services.admission.inside():
                    await _serve(ctx, handler)
            case Admit.AGAIN:
                log.info("delivered again", verb=ctx.press.verb)
            case Admit.TOO_FAST:
                await _refuse_admission(ctx, "admission.too_fast")
            case Admit.CLOSING:
                await _refuse_admission(ctx, "admission.closing")


async def _serve(ctx: Context, handler: Handler) -> None:
    interaction = ctx.interaction
    if interaction.guild_id is not None:
        ctx.services.names.meet(interaction.guild_id, interaction.user)
        ctx.services.languages.meet(interaction)
    prompt = PROMPT if ctx.in_own_message else TYPED if ctx.is_typed else ()
    if ctx.press.verb in prompt and not is_old(interaction):
        ctx.first = FirstAnswer(interaction, partial(_acknowledge, ctx))
    elif not await _acknowledge(ctx):
        return
    with suppress(NobodyWaits), ctx.services.live_hands.answering(ctx.user_id):
        try:
            await _run(ctx, handler)
        except NobodyWaits:
            raise
        except DatabaseUnavailable as trouble:
            await _report_database_fault(ctx, trouble)
        except Exception as error:
            await _report_failure(ctx, error)
        if ctx.first is not None:
            await ctx.first.sign()
    _reopen_channel(ctx)


async def _run(ctx: Context, handler: Handler) -> None:
    KEPT.set([])
    try:
        with suppress(DatabaseUnavailable):  # then the language that Discord reports is used
            await ctx.attune()
        await _run_with_retry(ctx, handler)
        log.info("served", verb=ctx.press.verb)
    except Refused as refused:
        log.info("refused", verb=ctx.press.verb, why=refused.why.value)
        await (_show_current_hand(ctx) if refused.why is No.STALE else _explain_refusal(ctx, refused))
    except RuleBroken as broken:
        log.info("refused", verb=ctx.press.verb, why=broken.why.value)
        await _explain_broken_rule(ctx, broken)


async def _run_with_retry(ctx: Context, handler: Handler) -> None:
    """Run a handler, and again with loaded tables if a remembered table may have caused its refusal."""
    try:
        await handler(ctx)
    except (Refused, RuleBroken):
        if not ctx.from_memory or ctx.done is not None:
            raise
        ctx.from_memory, ctx.reads = False, True
        await handler(ctx)


async def _acknowledge(ctx: Context) -> bool:
    """Acknowledge. Return False if the interaction has expired, or another process answers it."""
    lost = False
    while True:
        try:
            await ctx.begin()
        except discord.NotFound:
            log.warning("too late to acknowledge", verb=ctx.press.verb)
            return False
        except discord.HTTPException as error:
            if error.code != ACKNOWLEDGED:
                log.warning("could not be acknowledged", verb=ctx.press.verb, code=code_of(error))
                return False
            # By a lost attempt of this process, or by another process that may have died.
            return lost or await _has_no_effect(ctx)
        except FAILURES as error:
            log.warning("could not be acknowledged", verb=ctx.press.verb, code=code_of(error))
            if lost:
                return False
            lost = True
        except RuntimeError as error:
            if not is_hung_up(error):
                raise
            log.info("not acknowledged: the bot has closed its session", verb=ctx.press.verb)
            return False
        else:
            return True


async def _has_no_effect(ctx: Context) -> bool:
    """Return whether to answer what another process acknowledged: after a while it has had no effect."""
    await asyncio.sleep(GRACE)
    if ctx.did:
        return True
    try:
        return await ctx.services.store.matches.seen_request(ctx.interaction.id) is None
    except DatabaseUnavailable:
        return False  # the process that acknowledged it answers


async def _refuse_admission(ctx: Context, key: str, *buttons: ui.Button[Any]) -> None:
    log.info("turned away", verb=ctx.press.verb, why=key)
    try:
        await ctx.interaction.response.send_message(view=said(ctx.words(key), *buttons), ephemeral=True)
    except (*FAILURES, RuntimeError) as error:
        if not isinstance(error, FAILURES) and not is_hung_up(error):
            raise
        log.info("nobody heard that", code=code_of(error))


def _reopen_channel(ctx: Context) -> None:
    interaction, announcer = ctx.interaction, ctx.services.announcer
    channel_id = interaction.channel_id
    if channel_id is None or interaction.guild_id is None or not announcer.is_shut(channel_id):
        return
    in_thread = isinstance(interaction.channel, discord.Thread)
    if not missing(interaction.app_permissions, in_thread=in_thread):
        announcer.reopened([channel_id])


async def _explain_refusal(ctx: Context, refused: Refused) -> None:
    facts: dict[str, object] = {}
    words, services = ctx.words, ctx.services
    if refused.facts.get("server", ctx.interaction.guild_id) != ctx.interaction.guild_id and not ctx.direct:
        refused = Refused(No.NO_SUCH_TABLE)
    if refused.why is No.NOT_SEATED:
        refused = Refused(await _spectator_reason(ctx), **refused.facts)
    if "host" in refused.facts:
        facts["name"] = await ctx.name(int(str(refused.facts["host"])))
    if isinstance(people := refused.facts.get("people"), tuple):
        facts["people"] = listed(words, [f"**{await ctx.name(user_id)}**" for user_id in people])
    if refused.why in (No.SEATS_KEPT, No.DEAL_SEALED):
        facts["until"] = moment(int(str(refused.facts["until"])), "f")
    if refused.why is No.PAUSED_TOGETHER:
        facts["until"] = moment(int(str(refused.facts["until"])), "D")
    if refused.why is No.PAUSED:
        facts = await _pause_facts(ctx, refused)
    if "again" in refused.facts:
        facts["when"] = moment(int(str(refused.facts["again"])))
    if "table" in refused.facts:
        facts["link"] = link(await services.tables.load(int(str(refused.facts["table"]))))
    await ctx.aside(refusal_text(words, refused, facts), *await _refusal_buttons(ctx, refused))


async def _pause_facts(ctx: Context, refused: Refused) -> dict[str, object]:
    moderator = refused.facts["moderator"]
    name = ctx.words("name.somebody") if moderator is None else await ctx.name(int(str(moderator)))
    return {"name": name, "reason": safe(str(refused.facts["reason"])) or UNSAID}


async def _spectator_reason(ctx: Context) -> No:
    table = await ctx.table()
    if table.event_log is None or not table.state.gives_way(table.event_log.match):
        return No.NOT_SEATED
    return No.WATCHING_PRACTICE if table.state.practice else No.WATCHING_SILENT


async def _refusal_buttons(ctx: Context, refused: Refused) -> list[ui.Button[Any]]:
    why = refused.why
    if why is No.CHANNEL_BUSY_OFFER:
        return [primary(ctx.words("lobby.in_thread"), Press("inthread", argument=str(refused.facts["offer"])))]
    if why not in (No.FINISHED, No.CLOSED, No.NOT_SEATED, No.PAUSED_TOGETHER):
        return []
    words, match_id = ctx.words, (await ctx.table()).head.match_id
    if why is No.PAUSED_TOGETHER:
        return [primary(words("agree.resume"), Press("resume", match_id))]
    if why is No.NOT_SEATED:
        return [
            button(words("board.text"), Press("text", match_id)),
            button(words("board.scores"), Press("scores", match_id)),
        ]
    # A direct message has no channel for a new table.
    return [] if ctx.direct else [primary(words("board.rematch"), Press("rematch", match_id))]


async def _explain_broken_rule(ctx: Context, broken: RuleBroken) -> None:
    try:
        table = await ctx.table()
        seat = table.seat_of(ctx.user_id)
        names, seen = await ctx.messages.names(table), ctx.messages.seen(table, seat)
    except Refused:
        await ctx.aside(rule_text(ctx.words, broken, None, None), whynot_button(broken.why, 0, ctx.words))
        return
    text = rule_text(ctx.words, broken, seen, names, table.terms.theme)
    hand = primary(ctx.words("board.hand"), Press("hand", table.head.match_id))
    why = whynot_button(broken.why, table.head.match_id, ctx.words)
    await ctx.aside(text, *([hand] if seat is not None and not seen.ended else []), why)


async def _show_current_hand(ctx: Context) -> None:
    table, note = await ctx.table(), ctx.words("no.STALE")
    seat = table.seat_of(ctx.user_id)
    if table.head.state == "void":
        await _explain_refusal(ctx, Refused(No.CLOSED))
    elif table.event_log is None:
        await ctx.aside(note)
    elif seat is None:
        await _explain_refusal(ctx, Refused(No.NOT_SEATED))
    else:
        await ctx.show_table(table, await ctx.messages.hand(table, seat, note=note, direct=ctx.direct))


async def _report_database_fault(ctx: Context, trouble: DatabaseUnavailable) -> None:
    """Report a database fault to the user; the store has logged it for the operator."""
    # A part may be committed already.
    maybe = trouble.maybe or bool(KEPT.get([]))
    log.warning("could not be saved", verb=ctx.press.verb, fault=trouble.fault.value, maybe=maybe)
    try:
        await ctx.aside(ctx.words("no.MAYBE_SAVED" if maybe else "no.UNSAVED"))
    except FAILURES as error:
        log.warning("nobody heard that", code=code_of(error))
    except RuntimeError as error:
        if not is_hung_up(error):
            raise
        log.info("not replied: the bot has closed its session", verb=ctx.press.verb)


async def _report_failure(ctx: Context, error: Exception) -> None:
    reference = secrets.token_hex(4)
    if isinstance(error, FAILURES) or is_hung_up(error):
        log.warning("the answer did not get through", verb=ctx.press.verb, code=code_of(error), reference=reference)
    else:
        log.exception("failed", reference=reference, verb=ctx.press.verb)
    try:
        if await _is_committed(ctx):
            await ctx.aside(ctx.words("no.DONE_UNSAID", reference=reference), *_hand_button(ctx))
        elif KEPT.get([]):
            await ctx.aside(ctx.words("no.PERHAPS_DONE", reference=reference))
        else:
            await ctx.aside(ctx.words("no.BROKEN", reference=reference))
    except (*FAILURES, RuntimeError) as failed:
        if not isinstance(failed, FAILURES) and not is_hung_up(failed):
            raise
        log.warning("the apology could not be sent either", reference=reference, code=code_of(failed))


async def _is_committed(ctx: Context) -> bool:
    if ctx.done is not None:
        return True
    try:
        return await ctx.services.store.matches.seen_request(ctx.interaction.id) is not None
    except (DatabaseUnavailable, StoreClosed):
        return False


def _hand_button(ctx: Context) -> list[ui.Button[Any]]:
    table = ctx.done
    if table is None or table.event_log is None or table.seat_of(ctx.user_id) is None:
        return []
    return [primary(ctx.words("board.hand"), Press("hand", table.head.match_id))]
