"""Verification of fair deals by two players, from the lobby to the record."""

import re
from pathlib import Path

from playwright.async_api import Browser, expect

from tests.e2e import moves
from tests.e2e.playground import Playground
from tests.e2e.tab import open_phone, open_tab

HEX = re.compile("[0-9a-f]{64}")


async def test_lobby_fingerprint_and_entropy_word_verify_record(
    browser: Browser, playground: Playground, tmp_path: Path
) -> None:
    phone = open_phone(browser, playground.address, "Grace", accept_downloads=True)
    async with open_tab(browser, playground.address, "Ada") as ada, phone as grace:
        await ada.send_command("/tiles new seats:2")
        lobby = grace.find_message("Ada opened a table")
        await grace.click_button(lobby, "Fingerprint")
        shown = grace.private_messages.filter(has_text="Fingerprint of the deals").last
        await expect(shown).to_contain_text(HEX)
        (fingerprint,) = HEX.findall(await shown.inner_text())
        await grace.click_button(shown, "Join with a word")
        await grace.page.locator("#modal input").fill("kiwi 12")
        await grace.page.get_by_test_id("modal-submit").click()
        await expect(ada.board).to_be_visible()
        await expect(ada.board).not_to_contain_text(HEX)

        await ada.send_command("/tiles match resign ")
        await ada.click_button(ada.private_messages.last, re.compile("^Resign"))
        end = grace.find_message(moves.FINAL_TEXT)
        await expect(end).not_to_contain_text(re.compile("[0-9a-f]{20}"))
        await grace.click_button(end, "Verify")
        verification = grace.private_messages.filter(has_text="The deals of this match were fair.").last
        await expect(verification).to_contain_text(fingerprint)
        await expect(verification).to_contain_text("Grace with the word kiwi 12")
        files = {}
        for name in ("match.txt", "verify.html"):
            async with grace.page.expect_download() as download:
                await verification.locator("a.file", has_text=name).click()
            files[name] = tmp_path / name
            await (await download.value).save_as(files[name])

    async with await browser.new_page(locale="de-DE", offline=True) as page:
        await page.goto(files["verify.html"].as_uri())
        await page.locator("#file").set_input_files(files["match.txt"])
        await page.locator("#fingerprint").fill(fingerprint)
        await page.locator("#mine").fill("kiwi 12")
        await expect(page.locator("#verdict")).to_contain_text("In dieser Partie wurde fair gemischt.")
        await expect(page.locator("#found")).to_contain_text("„kiwi 12“ ist in die Mischung eingegangen.")
