"""The command `/tiles solo`: private solo puzzles that can be shared."""

from collections.abc import AsyncIterator

import pytest

from bot.core.languages import Languages
from bot.solo.service import FIGURE_RETENTION as KEPT_FOR
from bot.solo.service import FigureService
from bot.solo.solver import solve_figure
from bot.solo.views import format_ways
from data.store.connection.faults import DatabaseFault, DatabaseUnavailable
from data.words import list_languages, load_words
from engine.board.tiles import find_rotation, format_tile_notation, to_canonical
from engine.solo.catalogue import FIGURES
from engine.solo.filling import Filling
from engine.solo.search import SearchResult
from tests.bot.member import Member
from tests.bot.messages import Message, find_play_label, list_menus, read_button_ids, read_text
from tests.bot.simulated_guild import SimGuild
from tests.wording import en, has_sentence

# A solver process starts, which takes time on a busy machine.
pytestmark = pytest.mark.simcord(settle_timeout=120)

BAR_FIGURE = FIGURES["bar"]
LARGE_FIGURE = FIGURES["horseshoe"]


async def choose(member: Member, message: Message, verb: str, label: str) -> Message:
    menu = next(one for one in list_menus(message) if one.custom_id == f"by:{verb}")
    value = next(one.value for one in menu.options if one.label.startswith(label))
    return await member.open_select(message, value, custom_id=menu.custom_id)


async def place_tile(member: Member, message: Message, index: int) -> Message:
    cell = BAR_FIGURE.cells[index]
    labels = BAR_FIGURE.solution_labels[cell]
    message_with_tile = await choose(member, message, "solotile", format_tile_notation(to_canonical(labels)))
    preview = await choose(member, message_with_tile, "soloplace", BAR_FIGURE.cell_letters[cell])
    button_label = en("solo.lay", tile=format_tile_notation(labels), place=BAR_FIGURE.cell_letters[cell])
    for _ in range(3):
        if button_label in read_button_ids(preview):
            return await member.open_click(preview, button_label)
        preview = await member.open_click(preview, "Rotate")
    raise AssertionError(f"{button_label} never came: {list(read_button_ids(preview))}")


async def place_tiles(sim: SimGuild, member: Member, cells: int, *, name: str = "bar") -> None:
    figure = FIGURES[name]
    stored_figure = (await sim.client.services[FigureService].load(member.id, name)).stored

    def place_cells(filling: Filling) -> Filling:
        for cell in figure.cells[:cells]:
            labels = figure.solution_labels[cell]
            rotation = find_rotation(to_canonical(labels), labels)
            assert rotation is not None
            filling = filling.place(to_canonical(labels), cell, rotation)
        return filling

    assert (
        await sim.client.services[FigureService].change(member.id, name, stored_figure.version, place_cells)
    ).is_applied


@pytest.fixture(autouse=True)
async def ended(sim: SimGuild) -> AsyncIterator[None]:
    yield
    await sim.client.services[FigureService].end()


async def test_tile_is_selected_placed_rotated_removed_and_undone(sim: SimGuild, ada: Member) -> None:
    message = await ada.open_command("tiles solo", figure="bar")
    assert en("solo.lies", laid=0, all=24) in read_text(message)

    message = await place_tile(ada, message, 0)
    message = await place_tile(ada, message, 1)
    assert en("solo.lies", laid=2, all=24) in read_text(message)

    message = await choose(ada, message, "sololift", "A:")
    assert en("solo.lies", laid=1, all=24) in read_text(message)
    message = await ada.open_click(message, "Take back")
    assert en("solo.lies", laid=2, all=24) in read_text(message)
    assert sim.list_public_messages() == [], "nobody else sees anything"


async def test_tight_place_is_filled_by_one_choice(sim: SimGuild, ada: Member) -> None:
    message = await place_tile(ada, await ada.open_command("tiles solo", figure="bar"), 0)
    menu = next(one for one in list_menus(message) if one.custom_id == "by:sololay")
    message = await ada.open_select(message, menu.options[0].value, custom_id=menu.custom_id)
    assert en("solo.lies", laid=2, all=24) in read_text(message)


async def test_placed_tiles_survive_restart_and_switching_figures(sim: SimGuild, ada: Member, grace: Member) -> None:
    message = await place_tile(ada, await ada.open_command("tiles solo", figure="bar"), 0)
    assert "1 of 24" in read_text(message)
    await sim.client.services[FigureService].end()
    await sim.restart()

    assert en("solo.lies", laid=1, all=24) in await ada.read_command("tiles solo")
    assert en("solo.lies", laid=0, all=24) in await grace.read_command("tiles solo", figure="bar")


async def test_stale_second_device_shows_current_state(sim: SimGuild, ada: Member) -> None:
    phone = await ada.open_command("tiles solo", figure="bar")
    use_cases = await ada.open_command("tiles solo", figure="bar")
    tile = await choose(ada, use_cases, "solotile", "0-0-1")
    preview = await choose(ada, tile, "soloplace", "B")
    await place_tile(ada, phone, 0)

    late_answer = await ada.open_click(preview, find_play_label(preview))

    assert en("solo.stale") in read_text(late_answer)
    assert en("solo.lies", laid=1, all=24) in read_text(late_answer)


