"""Choices of parameters: offer them, suggest them while a user types, and accept what comes back.

Discord may send the name of a choice instead of its value (discord-api-docs 5749, 7206), and users type names with
other cases, spaces and dashes.
"""

import asyncio
from collections import defaultdict
from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping
from typing import Any, Final

from discord import app_commands
from discord.app_commands import locale_str

from bot.core.context import Context, Interaction
from bot.core.layout import CustomId
from bot.core.logs import get_logger
from data.store.connection.faults import DatabaseUnavailable
from data.store.connection.store_errors import StoreClosed
from data.words import DEFAULT_LANGUAGE, capitalize_first, list_languages, load_words
from engine.typed_text import fold_text

log = get_logger(__name__)
MAX_CHOICES: Final = 25  # choices that Discord lists
MAX_CHOICE_LENGTH: Final = 100  # characters of a choice's name
SEPARATOR: Final = " · "  # separates what identifies a choice from facts about it
MAX_TILE_DIGITS: Final = 4  # texts with more digits may be dates, which each language writes in another way
RESOLVE_TIMEOUT: Final = 1.0  # seconds; Discord waits three for the answer

NamesByValue = Mapping[str, str]
Suggester = Callable[[Context, str, Mapping[str, str]], Awaitable[NamesByValue]]
"""Returns the choices for a typed text, best first. The mapping has the command's other options as typed."""

SUGGESTERS: Final[dict[tuple[str, str], Suggester]] = {}  # by qualified name of the command, and option in Discord
_KEYS_BY_TEXT: Final[defaultdict[str, set[str]]] = defaultdict(set)


def localize(key: str) -> locale_str:
    text = capitalize_first(load_words()(key))
    _KEYS_BY_TEXT[text].add(key)
    return locale_str(text, key=key)


def list_choices(keys: str, values: Iterable[str]) -> list[app_commands.Choice[str]]:
    """Return the choices of a parameter; `keys` is the key of their names, such as `level.{}`."""
    return [app_commands.Choice(name=localize(keys.format(value)), value=value) for value in values]


def suggest(command: app_commands.Command[Any, ..., Any], option: str) -> Callable[[Suggester], Suggester]:
    """Register the decorated function as the source of suggestions for an option, by its name in the code."""

    def register(suggester: Suggester) -> Suggester:
        parameter = command.get_parameter(option)
        assert parameter is not None, f"{command.qualified_name} has no parameter {option}"
        SUGGESTERS[command.qualified_name, parameter.display_name] = suggester

        @command.autocomplete(option)
        async def complete(interaction: Interaction, current: str) -> list[app_commands.Choice[str]]:
            ctx = await _open_context(interaction, command)
            named = await suggester(ctx, current, _read_options(interaction))
            return [
                app_commands.Choice(name=name[:MAX_CHOICE_LENGTH], value=value)
                for value, name in list(named.items())[:MAX_CHOICES]
            ]

        return suggester

    return register


def filter_choices(names_by_value: NamesByValue, typed: str) -> NamesByValue:
    """Return the choices whose name or value contains what was typed."""
    text = fold_text(typed)
    return {value: name for value, name in names_by_value.items() if text in fold_text(f"{name} {value}")}


async def resolve_choices(interaction: Interaction) -> None:
    """Replace the names of choices in a command's options by their values."""
    command = interaction.command
    if not isinstance(command, app_commands.Command):
        return
    parameters = {one.display_name: one for one in command.parameters}
    suggested: list[tuple[dict[str, Any], Suggester]] = []
    for option in _list_options(interaction):
        parameter = parameters.get(option["name"])
        if parameter is None or not isinstance(option.get("value"), str):
            continue
        if parameter.choices:
            found = _find_value(option["value"], _list_names(parameter.choices))
            option["value"] = option["value"] if found is None else found
        elif (suggester := SUGGESTERS.get((command.qualified_name, option["name"]))) is not None:
            suggested.append((option, suggester))
    if suggested:
        resolving = asyncio.ensure_future(_resolve_suggested(interaction, command, suggested))
        # Not cancelled: discord.py must not be interrupted while it waits for a rate limit.
        await asyncio.wait([resolving], timeout=RESOLVE_TIMEOUT)
        resolving.add_done_callback(_log_failure)


async def _resolve_suggested(
    interaction: Interaction,
    command: app_commands.Command[Any, ..., Any],
    suggested: Iterable[tuple[dict[str, Any], Suggester]],
) -> None:
    ctx = await _open_context(interaction, command)
    for option, suggester in suggested:
        option["value"] = await _resolve_option(ctx, suggester, option["value"], _read_options(interaction))


async def _resolve_option(ctx: Context, suggester: Suggester, typed: str, options: Mapping[str, str]) -> str:
    """Return the value of the choice that was typed, else the part before the first separator: what was offered may
    have changed since, and the command understands that part.
    """
    first_part = typed.partition(SEPARATOR)[0]
    languages = [ctx.words.language]
    if any(letter.isalpha() for letter in typed) or sum(map(str.isdigit, typed)) > MAX_TILE_DIGITS:
        languages = list(dict.fromkeys((*languages, DEFAULT_LANGUAGE, *list_languages())))
    for text in dict.fromkeys((typed, first_part)):
        for language in languages:
            translated = ctx.translate(language)
            listed = {**await suggester(translated, "", options), **await suggester(translated, text, options)}
            if not listed:
                break  # in every language
            pairs = [(value, name[:MAX_CHOICE_LENGTH]) for value, name in listed.items()]
            if (found := _find_value(text, pairs)) is not None:
                return found
    return first_part


def _log_failure(resolving: "asyncio.Future[None]") -> None:
    error = None if resolving.cancelled() else resolving.exception()
    # The store logs its own faults, and the command that follows reports them.
    if error is not None and not isinstance(error, DatabaseUnavailable | StoreClosed):
        log.warning("choices could not be looked up", exc_info=error)


def _find_value(typed: str, choices: Iterable[tuple[str, str]]) -> str | None:
    """Return the value of the choice with this value or name, in any case."""
    choices, text = list(choices), fold_text(typed)
    if any(value == typed for value, _ in choices):
        return typed
    for kind in (0, 1):
        found = next((one[0] for one in choices if fold_text(one[kind]) == text), None)
        if found is not None:
            return found
    return None


def _list_names(choices: Iterable[app_commands.Choice[Any]]) -> Iterator[tuple[str, str]]:
    """Yield each value with its name in every language."""
    for choice in choices:
        yield choice.value, choice.name
        for key in _KEYS_BY_TEXT.get(choice.name, ()):
            for language in list_languages():
                yield choice.value, load_words(language)(key)


async def _open_context(interaction: Interaction, command: app_commands.Command[Any, ..., Any]) -> Context:
    ctx = Context(interaction, CustomId(command.name))
    await ctx.load_words()
    return ctx


def _list_options(interaction: Interaction) -> list[dict[str, Any]]:
    """Return the options of the command itself, below the groups."""
    data: Any = interaction.data
    options: list[dict[str, Any]] = data.get("options", [])
    while options and "options" in options[0]:
        options = options[0]["options"]
    return options


def _read_options(interaction: Interaction) -> dict[str, str]:
    return {one["name"]: str(one["value"]) for one in _list_options(interaction) if "value" in one}
