"""The views of the score attack: the player's deal, and the result for everyone, which shows no tile."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime
from typing import Final, Self

from discord import ui

from bot.core.environment import ms
from bot.core.formats import day_text, moment
from bot.core.layout import CALM_COLOUR, GOLD, Item, Press, button, layout, menu, primary, rows
from bot.core.names import Names
from bot.core.pictures import picture
from bot.solo.service import AttackStanding, OpenedDeal, OwnAttacks, committed
from bot.solo.views import figures_menu
from bot.tables import board_text
from bot.tables.hand_views import MENU, MENUS, move_options, picture_words
from bot.tables.move_labels import arithmetic, count_points, number_text, points_text, tile_name
from data.words import Words
from engine.families.triominoes import TriominoRules
from engine.match.events import Passed
from engine.match.player_view import PlayerView, view_for
from engine.solo.score_attack import SEAT, ScoreAttack
from engine.table.terms import CLASSIC
from render.canvas.picture import Captions, Picture
from render.table.hand import hand_picture

ATTACK_FILE: Final = "attack.png"
_ASKED: Final = re.compile(r"(?P<day>\d{8})\.(?P<version>\d{1,9})\.(?P<practice>[cp])", re.ASCII)


@dataclass(frozen=True, slots=True)
class AttackAsked:
    """What a button or menu refers to: `20261102.12.c` is version 12 of the counted attempt of that day."""

    day: date
    version: int
    practice: bool

    @classmethod
    def parsed(cls, text: str) -> Self | None:
        """Parse an id; None if it is not ours."""
        found = _ASKED.fullmatch(text)
        if found is None:
            return None
        try:
            day = datetime.strptime(found["day"], "%Y%m%d").date()  # noqa: DTZ007 - a day
        except ValueError:
            return None
        return cls(day, int(found["version"]), found["practice"] == "p")

    @classmethod
    def of(cls, standing: AttackStanding) -> Self:
        return cls(standing.day, standing.kept.version, standing.kept.practice)

    def __str__(self) -> str:
        return f"{self.day:%Y%m%d}.{self.version}.{'p' if self.practice else 'c'}"


def drawn_attack(attack: ScoreAttack, at: int, names: Names, words: Words, scheme: str) -> tuple[Picture, str]:
    seen = view_for(attack.match, SEAT)
    captions = Captions(
        title=day_text(words, at),
        subtitle=_lies(attack, words),
        turn=words("count.points", n=attack.points) if attack.points >= 0 else count_points(words, attack.points),
        note=words("board.boneyard", count=len(attack.match.boneyard)),
    )
    image = hand_picture(seen, names.pictured, captions, said=picture_words(seen, words), scheme=scheme)
    board = board_text.board_alt(words, seen, names.plain, (), target=words("attack.target"))
    return image, board_text.hand_alt(words, seen, board)


def _lies(attack: ScoreAttack, words: Words) -> str:
    return words("solo.lies", laid=len(attack.match.board.placed), all=len(attack.rules.tiles))


def attack_view(standing: AttackStanding, words: Words, names: Names, alt: str, *, note: str = "") -> ui.LayoutView:
    attack = standing.attack
    lines = [_title(standing, words), _counts(standing, words), _stands(attack, words), *names.numbered(words)]
    lines += filter(None, [note or _just_done(attack, words), _must(attack, words)])
    items: list[Item] = [ui.TextDisplay("\n".join(lines)), picture(ATTACK_FILE, alt)]
    items += _moves(standing, view_for(attack.match, SEAT), words)
    return layout(*items, *_buttons(standing, words), figures_menu(words), colour=CALM_COLOUR)


def attack_text(standing: AttackStanding, words: Words, names: Names) -> str:
    seen = view_for(standing.attack.match, SEAT)
    return board_text.text_board(words, seen, names.safe, (), target=words("attack.target"))


def _title(standing: AttackStanding, words: Words) -> str:
    return f"### {words('attack.title', day=day_text(words, ms(standing.day)))}"


def _counts(standing: AttackStanding, words: Words) -> str:
    kept = standing.kept
    if kept.counted:
        return f"-# {words('attack.counts', until=moment(standing.until))}"
    return f"-# {words('attack.practice' if kept.practice else 'attack.uncounted')}"


def _stands(attack: ScoreAttack, words: Words) -> str:
    boneyard = words("board.boneyard", count=len(attack.match.boneyard))
    return f"**{count_points(words, attack.points)}** · {_lies(attack, words)} · {boneyard}"


def _just_done(attack: ScoreAttack, words: Words) -> str:
    match = attack.match
    if attack.drew:
        told = words("attack.drew", tile=tile_name(match.seats[SEAT].hand[-1]))
        last = match.history[-1]
        failed = words("attack.failed", points=points_text(last.points)) if isinstance(last, Passed) else ""
        return f"{told} {failed}".strip()
    if match.last is None:
        return ""
    first = len(match.board.placed) == 1
    sums = arithmetic(words, match.last, match.rules, tile=match.last.tile, opening=first, drawn=match.last.drawn)
    return words("and.colon", what=tile_name(match.last.tile), more=sums)


def _must(attack: ScoreAttack, words: Words) -> str:
    match, rules = attack.match, attack.rules
    if attack.must_draw:
        cost = f"−{rules.draw_cost}"
        return words("hand.must_draw", drawn=match.drawn, limit=rules.most_draws, cost=cost)
    if not attack.may_end:
        return ""
    if not match.seats[SEAT].hand:
        return words("attack.end_all", points=points_text(rules.out_bonus))
    return words("attack.end_left", points=points_text(-rules.failing_costs(match.drawn, 0)))


def _moves(standing: AttackStanding, seen: PlayerView, words: Words) -> list[Item]:
    """Return all moves, best first, in as many menus as needed."""
    options = move_options(words, seen, seen.moves, CLASSIC)
    pages = [options[start : start + MENU] for start in range(0, len(options), MENU)][:MENUS]
    prompt, here = words("hand.choose" if seen.tiles else "hand.choose_opening"), str(AttackAsked.of(standing))
    # The number keeps their ids different.
    return [
        menu(
            Press("attackplay", number, argument=here),
            prompt if len(pages) == 1 else words("hand.more", prompt=prompt, number=number, of=len(pages)),
            page,
        )
        for number, page in enumerate(pages, 1)
    ]


def _buttons(standing: AttackStanding, words: Words) -> list[Item]:
    attack, here = standing.attack, str(AttackAsked.of(standing))
    found: list[ui.Button[ui.LayoutView]] = []
    if attack.must_draw:
        found.append(primary(words("hand.draw"), Press("attackdraw", argument=here)))
    if attack.may_end:
        found.append(primary(words("attack.end"), Press("attackend", argument=here)))
    found.append(button(words("hand.undo"), Press("attackundo", argument=here), disabled=not attack.may_undo))
    found.append(button(words("hand.text"), Press("attacktext", argument=here)))
    found.append(button(words("attack.info"), Press("attackinfo", argument=here)))
    return rows(found)


def over_view(
    standing: AttackStanding,
    words: Words,
    names: Names,
    alt: str,
    *,
    table: Sequence[str],
    own: OwnAttacks | None,
    note: str = "",
) -> ui.LayoutView:
    here = str(AttackAsked.of(standing))
    lines = [_title(standing, words), *([note] if note else []), words("attack.over", **came_to(standing, words))]
    if not standing.kept.counted:
        lines.append(_counts(standing, words))
    if own is not None:
        day, points = own.best
        best = words("attack.best", points=count_points(words, points), day=day_text(words, ms(day)))
        lines.append(f"{best} · {words('daily.streak', n=own.streak)}")
    items: list[Item] = [ui.TextDisplay("\n".join([*lines, *names.numbered(words)])), picture(ATTACK_FILE, alt)]
    items.append(ui.TextDisplay(list_text(table, words)))
    buttons = [button(words("attack.info"), Press("attackinfo", argument=here))]
    if standing.today:
        key = "solo.again" if standing.kept.practice else "attack.practise"
        buttons.insert(0, button(words(key), Press("attackagain", argument=here)))
    else:
        buttons.insert(0, button(words("solo.today"), Press("attack")))
    if standing.kept.counted:
        buttons.insert(0, primary(words("solo.share"), Press("attackshare", argument=here)))
    return layout(*items, *rows(buttons), figures_menu(words), colour=GOLD)


def came_to(standing: AttackStanding, words: Words) -> dict[str, str]:
    seat, board = standing.attack.match.seats[SEAT], standing.attack.match.board
    return {
        "points": count_points(words, standing.attack.points),
        "tiles": words("count.tiles", n=len(board.placed)),
        "hexagons": words("count.hexagons", n=seat.hexagons),
        "bridges": words("count.bridges", n=seat.bridges),
    }


def list_text(table: Sequence[str], words: Words) -> str:
    return "\n".join([words("attack.list"), *(table or [words("attack.nobody")])])


def list_row(place: int, name: str, points: int, words: Words) -> str:
    """Return a line of the list: `1. Ada · 312`."""
    return words("attack.row", place=place, name=name, points=number_text(points))


def info_text(standing: AttackStanding, opened: OpenedDeal | None, table: Sequence[str], words: Words) -> str:
    """Return the rules, the list of the day, and the proof of the last deal."""
    rules = standing.attack.rules
    assert isinstance(rules, TriominoRules)
    told = words(
        "attack.rules",
        all=len(rules.tiles),
        hand=rules.hand_size(1),
        cost=rules.draw_cost,
        draws=rules.most_draws,
        failed=rules.failed_turn,
        out=rules.out_bonus,
    )
    parts = [told, list_text(table, words), words("attack.proof", commitment=committed(standing))]
    if opened is not None:
        day = day_text(words, ms(opened.day))
        parts.append(words("attack.opened", day=day, secret=opened.secret.hex()))
    return "\n\n".join(parts)


def shared_attack(standing: AttackStanding, name: str, words: Words) -> ui.LayoutView:
    """Return the result for everyone, without tiles: others may still play the deal."""
    day = day_text(words, ms(standing.day))
    told = words("attack.shared", name=name, day=day, **came_to(standing, words))
    return layout(ui.TextDisplay(told), *rows([button(words("attack.try"), Press("attack"))]), colour=GOLD)
