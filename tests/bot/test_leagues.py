"""A league as people live it: announced, signed up for by buttons, played in threads, with a table at the end."""

import discord
import pytest
from simcord import MemberActor
from simcord.backend.models import Overwrite

from bot.leagues.season_jobs import Seasons
from bot.leagues.service import LeagueBook, LeagueSeason
from bot.tables.acts import Acts
from data.store.connection.store_errors import StoreClosed
from engine.leagues.standings import winners
from tests.bot.house import House, add_moderator
from tests.bot.reading import button_ids, pictures, private, told, words_of
from tests.bot.seasons import MEMBER, message, resigned, season_of, settled
from tests.wording import en, says

WEEK = 7 * 24


@pytest.fixture
async def people(house: House) -> list[MemberActor]:
    return [house.person(name) for name in ("Ann", "Ben", "Cleo", "Dan", "Eve")]


@pytest.fixture
async def moderator(house: House) -> MemberActor:
    return add_moderator(house)


def called(house: House) -> list[set[int]]:
    sent = [body for body in house.sent("POST", "/messages") if "Spring · season 2" in str(body)]
    return [{*users} for body in sent if (users := body.get("allowed_mentions", {}).get("users"))]


async def announced(house: House, moderator: MemberActor, people: list[MemberActor], **options: object) -> None:
    await moderator.slash(house.channel, "tiles-league start", name="Spring", target=60, **options)
    for person in people:
        await person.click(message(house), label="Sign up")


async def begun(house: House, moderator: MemberActor, people: list[MemberActor], **options: object) -> LeagueSeason:
    await announced(house, moderator, people, **options)
    await house.wait(hours=WEEK)
    await settled(house)
    return await season_of(house)


async def test_season_opens_matches_in_threads(house: House, people: list[MemberActor], moderator: MemberActor) -> None:
    said = told(await moderator.slash(house.channel, "tiles-league start", name="Spring", target=60))
    assert said == en("league.announced", channel=f"<#{house.channel.id}>")
    assert {"Sign up", "Withdraw", "How it goes"} == set(button_ids(message(house)))

    assert says(words_of(message(house)), "league.nobody")
    assert says(told(await people[0].click(message(house), label="Sign up")), "league.signed_up")
    assert en("league.players", people="1 person", list="Ann") in words_of(message(house))
    assert says(words_of(message(house)), "league.too_few", least=4)
    for person in people[1:4]:
        await person.click(message(house), label="Sign up")
    assert en("league.players", people="4 people", list="Ann, Ben, Cleo, Dan") in words_of(message(house))
    assert not says(words_of(message(house)), "league.too_few")
    assert len(house.public()) == 1, "one message, edited"

    await house.wait(hours=WEEK)
    await settled(house)

    assert (await season_of(house)).season.state == "running"
    assert len(house.channel.threads) == 2, "the first round of four"
    for thread in house.channel.threads:
        table = await house.now(thread)
        assert table.head.state == "open"
        assert table.rated
        calls = [one for one in house.public(thread) if "has begun" in one.content]
        assert len(calls) == 1
        assert {one.id for one in calls[0].mentions} == {row.user_id for row in table.seats}
    assert "Matches done: 0 of 6" in words_of(message(house))


async def test_refusals_say_what_to_do(house: House, people: list[MemberActor], moderator: MemberActor) -> None:
    ann, ben, *_ = people
    assert says(told(await ann.slash(house.channel, "tiles-league start", name="Mine")), "no.MODERATORS_ONLY")
    assert says(told(await ann.slash(house.channel, "tiles-league table")), "no.NO_SUCH_SEASON")
    said = told(await moderator.slash(house.channel, "tiles-league start", name="900000000000000001"))
    assert says(said, "no.BAD_LEAGUE_NAME")
    await announced(house, moderator, [ann])
    assert says(told(await ann.click(message(house), label="Sign up")), "no.ALREADY_SIGNED_UP")
    assert says(told(await ben.click(message(house), label="Withdraw")), "no.NOT_IN_SEASON")
    assert says(told(await ann.click(message(house), label="Withdraw")), "league.withdrawn")
    assert says(told(await ben.click(message(house), label="How it goes")), "league.how_it_goes")
    for number in range(4):
        await moderator.slash(house.channel, "tiles-league start", name=f"More {number}")
    said = told(await moderator.slash(house.channel, "tiles-league start", name="Six"))
    assert says(said, "no.SEASONS_ENOUGH", most=5)


