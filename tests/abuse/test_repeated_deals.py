"""An attacker tries to play a sealed deal with knowledge from another table or record."""

import json
import re

import discord
import pytest
from simcord import ChannelHandle, MemberActor

from bot.duplicates.service import MAX_SEALED_DEALS
from data.store.connection.store_errors import DealAlreadyPlayed
from data.store.duplicates.store import DealStore
from engine.table.commands import AnswerQuestion, AskPlayers
from engine.table.refusals import Refusal, RefusalError
from tests.abuse.sealed_deals import sealed
from tests.bot.core.stored_traces import forget, traces
from tests.bot.messages import pictures, private, told, words_of
from tests.bot.simulated_guild import BLOCKED, SimGuild
from tests.wording import en, says

pytestmark = pytest.mark.deep


async def test_player_joins_only_one_table_of_same_deal(
    sim: SimGuild, ada: MemberActor, grace: MemberActor, linus: MemberActor, second: ChannelHandle
) -> None:
    deal = await sealed(sim, ada, number=17)
    alan = sim.person("Alan")
    await ada.slash(sim.channel, "tiles new", deal=deal)
    await grace.click(sim.board(), label="Join")
    first = await sim.match()

    assert "at another table" in told(await ada.slash(second, "tiles new", deal=deal))
    await linus.slash(second, "tiles new", deal=deal)
    assert "at another table" in told(await grace.click(sim.board(second), label="Join"))
    await alan.click(sim.board(second), label="Join")
    other = await sim.match(second)
    assert [seat.hand for seat in other.seats] == [seat.hand for seat in first.seats]
    assert other.boneyard == first.boneyard
    assert other.commitment == first.commitment


async def test_player_in_two_lobbies_joins_table_that_starts_first(
    sim: SimGuild, ada: MemberActor, grace: MemberActor, linus: MemberActor, second: ChannelHandle
) -> None:
    deal = await sealed(sim, ada, seats=3)
    for host, channel in ((ada, sim.channel), (grace, second)):
        await host.slash(channel, "tiles new", deal=deal)
    await linus.click(sim.board(), label="Join")
    await linus.click(sim.board(second), label="Join")
    await sim.person("Alan").click(sim.board(), label="Join")
    assert (await sim.head()).state == "open"
    refusal = told(await sim.person("Mary").click(sim.board(second), label="Join"))
    assert "Linus" in refusal
    assert "at another table" in refusal
    assert (await sim.head(second)).state == "lobby"


async def test_store_rejects_second_table_of_same_deal(
    sim: SimGuild, ada: MemberActor, grace: MemberActor, linus: MemberActor, second: ChannelHandle
) -> None:
    deal = await sealed(sim, ada, number=17)
    await ada.slash(sim.channel, "tiles new", deal=deal)
    await linus.slash(second, "tiles new", deal=deal)
    await grace.click(sim.board(), label="Join")
    checks = sim.client.services.acts.deals
    checks.check = lambda *_: _nothing()  # type: ignore[method-assign, assignment]
    assert "at another table" in told(await grace.click(sim.board(second), label="Join"))
    assert DealAlreadyPlayed(1).user_id == 1
    assert (await sim.head(second)).state == "lobby"


async def _nothing() -> None:
    """Return nothing, as if the other process had read the rows earlier."""


async def test_deleting_data_does_not_allow_second_attempt(
    sim: SimGuild, ada: MemberActor, grace: MemberActor, linus: MemberActor, second: ChannelHandle
) -> None:
    deal = await sealed(sim, ada)
    await ada.slash(sim.channel, "tiles new", deal=deal)
    await grace.click(sim.board(), label="Join")
    await sim.play_to_the_end()
    sim.clock.skipped += 1000
    await forget(sim, grace)
    await linus.slash(second, "tiles new", deal=deal)
    assert says(told(await grace.click(sim.board(second), label="Join")), "no.DEAL_FORGOTTEN")
    later = await sealed(sim, linus, number=17)
    await linus.slash(second, "tiles leave")
    await linus.slash(second, "tiles new", deal=later)
    await grace.click(sim.board(second), label="Join")
    assert (await sim.head(second)).state == "open", "a deal that was sealed since then"


async def test_lobby_cannot_start_after_deal_is_opened(sim: SimGuild, ada: MemberActor, grace: MemberActor) -> None:
    deal = await sealed(sim, ada, days=1)
    sim.clock.skipped += 23 * 3600 * 1000
    await ada.slash(sim.channel, "tiles new", deal=deal)
    await sim.wait(hours=2)
    assert says(told(await grace.click(sim.board(), label="Join")), "no.DEAL_OVER")
    assert (await sim.head()).state == "lobby"


