"""Reviews of finished matches in Discord: permissions, caching and sharing."""

import asyncio
import json
import re
import sys
from collections.abc import AsyncIterator
from dataclasses import replace
from typing import Any
from unittest.mock import Mock

import pytest
from discord import ui

from bot.app import build
from bot.client import Boneyard
from bot.computers.player_names import ComputationError
from bot.computers.worker_pool import MAX_PARTS, WorkerPool
from bot.core.metrics import REGISTRY
from bot.core.names import SeatNames
from bot.reviews.page_views import build_choice_page
from bot.reviews.posts import ReviewProgressUpdater
from bot.reviews.service import MAX_JOBS, ReviewJob, ReviewService, create_workers
from bot.reviews.views import ReviewPages, build_waiting_view
from bot.tables.past_match import load_replay
from bot.tables.service import Table
from data.rulebook import load_rules
from data.store.log.match_values import Head
from data.store.reviews.store import ReviewStore
from data.store.store import Store
from data.words import load_words
from engine.board.tiles import format_tile_notation
from engine.match.actions import Choose
from engine.match.events import Chose, Drew
from engine.record import read
from engine.reviews.findings import ChoiceReview, Review, build_seat_review, from_plain
from engine.table.evolve import LogEntry, replay
from engine.table.table_events import Opened
from engine.table.table_state import SeatRow
from engine.table.terms import Terms
from tests.bot.computers.workers import DYING_WORKER, INVALID_ANSWER_WORKER, MISSING_PROGRAM, SILENT_WORKER
from tests.bot.history.replays import play_to_result, read_png
from tests.bot.local_bot import Json, LocalBot, list_button_labels, run_local_bot
from tests.bot.local_bot import read_text as read_local_text
from tests.bot.member import Member
from tests.bot.messages import Message, list_alt_texts, list_menus, read_button_ids, read_text
from tests.bot.reviews.quick_reviewer import create_quick_workers
from tests.bot.simulated_guild import (
    BLOCKED_DEAL,
    TIMEOUT_SECONDS,
    DealSecrets,
    SimClock,
    SimGuild,
    build_greedy_chooser,
)
from tests.bot.waiting import wait_until
from tests.project.sources import ROOT
from tests.wording import en, has_sentence

# A worker process has to start before the first review.
pytestmark = pytest.mark.simcord(settle_timeout=120)

FLOODING_WORKER = (
    sys.executable,
    "-c",
    "from bot.computers.thinker import serve_requests\ndef flood(*_):\n    while True: yield (1, 2)\n"
    "serve_requests(flood)",
)
HEAD = Head(**dict.fromkeys(Head.__dataclass_fields__, None) | {"match_id": 7, "game": "quad-ominos", "state": "done"})
EVEN_DEAL, SWAYING_DEAL = 19, 17


@pytest.fixture
async def simcord_bot(store: Store, clock: SimClock, deals: DealSecrets) -> AsyncIterator[Boneyard]:
    bot = build(
        store, clock=clock, secret=deals, thinking=build_greedy_chooser(), workers={"reviews": create_quick_workers()}
    )
    yield bot
    await bot.services[ReviewService].end()
    await bot.services[ReviewProgressUpdater].end()


async def open_review(sim: SimGuild, person: Member, end: Message) -> Message:
    await person.click(end, label="Review")
    await wait_until_reviewed(sim)
    return await person.open_click(end, "Review")


async def wait_until_reviewed(sim: SimGuild) -> None:
    async with asyncio.timeout(TIMEOUT_SECONDS):
        await sim.client.services[ReviewService].wait_until_idle()
        await sim.client.services[ReviewProgressUpdater].wait_until_idle()


