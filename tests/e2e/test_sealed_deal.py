"""A sealed deal on three phones, and a league in German."""

import re

from playwright.async_api import Browser, expect

from tests.e2e.playground import Playground
from tests.e2e.tab import open_phone


async def test_sealed_deal_is_played_without_showing_spectators_its_tiles(
    browser: Browser, playground: Playground
) -> None:
    sealed = open_phone(browser, playground.address, "Ada")
    second = open_phone(browser, playground.address, "Grace")
    watching = open_phone(browser, playground.address, "Linus")
    async with sealed as ada, second as grace, watching as linus:
        await ada.send_command("/tiles-deal new")
        made = ada.private_messages.filter(has_text="is ready").last
        (deal,) = re.findall(r"Deal ([a-z]+-[a-z]+) is ready", await made.inner_text())
        await ada.click_button(made, "Play it")
        lobby = grace.find_message(f"Duplicate deal {deal}")
        await grace.click_button(lobby, "Join")
        closed = linus.find_message("Only the players see this board")
        await expect(closed).to_be_visible()
        await expect(closed.get_by_test_id("picture")).to_have_count(0)
        await linus.click_button(closed, "Text board")
        refusal = linus.private_messages.filter(has_text="only its players can see the board").last
        await expect(refusal).to_be_visible()
        await ada.click_button(ada.find_message("Only the players see this board"), "My hand")
        await expect(ada.private_messages.last.get_by_test_id("picture").first).to_be_visible()
        await linus.send_command(f"/tiles-deal field deal:{deal}")
        await expect(linus.private_messages.filter(has_text="Tables still playing: 1").last).to_be_visible()
        await linus.send_command("/tiles-deal list")


async def test_german_league_is_announced_and_waits_for_players(browser: Browser, playground: Playground) -> None:
    async with open_phone(browser, playground.address, "Ada", locale="de-DE") as ada:
        await ada.send_command("/tiles-league start name:Frühling")
        league = ada.public_messages.filter(has_text="Frühling · Saison 1").last
        await expect(league).to_contain_text("Noch keine Anmeldungen.")
        await expect(league).to_contain_text("Die Saison dauert 28 Tage.")
        await ada.click_button(league, "Anmelden")
        await expect(league).to_contain_text("Angemeldet, 1 Spieler: Ada")
        await expect(league).to_contain_text("Zum Start nötige Spieler: 4.")
        await ada.send_command("/tiles-league begin")
        await expect(ada.private_messages.last).to_contain_text(
            "Zu wenige Spieler sind angemeldet: Mindestens 4 sind nötig."
        )
        await ada.send_command("/tiles-league end")
        await expect(ada.public_messages.filter(has_text="Ein Moderator hat die Saison abgesagt").last).to_be_visible()
