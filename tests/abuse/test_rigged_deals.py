"""A dishonest operator chooses the secret of the deals, so that one player wins."""

import re
import sqlite3
from contextlib import closing
from pathlib import Path
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from typer.testing import CliRunner

from bot.__main__ import app
from bot.app import build
from bot.client import Boneyard
from data.rulebook import load_rules
from data.store.store import Store
from data.words import load_words
from engine.match.decide import start
from engine.match.shuffle import compute_commitment, derive_seed, hash_interaction, normalize_word, shuffle_tiles
from engine.record import Proof, prove, read, rerun, write
from tests.abuse.fair_matches import SHORT_RULES, play_fair_match
from tests.bot.member import Member
from tests.bot.messages import get_private_answer, read_button_ids, read_text
from tests.bot.simulated_guild import DealSecrets, SimClock, SimGuild, derive_secret
from tests.depth import scale_count
from tests.wording import en, has_sentence

FINGERPRINT = re.compile("[0-9a-f]{64}")
TRIED_SECRETS = 1000


def has_first_player_won(deal: bytes, contributions: tuple[str, ...] = ()) -> bool:
    places: tuple[int, ...] = play_fair_match(deal, contributions)[-1].places  # type: ignore[union-attr]
    return places[0] == 1


def verify_record(text: str, fingerprint: str, *own_words: str) -> Proof:
    record = read(text, load_rules)
    return prove(record, rerun(record), fingerprint, own_words)


def make_contributions(rng: Random) -> tuple[str, str]:
    return hash_interaction(rng.getrandbits(60)), hash_interaction(rng.getrandbits(60))


def choose_winning_secret(rng: Random, contributions: tuple[str, ...], tries: int = 60) -> bytes:
    secrets = [rng.randbytes(32) for _ in range(tries)]
    return next((deal for deal in secrets if has_first_player_won(deal, contributions)), secrets[0])


def test_player_entropy_prevents_gain_from_chosen_secrets():
    rng, rounds = Random(611), scale_count(40)
    old = sum(has_first_player_won(choose_winning_secret(rng, ())) for _ in range(rounds))
    new = 0
    for _ in range(rounds):
        guess, real = make_contributions(rng), make_contributions(rng)
        new += has_first_player_won(choose_winning_secret(rng, guess), real)
    honest = sum(has_first_player_won(rng.randbytes(32), make_contributions(rng)) for _ in range(rounds))
    assert old >= 0.9 * rounds
    assert new - honest < (old - honest) / 2, "picking has lost its effect, but for chance"


def test_secret_changed_after_seating_is_detected():
    rng = Random(7)
    shown_secret, contributions = rng.randbytes(32), make_contributions(rng)
    secrets = [rng.randbytes(32) for _ in range(TRIED_SECRETS)]
    best_secret = max(secrets, key=lambda deal: _compute_hand_advantage(deal, contributions))
    text = write(play_fair_match(best_secret, contributions), load_rules("triominoes"))

    proof = verify_record(text, compute_commitment(shown_secret))

    assert not proof.is_fair
    assert proof.fingerprint == "other"
    assert all(compute_commitment(deal) != compute_commitment(shown_secret) for deal in secrets)
    assert verify_record(text, compute_commitment(best_secret)).is_fair, (
        "everything but what the lobby showed looks right"
    )
    honest = write(play_fair_match(shown_secret, contributions), load_rules("triominoes"))
    assert verify_record(honest, compute_commitment(shown_secret)).is_fair
    assert verify_record(honest, compute_commitment(shown_secret)[:32]).is_fair, "as many digits as boards once showed"


def test_chosen_secret_was_undetectable_in_first_version():
    rng = Random(8)
    best_secret = max(
        (rng.randbytes(32) for _ in range(TRIED_SECRETS)), key=lambda deal: _compute_hand_advantage(deal, ())
    )
    record = read(write(play_fair_match(best_secret), load_rules("triominoes"), date="2026-02-28"), load_rules)
    found = rerun(record)
    assert (found.faults, found.is_proved) == ([], True)
    # This scheme is still valid for old records, and verification states its limits.
    assert prove(record, found, record.header.commitment).predates_entropy
    later = read(write(play_fair_match(best_secret), load_rules("triominoes"), date="2027-02-28"), load_rules)
    assert not prove(later, rerun(later), later.header.commitment).is_fair, "nobody goes back to it unseen"


