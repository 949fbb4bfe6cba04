"""The language somebody has chosen: for what nobody else reads, from the next answer on."""

from __future__ import annotations

import json

from simcord import MemberActor

from bot.service.personal_settings import FRESH
from data.words import words
from tests.bot.house import House
from tests.bot.parlour import parlour
from tests.bot.parlour import words_of as said_in
from tests.bot.reading import button_ids, private, told, words_of
from tests.bot.traces import forget
from tests.wording import says


async def test_answers_are_in_the_chosen_language_and_what_everybody_reads_is_not(
    house: House, ada: MemberActor, grace: MemberActor
) -> None:
    said = told(await ada.slash(house.channel, "tiles settings", language="de"))
    assert said.startswith("**Deine Einstellungen**")
    assert "Antworten, die sonst niemand liest: auf Deutsch.\n" in said
    await house.table(ada, grace)
    assert "My hand" in button_ids(house.board())
    hand = private(await ada.click(house.board(), label="My hand"))
    assert "Als Text" in button_ids(hand)
    assert hand.attachments[0].description.startswith("Deine Steine: ")
    assert "As text" in button_ids(private(await grace.click(house.board(), label="My hand")))
    # A refusal that is given before anything is read, and the way back.
    assert "Du sitzt" in told(await ada.slash(house.channel, "tiles join"))
    said = told(await ada.slash(house.channel, "tiles settings", language="discord"))
    assert says(said, "settings.language_by_itself", language="English")


async def test_it_outlives_a_restart_is_exported_and_is_forgotten_with_the_rest(house: House, ada: MemberActor) -> None:
    await ada.slash(house.channel, "tiles settings", language="de")
    await house.restart()
    assert told(await ada.slash(house.channel, "tiles games")).startswith("Du sitzt an keinem Tisch.")
    file = private(await ada.slash(house.channel, "tiles data export")).attachments[0]
    assert json.loads(await file.read())["settings"][0]["preferences"]["language"] == "de"
    await ada.slash(house.channel, "tiles settings", language="discord")
    assert await forget(house, ada) == words("en")("data.deleted")
    await ada.slash(house.channel, "tiles settings", language="de")
    asked = private(await ada.slash(house.channel, "tiles data delete"))
    await ada.click(asked, label="Alles löschen")
    assert says(told(await ada.slash(house.channel, "tiles games")), "tables.none")


async def test_what_another_process_has_written_is_heard_of_after_a_while(house: House, ada: MemberActor) -> None:
    assert says(told(await ada.slash(house.channel, "tiles games")), "tables.none")
    person = await house.store.person(ada.id)
    await house.client.services.people.set(ada.id, lambda one: type(one)(language="de"))
    assert person.preferences.language == ""
    assert says(told(await ada.slash(house.channel, "tiles games")), "tables.none")
    house.clock.skipped += FRESH
    assert told(await ada.slash(house.channel, "tiles games")).startswith("Du sitzt an keinem Tisch.")


async def test_calls_that_come_to_one_alone_are_in_their_language(
    house: House, ada: MemberActor, grace: MemberActor
) -> None:
    for person, language in ((ada, "de"), (grace, "discord")):
        await person.slash(house.channel, "tiles settings", language=language, call="dm")
    await house.table(ada, grace)
    for _ in range(2):
        turn = (await house.head()).turn
        assert turn is not None
        assert turn.user is not None
        await house.play_by_typing(house.people[turn.user])
    heard = {person.id: words_of(person.user.dm_channel.history()[-1]) for person in (ada, grace)}
    assert heard[ada.id].startswith("Du bist am Zug in Triominoes: ")
    assert says(heard[grace.id], "direct.call")


async def test_what_is_completed_while_somebody_types_is_in_their_language_too(url: str) -> None:
    async with parlour(url) as house:
        asked = await house.ada.slash(house.place, "tiles", "settings", language="de")
        assert said_in(await house.answered(house.ada, asked)).startswith("**Deine Einstellungen**")
        options = {"focused": "every", "every": "Stunden"}
        found = await house.ada.autocomplete(house.place, "tiles", "settings", **options)
        assert [one["name"] for one in found] == [f"{n} Stunden" for n in (2, 4, 6, 12)]
