"""The record of a match as a file, for everybody once it is over and for nobody before."""

from simcord import MemberActor

from data.rulebook import rules
from engine.record import read, rerun
from tests.bot.house import GOING_OUT, SHORT_MATCH, House
from tests.bot.reading import button_ids, parts, private, words_of
from tests.wording import en, says

FILE = 13  # Discord's number for a file in a message


async def test_the_end_of_a_match_offers_its_record_to_anybody(
    house: House, ada: MemberActor, grace: MemberActor
) -> None:
    house.deals.wanted = [GOING_OUT]
    await house.table(ada, grace, target=60, preset="goliath")
    await house.play_to_the_end()
    alan = house.person("Alan")
    (end,) = house.ends()
    public = len(house.public())

    answer = private(await alan.click(end, label="Record"))

    assert says(words_of(answer), "record.here")
    assert [part["file"]["url"] for part in parts(answer) if part["type"] == FILE]
    (attached,) = answer.attachments
    assert attached.filename == "match.txt"
    record = read((await attached.read()).decode(), rules)
    loaded = await house.loaded()
    assert record.events == loaded.events
    assert rerun(record).faults == []
    assert rerun(record).proved
    assert record.header.preset == "goliath"
    assert len(house.public()) == public, "nobody else sees it"


async def test_a_record_names_seats_and_nobody(house: House, ada: MemberActor, grace: MemberActor) -> None:
    house.deals.wanted = [SHORT_MATCH]
    await house.table(ada, grace, target=60)
    await house.play_to_the_end()

    answer = private(await ada.click(house.ends()[0], label="Record"))

    text = (await answer.attachments[0].read()).decode()
    assert not any(name in text for name in ("Ada", "Grace", str(ada.id), str(grace.id)))


async def test_there_is_no_record_while_tiles_are_hidden(house: House, ada: MemberActor, grace: MemberActor) -> None:
    await house.table(ada, grace)
    assert "Record" not in button_ids(house.board())
    match_id = (await house.head()).match_id
    forged = await house.post(f"by:record:{match_id}")

    answer = private(await grace.click(forged, label="Button 0"))

    assert words_of(answer) == en("record.not_over")
    assert not answer.attachments
