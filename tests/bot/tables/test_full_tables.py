"""Full tables: every message fits Discord's limits, and the menus offer every move."""

import random
import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest
from discord import ui

from bot.core.names import SeatNames
from bot.core.safe_text import escape_text
from bot.reviews.views import build_overview_view
from bot.tables import board_text, board_views, move_labels
from bot.tables.board_views import build_board_view
from bot.tables.hand_views import MENU_SIZE, MORE_MOVES, build_hand_view
from bot.tables.move_labels import encode_placement, format_points
from bot.tables.past_match import Replay
from bot.tables.service import Table
from data.rulebook import list_games, load_rules
from data.words import PluralText, Words, list_languages, load_words
from engine.board.tiles import format_labels, format_tile_notation
from engine.match.decide import decide, start
from engine.match.event_log import EventLog, build_event_log
from engine.match.events import Event
from engine.match.player_view import view_for
from engine.match.state import Match
from engine.reviews.findings import Luck, Review, SeatReview
from engine.table.table_state import SeatRow
from tests.bot.member import Member
from tests.bot.messages import find_play_label, list_alt_texts, list_menus, read_text
from tests.bot.simulated_guild import SimGuild, derive_secret
from tests.bot.tables.greedy_clicks import take_turn
from tests.bot.tables.stacked_deals import choose_random_tile_action, play_out, stack_deal, store_match
from tests.bot.use_cases import UseCases
from tests.wording import en

LONG_NAME = "Somebody with a long name"


def find_longest_text(key: str) -> str:
    texts = [load_words(language).texts[key] for language in list_languages()]
    return max(
        (form for text in texts for form in (text.forms.values() if isinstance(text, PluralText) else [text])), key=len
    )


LONGEST_WORDS = Words("wordy", {key: find_longest_text(key) for key in load_words().texts})

CASES = (
    *((game, "", load_rules(game).min_seats) for game in list_games()),
    *((game, "", load_rules(game).max_seats) for game in list_games()),
    ("quad-ominos", "quad_arrangement=free", 2),
    ("star", "layout=open", 2),
    ("star", "tile_set=td56", 2),
    ("muggins", "layout=open", 2),
)


def iterate_parts(view: ui.LayoutView) -> Iterator[dict[str, Any]]:
    def walk(tree: Any) -> Iterator[dict[str, Any]]:
        for part in tree:
            yield part
            yield from walk(part.get("components", ()))

    yield from walk(view.to_components())


def check_limits(view: ui.LayoutView) -> None:
    found = list(iterate_parts(view))
    assert len(found) <= 40
    assert sum(len(part["content"]) for part in found if part["type"] == 10) <= 4000
    custom_ids: list[str] = []
    for part in found:
        if "custom_id" in part:
            custom_ids.append(part["custom_id"])
            assert len(part["custom_id"]) <= 100
        assert len(part.get("label") or "") <= 80
        assert len(part.get("placeholder") or "") <= 150
        assert len(part.get("options", ())) <= 25
        for option in part.get("options", ()):
            assert len(option["label"]) <= 100
            assert len(option["value"]) <= 100
            assert len(option.get("description") or "") <= 100
        for item in part.get("items", ()):
            assert 0 < len(item["description"]) <= 1024
    assert len(set(custom_ids)) == len(custom_ids), "no two buttons or menus of a message share an id"


def list_menu_options(view: ui.LayoutView) -> list[dict[str, Any]]:
    options = [option for part in iterate_parts(view) for option in part.get("options", ())]
    assert len({(one["label"], one.get("description")) for one in options}) == len(options)
    assert len({one["value"] for one in options}) == len(options)
    return options


def list_reachable_moves(table: Table, names: SeatNames, match: Match) -> set[str]:
    player_view = view_for(match, match.turn)
    view = build_hand_view(table, player_view, names, LONGEST_WORDS, alt="The hand.")
    check_limits(view)
    values = [one["value"] for one in list_menu_options(view)]
    if len(player_view.moves) <= MENU_SIZE:
        return set(values)
    assert values[-1] == MORE_MOVES
    view = build_hand_view(table, player_view, names, LONGEST_WORDS, alt="The hand.", by_tile=True)
    check_limits(view)
    values = [one["value"] for one in list_menu_options(view)]
    found: set[str] = set()
    for choice in move_labels.group_moves_by_tile(player_view):
        assert move_labels.encode_tile(choice.tile) in values
        tile_view = build_hand_view(table, player_view, names, LONGEST_WORDS, alt="The hand.", tile=choice.tile)
        check_limits(tile_view)
        found |= {one["value"] for one in list_menu_options(tile_view)}
    return found


