"""The lobby message and the host's setup panel."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Final, get_args

import discord
from discord import ui

from bot.core.formats import format_clock_terms, format_pace
from bot.core.layout import (
    CALM_COLOUR,
    GOLD,
    CustomId,
    Item,
    build_button,
    build_layout,
    build_menu,
    build_plain_view,
    build_primary_button,
    build_rows,
    build_text_view,
    format_timestamp,
)
from bot.core.names import SeatNames, format_computer_name
from bot.tables.move_labels import build_program_options, format_list, format_programs, format_target
from bot.tables.rules_text import (
    OPTION_SEPARATOR,
    format_difference,
    format_differences,
    format_option,
    format_options,
    format_value,
    list_offered_values,
)
from bot.tables.service import Table, build_rules
from data.rulebook import list_games, list_presets, load_rules
from data.words import Words, capitalize_first
from engine.match.rules import Rules
from engine.players.levels import LEVELS
from engine.table.table_events import MATCH_DEAL_PREFIX
from engine.table.terms import CLASSIC, THEMES, AbsenceRule, Terms, parse_pace


def build_lobby_view(
    table: Table,
    names: SeatNames,
    host: str,
    reserved_names: Mapping[int, str],
    words: Words,
    programs: Sequence[str] = (),
) -> ui.LayoutView:
    """Build the lobby message. `reserved_names` has the escaped names for reserved seats, `programs` those of bot
    programs.
    """
    terms, rules = table.terms, table.rules
    # With fewer players a sealed deal would be a different deal.
    ready = len(table.seats) >= rules.min_seats and not terms.deal
    lines = [f"## {words('lobby.title', host=host)}", format_terms(terms, words)]
    if terms.options:
        lines.append(words("lobby.options", options=format_options(words, rules, terms.options)))
    if terms.by_hand:
        lines.append(words("lobby.by_hand"))
    if terms.theme != CLASSIC:
        lines.append(words("lobby.theme", theme=words(f"theme.{terms.theme}")))
    if clock := format_clock_terms(words, table):
        lines.append(clock)
    unrated = format_unrated(words, hints=not terms.deal)
    lines.append(f"{words('lobby.rated')} {words('hint.rated')}" if table.state.is_rated else unrated)
    if terms.deal:
        lines.append(words("deal.lobby", deal=terms.deal, until=format_timestamp(terms.deal_until, "f")))
    if terms.deal.startswith(MATCH_DEAL_PREFIX):
        lines.append(words("deal.lobby_match", match=terms.deal.removeprefix(MATCH_DEAL_PREFIX)))
    lines += format_programs(table, names, words)
    if table.state.previous_terms is not None:
        lines.append(words("lobby.changed", changes=format_changes(table.state.previous_terms, terms, words)))
    reserved_lines = [
        words("lobby.seat_kept", name=reserved_names[user], until=format_timestamp(at, "f"))
        for user, at in table.guests.reserved_until.items()
    ]
    for seat in range(terms.seats):
        if seat < len(table.seats):
            key = "lobby.seat_host" if table.seats[seat].user_id == table.head.host_id else "lobby.seat"
            lines.append(words(key, number=seat + 1, name=names.escaped[seat]))
        else:
            lines.append(f"{seat + 1}. {reserved_lines.pop(0) if reserved_lines else words('lobby.seat_free')}")
    waiting_key = "ready" if ready else "waiting_all" if terms.deal else "waiting"
    stage = "kept" if reserved_names else "full" if len(table.seats) == terms.seats else waiting_key
    lines.append(words(f"lobby.{stage}", host=host, names=format_list(words, list(reserved_names.values()))))
    match_id, is_startable = table.head.match_id, ready and not reserved_names
    buttons = [
        build_join_button(table, words("lobby.join")),
        build_button(words("lobby.leave"), CustomId("leave", match_id)),
        build_button(words("lobby.rules"), CustomId("rules", match_id)),
        build_primary_button(words("lobby.start"), CustomId("start", match_id), disabled=not is_startable),
        build_button(words("lobby.setup"), CustomId("setup", match_id)),
        *([build_button(words("lobby.decline"), CustomId("decline", match_id))] if reserved_names else []),
        build_button(words("fair.button"), CustomId("print", match_id)),
    ]
    items = [*build_rows(buttons), *_build_computer_menu(table, words, programs)]
    return build_layout(ui.TextDisplay("\n".join(lines)), *items, colour=GOLD)


def format_unrated(words: Words, *, hints: bool = True) -> str:
    return f"{words('lobby.unrated')} {words('hint.allowed')}" if hints else words("lobby.unrated")


def _build_computer_menu(table: Table, words: Words, programs: Sequence[str]) -> list[Item]:
    if len(table.seats) + len(table.guests.reserved_until) >= table.terms.seats:
        return []
    named = [(level, capitalize_first(words(f"level.{level}")), words(f"level.{level}_says")) for level in LEVELS]
    levels = [*_build_options(named, None), *build_program_options(programs, words)]
    # The id changes with each seat; otherwise Discord's app keeps the old choice and does not let it be chosen again.
    press = CustomId("computer", table.head.match_id, len(table.seats))
    return [build_menu(press, words("lobby.add_computer"), levels)]


def build_join_button(table: Table, label: str) -> ui.Button[ui.LayoutView]:
    """Return a button that joins on the terms shown beside it; it is refused once they have changed."""
    press = CustomId("join", table.head.match_id, table.state.revised_seq)
    return build_button(label, press, style=discord.ButtonStyle.success)


def build_invitation(
    table: Table, mentions: str, host: str, until: int, link: str, words: Words
) -> tuple[str, ui.View]:
    decline = build_button(words("lobby.decline"), CustomId("decline", table.head.match_id))
    rules = build_button(words("lobby.rules"), CustomId("rules", table.head.match_id))
    facts = {"mentions": mentions, "host": host, "until": format_timestamp(until, "f"), "link": link}
    facts["terms"] = " · ".join([format_terms(table.terms, words), *list_extra_terms(table, words)])
    view = build_plain_view(build_join_button(table, words("lobby.accept")), decline, rules)
    return words("lobby.call", **facts), view


def list_extra_terms(table: Table, words: Words) -> list[str]:
    return [format_pace(words, table.terms.pace), *([] if table.state.is_rated else [words("setup.unrated")])]


def format_changes(before: Terms, after: Terms, words: Words) -> str:
    """Format the changed terms, each `before → after`; empty if there are none."""
    pairs = zip(_list_term_texts(before, words), _list_term_texts(after, words), strict=True)
    return " · ".join(words("lobby.change", before=was, after=now) for was, now in pairs if was != now)


def _list_term_texts(terms: Terms, words: Words) -> list[str]:
    return [
        words(f"game.{terms.game}"),
        format_full_reading(terms, words),
        format_target(words, build_rules(terms)),
        words("count.seats", n=terms.seats),
        format_pace(words, terms.pace),
        words(f"clock.absent_{terms.absent}"),
        words("setup.rated" if terms.rated else "setup.unrated"),
        words("setup.by_hand" if terms.by_hand else "setup.by_itself"),
        words(f"theme.{terms.theme}"),
    ]


def build_closed_view(table: Table, reason: str, words: Words) -> ui.LayoutView:
    reopen = build_button(words("lobby.reopen"), CustomId("rematch", table.head.match_id))
    text = f"{format_terms(table.terms, words)}\n{words('lobby.closed', reason=reason)}"
    return build_text_view(text, reopen, colour=CALM_COLOUR)


def format_reading(terms: Terms, words: Words) -> str:
    preset = words(f"preset.{terms.preset}")
    return words("lobby.preset_changed", preset=preset) if terms.options else preset


def format_full_reading(terms: Terms, words: Words) -> str:
    """Format the reading with all changes: `default rules; Several hexagons at once: in steps`."""
    options = format_options(words, build_rules(terms), terms.options)
    preset = words(f"preset.{terms.preset}")
    return f"{preset}{OPTION_SEPARATOR}{options}" if options else preset


def format_terms(terms: Terms, words: Words) -> str:
    rules = build_rules(terms)
    facts = {"game": words(f"game.{terms.game}"), "preset": format_reading(terms, words)}
    facts["target"] = format_target(words, rules)
    if terms.seats > rules.min_seats and not terms.deal:
        return words("lobby.terms_range", **facts, least=rules.min_seats, most=terms.seats)
    return words("lobby.terms", **facts, seats=terms.seats)


PAGES: Final = ("game", "rules", "how", "who")  # all menus on one page would fill a phone three times
# Offered beside the table's clock; `/tiles-host setup clock:` takes any.
CLOCKS: Final = ("days 1d", "days 3d", "days 7d", "bank 7d+12h", "live 5m", "relaxed")
RULE_PREFIX: Final = "rule."  # prefix of the argument of a menu that sets a house rule
COMPUTER_PREFIX: Final = "computer."  # prefix of a computer's level in the menu of players to remove
MAX_OPTION_LENGTH: Final = 100  # characters of a menu's option and of its description


def build_setup_view(
    table: Table,
    names: SeatNames,
    reserved_names: Mapping[int, str],
    themes: Sequence[str],
    words: Words,
    *,
    page: str,
    note: str,
    rule: str = "",
) -> ui.LayoutView:
    """Build the host's panel. `reserved_names` has the names for reserved seats, `note` the last change, `rule` the
    one set.
    """
    match_id = table.head.match_id
    text = "\n".join([words("setup.title"), format_terms(table.terms, words), *([note] if note else [])])
    tabs = []
    for one in PAGES:
        build_tab = build_primary_button if page == one else build_button
        tabs.append(build_tab(words(f"setup.page_{one}"), CustomId("setup", match_id, argument=one)))
    match page:
        case "rules":
            items = _build_rule_menus(table, words, rule)
        case "how":
            items = _build_option_menus(table, themes, words)
        case "who":
            items = _build_player_menus(table, names, reserved_names, words)
        case _:
            items = _build_game_menus(table, words)
    return build_layout(ui.TextDisplay(text), *build_rows(tabs), *items)


def _build_game_menus(table: Table, words: Words) -> list[Item]:
    terms = table.terms
    usual = load_rules(terms.game, terms.preset)
    names = [(one, *_describe_game(load_rules(one), words)) for one in list_games()]
    readings = [(one, *_describe_preset(terms.game, one, words)) for one in list_presets(terms.game)]
    targets = [(str(one), *_describe_target(one, usual, words)) for one in _list_targets(usual.target, terms.target)]
    counts = range(usual.min_seats, usual.max_seats + 1)
    seats = [(str(one), words("count.seats", n=one), words("setup.seats_says", n=one - 1)) for one in counts]
    return [
        *_build_menu(table, "game", words, names, terms.game),
        *_build_menu(table, "preset", words, readings, terms.preset),
        *([] if build_rules(terms).rounds else _build_menu(table, "target", words, targets, str(terms.target))),
        *_build_menu(table, "seats", words, seats, str(terms.seats)),
    ]


def _build_rule_menus(table: Table, words: Words, rule: str) -> list[Item]:
    playing, match_id = build_rules(table.terms), table.head.match_id
    values_by_rule = list_offered_values(playing, table.terms.seats)
    listed = []
    for name in values_by_rule:
        title = format_option(words, playing, name, str(getattr(playing, name)))
        listed.append((name, title, words(f"rulesays.{name}")))
    picked, title = rule if rule in values_by_rule else None, words("setup.menu_rule")
    menu: Item = build_menu(CustomId("rule", match_id), title, _build_options(listed, picked))
    items: list[Item] = [ui.TextDisplay(f"-# {title}"), menu]
    if picked is None:
        return items
    usual, values = str(getattr(load_rules(table.terms.game, table.terms.preset), picked)), []
    for value in values_by_rule[picked]:
        about = words("setup.as_usual") if value == usual else format_difference(playing, picked, value, words)
        values.append((value, capitalize_first(format_value(words, playing, picked, value)), about))
    options = _build_options(values, str(getattr(playing, picked)))
    items.append(ui.TextDisplay(f"-# {words(f'rule.{picked}')}\n-# {words(f'rulesays.{picked}')}"))
    press = CustomId("set", match_id, argument=f"{RULE_PREFIX}{picked}")
    return [*items, build_menu(press, words(f"rule.{picked}"), options)]


def _build_option_menus(table: Table, themes: Sequence[str], words: Words) -> list[Item]:
    terms = table.terms
    paces = {one: parse_pace(one) for one in (terms.clock, *CLOCKS)}
    clocks = [(one, format_pace(words, pace), f"setup.clock_{pace.kind}") for one, pace in paces.items()]
    absences = [(one, words(f"clock.absent_{one}"), f"setup.absent_{one}") for one in get_args(AbsenceRule)]
    rated = [(one, words(f"setup.{key}"), f"setup.{key}_says") for one, key in (("yes", "rated"), ("no", "unrated"))]
    hands = [
        (one, words(f"setup.{key}"), f"setup.{key}_says") for one, key in (("no", "by_itself"), ("yes", "by_hand"))
    ]
    offered = {one: words(f"theme.{one}") for one in THEMES if one in (*themes, terms.theme)}
    looks = [(one, words("setup.theme", theme=theme), f"setup.theme_{one}") for one, theme in offered.items()]
    menus = (
        ("clock", clocks, terms.clock),
        ("absent", absences, terms.absent),
        ("rated", rated, "yes" if terms.rated else "no"),
        ("hand", hands, "yes" if terms.by_hand else "no"),
        ("theme", looks, terms.theme),
    )
    items: list[Item] = []
    for field, options, now in menus:
        named = [(one, capitalize_first(name), words(says)) for one, name, says in options]
        items += _build_menu(table, field, words, named, now)
    return items


def _build_player_menus(table: Table, names: SeatNames, reserved_names: Mapping[int, str], words: Words) -> list[Item]:
    match_id = table.head.match_id
    free = table.terms.seats - len(table.seats) - len(reserved_names)
    items: list[Item] = []
    if free > 0:
        press, hint = str(CustomId("keep", match_id)), words("setup.keep")[:150]
        items.append(ui.ActionRow(ui.UserSelect(custom_id=press, placeholder=hint, max_values=min(free, 25))))
    removable = [(str(user), name, words("setup.off_kept")) for user, name in reserved_names.items()]
    removable += [
        (str(row.user_id), names.plain[row.seat], words("setup.off_person"))
        for row in table.seats
        if row.user_id is not None and row.user_id != table.head.host_id
    ]
    for level in dict.fromkeys(row.computer for row in table.seats if row.computer is not None):
        name = format_computer_name(level, words)
        removable.append((f"{COMPUTER_PREFIX}{level}", name, words("setup.off_computer")))
    if removable:
        items.append(build_menu(CustomId("off", match_id), words("setup.off"), _build_options(removable, None)))
    buttons = [
        *([build_button(words("setup.open"), CustomId("open", match_id))] if reserved_names else []),
        build_button(words("setup.close"), CustomId("close", match_id), style=discord.ButtonStyle.danger),
    ]
    return [*items, *build_rows(buttons)]


def format_change_note(table: Table, before: Table, words: Words) -> str:
    changes = format_changes(before.terms, table.terms, words)
    return words("setup.changed", changes=changes) if changes else words("setup.same")


def _build_menu(
    table: Table, field: str, words: Words, options: Iterable[tuple[str, str, str]], now: str
) -> list[Item]:
    """Return a titled menu: the selected option hides its placeholder."""
    press, name = CustomId("set", table.head.match_id, argument=field), words(f"setup.menu_{field}")
    return [ui.TextDisplay(f"-# {name}"), build_menu(press, name, _build_options(options, now))]


def _build_options(options: Iterable[tuple[str, str, str]], now: str | None) -> list[discord.SelectOption]:
    return [
        discord.SelectOption(
            label=name[:MAX_OPTION_LENGTH], value=value, description=_shorten(description), default=value == now
        )
        for value, name, description in options
    ]


def _shorten(text: str) -> str:
    if len(text) <= MAX_OPTION_LENGTH:
        return text
    whole, _, _ = text[: MAX_OPTION_LENGTH - 1].rpartition(" ")
    return f"{whole.rstrip('.,;:')}…"


def _describe_game(playing: Rules, words: Words) -> tuple[str, str]:
    target = format_target(words, playing)
    description = words("setup.game_says", least=playing.min_seats, most=playing.max_seats, target=target)
    return words(f"game.{playing.game}"), description


def _describe_preset(game: str, preset: str, words: Words) -> tuple[str, str]:
    rules = load_rules(game, preset)
    differences = format_differences(rules, words)
    if rules.target != load_rules(game).target and not rules.rounds:
        differences.append(capitalize_first(words("setup.preset_target", target=format_target(words, rules))))
    return capitalize_first(words(f"preset.{preset}")), " ".join(differences) or words("setup.preset_usual")


def _list_targets(usual: int, now: int) -> list[int]:
    offered = {usual // 2, usual, usual * 3 // 2} if usual else {0, 50, 100, 200}
    return sorted(offered | {now})


def _describe_target(target: int, usual: Rules, words: Words) -> tuple[str, str]:
    name = capitalize_first(words("board.target", target=target) if target else words("board.one_deal"))
    if target == usual.target:
        return name, words("setup.target_usual")
    how = "deals" if not usual.target else "short" if target < usual.target else "long"
    return name, words(f"setup.target_{how}")
