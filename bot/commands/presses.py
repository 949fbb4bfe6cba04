"""Where presses come back: one dynamic item for buttons and one for menus, before and after a restart alike."""

import re
from collections.abc import Awaitable, Callable
from typing import Any, Final, Self

from discord import ui

from bot.commands import (
    absence,
    agree,
    alerts,
    daily,
    data,
    fairness,
    hints,
    history,
    hosting,
    league,
    lobby,
    look,
    own,
    people,
    play,
    premoves,
    profile,
    review,
    settings,
    solo,
)
from bot.commands.context import Context, Interaction
from bot.commands.deals import play_deal, show_field
from bot.commands.dispatch import Handler, dispatch
from bot.commands.past_seasons import show_past
from bot.commands.replay import look_back, show_film
from bot.views.parts import Press, parse
from engine.table.refusals import No, Refused

HANDLERS: Final[dict[str, Handler]] = {
    "join": lobby.join,
    "sit": lobby.join,
    "alerts": alerts.choose_alerts,
    "unalert": alerts.stop_alerts,
    "leave": lobby.leave,
    "computer": lobby.add_computer,
    "start": lobby.start,
    "decline": hosting.decline_seat,
    "setup": hosting.show_setup,
    "rule": hosting.pick_rule,
    "set": hosting.change_term,
    "keep": hosting.keep_for_chosen,
    "off": hosting.take_off,
    "open": hosting.free_kept,
    "close": hosting.close_table,
    "rematch": lobby.rematch,
    "practice": lobby.practice,
    "guide": lobby.guide,
    "bring": lobby.bring,
    "inthread": lobby.in_thread,
    "hand": play.hand,
    "tile": play.pick_tile,
    "move": play.choose_move,
    "play": play.confirm,
    "choose": play.choose_option,
    "premove": premoves.decide_ahead,
    "unpremove": premoves.take_away,
    "hint": hints.give,
    "draw": play.draw,
    "pass": play.pass_turn,
    "quick": play.quick,
    "resign": play.resign,
    "undo": agree.undo,
    "abort": agree.abort,
    "agree": agree.agree,
    "resume": agree.end_pause,
    "absent": absence.choose_absence,
    "back": absence.back,
    "mute": absence.mute,
    "home": settings.come_home,
    "forget": data.delete,
    "text": look.show_text_board,
    "scores": look.scores,
    "record": look.record,
    "replay": look_back,
    "film": show_film,
    "review": review.show_review,
    "showreview": review.show_all,
    "print": fairness.show_fingerprint,
    "verify": fairness.verify_deals,
    "rules": look.table_rules,
    "unseen": own.show_unseen,
    "why": people.why_not,
    "history": history.turn_history,
    "historygame": history.turn_history,
    "historymonth": history.turn_history,
    "daily": daily.turn_to,
    "dailyday": daily.turn_to,
    "dailygame": daily.turn_to,
    "dailypick": daily.pick,
    "dailytext": daily.puzzle_in_words,
    "dailyhint": daily.take_hint,
    "dailyanswer": daily.give_answer,
    "dailyshare": daily.share,
    "past": history.look_at_match,
    "signup": league.sign_up,
    "signoff": league.sign_off,
    "season": league.show_season,
    "seasonrules": league.season_rules,
    "pastseasons": show_past,
    "leaders": people.turn_page,
    "leaderswhere": people.turn_page,
    "records": people.show_records,
    "recordsgame": people.show_records,
    "field": show_field,
    "playdeal": play_deal,
    "rivals": profile.turn_rivals,
    "leadersgame": people.turn_page,
    "leaderswhen": people.turn_page,
    **solo.PRESSES,
}

FORMS: Final[dict[str, Callable[[Interaction, Press], Awaitable[None]]]] = {
    "word": fairness.ask_word,
    "note": own.ask_note,
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
