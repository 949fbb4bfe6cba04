"""Boards, questions, calls and refusals stay correct when the match changes."""

import random
import re

import pytest

from bot.core.names import SeatNames
from bot.core.safe_text import escape_text
from bot.tables.board_views import build_captions, format_recent_turns
from bot.tables.hand_commands import require_seat
from bot.tables.hand_views import build_picture_words
from bot.tables.move_labels import format_point_count, format_tile
from bot.tables.rules_text import format_set_chart
from data.rulebook import load_rules
from data.words import list_languages, load_words
from engine.board.board import Placement
from engine.board.tiles import format_tile_notation
from engine.match.decide import decide, start
from engine.match.event_log import build_event_log
from engine.match.events import Passed, Placed
from engine.match.player_view import view_for
from engine.match.state import find_last_placement
from tests.abuse.sealed_deals import seal_deal
from tests.bot.member import Member
from tests.bot.messages import Message, list_alt_texts, list_menus, read_button_ids, read_private_text, read_text
from tests.bot.simulated_guild import GOING_OUT_DEAL, MIXED_HAND_DEAL, SimGuild, derive_secret
from tests.bot.tables.stacked_deals import choose_random_tile_action
from tests.bot.tables.timeouts import get_display_name, start_with_absent_player
from tests.project.sources import ROOT
from tests.wording import en, has_sentence

ENGLISH_WORDS = load_words("en")


def read_move_number(sim: SimGuild) -> int:
    (number,) = re.findall(r"· move (\d+)", sim.read_board())
    return int(number)


async def test_board_move_number_counts_tiles_and_passes(room: SimGuild) -> None:
    assert (read_move_number(room), len((await room.replay_match()).board.placed)) == (1, 1)
    mover = room.get_called_player()
    await room.play_by_typing(mover)
    await room.settle_turns()
    event_log = (await room.load_table()).event_log
    plays = [one for one in event_log.events if isinstance(one.event, Placed | Passed)]
    assert read_move_number(room) == len(plays) >= 2
    next_player = room.get_called_player()
    best = view_for(event_log.match, event_log.match.turn).moves[0]
    await next_player.use_command("tiles play", tile=format_tile_notation(best.placement.tile), place=best.letter)
    assert read_move_number(room) == len(plays) + 1
    assert (await next_player.read_command("tiles undo")).startswith("You took back")
    assert read_move_number(room) == len(plays), "what was taken back is no move"


def list_absence_questions(sim: SimGuild) -> list[Message]:
    return [
        one
        for one in sim.list_public_messages()
        if any(text.startswith("by:absent:") for text in read_button_ids(one).values())
    ]


@pytest.mark.parametrize("answer", ["plays", "nobody", "leaves"])
async def test_settled_absence_question_shows_outcome(sim: SimGuild, ada: Member, grace: Member, answer: str) -> None:
    mover, _ = await start_with_absent_player(sim, ada, grace)
    (question,) = list_absence_questions(sim)
    await sim.restart()
    match answer:
        case "plays":
            await sim.play_by_typing(mover)
            outcome = "the match continued."
        case "leaves":
            await mover.use_command("tiles settings", vacation=3)
            await sim.wait()
            outcome = "the match continued."
        case _:
            await sim.wait(hours=25)
            await sim.wait()
            outcome = "the computer took the turn."
    assert list_absence_questions(sim) == []
    outcome_text = next(read_text(one) for one in sim.list_public_messages() if one.id == question.id)
    assert outcome_text == "-# " + en("absence.over", name=get_display_name(mover), outcome=outcome)


async def test_call_after_pause_shows_no_past_deadline(sim: SimGuild, ada: Member, grace: Member) -> None:
    mover, (other,) = await start_with_absent_player(sim, ada, grace)
    await other.use_command("tiles match pause")
    await sim.wait(hours=24 * 9)
    await other.click(sim.get_board(), label="Resume")
    await sim.wait()
    deadline = (await sim.load_table()).clock.watch.until
    (question,) = list_absence_questions(sim)
    assert f"by <t:{deadline // 1000}:f>" in read_text(question)
    call = read_text(sim.list_calls()[-1])
    assert f"<@{mover.id}>, your turn" in call
    assert not has_sentence(call, "clock.call")


