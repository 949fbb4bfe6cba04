"""The views of leaderboards, records, profile cards, and two players compared."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from discord import ui

from bot.core.layout import (
    CALM_COLOUR,
    CustomId,
    Item,
    build_button,
    build_layout,
    build_menu,
    build_page_buttons,
    build_rows,
    build_select_options,
)
from bot.core.pictures import build_gallery
from bot.tables.move_labels import clip_text, format_number, format_point_count, format_points
from bot.tables.ratings import compute_points, format_certainty
from data.rulebook import list_games, load_rules
from data.store.profiles.store import Rivalry
from data.store.results.bests import Best, RecordLine
from data.store.results.scores import MIN_OPPONENTS, LeaderboardPage, LeaderRow, Profile, Result
from data.words import Words
from render.canvas.graph import Graph, ResultMark
from render.canvas.picture import Picture
from render.profiles.picture import render_profile_card


@dataclass(frozen=True, slots=True)
class LeaderboardQuery:
    """The part of a leaderboard that is shown."""

    game: str
    server: bool  # this server only, else all servers
    month: bool  # the last 30 days only, else all time
    page: int  # from 0

    def __str__(self) -> str:
        return f"{self.game}.{'server' if self.server else 'all'}.{'month' if self.month else 'ever'}.{self.page}"

    def build_id(self) -> CustomId:
        return CustomId("leaders", argument=str(self))


def parse_query(text: str) -> LeaderboardQuery | None:
    """Parse a button's argument; None if it is not ours."""
    parts = text.split(".")
    if len(parts) != 4 or parts[0] not in list_games() or not parts[3].isdecimal():
        return None
    return LeaderboardQuery(parts[0], parts[1] == "server", parts[2] == "month", min(int(parts[3]), 1_000_000))


def build_leaderboard_view(
    query: LeaderboardQuery, page: LeaderboardPage, own_row: LeaderRow | None, names: Mapping[int, str], words: Words
) -> ui.LayoutView:
    first = replace(query, page=0)
    games = {replace(first, game=game): words(f"game.{game}") for game in list_games()}
    scopes = {
        replace(first, server=True): words("leaders.scope_server"),
        replace(first, server=False): words("leaders.scope_everywhere"),
    }
    periods = {
        replace(first, month=False): words("leaders.period_all"),
        replace(first, month=True): words("leaders.period_month"),
    }
    lines = [f"## {words('leaders.title', game=games[first])}", f"{scopes[first]} · {periods[first]}", ""]
    lines += [format_row(row, query, names, words) for row in page.rows] or [words("leaders.none")]
    lines.append("")
    if own_row is None:
        lines.append(words("leaders.mine_none"))
    elif own_row.hidden:
        lines.append(words("leaders.mine_hidden"))
    else:
        lines.append(words("leaders.mine", row=format_row(own_row, query, names, words)))
    order = words("leaders.order_month" if query.month else "leaders.order_rating")
    if page.rows:
        people = words("count.people", n=page.total)
        lines.append(words("leaders.page", page=page.page + 1, pages=page.pages, people=people, order=order))
    back = replace(query, page=page.page - 1).build_id() if page.page else CustomId("leadersback")
    forward = replace(query, page=page.page + 1).build_id()
    turn = build_page_buttons(words, back, forward, first=not page.page, last=page.page + 1 >= page.pages)
    if query.server:
        turn.append(build_button(words("records.button"), CustomId("records", argument=query.game)))
    return build_layout(
        ui.TextDisplay("\n".join(lines)),
        _build_menu("leadersgame", words("leaders.game"), games, first),
        _build_menu("leaderswhere", words("leaders.scope"), scopes, first),
        _build_menu("leaderswhen", words("leaders.period"), periods, first),
        *build_rows(turn),
        colour=CALM_COLOUR,
    )


def build_records_view(
    game: str,
    found: Mapping[str, Sequence[RecordLine]],
    names: Mapping[int, str],
    locations: Mapping[int, str],
    words: Words,
) -> ui.LayoutView:
    """Return the records of a server; `locations` has the link of each match."""
    lines = [f"## {words('records.title', game=words(f'game.{game}'))}"]
    for kind, listed in found.items():
        lines.append(f"**{words(f'records.{kind}')}**")
        for record in listed:
            name, value = names.get(record.user_id, words("name.somebody")), format_best(kind, record.value, words)
            lines.append(words("records.row", name=name, value=value, where=locations[record.match_id]))
    lines.append(words("records.how" if found else "records.none"))
    options = build_select_options({one: words(f"game.{one}") for one in list_games()}, game)
    back = build_button(words("records.back"), LeaderboardQuery(game, True, False, 0).build_id())
    return build_layout(
        ui.TextDisplay("\n".join(lines)[:4000]),
        build_menu(CustomId("recordsgame"), words("leaders.game"), options),
        *build_rows([back]),
        colour=CALM_COLOUR,
    )


def format_best(kind: str, value: int, words: Words) -> str:
    match kind:
        case "hexagons":
            return words("count.hexagons", n=value)
        case "streak":
            return words("count.wins", n=value)
        case "longest":
            return words("count.moves", n=value)
        case _:
            return format_point_count(words, value)


