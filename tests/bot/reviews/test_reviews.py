"""Reviews of finished matches in Discord: permissions, caching and sharing."""

import asyncio
import json
import re
import sys
from collections.abc import AsyncIterator
from dataclasses import replace
from typing import Any, Final

import pytest
from discord import ui
from simcord import MemberActor

from bot.app import build
from bot.client import Boneyard
from bot.computers.player_names import ComputationError
from bot.computers.worker_pool import MOST_PARTS, WorkerPool
from bot.core.metrics import REGISTRY
from bot.core.names import SeatNames
from bot.reviews.page_views import build_choice_page
from bot.reviews.posts import ReviewProgressUpdater
from bot.reviews.service import MOST_JOBS, ReviewJob, ReviewService, create_workers
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
from tests.bot.computers.workers import MUTE, NOWHERE, RAVING, STUCK, eventually
from tests.bot.history.replays import over, png
from tests.bot.local_bot import Json, LocalBot, labels, run_local_bot
from tests.bot.local_bot import words_of as reading
from tests.bot.messages import Message, button_ids, menus, pictures, private, told, words_of
from tests.bot.reviews.quick_reviewer import quickly
from tests.bot.simulated_guild import BLOCKED, PATIENCE, Clock, Deals, SimGuild, greedily
from tests.project.sources import ROOT
from tests.wording import en, says

# A worker process has to start before the first review.
pytestmark = pytest.mark.simcord(settle_timeout=120)

FLOODING = (
    sys.executable,
    "-c",
    "from bot.computers.thinker import think\ndef flood(*_):\n    while True: yield (1, 2)\nthink(flood)",
)
HEAD: Final = Head(
    match_id=7,
    game="quad-ominos",
    guild_id=1,
    channel_id=2,
    host_id=1,
    state="done",
    seq=9,
    shown_seq=9,
    board_message_id=None,
    turn_message_id=None,
    turn=None,
    due=None,
    secret=b"",
    created_at=0,
    updated_at=0,
)
EVEN, SWAYING = 19, 17


@pytest.fixture
async def simcord_bot(store: Store, clock: Clock, deals: Deals) -> AsyncIterator[Boneyard]:
    bot = build(store, clock=clock, secret=deals, thinking=greedily(), workers={"reviews": quickly()})
    yield bot
    await bot.services[ReviewService].end()
    await bot.services[ReviewProgressUpdater].end()


async def review_of(sim: SimGuild, person: MemberActor, end: Message) -> Message:
    await person.click(end, label="Review")
    await made(sim)
    return private(await person.click(end, label="Review"))


async def made(sim: SimGuild) -> None:
    async with asyncio.timeout(PATIENCE):
        await sim.client.services[ReviewService].wait_until_idle()
        await sim.client.services[ReviewProgressUpdater].wait_until_idle()


