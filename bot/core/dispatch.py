"""Find and run the handler of an interaction, and answer errors with what to do next."""

import asyncio
import logging
import re
import secrets
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager, suppress
from functools import partial
from typing import Any, Final, Self, TypeVar

import discord
from discord import ui
from structlog.contextvars import bound_contextvars

from bot.core.admission import ENTRY, AdmissionResult
from bot.core.context import (
    ALREADY_ACKNOWLEDGED,
    Context,
    FirstResponse,
    Interaction,
    InteractionUnavailable,
    format_table_link,
    is_old,
)
from bot.core.discord_errors import REQUEST_ERRORS, format_error_code, is_session_closed
from bot.core.layout import (
    CustomId,
    build_button,
    build_primary_button,
    build_text_view,
    format_timestamp,
    parse_custom_id,
)
from bot.core.logs import get_logger
from bot.core.permissions import format_invite_link, list_missing_permissions
from bot.core.refusal_text import format_broken_rule, format_refusal
from bot.core.safe_text import EMPTY_REASON, escape_text
from bot.tables.move_labels import format_list
from bot.tables.rules_text import build_explanation_button
from data.store.connection.faults import COMMITTED_WRITES, DatabaseUnavailable
from data.store.connection.store_errors import StoreClosed
from engine.match.errors import RuleError
from engine.match.player_view import view_for
from engine.table.refusals import Refusal, RefusalError

log = get_logger(__name__)
TAKEOVER_DELAY: Final = 2.0  # seconds in which another process can finish an interaction that it acknowledged
# Verbs that are usually answered at once, in place of the clicked private message. All are idempotent.
PROMPT_VERBS: Final = frozenset({"hand", "tile", "move", "play", "choose", "draw", "pass", "text", "replay"})
# Commands that are usually answered at once, in a separate message.
PROMPT_COMMANDS: Final = frozenset({"play", "choose", "draw", "pass"})
# Verbs that work where the bot is no member: users can always reach their data.
NON_MEMBER_VERBS: Final = frozenset({"export", "forget"})
Handler = Callable[[Context], Awaitable[None]]
H = TypeVar("H", bound=Handler)
Form = Callable[[Interaction, CustomId], Awaitable[None]]
HANDLERS: Final[dict[str, Handler]] = {}  # by the verb of a button or menu
FORMS: Final[dict[str, Form]] = {}  # handlers that open a modal, by verb
QUIET_VERBS: Final[set[str]] = set()  # verbs whose effect is public and needs no private answer


def register_handler(*verbs: str, quiet: bool = False) -> Callable[[H], H]:
    def register(handler: H) -> H:
        for verb in verbs:
            assert verb not in HANDLERS, f"two handlers for {verb}"
            HANDLERS[verb] = handler
        if quiet:
            QUIET_VERBS.update(verbs)
        return handler

    return register


def register_form(verb: str) -> Callable[[Form], Form]:
    def register(form: Form) -> Form:
        FORMS[verb] = form
        return form

    return register


class ComponentItem(ui.DynamicItem[ui.Item[Any]], template=r"[\s\S]*"):
    """Any button or menu of the bot, also after a restart. Its id is parsed at each click."""

    @classmethod
    async def from_custom_id(cls, interaction: Interaction, item: ui.Item[Any], match: re.Match[str], /) -> Self:
        return cls(item)

    async def callback(self, interaction: Interaction) -> None:
        await handle_click(interaction)


async def handle_click(interaction: Interaction) -> None:
    data: Any = interaction.data or {}
    press = parse_custom_id(data.get("custom_id", ""))
    if press is not None and press.verb in FORMS:
        await FORMS[press.verb](interaction, press)
    elif press is not None and press.verb in HANDLERS:
        ctx = Context(interaction, press, data.get("values", []), quiet=press.verb in QUIET_VERBS)
        await dispatch(ctx, HANDLERS[press.verb])
    else:
        await dispatch(Context(interaction, CustomId("unknown")), _refuse_unknown_button)


async def _refuse_unknown_button(ctx: Context) -> None:
    raise RefusalError(Refusal.UNKNOWN_BUTTON)


def is_on_message(interaction: Interaction) -> bool:
    """Return whether the clicked message contains the id. A forged click may name any."""
    if interaction.message is None:
        return False
    data: Any = interaction.data or {}
    custom_id = data.get("custom_id")
    view = ui.LayoutView.from_message(interaction.message, timeout=None)
    return any(getattr(item, "custom_id", None) == custom_id for item in view.walk_children())


