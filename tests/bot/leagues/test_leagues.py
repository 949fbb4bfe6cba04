"""Leagues in Discord, from the announcement to the final table."""

import discord
import pytest
from simcord import MemberActor
from simcord.backend.models import Overwrite

from bot.leagues.season_jobs import SeasonRunner
from bot.leagues.service import LeagueSeason, LeagueService
from bot.tables.acts import TableActions
from data.store.connection.store_errors import StoreClosed
from engine.leagues.standings import list_winners
from tests.bot.leagues.simulated_seasons import MEMBER, message, resigned, season_of, settled
from tests.bot.messages import button_ids, pictures, private, told, words_of
from tests.bot.simulated_guild import SimGuild, add_moderator
from tests.wording import en, says

WEEK = 7 * 24


@pytest.fixture
async def people(sim: SimGuild) -> list[MemberActor]:
    return [sim.person(name) for name in ("Ann", "Ben", "Cleo", "Dan", "Eve")]


@pytest.fixture
async def moderator(sim: SimGuild) -> MemberActor:
    return add_moderator(sim)


def called(sim: SimGuild) -> list[set[int]]:
    sent = [body for body in sim.sent("POST", "/messages") if "Spring · season 2" in str(body)]
    return [{*users} for body in sent if (users := body.get("allowed_mentions", {}).get("users"))]


async def announced(sim: SimGuild, moderator: MemberActor, people: list[MemberActor], **options: object) -> None:
    await moderator.slash(sim.channel, "tiles-league start", name="Spring", target=60, **options)
    for person in people:
        await person.click(message(sim), label="Sign up")


async def begun(sim: SimGuild, moderator: MemberActor, people: list[MemberActor], **options: object) -> LeagueSeason:
    await announced(sim, moderator, people, **options)
    await sim.wait(hours=WEEK)
    await settled(sim)
    return await season_of(sim)


async def test_season_opens_matches_in_threads(
    sim: SimGuild, people: list[MemberActor], moderator: MemberActor
) -> None:
    said = told(await moderator.slash(sim.channel, "tiles-league start", name="Spring", target=60))
    assert said == en("league.announced", channel=f"<#{sim.channel.id}>")
    assert {"Sign up", "Withdraw", "How it works"} == set(button_ids(message(sim)))

    assert says(words_of(message(sim)), "league.nobody")
    assert says(told(await people[0].click(message(sim), label="Sign up")), "league.signed_up")
    assert en("league.players", people="1 player", list="Ann") in words_of(message(sim))
    assert says(words_of(message(sim)), "league.too_few", least=4)
    for person in people[1:4]:
        await person.click(message(sim), label="Sign up")
    assert en("league.players", people="4 players", list="Ann, Ben, Cleo, Dan") in words_of(message(sim))
    assert not says(words_of(message(sim)), "league.too_few")
    assert len(sim.public()) == 1, "one message, edited"

    await sim.wait(hours=WEEK)
    await settled(sim)

    assert (await season_of(sim)).season.state == "running"
    assert len(sim.channel.threads) == 2, "the first round of four"
    for thread in sim.channel.threads:
        table = await sim.now(thread)
        assert table.head.state == "open"
        assert table.is_rated
        calls = [one for one in sim.public(thread) if says(one.content, "league.call")]
        assert len(calls) == 1
        assert {one.id for one in calls[0].mentions} == {row.user_id for row in table.seats}
    assert "Matches finished: 0 of 6" in words_of(message(sim))


async def test_season_refusals_say_what_to_do(sim: SimGuild, people: list[MemberActor], moderator: MemberActor) -> None:
    ann, ben, *_ = people
    assert says(told(await ann.slash(sim.channel, "tiles-league start", name="Mine")), "no.MODERATORS_ONLY")
    assert says(told(await ann.slash(sim.channel, "tiles-league table")), "no.NO_SUCH_SEASON")
    said = told(await moderator.slash(sim.channel, "tiles-league start", name="900000000000000001"))
    assert says(said, "no.BAD_LEAGUE_NAME")
    await announced(sim, moderator, [ann])
    assert says(told(await ann.click(message(sim), label="Sign up")), "no.ALREADY_SIGNED_UP")
    assert says(told(await ben.click(message(sim), label="Withdraw")), "no.NOT_IN_SEASON")
    assert says(told(await ann.click(message(sim), label="Withdraw")), "league.withdrawn")
    assert says(told(await ben.click(message(sim), label="How it works")), "league.how_it_goes")
    for number in range(4):
        await moderator.slash(sim.channel, "tiles-league start", name=f"More {number}")
    said = told(await moderator.slash(sim.channel, "tiles-league start", name="Six"))
    assert says(said, "no.SEASONS_ENOUGH", most=5)