@pytest.mark.parametrize(("game", "option", "seats"), CASES)
async def test_messages_of_match_fit_and_offer_every_move(
    use_cases: UseCases, game: str, option: str, seats: int
) -> None:
    rng, deal, rules = random.Random(7), derive_secret(7), load_rules(game)
    if option:
        rules = rules.with_option(*option.split("="))
    # With all characters escaped, these are the longest possible names.
    plain_names = tuple(f"{seat}{'|*' * 16}"[:32] for seat in range(seats))
    names = SeatNames(plain_names, tuple(map(escape_text, plain_names)))
    opened = await use_cases.open(game=game, seats=seats)
    head = replace(opened.head, match_id=999_999_999, seq=99_999)
    event_log = build_event_log(start(rules, seats=seats, computers=[], by_hand=False, secret=deal))
    play_out(event_log, deal)
    rows = tuple(SeatRow(seat=seat, user_id=seat, joined_at=0) for seat in range(seats))
    for turn in range(150):
        match = event_log.match
        if match.ended or match.round > 1:
            break
        if turn % 5 == 0 or match.choosing or match.bonus_tiles or match.further:
            game_table = Table(head, replace(opened.state, seats=rows), event_log)
            view = view_for(match, None)
            check_limits(
                build_board_view(
                    game_table,
                    view,
                    names,
                    LONGEST_WORDS,
                    board_views.format_full_board_alt(view, event_log, names, LONGEST_WORDS),
                )
            )
            board = board_text.format_text_board(
                LONGEST_WORDS,
                view_for(match, match.turn),
                names.escaped,
                board_views.format_recent_turns(event_log, names, LONGEST_WORDS),
            )
            assert len(board) <= 4000
            letters = {place.letter for place in view.places}
            assert letters <= set(re.findall(r"[A-Z]{1,2}", board)), "however full, no open place is left out"
            own_moves = view_for(match, match.turn).moves
            if view.reward is None:
                assert list_reachable_moves(game_table, names, match) == {
                    move_labels.encode_placement(move.placement) for move in own_moves
                }
            for move in own_moves[-1:]:
                view = view_for(match, match.turn)
                check_limits(
                    build_hand_view(
                        game_table, view, names, LONGEST_WORDS, alt="The hand.", chosen=move, note="n" * 2600
                    )
                )
        _apply_events(event_log, decide(match, choose_random_tile_action(match, rng), deal))
        play_out(event_log, deal)
    assert turn > 8


def _apply_events(event_log: EventLog, events: list[Event]) -> None:
    for event in events:
        event_log.apply(event)


async def test_many_tiles_are_spread_over_two_menus(sim: SimGuild, ada: Member, grace: Member) -> None:
    log, event_log = deal_many_playable_tiles()
    await store_match(sim, log, ada, grace)
    view = view_for(event_log.match, 0)
    playable, placements = move_labels.group_moves_by_tile(view), [move.placement for move in view.moves]
    assert len(playable) > MENU_SIZE

    (menu,) = list_menus(hand := await sim.open_hand(ada))
    assert [one.value for one in menu.options] == [*map(encode_placement, placements[: MENU_SIZE - 1]), MORE_MOVES]
    hand = await ada.open_select(hand, MORE_MOVES)

    first, second = list_menus(hand)
    assert (first.placeholder, second.placeholder) == ("Choose a tile… (1 of 2)", "Choose a tile… (2 of 2)")
    labels = [option.label for menu in (first, second) for option in menu.options]
    assert labels == [
        f"{format_tile_notation(choice.tile)} · best {format_points(choice.best_points)}" for choice in playable
    ], "best first, none left out"
    descriptions = [option.description for menu in (first, second) for option in menu.options]
    assert descriptions == [
        en("hand.tile_places", n=len({move.placement.cell for move in choice.moves})) for choice in playable
    ]
    assert len(first.options) == MENU_SIZE
    assert all(len(alt) <= 1024 for alt in list_alt_texts(hand))
    assert len(await ada.read_command("tiles board", text=True)) <= 4000
    place_message = await ada.open_select(hand, second.options[-1].value, custom_id=second.custom_id)
    tile = format_tile_notation(playable[-1].tile)
    assert list_menus(place_message)[0].placeholder.startswith(f"Where to play {tile}?")
    option = list_menus(place_message)[-1].options[-1]
    assert option.label.startswith(f"{tile} → ")
    preview = await ada.open_select(place_message, option.value, custom_id=list_menus(place_message)[-1].custom_id)
    answer = await ada.open_click(preview, find_play_label(preview))
    assert read_text(answer).startswith(f"You played {tile} ")


