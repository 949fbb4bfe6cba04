"""The components of all views. Their ids are untrusted: `by:<verb>:<table>:<seq>|<argument>~<mark>`."""

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
class Press:
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


def parse(custom_id: str) -> Press | None:
    """Parse an id; None for an id that the bot never creates."""
    match = PATTERN.fullmatch(custom_id)
    if match is None:
        return None
    seq = match["seq"]
    return Press(
        verb=match["verb"],
        table=int(match["table"] or 0),
        seq=None if seq is None else int(seq),
        argument=match["argument"] or "",
        mark=match["mark"] or "",
    )


GOLD = discord.Colour(0xFFD24A)
CALM_COLOUR = discord.Colour(0x4A5162)
Item = ui.Item[Any]


def button(
    label: str,
    press: Press,
    *,
    style: discord.ButtonStyle = discord.ButtonStyle.secondary,
    disabled: bool = False,
) -> ui.Button[Any]:
    return ui.Button(label=label[:80], custom_id=str(press), style=style, disabled=disabled)


def primary(label: str, press: Press, *, disabled: bool = False) -> ui.Button[Any]:
    return button(label, press, style=discord.ButtonStyle.primary, disabled=disabled)


def menu(press: Press, placeholder: str, options: Iterable[discord.SelectOption]) -> ui.ActionRow[Any]:
    """Return a menu of at most 25 options, in its own row."""
    row: ui.ActionRow[Any] = ui.ActionRow()
    row.add_item(ui.Select(custom_id=str(press), placeholder=placeholder[:150], options=list(options)[:25]))
    return row


def select_options(named: Mapping[str, str], chosen: str) -> list[discord.SelectOption]:
    """Return the options of a menu by value, `chosen` preselected."""
    return [discord.SelectOption(label=label, value=one, default=one == chosen) for one, label in named.items()]


def turn_buttons(words: Words, back: Press, forward: Press, *, first: bool, last: bool) -> list[ui.Button[Any]]:
    """Return the buttons to the page before and to the page after; on the `first` or `last` page one is disabled."""
    return [
        button(words("leaders.earlier"), back, disabled=first),
        button(words("leaders.later"), forward, disabled=last),
    ]


def rows(buttons: Iterable[ui.Button[Any]]) -> list[Item]:
    items = list(buttons)
    return [ui.ActionRow(*items[start : start + 5]) for start in range(0, len(items), 5)]


def layout(*items: Item, colour: discord.Colour | None = None) -> ui.LayoutView:
    view = ui.LayoutView(timeout=None)
    view.add_item(ui.Container(*items, accent_colour=colour))
    # A stopped view is not kept in memory; the dynamic items handle its buttons.
    view.stop()
    return view


def said(text: str, *buttons: ui.Button[Any], colour: discord.Colour | None = None) -> ui.LayoutView:
    return layout(ui.TextDisplay(text[:4000]), *rows(buttons), colour=colour)


def address(head: Head) -> str:
    if not head.board_message_id:
        return f"<#{head.channel_id}>"
    return message_address(head.guild_id, head.channel_id, head.board_message_id)


def message_address(guild_id: int, channel_id: int, message_id: int) -> str:
    return f"https://discord.com/channels/{guild_id}/{channel_id}/{message_id}"
