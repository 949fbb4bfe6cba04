"""Private aids of a player: the list of unseen tiles and a private note."""

import json
import re
from types import SimpleNamespace

from simcord import MemberActor

from bot.core.context import Context
from bot.core.dispatch import dispatch, handle_click
from bot.core.layout import CustomId
from bot.sending.cleanup import RETENTION
from bot.tables.board_views import MAX_NOTE_LENGTH, MAX_NOTE_LINES, tidy_note
from bot.tables.hand_commands import save_note
from engine.board.tiles import format_tile_notation
from tests.bot.core.forged_interactions import ForgedInteraction
from tests.bot.core.stored_traces import forget, list_user_tables
from tests.bot.messages import get_private_answer, read_button_ids, read_private_text, read_text
from tests.bot.simulated_guild import SimGuild
from tests.wording import en, has_sentence

TILE = re.compile(r"\d(?:-\d)+")


async def write_note(sim: SimGuild, person: MemberActor, text: str) -> str:
    form = await person.click(await sim.open_hand(person), label="Note")
    return read_text(get_private_answer(await person.submit_modal(form, {"note": text})))


async def click_forged(sim: SimGuild, person: MemberActor, press: CustomId) -> str:
    user = SimpleNamespace(id=person.id, display_name="X")
    interaction = ForgedInteraction(sim.client, user, sim.guild.id, sim.channel.id, data={"custom_id": str(press)})
    await handle_click(interaction)  # type: ignore[arg-type]
    return interaction.answers[-1]


async def test_unseen_tiles_are_grouped_by_lowest_number(sim: SimGuild, ada: MemberActor, grace: MemberActor) -> None:
    await sim.start_table(ada, grace)
    match = await sim.replay_match()
    page = get_private_answer(await ada.click(await sim.open_hand(ada), label="Unseen tiles"))

    lines = read_text(page).split("\n")
    seen_tiles = {*match.seats[0].hand, *match.board.tiles}
    unseen_tiles = {tile for tile in match.rules.tiles if tile not in seen_tiles}
    assert lines[0] == "### " + en("unseen.title", tiles=f"{len(unseen_tiles)} tiles")
    heading = f"boneyard {len(match.boneyard)} · {en('unseen.hands', count=len(match.seats[1].hand))}"
    assert lines[1] == f"-# {en('unseen.where', list=heading)}"
    for line in lines[2:-1]:
        number, tiles = re.fullmatch(r"\*\*(\d)\*\*  (.*)", line).groups()  # type: ignore[union-attr]
        assert TILE.findall(tiles) == [
            format_tile_notation(tile) for tile in sorted(unseen_tiles) if min(tile) == int(number)
        ]
    assert {face for line in lines[2:-1] for face in TILE.findall(line)} == {
        format_tile_notation(tile) for tile in unseen_tiles
    }
    counts = dict(one.split("×") for one in lines[-1].split(": ")[1].split("  "))
    assert counts == {str(number): str(sum(number in tile for tile in unseen_tiles)) for number in range(6)}
    assert "Your " in read_text(get_private_answer(await ada.click(page, label="Back"))), "it leads back to the hand"


async def test_unseen_tiles_at_shape_table_show_shapes(sim: SimGuild, ada: MemberActor, grace: MemberActor) -> None:
    await sim.start_table(ada, grace, theme="picture")
    page = read_text(get_private_answer(await ada.click(await sim.open_hand(ada), label="Unseen tiles")))
    assert re.search(r"\*\*🌙 0\*\*  🌙", page)
    assert "🌙 0×" in page


async def test_watcher_has_no_unseen_tiles_and_no_note(
    sim: SimGuild, ada: MemberActor, grace: MemberActor, linus: MemberActor
) -> None:
    await sim.start_table(ada, grace)
    match_id = (await sim.load_head()).match_id
    assert has_sentence(await click_forged(sim, linus, CustomId("unseen", match_id)), "no.NOT_SEATED")
    user = SimpleNamespace(id=linus.id, display_name="X")
    interaction = ForgedInteraction(sim.client, user, sim.guild.id, sim.channel.id)
    await dispatch(Context(interaction, CustomId("note", match_id), ["mine"]), save_note)  # type: ignore[arg-type]
    assert has_sentence(interaction.answers[-1], "no.NOT_SEATED")
    assert await sim.store.users.load_note(match_id, linus.id) == ""