async def test_clicking_other_players_button_affects_own_figure(sim: SimGuild, ada: Member, grace: Member) -> None:
    await place_tiles(sim, ada, 3)
    copied_message = await sim.post(
        "by:soloundo|bar.1", "by:soloshare|bar.1", "by:soloagain|bar.1", "by:sololay|bar.1.9.9.9"
    )

    for number in range(4):
        await grace.click(copied_message, label=f"Button {number}")

    figures = sim.client.services[FigureService]
    assert len((await figures.load(ada.id, "bar")).filling.placed) == 3
    assert (await figures.load(grace.id, "bar")).stored.version == 0
    assert len(sim.list_public_messages()) == 1, "nothing was shown to all"


async def test_solution_count_is_shown_and_hint_leads_to_solution(sim: SimGuild, ada: Member) -> None:
    await place_tiles(sim, ada, 20)
    message = await ada.open_command("tiles solo", figure="bar")

    count_message = await ada.open_click(message, "Count solutions")
    assert has_sentence(read_text(count_message), "solo.ways_all", n=1)

    for _ in range(4):
        hint_message = await ada.open_click(count_message, "Hint")
        assert has_sentence(read_text(hint_message), "solo.hinted")
        count_message = await ada.open_click(hint_message, find_play_label(hint_message))
    assert en("solo.full") in read_text(count_message)
    assert "4 hints" in read_text(count_message)


async def test_unsolvable_figure_is_reported_and_has_no_hint(sim: SimGuild, ada: Member) -> None:
    await place_tiles(sim, ada, 20)
    message = await ada.open_command("tiles solo", figure="bar")
    figures, stored_figure = (
        sim.client.services[FigureService],
        (await sim.client.services[FigureService].load(ada.id, "bar")).stored,
    )
    before = (await figures.load(ada.id, "bar")).filling
    wrong_cell_tile = next(
        (tile, cell, turn)
        for tile, cells in before.cells_by_tile.items()
        for cell in cells
        for turn in before.list_rotations(tile, cell)
        if not solve_figure("bar", str(before.place(tile, cell, turn)), 1).solutions
    )
    await figures.change(ada.id, "bar", stored_figure.version, lambda filling: filling.place(*wrong_cell_tile))

    for label in ("Count solutions", "Hint"):
        answer = await ada.open_click(message, label)
        assert has_sentence(read_text(answer), "solo.ways_none")
        assert "hint" not in read_text(answer).lower().replace("hint**", "")


async def test_full_triominoes_figure_splits_tiles_into_menus(sim: SimGuild, ada: Member) -> None:
    message = await ada.open_command("tiles solo", figure=LARGE_FIGURE.name)
    assert en("solo.lies", laid=0, all=56) in read_text(message)
    tiles = [one for one in list_menus(message) if one.custom_id.startswith("by:solotile")]
    assert [line.label for one in tiles for line in one.options] == [
        format_tile_notation(tile) for tile in LARGE_FIGURE.tiles
    ]
    assert tiles[0].placeholder == "Which tile? 0-0-0 … 1-1-4"

    message_with_tile = await ada.open_select(message, tiles[2].options[-1].value, custom_id=tiles[2].custom_id)
    places = [one for one in list_menus(message_with_tile) if one.custom_id.startswith("by:soloplace")]
    assert [line.label for one in places for line in one.options] == list(LARGE_FIGURE.cell_letters.values())
    preview = await ada.open_select(message_with_tile, places[2].options[0].value, custom_id=places[2].custom_id)
    message_after = await ada.open_click(preview, f"Play 5-5-5 at {LARGE_FIGURE.cell_letters[LARGE_FIGURE.cells[50]]}")
    assert en("solo.lies", laid=1, all=56) in read_text(message_after)
    await ada.click(message_after, label="Take back")

    await place_tiles(sim, ada, 54, name=LARGE_FIGURE.name)
    remove_menus = [one for one in list_menus(await ada.open_command("tiles solo")) if "lift" in one.custom_id]
    assert sum(len(one.options) for one in remove_menus) == 54


async def test_early_position_shows_whether_known_solution_is_reachable(sim: SimGuild, ada: Member) -> None:
    message = await ada.open_command("tiles solo", figure=LARGE_FIGURE.name)
    assert has_sentence(await ada.read_click(message, "Count solutions"), "solo.ways_some")
    hint_message = await ada.open_click(message, "Hint")
    assert has_sentence(read_text(hint_message), "solo.hinted")

    figures, first = sim.client.services[FigureService], LARGE_FIGURE.cells[0]
    version = (await figures.load(ada.id, LARGE_FIGURE.name)).stored.version
    other = next(tile for tile in LARGE_FIGURE.tiles if tile != to_canonical(LARGE_FIGURE.solution_labels[first]))
    await figures.change(ada.id, LARGE_FIGURE.name, version, lambda filling: filling.place(other, first, 0))
    message = await ada.open_command("tiles solo", figure=LARGE_FIGURE.name)
    count_message = await ada.open_click(message, "Count solutions")
    assert has_sentence(read_text(count_message), "solo.ways_unknown")
    assert "known" not in read_text(count_message), "where it was left is a hint"
    count_message = await ada.open_click(message, "Hint")
    assert has_sentence(read_text(count_message), "solo.strayed", places="A")
    assert "2 hints" in read_text(count_message)


