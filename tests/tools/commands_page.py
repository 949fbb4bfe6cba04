"""Write docs/reference/commands.md from the command tree: `python -m tests.tools.commands_page`."""

from discord import AppCommandOptionType, app_commands

from tests.project.commands import GROUPS, Command, list_commands
from tests.project.sources import ROOT

PAGE = ROOT / "docs" / "reference" / "commands.md"

HEAD = """# Commands

This page lists all slash commands with their parameters. It is generated from the code: run
`uv run checks -m tests.tools.commands_page` after a change.

Type a command in a channel or thread of a server. Parameters are optional unless this page says *required*. The buttons
under the bot's messages do the same as the commands.
"""

KINDS = {
    AppCommandOptionType.boolean: "True or False",
    AppCommandOptionType.channel: "a channel",
    AppCommandOptionType.integer: "a number",
    AppCommandOptionType.string: "text",
    AppCommandOptionType.user: "a member",
}


def main() -> None:
    PAGE.write_text(format_page(), encoding="utf-8")


def format_page() -> str:
    """Return the page in Markdown, with a section for each group of commands."""
    return HEAD + "".join(_format_group(group) for group in GROUPS)


def _format_group(group: app_commands.Group) -> str:
    """Return the section of a group, its commands in alphabetical order."""
    text = f"\n## /{group.name}\n{group.description}.\n"
    if group.default_permissions is not None:
        names = [name.replace("_", " ").title() for name, needed in group.default_permissions if needed]
        allowed = ", ".join(names).replace("Manage Guild", "Manage Server")  # Discord's name of the permission
        text += f"Needs the permission *{allowed}*, unless the server's integration settings say otherwise.\n"
    return text + "".join(_format_command(command) for command in list_commands(group).values())


def _format_command(command: Command) -> str:
    """Return the heading and description of a command, and a list of its parameters."""
    text = f"\n### `/{command.qualified_name}`\n{command.description}.\n"
    if command.parameters:
        text += "\n" + "".join(f"{_format_parameter(parameter)}\n" for parameter in command.parameters)
    return text


def _format_parameter(parameter: app_commands.Parameter) -> str:
    """Return the line of a parameter: its name, description, values, and default."""
    facts = ["required"] if parameter.required else []
    if parameter.choices:
        facts.append(" / ".join(choice.name for choice in parameter.choices))
    elif parameter.min_value is not None or parameter.max_value is not None:
        facts.append(_format_range(parameter))
    else:
        facts.append(KINDS[parameter.type])
    if not parameter.required and parameter.default not in (None, "", False):
        names = {choice.value: choice.name for choice in parameter.choices}
        facts.append(f"default: {names.get(parameter.default, parameter.default)}")
    return f"- `{parameter.display_name}`: {parameter.description} ({'; '.join(facts)})"


def _format_range(parameter: app_commands.Parameter) -> str:
    """Return the limits of a number, or of the length of a text."""
    limits = f"{parameter.min_value} to {parameter.max_value}"
    return limits if parameter.type is AppCommandOptionType.integer else f"text of {limits} characters"


if __name__ == "__main__":
    main()