def deal_many_playable_tiles() -> tuple[list[Event], EventLog]:
    game = load_rules("quad-ominos")
    tiles = sorted(game.tiles, key=lambda tile: (len(set(tile)) == 1, tile))
    small = tiles[2::9]
    large = [tile for tile in tiles if tile not in small]
    log: list[Event] = stack_deal(
        game, " ".join(map(format_labels, reversed(large))), " ".join(map(format_labels, small))
    )
    event_log = build_event_log(log)
    rng = random.Random(1)
    log += play_out(event_log, derive_secret(1))
    while (
        event_log.match.turn != 0
        or event_log.match.choosing
        or len(move_labels.group_moves_by_tile(view_for(event_log.match, 0))) <= MENU_SIZE
    ):
        events = decide(event_log.match, choose_random_tile_action(event_log.match, rng), derive_secret(1))
        _apply_events(event_log, events)
        log += [*events, *play_out(event_log, derive_secret(1))]
    return log, event_log


async def test_review_of_twelve_players_fits_message(use_cases: UseCases) -> None:
    plain_names = tuple(f"{seat}{'|*' * 16}"[:32] for seat in range(12))
    names = SeatNames(plain_names, tuple(map(escape_text, plain_names)))
    opened = await use_cases.open(game="quad-ominos", seats=12)
    luck = Luck(deal=-134.2, draws=-123.4, skill=-161.2, rest=-133.1, error=33.0, skill_error=22.0)
    seats = [
        SeatReview(
            seat=seat,
            choices=23,
            accuracy=71.2,
            lost=123.4,
            error=14.0,
            inaccuracies=6,
            mistakes=5,
            blunders=4,
            missed_hexagons=0,
            missed_bridges=2,
            luck=luck,
        )
        for seat in range(12)
    ]
    for many in (2, 12):
        review = Review(version=1, seats=tuple(seats[:many]), rounds=(1,), choices=(), curve=(), moments=())
        view = build_overview_view(
            Replay(opened.head, (), (), opened), review, names, LONGEST_WORDS, "Alt.", is_private=True, can_show=True
        )
        check_limits(view)
        text = "\n".join(part["content"] for part in iterate_parts(view) if part["type"] == 10)
        assert [name in text for name in names.escaped[:many]] == [True] * many
        assert text.endswith(LONGEST_WORDS("review.guess"))
        assert text.count("−161") == (many if many == 2 else 0)


async def test_table_of_twelve_fits_lobby_and_board(sim: SimGuild, ada: Member) -> None:
    members = [ada, *(sim.add_member(f"{LONG_NAME} {number}") for number in range(2, 12))]
    await ada.use_command("tiles new", game="quad-ominos", seats=12)
    for person in members[1:]:
        await person.click(sim.get_board(), label="Join")
    lobby = sim.read_board()
    assert lobby.count(LONG_NAME) == 10
    assert "12. *free*" in lobby
    await sim.add_computer(ada)
    match = await sim.replay_match()
    assert len(match.seats) == 12
    assert all(len(seat.hand) >= 7 for seat in match.seats)
    (alt,) = list_alt_texts(sim.get_board())
    assert len(alt) <= 1024
    assert "Well " in alt
    for person in members:
        text = await person.read_command("tiles board", text=True)
        assert text.count(LONG_NAME) >= 10
        assert len(text) <= 4000
    await take_turn(sim, sim.get_called_player())