async def test_late_position_of_full_figure_counts_all_solutions(sim: SimGuild, ada: Member) -> None:
    await place_tiles(sim, ada, 50, name=LARGE_FIGURE.name)
    message = await ada.open_command("tiles solo", figure=LARGE_FIGURE.name)

    assert "exactly" in await ada.read_click(message, "Count solutions")


async def test_solution_is_shared_once_and_puzzle_can_restart(sim: SimGuild, ada: Member) -> None:
    await place_tiles(sim, ada, 24)
    message = await ada.open_command("tiles solo", figure="bar")

    for _ in range(3):
        await ada.click(message, label="Show to all")
    (public,) = sim.list_public_messages()
    assert read_text(public).startswith(en("solo.shared", name="Ada", figure="The bar (Trioker)", hints="no hints"))

    restarted = await ada.open_click(message, "Start over")
    assert en("solo.lies", laid=0, all=24) in read_text(restarted)
    assert not has_sentence(read_button_ids(restarted), "solo.share")


async def test_failed_rendering_is_retried_at_next_click(
    sim: SimGuild, ada: Member, monkeypatch: pytest.MonkeyPatch
) -> None:
    await place_tiles(sim, ada, 24)
    message = await ada.open_command("tiles solo", figure="bar")

    async def fails(*_: object, **__: object) -> object:
        raise DatabaseUnavailable(DatabaseFault.LOST)

    with monkeypatch.context() as patch:
        patch.setattr(Languages, "load_guild_messages", fails)
        await ada.click(message, label="Show to all")
    assert sim.list_public_messages() == []

    await ada.click(message, label="Show to all")

    assert len(sim.list_public_messages()) == 1


async def test_incomplete_figure_cannot_be_shared(sim: SimGuild, ada: Member) -> None:
    await place_tiles(sim, ada, 23)
    message = await ada.open_command("tiles solo", figure="bar")

    assert not has_sentence(read_button_ids(message), "solo.share")
    forged = await sim.post("by:soloshare|bar.1")
    await ada.click(forged, label="Button 0")
    assert len(sim.list_public_messages()) == 1


async def test_frequent_requests_are_rate_limited_and_block_no_other_user(sim: SimGuild, ada: Member) -> None:
    await place_tiles(sim, ada, 24)
    figures, found = sim.client.services[FigureService], []
    filling = (await figures.load(ada.id, "bar")).filling
    for cell in BAR_FIGURE.cells[:12]:
        filling = filling.remove(cell)
        found.append(await figures.search_ways(ada.id, filling))

    assert None in found, "eight at once, then one in five seconds"
    assert has_sentence(format_ways(None, load_words("en")), "solo.busy")


async def test_figure_is_deleted_after_half_a_year(sim: SimGuild, ada: Member) -> None:
    await place_tiles(sim, ada, 3)
    services = sim.client.services

    sim.clock.skipped_ms += KEPT_FOR - 3600 * 1000
    await services.cleanup.sweep()
    assert len((await services[FigureService].load(ada.id, "bar")).filling.placed) == 3

    sim.clock.skipped_ms += 2 * 3600 * 1000
    await services.cleanup.sweep()
    assert (await services[FigureService].load(ada.id, "bar")).stored.version == 0


@pytest.mark.parametrize("language", list_languages())
def test_incomplete_search_reports_partial_result(language: str) -> None:
    words = load_words(language)
    texts = [
        format_ways(found, words)
        for found in (
            SearchResult(1, is_exhaustive=True, steps=1),
            SearchResult(5, is_exhaustive=True, steps=1),
            SearchResult(5, is_exhaustive=False, steps=1),
            SearchResult(1, is_exhaustive=False, steps=1),
            SearchResult(0, is_exhaustive=True, steps=1),
            SearchResult(0, is_exhaustive=False, steps=1),
            None,
        )
    ]

    assert len(set(texts)) == 7
    assert all("{" not in text for text in texts)
    many = [format_ways(solve_figure("hexagon", "", 1), load_words(language)) for language in ("en", "de")]
    assert "11,853,792" in many[0]
    assert "11.853.792" in many[1]


async def test_unconstrained_place_is_described_in_words(sim: SimGuild, ada: Member) -> None:
    message = await ada.open_command("tiles solo", figure="bar")
    message_with_tile = await choose(ada, message, "solotile", "0-0-0")
    assert {one.description for one in list_menus(message_with_tile)[0].options} == {"any number"}
