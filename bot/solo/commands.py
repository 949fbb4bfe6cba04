"""`/tiles solo`: solo puzzles and the score attack of the day, in private until they are shared."""

from collections.abc import Callable
from typing import Final

from discord import app_commands

from bot.core.command_groups import localized, serve, tiles
from bot.core.context import Context, Interaction
from bot.core.dispatch import handles
from bot.core.environment import ms
from bot.core.layout import Press, button
from bot.core.names import Names
from bot.core.pictures import drawn, file
from bot.core.profile_sections import SECTIONS, Buttons, ProfileSection
from bot.core.safe_text import safe
from bot.solo import score_attack_views
from bot.solo import views as solo_views
from bot.solo.score_attack_views import ATTACK_FILE, AttackAsked
from bot.solo.service import AttackStanding, Figures, ScoreAttackDays, Standing
from bot.solo.views import FIGURE_FILE, FigureAsked
from bot.tables.messages import Content
from bot.tables.move_labels import find_move
from engine.board.board import Placement
from engine.match.player_view import view_for
from engine.solo.catalogue import FIGURES
from engine.solo.filling import Filling, Misfit
from engine.solo.score_attack import SEAT, ScoreAttack, Untimely
from engine.solo.search import as_placements
from engine.table.refusals import No, Refused


@handles("attack")
async def show_today(ctx: Context) -> None:
    """Show the user's current deal, or today's."""
    asked = AttackAsked.parsed(ctx.press.argument)
    if asked is not None:
        await _attack_show(ctx, *await _found(ctx, asked))
        return
    await _attack_show(ctx, await ctx.services[ScoreAttackDays].current(ctx.user_id))


@handles("attackplay")
async def lay_chosen(ctx: Context) -> None:
    """Play a tile of the hand. Undo is possible until the next draw."""
    text = ctx.values[0] if ctx.values else ""

    def lay(attack: ScoreAttack) -> ScoreAttack:
        move = find_move(view_for(attack.match, SEAT), text)
        if move is None:
            raise Untimely("it does not fit")
        return attack.lay(move.placement)

    await _attack_change(ctx, lay)


@handles("attackdraw")
async def draw_tile(ctx: Context) -> None:
    await _attack_change(ctx, ScoreAttack.draw)


@handles("attackend")
async def end_attack(ctx: Context) -> None:
    await _attack_change(ctx, ScoreAttack.end)


@handles("attackundo")
async def undo_tile(ctx: Context) -> None:
    await _attack_change(ctx, ScoreAttack.undo)


@handles("attackagain")
async def practise(ctx: Context) -> None:
    """Begin the same deal again as practice, after the counted attempt or after practice."""
    asked = _attack_asked(ctx)
    attacks = ctx.services[ScoreAttackDays]
    standing = await attacks.standing(ctx.user_id, asked.day, practice=True)
    if standing is None or not standing.kept.practice:
        await _attack_show(ctx, *await _found(ctx, asked))
        return
    if standing.attack.is_over:
        emptied = ScoreAttack(standing.attack.rules, standing.attack.secret)
        standing = await attacks.change(standing, standing.kept.version, lambda _: emptied)
    await _attack_show(ctx, standing)


@handles("attacktext")
async def attack_in_words(ctx: Context) -> None:
    if (standing := await _open_still(ctx)) is not None:
        await ctx.aside(score_attack_views.attack_text(standing, ctx.words, await _names(ctx)))


@handles("attackinfo")
async def attack_info(ctx: Context) -> None:
    """Show the rules, the list and the proof of the deal."""
    if (standing := await _open_still(ctx)) is not None:
        opened = await ctx.services[ScoreAttackDays].opened()
        await ctx.aside(score_attack_views.info_text(standing, opened, await _table(ctx, standing), ctx.words))


@handles("attackshare")
async def share_attack(ctx: Context) -> None:
    """Post the result in the channel, once and without tiles."""
    standing, attacks, guild_id = await _open_still(ctx), ctx.services[ScoreAttackDays], ctx.guild_id
    if standing is None:
        return
    if not standing.attack.is_over or not standing.kept.counted or not ctx.in_own_message:
        raise Refused(No.UNKNOWN_BUTTON)
    if not await attacks.begin_sharing(standing):
        await ctx.aside(ctx.words("attack.shared_before"))
        return
    try:
        words = await ctx.services.languages.at(guild_id)
        view = score_attack_views.shared_attack(standing, await ctx.name(ctx.user_id), words)
        await ctx.show_everybody(Content(view))
    except BaseException:
        await attacks.not_shared(standing)
        raise


def _attack_asked(ctx: Context) -> AttackAsked:
    found = AttackAsked.parsed(ctx.press.argument)
    if found is None:
        raise Refused(No.UNKNOWN_BUTTON)
    return found