async def test_moderator_begins_season_early(sim: SimGuild, people: list[MemberActor], moderator: MemberActor) -> None:
    await announced(sim, moderator, people[:3])
    assert says(told(await moderator.slash(sim.channel, "tiles-league begin")), "no.TOO_FEW_SIGNED_UP")
    await people[3].click(message(sim), label="Sign up")
    assert says(told(await moderator.slash(sim.channel, "tiles-league begin")), "league.begun")
    await settled(sim)
    assert len(sim.channel.threads) == 2
    assert says(told(await moderator.slash(sim.channel, "tiles-league begin")), "no.ALREADY_BEGUN")
    assert says(told(await people[0].slash(sim.channel, "tiles-league begin")), "no.MODERATORS_ONLY")


async def test_season_without_players_is_cancelled(
    sim: SimGuild, people: list[MemberActor], moderator: MemberActor
) -> None:
    await begun(sim, moderator, people[:3])
    assert says(words_of(message(sim)), "league.off_few")
    assert sim.channel.threads == []
    assert "Sign up" not in button_ids(message(sim))


async def test_season_ends_with_table(sim: SimGuild, people: list[MemberActor], moderator: MemberActor) -> None:
    found = await begun(sim, moderator, people[:4])
    while found.season.state == "running":
        for thread in list(sim.channel.threads):
            if (await sim.head(thread)).state == "open":
                await resigned(sim, thread)
        await sim.wait(hours=24 * 5)
        await settled(sim)
        found = await season_of(sim)

    season = found.season
    assert len(sim.channel.threads) == len(season.fixtures) == 6
    assert {one.how for one in season.decisions.values()} == {"resigned"}
    last = message(sim)
    assert says(words_of(last), "league.over")
    assert len(sim.public()) == 1, "one message of a season stands, and no line for each thread"
    shown = private(await people[0].click(last, label="Standings"))
    assert shown.attachments[0].filename == "league.png"
    assert "1. " in (shown.attachments[0].description or "")
    assert "of 6 points" in (shown.attachments[0].description or "")
    assert "**Your matches**" in words_of(shown)

    best = [found.user_ids[player] for player in list_winners(season)]
    where = f"https://discord.com/channels/{sim.guild.id}/{sim.channel.id}/{last.id}"
    for person in people[:4]:
        card = words_of(private(await people[4].slash(sim.channel, "tiles profile", person=person)))
        assert (f"winner of [**Spring · season 1**]({where})" in card) == (person.id in best), "it is a fold of its log"
    listed = private(await people[0].click(shown, label="Past seasons and tournaments"))
    (line,) = [line for line in words_of(listed).split("\n") if line.startswith("- ")]
    names = {person.id: name for person, name in zip(people, ("Ann", "Ben", "Cleo", "Dan"), strict=False)}
    assert line == f"- [**Spring · season 1**]({where}) · Triominoes · won by **{names[best[0] or 0]}**"
    assert pictures(private(await people[0].click(listed, label="Standings"))), "and back"
    await sim.restart()
    (champion,) = [person for person in people[:4] if person.id == best[0]]
    other = sim.guild.create_text_channel("elsewhere")
    sim.env.backend.set_overwrite(
        sim.channel.id, Overwrite(sim.guild.id, 0, deny=discord.Permissions(view_channel=True).value)
    )
    card = words_of(private(await champion.slash(other, "tiles profile")))
    assert "Best move" in card
    assert "Spring" not in card, "what is played in a channel that one does not see has no name there"
    table = private(await champion.slash(other, "tiles-league table"))
    past = private(await champion.click(table, label="Past seasons and tournaments"))
    assert says(words_of(past), "league.past_none")
    sim.env.backend.set_overwrite(sim.channel.id, Overwrite(sim.guild.id, 0))
    await sim.client.http.delete_channel(sim.channel.id)
    await sim.env.settle()
    card = words_of(private(await champion.slash(other, "tiles profile")))
    assert en("profile.title_season", season="**Spring · season 1**") in card, "without a link to the lost channel"


def playing(found: LeagueSeason) -> tuple[int, int]:
    player = next(player for player in found.season.players if found.season.count_running(player))
    user = found.user_ids[player]
    assert user is not None
    return player, user


