"""A round's end that is told late names the people who played it, whoever sits there by now."""

from __future__ import annotations

from random import Random

from simcord import MemberActor

from bot.service.acts import Acts
from bot.service.tables import Table, Tables
from data.store import Store
from engine.events import RoundEnded
from engine.players import greedy
from engine.seen import see
from engine.table.commands import Act, Answer, Ask, Join, Look
from tests.bot.desk import ADA, GRACE, Desk
from tests.bot.house import House
from tests.bot.reading import pictures, words_of

NEWCOMER = 777


async def one_round(acts: Acts, table: Table) -> Table:
    """The first round is played out, and the second has begun."""
    while table.match.round == 1:
        user, action = table.turn_user(), greedy.choose(see(table.match, table.match.turn), Random(1))
        assert user is not None
        table = (await acts.act(table.head.match_id, Act(user, lambda _, action=action: action))).table
        if table.state.unsettled is not None and (following := table.turn_user()) is not None:
            table = (await acts.act(table.head.match_id, Look(following))).table
    return table


async def handed_over(acts: Acts, table: Table, person: int) -> Table:
    """Somebody else goes on with the first seat."""
    owner, match_id = table.seats[0].user_id, table.head.match_id
    assert owner is not None
    question = (await acts.act(match_id, Ask(owner, "substitute", person))).table.question
    assert question is not None
    return (await acts.act(match_id, Answer(person, question.number, yes=True))).table


async def test_a_table_as_it_stood_has_the_people_who_sat_there_then(store: Store) -> None:
    desk = Desk(store)
    table = await desk.open(seats=2)
    table = await one_round(desk.acts, await desk.act(table.head.match_id, Join(GRACE)))
    match_id = table.head.match_id
    log = await store.log(match_id)
    ended = next(seq for seq, entry in enumerate(log, 1) if isinstance(entry.event, RoundEnded))
    await handed_over(desk.acts, table, NEWCOMER)
    for tables in (desk.tables, Tables(store)):
        now, then = await tables.load(match_id), await tables.earlier(match_id, ended)
        assert [row.user_id for row in now.seats] == [NEWCOMER, GRACE]
        assert [row.user_id for row in then.seats] == [ADA, GRACE]
        assert (now.state.host, then.state.host, now.match.round, then.match.round) == (NEWCOMER, ADA, 2, 1)


async def test_a_rounds_end_that_is_told_late_names_whoever_played_it(
    house: House, ada: MemberActor, grace: MemberActor, linus: MemberActor
) -> None:
    await house.table(ada, grace)
    # Beside the bot that runs: it hears of this only when it looks around.
    tables = Tables(house.store)
    acts = Acts(house.store, tables, house.clock, house.deals, presses=False)
    table = await one_round(acts, await tables.load((await house.head()).match_id))
    await handed_over(acts, table, linus.id)
    assert not any("Round 1 is over" in words_of(one) for one in house.public())

    await house.wait()

    (told,) = [one for one in house.public() if "Round 1 is over" in words_of(one)]
    said = words_of(told) + pictures(told)[0]
    assert "Ada" in said
    assert "Grace" in said
    assert "Linus" not in said
    assert "Linus" in words_of(house.board())
