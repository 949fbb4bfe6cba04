"""The views of the score attack: the player's deal, and the result for everyone, which shows no tile."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime
from typing import Final, Self

from discord import ui

from bot.core.environment import to_epoch_ms
from bot.core.formats import format_day
from bot.core.layout import (
    CALM_COLOUR,
    GOLD,
    CustomId,
    Item,
    build_button,
    build_layout,
    build_menu,
    build_primary_button,
    build_rows,
    build_text_view,
    format_timestamp,
)
from bot.core.names import SeatNames
from bot.core.pictures import build_gallery
from bot.solo.service import AttackState, OwnResults, RevealedDeal
from bot.solo.views import build_figures_menu
from bot.tables import board_text
from bot.tables.hand_views import MAX_MENUS, MENU_SIZE, build_move_options, build_picture_words
from bot.tables.move_labels import format_arithmetic, format_number, format_point_count, format_points, format_tile
from data.words import Words
from engine.families.triominoes import TriominoRules
from engine.match.events import Passed
from engine.match.player_view import PlayerView, view_for
from engine.match.shuffle import compute_commitment
from engine.solo.score_attack import SEAT, ScoreAttack
from engine.table.terms import CLASSIC
from render.canvas.picture import Captions, Picture
from render.table.hand import render_hand

ATTACK_FILE: Final = "attack.png"
_REFERENCE_PATTERN: Final = re.compile(r"(?P<day>\d{8})\.(?P<version>\d{1,9})\.(?P<practice>[cp])", re.ASCII)


@dataclass(frozen=True, slots=True)
class AttackReference:
    """What a button or menu refers to: `20261102.12.c` is version 12 of the counted attempt of that day."""

    day: date
    version: int
    practice: bool

    @classmethod
    def parse(cls, text: str) -> Self | None:
        """Parse an id; None if it is not ours."""
        found = _REFERENCE_PATTERN.fullmatch(text)
        if found is None:
            return None
        try:
            day = datetime.strptime(found["day"], "%Y%m%d").date()  # noqa: DTZ007 - a day
        except ValueError:
            return None
        return cls(day, int(found["version"]), found["practice"] == "p")

    @classmethod
    def from_state(cls, state: AttackState) -> Self:
        return cls(state.day, state.stored.version, state.stored.practice)

    def build_id(self, verb: str, number: int = 0) -> CustomId:
        return CustomId(verb, number, argument=str(self))

    def __str__(self) -> str:
        return f"{self.day:%Y%m%d}.{self.version}.{'p' if self.practice else 'c'}"


def render_attack(state: AttackState, names: SeatNames, words: Words, scheme: str) -> tuple[Picture, str]:
    attack, view = state.attack, view_for(state.attack.match, SEAT)
    captions = Captions(
        title=format_day(words, to_epoch_ms(state.day)),
        subtitle=_format_progress(attack, words),
        turn=words("count.points", n=attack.points) if attack.points >= 0 else format_point_count(words, attack.points),
        note=words("board.boneyard", count=len(attack.match.boneyard)),
    )
    image = render_hand(view, names.picture_names, captions, words=build_picture_words(view, words), scheme=scheme)
    board = board_text.format_board_alt(words, view, names.plain, (), target=words("attack.target"))
    return image, board_text.format_hand_alt(words, view, board)


def _format_progress(attack: ScoreAttack, words: Words) -> str:
    return words("solo.lies", laid=len(attack.match.board.placed), all=len(attack.rules.tiles))


def build_attack_view(state: AttackState, words: Words, names: SeatNames, alt: str, *, note: str = "") -> ui.LayoutView:
    attack = state.attack
    lines = [_format_title(state, words), _format_counting(state, words), _format_score(attack, words)]
    lines += names.explain_numbers(words)
    lines += filter(None, [note or _format_last_action(attack, words), _format_next_step(attack, words)])
    items: list[Item] = [ui.TextDisplay("\n".join(lines)), build_gallery(ATTACK_FILE, alt)]
    items += _build_move_menus(state, view_for(attack.match, SEAT), words)
    return build_layout(*items, *_build_buttons(state, words), build_figures_menu(words), colour=CALM_COLOUR)


def format_attack_text(state: AttackState, words: Words, names: SeatNames) -> str:
    view = view_for(state.attack.match, SEAT)
    return board_text.format_text_board(words, view, names.escaped, (), target=words("attack.target"))


def _format_title(state: AttackState, words: Words) -> str:
    return f"### {words('attack.title', day=format_day(words, to_epoch_ms(state.day)))}"


def _format_counting(state: AttackState, words: Words) -> str:
    stored = state.stored
    if stored.counted:
        return f"-# {words('attack.counts', until=format_timestamp(state.until))}"
    return f"-# {words('attack.practice' if stored.practice else 'attack.uncounted')}"


def _format_score(attack: ScoreAttack, words: Words) -> str:
    boneyard = words("board.boneyard", count=len(attack.match.boneyard))
    return f"**{format_point_count(words, attack.points)}** · {_format_progress(attack, words)} · {boneyard}"


def _format_last_action(attack: ScoreAttack, words: Words) -> str:
    match = attack.match
    if attack.has_just_drawn:
        drawn_text = words("attack.drew", tile=format_tile(match.seats[SEAT].hand[-1]))
        last = match.history[-1]
        failed = words("attack.failed", points=format_points(last.points)) if isinstance(last, Passed) else ""
        return f"{drawn_text} {failed}".strip()
    if match.last is None:
        return ""
    first, tile, drawn = len(match.board.placed) == 1, match.last.tile, match.last.drawn
    sums = format_arithmetic(words, match.last, match.rules, opening=first, drawn=drawn)
    return words("and.colon", what=format_tile(tile), more=sums)


def _format_next_step(attack: ScoreAttack, words: Words) -> str:
    match, rules = attack.match, attack.rules
    if attack.must_draw:
        cost = f"−{rules.draw_cost}"
        return words("hand.must_draw", drawn=match.drawn, limit=rules.max_draws, cost=cost)
    if not attack.can_end:
        return ""
    if not match.seats[SEAT].hand:
        return words("attack.end_all", points=format_points(rules.out_bonus))
    return words("attack.end_left", points=format_points(-rules.compute_failed_turn_cost(match.drawn, 0)))


def _build_move_menus(state: AttackState, view: PlayerView, words: Words) -> list[Item]:
    """Return all moves, best first, in as many menus as needed."""
    options = build_move_options(words, view, view.moves, CLASSIC)
    pages = [options[start : start + MENU_SIZE] for start in range(0, len(options), MENU_SIZE)][:MAX_MENUS]
    prompt = words("hand.choose" if view.tiles else "hand.choose_opening")
    menus: list[Item] = []
    for number, page in enumerate(pages, 1):  # the number keeps their ids different
        label = prompt if len(pages) == 1 else words("hand.more", prompt=prompt, number=number, of=len(pages))
        menus.append(build_menu(AttackReference.from_state(state).build_id("attackplay", number), label, page))
    return menus


def _build_buttons(state: AttackState, words: Words) -> list[Item]:
    attack, reference = state.attack, AttackReference.from_state(state)
    buttons: list[ui.Button[ui.LayoutView]] = []
    if attack.must_draw:
        buttons.append(build_primary_button(words("hand.draw"), reference.build_id("attackdraw")))
    if attack.can_end:
        buttons.append(build_primary_button(words("attack.end"), reference.build_id("attackend")))
    buttons.append(build_button(words("hand.undo"), reference.build_id("attackundo"), disabled=not attack.can_undo))
    buttons.append(build_button(words("hand.text"), reference.build_id("attacktext")))
    buttons.append(build_button(words("attack.info"), reference.build_id("attackinfo")))
    return build_rows(buttons)


def build_result_view(
    state: AttackState,
    words: Words,
    names: SeatNames,
    alt: str,
    *,
    table: Sequence[str],
    own: OwnResults | None,
    note: str = "",
) -> ui.LayoutView:
    reference = AttackReference.from_state(state)
    outcome = words("attack.over", **list_result_facts(state, words))
    lines = list(filter(None, [_format_title(state, words), note, outcome]))
    if not state.stored.counted:
        lines.append(_format_counting(state, words))
    if own is not None:
        day, points = own.best
        best = words("attack.best", points=format_point_count(words, points), day=format_day(words, to_epoch_ms(day)))
        lines.append(f"{best} · {words('daily.streak', n=own.streak)}")
    lines += names.explain_numbers(words)
    buttons = []
    if state.stored.counted:
        buttons.append(build_primary_button(words("solo.share"), reference.build_id("attackshare")))
    if state.is_today:
        key = "solo.again" if state.stored.practice else "attack.practise"
        buttons.append(build_button(words(key), reference.build_id("attackagain")))
    else:
        buttons.append(build_button(words("solo.today"), CustomId("attack")))
    buttons.append(build_button(words("attack.info"), reference.build_id("attackinfo")))
    return build_layout(
        ui.TextDisplay("\n".join(lines)),
        build_gallery(ATTACK_FILE, alt),
        ui.TextDisplay(format_list(table, words)),
        *build_rows(buttons),
        build_figures_menu(words),
        colour=GOLD,
    )


def list_result_facts(state: AttackState, words: Words) -> dict[str, str]:
    seat, board = state.attack.match.seats[SEAT], state.attack.match.board
    return {
        "points": format_point_count(words, state.attack.points),
        "tiles": words("count.tiles", n=len(board.placed)),
        "hexagons": words("count.hexagons", n=seat.hexagons),
        "bridges": words("count.bridges", n=seat.bridges),
    }


def format_list(table: Sequence[str], words: Words) -> str:
    return "\n".join([words("attack.list"), *(table or [words("attack.nobody")])])


def format_list_row(place: int, name: str, points: int, words: Words) -> str:
    """Return a line of the list: `1. Ada · 312`."""
    return words("attack.row", place=place, name=name, points=format_number(points))


def format_info(state: AttackState, revealed: RevealedDeal | None, table: Sequence[str], words: Words) -> str:
    """Return the rules, the list of the day, and the proof of the last deal."""
    rules = state.attack.rules
    assert isinstance(rules, TriominoRules)
    rules_text = words(
        "attack.rules",
        all=len(rules.tiles),
        hand=rules.compute_hand_size(1),
        cost=rules.draw_cost,
        draws=rules.max_draws,
        failed=rules.failed_turn,
        out=rules.out_bonus,
    )
    commitment = compute_commitment(state.attack.secret)
    parts = [rules_text, format_list(table, words), words("attack.proof", commitment=commitment)]
    if revealed is not None:
        day = format_day(words, to_epoch_ms(revealed.day))
        parts.append(words("attack.opened", day=day, secret=revealed.secret.hex()))
    return "\n\n".join(parts)


def build_shared_view(state: AttackState, name: str, words: Words) -> ui.LayoutView:
    """Return the result for everyone, without tiles: others may still play the deal."""
    day = format_day(words, to_epoch_ms(state.day))
    text = words("attack.shared", name=name, day=day, **list_result_facts(state, words))
    return build_text_view(text, build_button(words("attack.try"), CustomId("attack")), colour=GOLD)