async def test_player_opens_review_and_pages_through_it(sim: SimGuild, ada: Member, grace: Member) -> None:
    end = await play_to_result(sim, ada, grace, deal=SWAYING_DEAL, target=10)
    public = len(sim.list_public_messages())

    review_message = await open_review(sim, ada, end)

    review_text = read_text(review_message)
    assert re.search(r"\*\*Ada\*\* · accuracy \*\*\d+\*\* of 100: \d+ choices?", review_text)
    assert re.search(r"\*\*Grace\*\* · accuracy", review_text)
    assert has_sentence(review_text, "review.guess")
    assert "wrong" not in review_text
    assert has_sentence(list_alt_texts(review_message)[0], "review.alt", game="Triominoes · to 10")
    stored_review = await ReviewStore(sim.store.transactions).find_review((await sim.load_head()).match_id)
    found = from_plain(json.loads(stored_review.text), (await sim.load_table()).match.rules)
    for seat in found.seats:
        assert seat.luck is not None
        assert f"accuracy **{round(seat.accuracy or 0)}**" in review_text
        numbers = re.findall(r"(?:Result|luck|skill|other) (-?\d+)", review_text.replace("−", "-").replace("+", ""))
        result, luck, skill, rest = (int(one) for one in numbers[4 * seat.seat : 4 * seat.seat + 4])
        assert luck + skill + rest == result == round(seat.luck.result), "it adds up as it is read"

    moment_message = await ada.open_click(review_message, "Decisive moments")
    assert moment_message.id == review_message.id
    assert f"Decisive moment 1 of {len(found.moments)}" in read_text(moment_message)
    assert re.search(r"\*\*Ada\*\*: from [+−]?\d+ to [+−]?\d+", read_text(moment_message))
    pictures_seen, page, last = (
        [await read_png(moment_message)],
        moment_message,
        len(list_menus(moment_message)[0].options),
    )
    for _ in range(last - 1):
        page = await ada.open_click(page, "Forward")
        pictures_seen.append(await read_png(page))
    assert "Forward" not in read_button_ids(page)
    assert len(set(pictures_seen)) == len(pictures_seen) == last
    if found.draws:
        page = await ada.open_click(page, "Back")
    assert re.search(r"chose: .*\nBest move found: ", read_text(page))
    assert re.search(r"it cost about \*\*\d+ points?\*\* \(± \d+\)", read_text(page))
    first_choice_page = await ada.open_select(page, str(len(found.moments) + 1))
    costliest_choice = max(found.choices, key=lambda one: one.cost)
    assert f"about **{max(1, round(costliest_choice.cost))} point" in read_text(first_choice_page)
    assert await ada.read_click(first_choice_page, "Overview") == review_text
    assert len(sim.list_public_messages()) == public, "nobody else sees any of it"


async def test_review_is_computed_once_and_reused_after_restart(sim: SimGuild, ada: Member, grace: Member) -> None:
    end, count_before = await play_to_result(sim, ada, grace, deal=EVEN_DEAL), read_review_count("made")
    await ada.click(end, label="Review")
    await grace.click(end, label="Review")
    await wait_until_reviewed(sim)
    second_review = await grace.open_click(end, "Review")
    assert read_review_count("made") == count_before + 1

    await sim.restart(workers={"reviews": WorkerPool(command=MISSING_PROGRAM)})
    message = await grace.open_click(sim.list_results()[-1], "Review")
    assert read_text(message) == read_text(second_review)
    assert await read_png(message) == await read_png(second_review)


async def test_luckiest_draw_has_page_with_hand(sim: SimGuild, ada: Member, grace: Member) -> None:
    end = await play_to_result(sim, ada, grace, deal=SWAYING_DEAL, target=10)
    await open_review(sim, ada, end)
    head = await sim.load_head()
    match_replay = await load_replay(sim.client.services.tables, head)
    event_index, draw_event = next(
        (at, event) for at, event in enumerate(match_replay.events) if isinstance(event, Drew)
    )
    stored_review = await ReviewStore(sim.store.transactions).find_review(head.match_id)
    best = {"at": event_index, "round": 1, "seat": draw_event.seat, "tiles": 1, "ahead": 24.4, "error": 3.0}
    other = {**best, "seat": 1 - draw_event.seat, "ahead": 7.0, "error": 1.0}

    async def open_review_with_draws(*draws: Json) -> Message:
        text = json.dumps({**json.loads(stored_review.text), "draws": draws})
        sim.clock.skipped_ms += 1000
        assert await ReviewStore(sim.store.transactions).save_review(head.match_id, text, {}, now=sim.clock())
        return await ada.open_click(end, "Review")

    page = await ada.open_click(await open_review_with_draws(best, other), "Luckiest draw")

    who, rival = ("Ada", "Grace") if draw_event.seat == 0 else ("Grace", "Ada")
    lines = read_text(page).split("\n")
    assert lines[0] == "### Luckiest draw of the match · round 1"
    tile = format_tile_notation(draw_event.tile)
    assert f"**{who}** drew **{tile}**." in lines
    assert has_sentence(lines, "review.drew_worth", points="**24 points**", error="6")
    assert en("review.drew_best", name=f"**{rival}**", points="7 points", error="2", round=1) in lines
    assert tile in list_alt_texts(page)[0].partition("than an average draw.")[2], (
        "the hand with what came is told in words, too"
    )
    assert "Forward" not in read_button_ids(page), "it is the last page"
    assert list_menus(page)[0].options[-1].label == "Luckiest draw"
    assert "Luckiest draw" not in read_button_ids(await open_review_with_draws()), "nobody had any luck"


