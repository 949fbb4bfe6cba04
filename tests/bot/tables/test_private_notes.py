"""Private aids of a player: the list of unseen tiles and a private note."""

import json
import re

from bot.core.context import Context
from bot.core.dispatch import dispatch
from bot.core.layout import CustomId
from bot.sending.cleanup import RETENTION
from bot.tables.board_views import MAX_NOTE_LENGTH, MAX_NOTE_LINES, tidy_note
from bot.tables.hand_commands import save_note
from engine.board.tiles import format_tile_notation
from tests.bot.core.forged_interactions import click_forged, forge_interaction
from tests.bot.core.stored_traces import forget, list_user_tables
from tests.bot.member import Member
from tests.bot.messages import get_private_answer, read_button_ids, read_private_text, read_text
from tests.bot.simulated_guild import SimGuild
from tests.wording import en, has_sentence

TILE = re.compile(r"\d(?:-\d)+")


async def write_note(sim: SimGuild, person: Member, text: str) -> str:
    form = await person.click(await sim.open_hand(person), label="Note")
    return read_text(get_private_answer(await person.submit_modal(form, {"note": text})))


async def test_unseen_tiles_are_grouped_by_lowest_number(room: SimGuild, ada: Member) -> None:
    match = await room.replay_match()
    page = await ada.open_click(await room.open_hand(ada), "Unseen tiles")

    lines = read_text(page).split("\n")
    seen_tiles = {*match.seats[0].hand, *match.board.tiles}
    unseen_tiles = {tile for tile in match.rules.tiles if tile not in seen_tiles}
    assert lines[0] == "### " + en("unseen.title", tiles=f"{len(unseen_tiles)} tiles")
    heading = f"boneyard {len(match.boneyard)} · {en('unseen.hands', count=len(match.seats[1].hand))}"
    assert lines[1] == f"-# {en('unseen.where', list=heading)}"
    for line in lines[2:-1]:
        number, tiles = re.fullmatch(r"\*\*(\d)\*\*  (.*)", line).groups()
        assert TILE.findall(tiles) == [
            format_tile_notation(tile) for tile in sorted(unseen_tiles) if min(tile) == int(number)
        ]
    assert {face for line in lines[2:-1] for face in TILE.findall(line)} == {
        format_tile_notation(tile) for tile in unseen_tiles
    }
    counts = dict(one.split("×") for one in lines[-1].split(": ")[1].split("  "))
    assert counts == {str(number): str(sum(number in tile for tile in unseen_tiles)) for number in range(6)}
    assert "Your " in await ada.read_click(page, "Back"), "it leads back to the hand"


async def test_unseen_tiles_at_shape_table_show_shapes(sim: SimGuild, ada: Member, grace: Member) -> None:
    await sim.start_table(ada, grace, theme="picture")
    page = await ada.read_click(await sim.open_hand(ada), "Unseen tiles")
    assert re.search(r"\*\*🌙 0\*\*  🌙", page)
    assert "🌙 0×" in page


async def test_watcher_has_no_unseen_tiles_and_no_note(room: SimGuild, linus: Member) -> None:
    match_id = (await room.load_head()).match_id
    assert has_sentence(await click_forged(room, linus, CustomId("unseen", match_id)), "no.NOT_SEATED")
    interaction = forge_interaction(room, linus)
    await dispatch(Context(interaction, CustomId("note", match_id), ["mine"]), save_note)
    assert has_sentence(interaction.answers[-1], "no.NOT_SEATED")
    assert await room.store.users.load_note(match_id, linus.id) == ""


async def test_note_is_shown_to_writer_only(room: SimGuild, ada: Member, grace: Member) -> None:
    before = await room.take_snapshot()
    answer = await write_note(room, ada, "keep *5-5-5*\n\n  Grace drew at 3s  \n@everyone")
    assert has_sentence(answer, "note.kept")
    assert "**Your note**\n> keep \\*5-5-5\\*\n> Grace drew at 3s" in answer
    assert "@everyone" not in answer
    assert "Grace drew at 3s" in read_text(await room.open_hand(ada))
    assert "Grace drew at 3s" in await ada.read_command("tiles board", text=True)
    assert "Grace drew at 3s" not in read_text(await room.open_hand(grace))
    assert "Grace drew at 3s" not in await grace.read_command("tiles board", text=True)
    export = await grace.open_command("tiles data export")
    assert "drew at" not in (await export.attachments[0].read()).decode()
    assert await room.take_snapshot() == before, "nothing of it is public, and the match has not moved"


async def test_note_can_be_edited_and_deleted(room: SimGuild, ada: Member) -> None:
    match_id = (await room.load_head()).match_id
    await write_note(room, ada, "first")
    form = await ada.click(await room.open_hand(ada), label="Note")
    assert "first" in json.dumps(form.modal)
    assert "> second" in read_text(get_private_answer(await ada.submit_modal(form, {"note": "second"})))
    assert await room.store.users.load_note(match_id, ada.id) == "second"
    assert has_sentence(await write_note(room, ada, "  "), "note.gone")
    assert "**Your note**" not in read_text(await room.open_hand(ada))


async def test_note_of_finished_match_is_read_only_then_deleted(room: SimGuild, ada: Member, grace: Member) -> None:
    match_id = (await room.load_head()).match_id
    await write_note(room, ada, "so far")
    form = await ada.click(await room.open_hand(ada), label="Note")
    await grace.click(await grace.open_command("tiles match resign"), label="Resign")
    assert (await room.load_head()).state == "done"
    answer = await ada.submit_modal(form, {"note": "too late"})
    assert "over" in read_private_text(answer)
    assert await room.store.users.load_note(match_id, ada.id) == "so far"
    assert has_sentence(await click_forged(room, ada, CustomId("unseen", match_id)), "why.MATCH_OVER")
    now = room.clock()
    await room.store.operations.prune(now + RETENTION - 1000)
    await room.store.operations.prune(now - 1000)
    assert await room.store.users.load_note(match_id, ada.id) == ""


async def test_note_is_exported_and_deleted_with_user_data(room: SimGuild, ada: Member) -> None:
    await write_note(room, ada, "mine alone")
    answer = await ada.open_command("tiles data export")
    exported = json.loads(await answer.attachments[0].read())
    assert [row["text"] for row in exported["notes"]] == ["mine alone"]
    assert "notes" in list_user_tables(room, ada)
    await forget(room, ada)
    assert list_user_tables(room, ada) == []


def test_long_note_is_shortened_to_fit_hand() -> None:
    assert len(tidy_note("*" * 5000)) == MAX_NOTE_LENGTH
    assert tidy_note("\n".join("abc")).count("\n") == 2
    assert len(tidy_note("a\n" * 200).splitlines()) == MAX_NOTE_LINES


async def test_hand_and_text_board_offer_unseen_tiles_and_note(room: SimGuild, ada: Member, grace: Member) -> None:
    for person in (ada, grace):
        assert {"Unseen tiles", "Note"} <= read_button_ids(await room.open_hand(person)).keys()
        board = await person.open_command("tiles board", text=True)
        assert {"Unseen tiles", "Note"} <= read_button_ids(board).keys()