async def test_note_is_shown_to_writer_only(sim: SimGuild, ada: MemberActor, grace: MemberActor) -> None:
    await sim.start_table(ada, grace)
    before = await sim.take_snapshot()
    answer = await write_note(sim, ada, "keep *5-5-5*\n\n  Grace drew at 3s  \n@everyone")
    assert has_sentence(answer, "note.kept")
    assert "**Your note**\n> keep \\*5-5-5\\*\n> Grace drew at 3s" in answer
    assert "@everyone" not in answer
    assert "Grace drew at 3s" in read_text(await sim.open_hand(ada))
    assert "Grace drew at 3s" in read_private_text(await ada.slash(sim.channel, "tiles board", text=True))
    assert "Grace drew at 3s" not in read_text(await sim.open_hand(grace))
    assert "Grace drew at 3s" not in read_private_text(await grace.slash(sim.channel, "tiles board", text=True))
    export = get_private_answer(await grace.slash(sim.channel, "tiles data export"))
    assert "drew at" not in (await export.attachments[0].read()).decode()
    assert await sim.take_snapshot() == before, "nothing of it is public, and the match has not moved"


async def test_note_can_be_edited_and_deleted(sim: SimGuild, ada: MemberActor, grace: MemberActor) -> None:
    await sim.start_table(ada, grace)
    match_id = (await sim.load_head()).match_id
    await write_note(sim, ada, "first")
    form = await ada.click(await sim.open_hand(ada), label="Note")
    assert "first" in json.dumps(form.modal)
    assert "> second" in read_text(get_private_answer(await ada.submit_modal(form, {"note": "second"})))
    assert await sim.store.users.load_note(match_id, ada.id) == "second"
    assert has_sentence(await write_note(sim, ada, "  "), "note.gone")
    assert "**Your note**" not in read_text(await sim.open_hand(ada))


async def test_note_of_finished_match_is_read_only_then_deleted(
    sim: SimGuild, ada: MemberActor, grace: MemberActor
) -> None:
    await sim.start_table(ada, grace)
    match_id = (await sim.load_head()).match_id
    await write_note(sim, ada, "so far")
    form = await ada.click(await sim.open_hand(ada), label="Note")
    await grace.click(get_private_answer(await grace.slash(sim.channel, "tiles match resign")), label="Resign")
    assert (await sim.load_head()).state == "done"
    answer = await ada.submit_modal(form, {"note": "too late"})
    assert "over" in read_private_text(answer)
    assert await sim.store.users.load_note(match_id, ada.id) == "so far"
    assert has_sentence(await click_forged(sim, ada, CustomId("unseen", match_id)), "why.MATCH_OVER")
    now = sim.clock()
    await sim.store.operations.prune(now + RETENTION - 1000)
    await sim.store.operations.prune(now - 1000)
    assert await sim.store.users.load_note(match_id, ada.id) == ""


async def test_note_is_exported_and_deleted_with_user_data(sim: SimGuild, ada: MemberActor, grace: MemberActor) -> None:
    await sim.start_table(ada, grace)
    await write_note(sim, ada, "mine alone")
    answer = get_private_answer(await ada.slash(sim.channel, "tiles data export"))
    exported = json.loads(await answer.attachments[0].read())
    assert [row["text"] for row in exported["notes"]] == ["mine alone"]
    assert "notes" in list_user_tables(sim, ada)
    await forget(sim, ada)
    assert list_user_tables(sim, ada) == []


def test_long_note_is_shortened_to_fit_hand() -> None:
    assert len(tidy_note("*" * 5000)) == MAX_NOTE_LENGTH
    assert tidy_note("\n".join("abc")).count("\n") == 2
    assert len(tidy_note("a\n" * 200).splitlines()) == MAX_NOTE_LINES


async def test_hand_and_text_board_offer_unseen_tiles_and_note(
    sim: SimGuild, ada: MemberActor, grace: MemberActor
) -> None:
    await sim.start_table(ada, grace)
    for person in (ada, grace):
        assert {"Unseen tiles", "Note"} <= read_button_ids(await sim.open_hand(person)).keys()
        board = get_private_answer(await person.slash(sim.channel, "tiles board", text=True))
        assert {"Unseen tiles", "Note"} <= read_button_ids(board).keys()