def read_review_count(outcome: str) -> float:
    return REGISTRY.get_sample_value("boneyard_reviews_total", {"how": outcome}) or 0.0


async def test_running_match_or_rematch_has_no_review(sim: SimGuild, ada: Member, grace: Member, linus: Member) -> None:
    end = await play_to_result(sim, ada, grace, deal=BLOCKED_DEAL, target=10)
    await ada.click(end, label="Rematch")
    await grace.click(sim.get_board(), label="Join")
    running_id = (await sim.load_head()).match_id
    forged = await sim.post(
        f"by:review:{running_id}", f"by:review:{running_id}|x.3", f"by:showreview:{running_id}", "by:review:999"
    )
    before = await sim.take_snapshot()
    for number in range(3):
        for person in (ada, linus):
            answer = await person.read_click(forged, f"Button {number}")
            assert answer == en("review.not_over")
    assert has_sentence(await ada.read_click(forged, "Button 3"), "no.NO_SUCH_TABLE")
    assert await sim.take_snapshot() == before
    assert await ReviewStore(sim.store.transactions).find_review(running_id) is None
    assert not sim.client.services[ReviewService].find_job(running_id)


async def test_spectator_sees_review_only_after_it_is_shared(
    sim: SimGuild, ada: Member, grace: Member, linus: Member
) -> None:
    end = await play_to_result(sim, ada, grace, deal=EVEN_DEAL)
    answer = await linus.read_click(end, "Review")
    assert has_sentence(answer, "review.not_yours")
    assert not sim.client.services[ReviewService].find_job((await sim.load_head()).match_id), (
        "nothing is worked out for them"
    )
    review_message = await open_review(sim, ada, end)
    assert await linus.read_click(end, "Review") == answer, "it is still Ada's alone"

    public = len(sim.list_public_messages())
    await ada.click(review_message, label="Show to all")
    public_message = sim.list_public_messages()[-1]
    assert len(sim.list_public_messages()) == public + 1
    assert read_text(public_message) == read_text(review_message)
    assert set(read_button_ids(public_message)) == {"Review"}
    spectator_message = await linus.open_click(public_message, "Review")
    assert read_text(spectator_message) == read_text(review_message)
    assert "Show to all" not in read_button_ids(spectator_message)

    assert has_sentence(
        await grace.read_click(await grace.open_click(end, "Review"), "Show to all"), "review.shown_before"
    )
    assert len(sim.list_public_messages()) == public + 1, "nobody can fill a channel with it"
    await sim.wait(hours=25)
    await grace.click(await grace.open_click(end, "Review"), label="Show to all")
    assert len(sim.list_public_messages()) == public + 2


@pytest.mark.parametrize("broken", ["bot.reviews.views.render_overview", "bot.core.context.Context.show_publicly"])
async def test_failed_sharing_keeps_shared_review_and_can_be_retried(
    sim: SimGuild, ada: Member, grace: Member, linus: Member, monkeypatch: pytest.MonkeyPatch, broken: str
) -> None:
    end = await play_to_result(sim, ada, grace, deal=EVEN_DEAL)
    review_message = await open_review(sim, ada, end)
    await ada.click(review_message, label="Show to all")
    public_message, public_count = sim.list_public_messages()[-1], len(sim.list_public_messages())
    await sim.wait(hours=25)
    with monkeypatch.context() as broken_down:
        broken_down.setattr(broken, Mock(side_effect=OSError("no picture today")))
        await ada.click(review_message, label="Show to all")
    assert len(sim.list_public_messages()) == public_count

    assert await linus.read_click(public_message, "Review") == read_text(review_message)
    await ada.click(review_message, label="Show to all")
    assert len(sim.list_public_messages()) == public_count + 1, "nothing came of it, so it need not wait for a day"


