"""The components of all views, and Discord's markup for links and times.

The ids of components are untrusted: `by:<verb>:<table>:<seq>|<argument>~<mark>`.
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import discord
from discord import ui

from data.store.log.match_values import Head
from data.words import Words

PREFIX = "by:"
PATTERN = re.compile(
    r"by:(?P<verb>[a-z]{1,12})(?::(?P<table>\d{1,12})(?::(?P<seq>\d{1,9}))?)?(?:\|(?P<argument>[\w,.@=-]{1,60}))?"
    r"(?:~(?P<mark>[a-p]{1,20}))?",
    re.ASCII,  # ASCII digits only
)


@dataclass(frozen=True, slots=True)
class CustomId:
    verb: str
    table: int = 0
    seq: int | None = None  # the move of the button; later moves make it stale
    argument: str = ""
    mark: str = ""  # identifies the message with the button (`bot.sending.delivery_marks`); no effect otherwise

    def __str__(self) -> str:
        text = f"{PREFIX}{self.verb}"
        if self.table:
            text += f":{self.table}"
            if self.seq is not None:
                text += f":{self.seq}"
        text += f"|{self.argument}" if self.argument else ""
        return f"{text}~{self.mark}" if self.mark else text


def parse_custom_id(custom_id: str) -> CustomId | None:
    """Parse an id; None for an id that the bot never creates."""
    match = PATTERN.fullmatch(custom_id)
    if match is None:
        return None
    seq = match["seq"]
    return CustomId(
        verb=match["verb"],
        table=int(match["table"] or 0),
        seq=None if seq is None else int(seq),
        argument=match["argument"] or "",
        mark=match["mark"] or "",
    )


GOLD = discord.Colour(0xFFD24A)
CALM_COLOUR = discord.Colour(0x4A5162)
Item = ui.Item[Any]


def build_button(
    label: str,
    custom_id: CustomId,
    *,
    style: discord.ButtonStyle = discord.ButtonStyle.secondary,
    disabled: bool = False,
) -> ui.Button[Any]:
    return ui.Button(label=label[:80], custom_id=str(custom_id), style=style, disabled=disabled)


def build_primary_button(label: str, custom_id: CustomId, *, disabled: bool = False) -> ui.Button[Any]:
    return build_button(label, custom_id, style=discord.ButtonStyle.primary, disabled=disabled)


def build_menu(custom_id: CustomId, placeholder: str, options: Iterable[discord.SelectOption]) -> ui.ActionRow[Any]:
    """Return a menu of at most 25 options, in its own row."""
    row: ui.ActionRow[Any] = ui.ActionRow()
    row.add_item(ui.Select(custom_id=str(custom_id), placeholder=placeholder[:150], options=list(options)[:25]))
    return row


def build_select_options(labels: Mapping[str, str], selected: str) -> list[discord.SelectOption]:
    """Return the options of a menu by value, `selected` preselected."""
    return [discord.SelectOption(label=label, value=one, default=one == selected) for one, label in labels.items()]


def build_page_buttons(
    words: Words, back: CustomId, forward: CustomId, *, first: bool, last: bool
) -> list[ui.Button[Any]]:
    """Return the buttons to the page before and to the page after; on the `first` or `last` page one is disabled."""
    earlier = build_button(words("leaders.earlier"), back, disabled=first)
    return [earlier, build_button(words("leaders.later"), forward, disabled=last)]


def build_rows(buttons: Iterable[ui.Button[Any]]) -> list[Item]:
    items = list(buttons)
    return [ui.ActionRow(*items[start : start + 5]) for start in range(0, len(items), 5)]


def build_layout(*items: Item, colour: discord.Colour | None = None) -> ui.LayoutView:
    view = ui.LayoutView(timeout=None)
    view.add_item(ui.Container(*items, accent_colour=colour))
    # A stopped view is not kept in memory; the dynamic items handle its buttons.
    view.stop()
    return view


def build_text_view(text: str, *buttons: ui.Button[Any], colour: discord.Colour | None = None) -> ui.LayoutView:
    return build_layout(ui.TextDisplay(text[:4000]), *build_rows(buttons), colour=colour)


def build_plain_view(*buttons: ui.Button[Any]) -> ui.View:
    """Return the buttons of a message with plain text, which Discord does not allow in a layout."""
    view = ui.View(timeout=None)
    for button in buttons:
        view.add_item(button)
    view.stop()
    return view


def format_board_link(head: Head) -> str:
    if not head.board_message_id:
        return f"<#{head.channel_id}>"
    return format_message_link(head.guild_id, head.channel_id, head.board_message_id)


def format_message_link(guild_id: int, channel_id: int, message_id: int) -> str:
    return f"https://discord.com/channels/{guild_id}/{channel_id}/{message_id}"


def format_timestamp(at: int, style: str = "R") -> str:
    """Return a Discord timestamp: `R` relative, `f` date and time, `D` date."""
    return f"<t:{at // 1000}:{style}>"
