"""Full tables: every message fits Discord's limits, and the menus offer every move."""

import random
import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest
from discord import ui
from simcord import MemberActor

from bot.core.names import SeatNames
from bot.core.safe_text import escape_text
from bot.reviews.views import build_overview_view
from bot.tables import board_text, board_views, move_labels
from bot.tables.board_views import build_board_view
from bot.tables.hand_views import MENU_SIZE, build_hand_view
from bot.tables.past_match import Replay
from bot.tables.service import Table
from data.rulebook import list_games, load_rules
from data.words import PluralText, Words, list_languages, load_words
from engine.board.tiles import format_labels, format_tile_notation
from engine.match.decide import decide, start
from engine.match.event_log import EventLog, build_event_log
from engine.match.events import Event
from engine.match.player_view import view_for
from engine.match.rules import Rules
from engine.match.state import Match
from engine.reviews.findings import Luck, Review, SeatReview
from engine.table.table_state import SeatRow
from tests.bot.messages import button_ids, menus, pictures, private, words_of
from tests.bot.simulated_guild import SimGuild, secret
from tests.bot.tables.greedy_clicks import take_turn
from tests.bot.tables.stacked_deals import dealt, play_out, random_tile_action, store_match
from tests.bot.use_cases import UseCases

LONG_NAME = "Somebody with a long name"


def longest_text(key: str) -> str:
    texts = [load_words(language).texts[key] for language in list_languages()]
    return max(
        (form for text in texts for form in (text.forms.values() if isinstance(text, PluralText) else [text])), key=len
    )


LONGEST_WORDS = Words("wordy", {key: longest_text(key) for key in load_words().texts})

CASES = (
    *((game, "", load_rules(game).min_seats) for game in list_games()),
    *((game, "", load_rules(game).max_seats) for game in list_games()),
    ("quad-ominos", "quad_arrangement=free", 2),
    ("star", "layout=open", 2),
    ("star", "tile_set=td56", 2),
    ("muggins", "layout=open", 2),
)


def parts(view: ui.LayoutView) -> Iterator[dict[str, Any]]:
    def walk(tree: Any) -> Iterator[dict[str, Any]]:
        for part in tree:
            yield part
            yield from walk(part.get("components", ()))

    yield from walk(view.to_components())


def check_limits(view: ui.LayoutView) -> None:
    found = list(parts(view))
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


def menu_options(view: ui.LayoutView) -> list[dict[str, Any]]:
    options = [option for part in parts(view) for option in part.get("options", ())]
    assert len({(one["label"], one.get("description")) for one in options}) == len(options)
    assert len({one["value"] for one in options}) == len(options)
    return options


def reachable_moves(at: Table, names: SeatNames, match: Match) -> set[str]:
    seen = view_for(match, match.turn)
    view = build_hand_view(at, seen, names, LONGEST_WORDS, alt="The hand.")
    check_limits(view)
    values = [one["value"] for one in menu_options(view)]
    if len(seen.moves) <= MENU_SIZE:
        return set(values)
    found: set[str] = set()
    for choice in move_labels.group_moves_by_tile(seen):
        assert move_labels.encode_tile(choice.tile) in values
        one_tile = build_hand_view(at, seen, names, LONGEST_WORDS, alt="The hand.", tile=choice.tile)
        check_limits(one_tile)
        found |= {one["value"] for one in menu_options(one_tile)}
    return found


def read_rules(game: str, option: str) -> Rules:
    return load_rules(game).with_option(*option.split("=")) if option else load_rules(game)


@pytest.mark.parametrize(("game", "option", "seats"), CASES)
async def test_messages_of_match_fit_and_offer_every_move(
    use_cases: UseCases, game: str, option: str, seats: int
) -> None:
    rng, deal, played = random.Random(7), secret(7), read_rules(game, option)
    # With all characters escaped, these are the longest possible names.
    plain = tuple(f"{seat}{'|*' * 16}"[:32] for seat in range(seats))
    names = SeatNames(plain, tuple(map(escape_text, plain)))
    opened = await use_cases.open(game=game, seats=seats)
    head = replace(opened.head, match_id=999_999_999, seq=99_999)
    event_log = build_event_log(start(played, seats=seats, computers=[], by_hand=False, secret=deal))
    play_out(event_log, deal)
    rows = tuple(SeatRow(seat=seat, user_id=seat, joined_at=0) for seat in range(seats))
    for turn in range(150):
        match = event_log.match
        if match.ended or match.round > 1:
            break
        if turn % 5 == 0 or match.choosing or match.bonus_tiles or match.further:
            at = Table(head, replace(opened.state, seats=rows), event_log)
            seen = view_for(match, None)
            check_limits(
                build_board_view(
                    at,
                    seen,
                    names,
                    LONGEST_WORDS,
                    board_views.format_full_board_alt(seen, event_log, names, LONGEST_WORDS),
                )
            )
            board = board_text.format_text_board(
                LONGEST_WORDS,
                view_for(match, match.turn),
                names.escaped,
                board_views.format_recent_turns(event_log, names, LONGEST_WORDS),
            )
            assert len(board) <= 4000
            letters = {place.letter for place in seen.places}
            assert letters <= set(re.findall(r"[A-Z]{1,2}", board)), "however full, no open place is left out"
            mine = view_for(match, match.turn).moves
            if seen.reward is None:
                assert reachable_moves(at, names, match) == {
                    move_labels.encode_placement(move.placement) for move in mine
                }
            for move in mine[-1:]:
                seen = view_for(match, match.turn)
                check_limits(
                    build_hand_view(at, seen, names, LONGEST_WORDS, alt="The hand.", chosen=move, note="n" * 2600)
                )
        _apply_events(event_log, decide(match, random_tile_action(match, rng), deal))
        play_out(event_log, deal)
    assert turn > 8