async def test_match_unfinished_at_opening_is_not_compared(sim: SimGuild, ada: MemberActor, grace: MemberActor) -> None:
    deal = await sealed(sim, ada, number=17, days=1)
    await ada.slash(sim.channel, "tiles new", deal=deal)
    await grace.click(sim.board(), label="Join")
    assert not pictures(sim.board())
    await sim.wait(hours=25)
    assert pictures(sim.board()), "it goes on before everybody's eyes"
    said = told(await ada.slash(sim.channel, "tiles-deal field", deal=deal))
    assert en("deal.field_none") in said
    assert en("deal.field_running", n=1) in said

    while (await sim.head()).state == "open":
        await sim.play_by_typing(sim.to_move())
    said = told(await ada.slash(sim.channel, "tiles-deal field", deal=deal))
    assert en("deal.field_none") in said
    assert en("deal.field_running", n=1) in said


async def test_team_tables_are_compared_once_both_are_finished(
    sim: SimGuild, ada: MemberActor, grace: MemberActor, linus: MemberActor, second: ChannelHandle
) -> None:
    deal = await sealed(sim, ada, tables=2)
    await ada.slash(sim.channel, "tiles new", deal=deal)
    await grace.click(sim.board(), label="Join")
    await linus.slash(second, "tiles new", deal=deal)
    third = sim.guild.create_text_channel("third")
    mary = sim.person("Mary")
    assert says(told(await mary.slash(third, "tiles new", deal=deal)), "no.DEAL_FULL")
    assert (await sim.head()).state == "done", "it was blocked at once"
    await sim.wait(seconds=60)
    assert "is sealed until" in told(await ada.slash(sim.channel, "tiles-deal field", deal=deal))
    await mary.click(sim.board(second), label="Join")
    await sim.wait(seconds=60)
    said = told(await ada.slash(sim.channel, "tiles-deal field", deal=deal))
    assert says(said, "deal.teams_even") or says(said, "deal.teams")
    assert sum(says(words_of(one), "deal.field_title") for one in (*sim.public(), *sim.public(second))) == 2
    before = len(sim.public())
    await sim.wait(seconds=60)
    assert len(sim.public()) == before, "it is told once"


async def test_only_moderators_set_weekly_deal_and_it_repeats(sim: SimGuild, ada: MemberActor) -> None:
    role = sim.guild.create_role("moderators", permissions=discord.Permissions(manage_guild=True))
    mary = sim.guild.add_member(sim.env.create_user("mary", global_name="Mary"), roles=[role])
    assert says(told(await ada.slash(sim.channel, "tiles-deal weekly")), "no.DEAL_MODERATORS")
    said = told(await mary.slash(sim.channel, "tiles-deal weekly"))
    (first,) = await DealStore(sim.store.transactions).list_deals(sim.guild.id)
    await sim.wait(hours=24 * 7 + 1)
    assert says(said, "deal.weekly_on", deal=first.name)
    second, before = await DealStore(sim.store.transactions).list_deals(sim.guild.id)
    assert (before.name, before.opened_at is not None) == (first.name, True)
    assert second.opened_at is None
    assert second.closes_at - first.closes_at == 7 * 24 * 3600 * 1000
    await sim.wait(hours=24 * 7 * 5)
    sealed_now = [
        one for one in await DealStore(sim.store.transactions).list_deals(sim.guild.id) if one.opened_at is None
    ]
    assert len(sealed_now) == 1, "after weeks of silence there is one, and not one a week"


async def test_deal_of_finished_match_is_unrated_and_for_others_only(
    sim: SimGuild, ada: MemberActor, grace: MemberActor, linus: MemberActor, second: ChannelHandle
) -> None:
    sim.deals.wanted = [BLOCKED]
    await sim.table(ada, grace, target=10)
    first = await sim.match()
    number = (await sim.head()).match_id
    assert (await sim.head()).state == "done"
    before = len(sim.public())
    assert "at another table" in told(await ada.slash(second, "tiles new", deal=str(number)))
    await linus.slash(second, "tiles new", deal=f"#{number}")
    assert says(words_of(sim.board(second)), "deal.lobby_match", match=number)
    assert (await sim.terms(second))["rated"] is False
    assert "at another table" in told(await grace.click(sim.board(second), label="Join"))
    await sim.person("Alan").click(sim.board(second), label="Join")
    third, mary = sim.guild.create_text_channel("third"), sim.person("Mary")
    await mary.slash(third, "tiles new", deal=f"0{number}")
    assert says(words_of(sim.board(third)), "deal.lobby_match", match=number), "however its number is written"
    again = await sim.match(second)
    assert (again.seats[0].hand, again.seats[1].hand) == (first.seats[0].hand, first.seats[1].hand)
    running = await sim.head(second)
    assert running.match_id > number
    await sim.wait(hours=24 * 7 + 1)
    said = told(await ada.slash(sim.channel, "tiles-deal field", deal=f"match-{number}"))
    shown = private(await ada.slash(sim.channel, "tiles-deal field", deal=f"match-{number}"))
    assert [one.filename for one in shown.attachments] == ["field.png"]
    assert {"Ada", "Grace", "Linus", "Alan"} <= set(re.findall(r"\*\*(\w+)\*\*", said))
    later = [words_of(message) for message in sim.public()[before:]]
    assert all(says(one, "deal.field_title") for one in later), "the board of the first match stays where it was"


