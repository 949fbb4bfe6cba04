"""The lobby message and the host's setup panel."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Final, get_args

import discord
from discord import ui

from bot.core.formats import clock_terms, moment, pace_text
from bot.core.layout import CALM_COLOUR, GOLD, Item, Press, button, layout, menu, primary, rows, said
from bot.core.names import Names, computer_name
from bot.tables.move_labels import listed, program_options, programs_told, target_text
from bot.tables.rules_text import BETWEEN, differently, offered, option_text, options_text, read_differently, value_name
from bot.tables.service import Table, rules_of
from data.rulebook import games, presets, rules
from data.words import Words, upper_first
from engine.match.rules import Rules
from engine.players.levels import LEVELS
from engine.table.table_events import OF_MATCH
from engine.table.terms import CLASSIC, THEMES, Absent, Terms, parse_pace


def lobby_view(
    table: Table, names: Names, host: str, kept: Mapping[int, str], words: Words, programs: Sequence[str] = ()
) -> ui.LayoutView:
    """Build the lobby message. `kept` has the escaped names for reserved seats, `programs` those of bot programs."""
    terms, rules = table.terms, table.rules
    # With fewer players a sealed deal would be a different deal.
    ready = len(table.seats) >= rules.min_seats and not terms.deal
    lines = [f"## {words('lobby.title', host=host)}", terms_text(terms, words)]
    if terms.options:
        lines.append(words("lobby.options", options=options_text(words, rules, terms.options)))
    if terms.by_hand:
        lines.append(words("lobby.by_hand"))
    if terms.theme != CLASSIC:
        lines.append(words("lobby.theme", theme=words(f"theme.{terms.theme}")))
    if clock := clock_terms(words, table):
        lines.append(clock)
    unrated = unrated_text(words, hints=not terms.deal)
    lines.append(f"{words('lobby.rated')} {words('hint.rated')}" if table.state.rated else unrated)
    if terms.deal:
        lines.append(words("deal.lobby", deal=terms.deal, until=moment(terms.deal_until, "f")))
    if terms.deal.startswith(OF_MATCH):
        lines.append(words("deal.lobby_match", match=terms.deal.removeprefix(OF_MATCH)))
    lines += programs_told(table, names, words)
    if table.state.agreed is not None:
        lines.append(words("lobby.changed", changes=changes_text(table.state.agreed, terms, words)))
    waits = [words("lobby.seat_kept", name=kept[user], until=moment(at, "f")) for user, at in table.guests.kept.items()]
    for seat in range(terms.seats):
        if seat < len(table.seats):
            key = "lobby.seat_host" if table.seats[seat].user_id == table.head.host_id else "lobby.seat"
            lines.append(words(key, number=seat + 1, name=names.safe[seat]))
        else:
            lines.append(f"{seat + 1}. {waits.pop(0) if waits else words('lobby.seat_free')}")
    waits_for = "waiting_all" if terms.deal else "waiting"
    stage = "kept" if kept else "full" if len(table.seats) == terms.seats else "ready" if ready else waits_for
    lines.append(words(f"lobby.{stage}", host=host, names=listed(words, list(kept.values()))))
    match_id = table.head.match_id
    buttons = [
        join_button(table, words("lobby.join")),
        button(words("lobby.leave"), Press("leave", match_id)),
        button(words("lobby.rules"), Press("rules", match_id)),
        primary(words("lobby.start"), Press("start", match_id), disabled=not ready or bool(kept)),
        button(words("lobby.setup"), Press("setup", match_id)),
        *([button(words("lobby.decline"), Press("decline", match_id))] if kept else []),
        button(words("fair.button"), Press("print", match_id)),
    ]
    return layout(
        ui.TextDisplay("\n".join(lines)), *rows(buttons), *_computer_menu(table, words, programs), colour=GOLD
    )


def unrated_text(words: Words, *, hints: bool = True) -> str:
    return f"{words('lobby.unrated')} {words('hint.allowed')}" if hints else words("lobby.unrated")


def _computer_menu(table: Table, words: Words, programs: Sequence[str]) -> list[Item]:
    if len(table.seats) + len(table.guests.kept) >= table.terms.seats:
        return []
    levels = [
        discord.SelectOption(
            label=upper_first(words(f"level.{level}")), value=level, description=words(f"level.{level}_says")
        )
        for level in LEVELS
    ] + program_options(programs, words)
    # The id changes with each seat; otherwise Discord's app keeps the old choice and does not let it be chosen again.
    return [menu(Press("computer", table.head.match_id, len(table.seats)), words("lobby.add_computer"), levels)]


def join_button(table: Table, label: str) -> ui.Button[ui.LayoutView]:
    """Return a button that joins on the terms shown beside it; it is refused once they have changed."""
    press = Press("join", table.head.match_id, table.state.revised)
    return button(label, press, style=discord.ButtonStyle.success)


def invitation(table: Table, mentions: str, host: str, until: int, link: str, words: Words) -> tuple[str, ui.View]:
    view = ui.View(timeout=None)
    view.add_item(join_button(table, words("lobby.accept")))
    view.add_item(button(words("lobby.decline"), Press("decline", table.head.match_id)))
    view.add_item(button(words("lobby.rules"), Press("rules", table.head.match_id)))
    view.stop()
    told = " · ".join([terms_text(table.terms, words), *said_of(table, words)])
    return words("lobby.call", mentions=mentions, host=host, terms=told, until=moment(until, "f"), link=link), view


def said_of(table: Table, words: Words) -> list[str]:
    return [pace_text(words, table.terms.pace), *([] if table.state.rated else [words("setup.unrated")])]


def changes_text(before: Terms, after: Terms, words: Words) -> str:
    """Format the changed terms, each `before → after`; empty if there are none."""
    pairs = zip(_term_texts(before, words), _term_texts(after, words), strict=True)
    return " · ".join(words("lobby.change", before=was, after=now) for was, now in pairs if was != now)


def _term_texts(terms: Terms, words: Words) -> list[str]:
    return [
        words(f"game.{terms.game}"),
        reading_in_full(terms, words),
        target_text(words, rules_of(terms)),
        words("count.seats", n=terms.seats),
        pace_text(words, terms.pace),
        words(f"clock.absent_{terms.absent}"),
        words("setup.rated" if terms.rated else "setup.unrated"),
        words("setup.by_hand" if terms.by_hand else "setup.by_itself"),
        words(f"theme.{terms.theme}"),
    ]


def closed_view(table: Table, reason: str, words: Words) -> ui.LayoutView:
    reopen = button(words("lobby.reopen"), Press("rematch", table.head.match_id))
    return said(f"{terms_text(table.terms, words)}\n{words('lobby.closed', reason=reason)}", reopen, colour=CALM_COLOUR)


def reading_text(terms: Terms, words: Words) -> str:
    preset = words(f"preset.{terms.preset}")
    return words("lobby.preset_changed", preset=preset) if terms.options else preset


def reading_in_full(terms: Terms, words: Words) -> str:
    """Format the reading with all changes: `default rules; Several hexagons at once: in steps`."""
    told = options_text(words, rules_of(terms), terms.options)
    preset = words(f"preset.{terms.preset}")
    return f"{preset}{BETWEEN}{told}" if told else preset


def terms_text(terms: Terms, words: Words) -> str:
    rules, game, preset = rules_of(terms), words(f"game.{terms.game}"), reading_text(terms, words)
    if terms.seats > rules.min_seats and not terms.deal:
        seats = {"least": rules.min_seats, "most": terms.seats}
        return words("lobby.terms_range", game=game, preset=preset, target=target_text(words, rules), **seats)
    return words("lobby.terms", game=game, preset=preset, target=target_text(words, rules), seats=terms.seats)


PAGES: Final = ("game", "rules", "how", "who")  # all menus on one page would fill a phone three times
# Offered beside the table's clock; `/tiles-host setup clock:` takes any.
CLOCKS: Final = ("days 1d", "days 3d", "days 7d", "bank 7d+12h", "live 5m", "relaxed")
RULE: Final = "rule."  # prefix of the argument of a menu that sets a house rule
COMPUTER: Final = "computer."  # prefix of a computer's level in the menu of players to remove
SAYS: Final = 100  # characters of a menu's option and of its description


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
    """Build the host's panel. `kept` has the names for reserved seats, `note` the last change, `rule` the one set."""
    match_id = table.head.match_id
    text = "\n".join([words("setup.title"), terms_text(table.terms, words), *([note] if note else [])])
    tabs = [
        (primary if page == one else button)(words(f"setup.page_{one}"), Press("setup", match_id, argument=one))
        for one in PAGES
    ]
    match page:
        case "rules":
            items = _rule_menus(table, words, rule)
        case "how":
            items = _option_menus(table, themes, words)
        case "who":
            items = _player_menus(table, names, kept, words)
        case _:
            items = _game_menus(table, words)
    return layout(ui.TextDisplay(text), *rows(tabs), *items)


