"""The views of leaderboards, records, profile cards, and two players compared."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from discord import ui

from bot.core.layout import CALM_COLOUR, Item, Press, button, layout, menu, rows, select_options, turn_buttons
from bot.core.pictures import picture
from bot.tables import move_labels
from bot.tables.ratings import certainty_text, points
from data.rulebook import games, rules
from data.store.profiles.store import Rivalry
from data.store.results.bests import Best, RecordLine
from data.store.results.scores import OPPONENTS, LeaderboardPage, LeaderRow, Profile, Result
from data.words import Words
from render.canvas.graph import Graph, Mark
from render.canvas.picture import Picture
from render.profiles.picture import profile_card


@dataclass(frozen=True, slots=True)
class Cut:
    """The part of a leaderboard that is shown."""

    game: str
    server: bool  # this server only, else all servers
    month: bool  # the last 30 days only, else all time
    page: int  # from 0

    def __str__(self) -> str:
        return f"{self.game}.{'server' if self.server else 'all'}.{'month' if self.month else 'ever'}.{self.page}"


def parse_cut(text: str) -> Cut | None:
    """Parse a button's argument; None if it is not ours."""
    parts = text.split(".")
    if len(parts) != 4 or parts[0] not in games() or not parts[3].isdecimal():
        return None
    return Cut(parts[0], parts[1] == "server", parts[2] == "month", min(int(parts[3]), 1_000_000))


def leaders_view(
    cut: Cut, page: LeaderboardPage, mine: LeaderRow | None, names: Mapping[int, str], words: Words
) -> ui.LayoutView:
    scope = words("leaders.scope_server" if cut.server else "leaders.scope_everywhere")
    period = words("leaders.period_month" if cut.month else "leaders.period_all")
    game = words(f"game.{cut.game}")
    lines = [f"## {words('leaders.title', game=game)}", f"{scope} · {period}", ""]
    lines += [row_text(row, cut, names, words) for row in page.rows] or [words("leaders.none")]
    lines.append("")
    if mine is None:
        lines.append(words("leaders.mine_none"))
    elif mine.hidden:
        lines.append(words("leaders.mine_hidden"))
    else:
        lines.append(words("leaders.mine", row=row_text(mine, cut, names, words)))
    order = words("leaders.order_month" if cut.month else "leaders.order_rating")
    if page.rows:
        people = words("count.people", n=page.total)
        lines.append(words("leaders.page", page=page.page + 1, pages=page.pages, people=people, order=order))
    back = _press(replace(cut, page=page.page - 1)) if page.page else Press("leadersback")
    forward = _press(replace(cut, page=page.page + 1))
    turn = turn_buttons(words, back, forward, first=not page.page, last=page.page + 1 >= page.pages)
    if cut.server:
        turn.append(button(words("records.button"), Press("records", argument=cut.game)))
    return layout(
        ui.TextDisplay("\n".join(lines)),
        _menu(words("leaders.game"), "leadersgame", cut, [replace(cut, game=game) for game in games()], words),
        _menu(
            words("leaders.scope"), "leaderswhere", cut, [replace(cut, server=True), replace(cut, server=False)], words
        ),
        _menu(
            words("leaders.period"), "leaderswhen", cut, [replace(cut, month=False), replace(cut, month=True)], words
        ),
        *rows(turn),
        colour=CALM_COLOUR,
    )


def records_view(
    game: str,
    found: Mapping[str, Sequence[RecordLine]],
    names: Mapping[int, str],
    where: Mapping[int, str],
    words: Words,
) -> ui.LayoutView:
    """Return the records of a server; `where` is the link of each match."""
    lines = [f"## {words('records.title', game=words(f'game.{game}'))}"]
    for kind, listed in found.items():
        lines.append(f"**{words(f'records.{kind}')}**")
        lines += [
            words(
                "records.row",
                name=names.get(record.user_id, words("name.somebody")),
                value=best_text(kind, record.value, words),
                where=where[record.match_id],
            )
            for record in listed
        ]
    lines.append(words("records.how" if found else "records.none"))
    options = select_options({one: words(f"game.{one}") for one in games()}, game)
    back = button(words("records.back"), _press(Cut(game, True, False, 0)))
    return layout(
        ui.TextDisplay("\n".join(lines)[:4000]),
        menu(Press("recordsgame"), words("leaders.game"), options),
        *rows([back]),
        colour=CALM_COLOUR,
    )


def best_text(kind: str, value: int, words: Words) -> str:
    match kind:
        case "hexagons":
            return words("count.hexagons", n=value)
        case "streak":
            return words("count.wins", n=value)
        case "longest":
            return words("count.moves", n=value)
        case _:
            return move_labels.count_points(words, value)


