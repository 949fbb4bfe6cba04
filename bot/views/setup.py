"""What the host of a lobby sees alone: menus for all that a table can be, and for who plays at it."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Final, get_args

import discord
from discord import ui

from bot.service.tables import Table, rules_of
from bot.views.lobby import changes_text, terms_text
from bot.views.names import Names, computer_name
from bot.views.parts import Item, Press, button, layout, menu, primary, rows
from bot.views.readings import offered, option_text, value_name
from bot.views.rules import differently, read_differently
from bot.views.sentences import target_text
from bot.views.times import pace_text
from data.rulebook import games, presets, rules
from data.words import Words, upper_first
from engine.rules import Rules
from engine.table.pace import parse_pace
from engine.table.terms import THEMES, Absent

PAGES: Final = ("game", "rules", "how", "who")
"""Pages of menus: all of them on one would fill a phone three times."""

CLOCKS: Final = ("days 1d", "days 3d", "days 7d", "bank 7d+12h", "live 5m", "relaxed")
"""What the menu offers beside the clock that the table has; `/tiles-host setup clock:` takes any."""

RULE: Final = "rule."
"""What the argument of a menu begins with that sets a single rule."""

COMPUTER: Final = "computer."
"""What stands before the level of a computer in the menu of those who can be taken off the table."""

SAYS: Final = 100
"""The characters of a menu's option, and of the sentence under it."""


def setup_view(
    table: Table,
    names: Names,
    kept: Mapping[int, str],
    themes: Sequence[str],
    words: Words,
    *,
    page: str,
    note: str,
    rule: str = "",
) -> ui.LayoutView:
    """The panel. `kept` has the names of those for whom seats are kept, `note` is what has just been done; `rule` is
    the single rule that was chosen to be set.
    """
    match_id = table.head.match_id
    text = "\n".join([words("setup.title"), terms_text(table.terms, words), *([note] if note else [])])
    tabs = [
        (primary if page == one else button)(words(f"setup.page_{one}"), Press("setup", match_id, argument=one))
        for one in PAGES
    ]
    match page:
        case "rules":
            items = _rules(table, words, rule)
        case "how":
            items = _how(table, themes, words)
        case "who":
            items = _who(table, names, kept, words)
        case _:
            items = _game(table, words)
    return layout(ui.TextDisplay(text), *rows(tabs), *items)


def _game(table: Table, words: Words) -> list[Item]:
    terms = table.terms
    usual = rules(terms.game, terms.preset)
    numbers = range(usual.min_seats, usual.max_seats + 1)
    return [
        *_menu(table, "game", words, [(one, *_game_says(rules(one), words)) for one in games()], terms.game),
        *_menu(
            table,
            "preset",
            words,
            [
                (one, upper_first(words(f"preset.{one}")), _preset_says(terms.game, one, words))
                for one in presets(terms.game)
            ],
            terms.preset,
        ),
        *_menu(
            table,
            "target",
            words,
            [(str(one), *_target_says(one, usual, words)) for one in _targets(usual.target, terms.target)],
            str(terms.target),
        ),
        *_menu(
            table,
            "seats",
            words,
            [(str(one), words("count.seats", n=one), words("setup.seats_says", n=one - 1)) for one in numbers],
            str(terms.seats),
        ),
    ]


def _rules(table: Table, words: Words, rule: str) -> list[Item]:
    """A menu of all single rules as they stand, and one of what the chosen one can be."""
    playing, match_id = rules_of(table.terms), table.head.match_id
    ways = offered(playing)
    listed = [
        (name, option_text(words, playing, name, str(getattr(playing, name))), words(f"rulesays.{name}"))
        for name in ways
    ]
    picked = rule if rule in ways else None
    name = words("setup.menu_rule")
    items: list[Item] = [ui.TextDisplay(f"-# {name}"), menu(Press("rule", match_id), name, _options(listed, picked))]
    if picked is None:
        return items
    usual = str(getattr(rules(table.terms.game, table.terms.preset), picked))
    values = [
        (
            value,
            upper_first(value_name(words, playing, picked, value)),
            words("setup.as_usual") if value == usual else read_differently(playing, picked, value, words),
        )
        for value in ways[picked]
    ]
    now = str(getattr(playing, picked))
    told = [f"-# {words(f'rule.{picked}')}", f"-# {words(f'rulesays.{picked}')}"]
    press = Press("set", match_id, argument=f"{RULE}{picked}")
    return [*items, ui.TextDisplay("\n".join(told)), menu(press, words(f"rule.{picked}"), _options(values, now))]


