"""The deal of the day, played alone in a private message: `/tiles solo figure:` offers it beside the figures."""

from collections.abc import Callable
from typing import Final

from bot.commands.context import Context
from bot.service.daily import ms
from bot.service.score_attack import AttackStanding
from bot.views import score_attack as views
from bot.views.harmless import safe
from bot.views.messages import Content
from bot.views.moves import find_move
from bot.views.names import Names
from bot.views.pictures import drawn, file
from bot.views.score_attack import ATTACK_FILE, AttackAsked
from engine.score_attack import SEAT, ScoreAttack, Untimely
from engine.seen import see
from engine.table.refusals import No, Refused


async def show_today(ctx: Context) -> None:
    """The deal that somebody is at, or today's."""
    asked = AttackAsked.parsed(ctx.press.argument)
    if asked is not None:
        await _show(ctx, *await _found(ctx, asked))
        return
    await _show(ctx, await ctx.services.attacks.current(ctx.user_id))


async def lay_chosen(ctx: Context) -> None:
    """Lay a tile of the hand: until the next draw it can be taken back."""
    text = ctx.values[0] if ctx.values else ""

    def lay(attack: ScoreAttack) -> ScoreAttack:
        move = find_move(see(attack.match, SEAT), text)
        if move is None:
            raise Untimely("it does not fit")
        return attack.lay(move.placement)

    await _change(ctx, lay)


async def draw_tile(ctx: Context) -> None:
    """Draw, because nothing fits."""
    await _change(ctx, ScoreAttack.draw)


async def end_attack(ctx: Context) -> None:
    """Have it counted."""
    await _change(ctx, ScoreAttack.end)


async def undo_tile(ctx: Context) -> None:
    """Take the last tile back."""
    await _change(ctx, ScoreAttack.undo)


async def practise(ctx: Context) -> None:
    """The same deal once more, which counts for nothing: after the attempt of the day, or after practice."""
    asked = _asked(ctx)
    attacks = ctx.services.attacks
    standing = await attacks.standing(ctx.user_id, asked.day, practice=True)
    if standing is None or not standing.kept.practice:
        await _show(ctx, *await _found(ctx, asked))
        return
    if standing.attack.is_over:
        standing = await attacks.change(standing, standing.kept.version, _emptied)
    await _show(ctx, standing)


async def attack_in_words(ctx: Context) -> None:
    """The table and the hand without a picture."""
    if (standing := await _open_still(ctx)) is not None:
        await ctx.aside(views.attack_text(standing, ctx.words, await _names(ctx)))


async def attack_info(ctx: Context) -> None:
    """Rules, list and proof."""
    if (standing := await _open_still(ctx)) is not None:
        opened = await ctx.services.attacks.opened()
        await ctx.aside(views.info_text(standing, opened, await _table(ctx, standing), ctx.words))


async def share_attack(ctx: Context) -> None:
    """All in the channel see once how it went, and nothing of the tiles."""
    standing, attacks, guild_id = await _open_still(ctx), ctx.services.attacks, ctx.guild_id
    if standing is None:
        return
    if not standing.attack.is_over or not standing.kept.counted or not ctx.in_own_message:
        raise Refused(No.UNKNOWN_BUTTON)
    if not await attacks.begin_sharing(standing):
        await ctx.aside(ctx.words("attack.shared_before"))
        return
    try:
        words = await ctx.services.languages.at(guild_id)
        view = views.shared_attack(standing, await ctx.name(ctx.user_id), words)
        await ctx.show_everybody(Content(view))
    except BaseException:
        await attacks.not_shared(standing)
        raise


def _asked(ctx: Context) -> AttackAsked:
    found = AttackAsked.parsed(ctx.press.argument)
    if found is None:
        raise Refused(No.UNKNOWN_BUTTON)
    return found


def _emptied(attack: ScoreAttack) -> ScoreAttack:
    return ScoreAttack(attack.rules, attack.secret)


async def _found(ctx: Context, asked: AttackAsked) -> tuple[AttackStanding, str]:
    """The deal that is meant; or today's, and that the other is over."""
    attacks = ctx.services.attacks
    found = await attacks.standing(ctx.user_id, asked.day, practice=asked.practice)
    if found is not None:
        return found, ""
    return await attacks.current(ctx.user_id), ctx.words("attack.day_over")


async def _open_still(ctx: Context) -> AttackStanding | None:
    """The deal that is meant; None where it is closed, and that is told with today's: what was pressed under the one is
    not done with the other.
    """
    standing, closed = await _found(ctx, _asked(ctx))
    if not closed:
        return standing
    await _show(ctx, standing, closed)
    return None


async def _change(ctx: Context, change: Callable[[ScoreAttack], ScoreAttack]) -> None:
    asked, attacks = _asked(ctx), ctx.services.attacks
    standing = await attacks.standing(ctx.user_id, asked.day, practice=asked.practice)
    if standing is None:
        await _show(ctx, await attacks.current(ctx.user_id), ctx.words("attack.day_over"))
        return
    after = await attacks.change(standing, asked.version, change, guild_id=ctx.interaction.guild_id)
    await _show(ctx, after, "" if after.done else ctx.words("attack.stale"))


async def _show(ctx: Context, standing: AttackStanding, note: str = "") -> None:
    """The deal, in place of the private message that was pressed."""
    words, names, attacks = ctx.words, await _names(ctx), ctx.services.attacks
    image, alt = await drawn(views.drawn_attack, standing.attack, ms(standing.day), names, words, ctx.scheme)
    if standing.attack.is_over:
        own = await attacks.own(ctx.user_id, standing.day)
        table = await _table(ctx, standing)
        view = views.over_view(standing, words, names, alt, table=table, own=own, note=note)
    else:
        view = views.attack_view(standing, words, names, alt, note=note)
    await ctx.show(Content(view, [file(ATTACK_FILE, image, alt)]))


async def _table(ctx: Context, standing: AttackStanding) -> list[str]:
    """The list of this server."""
    guild_id = ctx.guild_id
    found = await ctx.services.attacks.listed(guild_id, standing.day)
    names = await ctx.services.names.people(guild_id, [one.user_id for one in found], ctx.words)
    return [views.list_row(place, names[one.user_id], one.points or 0, ctx.words) for place, one in enumerate(found, 1)]


async def _names(ctx: Context) -> Names:
    plain = await ctx.services.names.name(ctx.guild_id, ctx.user_id, ctx.words)
    return Names((plain,), (safe(plain),))


ATTACK_PRESSES: Final = {
    "attack": show_today,
    "attackplay": lay_chosen,
    "attackdraw": draw_tile,
    "attackend": end_attack,
    "attackundo": undo_tile,
    "attackagain": practise,
    "attacktext": attack_in_words,
    "attackinfo": attack_info,
    "attackshare": share_attack,
}
"""What its buttons and menus do."""