async def test_player_opens_review_and_pages_through_it(sim: SimGuild, ada: MemberActor, grace: MemberActor) -> None:
    end = await over(sim, ada, grace, deal=SWAYING, target=10)
    public = len(sim.public())

    shown = await review_of(sim, ada, end)

    said = words_of(shown)
    assert re.search(r"\*\*Ada\*\* · accuracy \*\*\d+\*\* of 100: \d+ choices?", said)
    assert re.search(r"\*\*Grace\*\* · accuracy", said)
    assert says(said, "review.guess")
    assert "wrong" not in said
    assert says(pictures(shown)[0], "review.alt", game="Triominoes · to 10")
    kept = await ReviewStore(sim.store.transactions).find_review((await sim.head()).match_id)
    found = from_plain(json.loads(kept.text), (await sim.now()).match.rules)
    for seat in found.seats:
        assert seat.luck is not None
        assert f"accuracy **{round(seat.accuracy or 0)}**" in said
        numbers = re.findall(r"(?:Result|luck|skill|other) (-?\d+)", said.replace("−", "-").replace("+", ""))
        result, luck, skill, rest = (int(one) for one in numbers[4 * seat.seat : 4 * seat.seat + 4])
        assert luck + skill + rest == result == round(seat.luck.result), "it adds up as it is read"

    moment = private(await ada.click(shown, label="Decisive moments"))
    assert moment.id == shown.id
    assert f"Decisive moment 1 of {len(found.moments)}" in words_of(moment)
    assert re.search(r"\*\*Ada\*\*: from [+−]?\d+ to [+−]?\d+", words_of(moment))
    seen, page, last = [await png(moment)], moment, len(menus(moment)[0].options)
    for _ in range(last - 1):
        page = private(await ada.click(page, label="Forward"))
        seen.append(await png(page))
    assert "Forward" not in button_ids(page)
    assert len(set(seen)) == len(seen) == last
    if found.draws:
        page = private(await ada.click(page, label="Back"))
    assert re.search(r"chose: .*\nBest move found: ", words_of(page))
    assert re.search(r"it cost about \*\*\d+ points?\*\* \(± \d+\)", words_of(page))
    first_choice = private(await ada.select(page, [str(len(found.moments) + 1)]))
    worst = max(found.choices, key=lambda one: one.cost)
    assert f"about **{max(1, round(worst.cost))} point" in words_of(first_choice)
    assert words_of(private(await ada.click(first_choice, label="Overview"))) == said
    assert len(sim.public()) == public, "nobody else sees any of it"


async def test_review_is_computed_once_and_reused_after_restart(
    sim: SimGuild, ada: MemberActor, grace: MemberActor
) -> None:
    end, so_far = await over(sim, ada, grace, deal=EVEN), counted("made")
    await ada.click(end, label="Review")
    await grace.click(end, label="Review")
    await made(sim)
    hers = private(await grace.click(end, label="Review"))
    assert counted("made") == so_far + 1

    await restarted(sim, WorkerPool(command=NOWHERE))
    shown = private(await grace.click(sim.ends()[-1], label="Review"))
    assert words_of(shown) == words_of(hers)
    assert await png(shown) == await png(hers)


async def test_luckiest_draw_has_page_with_hand(sim: SimGuild, ada: MemberActor, grace: MemberActor) -> None:
    end = await over(sim, ada, grace, deal=SWAYING, target=10)
    await review_of(sim, ada, end)
    head = await sim.head()
    past = await load_replay(sim.client.services.tables, head)
    at, drew = next((at, event) for at, event in enumerate(past.events) if isinstance(event, Drew))
    assert drew.tile is not None
    kept = await ReviewStore(sim.store.transactions).find_review(head.match_id)
    assert kept is not None
    best = {"at": at, "round": 1, "seat": drew.seat, "tiles": 1, "ahead": 24.4, "error": 3.0}
    other = {**best, "seat": 1 - drew.seat, "ahead": 7.0, "error": 1.0}

    async def with_draws(*draws: Json) -> Message:
        text = json.dumps({**json.loads(kept.text), "draws": draws})
        sim.clock.skipped += 1000
        assert await ReviewStore(sim.store.transactions).save_review(head.match_id, text, {}, now=sim.clock())
        return private(await ada.click(end, label="Review"))

    page = private(await ada.click(await with_draws(best, other), label="Luckiest draw"))

    who, rival = ("Ada", "Grace") if drew.seat == 0 else ("Grace", "Ada")
    lines = words_of(page).split("\n")
    assert lines[0] == "### Luckiest draw of the match · round 1"
    tile = format_tile_notation(drew.tile)
    assert f"**{who}** drew **{tile}**." in lines
    assert says(lines, "review.drew_worth", points="**24 points**", error="6")
    assert en("review.drew_best", name=f"**{rival}**", points="7 points", error="2", round=1) in lines
    assert tile in pictures(page)[0].partition("than an average draw.")[2], (
        "the hand with what came is told in words, too"
    )
    assert "Forward" not in button_ids(page), "it is the last page"
    assert menus(page)[0].options[-1].label == "Luckiest draw"
    assert "Luckiest draw" not in button_ids(await with_draws()), "nobody had any luck"


