"""`/tiles solo`: solo puzzles and the score attack of the day, in private until they are shared."""

from collections.abc import Callable
from typing import Final

from discord import app_commands

from bot.core.choices import localize
from bot.core.command_groups import serve, tiles
from bot.core.context import Context, Interaction
from bot.core.dispatch import register_handler
from bot.core.layout import build_button
from bot.core.names import SeatNames
from bot.core.pictures import build_file, draw_in_thread
from bot.core.profile_sections import SECTIONS, Buttons, ProfileSection
from bot.core.safe_text import escape_text
from bot.solo import score_attack_views, views
from bot.solo.score_attack_views import ATTACK_FILE, AttackReference
from bot.solo.service import AttackState, FigureService, FigureState, ScoreAttackService
from bot.solo.views import FIGURE_FILE, FigureReference
from bot.tables.messages import Content
from bot.tables.move_labels import find_move
from engine.board.board import Placement
from engine.board.tiles import Tile
from engine.match.player_view import view_for
from engine.solo.catalogue import FIGURES
from engine.solo.filling import Filling, FillingError
from engine.solo.score_attack import SEAT, ScoreAttack, ScoreAttackError
from engine.solo.search import to_placements
from engine.table.refusals import Refusal, RefusalError


@register_handler("attack")
async def show_today(ctx: Context) -> None:
    """Show the user's current deal, or today's."""
    reference = AttackReference.parse(ctx.custom_id.argument)
    if reference is not None:
        await _show_attack(ctx, *await _load_attack(ctx, reference))
        return
    await _show_attack(ctx, await ctx.services[ScoreAttackService].load_current(ctx.user_id))


@register_handler("attackplay")
async def play_chosen_tile(ctx: Context) -> None:
    """Play a tile of the hand. Undo is possible until the next draw."""
    text = ctx.values[0] if ctx.values else ""

    def play(attack: ScoreAttack) -> ScoreAttack:
        move = find_move(view_for(attack.match, SEAT), text)
        if move is None:
            raise ScoreAttackError("it does not fit")
        return attack.place(move.placement)

    await _change_attack(ctx, play)


ATTACK_CHANGES: Final = {
    "attackdraw": ScoreAttack.draw,
    "attackend": ScoreAttack.end,
    "attackundo": ScoreAttack.undo,
}


@register_handler(*ATTACK_CHANGES)
async def change_attack(ctx: Context) -> None:
    await _change_attack(ctx, ATTACK_CHANGES[ctx.custom_id.verb])


@register_handler("attackagain")
async def start_practice(ctx: Context) -> None:
    """Begin the same deal again as practice, after the counted attempt or after practice."""
    reference = _parse_attack_reference(ctx)
    attacks = ctx.services[ScoreAttackService]
    state = await attacks.load(ctx.user_id, reference.day, practice=True)
    if state is None or not state.stored.practice:
        await _show_attack(ctx, *await _load_attack(ctx, reference))
        return
    if state.attack.is_over:
        restarted = ScoreAttack(state.attack.rules, state.attack.secret)
        state = await attacks.change(state, state.stored.version, lambda _: restarted)
    await _show_attack(ctx, state)


@register_handler("attacktext")
async def show_attack_text(ctx: Context) -> None:
    if (state := await _load_open_attack(ctx)) is not None:
        await ctx.say_separately(score_attack_views.format_attack_text(state, ctx.words, await _load_names(ctx)))


@register_handler("attackinfo")
async def show_attack_info(ctx: Context) -> None:
    """Show the rules, the list and the proof of the deal."""
    if (state := await _load_open_attack(ctx)) is not None:
        revealed = await ctx.services[ScoreAttackService].load_revealed_deal()
        table = await _format_table(ctx, state)
        await ctx.say_separately(score_attack_views.format_info(state, revealed, table, ctx.words))


@register_handler("attackshare")
async def share_attack(ctx: Context) -> None:
    """Post the result in the channel, once and without tiles."""
    state, attacks, guild_id = await _load_open_attack(ctx), ctx.services[ScoreAttackService], ctx.guild_id
    if state is None:
        return
    if not state.attack.is_over or not state.stored.counted or not ctx.is_from_private_message:
        raise RefusalError(Refusal.UNKNOWN_BUTTON)
    if not await attacks.begin_sharing(state):
        await ctx.say_separately(ctx.words("attack.shared_before"))
        return
    try:
        words = await ctx.services.languages.load_guild_words(guild_id)
        view = score_attack_views.build_shared_view(state, await ctx.resolve_name(ctx.user_id), words)
        await ctx.show_publicly(Content(view))
    except BaseException:
        await attacks.undo_sharing(state)
        raise


def _parse_attack_reference(ctx: Context) -> AttackReference:
    found = AttackReference.parse(ctx.custom_id.argument)
    if found is None:
        raise RefusalError(Refusal.UNKNOWN_BUTTON)
    return found


