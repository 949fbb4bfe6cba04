"""Spectators of a sealed deal do not learn its tiles before it opens."""

from engine.board.tiles import format_tile_notation
from tests.abuse.sealed_deals import open_sealed_table, seal_deal
from tests.bot.member import Member
from tests.bot.messages import list_alt_texts, read_button_ids, read_text
from tests.bot.simulated_guild import SimGuild
from tests.wording import has_sentence


async def test_spectator_sees_no_tiles_before_deal_opens(
    sim: SimGuild, ada: Member, grace: Member, linus: Member
) -> None:
    deal = await seal_deal(sim, ada, number=17)
    await open_sealed_table(sim, deal, ada, grace)
    for _ in range(4):
        await sim.play_by_typing(sim.get_called_player())

    text = "\n".join(read_text(message) for message in sim.list_public_messages())
    assert [list_alt_texts(message) for message in sim.list_public_messages() if list_alt_texts(message)] == []
    match = await sim.replay_match()
    tiles = {format_tile_notation(tile) for tile in match.rules.tiles}
    assert {tile for tile in tiles if tile in text} == set()
    assert has_sentence(text, "deal.title", deal=deal)
    for press in ("Text board", "Scores"):
        assert has_sentence(await linus.read_click(sim.get_board(), press), "no.DEAL_SEALED")
    assert has_sentence(await linus.read_command("tiles board"), "no.DEAL_SEALED")
    assert list_alt_texts(await ada.open_command("tiles board")), "who plays there sees it"


async def test_record_is_unavailable_until_deal_opens(sim: SimGuild, ada: Member, grace: Member, linus: Member) -> None:
    deal = await seal_deal(sim, ada)
    await open_sealed_table(sim, deal, ada, grace)
    await sim.play_to_the_end()
    secret = (await sim.load_head()).secret.hex()
    number = (await sim.load_head()).match_id
    end = await sim.post(*(f"by:{verb}:{number}" for verb in ("record", "verify", "replay", "film", "review", "past")))
    for label in read_button_ids(end):
        for who in (linus, ada):
            answer = await who.open_click(end, label)
            closed = "no.NO_SUCH_TABLE" if (who, label) == (linus, "Button 5") else "no.DEAL_SEALED"
            assert has_sentence(read_text(answer), closed), label
            assert not answer.attachments
    assert has_sentence(await ada.read_command("tiles replay", match=str(number)), "no.DEAL_SEALED")
    assert has_sentence(await linus.read_command("tiles-deal field", deal=deal), "deal.waiting", done=1)
    assert all(secret not in read_text(message) for message in sim.list_public_messages())

    await sim.wait(hours=24 * 7 + 1)
    assert "against the field" in await linus.read_command("tiles-deal field", deal=deal)
    assert list_alt_texts(sim.get_board()), "the board is there for all to see"
    (compared,) = [
        message for message in sim.list_public_messages() if has_sentence(read_text(message), "deal.field_title")
    ]
    assert "Ada" in read_text(compared)
    answer = await linus.open_click(end, "Button 0")
    assert [one.filename for one in answer.attachments] == ["match.txt"]
    assert has_sentence(await linus.read_command("tiles new", deal=deal), "no.DEAL_OVER")