async def restarted(sim: SimGuild, looking_back: WorkerPool) -> Boneyard:
    before, sim.store = sim.store, await Store.open(sim.url)
    bot = build(sim.store, clock=sim.clock, secret=sim.deals, thinking=greedily(), workers={"reviews": looking_back})
    await sim.env.restart_bot(bot)
    await before.close()
    return bot


def counted(how: str) -> float:
    return REGISTRY.get_sample_value("boneyard_reviews_total", {"how": how}) or 0.0


async def test_running_match_or_rematch_has_no_review(
    sim: SimGuild, ada: MemberActor, grace: MemberActor, linus: MemberActor
) -> None:
    end = await over(sim, ada, grace, deal=BLOCKED, target=10)
    await ada.click(end, label="Rematch")
    await grace.click(sim.board(), label="Join")
    running = (await sim.head()).match_id
    forged = await sim.post(
        f"by:review:{running}", f"by:review:{running}|x.3", f"by:showreview:{running}", "by:review:999"
    )
    before = await sim.standing()
    for number in range(3):
        for person in (ada, linus):
            said = told(await person.click(forged, label=f"Button {number}"))
            assert said == en("review.not_over")
    assert says(told(await ada.click(forged, label="Button 3")), "no.NO_SUCH_TABLE")
    assert await sim.standing() == before
    assert await ReviewStore(sim.store.transactions).find_review(running) is None
    assert not sim.client.services[ReviewService].find_job(running)


async def test_spectator_sees_review_only_after_it_is_shared(
    sim: SimGuild, ada: MemberActor, grace: MemberActor, linus: MemberActor
) -> None:
    end = await over(sim, ada, grace, deal=EVEN)
    said = told(await linus.click(end, label="Review"))
    assert says(said, "review.not_yours")
    assert not sim.client.services[ReviewService].find_job((await sim.head()).match_id), (
        "nothing is worked out for them"
    )
    shown = await review_of(sim, ada, end)
    assert told(await linus.click(end, label="Review")) == said, "it is still Ada's alone"

    public = len(sim.public())
    await ada.click(shown, label="Show to all")
    everybody = sim.public()[-1]
    assert len(sim.public()) == public + 1
    assert words_of(everybody) == words_of(shown)
    assert set(button_ids(everybody)) == {"Review"}
    theirs = private(await linus.click(everybody, label="Review"))
    assert words_of(theirs) == words_of(shown)
    assert "Show to all" not in button_ids(theirs)

    assert says(
        told(await grace.click(private(await grace.click(end, label="Review")), label="Show to all")),
        "review.shown_before",
    )
    assert len(sim.public()) == public + 1, "nobody can fill a channel with it"
    await sim.wait(hours=25)
    await grace.click(private(await grace.click(end, label="Review")), label="Show to all")
    assert len(sim.public()) == public + 2


@pytest.mark.parametrize("broken", ["bot.reviews.views.overview", "bot.core.context.Context.show_publicly"])
async def test_failed_sharing_keeps_shared_review_and_can_be_retried(
    sim: SimGuild,
    ada: MemberActor,
    grace: MemberActor,
    linus: MemberActor,
    monkeypatch: pytest.MonkeyPatch,
    broken: str,
) -> None:
    end = await over(sim, ada, grace, deal=EVEN)
    shown = await review_of(sim, ada, end)
    await ada.click(shown, label="Show to all")
    everybody, public = sim.public()[-1], len(sim.public())
    await sim.wait(hours=25)
    with monkeypatch.context() as broken_down:
        broken_down.setattr(broken, ill)
        await ada.click(shown, label="Show to all")
    assert len(sim.public()) == public

    assert words_of(private(await linus.click(everybody, label="Review"))) == words_of(shown)
    await ada.click(shown, label="Show to all")
    assert len(sim.public()) == public + 1, "nothing came of it, so it need not wait for a day"


def ill(*_: object, **__: object) -> None:
    raise OSError("no picture today")