async def _found(ctx: Context, asked: AttackAsked) -> tuple[AttackStanding, str]:
    """Return the deal that is meant; or today's, with a note that the other is over."""
    attacks = ctx.services[ScoreAttackDays]
    found = await attacks.standing(ctx.user_id, asked.day, practice=asked.practice)
    if found is not None:
        return found, ""
    return await attacks.current(ctx.user_id), ctx.words("attack.day_over")


async def _open_still(ctx: Context) -> AttackStanding | None:
    """Return the deal that is meant. If it is over, show today's instead and return None."""
    standing, closed = await _found(ctx, _attack_asked(ctx))
    if not closed:
        return standing
    await _attack_show(ctx, standing, closed)
    return None


async def _attack_change(ctx: Context, change: Callable[[ScoreAttack], ScoreAttack]) -> None:
    asked, attacks = _attack_asked(ctx), ctx.services[ScoreAttackDays]
    standing = await attacks.standing(ctx.user_id, asked.day, practice=asked.practice)
    if standing is None:
        await _attack_show(ctx, await attacks.current(ctx.user_id), ctx.words("attack.day_over"))
        return
    after = await attacks.change(standing, asked.version, change, guild_id=ctx.interaction.guild_id)
    await _attack_show(ctx, after, "" if after.done else ctx.words("attack.stale"))


async def _attack_show(ctx: Context, standing: AttackStanding, note: str = "") -> None:
    words, names, attacks = ctx.words, await _names(ctx), ctx.services[ScoreAttackDays]
    image, alt = await drawn(
        score_attack_views.drawn_attack, standing.attack, ms(standing.day), names, words, ctx.scheme
    )
    if standing.attack.is_over:
        own = await attacks.own(ctx.user_id, standing.day)
        table = await _table(ctx, standing)
        view = score_attack_views.over_view(standing, words, names, alt, table=table, own=own, note=note)
    else:
        view = score_attack_views.attack_view(standing, words, names, alt, note=note)
    await ctx.show(Content(view, [file(ATTACK_FILE, image, alt)]))


async def _table(ctx: Context, standing: AttackStanding) -> list[str]:
    guild_id = ctx.guild_id
    found = await ctx.services[ScoreAttackDays].listed(guild_id, standing.day)
    names = await ctx.services.names.people(guild_id, [one.user_id for one in found], ctx.words)
    return [
        score_attack_views.list_row(place, names[one.user_id], one.points or 0, ctx.words)
        for place, one in enumerate(found, 1)
    ]


async def _names(ctx: Context) -> Names:
    plain = await ctx.services.names.name(ctx.guild_id, ctx.user_id, ctx.words)
    return Names((plain,), (safe(plain),))


NAMES: Final = [
    app_commands.Choice(name=localized(f"solo.{name}"), value=name) for name in (*FIGURES, solo_views.TODAY)
]


@tiles.command(name="solo", description=localized("command.solo"))
@app_commands.describe(figure=localized("parameter.solo_figure"))
@app_commands.choices(figure=NAMES)
async def solo_command(interaction: Interaction, figure: str | None = None) -> None:
    async def show(ctx: Context) -> None:
        if figure == solo_views.TODAY:
            await show_today(ctx)
            return
        name = figure if figure in FIGURES else await ctx.services[Figures].last(ctx.user_id)
        await _show(ctx, await ctx.services[Figures].standing(ctx.user_id, name), FigureAsked(name))

    await serve(interaction, "solo", show)


@handles("solo", "solotile")
async def show_figure(ctx: Context) -> None:
    """Show a puzzle, or the places for one of its tiles."""
    if ctx.values == [solo_views.TODAY]:
        await show_today(ctx)
        return
    asked = _asked(ctx)
    await _show(ctx, await ctx.services[Figures].standing(ctx.user_id, asked.name), asked)


@handles("soloplace")
async def turn_tile(ctx: Context) -> None:
    asked = _asked(ctx)
    standing = await ctx.services[Figures].standing(ctx.user_id, asked.name)
    try:
        chosen = _placement(standing.filling, asked)
    except Misfit:
        await _show(ctx, standing, FigureAsked(asked.name), note=ctx.words("solo.stale"))
        return
    await _show(ctx, standing, asked, chosen=chosen)


@handles("sololay")
async def lay_tile(ctx: Context) -> None:
    asked = _asked(ctx)
    await _change(ctx, asked, lambda filling: filling.lay(*_placement(filling, asked)))


@handles("sololift")
async def lift_tile(ctx: Context) -> None:
    asked = _asked(ctx)
    cell = asked.at()
    if cell is None:
        raise Refused(No.UNKNOWN_BUTTON)
    await _change(ctx, asked, lambda filling: filling.lift(cell))


@handles("soloundo")
async def undo_act(ctx: Context) -> None:
    await _change(ctx, _asked(ctx), Filling.undo)


@handles("soloagain")
async def begin_again(ctx: Context) -> None:
    await _change(ctx, _asked(ctx), _emptied)