def row_text(row: LeaderRow, cut: Cut, names: Mapping[int, str], words: Words) -> str:
    facts = {
        "rank": "–" if row.rank is None else row.rank,
        "name": names.get(row.user_id, words("name.somebody")),
        "wins": row.wins,
        "matches": row.matches,
        "average": move_labels.number_text(round(row.average)),
    }
    if cut.month:
        return words("leaders.row_month", **facts)
    if row.rating is None:
        return words("leaders.row_unrated", **facts)
    text = words("leaders.row_rating", rating=points(row.rating), sure=certainty_text(row.rating, words), **facts)
    return text if row.rank is not None else f"{text} · {no_rank_text(row.opponents, words)}"


def no_rank_text(opponents: int, words: Words) -> str:
    if opponents >= OPPONENTS:
        return words("leaders.no_rank")
    return words("leaders.no_rank_people", met=opponents, people=words("count.different_people", n=OPPONENTS))


def _press(cut: Cut) -> Press:
    return Press("leaders", argument=str(cut))


def _menu(label: str, verb: str, now: Cut, cuts: list[Cut], words: Words) -> ui.ActionRow[ui.LayoutView]:
    names = {
        "leadersgame": lambda cut: words(f"game.{cut.game}"),
        "leaderswhere": lambda cut: words("leaders.scope_server" if cut.server else "leaders.scope_everywhere"),
        "leaderswhen": lambda cut: words("leaders.period_month" if cut.month else "leaders.period_all"),
    }
    named = {str(replace(cut, page=0)): names[verb](cut) for cut in cuts}
    return menu(Press(verb), label, select_options(named, str(replace(now, page=0))))


CARD_FILE: Final = "profile.png"
LAST_SHOWN: Final = 10  # matches of the form
ALL_GAMES: Final = "all"


@dataclass(frozen=True, slots=True)
class ProfileCard:
    """A card: the facts of its picture and of its alt text."""

    title: str
    subtitle: str
    facts: Sequence[tuple[str, str]]
    form: tuple[str, Sequence[Mark]] = ("", ())
    graph: Graph | None = None
    told: Sequence[str] = field(default_factory=list)  # the sentences about the form and the graph
    whose: str = "alt.profile"  # the wording key of its alt text

    def drawn(self, *, scheme: str) -> Picture:
        return profile_card(self.title, self.subtitle, self.facts, form=self.form, graph=self.graph, scheme=scheme)

    def alt(self, words: Words) -> str:
        facts = ", ".join(f"{label} {value}" for label, value in self.facts)
        return move_labels.clipped(" ".join([words(self.whose, name=self.title, facts=facts), *self.told]))


def person_card(name: str, game: str, found: Profile, last: Sequence[Result], words: Words) -> ProfileCard:
    """Return the card of one player; `last` are their last matches."""
    label, rating = words("profile.rating"), words("profile.unrated")
    if found.rating is not None:
        label = words("profile.rating_sure", sure=certainty_text(found.rating, words))
        rating = str(points(found.rating))
    facts = [
        (label, rating),
        *_rank(found, words),
        (words("profile.finished"), words("profile.some", some=found.finished, all=found.matches)),
        (words("profile.wins"), str(found.wins)),
        (words("profile.average"), move_labels.number_text(round(found.average))),
        (words("profile.best"), move_labels.number_text(found.best_score)),
    ]
    if rules(game).scores_tiles:
        facts.append((words("profile.best_move"), move_labels.number_text(found.best_move)))
    if rules(game).has_bonuses:
        facts += [(words("profile.hexagons"), str(found.hexagons)), (words("profile.bridges"), str(found.bridges))]
    marks = [Mark(str(one.place) if one.finished else "–", one.won) for one in last[-LAST_SHOWN:]]
    gone = words("profile.form_left")
    places = [words("profile.form_place", place=one.place, of=one.seats) if one.finished else gone for one in last]
    told: list[str] = [words("profile.form_alt", places=words("and.comma").join(places[-LAST_SHOWN:]))] if last else []
    rated = [one for one in last if one.rated]
    graph = None
    if len(rated) > 1:
        course = [points(rated[0].before), *(points(one.after) for one in rated)]
        facts_told = {"matches": words("count.matches", n=len(rated)), "low": min(course), "high": max(course)}
        told.append(words("profile.graph_alt", first=course[0], last=course[-1], **facts_told))
        heading = words("profile.graph", matches=facts_told["matches"])
        graph = Graph(heading, course, str(min(course)), str(max(course)), str(course[-1]))
    subtitle = words("profile.subtitle", game=words(f"game.{game}"), scope=words("leaders.scope_server"))
    return ProfileCard(name, subtitle, facts, (words("profile.form"), marks), graph, told)


def _rank(found: Profile, words: Words) -> list[tuple[str, str]]:
    """Return the rank, and how many opponents it needs; nothing for a user who is off the leaderboards."""
    if found.hidden:
        return []
    rank = (words("profile.rank"), "–" if found.rank is None else str(found.rank))
    if found.rating is None or found.opponents >= OPPONENTS:
        return [rank]
    return [rank, (words("profile.met"), words("profile.some", some=found.opponents, all=OPPONENTS))]


