"""Runs a handler and turns whatever goes wrong into an answer that says what to do next."""

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

GRACE: Final = 2.0
"""Seconds that another process has for what it acknowledged."""

PROMPT: Final = frozenset({"hand", "tile", "move", "play", "choose", "draw", "pass", "text", "replay"})
"""What is usually answered at once, in the private message that was pressed. None of it does anything twice, whoever
else it is delivered to.
"""

TYPED: Final = frozenset({"play", "choose", "draw", "pass"})
"""Commands that are usually answered at once, in a message of its own: moves, before anybody else is shown them."""

ANYWHERE: Final = frozenset({"export", "forget"})
"""What may be asked where the bot is no member: what is held about somebody is theirs wherever they are."""

Handler = Callable[[Context], Awaitable[None]]
H = TypeVar("H", bound=Handler)
Form = Callable[[Interaction, Press], Awaitable[None]]

HANDLERS: Final[dict[str, Handler]] = {}
"""What a button or menu does, by the verb in its id. Filled in by `handles`."""
FORMS: Final[dict[str, Form]] = {}
"""The buttons that open a form, by verb. Filled in by `opens_form`."""
QUIET: Final[set[str]] = set()
"""The verbs whose effect everyone sees on the message itself, so that no private reply is needed."""


def handles(*verbs: str, quiet: bool = False) -> Callable[[H], H]:
    """Register a function as the handler of buttons and menus with these verbs."""

    def register(handler: H) -> H:
        for verb in verbs:
            assert verb not in HANDLERS, f"two handlers for {verb}"
            HANDLERS[verb] = handler
        if quiet:
            QUIET.update(verbs)
        return handler

    return register


def opens_form(verb: str) -> Callable[[Form], Form]:
    """Register a function that answers a button with a form."""

    def register(form: Form) -> Form:
        FORMS[verb] = form
        return form

    return register


async def dispatch(ctx: Context, handler: Handler) -> None:
    """Acknowledge, do, answer. What Discord delivers twice is done once."""
    interaction = ctx.interaction
    with bound(interaction=interaction.id, server=interaction.guild_id):
        match ctx.services.admission.enter(interaction.id, ctx.user_id):
            case Admit.COME_IN if (
                not is_on(interaction.client, interaction.guild_id) and ctx.press.verb not in ANYWHERE
            ):
                await _turn_away(ctx, "no.NOT_A_MEMBER", *_invite(ctx))
            case Admit.COME_IN:
                with ctx.services.admission.inside():
                    await _serve(ctx, handler)
            case Admit.AGAIN:
                log.info("delivered again", verb=ctx.press.verb)
            case Admit.TOO_FAST:
                await _turn_away(ctx, "admission.too_fast")
            case Admit.CLOSING:
                await _turn_away(ctx, "admission.closing")


async def _serve(ctx: Context, handler: Handler) -> None:
    interaction = ctx.interaction
    if interaction.guild_id is not None:
        ctx.services.names.meet(interaction.guild_id, interaction.user)
        ctx.services.languages.meet(interaction)
    prompt = PROMPT if ctx.in_own_message else TYPED if ctx.is_typed else ()
    if ctx.press.verb in prompt and not is_old(interaction):
        ctx.first = FirstAnswer(interaction, partial(_acknowledged, ctx))
    elif not await _acknowledged(ctx):
        return
    with suppress(NobodyWaits), ctx.services.live_hands.answering(ctx.user_id):
        try:
            await _do(ctx, handler)
        except NobodyWaits:
            raise
        except DatabaseUnavailable as trouble:
            await _cannot_save(ctx, trouble)
        except Exception as error:
            await _apologise(ctx, error)
        if ctx.first is not None:
            await ctx.first.sign()
    _look_around(ctx)


async def _do(ctx: Context, handler: Handler) -> None:
    """Do what is asked, or say why not. Saying so may fail as well."""
    KEPT.set([])
    try:
        with suppress(DatabaseUnavailable):  # it is said all the same, in the language that Discord knows of
            await ctx.attune()
        await _handle(ctx, handler)
        log.info("served", verb=ctx.press.verb)
    except Refused as refused:
        log.info("refused", verb=ctx.press.verb, why=refused.why.value)
        await _refuse(ctx, refused)
    except RuleBroken as broken:
        log.info("refused", verb=ctx.press.verb, why=broken.why.value)
        await _explain(ctx, broken)


