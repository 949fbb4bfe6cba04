"""The verification page as a local file in a browser, with valid and forged records."""

import json
import re
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio
from playwright.async_api import Browser, Page, ViewportSize, expect

from bot.tables.fairness_views import VERIFY_PAGE
from data.rulebook import list_games, list_presets, load_rules
from data.words import list_languages, load_words
from engine.board.tiles import format_tile_notation
from engine.match.decide import start
from engine.match.shuffle import MAX_WORD_LENGTH, compute_commitment, hash_interaction
from engine.record import normalize_fingerprint, prove, read, rerun, write
from engine.record.header import iterate_header_lines
from engine.record.proof import ENTROPY_SINCE
from tests.abuse.fair_matches import play_fair_match
from tests.bot.simulated_guild import derive_secret
from tests.e2e.playground import STEP_TIMEOUT

ROOT = Path(__file__).parents[1]
VECTORS = json.loads((ROOT / "engine" / "shuffles.json").read_text(encoding="utf-8"))
CONTRIBUTION = ("grün 7", hash_interaction(1442870954112880722))
TEXT = write(play_fair_match(derive_secret(3), CONTRIBUTION), load_rules("triominoes"))
FINGERPRINT = compute_commitment(derive_secret(3))
ENGLISH = VERIFY_PAGE.read_text(encoding="utf-8").partition("\n  en: {")[2].partition("\n  de: {")[0]
SENTENCES = dict(re.findall(r'^    (\w+): "(.*)",$', ENGLISH, re.MULTILINE))  # The English texts of the page, by key


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def page(browser: Browser) -> AsyncIterator[Page]:
    errors: list[str] = []
    requested_urls: list[str] = []
    window: ViewportSize = {"width": 1280, "height": 900}
    async with await browser.new_page(locale="en-GB", viewport=window, offline=True) as one:
        one.set_default_timeout(STEP_TIMEOUT * 1000)
        one.on("pageerror", lambda error: errors.append(str(error)))
        one.on("console", lambda message: errors.append(message.text) if message.type == "error" else None)
        one.on("request", lambda request: requested_urls.append(request.url))
        await one.goto(VERIFY_PAGE.as_uri())
        yield one
    assert errors == []
    assert [url for url in requested_urls if not url.startswith(("file:", "data:", "blob:"))] == [], "it sends nothing"


def has_sentence(text: str, key: str, **facts: object) -> bool:
    return SENTENCES[key].format(**facts) in text


async def verify_record(page: Page, text: str, fingerprint: str = "", mine: str = "") -> str:
    if await page.locator("#record").input_value() != text:
        # The record is passed as a file, because typing it takes seconds.
        await page.locator("#file").set_input_files(
            {"name": "match.txt", "mimeType": "text/plain", "buffer": text.encode()}
        )
        await expect(page.locator("#record")).to_have_value(text.replace("\r\n", "\n"))
    for name, value in (("fingerprint", fingerprint), ("mine", mine)):
        field = page.locator(f"#{name}")
        if await field.input_value() != value:
            await field.fill(value)
    await expect(page.locator("body")).to_have_attribute("data-checked", "")
    found = page.locator("#result")
    return (
        await page.locator("#verdict").inner_text()
        + "\n"
        + (await found.inner_text() if await found.is_visible() else "")
    )


@pytest.mark.parametrize("one", VECTORS["deals"], ids=lambda one: one["case"])
async def test_page_computes_same_deal_as_bot(page: Page, one: dict[str, Any]) -> None:
    found = await page.evaluate(
        """async (one) => {
            const seed = await computeSeed(one.secret, one.contributions);
            const rounds = [];
            for (const { round } of one.rounds) {
                const order = (await shuffle(listTiles(one.head), seed, round)).join(" ");
                const lots = await Promise.all([2, 3, 6].map((seats) => drawLot(seats, seed, round)));
                rounds.push({ round, order, lots });
            }
            return { commitment: await computeCommitment(one.secret), seed, rounds };
        }""",
        one,
    )
    assert found == {key: one[key] for key in ("commitment", "seed", "rounds")}


async def test_page_computes_same_entropy_digits_as_bot(page: Page) -> None:
    for press in VECTORS["presses"]:
        assert await page.evaluate("hashInteraction", press["interaction"]) == press["contribution"]