async def test_moderator_begins_season_early(house: House, people: list[MemberActor], moderator: MemberActor) -> None:
    await announced(house, moderator, people[:3])
    assert says(told(await moderator.slash(house.channel, "tiles-league begin")), "no.TOO_FEW_SIGNED_UP")
    await people[3].click(message(house), label="Sign up")
    assert "has begun" in told(await moderator.slash(house.channel, "tiles-league begin"))
    await settled(house)
    assert len(house.channel.threads) == 2
    assert says(told(await moderator.slash(house.channel, "tiles-league begin")), "no.ALREADY_BEGUN")
    assert says(told(await people[0].slash(house.channel, "tiles-league begin")), "no.MODERATORS_ONLY")


async def test_season_without_players_is_off(house: House, people: list[MemberActor], moderator: MemberActor) -> None:
    await begun(house, moderator, people[:3])
    assert says(words_of(message(house)), "league.off_few")
    assert house.channel.threads == []
    assert "Sign up" not in button_ids(message(house))


async def test_season_ends_with_table(house: House, people: list[MemberActor], moderator: MemberActor) -> None:
    found = await begun(house, moderator, people[:4])
    while found.season.state == "running":
        for thread in list(house.channel.threads):
            if (await house.head(thread)).state == "open":
                await resigned(house, thread)
        await house.wait(hours=24 * 5)
        await settled(house)
        found = await season_of(house)

    season = found.season
    assert len(house.channel.threads) == len(season.fixtures) == 6
    assert {one.how for one in season.decisions.values()} == {"resigned"}
    last = message(house)
    assert says(words_of(last), "league.over")
    assert len(house.public()) == 1, "one message of a season stands, and no line for each thread"
    shown = private(await people[0].click(last, label="Table"))
    assert shown.attachments[0].filename == "league.png"
    assert "1. " in (shown.attachments[0].description or "")
    assert "of 6 points" in (shown.attachments[0].description or "")
    assert "**Your matches**" in words_of(shown)

    best = [found.people[player] for player in winners(season)]
    where = f"https://discord.com/channels/{house.guild.id}/{house.channel.id}/{last.id}"
    for person in people[:4]:
        card = words_of(private(await people[4].slash(house.channel, "tiles profile", person=person)))
        assert (f"winner of [**Spring · season 1**]({where})" in card) == (person.id in best), "it is a fold of its log"
    listed = private(await people[0].click(shown, label="Past seasons and tournaments"))
    (line,) = [line for line in words_of(listed).split("\n") if line.startswith("- ")]
    names = {person.id: name for person, name in zip(people, ("Ann", "Ben", "Cleo", "Dan"), strict=False)}
    assert line == f"- [**Spring · season 1**]({where}) · Triominoes · won by **{names[best[0] or 0]}**"
    assert pictures(private(await people[0].click(listed, label="Table"))), "and back"
    await house.restart()
    (champion,) = [person for person in people[:4] if person.id == best[0]]
    other = house.guild.create_text_channel("elsewhere")
    house.env.backend.set_overwrite(
        house.channel.id, Overwrite(house.guild.id, 0, deny=discord.Permissions(view_channel=True).value)
    )
    card = words_of(private(await champion.slash(other, "tiles profile")))
    assert "Best move" in card
    assert "Spring" not in card, "what is played in a channel that one does not see has no name there"
    table = private(await champion.slash(other, "tiles-league table"))
    past = private(await champion.click(table, label="Past seasons and tournaments"))
    assert says(words_of(past), "league.past_none")
    house.env.backend.set_overwrite(house.channel.id, Overwrite(house.guild.id, 0))
    await house.client.http.delete_channel(house.channel.id)
    await house.env.settle()
    card = words_of(private(await champion.slash(other, "tiles profile")))
    assert en("profile.title_season", season="**Spring · season 1**") in card, "without a link to the lost channel"


def playing(found: LeagueSeason) -> tuple[int, int]:
    player = next(player for player in found.season.players if found.season.running(player))
    user = found.people[player]
    assert user is not None
    return player, user


