"""What is told of a table before and around a match tells nothing hidden: offers in `/tiles games`, messages to those
who want to know of tables, and to whoever is next.
"""

from __future__ import annotations

from random import Random

import pytest

from data.words import languages, words
from engine.match import Match
from engine.seen import see
from engine.table import TableState
from engine.table.next_up import next_person, told_next
from tests.bot.house import House, secret
from tests.bot.public_views import order, tiles_in
from tests.bot.reading import private, words_of
from tests.depth import deep
from tests.engine.table.sitting import GRACE, LINUS, circled


async def told_of_it(house: House, number: int) -> list[str]:
    """All that Grace hears of one more table, whose deals come from the secret of this number."""
    ada, grace = (next(one for one in house.people.values() if one.name == name) for name in ("ada", "grace"))
    house.deals.wanted = [number]
    seen = len(grace.user.dm_channel.history())
    await ada.slash(house.channel, "tiles new", seats=2, game="triominoes")
    match_id = (await house.head()).match_id
    assert (await house.head()).secret == secret(number)
    board = str(house.board().id)
    listed = words_of(private(await grace.slash(house.channel, "tiles games")))
    await house.wait(hours=0.05)
    await house.client.services.alerts.idle()
    alone = [words_of(message) for message in grace.user.dm_channel.history()[seen:]]
    assert len(alone) == 1
    await ada.slash(house.channel, "tiles leave")
    # A day later one is told of another table of this host.
    await house.wait(hours=25)
    return [text.replace(f"table {match_id}", "table").replace(board, "board") for text in (listed, *alone)]


async def test_whatever_the_secret_is_the_offer_and_the_message_are_the_same(house: House) -> None:
    for name in ("Ada", "Grace"):
        person = house.person(name)
    await house.store.want_alerts(person.id, house.guild.id, "triominoes", now=0)
    first, *others = [await told_of_it(house, number) for number in (5, 17, 278)]
    assert all(other == first for other in others)
    for text in first:
        assert tiles_in(text) == set()
        assert not any(secret(number).hex()[:8] in text for number in (5, 17, 278))


def exchanged(match: Match, seat: int, rng: Random) -> Match:
    """The same match for everybody but the holder of `seat`: every hidden tile may be anywhere else."""
    found = match.copy()
    others = [number for number in range(len(found.seats)) if number != seat]
    hidden = [*match.boneyard, *(tile for number in others for tile in match.seats[number].hand)]
    rng.shuffle(hidden)
    for number in others:
        count = len(match.seats[number].hand)
        found.seats[number].hand, hidden = hidden[:count], hidden[count:]
    found.boneyard = hidden
    return found


@pytest.mark.parametrize("seed", range(deep(20, 5)))
def test_who_is_next_does_not_depend_on_anything_hidden(seed: int):
    rng, sitting = Random(seed), circled(GRACE, LINUS, computers=seed % 2)
    for user in (1, GRACE, LINUS):
        sitting.prefers(user, next_up=True)
    for _ in range(12):
        done = sitting.move()
        turn = sitting.turn
        if turn is None:
            break
        other = exchanged(sitting.match, turn.seat, rng)
        assert see(other, None).seats == see(sitting.match, None).seats
        state: TableState = sitting.state
        said = told_next(done.events, state, sitting.match, turn, sitting.given())
        assert said == told_next(done.events, state, other, turn, sitting.given())
        assert next_person(state, other, turn) == next_person(state, sitting.match, turn)
        bodies = repr([post.body for post in said])
        assert tiles_in(bodies) == set()
        assert not any(way in bodies for way in order(sitting.match))


@pytest.mark.parametrize("language", languages())
def test_the_sentences_have_room_for_nothing_but_what_everybody_sees(language: str) -> None:
    said = words(language)
    facts = {"mention": "<@1>", "name": "Ada", "game": "Star", "link": "<#2>"}
    for key in ("turn.next_up", "direct.next_up"):
        assert tiles_in(said(key, **facts)) == set()