def format_row(row: LeaderRow, query: LeaderboardQuery, names: Mapping[int, str], words: Words) -> str:
    facts = {
        "rank": "–" if row.rank is None else row.rank,
        "name": names.get(row.user_id, words("name.somebody")),
        "wins": row.wins,
        "matches": row.matches,
        "average": format_number(round(row.average)),
    }
    if query.month:
        return words("leaders.row_month", **facts)
    if row.rating is None:
        return words("leaders.row_unrated", **facts)
    rating, certainty = compute_points(row.rating), format_certainty(row.rating, words)
    text = words("leaders.row_rating", rating=rating, sure=certainty, **facts)
    return text if row.rank is not None else f"{text} · {format_missing_rank(row.opponents, words)}"


def format_missing_rank(opponents: int, words: Words) -> str:
    if opponents >= MIN_OPPONENTS:
        return words("leaders.no_rank")
    return words("leaders.no_rank_people", met=opponents, people=words("count.different_people", n=MIN_OPPONENTS))


def _build_menu(verb: str, prompt: str, names: Mapping[LeaderboardQuery, str], selected: LeaderboardQuery) -> Item:
    options = build_select_options({str(query): name for query, name in names.items()}, str(selected))
    return build_menu(CustomId(verb), prompt, options)


CARD_FILE: Final = "profile.png"
FORM_LENGTH: Final = 10  # matches of the form
ALL_GAMES: Final = "all"


@dataclass(frozen=True, slots=True)
class ProfileCard:
    """A card: the facts of its picture and of its alt text."""

    title: str
    subtitle: str
    facts: Sequence[tuple[str, str]]
    form: tuple[str, Sequence[ResultMark]] = ("", ())
    graph: Graph | None = None
    alt_sentences: Sequence[str] = field(default_factory=list)  # the sentences about the form and the graph
    alt_key: str = "alt.profile"  # the wording key of its alt text

    def render(self, *, scheme: str) -> Picture:
        return render_profile_card(
            self.title, self.subtitle, self.facts, form=self.form, graph=self.graph, scheme=scheme
        )

    def format_alt(self, words: Words) -> str:
        facts = ", ".join(f"{label} {value}" for label, value in self.facts)
        return clip_text(" ".join([words(self.alt_key, name=self.title, facts=facts), *self.alt_sentences]))


def build_player_card(name: str, game: str, found: Profile, last: Sequence[Result], words: Words) -> ProfileCard:
    """Return the card of one player; `last` are their last matches."""
    label, rating = words("profile.rating"), words("profile.unrated")
    if found.rating is not None:
        label = words("profile.rating_sure", sure=format_certainty(found.rating, words))
        rating = str(compute_points(found.rating))
    facts = [
        (label, rating),
        *_list_rank_facts(found, words),
        (words("profile.finished"), words("profile.some", some=found.finished, all=found.matches)),
        (words("profile.wins"), str(found.wins)),
        (words("profile.average"), format_number(round(found.average))),
        (words("profile.best"), format_number(found.best_score)),
    ]
    if load_rules(game).scores_tiles:
        facts.append((words("profile.best_move"), format_number(found.best_move)))
    if load_rules(game).has_bonuses:
        facts += [(words("profile.hexagons"), str(found.hexagons)), (words("profile.bridges"), str(found.bridges))]
    form, left = last[-FORM_LENGTH:], words("profile.form_left")
    marks = [ResultMark(str(one.place) if one.finished else "–", one.won) for one in form]
    places = [words("profile.form_place", place=one.place, of=one.seats) if one.finished else left for one in form]
    alt_sentences = [words("profile.form_alt", places=words("and.comma").join(places))] if form else []
    rated = [one for one in last if one.rated]
    graph = None
    if len(rated) > 1:
        course = [compute_points(rated[0].before), *(compute_points(one.after) for one in rated)]
        graph_facts = {"matches": words("count.matches", n=len(rated)), "low": min(course), "high": max(course)}
        alt_sentences.append(words("profile.graph_alt", first=course[0], last=course[-1], **graph_facts))
        heading = words("profile.graph", matches=graph_facts["matches"])
        graph = Graph(heading, course, str(min(course)), str(max(course)), str(course[-1]))
    subtitle = words("profile.subtitle", game=words(f"game.{game}"), scope=words("leaders.scope_server"))
    return ProfileCard(name, subtitle, facts, (words("profile.form"), marks), graph, alt_sentences)


def _list_rank_facts(found: Profile, words: Words) -> list[tuple[str, str]]:
    """Return the rank, and how many opponents it needs; nothing for a user who is off the leaderboards."""
    if found.hidden:
        return []
    rank = (words("profile.rank"), "–" if found.rank is None else str(found.rank))
    if found.rating is None or found.opponents >= MIN_OPPONENTS:
        return [rank]
    return [rank, (words("profile.met"), words("profile.some", some=found.opponents, all=MIN_OPPONENTS))]