async def _load_attack(ctx: Context, reference: AttackReference) -> tuple[AttackState, str]:
    """Return the deal that is meant; or today's, with a note that the other is over."""
    attacks = ctx.services[ScoreAttackService]
    found = await attacks.load(ctx.user_id, reference.day, practice=reference.practice)
    if found is not None:
        return found, ""
    return await attacks.load_current(ctx.user_id), ctx.words("attack.day_over")


async def _load_open_attack(ctx: Context) -> AttackState | None:
    """Return the deal that is meant. If it is over, show today's instead and return None."""
    state, note = await _load_attack(ctx, _parse_attack_reference(ctx))
    if not note:
        return state
    await _show_attack(ctx, state, note)
    return None


async def _change_attack(ctx: Context, change: Callable[[ScoreAttack], ScoreAttack]) -> None:
    reference, attacks = _parse_attack_reference(ctx), ctx.services[ScoreAttackService]
    state = await attacks.load(ctx.user_id, reference.day, practice=reference.practice)
    if state is None:
        await _show_attack(ctx, await attacks.load_current(ctx.user_id), ctx.words("attack.day_over"))
        return
    after = await attacks.change(state, reference.version, change, guild_id=ctx.interaction.guild_id)
    await _show_attack(ctx, after, "" if after.is_applied else ctx.words("attack.stale"))


async def _show_attack(ctx: Context, state: AttackState, note: str = "") -> None:
    words, names, attacks = ctx.words, await _load_names(ctx), ctx.services[ScoreAttackService]
    image, alt = await draw_in_thread(score_attack_views.render_attack, state, names, words, ctx.scheme)
    if state.attack.is_over:
        own = await attacks.load_own_results(ctx.user_id, state.day)
        table = await _format_table(ctx, state)
        view = score_attack_views.build_result_view(state, words, names, alt, table=table, own=own, note=note)
    else:
        view = score_attack_views.build_attack_view(state, words, names, alt, note=note)
    await ctx.show(Content(view, [build_file(ATTACK_FILE, image, alt)]))


async def _format_table(ctx: Context, state: AttackState) -> list[str]:
    guild_id = ctx.guild_id
    attacks = await ctx.services[ScoreAttackService].list_attacks(guild_id, state.day)
    names = await ctx.services.names.resolve_names(guild_id, [one.user_id for one in attacks], ctx.words)
    attacks = ctx.services.departures.drop_departed(guild_id, attacks)
    return [
        score_attack_views.format_list_row(place, names[one.user_id], one.points or 0, ctx.words)
        for place, one in enumerate(attacks, 1)
    ]


async def _load_names(ctx: Context) -> SeatNames:
    plain = await ctx.services.names.resolve_name(ctx.guild_id, ctx.user_id, ctx.words)
    return SeatNames((plain,), (escape_text(plain),))


FIGURE_CHOICES: Final = [
    app_commands.Choice(name=localize(f"solo.{name}"), value=name) for name in (*FIGURES, views.TODAY)
]


@tiles.command(name="solo", description=localize("command.solo"))
@app_commands.describe(figure=localize("parameter.solo_figure"))
@app_commands.choices(figure=FIGURE_CHOICES)
async def solo_command(interaction: Interaction, figure: str | None = None) -> None:
    async def show(ctx: Context) -> None:
        if figure == views.TODAY:
            await show_today(ctx)
            return
        figures = ctx.services[FigureService]
        name = figure if figure in FIGURES else await figures.load_last_name(ctx.user_id)
        await _show_figure(ctx, await figures.load(ctx.user_id, name))

    await serve(interaction, "solo", show)


@register_handler("solo", "solotile")
async def show_figure(ctx: Context) -> None:
    """Show a puzzle, or the places for one of its tiles."""
    if ctx.values == [views.TODAY]:
        await show_today(ctx)
        return
    reference = _parse_reference(ctx)
    state = await ctx.services[FigureService].load(ctx.user_id, reference.name)
    await _show_figure(ctx, state, tile=reference.tile)


@register_handler("soloplace")
async def turn_tile(ctx: Context) -> None:
    reference = _parse_reference(ctx)
    state = await ctx.services[FigureService].load(ctx.user_id, reference.name)
    try:
        chosen = _require_placement(state.filling, reference)
    except FillingError:
        await _show_figure(ctx, state, note=ctx.words("solo.stale"))
        return
    await _show_figure(ctx, state, chosen=chosen)


@register_handler("sololay")
async def place_tile(ctx: Context) -> None:
    reference = _parse_reference(ctx)
    await _change_figure(ctx, reference, lambda filling: filling.place(*_require_placement(filling, reference)))


@register_handler("sololift")
async def remove_tile(ctx: Context) -> None:
    reference = _parse_reference(ctx)
    cell = reference.find_cell()
    if cell is None:
        raise RefusalError(Refusal.UNKNOWN_BUTTON)
    await _change_figure(ctx, reference, lambda filling: filling.remove(cell))


@register_handler("soloundo", "soloagain")
async def change_figure(ctx: Context) -> None:
    change = Filling.undo if ctx.custom_id.verb == "soloundo" else _restart
    await _change_figure(ctx, _parse_reference(ctx), change)