def _game_menus(table: Table, words: Words) -> list[Item]:
    terms = table.terms
    usual = rules(terms.game, terms.preset)
    names = [(one, *_game_says(rules(one), words)) for one in games()]
    readings = [
        (one, upper_first(words(f"preset.{one}")), _preset_says(terms.game, one, words)) for one in presets(terms.game)
    ]
    targets = [(str(one), *_target_says(one, usual, words)) for one in _targets(usual.target, terms.target)]
    seats = [
        (str(one), words("count.seats", n=one), words("setup.seats_says", n=one - 1))
        for one in range(usual.min_seats, usual.max_seats + 1)
    ]
    return [
        *_menu(table, "game", words, names, terms.game),
        *_menu(table, "preset", words, readings, terms.preset),
        *_menu(table, "target", words, targets, str(terms.target)),
        *_menu(table, "seats", words, seats, str(terms.seats)),
    ]


def _rule_menus(table: Table, words: Words, rule: str) -> list[Item]:
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


def _option_menus(table: Table, themes: Sequence[str], words: Words) -> list[Item]:
    terms = table.terms
    paces = {one: parse_pace(one) for one in (terms.clock, *CLOCKS)}
    clocks = [(one, pace_text(words, pace), f"setup.clock_{pace.kind}") for one, pace in paces.items()]
    absences = [(one, words(f"clock.absent_{one}"), f"setup.absent_{one}") for one in get_args(Absent)]
    rated = [("yes", words("setup.rated"), "setup.rated_says"), ("no", words("setup.unrated"), "setup.unrated_says")]
    hands = [
        ("no", words("setup.by_itself"), "setup.by_itself_says"),
        ("yes", words("setup.by_hand"), "setup.by_hand_says"),
    ]
    looks = [
        (one, words("setup.theme", theme=words(f"theme.{one}")), f"setup.theme_{one}")
        for one in THEMES
        if one in (*themes, terms.theme)
    ]
    menus = (
        ("clock", clocks, terms.clock),
        ("absent", absences, terms.absent),
        ("rated", rated, "yes" if terms.rated else "no"),
        ("hand", hands, "yes" if terms.by_hand else "no"),
        ("theme", looks, terms.theme),
    )
    items: list[Item] = []
    for field, options, now in menus:
        named = [(one, upper_first(name), words(says)) for one, name, says in options]
        items += _menu(table, field, words, named, now)
    return items