def _apply_events(event_log: EventLog, events: list[Event]) -> None:
    for event in events:
        event_log.apply(event)


async def test_many_tiles_are_spread_over_two_menus(sim: SimGuild, ada: MemberActor, grace: MemberActor) -> None:
    log, event_log = deal_many_playable_tiles()
    await store_match(sim, log, ada, grace)
    seen = view_for(event_log.match, 0)
    playable = move_labels.group_moves_by_tile(seen)
    assert len(playable) > MENU_SIZE

    hand = await sim.hand(ada)

    first, second = menus(hand)
    assert (first.placeholder, second.placeholder) == ("Choose a tile… (1 of 2)", "Choose a tile… (2 of 2)")
    labels = [option.label.split(" · ")[0] for menu in (first, second) for option in menu.options]
    assert labels == [format_tile_notation(choice.tile) for choice in playable], "best first, none left out"
    assert len(first.options) == MENU_SIZE
    assert all(len(alt) <= 1024 for alt in pictures(hand))
    assert len(words_of(private(await ada.slash(sim.channel, "tiles board", text=True)))) <= 4000
    where = private(await ada.select(hand, [second.options[-1].value], custom_id=second.custom_id))
    tile = labels[-1]
    assert menus(where)[0].placeholder.startswith(f"Where to play {tile}?")
    option = menus(where)[-1].options[-1]
    preview = private(await ada.select(where, [option.value], custom_id=menus(where)[-1].custom_id))
    played = private(await ada.click(preview, label=next(one for one in button_ids(preview) if one.startswith("Play"))))
    assert words_of(played).startswith(f"You played {tile} ")


def deal_many_playable_tiles() -> tuple[list[Event], EventLog]:
    game = load_rules("quad-ominos")
    tiles = sorted(game.tiles, key=lambda tile: (len(set(tile)) == 1, tile))
    small = tiles[2::9]
    large = [tile for tile in tiles if tile not in small]
    log: list[Event] = dealt(game, " ".join(map(format_labels, reversed(large))), " ".join(map(format_labels, small)))
    event_log = build_event_log(log)
    rng = random.Random(1)
    log += play_out(event_log, secret(1))
    while (
        event_log.match.turn != 0
        or event_log.match.choosing
        or len(move_labels.group_moves_by_tile(view_for(event_log.match, 0))) <= MENU_SIZE
    ):
        happened = decide(event_log.match, random_tile_action(event_log.match, rng), secret(1))
        _apply_events(event_log, happened)
        log += [*happened, *play_out(event_log, secret(1))]
    return log, event_log


async def test_review_of_twelve_players_fits_message(use_cases: UseCases) -> None:
    plain = tuple(f"{seat}{'|*' * 16}"[:32] for seat in range(12))
    names = SeatNames(plain, tuple(map(escape_text, plain)))
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
        said = "\n".join(part["content"] for part in parts(view) if part["type"] == 10)
        assert [name in said for name in names.escaped[:many]] == [True] * many
        assert said.endswith(LONGEST_WORDS("review.guess"))
        assert said.count("−161") == (many if many == 2 else 0)


async def test_table_of_twelve_fits_lobby_and_board(sim: SimGuild, ada: MemberActor) -> None:
    people = [ada, *(sim.person(f"{LONG_NAME} {number}") for number in range(2, 12))]
    await ada.slash(sim.channel, "tiles new", game="quad-ominos", seats=12)
    for person in people[1:]:
        await person.click(sim.board(), label="Join")
    lobby = words_of(sim.board())
    assert lobby.count(LONG_NAME) == 10
    assert "12. *free*" in lobby
    await sim.add_computer(ada)
    match = await sim.match()
    assert len(match.seats) == 12
    assert all(len(seat.hand) >= 7 for seat in match.seats)
    (alt,) = pictures(sim.board())
    assert len(alt) <= 1024
    assert "Well " in alt
    for person in people:
        text = words_of(private(await person.slash(sim.channel, "tiles board", text=True)))
        assert text.count(LONG_NAME) >= 10
        assert len(text) <= 4000
    await take_turn(sim, sim.to_move())