@register_handler("soloways")
async def show_ways(ctx: Context) -> None:
    reference, figures = _parse_reference(ctx), ctx.services[FigureService]
    state = await figures.load(ctx.user_id, reference.name)
    found = await figures.search_ways(ctx.user_id, state.filling)
    await _show_figure(ctx, state, note=views.format_ways(found, ctx.words))


@register_handler("solohint")
async def show_hint(ctx: Context) -> None:
    """Show a tile of a solution at its place, and count the hint."""
    reference, figures = _parse_reference(ctx), ctx.services[FigureService]
    state = await figures.load(ctx.user_id, reference.name)
    found = await figures.search_ways(ctx.user_id, state.filling)
    filling = state.filling
    if found is None or not found.first:
        note, differences = views.format_ways(found, ctx.words), views.format_differences(filling, ctx.words)
        if found is not None and not found.is_exhaustive and differences:
            # The known solution's tiles are a hint as well.
            state = await figures.change(ctx.user_id, reference.name, state.stored.version, lambda same: same, hints=1)
            note = f"{note}\n{differences}" if state.is_applied else ctx.words("solo.stale")
        await _show_figure(ctx, state, note=note)
        return
    # The place with the fewest fitting tiles is the easiest to understand.
    cells_of_tiles = filling.cells_by_tile.values()
    best = min(to_placements(filling, found.first), key=lambda one: sum(one.cell in cells for cells in cells_of_tiles))
    state = await figures.change(ctx.user_id, reference.name, state.stored.version, lambda same: same, hints=1)
    if not state.is_applied or best.rotation not in state.filling.list_rotations(best.tile, best.cell):
        await _show_figure(ctx, state, note=ctx.words("solo.stale"))
        return
    note = ctx.words("solo.hinted", place=filling.figure.cell_letters[best.cell])
    await _show_figure(ctx, state, chosen=best, note=note)


@register_handler("soloshare")
async def share_figure(ctx: Context) -> None:
    """Post the filled puzzle in the channel, once a day."""
    reference, figures = _parse_reference(ctx), ctx.services[FigureService]
    state, guild_id = await figures.load(ctx.user_id, reference.name), ctx.guild_id
    if not state.filling.is_full or not ctx.is_from_private_message:
        raise RefusalError(Refusal.UNKNOWN_BUTTON)
    shared_at = await figures.begin_sharing(ctx.user_id, reference.name)
    if shared_at is None:
        await ctx.say_separately(ctx.words("solo.shared_before"))
        return
    try:
        messages = await ctx.services.languages.load_guild_messages(guild_id)
        image, alt = await draw_in_thread(views.render_figure, state.filling, messages.words, messages.scheme)
        view = views.build_shared_view(state, await ctx.resolve_name(ctx.user_id), messages.words, alt)
        await ctx.show_publicly(Content(view, [build_file(FIGURE_FILE, image, alt)]))
    except BaseException:
        await figures.undo_sharing(ctx.user_id, reference.name, shared_at)
        raise


def _parse_reference(ctx: Context) -> FigureReference:
    found = FigureReference.parse(ctx.values[0] if ctx.values else ctx.custom_id.argument)
    if found is None:
        raise RefusalError(Refusal.UNKNOWN_BUTTON)
    return found


def _restart(filling: Filling) -> Filling:
    if not filling.is_full:
        raise FillingError("it is not filled")
    return Filling(filling.figure)


def _require_placement(filling: Filling, reference: FigureReference) -> Placement:
    """Return the placement that is meant. Raises FillingError."""
    cell, tile = reference.find_cell(), reference.tile
    if cell is None or tile is None or tile not in filling.unused_tiles or cell not in filling.empty_cells:
        raise FillingError(str(reference))
    turns = filling.list_rotations(tile, cell)
    if reference.turn >= len(turns):
        raise FillingError(str(reference))
    return Placement(tile, cell, turns[reference.turn])


async def _change_figure(ctx: Context, reference: FigureReference, change: Callable[[Filling], Filling]) -> None:
    state = await ctx.services[FigureService].change(ctx.user_id, reference.name, reference.version, change)
    await _show_figure(ctx, state, note="" if state.is_applied else ctx.words("solo.stale"))


async def _show_figure(
    ctx: Context, state: FigureState, *, note: str = "", tile: Tile | None = None, chosen: Placement | None = None
) -> None:
    words, tile = ctx.words, tile if chosen is None else chosen.tile
    image, alt = await draw_in_thread(views.render_figure, state.filling, words, ctx.scheme, tile=tile, chosen=chosen)
    view = views.build_figure_view(state, words, alt, note=note, tile=tile, chosen=chosen)
    await ctx.show(Content(view, [build_file(FIGURE_FILE, image, alt)]))


class FigureHelpSection(ProfileSection):
    async def build_help_buttons(self, ctx: Context) -> Buttons:
        reference = FigureReference(await ctx.services[FigureService].load_last_name(ctx.user_id))
        return [build_button(ctx.words("help.solo"), reference.build_id("solo"))]


SECTIONS.append(FigureHelpSection())