def _player_menus(table: Table, names: Names, kept: Mapping[int, str], words: Words) -> list[Item]:
    match_id = table.head.match_id
    free = table.terms.seats - len(table.seats) - len(kept)
    items: list[Item] = []
    if free > 0:
        press, hint = str(Press("keep", match_id)), words("setup.keep")[:150]
        items.append(ui.ActionRow(ui.UserSelect(custom_id=press, placeholder=hint, max_values=min(free, 25))))
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
    told = changes_text(before.terms, table.terms, words)
    return words("setup.changed", changes=told) if told else words("setup.same")


def _menu(table: Table, field: str, words: Words, options: Iterable[tuple[str, str, str]], now: str) -> list[Item]:
    """Return a titled menu: the selected option hides its placeholder."""
    press, name = Press("set", table.head.match_id, argument=field), words(f"setup.menu_{field}")
    return [ui.TextDisplay(f"-# {name}"), menu(press, name, _options(options, now))]


def _options(options: Iterable[tuple[str, str, str]], now: str | None) -> list[discord.SelectOption]:
    return [
        discord.SelectOption(label=name[:SAYS], value=value, description=_shorten(says), default=value == now)
        for value, name, says in options
    ]


def _shorten(text: str) -> str:
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
    offered = {usual // 2, usual, usual * 3 // 2} if usual else {0, 50, 100, 200}
    return sorted(offered | {now})


def _target_says(target: int, usual: Rules, words: Words) -> tuple[str, str]:
    name = upper_first(words("board.target", target=target) if target else words("board.one_deal"))
    if target == usual.target:
        return name, words("setup.target_usual")
    how = "deals" if not usual.target else "short" if target < usual.target else "long"
    return name, words(f"setup.target_{how}")
