"""`/tiles-host`: all that the host's menus do, typed. A group of its own: Discord takes 25 commands in one."""

from typing import Any, Final, get_args

import discord
from discord import app_commands

from bot.commands import hosting, offers
from bot.commands.context import Context, Interaction
from bot.commands.registry import localized, serve
from bot.views.parts import Press
from bot.views.readings import options_typed
from bot.views.setup import PAGES
from data.rulebook import games
from engine.table.commands import OpenKept, Remove
from engine.table.refusals import Refused
from engine.table.terms import THEMES, Absent

hosts: Final = app_commands.Group(name="tiles-host", description=localized("command.host"), guild_only=True)


@hosts.command(name="setup", description=localized("command.host_setup"))
@app_commands.describe(
    game=localized("parameter.new_game"),
    seats=localized("parameter.new_seats"),
    target=localized("parameter.new_target"),
    preset=localized("parameter.new_preset"),
    options=localized("parameter.new_options"),
    theme=localized("parameter.new_theme"),
    clock=localized("parameter.new_clock"),
    absent=localized("parameter.new_absent"),
    by_hand=localized("parameter.new_by_hand"),
    rated=localized("parameter.new_rated"),
)
@app_commands.choices(
    game=[app_commands.Choice(name=localized(f"game.{game}"), value=game) for game in games()],
    theme=[app_commands.Choice(name=localized(f"theme.{theme}"), value=theme) for theme in THEMES],
    absent=[app_commands.Choice(name=localized(f"clock.absent_{absent}"), value=absent) for absent in get_args(Absent)],
)
async def setup_command(
    interaction: Interaction,
    game: str | None = None,
    seats: app_commands.Range[int, 2, 99] | None = None,
    target: app_commands.Range[int, 10, 5000] | None = None,
    preset: str | None = None,
    options: str | None = None,
    theme: str | None = None,
    clock: str | None = None,
    absent: str | None = None,
    by_hand: bool | None = None,
    rated: bool | None = None,
) -> None:
    """`/tiles-host setup`."""
    given = {
        "game": game,
        "seats": seats,
        "target": target,
        "preset": preset,
        "theme": theme,
        "clock": clock,
        "absent": absent,
        "by_hand": by_hand,
        "rated": rated,
    }
    chosen: dict[str, Any] = {name: value for name, value in given.items() if value is not None}

    async def setup(ctx: Context) -> None:
        if options is not None:
            terms = (await ctx.table()).terms
            meant = game or terms.game, preset or (terms.preset if game is None else None)
            chosen["options"] = options_typed(options, *meant, offers.spoken_with(ctx.words))
        if chosen:
            await hosting.revise_terms(ctx, await ctx.table(), chosen, PAGES[0])
        else:
            await hosting.show_setup(ctx)

    await serve(interaction, "setup", setup)


setup_command.autocomplete("clock")(offers.clock_choices)


@setup_command.autocomplete("preset")
async def presets_here(interaction: Interaction, current: str) -> list[app_commands.Choice[str]]:
    """The readings of the game that is typed, else of the table's."""
    game, _ = await _meant(interaction)
    return offers.readings_of(game, interaction, current)


@setup_command.autocomplete("options")
async def options_here(interaction: Interaction, current: str) -> list[app_commands.Choice[str]]:
    """Single rules of the game and reading that are typed, else of the table's."""
    game, preset = await _meant(interaction)
    return offers.options_of(game, preset, interaction, current)


async def _meant(interaction: Interaction) -> tuple[str, str | None]:
    """The game and the reading that are typed, else those of the table here."""
    typed = interaction.namespace
    game, preset = getattr(typed, "game", None), getattr(typed, "preset", None)
    if game in games():
        return game, preset
    try:
        terms = (await Context(interaction, Press("setup")).table(over=False)).terms
    except Refused:
        return games()[0], preset
    return terms.game, preset or terms.preset


@hosts.command(name="keep", description=localized("command.host_keep"))
@app_commands.describe(
    person=localized("parameter.host_keep"),
    person2=localized("parameter.new_with_more"),
    person3=localized("parameter.new_with_more"),
)
async def keep_command(
    interaction: Interaction,
    person: discord.User,
    person2: discord.User | None = None,
    person3: discord.User | None = None,
) -> None:
    """`/tiles-host keep`."""
    named = [one for one in (person, person2, person3) if one is not None]

    async def keep(ctx: Context) -> None:
        await hosting.seats_for(ctx, await ctx.table(), named)

    await serve(interaction, "keep", keep)


@hosts.command(name="remove", description=localized("command.host_remove"))
@app_commands.describe(person=localized("parameter.host_remove"))
async def remove_command(interaction: Interaction, person: discord.User | None = None) -> None:
    """`/tiles-host remove`."""

    async def remove(ctx: Context) -> None:
        command = Remove(ctx.user_id, None if person is None else person.id)
        await hosting.decide_who(ctx, await ctx.table(), command, "setup.removed")

    await serve(interaction, "off", remove)


@hosts.command(name="open", description=localized("command.host_open"))
@app_commands.describe(person=localized("parameter.host_open"))
async def open_command(interaction: Interaction, person: discord.User | None = None) -> None:
    """`/tiles-host open`."""

    async def open_seats(ctx: Context) -> None:
        command = OpenKept(ctx.user_id, None if person is None else person.id)
        await hosting.decide_who(ctx, await ctx.table(), command, "setup.opened")

    await serve(interaction, "open", open_seats)


@hosts.command(name="close", description=localized("command.host_close"))
async def close_command(interaction: Interaction) -> None:
    """`/tiles-host close`."""
    await serve(interaction, "close", hosting.close_table)