async def dispatch(ctx: Context, handler: Handler) -> None:
    """Admit an interaction, acknowledge it, run its handler and answer. Duplicate deliveries are ignored."""
    interaction = ctx.interaction
    server = {} if interaction.guild_id is None else {"server": interaction.guild_id}
    with bound_contextvars(interaction=interaction.id, **server):
        entry = interaction.extras.get(ENTRY) or ctx.services.admission.admit(interaction.id, ctx.user_id)
        match entry:
            case AdmissionResult.COME_IN if not _is_member(interaction) and ctx.custom_id.verb not in NON_MEMBER_VERBS:
                where = format_invite_link(interaction.application_id, ctx.guild_id)
                invite: ui.Button[Any] = ui.Button(label=ctx.words("permission.invite"), url=where)
                await _refuse_admission(ctx, "no.NOT_A_MEMBER", invite)
            case AdmissionResult.COME_IN:
                with ctx.services.admission.track():
                    await _serve(ctx, handler)
            case AdmissionResult.AGAIN:
                log.info("delivered again", verb=ctx.custom_id.verb)
            case AdmissionResult.TOO_FAST:
                await _refuse_admission(ctx, "admission.too_fast")
            case AdmissionResult.CLOSING:
                await _refuse_admission(ctx, "admission.closing")


def _is_member(interaction: Interaction) -> bool:
    """Return whether the bot is a member of the guild. User installations work elsewhere, but cannot post."""
    return interaction.guild_id is None or interaction.client.get_guild(interaction.guild_id) is not None


async def _serve(ctx: Context, handler: Handler) -> None:
    interaction = ctx.interaction
    if interaction.guild_id is not None:
        ctx.services.names.remember(interaction.guild_id, interaction.user)
        ctx.services.languages.note_guild_language(interaction)
    prompt = PROMPT_VERBS if ctx.is_from_private_message else PROMPT_COMMANDS if ctx.is_typed else ()
    if ctx.custom_id.verb in prompt and not is_old(interaction):
        ctx.first_response = FirstResponse(interaction, partial(_acknowledge, ctx))
    elif not await _acknowledge(ctx):
        return
    with suppress(InteractionUnavailable), ctx.services.live_hands.hold_updates(ctx.user_id):
        try:
            await _run(ctx, handler)
        except InteractionUnavailable:
            raise
        except DatabaseUnavailable as trouble:
            await _report_database_fault(ctx, trouble)
        except Exception as error:
            await _report_failure(ctx, error)
        if ctx.first_response is not None:
            await ctx.first_response.acknowledge()
    _reopen_channel(ctx)


async def _run(ctx: Context, handler: Handler) -> None:
    COMMITTED_WRITES.set([])
    try:
        with suppress(DatabaseUnavailable):  # then the language that Discord reports is used
            await ctx.load_words()
        await _run_with_retry(ctx, handler)
        log.info("served", verb=ctx.custom_id.verb)
    except RefusalError as refused:
        log.info("refused", verb=ctx.custom_id.verb, why=refused.why.value)
        await (_show_current_hand(ctx) if refused.why is Refusal.STALE else _explain_refusal(ctx, refused))
    except RuleError as broken:
        log.info("refused", verb=ctx.custom_id.verb, why=broken.why.value)
        await _explain_broken_rule(ctx, broken)


async def _run_with_retry(ctx: Context, handler: Handler) -> None:
    """Run a handler, and again with loaded tables if a remembered table may have caused its refusal."""
    try:
        await handler(ctx)
    except (RefusalError, RuleError):
        if not ctx.is_cached or ctx.changed_table is not None:
            raise
        ctx.is_cached, ctx.must_load = False, True
        await handler(ctx)


async def _acknowledge(ctx: Context) -> bool:
    """Acknowledge. Return False if the interaction has expired, or another process answers it."""
    lost = False
    while True:
        try:
            await ctx.defer()
        except discord.NotFound:
            log.warning("too late to acknowledge", verb=ctx.custom_id.verb)
            return False
        except discord.HTTPException as error:
            if error.code != ALREADY_ACKNOWLEDGED:
                log.warning("could not be acknowledged", verb=ctx.custom_id.verb, code=format_error_code(error))
                return False
            # A lost attempt of this process acknowledged it, or another process that may have died.
            return lost or await _has_no_effect(ctx)
        except REQUEST_ERRORS as error:
            log.warning("could not be acknowledged", verb=ctx.custom_id.verb, code=format_error_code(error))
            if lost:
                return False
            lost = True
        except RuntimeError as error:
            if not is_session_closed(error):
                raise
            log.info("not acknowledged: the bot has closed its session", verb=ctx.custom_id.verb)
            return False
        else:
            return True