async def _handle(ctx: Context, handler: Handler) -> None:
    """Run it, and once more where what was remembered of a table may be why it is refused."""
    try:
        await handler(ctx)
    except (Refused, RuleBroken):
        if not ctx.from_memory or ctx.done is not None:
            raise
        ctx.from_memory, ctx.reads = False, True
        await handler(ctx)


async def _acknowledged(ctx: Context) -> bool:
    """Acknowledge. False when nobody waits for an answer any more, or another process gives it."""
    lost = False
    while True:
        try:
            await ctx.begin()
        except discord.NotFound:
            # The three seconds were over.
            log.warning("too late to acknowledge", verb=ctx.press.verb)
            return False
        except discord.HTTPException as error:
            if error.code != ACKNOWLEDGED:
                log.warning("could not be acknowledged", verb=ctx.press.verb, code=code_of(error))
                return False
            # By an attempt of ours whose answer was lost, or by another process, which may have died of it.
            return lost or await _left_undone(ctx)
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


async def _left_undone(ctx: Context) -> bool:
    """Whether an interaction that somebody else acknowledged has had no effect after a while. What only looks at a
    table has none, and can be answered twice. What was done here is told here.
    """
    await asyncio.sleep(GRACE)
    if ctx.did:
        return True
    try:
        return await ctx.services.store.matches.seen_request(ctx.interaction.id) is None
    except DatabaseUnavailable:
        return False  # who acknowledged it tells them


def _invite(ctx: Context) -> list[ui.Button[Any]]:
    """The button that leads to where the bot is invited."""
    interaction = ctx.interaction
    where = invite_address(interaction.application_id, ctx.guild_id)
    return [ui.Button(label=ctx.words("permission.invite"), url=where)]


async def _turn_away(ctx: Context, key: str, *buttons: ui.Button[Any]) -> None:
    """A private word for somebody who is not served now. Nothing is read for it."""
    log.info("turned away", verb=ctx.press.verb, why=key)
    try:
        await ctx.interaction.response.send_message(view=said(ctx.words(key), *buttons), ephemeral=True)
    except (*FAILURES, RuntimeError) as error:
        if not isinstance(error, FAILURES) and not is_hung_up(error):
            raise
        log.info("nobody heard that", code=code_of(error))


def _look_around(ctx: Context) -> None:
    """Whoever can press a button somewhere may also show that the bot can write there again."""
    interaction, announcer = ctx.interaction, ctx.services.announcer
    channel_id = interaction.channel_id
    if channel_id is None or interaction.guild_id is None or not announcer.is_shut(channel_id):
        return
    in_thread = isinstance(interaction.channel, discord.Thread)
    if not missing(interaction.app_permissions, in_thread=in_thread):
        announcer.reopened([channel_id])


async def _refuse(ctx: Context, refused: Refused) -> None:
    if refused.why is No.STALE:
        await _show_where_it_stands(ctx)
    else:
        await _say_no(ctx, refused)


async def _say_no(ctx: Context, refused: Refused) -> None:
    facts: dict[str, object] = {}
    words, services = ctx.words, ctx.services
    if refused.facts.get("server", ctx.interaction.guild_id) != ctx.interaction.guild_id and not ctx.direct:
        # A table is nobody's business on another server.
        refused = Refused(No.NO_SUCH_TABLE)
    if refused.why is No.NOT_SEATED:
        refused = Refused(await _watching(ctx), **refused.facts)
    if "host" in refused.facts:
        facts["name"] = await ctx.name(int(str(refused.facts["host"])))
    if isinstance(people := refused.facts.get("people"), tuple):
        facts["people"] = listed(words, [f"**{await ctx.name(user_id)}**" for user_id in people])
    if refused.why in (No.SEATS_KEPT, No.DEAL_SEALED):
        facts["until"] = moment(int(str(refused.facts["until"])), "f")
    if refused.why is No.PAUSED_TOGETHER:
        facts["until"] = moment(int(str(refused.facts["until"])), "D")
    if refused.why is No.PAUSED:
        facts = await _who_paused(ctx, refused)
    if "again" in refused.facts:
        facts["when"] = moment(int(str(refused.facts["again"])))
    if "table" in refused.facts:
        facts["link"] = link(await services.tables.load(int(str(refused.facts["table"]))))
    await ctx.aside(refusal_text(words, refused, facts), *await _what_helps(ctx, refused))


async def _who_paused(ctx: Context, refused: Refused) -> dict[str, object]:
    moderator = refused.facts["moderator"]
    name = ctx.words("name.somebody") if moderator is None else await ctx.name(int(str(moderator)))
    return {"name": name, "reason": safe(str(refused.facts["reason"])) or UNSAID}


