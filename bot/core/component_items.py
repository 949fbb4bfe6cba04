"""Where presses come back: one dynamic item for buttons and one for menus, before and after a restart alike."""

import re
from collections.abc import Awaitable, Callable
from typing import Any, Final, Self

from discord import ui

from bot.core import settings_commands
from bot.core import settings_commands as data
from bot.core.context import Context, Interaction
from bot.core.dispatch import Handler, dispatch
from bot.core.layout import Press, parse
from bot.duplicates.commands import play_deal, show_field
from bot.history import commands as history_commands
from bot.history.commands import look_back, show_film
from bot.leagues import commands as leagues_commands
from bot.leagues.commands import show_past
from bot.profiles import commands as profiles_commands
from bot.puzzles import commands as puzzles_commands
from bot.reviews import commands as reviews_commands
from bot.solo import commands as solo_commands
from bot.tables import agreements, board_commands, hand_commands, lobby_commands, opening_commands
from engine.table.refusals import No, Refused

HANDLERS: Final[dict[str, Handler]] = {
    "join": lobby_commands.join,
    "sit": lobby_commands.join,
    "alerts": settings_commands.choose_alerts,
    "unalert": settings_commands.stop_alerts,
    "leave": lobby_commands.leave,
    "computer": lobby_commands.add_computer,
    "start": lobby_commands.start,
    "decline": opening_commands.decline_seat,
    "setup": opening_commands.show_setup,
    "rule": opening_commands.pick_rule,
    "set": opening_commands.change_term,
    "keep": opening_commands.keep_for_chosen,
    "off": opening_commands.take_off,
    "open": opening_commands.free_kept,
    "close": opening_commands.close_table,
    "rematch": lobby_commands.rematch,
    "practice": lobby_commands.practice,
    "guide": lobby_commands.guide,
    "bring": lobby_commands.bring,
    "inthread": lobby_commands.in_thread,
    "hand": hand_commands.hand,
    "tile": hand_commands.pick_tile,
    "move": hand_commands.choose_move,
    "play": hand_commands.confirm,
    "choose": hand_commands.choose_option,
    "premove": hand_commands.decide_ahead,
    "unpremove": hand_commands.take_away,
    "hint": hand_commands.give,
    "draw": hand_commands.draw,
    "pass": hand_commands.pass_turn,
    "quick": hand_commands.quick,
    "resign": hand_commands.resign,
    "undo": agreements.undo,
    "abort": agreements.abort,
    "agree": agreements.agree,
    "resume": agreements.end_pause,
    "absent": agreements.choose_absence,
    "back": agreements.back,
    "mute": agreements.mute,
    "home": settings_commands.come_home,
    "forget": data.delete,
    "text": board_commands.show_text_board,
    "scores": board_commands.scores,
    "record": board_commands.record,
    "replay": look_back,
    "film": show_film,
    "review": reviews_commands.show_review,
    "showreview": reviews_commands.show_all,
    "print": board_commands.show_fingerprint,
    "verify": board_commands.verify_deals,
    "rules": board_commands.table_rules,
    "unseen": hand_commands.show_unseen,
    "why": profiles_commands.why_not,
    "history": history_commands.turn_history,
    "historygame": history_commands.turn_history,
    "historymonth": history_commands.turn_history,
    "daily": puzzles_commands.turn_to,
    "dailyday": puzzles_commands.turn_to,
    "dailygame": puzzles_commands.turn_to,
    "dailypick": puzzles_commands.pick,
    "dailytext": puzzles_commands.puzzle_in_words,
    "dailyhint": puzzles_commands.take_hint,
    "dailyanswer": puzzles_commands.give_answer,
    "dailyshare": puzzles_commands.share,
    "past": history_commands.look_at_match,
    "signup": leagues_commands.sign_up,
    "signoff": leagues_commands.sign_off,
    "season": leagues_commands.show_season,
    "seasonrules": leagues_commands.season_rules,
    "pastseasons": show_past,
    "leaders": profiles_commands.turn_page,
    "leaderswhere": profiles_commands.turn_page,
    "records": profiles_commands.show_records,
    "recordsgame": profiles_commands.show_records,
    "field": show_field,
    "playdeal": play_deal,
    "rivals": profiles_commands.turn_rivals,
    "leadersgame": profiles_commands.turn_page,
    "leaderswhen": profiles_commands.turn_page,
    **solo_commands.PRESSES,
}

FORMS: Final[dict[str, Callable[[Interaction, Press], Awaitable[None]]]] = {
    "word": board_commands.ask_word,
    "note": hand_commands.ask_note,
}
"""Presses that are answered by a form."""

QUIET: Final = frozenset({"join", "leave", "computer", "start", "absent", "back"})
"""Presses that everybody sees the effect of on the message itself."""


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
