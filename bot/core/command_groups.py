"""The group `/tiles`, and translations of command descriptions. Names stay English: texts mention them."""

from typing import Final

from discord import Locale, app_commands
from discord.app_commands import TranslationContextTypes, locale_str

from bot.core.choices import localize
from bot.core.context import Context, Interaction
from bot.core.dispatch import Handler, dispatch
from bot.core.layout import CustomId
from data.words import DEFAULT_LANGUAGE, capitalize_first, find_language, list_languages, load_words

tiles: Final = app_commands.Group(name="tiles", description=localize("command.tiles"), guild_only=True)
# Discord allows 25 commands in a group, so commands for a whole match have their own group.
match_group: Final = app_commands.Group(name="match", description=localize("command.match"), parent=tiles)
AUTOMATIC_CHOICE: Final = "discord"  # the choice of the language that Discord reports
LANGUAGES: Final = tuple(
    app_commands.Choice(name=load_words(one)("admin.language_name"), value=one) for one in list_languages()
)


async def serve(interaction: Interaction, verb: str, handler: Handler) -> None:
    await dispatch(Context(interaction, CustomId(verb)), handler)


class CommandTranslator(app_commands.Translator):
    async def translate(self, string: locale_str, locale: Locale, _: TranslationContextTypes) -> str | None:
        """Return the text in the language of a locale; None for the English text."""
        key, language = string.extras.get("key"), find_language(locale.value)
        if key is None or language in (None, DEFAULT_LANGUAGE):
            return None
        return capitalize_first(load_words(language)(str(key)))
