"""An attacker tries to play a sealed deal with knowledge from another table or record."""

import json
import re

import pytest
from simcord import ChannelHandle

from bot.duplicates.service import MAX_SEALED_DEALS
from data.store.connection.store_errors import DealAlreadyPlayed
from data.store.duplicates.store import DealStore
from engine.table.commands import AnswerQuestion, AskPlayers
from engine.table.refusals import Refusal, RefusalError
from tests.abuse.sealed_deals import open_sealed_table, seal_deal
from tests.bot.core.stored_traces import forget, list_user_tables
from tests.bot.member import Member
from tests.bot.messages import list_alt_texts, read_private_text, read_text
from tests.bot.simulated_guild import BLOCKED_DEAL, SimGuild
from tests.wording import en, has_sentence


async def test_player_joins_only_one_table_of_same_deal(
    sim: SimGuild, ada: Member, grace: Member, linus: Member, second: ChannelHandle
) -> None:
    deal = await seal_deal(sim, ada, number=17)
    alan = sim.add_member("Alan")
    await open_sealed_table(sim, deal, ada, grace)
    first = await sim.replay_match()

    assert "at another table" in read_private_text(await ada.slash(second, "tiles new", deal=deal))
    await linus.slash(second, "tiles new", deal=deal)
    assert "at another table" in await grace.read_click(sim.get_board(second), "Join")
    await alan.click(sim.get_board(second), label="Join")
    other = await sim.replay_match(second)
    assert [seat.hand for seat in other.seats] == [seat.hand for seat in first.seats]
    assert other.boneyard == first.boneyard
    assert other.commitment == first.commitment


async def test_player_in_two_lobbies_joins_table_that_starts_first(
    sim: SimGuild, ada: Member, grace: Member, linus: Member, second: ChannelHandle
) -> None:
    deal = await seal_deal(sim, ada, seats=3)
    for host, channel in ((ada, sim.channel), (grace, second)):
        await host.slash(channel, "tiles new", deal=deal)
    await linus.click(sim.get_board(), label="Join")
    await linus.click(sim.get_board(second), label="Join")
    await sim.add_member("Alan").click(sim.get_board(), label="Join")
    assert (await sim.load_head()).state == "open"
    refusal = await sim.add_member("Mary").read_click(sim.get_board(second), "Join")
    assert "Linus" in refusal
    assert "at another table" in refusal
    assert (await sim.load_head(second)).state == "lobby"


async def test_store_rejects_second_table_of_same_deal(
    sim: SimGuild, ada: Member, grace: Member, linus: Member, second: ChannelHandle
) -> None:
    deal = await seal_deal(sim, ada, number=17)
    await ada.use_command("tiles new", deal=deal)
    await linus.slash(second, "tiles new", deal=deal)
    await grace.click(sim.get_board(), label="Join")
    checks = sim.client.services.acts.deals
    checks.check = lambda *_: _return_nothing()  # type: ignore[method-assign, assignment]
    assert "at another table" in await grace.read_click(sim.get_board(second), "Join")
    assert DealAlreadyPlayed(1).user_id == 1
    assert (await sim.load_head(second)).state == "lobby"


async def _return_nothing() -> None:
    """Return nothing, as if the other process had read the rows earlier."""


async def test_deleting_data_does_not_allow_second_attempt(
    sim: SimGuild, ada: Member, grace: Member, linus: Member, second: ChannelHandle
) -> None:
    deal = await seal_deal(sim, ada)
    await open_sealed_table(sim, deal, ada, grace)
    await sim.play_to_the_end()
    sim.clock.skipped_ms += 1000
    await forget(sim, grace)
    await linus.slash(second, "tiles new", deal=deal)
    assert has_sentence(await grace.read_click(sim.get_board(second), "Join"), "no.DEAL_FORGOTTEN")
    later_deal = await seal_deal(sim, linus, number=17)
    await linus.slash(second, "tiles leave")
    await open_sealed_table(sim, later_deal, linus, grace, channel=second)
    assert (await sim.load_head(second)).state == "open", "a deal that was sealed since then"


async def test_lobby_cannot_start_after_deal_is_opened(sim: SimGuild, ada: Member, grace: Member) -> None:
    deal = await seal_deal(sim, ada, days=1)
    sim.clock.skipped_ms += 23 * 3600 * 1000
    await ada.use_command("tiles new", deal=deal)
    await sim.wait(hours=2)
    assert has_sentence(await grace.read_click(sim.get_board(), "Join"), "no.DEAL_OVER")
    assert (await sim.load_head()).state == "lobby"