@handles("soloways")
async def count_ways(ctx: Context) -> None:
    asked, figures = _asked(ctx), ctx.services[Figures]
    standing = await figures.standing(ctx.user_id, asked.name)
    found = await figures.ways(ctx.user_id, standing.filling)
    await _show(ctx, standing, FigureAsked(asked.name), note=solo_views.ways_text(found, ctx.words))


@handles("solohint")
async def hint_figure(ctx: Context) -> None:
    """Show a tile of a solution at its place, and count the hint."""
    asked, figures = _asked(ctx), ctx.services[Figures]
    standing = await figures.standing(ctx.user_id, asked.name)
    found = await figures.ways(ctx.user_id, standing.filling)
    filling = standing.filling
    if found is None or not found.first:
        note, strayed = solo_views.ways_text(found, ctx.words), solo_views.strayed_text(filling, ctx.words)
        if found is not None and not found.whole and strayed:
            # The known solution's tiles are a hint as well.
            standing = await figures.change(ctx.user_id, asked.name, standing.kept.version, lambda same: same, hints=1)
            note = f"{note}\n{strayed}" if standing.done else ctx.words("solo.stale")
        await _show(ctx, standing, FigureAsked(asked.name), note=note)
        return
    # The place with the fewest fitting tiles is the easiest to understand.
    best = min(
        as_placements(filling, found.first), key=lambda one: sum(one.cell in cells for cells in filling.fits.values())
    )
    standing = await figures.change(ctx.user_id, asked.name, standing.kept.version, lambda same: same, hints=1)
    if not standing.done or best.rotation not in standing.filling.turns(best.tile, best.cell):
        await _show(ctx, standing, FigureAsked(asked.name), note=ctx.words("solo.stale"))
        return
    note = ctx.words("solo.hinted", place=filling.figure.letter_of[best.cell])
    await _show(ctx, standing, FigureAsked(asked.name, tile=best.tile), chosen=best, note=note)


@handles("soloshare")
async def share_figure(ctx: Context) -> None:
    """Post the filled puzzle in the channel, once a day."""
    asked, figures = _asked(ctx), ctx.services[Figures]
    standing, guild_id = await figures.standing(ctx.user_id, asked.name), ctx.guild_id
    if not standing.filling.is_full or not ctx.in_own_message:
        raise Refused(No.UNKNOWN_BUTTON)
    at = await figures.begin_sharing(ctx.user_id, asked.name)
    if at is None:
        await ctx.aside(ctx.words("solo.shared_before"))
        return
    try:
        messages = await ctx.services.languages.messages_at(guild_id)
        image, alt = await drawn(
            solo_views.drawn_figure, standing.filling, messages.words, messages.scheme, tile=None, chosen=None
        )
        view = solo_views.shared_view(standing, await ctx.name(ctx.user_id), messages.words, alt)
        await ctx.show_everybody(Content(view, [file(FIGURE_FILE, image, alt)]))
    except BaseException:
        await figures.not_shared(ctx.user_id, asked.name, at)
        raise


def _asked(ctx: Context) -> FigureAsked:
    found = FigureAsked.parsed(ctx.values[0] if ctx.values else ctx.press.argument)
    if found is None:
        raise Refused(No.UNKNOWN_BUTTON)
    return found


def _emptied(filling: Filling) -> Filling:
    if not filling.is_full:
        raise Misfit("it is not filled")
    return Filling(filling.figure)


def _placement(filling: Filling, asked: FigureAsked) -> Placement:
    """Return the placement that is meant. Raises Misfit."""
    cell, tile = asked.at(), asked.tile
    if cell is None or tile is None or tile not in filling.left or cell not in filling.open:
        raise Misfit(str(asked))
    turns = filling.turns(tile, cell)
    if asked.turn >= len(turns):
        raise Misfit(str(asked))
    return Placement(tile, cell, turns[asked.turn])


async def _change(ctx: Context, asked: FigureAsked, change: Callable[[Filling], Filling]) -> None:
    standing = await ctx.services[Figures].change(ctx.user_id, asked.name, asked.version, change)
    await _show(ctx, standing, FigureAsked(asked.name), note="" if standing.done else ctx.words("solo.stale"))


async def _show(
    ctx: Context, standing: Standing, asked: FigureAsked, *, note: str = "", chosen: Placement | None = None
) -> None:
    words, tile = ctx.words, chosen.tile if chosen is not None else asked.tile
    image, alt = await drawn(solo_views.drawn_figure, standing.filling, words, ctx.scheme, tile=tile, chosen=chosen)
    view = solo_views.figure_view(standing, asked, words, alt, note=note, chosen=chosen)
    await ctx.show(Content(view, [file(FIGURE_FILE, image, alt)]))


class FigureHelp(ProfileSection):
    async def help_buttons(self, ctx: Context) -> Buttons:
        asked = FigureAsked(await ctx.services[Figures].last(ctx.user_id))
        return [button(ctx.words("help.solo"), Press("solo", argument=str(asked)))]


SECTIONS.append(FigureHelp())