async def test_absent_player_ending_pause_closes_absence_question(sim: SimGuild, ada: Member, grace: Member) -> None:
    mover, (other,) = await start_with_absent_player(sim, ada, grace)
    await other.use_command("tiles match pause")
    await mover.click(sim.get_board(), label="Resume")
    await sim.wait()
    assert list_absence_questions(sim) == []


@pytest.mark.parametrize("pace", ["bank 6d+3d", "relaxed"])
async def test_reminder_against_computers_shows_no_deadline(sim: SimGuild, ada: Member, pace: str) -> None:
    await ada.use_command("tiles settings", every="6h")
    await sim.start_table(ada, computers=1, clock=pace)
    await sim.wait(hours=7)
    reminder = next(one for one in sim.list_public_messages() if "it's still your turn in" in read_text(one))
    assert "<t:" not in read_text(reminder)
    await sim.wait(hours=18)
    assert (await sim.load_head()).state == "void"


async def test_lobby_of_sealed_deal_needs_all_seats(sim: SimGuild, ada: Member, grace: Member) -> None:
    deal = await seal_deal(sim, ada, seats=3)
    await ada.use_command("tiles new", deal=deal)
    await grace.click(sim.get_board(), label="Join")
    lobby = sim.read_board()
    assert "can start" not in lobby
    assert has_sentence(lobby, "lobby.waiting_all")
    assert "2–3 seats" not in lobby
    assert "3 seats" in lobby


async def test_host_of_sealed_deal_changes_only_allowed_terms(sim: SimGuild, ada: Member) -> None:
    deal = await seal_deal(sim, ada, seats=3)
    await ada.use_command("tiles new", deal=deal)
    await ada.use_command("tiles-host setup", clock="2d", rated=False)
    terms = await sim.load_terms()
    assert (terms["clock"], terms["rated"], terms["deal"]) == ("days 2d", False, deal)
    refused = await ada.read_command("tiles-host setup", target=50)
    assert has_sentence(refused, "no.DEAL_FIXED")


async def test_undo_at_sealed_deal_is_refused(sim: SimGuild, ada: Member, grace: Member) -> None:
    deal = await seal_deal(sim, ada, number=MIXED_HAND_DEAL)
    await ada.use_command("tiles new", deal=deal)
    await grace.click(sim.get_board(), label="Join")
    first = await sim.load_turn_player()
    await sim.play_by_typing(first)
    await sim.play_by_typing(await sim.load_turn_player())
    assert has_sentence(await first.read_command("tiles undo"), "no.DEAL_NO_UNDO")


async def test_watcher_is_offered_no_hand(room: SimGuild, ada: Member, linus: Member) -> None:
    for text in (False, True):
        watcher_board = await linus.open_command("tiles board", text=text)
        playing = await ada.open_command("tiles board", text=text)
        assert ("My hand" in read_button_ids(watcher_board), "My hand" in read_button_ids(playing)) == (False, True)


async def test_rules_mention_table_only_for_its_game(sim: SimGuild, ada: Member, grace: Member) -> None:
    answered = await ada.open_command("tiles rules", game="star")
    assert read_text(answered).startswith("## Star\n")
    assert list_alt_texts(answered)[1] == format_set_chart(load_rules("star"), load_words("en"))[2]
    assert (await ada.read_command("tiles rules")).startswith("## Triominoes\n")
    await sim.start_table(ada, grace)
    assert (await ada.read_command("tiles rules", game="star")).startswith("## Star\n")
    assert has_sentence(await ada.read_command("tiles rules"), "rules.here", title="## Triominoes")


async def test_match_ended_within_round_shows_all_hands(sim: SimGuild, ada: Member, grace: Member) -> None:
    await sim.start_table(ada, grace, deal=GOING_OUT_DEAL)
    await sim.play_by_typing(sim.get_called_player())
    loser, winner = sim.get_called_player(), sim.get_waiting_player()
    await loser.click(await loser.open_command("tiles match resign"), label="Resign")
    table = await sim.load_table()
    seat = require_seat(table, winner.id)
    (alt,) = list_alt_texts(sim.get_board())
    assert "Open places" not in alt
    hand = await winner.open_command("tiles hand")
    assert list_menus(hand) == []
    assert not has_sentence(list_alt_texts(hand)[0], "alt.hand_no_moves"), "some would, if the match went on"
    hand_tiles = table.match.seats[seat].hand
    text = await winner.read_command("tiles board", text=True)
    assert f"{get_display_name(winner)} {'-'.join(map(str, sorted(hand_tiles)[0]))} " in text.partition("Hands:")[2]
    assert "Open places" not in text