def format_bests(bests: Mapping[str, Best], titles: Sequence[str], locations: Mapping[int, str], words: Words) -> str:
    """Return a player's personal bests with their matches, and the `titles`; empty without any."""
    lines = [words("profile.titles", list=" · ".join(titles))] if titles else []
    if bests:
        lines.append(words("profile.bests"))
    for kind, best in bests.items():
        what, value = words(f"records.{kind}"), format_best(kind, best.value, words)
        lines.append(words("profile.best_line", what=what, value=value, where=locations[best.match_id]))
    return "\n".join(lines)


def build_card_view(alt: str, text: str, *extra_items: Item) -> ui.LayoutView:
    text_items: list[Item] = [ui.TextDisplay(text[:4000])] if text else []
    return build_layout(build_gallery(CARD_FILE, alt), *text_items, *extra_items, colour=CALM_COLOUR)


@dataclass(frozen=True, slots=True)
class RivalPair:
    first: int
    second: int
    game: str = ALL_GAMES

    def __str__(self) -> str:
        return f"{self.first}.{self.second}.{self.game}"


def parse_pair(text: str) -> RivalPair | None:
    """Parse an argument; None if it is not ours."""
    parts = text.split(".")
    if len(parts) != 3 or not all(part.isascii() and part.isdecimal() and len(part) < 20 for part in parts[:2]):
        return None
    first, second = (min(int(part), 2**63 - 1) for part in parts[:2])
    return RivalPair(first, second, parts[2]) if parts[2] in (*list_games(), ALL_GAMES) else None


def build_rivals_card(names: tuple[str, str], game: str, found: Rivalry, words: Words) -> ProfileCard:
    first, second = names

    def format_both(one: object, other: object) -> str:
        return words("rivals.both", one=one, other=other)

    facts = [
        (words("rivals.ahead", one=first, other=second), format_both(*found.wins)),
        (words("rivals.matches"), str(len(found.meetings))),
        (words("rivals.level"), str(found.ties)),
        (words("rivals.points"), format_both(*map(format_number, found.points))),
    ]
    if any(found.best_moves):
        facts.append((words("profile.best_move"), format_both(*(one.value if one else 0 for one in found.best_moves))))
    if any(found.hexagons):
        facts.append((words("profile.hexagons"), format_both(*found.hexagons)))
    if found.longest is not None:
        facts.append((words("records.longest"), words("count.moves", n=found.longest.value)))
    last = found.meetings[-FORM_LENGTH:]
    marks = [ResultMark({1: "+", 0: "=", -1: "–"}[one.ahead], one.ahead > 0) for one in last]
    result_texts = {1: words("rivals.won"), 0: words("rivals.drawn"), -1: words("rivals.lost")}
    went = words("and.comma").join(result_texts[one.ahead] for one in last)
    alt_sentences = [words("rivals.form_alt", name=first, went=went)]
    graph = None
    if len(found.meetings) > 1:
        lead = found.lead_history
        low, high, now = (format_points(value) for value in (min(lead), max(lead), lead[-1]))
        graph = Graph(words("rivals.lead", name=first), lead, low, high, now, has_zero_line=True)
        alt_sentences.append(words("rivals.lead_alt", name=first, low=low, high=high, last=now))
    named = words("history.all_games") if game == ALL_GAMES else words(f"game.{game}")
    subtitle = words("profile.subtitle", game=named, scope=words("leaders.scope_server"))
    title, form = words("rivals.title", one=first, other=second), (words("profile.form"), marks)
    return ProfileCard(title, subtitle, facts, form, graph, alt_sentences, alt_key="alt.rivals")


def format_rivalry(names: tuple[str, str], found: Rivalry, locations: Mapping[int, str], words: Words) -> str:
    """Return who leads, and the best moves; `names` are escaped."""
    win_lead = found.wins[0] - found.wins[1]
    matches = words("count.matches", n=len(found.meetings))
    facts = {"name": names[win_lead < 0], "matches": matches, "most": max(found.wins), "least": min(found.wins)}
    lines = [words("rivals.leads" if win_lead else "rivals.even", **facts)]
    for name, best in zip(names, found.best_moves, strict=True):
        if best is not None:
            value = format_point_count(words, best.value)
            lines.append(words("rivals.best", name=name, value=value, where=locations[best.match_id]))
    if found.longest is not None:
        what, value = words("records.longest"), words("count.moves", n=found.longest.value)
        lines.append(words("profile.best_line", what=what, value=value, where=locations[found.longest.match_id]))
    return "\n".join(lines)


def build_rivals_menu(pair: RivalPair, words: Words) -> Item:
    named = {ALL_GAMES: words("history.all_games"), **{game: words(f"game.{game}") for game in list_games()}}
    values = {str(RivalPair(pair.first, pair.second, game)): name for game, name in named.items()}
    return build_menu(CustomId("rivals"), words("leaders.game"), build_select_options(values, str(pair)))


def build_rivals_text_view(text: str, pair: RivalPair, words: Words) -> ui.LayoutView:
    return build_layout(ui.TextDisplay(text), build_rivals_menu(pair, words), colour=CALM_COLOUR)