def _compute_hand_advantage(deal: bytes, contributions: tuple[str, ...]) -> int:
    dealt = start(SHORT_RULES, seats=2, computers=(), by_hand=False, secret=deal, contributions=contributions)[1]
    first, other = (sum(map(sum, hand)) for hand in dealt.hands)
    return other - first


CONTRIBUTIONS = st.lists(
    st.one_of(
        st.just(""),
        st.integers(0, 2**63).map(hash_interaction),
        st.text("abcäß 12-漢", min_size=1, max_size=20).filter(lambda text: text.strip()).map(normalize_word),
    ),
    min_size=2,
    max_size=6,
).filter(any)


@settings(max_examples=scale_count(150), deadline=None)
@given(CONTRIBUTIONS, CONTRIBUTIONS, st.binary(min_size=32, max_size=32))
def test_different_entropy_gives_different_deal(one: list[str], other: list[str], deal: bytes):
    same = derive_seed(deal, one) == derive_seed(deal, other)
    assert same == (one == other)
    if one != other:
        tiles = SHORT_RULES.tiles
        assert [shuffle_tiles(tiles, derive_seed(deal, added), 1) for added in (one, other)].count(tiles) == 0
        assert shuffle_tiles(tiles, derive_seed(deal, one), 1) != shuffle_tiles(tiles, derive_seed(deal, other), 1)


@pytest.mark.parametrize(
    ("line", "instead"),
    [
        ("contribution A: kiwi", "contribution A: kiwis"),
        ("contribution A: kiwi", "contribution A: Kiwi"),
        ("contribution A: kiwi\n", ""),
        ("contribution B", "contribution A"),
    ],
)
def test_record_with_changed_entropy_is_not_fair(line: str, instead: str):
    text = write(play_fair_match(derive_secret(3), ("kiwi", hash_interaction(5))), load_rules("triominoes"))
    fingerprint = compute_commitment(derive_secret(3))
    assert verify_record(text, fingerprint, "kiwi", "5").is_fair
    forged = text.replace("contribution A: kiwi\n", "", 1) if line == "contribution B" else text
    forged = forged.replace(line, instead, 1)
    assert forged != text
    assert not verify_record(forged, fingerprint).is_fair


def test_omitted_entropy_is_detected():
    fingerprint = compute_commitment(derive_secret(3))
    nothing = write(play_fair_match(derive_secret(3)), load_rules("triominoes"), date="2026-12-24")
    only_one = write(play_fair_match(derive_secret(3), ("kiwi", "")), load_rules("triominoes"))
    other_word = write(play_fair_match(derive_secret(3), ("kiwi", "plum")), load_rules("triominoes"))
    assert not verify_record(nothing, fingerprint).is_fair
    assert not verify_record(only_one, fingerprint).is_fair
    assert verify_record(other_word, fingerprint).is_fair
    assert not verify_record(other_word, fingerprint, "apple").is_fair, "whoever added apple misses it"


def test_verify_command_reports_same_result_with_exit_status(tmp_path: Path):
    file, fingerprint = tmp_path / "match.txt", compute_commitment(derive_secret(3))
    file.write_text(
        write(play_fair_match(derive_secret(3), ("kiwi", hash_interaction(5))), load_rules("triominoes")),
        encoding="utf-8",
    )

    def run_verify(*words: str) -> int:
        return CliRunner().invoke(app, ["verify", str(file), *words]).exit_code

    assert run_verify("--fingerprint", fingerprint, "--mine", "kiwi", "--mine", "5") == 0
    assert run_verify("--fingerprint", f" {fingerprint.upper()} ") == 0
    assert run_verify("--fingerprint", compute_commitment(derive_secret(4))) == 1, "another table's"
    assert run_verify("--fingerprint", fingerprint, "--mine", "plum") == 1
    assert run_verify() == 1, "nothing shows that it was fixed before"
    assert run_verify("--fingerprint", "123") == 2
    output = CliRunner().invoke(app, ["verify", str(file), "--fingerprint", fingerprint, "--language", "de"]).stdout
    assert output.startswith(load_words("de")("fair.yes").strip("*"))
    file.write_text("nothing", encoding="utf-8")
    assert run_verify("--fingerprint", fingerprint) == 2


@pytest.fixture
def simcord_bot(store: Store, clock: SimClock, deals: DealSecrets) -> Boneyard:
    return build(store, clock=clock, secret=deals, presses=True)


def find_fingerprint(text: str) -> str:
    (found,) = set(FINGERPRINT.findall(text))
    return str(found)


