"""What a host is told, alone, when the bot cannot write to the channel of a table any more."""

from discord import ui

from bot.base.discord_errors import UNKNOWN_CHANNEL
from bot.base.permissions import NEEDED
from bot.views import sentences as sentences
from bot.views.parts import Press, address, button
from data.store import Head
from data.words import Words


def closed_channel(head: Head, code: int, words: Words) -> tuple[ui.View, str]:
    """Why it cannot, by Discord's code of the error, and a button that can be pressed in a direct message too."""
    game = words(f"game.{head.game}")
    if code == UNKNOWN_CHANNEL:
        content = words("trouble.gone", match=head.match_id, game=game)
    else:
        needed = sentences.listed(words, [f"*{words(f'permission.{flag}')}*" for flag in NEEDED])
        content = words("trouble.closed", game=game, link=address(head), needed=needed)
    look = (
        button(words("lobby.rules"), Press("rules", head.match_id))
        if head.state == "lobby"
        else button(words("board.text"), Press("text", head.match_id))
    )
    view = ui.View(timeout=None)
    view.add_item(look)
    view.stop()
    return view, content