async def _has_no_effect(ctx: Context) -> bool:
    """Return whether to answer what another process acknowledged: after a while it has had no effect."""
    await asyncio.sleep(TAKEOVER_DELAY)
    if ctx.is_applied:
        return True
    try:
        return await ctx.services.store.matches.find_request(ctx.interaction.id) is None
    except DatabaseUnavailable:
        return False  # the process that acknowledged it answers


async def _refuse_admission(ctx: Context, key: str, *buttons: ui.Button[Any]) -> None:
    log.info("turned away", verb=ctx.custom_id.verb, why=key)
    with _log_lost_answer(logging.INFO):
        await ctx.interaction.response.send_message(view=build_text_view(ctx.words(key), *buttons), ephemeral=True)


@contextmanager
def _log_lost_answer(level: int = logging.WARNING, **facts: str) -> Iterator[None]:
    """Log that an answer was not delivered, because of Discord or because the bot has closed its session."""
    try:
        yield
    except REQUEST_ERRORS as error:
        log.log(level, "nobody heard that", code=format_error_code(error), **facts)
    except RuntimeError as error:
        if not is_session_closed(error):
            raise
        log.info("the bot has closed its session", **facts)


def _reopen_channel(ctx: Context) -> None:
    interaction, announcer = ctx.interaction, ctx.services.announcer
    channel_id = interaction.channel_id
    if channel_id is None or interaction.guild_id is None or not announcer.is_channel_closed(channel_id):
        return
    in_thread = isinstance(interaction.channel, discord.Thread)
    if not list_missing_permissions(interaction.app_permissions, in_thread=in_thread):
        announcer.resume_channels([channel_id])


async def _explain_refusal(ctx: Context, refused: RefusalError) -> None:
    facts: dict[str, object] = {}
    words, services = ctx.words, ctx.services
    if refused.facts.get("server", ctx.interaction.guild_id) != ctx.interaction.guild_id and not ctx.is_direct:
        refused = RefusalError(Refusal.NO_SUCH_TABLE)
    if refused.why is Refusal.NOT_SEATED:
        refused = RefusalError(await _choose_spectator_reason(ctx), **refused.facts)
    if "host" in refused.facts:
        facts["name"] = await ctx.resolve_name(int(str(refused.facts["host"])))
    if isinstance(people := refused.facts.get("people"), tuple):
        facts["people"] = format_list(words, [f"**{await ctx.resolve_name(user_id)}**" for user_id in people])
    if refused.why in (Refusal.SEATS_KEPT, Refusal.DEAL_SEALED):
        facts["until"] = format_timestamp(int(str(refused.facts["until"])), "f")
    if refused.why is Refusal.PAUSED_TOGETHER:
        facts["until"] = format_timestamp(int(str(refused.facts["until"])), "D")
    if refused.why is Refusal.PAUSED:
        facts = await _load_pause_facts(ctx, refused)
    if "again" in refused.facts:
        facts["when"] = format_timestamp(int(str(refused.facts["again"])))
    if "table" in refused.facts:
        facts["link"] = format_table_link(await services.tables.load(int(str(refused.facts["table"]))))
    await ctx.say_separately(format_refusal(words, refused, facts), *await _build_refusal_buttons(ctx, refused))


async def _load_pause_facts(ctx: Context, refused: RefusalError) -> dict[str, object]:
    moderator = refused.facts["moderator"]
    name = ctx.words("name.somebody") if moderator is None else await ctx.resolve_name(int(str(moderator)))
    return {"name": name, "reason": escape_text(str(refused.facts["reason"])) or EMPTY_REASON}


async def _choose_spectator_reason(ctx: Context) -> Refusal:
    table = await ctx.load_table()
    if table.event_log is None or not table.state.can_vacate(table.event_log.match):
        return Refusal.NOT_SEATED
    return Refusal.WATCHING_PRACTICE if table.state.is_practice else Refusal.WATCHING_SILENT