async def test_deal_of_running_match_cannot_be_reused(
    sim: SimGuild, ada: MemberActor, grace: MemberActor, linus: MemberActor, second: ChannelHandle
) -> None:
    await sim.table(ada, grace)
    number = (await sim.head()).match_id
    for asked in (str(number), "999", "9" * 30):
        assert says(told(await linus.slash(second, "tiles new", deal=asked)), "no.DEAL_MATCH")
    unknown = told(await linus.slash(second, "tiles new", deal="nobody-knows"))
    assert unknown == en("no.NO_SUCH_DEAL", text="nobody-knows")


async def test_leaving_player_counts_as_having_seen_deal(
    sim: SimGuild, ada: MemberActor, second: ChannelHandle
) -> None:
    deal = await sealed(sim, ada, number=17)
    await ada.slash(sim.channel, "tiles new", deal=deal, computers=1)
    assert (await sim.head()).state == "open"
    await ada.slash(sim.channel, "tiles leave")
    assert (await sim.head()).state == "void"
    assert "at another table" in told(await ada.slash(second, "tiles new", deal=deal, computers=1))


async def test_rematch_has_different_tiles(sim: SimGuild, ada: MemberActor, grace: MemberActor) -> None:
    deal = await sealed(sim, ada)
    await ada.slash(sim.channel, "tiles new", deal=deal)
    await grace.click(sim.board(), label="Join")
    before = await sim.head()
    await ada.click(sim.board(), label="Rematch")
    assert (await sim.terms())["deal"] == ""
    assert (await sim.head()).secret != before.secret


async def test_stored_deal_access_is_exported_and_deleted(sim: SimGuild, ada: MemberActor, grace: MemberActor) -> None:
    deal = await sealed(sim, ada)
    await ada.slash(sim.channel, "tiles new", deal=deal)
    await grace.click(sim.board(), label="Join")
    (file,) = private(await ada.slash(sim.channel, "tiles data export")).attachments
    held = json.loads(await file.read())
    assert [row["match_id"] for row in held["deal_sitters"]] == [(await sim.head()).match_id]
    assert "Delete" not in await forget(sim, ada)
    assert "deal_sitters" not in traces(sim, ada)


async def test_player_of_other_table_cannot_be_substitute(
    sim: SimGuild, ada: MemberActor, grace: MemberActor, linus: MemberActor, second: ChannelHandle
) -> None:
    deal = await sealed(sim, ada, number=17)
    await ada.slash(sim.channel, "tiles new", deal=deal)
    await grace.click(sim.board(), label="Join")
    await linus.slash(second, "tiles new", deal=deal)
    await sim.person("Alan").click(sim.board(second), label="Join")
    services, number = sim.client.services, (await sim.head()).match_id
    asked = (await services.acts.act(number, AskPlayers(ada.id, "substitute", linus.id))).table
    with pytest.raises(RefusalError) as why:
        await services.acts.act(number, AnswerQuestion(linus.id, asked.question.number, yes=True))
    assert (why.value.why, why.value.facts) == (Refusal.DEAL_SEEN, {"people": (linus.id,)})
    assert (await sim.now()).state.seated_users == {ada.id, grace.id}


async def test_filling_deal_limit_does_not_block_others(
    sim: SimGuild, ada: MemberActor, grace: MemberActor, linus: MemberActor
) -> None:
    played = await sealed(sim, ada, number=17)
    await linus.slash(sim.channel, "tiles new", deal=played)
    for number in range(MAX_SEALED_DEALS - 1):
        await sealed(sim, ada, number=number)
    assert says(told(await grace.slash(sim.channel, "tiles-deal new")), "no.DEALS_ENOUGH", most=MAX_SEALED_DEALS)
    sim.clock.skipped += 2 * 3600 * 1000
    mine = await sealed(sim, grace)
    names = [one.name for one in await DealStore(sim.store.transactions).list_deals(sim.guild.id)]
    assert len(names) == MAX_SEALED_DEALS
    assert {mine, played} <= set(names), "one that has a table stays"