async def test_review_uses_guild_language_in_public_and_user_language_privately(
    sim: SimGuild, ada: Member, grace: Member
) -> None:
    end = await play_to_result(sim, ada, grace, deal=EVEN_DEAL)
    await ada.use_command("tiles settings", colours="light", language="de")
    review_message = await open_review(sim, ada, end)
    assert "Genauigkeit" in read_text(review_message)
    await ada.click(review_message, label="Allen zeigen")
    assert "accuracy" in read_text(sim.list_public_messages()[-1])


async def test_replay_and_film_have_review_button(sim: SimGuild, ada: Member, grace: Member) -> None:
    end = await play_to_result(sim, ada, grace, deal=BLOCKED_DEAL, target=10)
    replay = await grace.open_click(end, "Replay")
    assert "Review" in read_button_ids(replay)
    await grace.click(replay, label="Review")
    await wait_until_reviewed(sim)
    assert en("review.guess") in await grace.read_click(end, "Review")
    film_message = await ada.open_command("tiles replay", film=True)
    assert en("review.guess") in await ada.read_click(film_message, "Review")


@pytest.mark.parametrize(
    ("language", "lines"),
    [
        ("en", ["**Grace** chose: **take the points**", "Best move found: **play more tiles**"]),
        ("de", ["**Grace** hat gewählt: **die Punkte nehmen**", "Bester gefundener Zug: **weitere Steine legen**"]),
    ],
)
def test_past_choice_is_described_as_past(language: str, lines: list[str]) -> None:
    log = read((ROOT / "tests" / "golden" / "quad-ominos-evening.txt").read_text(encoding="utf-8"), load_rules).events
    event_index, choice_event = next(
        (at, one) for at, one in enumerate(log) if isinstance(one, Chose) and one.option == "points"
    )
    rows = tuple(SeatRow(seat=seat, user_id=seat + 1, joined_at=0) for seat in range(2))
    terms = Terms(game="quad-ominos", seats=2, target=800, by_hand=False)
    before = Table(
        HEAD, *replay([LogEntry(Opened(terms, 1, rows), 0), *(LogEntry(one, 0) for one in log[:event_index])])
    )
    chosen_action, best_action = Choose(choice_event.seat, "points"), Choose(choice_event.seat, "tiles")
    choice = ChoiceReview(
        at=event_index,
        round=1,
        seat=choice_event.seat,
        made=chosen_action,
        best=best_action,
        cost=9.0,
        error=1.0,
        worlds=64,
        options=2,
    )
    pages = ReviewPages(
        Review(
            version=1,
            seats=(build_seat_review(choice_event.seat, [choice]),),
            rounds=(1,),
            choices=(choice,),
            curve=(),
            moments=(),
        )
    )
    player_names = ("Grace", "Grace")

    assert (
        build_choice_page(pages, 1, before, SeatNames(player_names, player_names), load_words(language), "dark").lines[
            :2
        ]
        == lines
    )


@pytest.mark.parametrize(
    ("program", "how"),
    [(SILENT_WORKER, "late"), (DYING_WORKER, "failed"), (INVALID_ANSWER_WORKER, "failed"), (FLOODING_WORKER, "failed")],
)
async def test_misbehaving_review_worker_is_killed(program: tuple[str, ...], how: str) -> None:
    workers, progress = create_workers(), list[object]()
    workers.command, workers.silence_timeout = program, 0.5 if how == "late" else TIMEOUT_SECONDS
    with pytest.raises(ComputationError, match=how):
        await workers.work(1, ("anything",), (bytes,), on_part=progress.append)
    assert not workers.pids
    assert len(progress) <= MAX_PARTS, "whoever tells without an end is heard for so long"
    await workers.end()


async def play_with_stuck_reviewer(local: LocalBot) -> Json:
    local.client.services[ReviewService].workers.command = SILENT_WORKER
    local.deals.next_numbers = [BLOCKED_DEAL]
    await local.use_command(local.ada, "tiles", "new", seats=2, target=10)
    await local.grace.click(
        await local.ada.wait_for_message(local.channel_id, lambda one: "Join" in list_button_labels(one)), label="Join"
    )
    return await local.ada.wait_for_message(local.channel_id, lambda one: "Verify" in list_button_labels(one))


