"""The text and alt text of the picture at the end of a match."""

from dataclasses import replace

import pytest

from bot.core.names import SeatNames
from bot.tables.board_text import format_board_alt
from bot.tables.board_views import build_captions
from bot.tables.end_views import MatchCard
from data.rulebook import load_rules
from data.words import load_words
from engine.board.board import Placement
from engine.board.lattice import TRIANGLES
from engine.match.decide import start
from engine.match.event_log import EventLog, PublicEvent, build_event_log
from engine.match.events import MatchEnded, Placed
from engine.match.player_view import view_for
from engine.match.state import replay
from engine.record import read, rerun
from tests.bot.member import Member
from tests.bot.messages import iterate_components, read_button_ids, read_text
from tests.bot.simulated_guild import GOING_OUT_DEAL, SHORT_MATCH_DEAL, SimGuild
from tests.bot.tables.stacked_deals import play_moves, stack_deal
from tests.wording import en, has_sentence

NAMES = SeatNames(("Ada *the* Great", "Björn"), ("Ada", "Björn"))


def build_finished_log(*points: int, totals: tuple[int, int], places: tuple[int, int]) -> EventLog:
    log = build_event_log(start(load_rules("triominoes"), seats=2, computers=(), by_hand=False, secret=bytes(32)))
    total = 0
    for points_made in points:
        total += points_made
        event = Placed(0, (0, 2, 5), TRIANGLES.first, 0, points_made, int(points_made > 50), False, 0, 0, points_made)
        log.events.append(PublicEvent(event, 1, (total, 0), False))
    log.match.board.place(Placement((0, 2, 5), TRIANGLES.first, 0))
    log.match.ended = MatchEnded(totals, places, "")
    for seat, total in zip(log.match.seats, totals, strict=True):
        seat.total = total
    return log


@pytest.mark.parametrize(
    ("language", "title", "move"),
    [
        ("en-US", "Ada *the* Great wins", "The decisive move: 0-2-5 closes a hexagon, +57, from 340 to 397"),
        ("de", "Ada *the* Great gewinnt", "Der entscheidende Zug: 0-2-5 schließt ein Sechseck, +57, von 340 auf 397"),
    ],
)
def test_alt_text_names_winner_and_winning_move(language: str, title: str, move: str) -> None:
    log = build_finished_log(340, 57, totals=(397, 375), places=(1, 2))
    log.events[0] = replace(log.events[0], event=replace(log.events[0].event, points=9))
    alt = MatchCard(view_for(log.match, None), log, NAMES, load_words(language)).format_alt()
    assert alt.startswith(title)
    assert move in alt
    assert "1. Ada *the* Great" in alt
    assert "2. Björn" in alt


def test_shared_win_has_no_leader_and_can_be_rendered() -> None:
    log = build_finished_log(20, totals=(20, 20), places=(1, 1))
    card = MatchCard(view_for(log.match, None), log, NAMES, load_words())
    assert "share the win" in card.format_alt()
    assert "ahead" not in card.format_alt()
    assert card.render(theme="classic", scheme="dark").width == 1200


LONG_NAME = "Bartholomew Montgomery the Third"


def build_header(*names: str) -> tuple[str, str]:
    log, _ = play_moves(stack_deal(load_rules("triominoes"), "135 000", "123 444", by_hand=True), "U0,0=135")
    event_log = build_event_log(log)
    captions = build_captions(view_for(event_log.match, None), event_log, SeatNames(names, names), load_words())
    return captions.subtitle, captions.turn


def format_alt(*last: str) -> str:
    log = start(load_rules("triominoes"), seats=2, computers=(), by_hand=True, secret=bytes(32))
    return format_board_alt(load_words(), view_for(replay(log), None), ("Ada", "Grace"), last)


def test_undrawable_name_is_replaced_by_seat_number():
    assert build_header("李小龍 🐉", "東京") == ("#1 opened with 1-3-5: +9 → 9", en("board.turn", name="#2"))


def test_long_name_is_shortened_but_score_is_not():
    assert build_header(LONG_NAME, LONG_NAME) == (
        "Bartholomew Montg… opened with 1-3-5: +9 → 9",
        en("board.turn", name="Bartholomew Montg…"),
    )


def test_alt_text_has_no_doubled_spaces_or_full_stops():
    assert "  " not in format_alt()
    assert "Scores: Ada 0" in format_alt()
    assert "Grace resigned. Scores:" in format_alt("**Grace** resigned.")


FILE_COMPONENT = 13  # Discord's component type of a file


async def test_record_of_finished_match_is_public(sim: SimGuild, ada: Member, grace: Member) -> None:
    await sim.start_table(ada, grace, target=60, preset="goliath", deal=GOING_OUT_DEAL)
    await sim.play_to_the_end()
    alan = sim.add_member("Alan")
    (end,) = sim.list_results()
    public = len(sim.list_public_messages())

    answer = await alan.open_click(end, "Record")

    assert has_sentence(read_text(answer), "record.here")
    assert [part["file"]["url"] for part in iterate_components(answer) if part["type"] == FILE_COMPONENT]
    (attached,) = answer.attachments
    assert attached.filename == "match.txt"
    record = read((await attached.read()).decode(), load_rules)
    loaded = await sim.load_stored_match()
    assert record.events == loaded.events
    assert rerun(record).faults == []
    assert rerun(record).is_proved
    assert record.header.preset == "goliath"
    assert len(sim.list_public_messages()) == public, "nobody else sees it"


async def test_record_contains_seats_but_no_names(sim: SimGuild, ada: Member, grace: Member) -> None:
    await sim.start_table(ada, grace, target=60, deal=SHORT_MATCH_DEAL)
    await sim.play_to_the_end()

    answer = await ada.open_click(sim.list_results()[0], "Record")

    text = (await answer.attachments[0].read()).decode()
    assert not any(name in text for name in ("Ada", "Grace", str(ada.id), str(grace.id)))


async def test_running_match_has_no_record(room: SimGuild, grace: Member) -> None:
    assert "Record" not in read_button_ids(room.get_board())
    match_id = (await room.load_head()).match_id
    forged = await room.post(f"by:record:{match_id}")

    answer = await grace.open_click(forged, "Button 0")

    assert read_text(answer) == en("record.not_over")
    assert not answer.attachments