def bests_text(bests: Mapping[str, Best], titles: Sequence[str], where: Mapping[int, str], words: Words) -> str:
    """Return a player's bests with their matches, and the `titles`; empty without any."""
    lines = [words("profile.titles", list=" · ".join(titles))] if titles else []
    if bests:
        lines.append(words("profile.bests"))
    for kind, best in bests.items():
        value = best_text(kind, best.value, words)
        lines.append(words("profile.best_line", what=words(f"records.{kind}"), value=value, where=where[best.match_id]))
    return "\n".join(lines)


def card_view(alt: str, text: str, *under: Item) -> ui.LayoutView:
    said: list[Item] = [ui.TextDisplay(text[:4000])] if text else []
    return layout(picture(CARD_FILE, alt), *said, *under, colour=CALM_COLOUR)


@dataclass(frozen=True, slots=True)
class Rivals:
    first: int
    second: int
    game: str = ALL_GAMES

    def __str__(self) -> str:
        return f"{self.first}.{self.second}.{self.game}"


def parse_pair(text: str) -> Rivals | None:
    """Parse an argument; None if it is not ours."""
    parts = text.split(".")
    if len(parts) != 3 or not all(part.isascii() and part.isdecimal() and len(part) < 20 for part in parts[:2]):
        return None
    first, second = (min(int(part), 2**63 - 1) for part in parts[:2])
    return Rivals(first, second, parts[2]) if parts[2] in (*games(), ALL_GAMES) else None


def rivals_card(names: tuple[str, str], game: str, found: Rivalry, words: Words) -> ProfileCard:
    first, second = names

    def both(one: object, other: object) -> str:
        return words("rivals.both", one=one, other=other)

    facts = [
        (words("rivals.ahead", one=first, other=second), both(*found.won)),
        (words("rivals.matches"), str(len(found.meetings))),
        (words("rivals.level"), str(found.level)),
        (words("rivals.points"), both(*map(move_labels.number_text, found.points))),
    ]
    if any(found.best_moves):
        facts.append((words("profile.best_move"), both(*(one.value if one else 0 for one in found.best_moves))))
    if any(found.hexagons):
        facts.append((words("profile.hexagons"), both(*found.hexagons)))
    if found.longest is not None:
        facts.append((words("records.longest"), words("count.moves", n=found.longest.value)))
    last = found.meetings[-LAST_SHOWN:]
    marks = [Mark({1: "+", 0: "=", -1: "–"}[one.ahead], one.ahead > 0) for one in last]
    went = {1: words("rivals.won"), 0: words("rivals.drawn"), -1: words("rivals.lost")}
    told: list[str] = [
        words("rivals.form_alt", name=first, went=words("and.comma").join(went[one.ahead] for one in last))
    ]
    graph = None
    if len(found.meetings) > 1:
        lead = found.lead
        low, high, now = (move_labels.points_text(value) for value in (min(lead), max(lead), lead[-1]))
        graph = Graph(words("rivals.lead", name=first), lead, low, high, now, nought=True)
        told.append(words("rivals.lead_alt", name=first, low=low, high=high, last=now))
    named = words("history.all_games") if game == ALL_GAMES else words(f"game.{game}")
    subtitle = words("profile.subtitle", game=named, scope=words("leaders.scope_server"))
    title, form = words("rivals.title", one=first, other=second), (words("profile.form"), marks)
    return ProfileCard(title, subtitle, facts, form, graph, told, whose="alt.rivals")


def rivals_text(names: tuple[str, str], found: Rivalry, where: Mapping[int, str], words: Words) -> str:
    """Return who leads, and the best moves; `names` are escaped."""
    ahead = found.won[0] - found.won[1]
    facts = {"matches": words("count.matches", n=len(found.meetings)), "most": max(found.won), "least": min(found.won)}
    lines = [words("rivals.even", **facts) if not ahead else words("rivals.leads", name=names[ahead < 0], **facts)]
    for name, best in zip(names, found.best_moves, strict=True):
        if best is not None:
            value = move_labels.count_points(words, best.value)
            lines.append(words("rivals.best", name=name, value=value, where=where[best.match_id]))
    if found.longest is not None:
        what, value = words("records.longest"), words("count.moves", n=found.longest.value)
        lines.append(words("profile.best_line", what=what, value=value, where=where[found.longest.match_id]))
    return "\n".join(lines)


def rivals_menu(pair: Rivals, words: Words) -> Item:
    named = {ALL_GAMES: words("history.all_games"), **{game: words(f"game.{game}") for game in games()}}
    values = {str(Rivals(pair.first, pair.second, game)): name for game, name in named.items()}
    return menu(Press("rivals"), words("leaders.game"), select_options(values, str(pair)))


def rivals_bare_view(text: str, pair: Rivals, words: Words) -> ui.LayoutView:
    return layout(ui.TextDisplay(text), rivals_menu(pair, words), colour=CALM_COLOUR)
