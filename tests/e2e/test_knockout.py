"""A knock-out tournament in French with four players, two of whom resign."""

import re
from contextlib import AsyncExitStack

from playwright.async_api import Browser, expect

from data.words import load_words
from tests.e2e.playground import Playground
from tests.e2e.tab import open_phone
from tests.playground.page_user import PageUser

PEOPLE = ("Ada", "Grace", "Linus", "Margaret")


async def resign(person: PageUser, thread: str) -> None:
    words = load_words()  # private messages use the language of the user
    confirmation = await person.wait_for_answer(thread, await person.use_command(thread, "tiles", "match", "resign"))
    await person.wait_for_answer(thread, await person.click(confirmation, label=words("resign.yes")))


async def test_resigned_player_is_eliminated_and_phone_shows_bracket(browser: Browser, playground: Playground) -> None:
    words = load_words("fr")
    async with AsyncExitStack() as stack:
        people = {name: await stack.enter_async_context(PageUser(playground.address, name)) for name in PEOPLE}
        ada = await stack.enter_async_context(open_phone(browser, playground.address, "Ada", locale="fr-FR"))
        await ada.send_command("/tiles-league tournament name:Vendredi kind:knockout")
        evening = ada.public_messages.filter(
            has_text=words("tournament.kind_knockout")
        ).last  # posted again when it starts
        await expect(evening).to_contain_text(words("league.nobody"))
        channel, number = (
            await people["Ada"].fetch_channel_id("tiles"),
            str(await evening.get_attribute("data-message-id")),
        )
        for person in people.values():
            signing = await person.click(await person.fetch_message(channel, number), label=words("league.sign_up"))
            await person.wait_for_answer(channel, signing)
        await expect(evening).to_contain_text("Ada, Grace, Linus, Margaret")

        await ada.send_command("/tiles-league begin")
        running = words("tournament.runs", first=r"(\w+)", second=r"(\w+)")
        await expect(evening).to_contain_text(re.compile(f"{running}.*{running}", re.DOTALL))
        met = re.findall(running, await evening.inner_text())
        assert {name for pair in met for name in pair} == {*PEOPLE}
        for pair in met:
            thread = next(
                one["id"]
                for one in (await people["Ada"].fetch_state())["channels"]
                if all(name in one["name"] for name in pair)
            )
            await resign(people[max(pair)], thread)
        for pair in met:
            facts = {"first": pair[0], "second": pair[1], "winner": min(pair)}
            await expect(evening).to_contain_text(words("tournament.goes_on", **facts))

        await ada.click_button(evening, words("league.table"))
        table = ada.private_messages.last
        shown = table.get_by_test_id("picture").locator("img")
        first, second = sorted(min(pair) for pair in met)
        final = re.compile(rf"{words('bracket.final')}\s: .*{first}.*{second}")
        await expect(shown).to_have_attribute("alt", final)
        await expect(shown).to_have_attribute("alt", re.compile(words("bracket.forfeit")))
        assert await ada.page.evaluate("document.documentElement.scrollWidth <= innerWidth")

        await ada.send_command("/tiles-league end")
        await expect(evening).to_contain_text(words("tournament.over_nobody"))
