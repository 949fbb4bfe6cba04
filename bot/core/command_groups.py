"""The group `/tiles`, and translations of command descriptions. Names stay English: texts mention them."""

from collections.abc import Mapping
from typing import Final

from discord import Locale, app_commands
from discord.app_commands import TranslationContextTypes, locale_str

from bot.core.context import Context, Interaction
from bot.core.dispatch import Handler, dispatch
from bot.core.layout import Press
from data.words import FALLBACK, languages, spoken, upper_first, words
from render.canvas.theme import SCHEMES


def localized(key: str) -> locale_str:
    return locale_str(upper_first(words()(key)), key=key)


tiles: Final = app_commands.Group(name="tiles", description=localized("command.tiles"), guild_only=True)
# Discord allows 25 commands in a group, so commands for a whole match have their own group.
whole_match: Final = app_commands.Group(name="match", description=localized("command.match"), parent=tiles)
BY_ITSELF: Final = "discord"  # the choice of the language that Discord reports
LANGUAGES: Final = tuple(app_commands.Choice(name=words(one)("admin.language_name"), value=one) for one in languages())
COLOURS: Final = tuple(app_commands.Choice(name=localized(f"scheme.{one}"), value=one) for one in SCHEMES)


async def serve(interaction: Interaction, verb: str, handler: Handler) -> None:
    await dispatch(Context(interaction, Press(verb)), handler)


def suggest(named: Mapping[str, str], typed: str) -> list[app_commands.Choice[str]]:
    """Return the choices by value whose name or value contains what was typed; Discord lists 25."""
    text = typed.strip().lower()
    found = [(value, name) for value, name in named.items() if text in f"{name} {value}".lower()]
    return [app_commands.Choice(name=name, value=value) for value, name in found[:25]]


class CommandTranslator(app_commands.Translator):
    async def translate(self, string: locale_str, locale: Locale, _: TranslationContextTypes) -> str | None:
        """Return the text in the language of a locale; None for the English text."""
        key, language = string.extras.get("key"), spoken(locale.value)
        return None if key is None or language in (None, FALLBACK) else upper_first(words(language)(str(key)))
