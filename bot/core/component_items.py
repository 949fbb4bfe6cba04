"""Where presses come back: one dynamic item for buttons and one for menus, before and after a restart alike."""

import re
from typing import Any, Self

from discord import ui

from bot.core.context import Context, Interaction
from bot.core.dispatch import FORMS, HANDLERS, QUIET, dispatch
from bot.core.layout import Press, parse
from engine.table.refusals import No, Refused


async def pressed(interaction: Interaction) -> None:
    """Serve a press, whatever its id says."""
    data: Any = interaction.data or {}
    press = parse(data.get("custom_id", ""))
    if press is not None and press.verb in FORMS:
        await FORMS[press.verb](interaction, press)
        return
    handler = HANDLERS.get(press.verb) if press else None
    if press is None or handler is None:
        await dispatch(Context(interaction, Press("unknown")), _unknown)
        return
    await dispatch(Context(interaction, press, data.get("values", []), quiet=press.verb in QUIET), handler)


async def _unknown(ctx: Context) -> None:
    raise Refused(No.UNKNOWN_BUTTON)


class Pressed(ui.DynamicItem[ui.Item[Any]], template=r"[\s\S]*"):
    """Any button or menu of ours. Its id is read when it is pressed, and trusted nowhere."""

    @classmethod
    async def from_custom_id(cls, interaction: Interaction, item: ui.Item[Any], match: re.Match[str], /) -> Self:
        """Made anew for each press, from the message that carries the button."""
        return cls(item)

    async def callback(self, interaction: Interaction) -> None:
        """It was pressed, or something was chosen."""
        await pressed(interaction)


def is_on_message(interaction: Interaction) -> bool:
    """Whether the message that was pressed carries the id that was sent. A forged press may name any."""
    if interaction.message is None:
        return False
    data: Any = interaction.data or {}
    custom_id = data.get("custom_id")
    view = ui.LayoutView.from_message(interaction.message, timeout=None)
    return any(getattr(item, "custom_id", None) == custom_id for item in view.walk_children())
