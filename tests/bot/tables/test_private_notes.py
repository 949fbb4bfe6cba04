"""Private aids of a player: the list of unseen tiles and a private note."""

import json
import re
from types import SimpleNamespace

from simcord import MemberActor

from bot.core.component_items import handle_click
from bot.core.context import Context
from bot.core.dispatch import dispatch
from bot.core.layout import CustomId
from bot.sending.cleanup import RETENTION
from bot.tables.board_views import MAX_NOTE_LENGTH, MAX_NOTE_LINES, tidy_note
from bot.tables.hand_commands import save_note
from engine.board.tiles import format_tile_notation
from tests.bot.core.forged_interactions import Stranger
from tests.bot.core.stored_traces import forget, traces
from tests.bot.messages import button_ids, private, told, words_of
from tests.bot.simulated_guild import SimGuild
from tests.wording import en, says

TILE = re.compile(r"\d(?:-\d)+")


async def write_note(sim: SimGuild, person: MemberActor, text: str) -> str:
    form = await person.click(await sim.hand(person), label="Note")
    return words_of(private(await person.submit_modal(form, {"note": text})))


async def click_forged(sim: SimGuild, person: MemberActor, press: CustomId) -> str:
    user = SimpleNamespace(id=person.id, display_name="X")
    asked = Stranger(sim.client, user, sim.guild.id, sim.channel.id, data={"custom_id": str(press)})
    await handle_click(asked)  # type: ignore[arg-type]
    return asked.heard[-1]


async def test_unseen_tiles_are_grouped_by_lowest_number(sim: SimGuild, ada: MemberActor, grace: MemberActor) -> None:
    await sim.table(ada, grace)
    match = await sim.match()
    page = private(await ada.click(await sim.hand(ada), label="Unseen tiles"))

    lines = words_of(page).split("\n")
    known = {*match.seats[0].hand, *match.board.tiles}
    left = {tile for tile in match.rules.tiles if tile not in known}
    assert lines[0] == "### " + en("unseen.title", tiles=f"{len(left)} tiles")
    where = f"boneyard {len(match.boneyard)} · {en('unseen.hands', count=len(match.seats[1].hand))}"
    assert lines[1] == f"-# {en('unseen.where', list=where)}"
    for line in lines[2:-1]:
        number, tiles = re.fullmatch(r"\*\*(\d)\*\*  (.*)", line).groups()  # type: ignore[union-attr]
        assert TILE.findall(tiles) == [format_tile_notation(tile) for tile in sorted(left) if min(tile) == int(number)]
    assert {face for line in lines[2:-1] for face in TILE.findall(line)} == {
        format_tile_notation(tile) for tile in left
    }
    counts = dict(one.split("×") for one in lines[-1].split(": ")[1].split("  "))
    assert counts == {str(number): str(sum(number in tile for tile in left)) for number in range(6)}
    assert "Your " in words_of(private(await ada.click(page, label="Back"))), "it leads back to the hand"


async def test_unseen_tiles_at_shape_table_show_shapes(sim: SimGuild, ada: MemberActor, grace: MemberActor) -> None:
    await sim.table(ada, grace, theme="picture")
    page = words_of(private(await ada.click(await sim.hand(ada), label="Unseen tiles")))
    assert re.search(r"\*\*🌙 0\*\*  🌙", page)
    assert "🌙 0×" in page


async def test_watcher_has_no_unseen_tiles_and_no_note(
    sim: SimGuild, ada: MemberActor, grace: MemberActor, linus: MemberActor
) -> None:
    await sim.table(ada, grace)
    match_id = (await sim.head()).match_id
    assert says(await click_forged(sim, linus, CustomId("unseen", match_id)), "no.NOT_SEATED")
    user = SimpleNamespace(id=linus.id, display_name="X")
    typed = Stranger(sim.client, user, sim.guild.id, sim.channel.id)
    await dispatch(Context(typed, CustomId("note", match_id), ["mine"]), save_note)  # type: ignore[arg-type]
    assert says(typed.heard[-1], "no.NOT_SEATED")
    assert await sim.store.users.load_note(match_id, linus.id) == ""


