"""Who wants to be told when a table opens: the buttons under `/tiles games`, `/tiles settings` and the message.

Nothing here acts at a table: what somebody wants to hear of is theirs alone.
"""

from bot.commands.context import Context
from bot.views.alerts import game_buttons, wanted_text
from data.rulebook import games
from engine.table.refusals import No, Refused


async def choose_alerts(ctx: Context) -> None:
    """Show of which games somebody is told here; an argument, `star.on`, changes that first."""
    game, _, state = ctx.press.argument.rpartition(".")
    store = ctx.services.store
    if game in games() and state in ("on", "off"):
        if state == "on":
            await store.want_alerts(ctx.user_id, ctx.guild_id, game, now=ctx.services.now())
        else:
            await store.unwant_alerts(ctx.user_id, ctx.guild_id, game)
    wanted = await store.alerts_wanted(ctx.user_id, ctx.guild_id)
    text = "\n".join([wanted_text(wanted, ctx.words), ctx.words("alerts.about")])
    await ctx.say(text, *game_buttons(wanted, ctx.words))


async def stop_alerts(ctx: Context) -> None:
    """Somebody has heard enough of the tables of a server: the one that the message was about."""
    head = await ctx.services.store.head(ctx.press.table)
    if head is None:
        raise Refused(No.NO_SUCH_TABLE)
    await ctx.services.store.unwant_alerts(ctx.user_id, head.guild_id)
    await ctx.say(ctx.words("alerts.stopped"))