async def _build_refusal_buttons(ctx: Context, refused: RefusalError) -> list[ui.Button[Any]]:
    why, words = refused.why, ctx.words
    if why is Refusal.CHANNEL_BUSY_OFFER:
        offer = CustomId("inthread", argument=str(refused.facts["offer"]))
        return [build_primary_button(words("lobby.in_thread"), offer)]
    if why not in (Refusal.FINISHED, Refusal.CLOSED, Refusal.NOT_SEATED, Refusal.PAUSED_TOGETHER):
        return []
    match_id = (await ctx.load_table()).head.match_id
    if why is Refusal.PAUSED_TOGETHER:
        return [build_primary_button(words("agree.resume"), CustomId("resume", match_id))]
    if why is Refusal.NOT_SEATED:
        text = build_button(words("board.text"), CustomId("text", match_id))
        return [text, build_button(words("board.scores"), CustomId("scores", match_id))]
    # A direct message has no channel for a new table.
    return [] if ctx.is_direct else [build_primary_button(words("board.rematch"), CustomId("rematch", match_id))]


async def _explain_broken_rule(ctx: Context, broken: RuleError) -> None:
    try:
        table = await ctx.load_table()
        seat = table.find_seat(ctx.user_id)
        names, view = await ctx.messages.load_names(table), view_for(table.match, seat)
    except RefusalError:
        why = build_explanation_button(broken.why, 0, ctx.words)
        await ctx.say_separately(format_broken_rule(ctx.words, broken, None, None), why)
        return
    text = format_broken_rule(ctx.words, broken, view, names, table.terms.theme)
    hand = build_primary_button(ctx.words("board.hand"), CustomId("hand", table.head.match_id))
    why = build_explanation_button(broken.why, table.head.match_id, ctx.words)
    await ctx.say_separately(text, *([hand] if seat is not None and not view.ended else []), why)


async def _show_current_hand(ctx: Context) -> None:
    table, note = await ctx.load_table(), ctx.words("no.STALE")
    seat = table.find_seat(ctx.user_id)
    if table.head.state == "void":
        await _explain_refusal(ctx, RefusalError(Refusal.CLOSED))
    elif table.event_log is None:
        await ctx.say_separately(note)
    elif seat is None:
        await _explain_refusal(ctx, RefusalError(Refusal.NOT_SEATED))
    else:
        await ctx.show_hand(table, seat, note)


async def _report_database_fault(ctx: Context, database_error: DatabaseUnavailable) -> None:
    """Report a database fault to the user; the store has logged it for the operator."""
    # A part may be committed already.
    may_be_saved = database_error.may_have_committed or bool(COMMITTED_WRITES.get([]))
    log.warning("could not be saved", verb=ctx.custom_id.verb, fault=database_error.fault.value, maybe=may_be_saved)
    with _log_lost_answer():
        await ctx.say_separately(ctx.words("no.MAYBE_SAVED" if may_be_saved else "no.UNSAVED"))


async def _report_failure(ctx: Context, error: Exception) -> None:
    reference, verb = secrets.token_hex(4), ctx.custom_id.verb
    if isinstance(error, REQUEST_ERRORS) or is_session_closed(error):
        log.warning("the answer did not get through", verb=verb, code=format_error_code(error), reference=reference)
    else:
        log.exception("failed", reference=reference, verb=verb)
    with _log_lost_answer(reference=reference):
        if await _is_committed(ctx):
            await ctx.say_separately(ctx.words("no.DONE_UNSAID", reference=reference), *_build_hand_button(ctx))
        elif COMMITTED_WRITES.get([]):
            await ctx.say_separately(ctx.words("no.PERHAPS_DONE", reference=reference))
        else:
            await ctx.say_separately(ctx.words("no.BROKEN", reference=reference))


async def _is_committed(ctx: Context) -> bool:
    if ctx.changed_table is not None:
        return True
    try:
        return await ctx.services.store.matches.find_request(ctx.interaction.id) is not None
    except (DatabaseUnavailable, StoreClosed):
        return False


def _build_hand_button(ctx: Context) -> list[ui.Button[Any]]:
    table = ctx.changed_table
    if table is None or table.event_log is None or table.find_seat(ctx.user_id) is None:
        return []
    return [build_primary_button(ctx.words("board.hand"), CustomId("hand", table.head.match_id))]
