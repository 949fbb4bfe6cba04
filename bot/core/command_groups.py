"""The group `/tiles`, how one of its commands is served, and what Discord itself shows of the commands.

Discord shows descriptions in the language of whoever types. Names are the same for all, since every text that speaks of
a command names it.
"""

from typing import Final

from discord import Locale, app_commands
from discord.app_commands import TranslationContextTypes, locale_str

from bot.core.context import Context, Interaction
from bot.core.dispatch import Handler, dispatch
from bot.core.layout import Press
from data.words import FALLBACK, languages, spoken, upper_first, words
from render.canvas.theme import SCHEMES


def localized(key: str) -> locale_str:
    """A sentence about a command, to be translated for each language that has words."""
    return locale_str(upper_first(words()(key)), key=key)


tiles: Final = app_commands.Group(name="tiles", description=localized("command.tiles"), guild_only=True)

# Discord takes 25 commands in a group. What is done to a match as a whole, and seldom, has one of its own.
whole_match: Final = app_commands.Group(name="match", description=localized("command.match"), parent=tiles)


BY_ITSELF: Final = "discord"
"""The choice to speak whatever language Discord says a server or a person has."""

LANGUAGES: Final = tuple(app_commands.Choice(name=words(one)("admin.language_name"), value=one) for one in languages())
"""Those there are, each by its own name: whoever looks for a language reads it."""

COLOURS: Final = tuple(app_commands.Choice(name=localized(f"scheme.{one}"), value=one) for one in SCHEMES)
"""Those that pictures may have."""


async def serve(interaction: Interaction, verb: str, handler: Handler) -> None:
    """Serve a slash command with a handler."""
    await dispatch(Context(interaction, Press(verb)), handler)


class CommandTranslator(app_commands.Translator):
    """Hands Discord the sentences of every language when the commands are registered."""

    async def translate(self, string: locale_str, locale: Locale, _: TranslationContextTypes) -> str | None:
        """The sentence for people of this locale; None where they see the English one."""
        key, language = string.extras.get("key"), spoken(locale.value)
        return None if key is None or language in (None, FALLBACK) else upper_first(words(language)(str(key)))