async def test_leaving_resigns_if_confirmed(house: House, people: list[MemberActor], moderator: MemberActor) -> None:
    found = await begun(house, moderator, people)
    player, user = playing(found)
    who = house.people[user]
    asked = private(await who.click(message(house), label="Withdraw"))
    assert says(words_of(asked), "league.leave_sure")
    assert player in (await season_of(house)).season.players
    assert says(told(await who.click(asked, label="Leave the season")), "league.left")
    await settled(house)

    season = (await season_of(house)).season
    assert season.gone == {player: True}
    mine = next(one for one in season.fixtures if player in one.players and one.number in season.opened)
    head = await house.store.matches.head(season.opened[mine.number])
    assert head.state == "done", "resigned, and so rated as a loss"
    assert says(told(await who.click(message(house), label="Withdraw")), "no.NOT_IN_SEASON")


async def test_leaver_resigns_after_kill_and_restart(
    house: House, people: list[MemberActor], moderator: MemberActor, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = await begun(house, moderator, people)
    player, user = playing(found)

    async def killed(*_: object, **__: object) -> None:
        raise StoreClosed

    with monkeypatch.context() as patched:
        patched.setattr(Acts, "act", killed)
        with pytest.raises(StoreClosed):
            await house.client.services[LeagueBook].withdraw(found.head.season_id, house.guild.id, user)
    await house.restart()
    await house.wait(seconds=10)
    await settled(house)
    season = (await season_of(house)).season
    assert season.gone == {player: True}
    mine = next(one for one in season.fixtures_of(player) if one.number in season.opened)
    (head,) = await house.store.matches.heads([season.opened[mine.number]])
    assert head.state == "done"


async def test_deleted_player_has_left(house: House, people: list[MemberActor], moderator: MemberActor) -> None:
    await begun(house, moderator, people)
    await house.client.services.privacy.delete(people[0].id)
    await settled(house)
    found = await season_of(house)
    assert len(found.season.gone) == 1
    assert "Ann" not in words_of(message(house))


async def test_missing_permission_delays(house: House, people: list[MemberActor], moderator: MemberActor) -> None:
    await announced(house, moderator, people[:4])
    threads = discord.Permissions(create_public_threads=True).value
    bot = house.env.backend.bot_user.id
    house.env.backend.set_overwrite(house.channel.id, Overwrite(bot, MEMBER, deny=threads))
    await house.wait(hours=WEEK)
    await house.client.services[Seasons].idle()
    said = words_of(private(await people[0].slash(house.channel, "tiles-league table")))
    assert says(said, "league.no_rights", permissions="Create Public Threads")
    assert says(words_of(message(house)), "league.no_rights", permissions="Create Public Threads")
    assert house.channel.threads == []
    house.env.backend.set_overwrite(house.channel.id, Overwrite(bot, MEMBER, allow=threads))
    await house.wait(hours=1)
    await settled(house)
    assert len(house.channel.threads) == 2
    assert "I lack" not in words_of(message(house))


async def test_kill_while_opening_opens_no_match_twice(
    house: House, people: list[MemberActor], moderator: MemberActor, monkeypatch: pytest.MonkeyPatch
) -> None:
    await announced(house, moderator, people[:4])
    book = house.client.services[LeagueBook]
    real = book.open

    async def killed(*args: object) -> object:
        await real(*args)  # type: ignore[arg-type]
        raise StoreClosed

    monkeypatch.setattr(book, "open", killed)
    await house.wait(hours=WEEK)
    await house.client.services[Seasons].idle()
    await house.restart()
    await house.wait(hours=1)
    await settled(house)

    found = await season_of(house)
    assert len(found.season.opened) == 2
    assert len(house.channel.threads) == 2
    assert len(set(found.season.opened.values())) == 2


async def test_season_end_announces_next(house: House, people: list[MemberActor], moderator: MemberActor) -> None:
    found = await begun(house, moderator, people[:4], days=7, again=True)
    first = found.head.season_id
    await house.wait(hours=WEEK + 0.1)
    await settled(house)
    over = await house.client.services[LeagueBook].season(first)
    assert over.season.state == "over"
    assert {one.how for one in over.season.decisions.values()} <= {"judged", "unplayed"}
    following = await season_of(house)
    assert (following.head.previous_id, following.season.state) == (first, "signup")
    assert following.season.conditions.number == 2
    running = [await house.now(thread) for thread in house.channel.threads]
    assert {table.head.state for table in running} == {"open"}, "they go on as ordinary matches"


async def test_next_season_calls_players_once(house: House, people: list[MemberActor], moderator: MemberActor) -> None:
    await begun(house, moderator, people, again=True)
    ann, ben, cleo, dan, eve = people
    asked = private(await eve.click(message(house), label="Withdraw"))
    await eve.click(asked, label="Leave the season")
    await house.store.users.set_person(dan.id, pings="none", now=house.clock())
    await house.wait(hours=24 * 28 + 0.1)
    await settled(house)

    announcement = message(house)
    assert "Spring · season 2" in words_of(announcement)
    assert called(house) == [{one.id for one in (ann, ben, cleo)}], "not who left, nor who wants none"
    (line,) = [line for line in words_of(announcement).split("\n") if line.startswith("From last season")]
    assert {*line.partition(": ")[2].split(", ")} == {f"<@{one.id}>" for one in (ann, ben, cleo)} | {"Dan"}

    await ann.click(announcement, label="Sign up")
    await ben.click(message(house), label="Sign up")
    await ben.click(message(house), label="Withdraw")
    assert message(house).id == announcement.id, "edited, so nobody is called again"
    assert f"<@{ann.id}>" not in words_of(message(house))
    assert f"<@{ben.id}>" not in words_of(message(house)), "they have said that they do not"
    assert f"<@{cleo.id}>" in words_of(message(house))

    await house.client.http.delete_message(house.channel.id, announcement.id)
    await house.restart()
    await eve.click(await house.post(f"by:signup:{(await season_of(house)).head.season_id}"), label="Button 0")
    await settled(house)
    assert next(one for one in reversed(house.public()) if "Spring · season 2" in words_of(one)).id != announcement.id
    assert len(called(house)) == 1, "posted anew, and they were called before"


async def test_deleted_thread_is_replaced(house: House, people: list[MemberActor], moderator: MemberActor) -> None:
    found = await begun(house, moderator, people[:4])
    lost, other = house.channel.threads
    head = await house.head(lost)
    before = (await house.now(lost)).match
    await house.client.http.delete_channel(lost.id)
    await house.env.settle()
    await settled(house)

    after = await house.store.matches.head(head.match_id)
    (new,) = [one for one in house.channel.threads if one.id not in (lost.id, other.id)]
    assert (after.state, after.channel_id) == ("open", new.id)
    assert (await house.now(new)).match == before
    assert house.public(new), "its board stands there"
    assert (await season_of(house)).season.opened == found.season.opened
    assert (await house.head(other)).channel_id == other.id


async def test_last_player_wins_no_season(house: House, people: list[MemberActor], moderator: MemberActor) -> None:
    await begun(house, moderator, people[:4])
    for person in people[:3]:
        asked = private(await person.click(message(house), label="Withdraw"))
        await person.click(asked, label="Leave the season")
    await settled(house)
    assert says(words_of(message(house)), "league.over_nobody")
    assert "won by" not in words_of(message(house))


async def test_season_in_hidden_channel(house: House, people: list[MemberActor], moderator: MemberActor) -> None:
    await announced(house, moderator, people[:4])
    number = (await season_of(house)).head.season_id
    other = house.guild.create_text_channel("elsewhere")
    deny = discord.Permissions(view_channel=True).value
    house.env.backend.set_overwrite(house.channel.id, Overwrite(house.guild.id, 0, deny=deny))
    *_, eve = people
    assert says(told(await eve.slash(other, "tiles-league table")), "no.NO_SUCH_SEASON")
    view = discord.ui.View()
    for verb in ("signup", "signoff", "season", "seasonrules"):
        view.add_item(discord.ui.Button(label=verb, custom_id=f"by:{verb}:{number}"))
    forged = await house.client.get_partial_messageable(other.id).send(view=view)
    for verb in button_ids(forged):
        assert says(told(await eve.click(forged, label=verb)), "no.NO_SUCH_SEASON"), verb
    for who in (people[0], moderator):
        assert "Spring · season 1" in told(await who.slash(other, "tiles-league table"))


async def test_foreign_season_is_hidden(house: House, people: list[MemberActor], moderator: MemberActor) -> None:
    await announced(house, moderator, [])
    number = (await season_of(house)).head.season_id
    foreign = house.env.create_guild("Elsewhere")
    channel = foreign.create_text_channel("general")
    stranger = foreign.add_member(house.env.create_user("stranger"))
    posted = await house.client.get_partial_messageable(channel.id).send(
        view=discord.ui.View().add_item(discord.ui.Button(label="Up", custom_id=f"by:signup:{number}"))
    )
    assert says(told(await stranger.click(posted, label="Up")), "no.NO_SUCH_SEASON")