async def test_note_is_shown_to_writer_only(sim: SimGuild, ada: MemberActor, grace: MemberActor) -> None:
    await sim.table(ada, grace)
    before = await sim.standing()
    said = await write_note(sim, ada, "keep *5-5-5*\n\n  Grace drew at 3s  \n@everyone")
    assert says(said, "note.kept")
    assert "**Your note**\n> keep \\*5-5-5\\*\n> Grace drew at 3s" in said
    assert "@everyone" not in said
    assert "Grace drew at 3s" in words_of(await sim.hand(ada))
    assert "Grace drew at 3s" in told(await ada.slash(sim.channel, "tiles board", text=True))
    assert "Grace drew at 3s" not in words_of(await sim.hand(grace))
    assert "Grace drew at 3s" not in told(await grace.slash(sim.channel, "tiles board", text=True))
    export = private(await grace.slash(sim.channel, "tiles data export"))
    assert "drew at" not in (await export.attachments[0].read()).decode()
    assert await sim.standing() == before, "nothing of it is public, and the match has not moved"


async def test_note_can_be_edited_and_deleted(sim: SimGuild, ada: MemberActor, grace: MemberActor) -> None:
    await sim.table(ada, grace)
    match_id = (await sim.head()).match_id
    await write_note(sim, ada, "first")
    form = await ada.click(await sim.hand(ada), label="Note")
    assert "first" in json.dumps(form.modal)
    assert "> second" in words_of(private(await ada.submit_modal(form, {"note": "second"})))
    assert await sim.store.users.load_note(match_id, ada.id) == "second"
    assert says(await write_note(sim, ada, "  "), "note.gone")
    assert "**Your note**" not in words_of(await sim.hand(ada))


async def test_note_of_finished_match_is_read_only_then_deleted(
    sim: SimGuild, ada: MemberActor, grace: MemberActor
) -> None:
    await sim.table(ada, grace)
    match_id = (await sim.head()).match_id
    await write_note(sim, ada, "so far")
    form = await ada.click(await sim.hand(ada), label="Note")
    await grace.click(private(await grace.slash(sim.channel, "tiles match resign")), label="Resign")
    assert (await sim.head()).state == "done"
    answer = await ada.submit_modal(form, {"note": "too late"})
    assert "over" in told(answer)
    assert await sim.store.users.load_note(match_id, ada.id) == "so far"
    assert says(await click_forged(sim, ada, CustomId("unseen", match_id)), "why.MATCH_OVER")
    now = sim.clock()
    await sim.store.operations.prune(now + RETENTION - 1000)
    await sim.store.operations.prune(now - 1000)
    assert await sim.store.users.load_note(match_id, ada.id) == ""


async def test_note_is_exported_and_deleted_with_user_data(sim: SimGuild, ada: MemberActor, grace: MemberActor) -> None:
    await sim.table(ada, grace)
    await write_note(sim, ada, "mine alone")
    answer = private(await ada.slash(sim.channel, "tiles data export"))
    held = json.loads(await answer.attachments[0].read())
    assert [row["text"] for row in held["notes"]] == ["mine alone"]
    assert "notes" in traces(sim, ada)
    await forget(sim, ada)
    assert traces(sim, ada) == []


def test_long_note_is_shortened_to_fit_hand() -> None:
    assert len(tidy_note("*" * 5000)) == MAX_NOTE_LENGTH
    assert tidy_note("\n".join("abc")).count("\n") == 2
    assert len(tidy_note("a\n" * 200).splitlines()) == MAX_NOTE_LINES


async def test_hand_and_text_board_offer_unseen_tiles_and_note(
    sim: SimGuild, ada: MemberActor, grace: MemberActor
) -> None:
    await sim.table(ada, grace)
    for person in (ada, grace):
        assert {"Unseen tiles", "Note"} <= button_ids(await sim.hand(person)).keys()
        board = private(await person.slash(sim.channel, "tiles board", text=True))
        assert {"Unseen tiles", "Note"} <= button_ids(board).keys()