async def test_match_unfinished_at_opening_is_not_compared(sim: SimGuild, ada: Member, grace: Member) -> None:
    deal = await seal_deal(sim, ada, number=17, days=1)
    await open_sealed_table(sim, deal, ada, grace)
    assert not list_alt_texts(sim.get_board())
    await sim.wait(hours=25)
    assert list_alt_texts(sim.get_board()), "it goes on before everybody's eyes"
    answer = await ada.read_command("tiles-deal field", deal=deal)
    assert en("deal.field_none") in answer
    assert en("deal.field_running", n=1) in answer

    while (await sim.load_head()).state == "open":
        await sim.play_by_typing(sim.get_called_player())
    answer = await ada.read_command("tiles-deal field", deal=deal)
    assert en("deal.field_none") in answer
    assert en("deal.field_running", n=1) in answer


async def test_team_tables_are_compared_once_both_are_finished(
    sim: SimGuild, ada: Member, grace: Member, linus: Member, second: ChannelHandle
) -> None:
    deal = await seal_deal(sim, ada, tables=2)
    await open_sealed_table(sim, deal, ada, grace)
    await linus.slash(second, "tiles new", deal=deal)
    third = sim.guild.create_text_channel("third")
    mary = sim.add_member("Mary")
    assert has_sentence(read_private_text(await mary.slash(third, "tiles new", deal=deal)), "no.DEAL_FULL")
    assert (await sim.load_head()).state == "done", "it was blocked at once"
    await sim.wait(seconds=60)
    assert "is sealed until" in await ada.read_command("tiles-deal field", deal=deal)
    await mary.click(sim.get_board(second), label="Join")
    await sim.wait(seconds=60)
    answer = await ada.read_command("tiles-deal field", deal=deal)
    assert has_sentence(answer, "deal.teams_even") or has_sentence(answer, "deal.teams")
    assert (
        sum(
            has_sentence(read_text(one), "deal.field_title")
            for one in (*sim.list_public_messages(), *sim.list_public_messages(second))
        )
        == 2
    )
    before = len(sim.list_public_messages())
    await sim.wait(seconds=60)
    assert len(sim.list_public_messages()) == before, "it is told once"


async def test_weekly_deal_is_sealed_once_after_weeks_of_silence(sim: SimGuild, mary: Member) -> None:
    await mary.use_command("tiles-deal weekly")
    await sim.wait(hours=24 * 7 * 5)
    sealed_deals = [
        one for one in await DealStore(sim.store.transactions).list_deals(sim.guild.id) if one.opened_at is None
    ]
    assert len(sealed_deals) == 1


async def test_deal_of_finished_match_is_unrated_and_for_others_only(
    sim: SimGuild, ada: Member, grace: Member, linus: Member, second: ChannelHandle
) -> None:
    sim.deals.next_numbers = [BLOCKED_DEAL]
    await sim.start_table(ada, grace, target=10)
    first = await sim.replay_match()
    number = (await sim.load_head()).match_id
    assert (await sim.load_head()).state == "done"
    before = len(sim.list_public_messages())
    assert "at another table" in read_private_text(await ada.slash(second, "tiles new", deal=str(number)))
    await linus.slash(second, "tiles new", deal=f"#{number}")
    assert has_sentence(read_text(sim.get_board(second)), "deal.lobby_match", match=number)
    assert (await sim.load_terms(second))["rated"] is False
    assert "at another table" in await grace.read_click(sim.get_board(second), "Join")
    await sim.add_member("Alan").click(sim.get_board(second), label="Join")
    third, mary = sim.guild.create_text_channel("third"), sim.add_member("Mary")
    await mary.slash(third, "tiles new", deal=f"0{number}")
    assert has_sentence(read_text(sim.get_board(third)), "deal.lobby_match", match=number), (
        "however its number is written"
    )
    again = await sim.replay_match(second)
    assert (again.seats[0].hand, again.seats[1].hand) == (first.seats[0].hand, first.seats[1].hand)
    running = await sim.load_head(second)
    assert running.match_id > number
    await sim.wait(hours=24 * 7 + 1)
    answer = await ada.read_command("tiles-deal field", deal=f"match-{number}")
    field_message = await ada.open_command("tiles-deal field", deal=f"match-{number}")
    assert [one.filename for one in field_message.attachments] == ["field.png"]
    assert {"Ada", "Grace", "Linus", "Alan"} <= set(re.findall(r"\*\*(\w+)\*\*", answer))
    later_texts = [read_text(message) for message in sim.list_public_messages()[before:]]
    assert all(has_sentence(one, "deal.field_title") for one in later_texts), (
        "the board of the first match stays where it was"
    )