async def _watching(ctx: Context) -> No:
    """Why somebody who does not play is told so: where the table holds its channel for nobody they can have it."""
    table = await ctx.table()
    if table.event_log is None or not table.state.gives_way(table.event_log.match):
        return No.NOT_SEATED
    return No.WATCHING_PRACTICE if table.state.practice else No.WATCHING_SILENT


async def _what_helps(ctx: Context, refused: Refused) -> list[ui.Button[Any]]:
    """The buttons that the sentence of a refusal speaks of."""
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
    # A table that is opened from a direct message would stand nowhere.
    return [] if ctx.direct else [primary(words("board.rematch"), Press("rematch", match_id))]


async def _explain(ctx: Context, broken: RuleBroken) -> None:
    try:
        table = await ctx.table()
        seat = table.seat_of(ctx.user_id)
        names, seen = await ctx.messages.names(table), ctx.messages.seen(table, seat)
    except Refused:
        # There is no table yet: the rule is about opening one.
        await ctx.aside(rule_text(ctx.words, broken, None, None), whynot_button(broken.why, 0, ctx.words))
        return
    text = rule_text(ctx.words, broken, seen, names, table.terms.theme)
    hand = primary(ctx.words("board.hand"), Press("hand", table.head.match_id))
    why = whynot_button(broken.why, table.head.match_id, ctx.words)
    await ctx.aside(text, *([hand] if seat is not None and not seen.ended else []), why)


async def _show_where_it_stands(ctx: Context) -> None:
    """The hand as it is now, for whoever pressed what was made for an earlier one."""
    table, note = await ctx.table(), ctx.words("no.STALE")
    seat = table.seat_of(ctx.user_id)
    if table.head.state == "void":
        await _say_no(ctx, Refused(No.CLOSED))
    elif table.event_log is None:
        await ctx.aside(note)
    elif seat is None:
        await _say_no(ctx, Refused(No.NOT_SEATED))
    else:
        await ctx.show_table(table, await ctx.messages.hand(table, seat, note=note, direct=ctx.direct))


async def _cannot_save(ctx: Context, trouble: DatabaseUnavailable) -> None:
    """The database does not do its work; the store has told whoever runs the bot why, and what to do."""
    # What was written before it failed is kept: nobody may be told then that nothing was done.
    maybe = trouble.maybe or bool(KEPT.get([]))
    log.warning("could not be saved", verb=ctx.press.verb, fault=trouble.fault.value, maybe=maybe)
    try:
        await ctx.aside(ctx.words("no.MAYBE_SAVED" if maybe else "no.UNSAVED"))
    except FAILURES as error:
        log.warning("nobody heard that", code=code_of(error))
    except RuntimeError as error:
        # The process stops while its database fails over: no reply can be sent any more.
        if not is_hung_up(error):
            raise
        log.info("not replied: the bot has closed its session", verb=ctx.press.verb)


async def _apologise(ctx: Context, error: Exception) -> None:
    """Say what became of it. Whoever reads "try again" does, so that is said where nothing was done."""
    reference = secrets.token_hex(4)
    if isinstance(error, FAILURES) or is_hung_up(error):
        log.warning("the answer did not get through", verb=ctx.press.verb, code=code_of(error), reference=reference)
    else:
        log.exception("failed", reference=reference, verb=ctx.press.verb)
    try:
        if await _is_done(ctx):
            await ctx.aside(ctx.words("no.DONE_UNSAID", reference=reference), *_hand_of(ctx))
        elif KEPT.get([]):
            await ctx.aside(ctx.words("no.PERHAPS_DONE", reference=reference))
        else:
            await ctx.aside(ctx.words("no.BROKEN", reference=reference))
    except (*FAILURES, RuntimeError) as failed:
        if not isinstance(failed, FAILURES) and not is_hung_up(failed):
            raise
        log.warning("the apology could not be sent either", reference=reference, code=code_of(failed))


async def _is_done(ctx: Context) -> bool:
    """Whether what was asked for is written, by this process or by another one that it was delivered to as well."""
    if ctx.done is not None:
        return True
    try:
        return await ctx.services.store.matches.seen_request(ctx.interaction.id) is not None
    except (DatabaseUnavailable, StoreClosed):
        return False


def _hand_of(ctx: Context) -> list[ui.Button[Any]]:
    """The button that shows somebody who plays how it stands."""
    table = ctx.done
    if table is None or table.event_log is None or table.seat_of(ctx.user_id) is None:
        return []
    return [primary(ctx.words("board.hand"), Press("hand", table.head.match_id))]