async def test_user_has_one_pending_review_and_queue_is_limited(url: str) -> None:
    async with run_local_bot(url, review_workers=create_quick_workers()) as local:
        end, services = await play_with_stuck_reviewer(local), local.client.services
        first = await load_replay(services.tables, await local.load_head())
        finished_matches = [
            replace(first, head=replace(first.head, match_id=1 + offset)) for offset in range(MAX_JOBS + 1)
        ]
        answer = await local.click(local.ada, end, "Review")
        assert has_sentence(read_local_text(answer), "review.under_way")
        assert "0%" in read_local_text(answer)
        assert not has_sentence(read_local_text(answer), "review.waits"), "nobody else has asked for any"
        ada, reviews = int(local.ada.id), services[ReviewService]
        assert reviews.request(ada, finished_matches[1]) == "busy"
        assert (
            reviews.request(ada, finished_matches[0]) is reviews.request(99, finished_matches[0]) is reviews.find_job(1)
        ), "all wait for the same"
        assert all(
            isinstance(reviews.request(number, finished_matches[number]), ReviewJob) for number in range(1, MAX_JOBS)
        )
        count_before = read_review_count("busy")
        assert reviews.request(99, finished_matches[MAX_JOBS]) == "full"
        assert read_review_count("busy") == count_before + 1, "whoever runs the bot reads that people find no room"
        await wait_until(lambda: reviews.workers.pids)
        assert len(reviews.workers.pids) == 1, "one at a time"


def test_waiting_message_is_shown_to_waiting_user_only() -> None:
    jobs: list[ReviewJob] = []
    first, second = ReviewJob(1, others=jobs), ReviewJob(2, others=jobs)
    jobs += [first, second]

    assert [one.is_waiting for one in jobs] == [False, False], "neither has begun: a process is on its way"
    first.read_progress((0, 9))
    assert [one.is_waiting for one in jobs] == [False, True]
    for one in jobs:
        (waiting_message,) = [
            part
            for part in build_waiting_view(one, load_words("en")).walk_children()
            if isinstance(part, ui.TextDisplay)
        ]
        assert (has_sentence(waiting_message.content, "review.waits")) == one.is_waiting
    jobs.remove(first)
    assert not second.is_waiting


async def test_interrupted_review_restarts_on_next_request(url: str) -> None:
    async with run_local_bot(url, review_workers=create_quick_workers()) as local:
        end, reviews = await play_with_stuck_reviewer(local), local.client.services[ReviewService]
        answer = await local.click(local.ada, end, "Review")
        await wait_until(lambda: reviews.workers.pids)
        await reviews.end()
        assert not reviews.workers.pids
        assert reviews.find_job(1) is None
        await wait_until(lambda: not local.client.services[ReviewProgressUpdater].follower_count)
        reviews.workers = create_quick_workers()
        await local.ada.click(answer, label="Check again")
        await wait_until(lambda: local.client.services[ReviewProgressUpdater].follower_count)
        await wait_until(lambda: not local.client.services[ReviewProgressUpdater].follower_count)
        edited_answer = await local.ada.fetch_message(local.channel_id, answer["id"])
        assert en("review.guess") in read_local_text(edited_answer), (
            "the private message itself shows it as soon as it is there"
        )


async def test_user_deleted_during_review_is_not_named(url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    async with run_local_bot(url, review_workers=create_quick_workers()) as local:
        end, reviews = await play_with_stuck_reviewer(local), local.client.services[ReviewService]
        reviews.workers, may_continue = create_quick_workers(), asyncio.Event()
        work = WorkerPool.work

        async def review_after_event(workers: WorkerPool, *args: Any, **kwargs: Any) -> Any:
            await may_continue.wait()
            return await work(workers, *args, **kwargs)

        monkeypatch.setattr(WorkerPool, "work", review_after_event)
        waiting_message = await local.click(local.ada, end, "Review")
        assert reviews.find_job(1)
        asked = await local.use_command(local.grace, "tiles", "data", "delete")
        await local.click(local.grace, asked, "Delete everything")
        may_continue.set()
        await wait_until(lambda: not local.client.services[ReviewProgressUpdater].follower_count)

        text = read_local_text(await local.ada.fetch_message(local.channel_id, waiting_message["id"]))
        assert en("review.guess") in text
        assert "**Ada**" in text
        assert "Grace" not in text
