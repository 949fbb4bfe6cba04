"""One dynamic item that routes all clicks to their handlers, also after a restart."""

import re
from typing import Any, Self

from discord import ui

from bot.core.context import Context, Interaction
from bot.core.dispatch import FORMS, HANDLERS, QUIET_VERBS, dispatch
from bot.core.layout import CustomId, parse_custom_id
from engine.table.refusals import Refusal, RefusalError


async def handle_click(interaction: Interaction) -> None:
    data: Any = interaction.data or {}
    press = parse_custom_id(data.get("custom_id", ""))
    if press is not None and press.verb in FORMS:
        await FORMS[press.verb](interaction, press)
        return
    handler = HANDLERS.get(press.verb) if press else None
    if press is None or handler is None:
        await dispatch(Context(interaction, CustomId("unknown")), _refuse_unknown_button)
        return
    await dispatch(Context(interaction, press, data.get("values", []), quiet=press.verb in QUIET_VERBS), handler)


async def _refuse_unknown_button(ctx: Context) -> None:
    raise RefusalError(Refusal.UNKNOWN_BUTTON)


class ComponentItem(ui.DynamicItem[ui.Item[Any]], template=r"[\s\S]*"):
    """Any button or menu of the bot. Its id is parsed at each click."""

    @classmethod
    async def from_custom_id(cls, interaction: Interaction, item: ui.Item[Any], match: re.Match[str], /) -> Self:
        return cls(item)

    async def callback(self, interaction: Interaction) -> None:
        await handle_click(interaction)


def is_on_message(interaction: Interaction) -> bool:
    """Return whether the clicked message contains the id. A forged click may name any."""
    if interaction.message is None:
        return False
    data: Any = interaction.data or {}
    custom_id = data.get("custom_id")
    view = ui.LayoutView.from_message(interaction.message, timeout=None)
    return any(getattr(item, "custom_id", None) == custom_id for item in view.walk_children())