@pytest.mark.parametrize(("game", "title"), [("points", "What fits"), ("triominoes", "Best spots")])
def test_place_list_without_scores_is_not_called_best(game: str, title: str) -> None:
    match = build_event_log(start(load_rules(game), seats=2, computers=[], by_hand=True, secret=derive_secret(7))).match
    view = view_for(match, match.turn)
    assert any(move.points for move in view.moves) == (title == "Best spots")
    assert build_picture_words(view, ENGLISH_WORDS).title == title


@pytest.mark.parametrize("language", ["en", "de"])
def test_single_point_is_written_in_singular(language: str) -> None:
    words = load_words(language)
    assert format_point_count(words, 1) == {"en": "1 point", "de": "1 Punkt"}[language]
    assert format_point_count(words, -2) == {"en": "−2 points", "de": "−2 Punkte"}[language]


async def test_threads_of_same_host_have_different_names(sim: SimGuild, ada: Member) -> None:
    threads = [await sim.start_table(ada, computers=1, thread=True) for _ in range(3)]
    names = [thread.name for thread in threads]
    assert names == ["Triominoes · Ada's table", "Triominoes · Ada's table · 2", "Triominoes · Ada's table · 3"]


@pytest.mark.parametrize("turns", [30, 43, 58])
@pytest.mark.parametrize("long", [False, True])
def test_recent_moves_at_twelve_seats_include_every_player(turns: int, long: bool) -> None:
    rng, deal = random.Random(5), derive_secret(5)
    event_log = build_event_log(start(load_rules("quad-ominos"), seats=12, computers=[], by_hand=True, secret=deal))
    for _ in range(turns):
        for event in decide(event_log.match, choose_random_tile_action(event_log.match, rng), deal):
            event_log.apply(event)
    plain_names = tuple((f"{seat}{'*|' * 16}" if long else f"Player {seat}.")[:32] for seat in range(12))
    names = SeatNames(plain_names, tuple(map(escape_text, plain_names)))
    lines = format_recent_turns(event_log, names, ENGLISH_WORDS)
    acted = {one.event.seat for one in event_log.events[-40:] if isinstance(one.event, Placed | Passed)}
    assert len(acted) == 12
    for seat in range(12):
        assert any(f"**{names.escaped[seat]}**" in line for line in lines), f"seat {seat} is left out"
    assert len("\n".join(lines)) <= 3000


def test_picture_header_shows_name_without_escapes() -> None:
    event_log = build_event_log(
        start(load_rules("triominoes"), seats=2, computers=[], by_hand=True, secret=derive_secret(17))
    )
    for event in decide(
        event_log.match, choose_random_tile_action(event_log.match, random.Random(1)), derive_secret(17)
    ):
        event_log.apply(event)
    plain_names = ("**bold**", "\\o_o/")
    names = SeatNames(plain_names, tuple(map(escape_text, plain_names)))
    mover = plain_names[next(one.event.seat for one in event_log.events if isinstance(one.event, Placed))]
    assert build_captions(view_for(event_log.match, None), event_log, names, ENGLISH_WORDS).subtitle.startswith(
        f"{mover} opened with "
    )


async def test_move_line_names_neighbouring_tile(sim: SimGuild, ada: Member, grace: Member) -> None:
    await sim.start_table(ada, grace, deal=GOING_OUT_DEAL)
    (opening,) = (await sim.replay_match()).board.placed.values()
    mover = sim.get_called_player()
    hand = await sim.open_hand(mover)
    (menu,) = list_menus(hand)
    tile_text = "-".join(map(str, opening.tile))
    # The opening tile points up, so it has three neighbouring places.
    direction_texts = [f"{direction} {tile_text}" for direction in ("left of", "right of", "below")]
    assert all(any(way in option.description for way in direction_texts) for option in menu.options)
    first = next(way for way in direction_texts if way in menu.options[0].description)
    await sim.play_by_menu(mover)
    tile = menu.options[0].label.split(" → ")[0]
    assert f"**{get_display_name(mover)}** played {tile} {first}: " in sim.read_board()


