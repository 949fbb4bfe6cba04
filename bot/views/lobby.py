"""The table before the match: who sits where, and what the match will be."""

from collections.abc import Mapping, Sequence

import discord
from discord import ui

from bot.service.tables import Table, rules_of
from bot.views.names import Names
from bot.views.parts import CALM_COLOUR, GOLD, Item, Press, button, layout, menu, primary, rows, said
from bot.views.programs import program_options, programs_told
from bot.views.readings import BETWEEN, options_text
from bot.views.sentences import listed, target_text
from bot.views.times import clock_terms, moment, pace_text
from data.words import Words, upper_first
from engine.players.levels import LEVELS
from engine.table.sealed import OF_MATCH
from engine.table.terms import CLASSIC, Terms


def lobby_view(
    table: Table,
    names: Names,
    host: str,
    kept: Mapping[int, str],
    words: Words,
    programs: Sequence[str] = (),
) -> ui.LayoutView:
    """The lobby message. `kept` has the escaped names of those for whom seats are kept, `programs` what other people's
    are called that may be seated.
    """
    terms, rules = table.terms, table.rules
    # With fewer people a sealed deal would be another one.
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
    return layout(ui.TextDisplay("\n".join(lines)), *rows(buttons), *_computers(table, words, programs), colour=GOLD)


def unrated_text(words: Words, *, hints: bool = True) -> str:
    """That no rating changes, and whether one may ask what to play."""
    return f"{words('lobby.unrated')} {words('hint.allowed')}" if hints else words("lobby.unrated")


def _computers(table: Table, words: Words, programs: Sequence[str]) -> list[Item]:
    """The menu that puts a computer on a seat, while one is free."""
    if len(table.seats) + len(table.guests.kept) >= table.terms.seats:
        return []
    levels = [
        discord.SelectOption(
            label=upper_first(words(f"level.{level}")), value=level, description=words(f"level.{level}_says")
        )
        for level in LEVELS
    ] + program_options(programs, words)
    # With another id each time somebody sits down: Discord's app would go on showing what was chosen, and would not
    # let it be chosen again.
    return [menu(Press("computer", table.head.match_id, len(table.seats)), words("lobby.add_computer"), levels)]


def join_button(table: Table, label: str) -> ui.Button[ui.LayoutView]:
    """Sits down on the terms that are shown beside it: once they are others, the press is refused."""
    press = Press("join", table.head.match_id, table.state.revised)
    return button(label, press, style=discord.ButtonStyle.success)


def invitation(table: Table, mentions: str, host: str, until: int, link: str, words: Words) -> tuple[str, ui.View]:
    """The message that calls people to the seats that are kept for them."""
    view = ui.View(timeout=None)
    view.add_item(join_button(table, words("lobby.accept")))
    view.add_item(button(words("lobby.decline"), Press("decline", table.head.match_id)))
    view.add_item(button(words("lobby.rules"), Press("rules", table.head.match_id)))
    view.stop()
    told = " · ".join([terms_text(table.terms, words), *said_of(table, words)])
    return words("lobby.call", mentions=mentions, host=host, terms=told, until=moment(until, "f"), link=link), view


def said_of(table: Table, words: Words) -> list[str]:
    """The clock, and whether it counts, in short."""
    return [pace_text(words, table.terms.pace), *([] if table.state.rated else [words("setup.unrated")])]


def changes_text(before: Terms, after: Terms, words: Words) -> str:
    """What is different now, each `before → after`; empty where nothing is."""
    pairs = zip(_parts(before, words), _parts(after, words), strict=True)
    return " · ".join(words("lobby.change", before=was, after=now) for was, now in pairs if was != now)


def _parts(terms: Terms, words: Words) -> list[str]:
    """Every term in a few words of its own."""
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
    """What is left of a lobby in which no match began."""
    reopen = button(words("lobby.reopen"), Press("rematch", table.head.match_id))
    return said(f"{terms_text(table.terms, words)}\n{words('lobby.closed', reason=reason)}", reopen, colour=CALM_COLOUR)


def reading_text(terms: Terms, words: Words) -> str:
    """Whose reading of the rules is played, and whether single rules are changed."""
    preset = words(f"preset.{terms.preset}")
    return words("lobby.preset_changed", preset=preset) if terms.options else preset


def reading_in_full(terms: Terms, words: Words) -> str:
    """The same with all that is changed: `default rules; Several hexagons at once: in steps`."""
    told = options_text(words, rules_of(terms), terms.options)
    preset = words(f"preset.{terms.preset}")
    return f"{preset}{BETWEEN}{told}" if told else preset


def terms_text(terms: Terms, words: Words) -> str:
    """The game, its reading, the target and the seats, on one line."""
    rules, game, preset = rules_of(terms), words(f"game.{terms.game}"), reading_text(terms, words)
    if terms.seats > rules.min_seats and not terms.deal:
        return words(
            "lobby.terms_range",
            game=game,
            preset=preset,
            target=target_text(words, rules),
            least=rules.min_seats,
            most=terms.seats,
        )
    return words("lobby.terms", game=game, preset=preset, target=target_text(words, rules), seats=terms.seats)