async def test_leaving_resigns_if_confirmed(sim: SimGuild, people: list[MemberActor], moderator: MemberActor) -> None:
    found = await begun(sim, moderator, people)
    player, user = playing(found)
    who = sim.people[user]
    asked = private(await who.click(message(sim), label="Withdraw"))
    assert says(words_of(asked), "league.leave_sure")
    assert player in (await season_of(sim)).season.players
    assert says(told(await who.click(asked, label="Leave the season")), "league.left")
    await settled(sim)

    season = (await season_of(sim)).season
    assert season.leavers == {player: True}
    mine = next(one for one in season.fixtures if player in one.players and one.number in season.match_ids)
    head = await sim.store.matches.find_head(season.match_ids[mine.number])
    assert head.state == "done", "resigned, and so rated as a loss"
    assert says(told(await who.click(message(sim), label="Withdraw")), "no.NOT_IN_SEASON")


async def test_leaver_resigns_after_kill_and_restart(
    sim: SimGuild, people: list[MemberActor], moderator: MemberActor, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = await begun(sim, moderator, people)
    player, user = playing(found)

    async def killed(*_: object, **__: object) -> None:
        raise StoreClosed

    with monkeypatch.context() as patched:
        patched.setattr(TableActions, "act", killed)
        with pytest.raises(StoreClosed):
            await sim.client.services[LeagueService].withdraw(found.head.season_id, sim.guild.id, user)
    await sim.restart()
    await sim.wait(seconds=10)
    await settled(sim)
    season = (await season_of(sim)).season
    assert season.leavers == {player: True}
    mine = next(one for one in season.iterate_fixtures(player) if one.number in season.match_ids)
    (head,) = await sim.store.matches.list_heads([season.match_ids[mine.number]])
    assert head.state == "done"


async def test_deleted_player_has_left(sim: SimGuild, people: list[MemberActor], moderator: MemberActor) -> None:
    await begun(sim, moderator, people)
    await sim.client.services.privacy.delete(people[0].id)
    await settled(sim)
    found = await season_of(sim)
    assert len(found.season.leavers) == 1
    assert "Ann" not in words_of(message(sim))


async def test_missing_permission_delays_season(
    sim: SimGuild, people: list[MemberActor], moderator: MemberActor
) -> None:
    await announced(sim, moderator, people[:4])
    threads = discord.Permissions(create_public_threads=True).value
    bot = sim.env.backend.bot_user.id
    sim.env.backend.set_overwrite(sim.channel.id, Overwrite(bot, MEMBER, deny=threads))
    await sim.wait(hours=WEEK)
    await sim.client.services[SeasonRunner].wait_until_idle()
    said = words_of(private(await people[0].slash(sim.channel, "tiles-league table")))
    assert says(said, "league.no_rights", permissions="Create Public Threads")
    assert says(words_of(message(sim)), "league.no_rights", permissions="Create Public Threads")
    assert sim.channel.threads == []
    sim.env.backend.set_overwrite(sim.channel.id, Overwrite(bot, MEMBER, allow=threads))
    await sim.wait(hours=1)
    await settled(sim)
    assert len(sim.channel.threads) == 2
    assert not says(words_of(message(sim)), "league.no_rights")


async def test_kill_while_opening_opens_no_match_twice(
    sim: SimGuild, people: list[MemberActor], moderator: MemberActor, monkeypatch: pytest.MonkeyPatch
) -> None:
    await announced(sim, moderator, people[:4])
    book = sim.client.services[LeagueService]
    real = book.open

    async def killed(*args: object) -> object:
        await real(*args)  # type: ignore[arg-type]
        raise StoreClosed

    monkeypatch.setattr(book, "open", killed)
    await sim.wait(hours=WEEK)
    await sim.client.services[SeasonRunner].wait_until_idle()
    await sim.restart()
    await sim.wait(hours=1)
    await settled(sim)

    found = await season_of(sim)
    assert len(found.season.match_ids) == 2
    assert len(sim.channel.threads) == 2
    assert len(set(found.season.match_ids.values())) == 2


async def test_season_end_announces_next(sim: SimGuild, people: list[MemberActor], moderator: MemberActor) -> None:
    found = await begun(sim, moderator, people[:4], days=7, again=True)
    first = found.head.season_id
    await sim.wait(hours=WEEK + 0.1)
    await settled(sim)
    over = await sim.client.services[LeagueService].load(first)
    assert over.season.state == "over"
    assert {one.how for one in over.season.decisions.values()} <= {"judged", "unplayed"}
    following = await season_of(sim)
    assert (following.head.previous_id, following.season.state) == (first, "signup")
    assert following.season.conditions.number == 2
    running = [await sim.now(thread) for thread in sim.channel.threads]
    assert {table.head.state for table in running} == {"open"}, "they go on as ordinary matches"


async def test_next_season_calls_players_once(sim: SimGuild, people: list[MemberActor], moderator: MemberActor) -> None:
    await begun(sim, moderator, people, again=True)
    ann, ben, cleo, dan, eve = people
    asked = private(await eve.click(message(sim), label="Withdraw"))
    await eve.click(asked, label="Leave the season")
    await sim.store.users.set_person(dan.id, pings="none", now=sim.clock())
    await sim.wait(hours=24 * 28 + 0.1)
    await settled(sim)

    announcement = message(sim)
    assert "Spring · season 2" in words_of(announcement)
    assert called(sim) == [{one.id for one in (ann, ben, cleo)}], "not who left, nor who wants none"
    (line,) = [line for line in words_of(announcement).split("\n") if says(line, "league.awaited")]
    assert {*line.partition(": ")[2].split(", ")} == {f"<@{one.id}>" for one in (ann, ben, cleo)} | {"Dan"}

    await ann.click(announcement, label="Sign up")
    await ben.click(message(sim), label="Sign up")
    await ben.click(message(sim), label="Withdraw")
    assert message(sim).id == announcement.id, "edited, so nobody is called again"
    assert f"<@{ann.id}>" not in words_of(message(sim))
    assert f"<@{ben.id}>" not in words_of(message(sim)), "they have said that they do not"
    assert f"<@{cleo.id}>" in words_of(message(sim))

    await sim.client.http.delete_message(sim.channel.id, announcement.id)
    await sim.restart()
    await eve.click(await sim.post(f"by:signup:{(await season_of(sim)).head.season_id}"), label="Button 0")
    await settled(sim)
    assert next(one for one in reversed(sim.public()) if "Spring · season 2" in words_of(one)).id != announcement.id
    assert len(called(sim)) == 1, "posted anew, and they were called before"


async def test_deleted_thread_is_replaced(sim: SimGuild, people: list[MemberActor], moderator: MemberActor) -> None:
    found = await begun(sim, moderator, people[:4])
    lost, other = sim.channel.threads
    head = await sim.head(lost)
    before = (await sim.now(lost)).match
    await sim.client.http.delete_channel(lost.id)
    await sim.env.settle()
    await settled(sim)

    after = await sim.store.matches.find_head(head.match_id)
    (new,) = [one for one in sim.channel.threads if one.id not in (lost.id, other.id)]
    assert (after.state, after.channel_id) == ("open", new.id)
    assert (await sim.now(new)).match == before
    assert sim.public(new), "its board stands there"
    assert (await season_of(sim)).season.match_ids == found.season.match_ids
    assert (await sim.head(other)).channel_id == other.id


async def test_last_remaining_player_does_not_win_season(
    sim: SimGuild, people: list[MemberActor], moderator: MemberActor
) -> None:
    await begun(sim, moderator, people[:4])
    for person in people[:3]:
        asked = private(await person.click(message(sim), label="Withdraw"))
        await person.click(asked, label="Leave the season")
    await settled(sim)
    assert says(words_of(message(sim)), "league.over_nobody")
    assert "won by" not in words_of(message(sim))


async def test_season_in_hidden_channel(sim: SimGuild, people: list[MemberActor], moderator: MemberActor) -> None:
    await announced(sim, moderator, people[:4])
    number = (await season_of(sim)).head.season_id
    other = sim.guild.create_text_channel("elsewhere")
    deny = discord.Permissions(view_channel=True).value
    sim.env.backend.set_overwrite(sim.channel.id, Overwrite(sim.guild.id, 0, deny=deny))
    *_, eve = people
    assert says(told(await eve.slash(other, "tiles-league table")), "no.NO_SUCH_SEASON")
    view = discord.ui.View()
    for verb in ("signup", "signoff", "season", "seasonrules"):
        view.add_item(discord.ui.Button(label=verb, custom_id=f"by:{verb}:{number}"))
    forged = await sim.client.get_partial_messageable(other.id).send(view=view)
    for verb in button_ids(forged):
        assert says(told(await eve.click(forged, label=verb)), "no.NO_SUCH_SEASON"), verb
    for who in (people[0], moderator):
        assert "Spring · season 1" in told(await who.slash(other, "tiles-league table"))


async def test_foreign_season_is_hidden(sim: SimGuild, people: list[MemberActor], moderator: MemberActor) -> None:
    await announced(sim, moderator, [])
    number = (await season_of(sim)).head.season_id
    foreign = sim.env.create_guild("Elsewhere")
    channel = foreign.create_text_channel("general")
    stranger = foreign.add_member(sim.env.create_user("stranger"))
    posted = await sim.client.get_partial_messageable(channel.id).send(
        view=discord.ui.View().add_item(discord.ui.Button(label="Up", custom_id=f"by:signup:{number}"))
    )
    assert says(told(await stranger.click(posted, label="Up")), "no.NO_SUCH_SEASON")