async def test_shape_table_uses_shapes_in_texts(sim: SimGuild, ada: Member, grace: Member) -> None:
    await sim.start_table(ada, grace, theme="picture", deal=GOING_OUT_DEAL)
    mover = sim.get_called_player()
    shapes = "🌙💧❤⭐🍃🌸"
    for option in list_menus(await sim.open_hand(mover))[0].options:
        drawn, tile = option.label.replace("\N{VARIATION SELECTOR-16}", "").split(" → ")[0].split()
        assert drawn == "".join(shapes[int(label)] for label in tile.split("-"))
    suggestions = await mover.autocomplete(sim.channel, "tiles play", "tile", "")
    assert all(one["name"].replace("\N{VARIATION SELECTOR-16}", "")[0] in shapes for one in suggestions)
    text = await mover.read_command("tiles board", text=True)
    assert all(sign in text + sim.read_board() for sign in "🌙💧")


async def test_undo_question_at_shape_table_names_tile_in_shapes(sim: SimGuild, ada: Member, grace: Member) -> None:
    await sim.start_table(ada, grace, theme="picture", deal=MIXED_HAND_DEAL)
    first = sim.get_called_player()
    await sim.play_by_typing(first)
    second = await sim.load_turn_player()
    await sim.play_by_typing(second)
    last_placement = find_last_placement((await sim.replay_match()).undo_stack, 0 if first is ada else 1)
    tile_text = format_tile(last_placement.tile, "picture")
    await first.click(await first.open_command("tiles undo"), label="Ask the others")
    assert has_sentence(sim.read_board(), "agree.undo", tile=tile_text)
    answer = await second.click(sim.get_board(), label="Agree")
    assert read_private_text(answer).startswith(en("agree.done_undo", tile=tile_text))
    assert has_sentence("\n".join(sim.list_public_texts()), "agree.undo", tile=tile_text)


@pytest.mark.parametrize("theme", ["classic", "picture"])
async def test_answer_to_move_matches_public_line(sim: SimGuild, ada: Member, grace: Member, theme: str) -> None:
    await sim.start_table(ada, grace, theme=theme)
    mover = sim.get_called_player()
    answer_line = read_private_text(await sim.play_by_typing(mover)).splitlines()[0]
    public_name = f"**{get_display_name(mover)}** "
    (public,) = [line for line in sim.read_board().splitlines() if line.startswith(f"{public_name}played")]
    assert answer_line.removeprefix("You ").split(": ")[0] == public.removeprefix(public_name).split(": ")[0]
    assert re.search(r" (left of|right of|above|below) ", answer_line)


@pytest.mark.parametrize("language", list_languages())
def test_strategy_has_counted_and_measured_figures(language: str) -> None:
    rules, tables = load_rules("triominoes"), (ROOT / "docs" / "strength" / "tables.txt").read_text(encoding="utf-8")
    fitting = {
        len(set(tile)): len({move.tile for move in board.list_legal_moves({*rules.tiles} - {tile})})
        for tile in rules.tiles
        if (board := rules.build_board([Placement(tile, rules.plane.first, 0)]))
    }
    won = dict(re.findall(r"triominoes, 2 seats, .*\| (\w+) v greedy \|.*?\*\*(.+?)\*\*", tables))
    draw, failed = rules.draw_penalty, rules.max_draws * rules.draw_penalty + rules.failed_turn
    figures = [f"{float(won['master'][:4]):.0f}", 100, *(fitting[kind] for kind in (1, 2, 3)), draw, failed, draw, 14]

    text = load_words(language)("strategy.triominoes").replace(",", ".")
    found = re.findall(r"(?<![-\d])\d+(?:\.\d)?(?![-\d])", text)
    assert found == [*map(str, figures), won["heaviest"][:4], "100", won["heaviest"][-3:]]


def test_strategy_page_has_text_of_bot() -> None:
    page = (ROOT / "docs" / "tutorials" / "strategy.md").read_text(encoding="utf-8")
    assert page.startswith(en("strategy.triominoes").replace("\n**", "\n\n**").removeprefix("#"))


async def test_rules_of_triominoes_lead_to_strategy(sim: SimGuild, ada: Member) -> None:
    rules = await ada.open_command("tiles rules", game="triominoes")
    assert await ada.read_click(rules, en("strategy.title")) == en("strategy.triominoes")
    assert en("strategy.title") not in read_button_ids(await ada.open_command("tiles rules", game="star"))
