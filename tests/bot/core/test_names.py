"""Display names of members and their cache, menu labels, and message marks."""

import random
import string

import pytest
from discord import ui
from hypothesis import given
from hypothesis import strategies as st

from bot.core.layout import CustomId, build_button, build_text_view, parse_custom_id
from bot.core.names import NameCache, format_computer_name
from bot.core.safe_text import escape_text
from bot.sending.delivery_marks import compute_mark, mark_view
from bot.tables.hand_views import build_move_options
from data.rulebook import list_games, load_rules
from data.words import list_languages, load_words
from engine.match.decide import decide, start
from engine.match.event_log import build_event_log
from engine.match.player_view import view_for
from tests.bot.member import Member
from tests.bot.messages import list_alt_texts, read_text
from tests.bot.simulated_guild import SimGuild, derive_secret
from tests.bot.tables.stacked_deals import choose_random_tile_action
from tests.render.scripts import bare, furnished
from tests.wording import en, has_sentence


async def test_name_of_departed_member_is_looked_up_rarely(
    sim: SimGuild, ada: Member, grace: Member, linus: Member
) -> None:
    await sim.start_table(ada, grace, linus)
    sim.guild.remove_member(linus)
    await sim.restart()
    before = len(sim.list_member_lookups())
    for _ in range(3):
        await ada.use_command("tiles board")
    gone = [path for path in sim.list_member_lookups()[before:] if path.endswith(f"/{linus.id}")]
    assert len(gone) == 1
    sim.clock.skipped_ms += NameCache.RETRY_AFTER
    await ada.use_command("tiles board")
    gone = [path for path in sim.list_member_lookups()[before:] if path.endswith(f"/{linus.id}")]
    assert len(gone) == 2, "they may have come back"


async def test_returning_member_has_name_at_once(sim: SimGuild, ada: Member) -> None:
    sim.guild.remove_member(ada)
    names = sim.client.services.names
    assert await names.resolve_name(sim.guild.id, ada.id, load_words()) == "Someone"
    returned_member = sim.guild.add_member(ada.user)
    await returned_member.slash(sim.channel, "tiles new")
    assert await names.resolve_name(sim.guild.id, ada.id, load_words()) == "Ada"


async def test_failed_lookup_does_not_mark_member_as_departed(sim: SimGuild, ada: Member) -> None:
    await sim.restart()
    sim.env.inject_error("GET", f"/guilds/*/members/{ada.id}", status=503, message="Service Unavailable")
    names = sim.client.services.names
    assert await names.resolve_name(sim.guild.id, ada.id, load_words()) == "Someone"
    assert await names.resolve_name(sim.guild.id, ada.id, load_words()) == "Ada"


