"""A moderator who plays tries to make rulings at the own table."""

import random
from typing import get_args

import pytest

from engine.match.errors import RuleError
from engine.table.commands import AnswerQuestion, AskPlayers, Moderate, Ruling
from engine.table.refusals import Refusal, RefusalError
from tests.bot.member import Member
from tests.bot.messages import read_private_text, read_text
from tests.bot.simulated_guild import SimGuild
from tests.depth import scale_count
from tests.engine.table.simulated_table import (
    ADA,
    GRACE,
    LINUS,
    MARY,
    NEMO,
    SimulatedTable,
    expect_refusal,
    open_played_table,
    open_table,
)
from tests.wording import en, has_sentence

RULINGS: tuple[Ruling, ...] = get_args(Ruling)


def transfer_seat(sim: SimulatedTable, owner: int, person: int) -> None:
    sim.execute(AskPlayers(owner, "substitute", person))
    sim.execute(AnswerQuestion(person, sim.state.question.number, yes=True))


@pytest.mark.parametrize("what", ["stop", "pause", "skip"])
def test_seated_moderator_cannot_rule_but_another_moderator_can(what: Ruling):
    sim = open_played_table(GRACE)
    for player in (ADA, GRACE):
        assert expect_refusal(sim, Moderate(what, player, "because I lose")) == Refusal.PLAYS_THERE
    assert sim.execute(Moderate(what, MARY, "asked to")).events


def test_seated_moderator_cannot_undo_ruling_of_another():
    sim = open_played_table(GRACE)
    sim.execute(Moderate("pause", MARY, "one of you cheats"))
    assert expect_refusal(sim, Moderate("resume", ADA, "no")) == Refusal.PLAYS_THERE
    assert sim.execute(Moderate("resume", NEMO, "looked into it")).events


@pytest.mark.parametrize("what", ["stop", "pause", "skip"])
def test_moderator_who_transferred_seat_still_cannot_rule(what: Ruling):
    sim = open_played_table(GRACE)
    transfer_seat(sim, ADA, LINUS)
    assert sim.state.find_seat(ADA) is None
    assert expect_refusal(sim, Moderate(what, ADA, "for a friend")) == Refusal.PLAYS_THERE
    assert expect_refusal(sim, Moderate(what, LINUS, "for myself")) == Refusal.PLAYS_THERE
    assert sim.execute(Moderate(what, MARY, "asked to")).events


@pytest.mark.parametrize("what", ["stop", "pause", "skip"])
def test_moderator_playing_only_computers_may_rule(what: Ruling):
    sim = open_table(computers=1)
    while sim.turn is None or sim.turn.user is None:
        sim.play_turn()
    assert sim.execute(Moderate(what, ADA, "practice")).events


def test_moderator_may_rule_after_all_others_resigned():
    sim = open_played_table(GRACE, computers=1)
    assert expect_refusal(sim, Moderate("stop", ADA, "")) == Refusal.PLAYS_THERE
    sim.resign(GRACE)
    assert sim.execute(Moderate("stop", ADA, "")).table.state == "void"


def test_seated_moderator_may_rule_before_match_starts():
    sim = open_table(GRACE, seats=3)
    assert sim.execute(Moderate("stop", GRACE, "wrong channel")).table.state == "void"


def test_former_players_never_rule_over_others():
    rng = random.Random(11)
    refused_rulings = 0
    for _ in range(scale_count(30)):
        sim = open_table(GRACE, LINUS, clock="1d", computers=rng.choice((0, 1)))
        players = {ADA, GRACE, LINUS}
        for _ in range(60):
            if sim.state.state != "open":
                break
            chance = rng.random()
            if chance < 0.25:
                what, by = rng.choice(RULINGS), rng.choice((ADA, GRACE, LINUS, MARY, NEMO))
                others = [
                    row for row in sim.state.seats if row.user_id not in (None, by) and row.seat in sim.match.active
                ]
                try:
                    sim.execute(Moderate(what, by, ""))
                except RefusalError as refusal:
                    why = refusal.why
                    refused_rulings += why is Refusal.PLAYS_THERE
                else:
                    why = None
                if why is None or why is Refusal.PLAYS_THERE:
                    assert (why is None) == (by not in players or not others)
            elif chance < 0.3:
                owner, person = rng.choice((ADA, GRACE, LINUS, MARY)), rng.choice((MARY, NEMO))
                try:
                    transfer_seat(sim, owner, person)
                except (RefusalError, RuleError):
                    continue
                if sim.state.find_seat(person) is not None:
                    players.add(person)
            elif chance < 0.33:
                try:
                    sim.resign(rng.choice((ADA, GRACE, LINUS)))
                except (RefusalError, RuleError):
                    continue
            elif sim.state.clock.time.paused:
                sim.execute(Moderate("resume", 99, "a third one"))
            elif sim.turn is not None:
                sim.play_turn()
    assert refused_rulings > 20, "and it was tried"


async def test_refused_moderator_learns_who_can_rule(sim: SimGuild, ada: Member, mary: Member) -> None:
    await sim.start_table(ada, mary, clock="1d")
    number = (await sim.load_head()).match_id
    before = await sim.take_snapshot()
    for command in ("pause", "skip", "end"):
        answer = await mary.use_command(f"tiles-admin {command}", reason="I lose")
        assert read_private_text(answer) == en("no.PLAYS_THERE", match=number)
    assert await sim.take_snapshot() == before, "and nobody else hears of it"
    nora = sim.add_moderator("Nora")
    elsewhere = sim.guild.create_text_channel("elsewhere")
    await nora.slash(elsewhere, "tiles-admin pause", reason="fire drill", table=number)
    assert has_sentence(read_text(sim.list_public_messages()[-1]), "moderated.paused", name="Nora", reason="fire drill")
    resumed = await mary.use_command("tiles-admin resume", reason="no")
    assert read_private_text(resumed) == en("no.PLAYS_THERE", match=number)
    await nora.use_command("tiles-admin end", reason="fire")
    assert (await sim.load_head()).state == "void"


async def test_moderator_may_rule_at_own_practice_table(sim: SimGuild, mary: Member) -> None:
    await sim.start_table(mary, computers=1)
    await mary.use_command("tiles-admin end", reason="enough")
    assert (await sim.load_head()).state == "void"
