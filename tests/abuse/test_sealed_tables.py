"""Spectators of a sealed deal do not learn its tiles before it opens."""

from simcord import MemberActor

from engine.board.tiles import format_tile_notation
from tests.abuse.sealed_deals import sealed
from tests.bot.messages import button_ids, pictures, private, told, words_of
from tests.bot.simulated_guild import SimGuild
from tests.wording import says


async def test_spectator_sees_no_tiles_before_deal_opens(
    sim: SimGuild, ada: MemberActor, grace: MemberActor, linus: MemberActor
) -> None:
    deal = await sealed(sim, ada, number=17)
    await ada.slash(sim.channel, "tiles new", deal=deal)
    await grace.click(sim.board(), label="Join")
    for _ in range(4):
        await sim.play_by_typing(sim.to_move())

    shown = "\n".join(words_of(message) for message in sim.public())
    assert [pictures(message) for message in sim.public() if pictures(message)] == []
    match = await sim.match()
    tiles = {format_tile_notation(tile) for tile in match.rules.tiles}
    assert {tile for tile in tiles if tile in shown} == set()
    assert says(shown, "deal.title", deal=deal)
    for press in ("Text board", "Scores"):
        assert says(told(await linus.click(sim.board(), label=press)), "no.DEAL_SEALED")
    assert says(told(await linus.slash(sim.channel, "tiles board")), "no.DEAL_SEALED")
    assert pictures(private(await ada.slash(sim.channel, "tiles board"))), "who plays there sees it"


async def test_record_is_unavailable_until_deal_opens(
    sim: SimGuild, ada: MemberActor, grace: MemberActor, linus: MemberActor
) -> None:
    deal = await sealed(sim, ada)
    await ada.slash(sim.channel, "tiles new", deal=deal)
    await grace.click(sim.board(), label="Join")
    await sim.play_to_the_end()
    secret = (await sim.head()).secret.hex()
    number = (await sim.head()).match_id
    end = await sim.post(*(f"by:{verb}:{number}" for verb in ("record", "verify", "replay", "film", "review", "past")))
    for label in button_ids(end):
        for who in (linus, ada):
            answer = private(await who.click(end, label=label))
            closed = "no.NO_SUCH_TABLE" if (who, label) == (linus, "Button 5") else "no.DEAL_SEALED"
            assert says(words_of(answer), closed), label
            assert not answer.attachments
    assert says(told(await ada.slash(sim.channel, "tiles replay", match=str(number))), "no.DEAL_SEALED")
    assert says(told(await linus.slash(sim.channel, "tiles-deal field", deal=deal)), "deal.waiting", done=1)
    assert all(secret not in words_of(message) for message in sim.public())

    await sim.wait(hours=24 * 7 + 1)
    assert "against the field" in told(await linus.slash(sim.channel, "tiles-deal field", deal=deal))
    assert pictures(sim.board()), "the board is there for all to see"
    (compared,) = [message for message in sim.public() if says(words_of(message), "deal.field_title")]
    assert "Ada" in words_of(compared)
    answer = private(await linus.click(end, label="Button 0"))
    assert [one.filename for one in answer.attachments] == ["match.txt"]
    assert says(told(await linus.slash(sim.channel, "tiles new", deal=deal)), "no.DEAL_OVER")
