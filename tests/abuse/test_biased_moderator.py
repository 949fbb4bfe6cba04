"""A moderator who plays tries to make rulings at the own table."""

import random
from typing import get_args

import discord
import pytest
from simcord import MemberActor

from engine.match.errors import RuleError
from engine.table.commands import AnswerQuestion, AskPlayers, Moderate, Ruling
from engine.table.refusals import Refusal, RefusalError
from tests.bot.messages import told, words_of
from tests.bot.simulated_guild import SimGuild
from tests.depth import scaled
from tests.engine.table.sitting import ADA, GRACE, LINUS, MARY, NEMO, Sitting, circled, opened, refused
from tests.wording import en, says

pytestmark = pytest.mark.deep

RULINGS: tuple[Ruling, ...] = get_args(Ruling)


def hand_over(sitting: Sitting, owner: int, person: int) -> None:
    sitting.ask(AskPlayers(owner, "substitute", person))
    sitting.ask(AnswerQuestion(person, sitting.state.question.number, yes=True))


@pytest.fixture
def moderator(sim: SimGuild) -> MemberActor:
    return appointed(sim, "Mary")


def appointed(sim: SimGuild, name: str) -> MemberActor:
    role = sim.guild.create_role(f"mods {name}", permissions=discord.Permissions(manage_guild=True))
    actor = sim.guild.add_member(sim.env.create_user(name.lower(), global_name=name), roles=[role])
    sim.people[actor.id] = actor
    return actor


@pytest.mark.parametrize("what", ["stop", "pause", "skip"])
def test_seated_moderator_cannot_rule_but_another_moderator_can(what: Ruling):
    sitting = circled(GRACE)
    for player in (ADA, GRACE):
        assert refused(sitting, Moderate(what, player, "because I lose")) == Refusal.PLAYS_THERE
    assert sitting.ask(Moderate(what, MARY, "asked to")).events


def test_seated_moderator_cannot_undo_ruling_of_another():
    sitting = circled(GRACE)
    sitting.ask(Moderate("pause", MARY, "one of you cheats"))
    assert refused(sitting, Moderate("resume", ADA, "no")) == Refusal.PLAYS_THERE
    assert sitting.ask(Moderate("resume", NEMO, "looked into it")).events


@pytest.mark.parametrize("what", ["stop", "pause", "skip"])
def test_moderator_who_transferred_seat_still_cannot_rule(what: Ruling):
    sitting = circled(GRACE)
    hand_over(sitting, ADA, LINUS)
    assert sitting.state.find_seat(ADA) is None
    assert refused(sitting, Moderate(what, ADA, "for a friend")) == Refusal.PLAYS_THERE
    assert refused(sitting, Moderate(what, LINUS, "for myself")) == Refusal.PLAYS_THERE
    assert sitting.ask(Moderate(what, MARY, "asked to")).events


@pytest.mark.parametrize("what", ["stop", "pause", "skip"])
def test_moderator_playing_only_computers_may_rule(what: Ruling):
    sitting = opened(computers=1)
    while sitting.turn is None or sitting.turn.user is None:
        sitting.move()
    assert sitting.ask(Moderate(what, ADA, "practice")).events


def test_moderator_may_rule_after_all_others_resigned():
    sitting = circled(GRACE, computers=1)
    assert refused(sitting, Moderate("stop", ADA, "")) == Refusal.PLAYS_THERE
    sitting.resign(GRACE)
    assert sitting.ask(Moderate("stop", ADA, "")).table.state == "void"


def test_seated_moderator_may_rule_before_match_starts():
    sitting = opened(GRACE, seats=3)
    assert sitting.ask(Moderate("stop", GRACE, "wrong channel")).table.state == "void"


def test_former_players_never_rule_over_others():
    rng = random.Random(11)
    tried = 0
    for _ in range(scaled(30)):
        sitting = opened(GRACE, LINUS, clock="1d", computers=rng.choice((0, 1)))
        played = {ADA, GRACE, LINUS}
        for _ in range(60):
            if sitting.state.state != "open":
                break
            chance = rng.random()
            if chance < 0.25:
                what, by = rng.choice(RULINGS), rng.choice((ADA, GRACE, LINUS, MARY, NEMO))
                others = [
                    row
                    for row in sitting.state.seats
                    if row.user_id not in (None, by) and row.seat in sitting.match.active
                ]
                try:
                    sitting.ask(Moderate(what, by, ""))
                except RefusalError as refusal:
                    why = refusal.why
                    tried += why is Refusal.PLAYS_THERE
                else:
                    why = None
                if why is None or why is Refusal.PLAYS_THERE:
                    assert (why is None) == (by not in played or not others)
            elif chance < 0.3:
                owner, person = rng.choice((ADA, GRACE, LINUS, MARY)), rng.choice((MARY, NEMO))
                try:
                    hand_over(sitting, owner, person)
                except (RefusalError, RuleError):
                    continue
                if sitting.state.find_seat(person) is not None:
                    played.add(person)
            elif chance < 0.33:
                try:
                    sitting.resign(rng.choice((ADA, GRACE, LINUS)))
                except (RefusalError, RuleError):
                    continue
            elif sitting.state.clock.time.paused:
                sitting.ask(Moderate("resume", 99, "a third one"))
            elif sitting.turn is not None:
                sitting.move()
    assert tried > 20, "and it was tried"


async def test_refused_moderator_learns_who_can_rule(sim: SimGuild, ada: MemberActor, moderator: MemberActor) -> None:
    await sim.table(ada, moderator, clock="1d")
    number = (await sim.head()).match_id
    before = await sim.standing()
    for command in ("pause", "skip", "end"):
        answer = await moderator.slash(sim.channel, f"tiles-admin {command}", reason="I lose")
        assert told(answer) == en("no.PLAYS_THERE", match=number)
    assert await sim.standing() == before, "and nobody else hears of it"
    nora = appointed(sim, "Nora")
    elsewhere = sim.guild.create_text_channel("elsewhere")
    await nora.slash(elsewhere, "tiles-admin pause", reason="fire drill", table=number)
    assert says(words_of(sim.public()[-1]), "moderated.paused", name="Nora", reason="fire drill")
    resumed = await moderator.slash(sim.channel, "tiles-admin resume", reason="no")
    assert told(resumed) == en("no.PLAYS_THERE", match=number)
    await nora.slash(sim.channel, "tiles-admin end", reason="fire")
    assert (await sim.head()).state == "void"


async def test_moderator_may_rule_at_own_practice_table(sim: SimGuild, moderator: MemberActor) -> None:
    await sim.table(moderator, computers=1)
    await moderator.slash(sim.channel, "tiles-admin end", reason="enough")
    assert (await sim.head()).state == "void"