async def test_page_knows_tiles_of_every_game(page: Page) -> None:
    readings = [(game, load_rules(game, preset)) for game in list_games() for preset in list_presets(game)]
    readings.append(("quad-ominos", load_rules("quad-ominos").with_option("quad_arrangement", "counter_clockwise")))
    for game, reading in readings:
        seats = max(2, reading.min_seats)
        log = start(reading, seats=seats, computers=(), by_hand=False, secret=derive_secret(1))
        record = read(write(log, load_rules(game)), load_rules)
        head = dict(line.split(": ") for line in [*iterate_header_lines(record.header, load_rules(game))][1:])
        assert await page.evaluate("listTiles", head) == list(map(format_tile_notation, reading.tiles)), game


async def test_valid_record_with_matching_fingerprint_is_fair(page: Page) -> None:
    result = await verify_record(page, TEXT, f" {FINGERPRINT[:40]} {FINGERPRINT[40:].upper()}", " grün  7")
    assert has_sentence(result, "fair")
    assert has_sentence(result, "by", seat="A", added=SENTENCES["word"].format(word=CONTRIBUTION[0]))
    assert has_sentence(result, "by", seat="B", added=SENTENCES["press"].format(digits=""))
    assert "✘" not in result
    assert has_sentence(result, "dealt", round=1)
    assert "fair" in await verify_record(page, TEXT, FINGERPRINT, "1442870954112880722")


async def test_pasted_record_is_verified(page: Page) -> None:
    await page.locator("#fingerprint").fill(FINGERPRINT)
    await page.locator("#record").fill(TEXT)
    await expect(page.locator("#verdict")).to_contain_text(SENTENCES["fair"])


async def test_record_without_fingerprint_is_not_called_fair(page: Page) -> None:
    result = await verify_record(page, TEXT)
    assert has_sentence(result, "half")
    assert not has_sentence(result, "fair")


RANDOM_OPENER_TEXT = write(
    play_fair_match(derive_secret(5), CONTRIBUTION, load_rules("triominoes", "goliath")),
    load_rules("triominoes"),
    date="2027-01-02",
)


async def test_randomly_chosen_opener_is_recomputed(page: Page) -> None:
    assert has_sentence(await verify_record(page, RANDOM_OPENER_TEXT, compute_commitment(derive_secret(5))), "fair")
    opener = re.search("^([AB]) opens with any tile$", RANDOM_OPENER_TEXT, re.MULTILINE)
    other = "B" if opener[1] == "A" else "A"
    forged = RANDOM_OPENER_TEXT.replace(opener[0], f"{other} opens with any tile", 1)
    assert has_sentence(await verify_record(page, forged, compute_commitment(derive_secret(5))), "dealt_not", round=1)


def _swap_tiles(text: str) -> str:
    first, second = re.findall(r"^[AB] is dealt (.+)$", text, re.MULTILINE)[:2]
    one, other = first.split()[0], second.split()[-1]
    swapped_lines = {first: first.replace(one, other), second: second.replace(other, one)}
    return re.sub(r"(?<= is dealt ).+", lambda found: swapped_lines.get(found[0], found[0]), text)


FORGED = {
    "two tiles swapped": (_swap_tiles(TEXT), FINGERPRINT, ""),
    "another word": (TEXT.replace("grün 7", "grün 8"), FINGERPRINT, ""),
    "nothing added": (re.sub("(?m)^(shuffle|contribution .): ?.*\n", "", TEXT), FINGERPRINT, ""),
    "one contribution less": (TEXT.replace("contribution A: grün 7\n", ""), FINGERPRINT, ""),
    "the record of another table": (TEXT, compute_commitment(derive_secret(4)), ""),
    "a word that is not there": (TEXT, FINGERPRINT, "kiwi"),
    "a fingerprint that is not the secret's": (TEXT.replace(FINGERPRINT, "0" * 64), FINGERPRINT, ""),
    "the secret of another table": (TEXT.replace(derive_secret(3).hex(), derive_secret(4).hex()), FINGERPRINT, ""),
    "no secret": (re.sub("(?m)^secret: .*\n", "", TEXT), FINGERPRINT, ""),
    "rounds that do not follow": (TEXT.replace("round 1\n", "round 2\n", 1), FINGERPRINT, ""),
}


@pytest.mark.parametrize("name", FORGED)
async def test_page_detects_same_forged_records_as_bot(page: Page, name: str) -> None:
    text, fingerprint, mine = FORGED[name]
    assert text != TEXT or fingerprint != FINGERPRINT or mine
    record = read(text, load_rules)
    assert not prove(record, rerun(record), normalize_fingerprint(fingerprint), [mine] if mine else []).is_fair
    result = await verify_record(page, text, fingerprint, mine)
    assert has_sentence(result, "bad")
    assert "✘" in result.partition("What was checked")[2]


