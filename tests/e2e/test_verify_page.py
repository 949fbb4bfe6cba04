"""The verification page as a local file in a browser, with valid and forged records."""

import json
import os
import re
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio
from playwright.async_api import Browser, Page, expect

from bot.tables.fairness_views import VERIFY_PAGE
from data.rulebook import list_games, list_presets, load_rules
from data.words import list_languages, load_words
from engine.board.tiles import format_tile_notation
from engine.match.decide import start
from engine.match.shuffle import MAX_WORD_LENGTH, compute_commitment, hash_interaction
from engine.record import normalize_fingerprint, prove, read, rerun, write
from engine.record.header import iterate_header_lines
from engine.record.proof import ENTROPY_SINCE
from tests.abuse.fair_matches import played
from tests.bot.simulated_guild import secret
from tests.e2e.playground import PATIENCE

pytestmark = [pytest.mark.deep, pytest.mark.asyncio(loop_scope="module"), pytest.mark.timeout(1800)]

ROOT = Path(__file__).parents[1]
VECTORS = json.loads((ROOT / "engine" / "shuffles.json").read_text(encoding="utf-8"))
ADDED = ("grün 7", hash_interaction(1442870954112880722))
TEXT = write(played(secret(3), ADDED), load_rules("triominoes"))
FINGERPRINT = compute_commitment(secret(3))
ENGLISH = VERIFY_PAGE.read_text(encoding="utf-8").partition("\n  en: {")[2].partition("\n  de: {")[0]
SENTENCES = dict(re.findall(r'^    (\w+): "(.*)",$', ENGLISH, re.MULTILINE))  # The English texts of the page, by key


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def page(browser: Browser) -> AsyncIterator[Page]:
    context = await browser.new_context(locale="en-GB", viewport={"width": 1280, "height": 900}, offline=True)
    context.set_default_timeout(PATIENCE * 1000)
    one = await context.new_page()
    troubles: list[str] = []
    asked: list[str] = []
    one.on("pageerror", lambda error: troubles.append(str(error)))
    one.on("console", lambda message: troubles.append(message.text) if message.type == "error" else None)
    one.on("request", lambda request: asked.append(request.url))
    await one.goto(VERIFY_PAGE.as_uri())
    yield one
    assert troubles == []
    assert [url for url in asked if not url.startswith(("file:", "data:", "blob:"))] == [], "it sends nothing"
    await context.close()


def page_says(told: str, key: str, **facts: object) -> bool:
    return SENTENCES[key].format(**facts) in told