async def test_deal_of_running_match_cannot_be_reused(
    sim: SimGuild, ada: Member, grace: Member, linus: Member, second: ChannelHandle
) -> None:
    await sim.start_table(ada, grace)
    number = (await sim.load_head()).match_id
    for number_text in (str(number), "999", "9" * 30):
        assert has_sentence(
            read_private_text(await linus.slash(second, "tiles new", deal=number_text)), "no.DEAL_MATCH"
        )
    unknown = read_private_text(await linus.slash(second, "tiles new", deal="nobody-knows"))
    assert unknown == en("no.NO_SUCH_DEAL", text="nobody-knows")


async def test_leaving_player_counts_as_having_seen_deal(sim: SimGuild, ada: Member, second: ChannelHandle) -> None:
    deal = await seal_deal(sim, ada, number=17)
    await ada.use_command("tiles new", deal=deal, computers=1)
    assert (await sim.load_head()).state == "open"
    await ada.use_command("tiles leave")
    assert (await sim.load_head()).state == "void"
    assert "at another table" in read_private_text(await ada.slash(second, "tiles new", deal=deal, computers=1))


async def test_rematch_has_different_tiles(sim: SimGuild, ada: Member, grace: Member) -> None:
    deal = await seal_deal(sim, ada)
    await open_sealed_table(sim, deal, ada, grace)
    before = await sim.load_head()
    await ada.click(sim.get_board(), label="Rematch")
    assert (await sim.load_terms())["deal"] == ""
    assert (await sim.load_head()).secret != before.secret


async def test_stored_deal_access_is_exported_and_deleted(sim: SimGuild, ada: Member, grace: Member) -> None:
    deal = await seal_deal(sim, ada)
    await open_sealed_table(sim, deal, ada, grace)
    (file,) = (await ada.open_command("tiles data export")).attachments
    export = json.loads(await file.read())
    assert [row["match_id"] for row in export["deal_sitters"]] == [(await sim.load_head()).match_id]
    assert "Delete" not in await forget(sim, ada)
    assert "deal_sitters" not in list_user_tables(sim, ada)


async def test_player_of_other_table_cannot_be_substitute(
    sim: SimGuild, ada: Member, grace: Member, linus: Member, second: ChannelHandle
) -> None:
    deal = await seal_deal(sim, ada, number=17)
    await open_sealed_table(sim, deal, ada, grace)
    await open_sealed_table(sim, deal, linus, sim.add_member("Alan"), channel=second)
    services, number = sim.client.services, (await sim.load_head()).match_id
    table = (await services.acts.act(number, AskPlayers(ada.id, "substitute", linus.id))).table
    with pytest.raises(RefusalError) as refusal:
        await services.acts.act(number, AnswerQuestion(linus.id, table.question.number, yes=True))
    assert (refusal.value.why, refusal.value.facts) == (Refusal.DEAL_SEEN, {"people": (linus.id,)})
    assert (await sim.load_table()).state.seated_users == {ada.id, grace.id}


async def test_filling_deal_limit_does_not_block_others(
    sim: SimGuild, ada: Member, grace: Member, linus: Member
) -> None:
    played_deal = await seal_deal(sim, ada, number=17)
    await linus.use_command("tiles new", deal=played_deal)
    for number in range(MAX_SEALED_DEALS - 1):
        await seal_deal(sim, ada, number=number)
    assert has_sentence(await grace.read_command("tiles-deal new"), "no.DEALS_ENOUGH", most=MAX_SEALED_DEALS)
    sim.clock.skipped_ms += 2 * 3600 * 1000
    new_deal = await seal_deal(sim, grace)
    names = [one.name for one in await DealStore(sim.store.transactions).list_deals(sim.guild.id)]
    assert len(names) == MAX_SEALED_DEALS
    assert {new_deal, played_deal} <= set(names), "one that has a table stays"