async def test_review_uses_guild_language_in_public_and_user_language_privately(
    sim: SimGuild, ada: MemberActor, grace: MemberActor
) -> None:
    end = await over(sim, ada, grace, deal=EVEN)
    await ada.slash(sim.channel, "tiles settings", colours="light", language="de")
    shown = await review_of(sim, ada, end)
    assert "Genauigkeit" in words_of(shown)
    await ada.click(shown, label="Allen zeigen")
    assert "accuracy" in words_of(sim.public()[-1])


async def test_replay_and_film_have_button_for_review(sim: SimGuild, ada: MemberActor, grace: MemberActor) -> None:
    end = await over(sim, ada, grace, deal=BLOCKED, target=10)
    replay = private(await grace.click(end, label="Replay"))
    assert "Review" in button_ids(replay)
    await grace.click(replay, label="Review")
    await made(sim)
    assert en("review.guess") in told(await grace.click(end, label="Review"))
    film = private(await ada.slash(sim.channel, "tiles replay", film=True))
    assert en("review.guess") in told(await ada.click(film, label="Review"))


@pytest.mark.parametrize(
    ("language", "lines"),
    [
        ("en", ["**Grace** chose: **take the points**", "Best move found: **play more tiles**"]),
        ("de", ["**Grace** hat gewählt: **die Punkte nehmen**", "Bester gefundener Zug: **weitere Steine legen**"]),
    ],
)
def test_past_choice_is_described_as_past(language: str, lines: list[str]) -> None:
    log = read((ROOT / "tests" / "golden" / "quad-ominos-evening.txt").read_text(encoding="utf-8"), load_rules).events
    at, chose = next((at, one) for at, one in enumerate(log) if isinstance(one, Chose) and one.option == "points")
    rows = tuple(SeatRow(seat=seat, user_id=seat + 1, joined_at=0) for seat in range(2))
    terms = Terms(game="quad-ominos", seats=2, target=800, by_hand=False)
    before = Table(HEAD, *replay([LogEntry(Opened(terms, 1, rows), 0), *(LogEntry(one, 0) for one in log[:at])]))
    made, best = Choose(chose.seat, "points"), Choose(chose.seat, "tiles")
    choice = ChoiceReview(
        at=at, round=1, seat=chose.seat, made=made, best=best, cost=9.0, error=1.0, worlds=64, options=2
    )
    pages = ReviewPages(
        Review(
            version=1,
            seats=(build_seat_review(chose.seat, [choice]),),
            rounds=(1,),
            choices=(choice,),
            curve=(),
            moments=(),
        )
    )
    called = ("Grace", "Grace")

    assert (
        build_choice_page(pages, 1, before, SeatNames(called, called), load_words(language), "dark").lines[:2] == lines
    )


@pytest.mark.parametrize(
    ("program", "how"), [(STUCK, "late"), (MUTE, "failed"), (RAVING, "failed"), (FLOODING, "failed")]
)
async def test_misbehaving_review_worker_is_killed(program: tuple[str, ...], how: str) -> None:
    workers, heard = create_workers(), list[object]()
    workers.command, workers.silence_timeout = program, 0.5 if how == "late" else PATIENCE
    with pytest.raises(ComputationError, match=how):
        await workers.work(1, ("anything",), (bytes,), on_part=heard.append)
    assert not workers.pids
    assert len(heard) <= MOST_PARTS, "whoever tells without an end is heard for so long"
    await workers.end()


async def stuck_at(at: LocalBot) -> Json:
    at.client.services[ReviewService].workers.command = STUCK
    at.deals.wanted = [BLOCKED]
    await at.answered(at.ada, await at.ada.use_command(at.place, "tiles", "new", seats=2, target=10))
    await at.grace.click(await at.ada.wait_for_message(at.place, lambda one: "Join" in labels(one)), label="Join")
    return await at.ada.wait_for_message(at.place, lambda one: "Verify" in labels(one))