async def test_remembered_departed_members_are_bounded(sim: SimGuild, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(NameCache, "MAX_NAMES", 2)
    names = sim.client.services.names
    before = len(sim.list_member_lookups())
    for user_id in (1, 2, 3, 3, 2, 1):
        assert await names.resolve_name(sim.guild.id, user_id, load_words()) == "Someone"
    user_ids = [int(path.rsplit("/", 1)[1]) for path in sim.list_member_lookups()[before:]]
    assert user_ids == [1, 2, 3, 1], "only the first had to make room"


__all__ = ["bare", "furnished"]


@pytest.mark.usefixtures("bare")
async def test_unsupported_name_gets_number_explained_in_text(sim: SimGuild) -> None:
    ada, hanako = sim.add_member("Ada"), sim.add_member("田中*太郎")
    await sim.start_table(ada, hanako)
    assert en("board.numbered", list="#2 田中\\*太郎") + "\n" in sim.read_board()
    hand = await ada.open_click(sim.get_board(), "My hand")
    assert has_sentence(read_text(hand), "board.numbered", list="#2 田中\\*太郎")


@pytest.mark.usefixtures("furnished")
async def test_supported_name_needs_no_explanation(sim: SimGuild) -> None:
    await sim.start_table(sim.add_member("Ada"), sim.add_member("田中さん"))
    assert not has_sentence(sim.read_board(), "board.numbered")


@pytest.mark.parametrize("language", list_languages())
@pytest.mark.parametrize("game", list_games())
def test_menu_moves_have_distinct_labels(game: str, language: str) -> None:
    words, rng, deal = load_words(language), random.Random(11), derive_secret(11)
    event_log = build_event_log(start(load_rules(game), seats=2, computers=[], by_hand=True, secret=deal))
    option_count = 0
    for _ in range(40):
        if event_log.match.ended:
            break
        view = view_for(event_log.match, event_log.match.turn)
        options = build_move_options(words, view, view.moves[:60], rng.choice(["classic", "picture"]))
        descriptions = [(one.label.split(" → ")[0], one.description) for one in options]
        assert len(set(descriptions)) == len(descriptions)
        assert all(len(one.label) <= 100 and len(one.description or "") <= 100 for one in options)
        option_count += len(options)
        for event in decide(event_log.match, choose_random_tile_action(event_log.match, rng), deal):
            event_log.apply(event)
    assert option_count > 40


NONCES = st.text(string.hexdigits.lower() + "-", min_size=1, max_size=25)


@given(NONCES, st.none() | st.integers(0, 1 << 40))
def test_message_mark_is_short_and_contains_no_digits(nonce: str, version: int | None) -> None:
    mark = compute_mark(nonce, version)
    assert set(mark) <= set("abcdefghijklmnop")
    assert len(mark) == (16 if version is None else 20)
    assert mark.startswith(compute_mark(nonce))


@given(
    st.builds(
        CustomId,
        st.text(string.ascii_lowercase, min_size=1, max_size=12),
        st.integers(1, 10**12 - 1),
        st.none() | st.integers(0, 10**9 - 1),
        st.just("") | st.text("abz019,.@=-_", min_size=1, max_size=60),
        NONCES.map(compute_mark),
    )
)
def test_marked_id_is_read_back(press: CustomId) -> None:
    assert parse_custom_id(str(press)) == press


@pytest.mark.parametrize("tail", ["~", "~abcq", "~ABC", "~" + "a" * 21, "~a~b", "~a|b"])
def test_custom_id_with_invalid_mark_is_rejected(tail: str) -> None:
    assert parse_custom_id("by:hand:1" + tail) is None


def test_marked_button_keeps_its_meaning() -> None:
    view = build_text_view("Hello", build_button("Scores", CustomId("scores", 7, argument="2")))
    mark_view(view, compute_mark("a-nonce"))
    (marked,) = [item for item in view.walk_children() if isinstance(item, ui.Button)]
    press = parse_custom_id(marked.custom_id or "")
    assert (press.verb, press.table, press.argument, press.mark) == ("scores", 7, "2", compute_mark("a-nonce"))


def test_post_without_buttons_carries_mark_as_component_id() -> None:
    ids = []
    for nonce in ("one", "other"):
        view = build_text_view("Hello")
        mark_view(view, compute_mark(nonce))
        (first, *_) = view.to_components()
        ids.append(first["id"])
    assert ids[0] != ids[1]
    assert all(1 << 28 <= number < 1 << 31 for number in ids)


def add_namesake(sim: SimGuild, username: str, name: str) -> Member:
    user = sim.env.create_user(username, global_name=name)
    sim.guild.add_member(user)
    member = sim.members[user.id] = Member(sim.env, sim.guild, user, sim.channel)
    return member


@pytest.mark.parametrize("names", [("Sam", "Sam"), ("Sam", "SAM")])
async def test_players_with_same_name_are_told_apart(sim: SimGuild, names: tuple[str, str]) -> None:
    first, second = add_namesake(sim, "sam.one", names[0]), add_namesake(sim, "sam.two", names[1])
    await sim.start_table(first, second, target=20)
    plain = [f"{names[0]} (@sam.one)", f"{names[1]} (@sam.two)"]
    marked = [escape_text(one) for one in plain]
    assert all(one in sim.read_board() for one in marked)
    assert all(one in list_alt_texts(sim.get_board())[0] for one in plain)
    await sim.play_to_the_end()
    (end,) = sim.list_results()
    assert all(one in read_text(end) for one in marked)
    leaderboard = await first.read_command("tiles leaderboard")
    assert all(one in leaderboard for one in marked)
    # The user is alone in a list of other players.
    assert escape_text(names[1]) in await first.read_command("tiles history")


async def test_user_cannot_pass_for_computer(sim: SimGuild) -> None:
    user = add_namesake(sim, "sly", format_computer_name("medium", load_words()))
    await sim.start_table(user, computers=1, seats=2)
    names = await sim.client.services.names.resolve_seat_names(await sim.load_table(), load_words())
    assert sorted(names.plain) == ["Computer (medium)", "Computer (medium) (@sly)"]


async def test_pictures_show_user_names_where_long_names_begin_alike(sim: SimGuild) -> None:
    people = [add_namesake(sim, f"max{number}", f"Maximilian the {number}.") for number in (1, 2)]
    await sim.start_table(*people)
    names = await sim.client.services.names.resolve_seat_names(await sim.load_table(), load_words())
    assert names.plain == ("Maximilian the 1.", "Maximilian the 2.")
    assert names.picture_names == ("@max1", "@max2")


async def test_user_with_seat_cannot_reserve_another(sim: SimGuild, ada: Member, grace: Member) -> None:
    answer = await ada.read_command("tiles new", **{"with": ada})
    assert has_sentence(answer, "no.NAMED_YOURSELF")
    await ada.read_command("tiles new", seats=3)
    assert has_sentence(await ada.read_command("tiles-host keep", person=ada), "no.NAMED_YOURSELF")
    await grace.click(sim.get_board(), label="Join")
    assert has_sentence(await ada.read_command("tiles-host keep", person=grace), "no.SITS_HERE")