def _how(table: Table, themes: Sequence[str], words: Words) -> list[Item]:
    terms = table.terms
    clocks = list(dict.fromkeys([terms.clock, *CLOCKS]))
    yes_no = {True: "yes", False: "no"}
    return [
        *_menu(
            table,
            "clock",
            words,
            [
                (one, upper_first(pace_text(words, parse_pace(one))), words(f"setup.clock_{parse_pace(one).kind}"))
                for one in clocks
            ],
            terms.clock,
        ),
        *_menu(
            table,
            "absent",
            words,
            [
                (one, upper_first(words(f"clock.absent_{one}")), words(f"setup.absent_{one}"))
                for one in get_args(Absent)
            ],
            terms.absent,
        ),
        *_menu(
            table,
            "rated",
            words,
            [
                ("yes", upper_first(words("setup.rated")), words("setup.rated_says")),
                ("no", upper_first(words("setup.unrated")), words("setup.unrated_says")),
            ],
            yes_no[terms.rated],
        ),
        *_menu(
            table,
            "hand",
            words,
            [
                ("no", upper_first(words("setup.by_itself")), words("setup.by_itself_says")),
                ("yes", upper_first(words("setup.by_hand")), words("setup.by_hand_says")),
            ],
            yes_no[terms.by_hand],
        ),
        *_menu(
            table,
            "theme",
            words,
            [
                (one, words("setup.theme", theme=words(f"theme.{one}")), words(f"setup.theme_{one}"))
                for one in THEMES
                if one in (*themes, terms.theme)
            ],
            terms.theme,
        ),
    ]


def _who(table: Table, names: Names, kept: Mapping[int, str], words: Words) -> list[Item]:
    match_id = table.head.match_id
    free = table.terms.seats - len(table.seats) - len(kept)
    items: list[Item] = []
    if free > 0:
        row: ui.ActionRow[ui.LayoutView] = ui.ActionRow()
        most = min(free, 25)
        row.add_item(
            ui.UserSelect(
                custom_id=str(Press("keep", match_id)), placeholder=words("setup.keep")[:150], max_values=most
            )
        )
        items.append(row)
    off = [(str(user), name, words("setup.off_kept")) for user, name in kept.items()]
    off += [
        (str(row.user_id), names.plain[row.seat], words("setup.off_person"))
        for row in table.seats
        if row.user_id is not None and row.user_id != table.head.host_id
    ]
    levels = dict.fromkeys(row.computer for row in table.seats if row.computer is not None)
    off += [(f"{COMPUTER}{level}", computer_name(level, words), words("setup.off_computer")) for level in levels]
    if off:
        items.append(menu(Press("off", match_id), words("setup.off"), _options(off, None)))
    buttons = [
        *([button(words("setup.open"), Press("open", match_id))] if kept else []),
        button(words("setup.close"), Press("close", match_id), style=discord.ButtonStyle.danger),
    ]
    return [*items, *rows(buttons)]


def change_note(table: Table, before: Table, words: Words) -> str:
    """What a change of the terms has changed, for whoever made it."""
    told = changes_text(before.terms, table.terms, words)
    return words("setup.changed", changes=told) if told else words("setup.same")


def _menu(table: Table, field: str, words: Words, options: Iterable[tuple[str, str, str]], now: str) -> list[Item]:
    """A menu under its name: what is chosen in it stands in the place of a placeholder."""
    press, name = Press("set", table.head.match_id, argument=field), words(f"setup.menu_{field}")
    return [ui.TextDisplay(f"-# {name}"), menu(press, name, _options(options, now))]


def _options(options: Iterable[tuple[str, str, str]], now: str | None) -> list[discord.SelectOption]:
    return [
        discord.SelectOption(label=name[:SAYS], value=value, description=_short(says), default=value == now)
        for value, name, says in options
    ]


def _short(text: str) -> str:
    if len(text) <= SAYS:
        return text
    whole, _, _ = text[: SAYS - 1].rpartition(" ")
    return f"{whole.rstrip('.,;:')}…"


def _game_says(playing: Rules, words: Words) -> tuple[str, str]:
    target = target_text(words, playing)
    says = words("setup.game_says", least=playing.min_seats, most=playing.max_seats, target=target)
    return words(f"game.{playing.game}"), says


def _preset_says(game: str, preset: str, words: Words) -> str:
    told = differently(rules(game, preset), words)
    if rules(game, preset).target != rules(game).target:
        told.append(upper_first(words("setup.preset_target", target=target_text(words, rules(game, preset)))))
    return " ".join(told) or words("setup.preset_usual")


def _targets(usual: int, now: int) -> list[int]:
    """The usual target, shorter and longer ones, and what the table has."""
    offered = {usual // 2, usual, usual * 3 // 2} if usual else {0, 50, 100, 200}
    return sorted(offered | {now})


def _target_says(target: int, usual: Rules, words: Words) -> tuple[str, str]:
    name = upper_first(words("board.target", target=target) if target else words("board.one_deal"))
    how = (
        "usual"
        if target == usual.target
        else "deals"
        if not usual.target
        else "short"
        if target < usual.target
        else "long"
    )
    return name, words(f"setup.target_{how}")