async def test_user_has_one_pending_review_and_queue_is_limited(url: str) -> None:
    async with run_local_bot(url, looking_back=quickly()) as at:
        end, services = await stuck_at(at), at.client.services
        first = await load_replay(services.tables, await at.head())
        past = [replace(first, head=replace(first.head, match_id=1 + more)) for more in range(MOST_JOBS + 1)]
        told = await at.answered(at.ada, await at.ada.click(end, label="Review"))
        assert says(reading(told), "review.under_way")
        assert "0%" in reading(told)
        assert not says(reading(told), "review.waits"), "nobody else has asked for any"
        ada, reviews = int(at.ada.id), services[ReviewService]
        assert reviews.request(ada, past[1]) == "busy"
        assert reviews.request(ada, past[0]) is reviews.request(99, past[0]) is reviews.find_job(1), (
            "all wait for the same"
        )
        assert all(isinstance(reviews.request(number, past[number]), ReviewJob) for number in range(1, MOST_JOBS))
        so_far = counted("busy")
        assert reviews.request(99, past[MOST_JOBS]) == "full"
        assert counted("busy") == so_far + 1, "whoever runs the bot reads that people find no room"
        await eventually(lambda: reviews.workers.pids)
        assert len(reviews.workers.pids) == 1, "one at a time"


def test_waiting_message_is_shown_to_waiting_user_only() -> None:
    made: list[ReviewJob] = []
    first, second = ReviewJob(1, others=made), ReviewJob(2, others=made)
    made += [first, second]

    assert [one.is_waiting for one in made] == [False, False], "neither has begun: a process is on its way"
    first.read_progress((0, 9))
    assert [one.is_waiting for one in made] == [False, True]
    for one in made:
        (shown,) = [
            part
            for part in build_waiting_view(one, load_words("en")).walk_children()
            if isinstance(part, ui.TextDisplay)
        ]
        assert (says(shown.content, "review.waits")) == one.is_waiting
    made.remove(first)
    assert not second.is_waiting


async def test_interrupted_review_restarts_on_next_request(url: str) -> None:
    async with run_local_bot(url, looking_back=quickly()) as at:
        end, reviews = await stuck_at(at), at.client.services[ReviewService]
        told = await at.answered(at.ada, await at.ada.click(end, label="Review"))
        await eventually(lambda: reviews.workers.pids)
        await reviews.end()
        assert not reviews.workers.pids
        assert reviews.find_job(1) is None
        await eventually(lambda: not at.client.services[ReviewProgressUpdater].follower_count)
        reviews.workers = quickly()
        await at.ada.click(told, label="Check again")
        await eventually(lambda: at.client.services[ReviewProgressUpdater].follower_count)
        await eventually(lambda: not at.client.services[ReviewProgressUpdater].follower_count)
        shown = await at.ada.fetch_message(at.place, told["id"])
        assert en("review.guess") in reading(shown), "the private message itself shows it as soon as it is there"


async def test_user_deleted_during_review_is_not_named(url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    async with run_local_bot(url, looking_back=quickly()) as at:
        end, reviews = await stuck_at(at), at.client.services[ReviewService]
        reviews.workers, go_on = quickly(), asyncio.Event()
        work = WorkerPool.work

        async def later(workers: WorkerPool, *asked: Any, **more: Any) -> Any:
            await go_on.wait()
            return await work(workers, *asked, **more)

        monkeypatch.setattr(WorkerPool, "work", later)
        waiting = await at.answered(at.ada, await at.ada.click(end, label="Review"))
        assert reviews.find_job(1)
        asked = await at.answered(at.grace, await at.grace.use_command(at.place, "tiles", "data", "delete"))
        await at.answered(at.grace, await at.grace.click(asked, label="Delete everything"))
        go_on.set()
        await eventually(lambda: not at.client.services[ReviewProgressUpdater].follower_count)

        said = reading(await at.ada.fetch_message(at.place, waiting["id"]))
        assert en("review.guess") in said
        assert "**Ada**" in said
        assert "Grace" not in said