def format_added_word(number: int, name: str, word: str) -> str:
    return en("fair.seat", number=number, name=name, added=en("fair.added_word", word=word))


async def read_fingerprint_panel(sim: SimGuild, person: Member) -> str:
    return await person.read_click(sim.get_board(), "Fingerprint")


async def test_lobby_shows_fingerprint_before_first_player_joins(
    sim: SimGuild, ada: Member, grace: Member, linus: Member, tmp_path: Path
) -> None:
    await ada.use_command("tiles new", target=60, seats=2)
    before = await read_fingerprint_panel(sim, grace)
    fingerprint = find_fingerprint(before)
    message = await grace.open_click(sim.get_board(), "Fingerprint")
    form = await grace.click(message, label="Join with a word")
    seated = await grace.submit_modal(form, {"word": " grün  7 "})
    assert has_sentence(read_text(get_private_answer(seated)), "lobby.joined", host="Ada")
    during = await read_fingerprint_panel(sim, linus)
    assert find_fingerprint(during) == fingerprint
    assert format_added_word(2, "Grace", "grün 7") in during
    assert "1. Ada: a number from their button press, `" in during
    await sim.play_to_the_end()
    (end,) = sim.list_results()
    assert not re.search("[0-9a-f]{20}", read_text(end) + read_text(sim.get_board()))

    answer = await linus.open_click(end, "Verify")

    text = read_text(answer)
    assert text.startswith(en("fair.yes"))
    assert find_fingerprint(text) == fingerprint
    assert has_sentence(text, "fair.by", name="Grace", added=en("fair.added_word", word="grün 7"))
    names = [file.filename for file in answer.attachments]
    assert names == ["match.txt", "verify.html"]
    file = tmp_path / "match.txt"
    file.write_bytes(await answer.attachments[0].read())
    run = CliRunner().invoke(app, ["verify", str(file), "--fingerprint", fingerprint, "--mine", "grün 7"])
    assert (run.exit_code, run.stderr) == (0, "")


async def test_secret_swapped_in_database_deals_nothing(
    sim: SimGuild, ada: Member, grace: Member, logged_errors: list[str]
) -> None:
    await ada.use_command("tiles new", seats=2)
    with closing(sqlite3.connect(sim.url.removeprefix("sqlite:///"))) as database, database:
        database.execute("UPDATE matches SET secret = ?", (derive_secret(99),))

    answer = await grace.open_click(sim.get_board(), "Join")

    assert has_sentence(read_text(answer), "no.BROKEN")
    assert (await sim.load_head()).state == "lobby"
    assert any("not the secret" in line for line in logged_errors)
    logged_errors.clear()


async def test_entropy_word_can_change_only_before_match_starts(sim: SimGuild, ada: Member, grace: Member) -> None:
    await ada.use_command("tiles new", seats=3, word="plum")
    await grace.use_command("tiles join", word="pear")
    assert format_added_word(1, "Ada", "plum") in await read_fingerprint_panel(sim, grace)
    message = await grace.open_click(sim.get_board(), "Fingerprint")
    form = await grace.click(message, label="Add my word")
    answer = get_private_answer(await grace.submit_modal(form, {"word": "kiwi"}))
    assert format_added_word(2, "Grace", "kiwi") in read_text(answer)
    late = await grace.click(answer, label="Add my word")
    await ada.click(sim.get_board(), label="Start")
    assert (await sim.replay_match()).contributions == ("plum", "kiwi")
    refused = get_private_answer(await grace.submit_modal(late, {"word": "late"}))
    assert read_text(refused) == en("no.WORD_TOO_LATE")
    assert "Add my word" not in read_button_ids(await grace.open_click(sim.get_board(), "Fingerprint"))


@pytest.mark.parametrize("word", ["a`b", "[x](https://e.vil)", "<@1>", "a\u202eb", "@everyone", "a\u200bb", "   "])
async def test_entropy_word_cannot_inject_markdown(sim: SimGuild, ada: Member, word: str) -> None:
    await ada.use_command("tiles new", seats=3)
    message = await ada.open_click(sim.get_board(), "Fingerprint")
    form = await ada.click(message, label="Add my word")
    answer = get_private_answer(await ada.submit_modal(form, {"word": word}))
    assert read_text(answer) == en("no.BAD_WORD", most=40)
    assert "1. Ada: a number from their button press" in await read_fingerprint_panel(sim, ada)