GOLDEN = {file.stem: file.read_text(encoding="utf-8") for file in sorted((ROOT / "golden").glob("*.txt"))}


@pytest.mark.parametrize("name", GOLDEN)
async def test_old_records_are_verified_by_their_version(page: Page, name: str) -> None:
    text = GOLDEN[name]
    header = read(text, load_rules).header
    result = await verify_record(page, text, header.commitment)
    if header.contributions:
        assert has_sentence(result, "fair")
    elif header.secret:
        assert has_sentence(result, "early")
        assert has_sentence(result, "nobody_early")
    else:
        assert has_sentence(result, "no_secret")


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("hello", "This isn't a Boneyard record."),
        ("boneyard record 1\ngame: triominoes\n", "ends before the first round"),
        (TEXT.replace("seats: 2\n", ""), "doesn't name the game"),
        (TEXT.replace("seats: 2\n", "seats: 2\nseats: 3\n"), "appears twice"),
        (TEXT.replace("boneyard: ", "graveyard: ", 1), "Round 1 isn't fully dealt"),
        (TEXT.replace("shuffle: 2\n", ""), "shuffle version"),
        (TEXT.replace("contribution A", "contribution Q"), "a seat that doesn't exist"),
        (TEXT.replace(derive_secret(3).hex(), "xyz"), "isn't 64 hexadecimal digits"),
    ],
)
async def test_unreadable_record_is_explained(page: Page, text: str, complaint: str) -> None:
    result = await verify_record(page, text, FINGERPRINT)
    assert has_sentence(result, "unreadable")
    assert complaint in result
    assert has_sentence(await verify_record(page, TEXT, "12"), "bad_fingerprint")


async def test_record_cannot_inject_html(page: Page) -> None:
    evil = TEXT.replace("grün 7", "<img src=x onerror=document.title='broken'>")
    result = await verify_record(page, evil, FINGERPRINT)
    assert "<img src=x" in result
    assert await page.locator("#result img").count() == 0
    assert "broken" not in await page.title()


async def test_page_is_available_in_every_language(page: Page) -> None:
    words_by_language = await page.evaluate("WORDS")
    assert set(words_by_language) == set(list_languages())
    placeholders = [
        {key: sorted(re.findall(r"{(\w+)}", text)) for key, text in one.items()} for one in words_by_language.values()
    ]
    assert all(one == placeholders[0] for one in placeholders)
    await verify_record(page, TEXT, FINGERPRINT, "grün 7")
    menu = page.locator("#language")
    for language in sorted(words_by_language, key="en".__eq__):  # English last, because the next tests expect it
        await menu.select_option(language)
        await expect(page.locator("#verdict")).to_contain_text(words_by_language[language]["fair"])
        assert await page.evaluate("document.documentElement.lang") == language
        assert words_by_language[language]["name"] == load_words(language)("admin.language_name")
    await expect(page.locator("#verdict")).to_contain_text(SENTENCES["fair"])


async def test_record_file_can_be_selected_or_dropped(page: Page, tmp_path: Path) -> None:
    file = tmp_path / "match.txt"
    file.write_text(TEXT, encoding="utf-8")
    await page.locator("#record").fill("")
    await page.locator("#fingerprint").fill(FINGERPRINT)
    await page.locator("#file").set_input_files(file)
    await expect(page.locator("#verdict")).to_contain_text(SENTENCES["fair"])
    await page.get_by_role("button", name="Start again").click()
    await expect(page.locator("#verdict")).to_be_hidden()
    moved = await page.evaluate_handle(
        "(text) => { const moved = new DataTransfer(); moved.items.add(new File([text], 'match.txt')); return moved; }",
        TEXT,
    )
    await page.dispatch_event("body", "drop", {"dataTransfer": moved})
    await expect(page.locator("#verdict")).to_contain_text("Everything matches so far.")


async def test_page_fits_phone_screen(page: Page) -> None:
    for width in (369, 1280):
        await page.set_viewport_size({"width": width, "height": 900})
        await verify_record(page, TEXT, FINGERPRINT, "grün 7")
        await page.locator("summary").click()
        assert await page.evaluate("document.scrollingElement.scrollWidth") == width
        await page.locator("summary").click()


async def test_page_and_bot_have_same_limits() -> None:
    text = VERIFY_PAGE.read_text(encoding="utf-8")
    assert f'const ENTROPY_SINCE = "{ENTROPY_SINCE}";' in text
    assert "default-src 'none'" in text
    assert not re.search(r"https?://(?!www\.w3\.org/2000/svg)", text), "no address of anything else"
    assert MAX_WORD_LENGTH < 64, "no word is taken for a press"
