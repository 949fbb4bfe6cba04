"""`/tiles solo`: figures that one person fills alone, kept for months and seen by nobody else until they are shown."""

from collections.abc import Callable
from typing import Final

from discord import app_commands

from bot.commands import score_attack
from bot.commands.context import Context, Interaction
from bot.commands.registry import localized, serve, tiles
from bot.service.figures import Standing
from bot.views import figures as views
from bot.views.figures import FIGURE_FILE, FigureAsked
from bot.views.messages import Content
from bot.views.pictures import drawn, file
from engine.board import Placement
from engine.figures.catalogue import FIGURES
from engine.figures.filling import Filling, Misfit
from engine.figures.search import as_placements
from engine.table.refusals import No, Refused

NAMES: Final = [app_commands.Choice(name=localized(f"solo.{name}"), value=name) for name in (*FIGURES, views.TODAY)]


@tiles.command(name="solo", description=localized("command.solo"))
@app_commands.describe(figure=localized("parameter.solo_figure"))
@app_commands.choices(figure=NAMES)
async def solo_command(interaction: Interaction, figure: str | None = None) -> None:
    """`/tiles solo`."""

    async def show(ctx: Context) -> None:
        if figure == views.TODAY:
            await score_attack.show_today(ctx)
            return
        name = figure if figure in FIGURES else await ctx.services.figures.last(ctx.user_id)
        await _show(ctx, await ctx.services.figures.standing(ctx.user_id, name), FigureAsked(name))

    await serve(interaction, "solo", show)


async def show_figure(ctx: Context) -> None:
    """The figure that the argument, or what was chosen, names, or where one of its tiles goes."""
    if ctx.values == [views.TODAY]:
        await score_attack.show_today(ctx)
        return
    asked = _asked(ctx)
    await _show(ctx, await ctx.services.figures.standing(ctx.user_id, asked.name), asked)


async def turn_tile(ctx: Context) -> None:
    """A tile where it would lie: nothing is laid yet."""
    asked = _asked(ctx)
    standing = await ctx.services.figures.standing(ctx.user_id, asked.name)
    try:
        chosen = _placement(standing.filling, asked)
    except Misfit:
        await _show(ctx, standing, FigureAsked(asked.name), note=ctx.words("solo.stale"))
        return
    await _show(ctx, standing, asked, chosen=chosen)


async def lay_tile(ctx: Context) -> None:
    """Lay it, in the figure as it was shown."""
    asked = _asked(ctx)
    await _change(ctx, asked, lambda filling: filling.lay(*_placement(filling, asked)))


async def lift_tile(ctx: Context) -> None:
    """Take a tile back, whenever it was laid."""
    asked = _asked(ctx)
    cell = asked.at()
    if cell is None:
        raise Refused(No.UNKNOWN_BUTTON)
    await _change(ctx, asked, lambda filling: filling.lift(cell))


async def undo_act(ctx: Context) -> None:
    """As it was before the last tile was laid or lifted."""
    await _change(ctx, _asked(ctx), Filling.undo)


async def begin_again(ctx: Context) -> None:
    """A figure that is filled is emptied."""
    await _change(ctx, _asked(ctx), _emptied)


async def count_ways(ctx: Context) -> None:
    """How many ways there are to fill it from here, as far as a search comes."""
    asked, figures = _asked(ctx), ctx.services.figures
    standing = await figures.standing(ctx.user_id, asked.name)
    found = await figures.ways(ctx.user_id, standing.filling)
    await _show(ctx, standing, FigureAsked(asked.name), note=views.ways_text(found, ctx.words))


async def hint_figure(ctx: Context) -> None:
    """A tile that leads to a solution, where it would lie; the figure keeps how many were asked for."""
    asked, figures = _asked(ctx), ctx.services.figures
    standing = await figures.standing(ctx.user_id, asked.name)
    found = await figures.ways(ctx.user_id, standing.filling)
    filling = standing.filling
    if found is None or not found.first:
        note, strayed = views.ways_text(found, ctx.words), views.strayed_text(filling, ctx.words)
        if found is not None and not found.whole and strayed:
            # Where the known way lies is a hint as much as a tile of it.
            standing = await figures.change(ctx.user_id, asked.name, standing.kept.version, lambda same: same, hints=1)
            note = f"{note}\n{strayed}" if standing.done else ctx.words("solo.stale")
        await _show(ctx, standing, FigureAsked(asked.name), note=note)
        return
    # The most tight place is the one that a person would look at first.
    best = min(
        as_placements(filling, found.first),
        key=lambda one: sum(one.cell in cells for cells in filling.fits.values()),
    )
    standing = await figures.change(ctx.user_id, asked.name, standing.kept.version, lambda same: same, hints=1)
    if not standing.done or best.rotation not in standing.filling.turns(best.tile, best.cell):
        await _show(ctx, standing, FigureAsked(asked.name), note=ctx.words("solo.stale"))
        return
    note = ctx.words("solo.hinted", place=filling.figure.letter_of[best.cell])
    await _show(ctx, standing, FigureAsked(asked.name, tile=best.tile), chosen=best, note=note)


async def share_figure(ctx: Context) -> None:
    """All in the channel see a figure that the asker has filled: once a day."""
    asked, figures = _asked(ctx), ctx.services.figures
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
            views.drawn_figure, standing.filling, messages.words, messages.scheme, tile=None, chosen=None
        )
        view = views.shared_view(standing, await ctx.name(ctx.user_id), messages.words, alt)
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
    """The tile where it is to lie, turned as the number of its turn says. Raises Misfit."""
    cell, tile = asked.at(), asked.tile
    if cell is None or tile is None or tile not in filling.left or cell not in filling.open:
        raise Misfit(str(asked))
    turns = filling.turns(tile, cell)
    if asked.turn >= len(turns):
        raise Misfit(str(asked))
    return Placement(tile, cell, turns[asked.turn])


async def _change(ctx: Context, asked: FigureAsked, change: Callable[[Filling], Filling]) -> None:
    standing = await ctx.services.figures.change(ctx.user_id, asked.name, asked.version, change)
    await _show(ctx, standing, FigureAsked(asked.name), note="" if standing.done else ctx.words("solo.stale"))


async def _show(
    ctx: Context, standing: Standing, asked: FigureAsked, *, note: str = "", chosen: Placement | None = None
) -> None:
    """The figure, in place of the private message that was pressed."""
    words, tile = ctx.words, chosen.tile if chosen is not None else asked.tile
    image, alt = await drawn(views.drawn_figure, standing.filling, words, ctx.scheme, tile=tile, chosen=chosen)
    view = views.figure_view(standing, asked, words, alt, note=note, chosen=chosen)
    await ctx.show(Content(view, [file(FIGURE_FILE, image, alt)]))


PRESSES: Final = {
    "solo": show_figure,
    "solotile": show_figure,
    "soloplace": turn_tile,
    "sololay": lay_tile,
    "sololift": lift_tile,
    "soloundo": undo_act,
    "soloagain": begin_again,
    "soloways": count_ways,
    "solohint": hint_figure,
    "soloshare": share_figure,
    **score_attack.ATTACK_PRESSES,
}
"""What its buttons and menus do."""