async def said(page: Page, text: str, fingerprint: str = "", mine: str = "") -> str:
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
            const seed = await seedOf(one.secret, one.contributions);
            const rounds = [];
            for (const { round } of one.rounds) {
                const order = (await shuffled(tilesOf(one.head), seed, round)).join(" ");
                const lots = await Promise.all([2, 3, 6].map((seats) => lot(seats, seed, round)));
                rounds.push({ round, order, lots });
            }
            return { commitment: await commitment(one.secret), seed, rounds };
        }""",
        one,
    )
    assert found == {key: one[key] for key in ("commitment", "seed", "rounds")}


async def test_page_computes_same_entropy_digits_as_bot(page: Page) -> None:
    for press in VECTORS["presses"]:
        assert await page.evaluate("contributionOf", press["interaction"]) == press["contribution"]


async def test_page_knows_tiles_of_every_game(page: Page) -> None:
    readings = [(game, load_rules(game, preset)) for game in list_games() for preset in list_presets(game)]
    readings.append(("quad-ominos", load_rules("quad-ominos").with_option("quad_arrangement", "counter_clockwise")))
    for game, reading in readings:
        seats = max(2, reading.min_seats)
        log = start(reading, seats=seats, computers=(), by_hand=False, secret=secret(1))
        record = read(write(log, load_rules(game)), load_rules)
        head = dict(line.split(": ") for line in [*iterate_header_lines(record.header, load_rules(game))][1:])
        assert await page.evaluate("tilesOf", head) == list(map(format_tile_notation, reading.tiles)), game


async def test_valid_record_with_matching_fingerprint_is_fair(page: Page) -> None:
    told = await said(page, TEXT, f" {FINGERPRINT[:40]} {FINGERPRINT[40:].upper()}", " grün  7")
    assert page_says(told, "fair")
    assert page_says(told, "by", seat="A", added=SENTENCES["word"].format(word=ADDED[0]))
    assert page_says(told, "by", seat="B", added=SENTENCES["press"].format(digits=""))
    assert "✘" not in told
    assert page_says(told, "dealt", round=1)
    assert "fair" in await said(page, TEXT, FINGERPRINT, "1442870954112880722")


async def test_pasted_record_is_verified(page: Page) -> None:
    await page.locator("#fingerprint").fill(FINGERPRINT)
    await page.locator("#record").fill(TEXT)
    await expect(page.locator("#verdict")).to_contain_text(SENTENCES["fair"])


async def test_record_without_fingerprint_is_not_called_fair(page: Page) -> None:
    told = await said(page, TEXT)
    assert page_says(told, "half")
    assert not page_says(told, "fair")


BY_LOT = write(
    played(secret(5), ADDED, load_rules("triominoes", "goliath")), load_rules("triominoes"), date="2027-01-02"
)


async def test_randomly_chosen_opener_is_recomputed(page: Page) -> None:
    assert page_says(await said(page, BY_LOT, compute_commitment(secret(5))), "fair")
    opener = re.search("^([AB]) opens with any tile$", BY_LOT, re.MULTILINE)
    other = "B" if opener[1] == "A" else "A"
    forged = BY_LOT.replace(opener[0], f"{other} opens with any tile", 1)
    assert page_says(await said(page, forged, compute_commitment(secret(5))), "dealt_not", round=1)


def _swapped(text: str) -> str:
    first, second = re.findall(r"^[AB] is dealt (.+)$", text, re.MULTILINE)[:2]
    one, other = first.split()[0], second.split()[-1]
    dealt = {first: first.replace(one, other), second: second.replace(other, one)}
    return re.sub(r"(?<= is dealt ).+", lambda found: dealt.get(found[0], found[0]), text)


FORGED = {
    "two tiles swapped": (_swapped(TEXT), FINGERPRINT, ""),
    "another word": (TEXT.replace("grün 7", "grün 8"), FINGERPRINT, ""),
    "nothing added": (re.sub("(?m)^(shuffle|contribution .): ?.*\n", "", TEXT), FINGERPRINT, ""),
    "one contribution less": (TEXT.replace("contribution A: grün 7\n", ""), FINGERPRINT, ""),
    "the record of another table": (TEXT, compute_commitment(secret(4)), ""),
    "a word that is not there": (TEXT, FINGERPRINT, "kiwi"),
    "a fingerprint that is not the secret's": (TEXT.replace(FINGERPRINT, "0" * 64), FINGERPRINT, ""),
    "the secret of another table": (TEXT.replace(secret(3).hex(), secret(4).hex()), FINGERPRINT, ""),
    "no secret": (re.sub("(?m)^secret: .*\n", "", TEXT), FINGERPRINT, ""),
    "rounds that do not follow": (TEXT.replace("round 1\n", "round 2\n", 1), FINGERPRINT, ""),
}


@pytest.mark.parametrize("name", FORGED)
async def test_page_detects_same_forged_records_as_bot(page: Page, name: str) -> None:
    text, fingerprint, mine = FORGED[name]
    assert text != TEXT or fingerprint != FINGERPRINT or mine
    record = read(text, load_rules)
    assert not prove(record, rerun(record), normalize_fingerprint(fingerprint), [mine] if mine else []).is_fair
    told = await said(page, text, fingerprint, mine)
    assert page_says(told, "bad")
    assert "✘" in told.partition("What was checked")[2]


GOLDEN = {file.stem: file.read_text(encoding="utf-8") for file in sorted((ROOT / "golden").glob("*.txt"))}


@pytest.mark.parametrize("name", GOLDEN)
async def test_old_records_are_verified_by_their_version(page: Page, name: str) -> None:
    text = GOLDEN[name]
    header = read(text, load_rules).header
    told = await said(page, text, header.commitment)
    if header.contributions:
        assert page_says(told, "fair")
    elif header.secret:
        assert page_says(told, "early")
        assert page_says(told, "nobody_early")
    else:
        assert page_says(told, "no_secret")


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
        (TEXT.replace(secret(3).hex(), "xyz"), "isn't 64 hexadecimal digits"),
    ],
)
async def test_unreadable_record_is_explained(page: Page, text: str, complaint: str) -> None:
    told = await said(page, text, FINGERPRINT)
    assert page_says(told, "unreadable")
    assert complaint in told
    assert page_says(await said(page, TEXT, "12"), "bad_fingerprint")


async def test_record_cannot_inject_html(page: Page) -> None:
    evil = TEXT.replace("grün 7", "<img src=x onerror=document.title='broken'>")
    told = await said(page, evil, FINGERPRINT)
    assert "<img src=x" in told
    assert await page.locator("#result img").count() == 0
    assert "broken" not in await page.title()


async def test_page_is_available_in_every_language(page: Page) -> None:
    told = await page.evaluate("WORDS")
    assert set(told) == set(list_languages())
    facts = [{key: sorted(re.findall(r"{(\w+)}", text)) for key, text in one.items()} for one in told.values()]
    assert all(one == facts[0] for one in facts)
    await said(page, TEXT, FINGERPRINT, "grün 7")
    menu = page.locator("#language")
    for language in sorted(told, key="en".__eq__):  # English last, because the next tests expect it
        await menu.select_option(language)
        await expect(page.locator("#verdict")).to_contain_text(told[language]["fair"])
        assert await page.evaluate("document.documentElement.lang") == language
        assert told[language]["name"] == load_words(language)("admin.language_name")
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
    for width, name in ((369, "phone"), (1280, "desktop")):
        await page.set_viewport_size({"width": width, "height": 900})
        await said(page, TEXT, FINGERPRINT, "grün 7")
        await page.locator("summary").click()
        assert await page.evaluate("document.scrollingElement.scrollWidth") == width
        await _look(page, f"verify-{name}")
        await page.locator("summary").click()


async def _look(page: Page, scene: str) -> None:
    folder = os.environ.get("BONEYARD_SCREENSHOTS")
    if folder:
        await page.screenshot(path=Path(folder) / f"{scene}.png", full_page=True)


async def test_page_and_bot_have_same_limits() -> None:
    text = VERIFY_PAGE.read_text(encoding="utf-8")
    assert f'const SINCE = "{ENTROPY_SINCE}";' in text
    assert "default-src 'none'" in text
    assert not re.search(r"https?://(?!www\.w3\.org/2000/svg)", text), "no address of anything else"
    assert MAX_WORD_LENGTH < 64, "no word is taken for a press"
