"""Leagues in Discord, from the announcement to the final table."""

import discord
import pytest
from simcord.backend.models import Overwrite

from bot.leagues.service import LeagueSeason, LeagueService
from bot.tables.acts import TableActions
from data.store.connection.store_errors import StoreClosed
from engine.leagues.standings import list_winners
from tests.bot.core.channels import hide_channel
from tests.bot.leagues.simulated_seasons import (
    get_season_message,
    kill_while_opening,
    load_season,
    pass_hours,
    read_season,
    resign_in_thread,
    wait_until_seasons_idle,
)
from tests.bot.member import Member
from tests.bot.messages import get_private_answer, list_alt_texts, read_button_ids, read_private_text, read_text
from tests.bot.simulated_guild import SimGuild
from tests.wording import en, has_sentence

WEEK = 7 * 24


@pytest.fixture
async def people(sim: SimGuild) -> list[Member]:
    return [sim.add_member(name) for name in ("Ann", "Ben", "Cleo", "Dan", "Eve")]


def list_called_users(sim: SimGuild) -> list[set[int]]:
    sent = [body for body in sim.iterate_request_bodies("POST", "/messages") if "Spring · season 2" in str(body)]
    return [{*users} for body in sent if (users := body.get("allowed_mentions", {}).get("users"))]


async def announce_league(sim: SimGuild, organizer: Member, people: list[Member], **options: object) -> None:
    await organizer.use_command("tiles-league start", name="Spring", target=60, **options)
    for person in people:
        await person.click(get_season_message(sim), label="Sign up")


async def start_league(sim: SimGuild, organizer: Member, people: list[Member], **options: object) -> LeagueSeason:
    await announce_league(sim, organizer, people, **options)
    await pass_hours(sim, WEEK)
    return await load_season(sim)


async def test_season_opens_matches_in_threads(sim: SimGuild, people: list[Member], organizer: Member) -> None:
    answer = await organizer.read_command("tiles-league start", name="Spring", target=60)
    assert answer == en("league.announced", channel=f"<#{sim.channel.id}>")
    assert {"Sign up", "Withdraw", "How it works"} == set(read_button_ids(get_season_message(sim)))

    assert has_sentence(read_season(sim), "league.nobody")
    assert has_sentence(await people[0].read_click(get_season_message(sim), "Sign up"), "league.signed_up")
    assert en("league.players", people="1 player", list="Ann") in read_season(sim)
    assert has_sentence(read_season(sim), "league.too_few", least=4)
    for person in people[1:4]:
        await person.click(get_season_message(sim), label="Sign up")
    assert en("league.players", people="4 players", list="Ann, Ben, Cleo, Dan") in read_season(sim)
    assert not has_sentence(read_season(sim), "league.too_few")
    assert len(sim.list_public_messages()) == 1, "one message, edited"

    await pass_hours(sim, WEEK)

    assert (await load_season(sim)).season.state == "running"
    assert len(sim.channel.threads) == 2, "the first round of four"
    for thread in sim.channel.threads:
        table = await sim.load_table(thread)
        assert table.head.state == "open"
        assert table.is_rated
        calls = [one for one in sim.list_public_messages(thread) if has_sentence(one.content, "league.call")]
        assert len(calls) == 1
        assert {one.id for one in calls[0].mentions} == {row.user_id for row in table.seats}
    assert "Matches finished: 0 of 6" in read_season(sim)


async def test_season_refusals_say_what_to_do(sim: SimGuild, people: list[Member], organizer: Member) -> None:
    ann, ben, *_ = people
    assert has_sentence(await ann.read_command("tiles-league start", name="Mine"), "no.MODERATORS_ONLY")
    assert has_sentence(await ann.read_command("tiles-league table"), "no.NO_SUCH_SEASON")
    answer = await organizer.read_command("tiles-league start", name="900000000000000001")
    assert has_sentence(answer, "no.BAD_LEAGUE_NAME")
    await announce_league(sim, organizer, [ann])
    assert has_sentence(await ann.read_click(get_season_message(sim), "Sign up"), "no.ALREADY_SIGNED_UP")
    assert has_sentence(await ben.read_click(get_season_message(sim), "Withdraw"), "no.NOT_IN_SEASON")
    assert has_sentence(await ann.read_click(get_season_message(sim), "Withdraw"), "league.withdrawn")
    assert has_sentence(await ben.read_click(get_season_message(sim), "How it works"), "league.how_it_goes")
    for number in range(4):
        await organizer.use_command("tiles-league start", name=f"More {number}")
    answer = await organizer.read_command("tiles-league start", name="Six")
    assert has_sentence(answer, "no.SEASONS_ENOUGH", most=5)


async def test_moderator_begins_season_early(sim: SimGuild, people: list[Member], organizer: Member) -> None:
    await announce_league(sim, organizer, people[:3])
    assert has_sentence(await organizer.read_command("tiles-league begin"), "no.TOO_FEW_SIGNED_UP")
    await people[3].click(get_season_message(sim), label="Sign up")
    assert has_sentence(await organizer.read_command("tiles-league begin"), "league.begun")
    await wait_until_seasons_idle(sim)
    assert len(sim.channel.threads) == 2
    assert has_sentence(await organizer.read_command("tiles-league begin"), "no.ALREADY_BEGUN")
    assert has_sentence(await people[0].read_command("tiles-league begin"), "no.MODERATORS_ONLY")


async def test_season_without_players_is_cancelled(sim: SimGuild, people: list[Member], organizer: Member) -> None:
    await start_league(sim, organizer, people[:3])
    assert has_sentence(read_season(sim), "league.off_few")
    assert sim.channel.threads == []
    assert "Sign up" not in read_button_ids(get_season_message(sim))


async def test_season_ends_with_table(sim: SimGuild, people: list[Member], organizer: Member) -> None:
    found = await start_league(sim, organizer, people[:4])
    while found.season.state == "running":
        for thread in list(sim.channel.threads):
            if (await sim.load_head(thread)).state == "open":
                await resign_in_thread(sim, thread)
        await pass_hours(sim, 24 * 5)
        found = await load_season(sim)

    season = found.season
    assert len(sim.channel.threads) == len(season.fixtures) == 6
    assert {one.how for one in season.decisions.values()} == {"resigned"}
    last = get_season_message(sim)
    assert has_sentence(read_text(last), "league.over")
    assert len(sim.list_public_messages()) == 1, "one message of a season stands, and no line for each thread"
    shown = await people[0].open_click(last, "Standings")
    assert shown.attachments[0].filename == "league.png"
    assert "1. " in (shown.attachments[0].description or "")
    assert "of 6 points" in (shown.attachments[0].description or "")
    assert "**Your matches**" in read_text(shown)

    best = [found.user_ids[player] for player in list_winners(season)]
    where = f"https://discord.com/channels/{sim.guild.id}/{sim.channel.id}/{last.id}"
    for person in people[:4]:
        card = await people[4].read_command("tiles profile", person=person)
        assert (f"winner of [**Spring · season 1**]({where})" in card) == (person.id in best), "it is a fold of its log"
    listed = await people[0].open_click(shown, "Past seasons and tournaments")
    (line,) = [line for line in read_text(listed).split("\n") if line.startswith("- ")]
    names = {person.id: name for person, name in zip(people, ("Ann", "Ben", "Cleo", "Dan"), strict=False)}
    assert line == f"- [**Spring · season 1**]({where}) · Triominoes · won by **{names[best[0] or 0]}**"
    assert list_alt_texts(await people[0].open_click(listed, "Standings")), "and back"
    await sim.restart()
    (champion,) = [person for person in people[:4] if person.id == best[0]]
    other = sim.guild.create_text_channel("elsewhere")
    hide_channel(sim, sim.channel)
    card = read_text(get_private_answer(await champion.slash(other, "tiles profile")))
    assert "Best move" in card
    assert "Spring" not in card, "what is played in a channel that one does not see has no name there"
    table = get_private_answer(await champion.slash(other, "tiles-league table"))
    past = await champion.open_click(table, "Past seasons and tournaments")
    assert has_sentence(read_text(past), "league.past_none")
    sim.env.backend.set_overwrite(sim.channel.id, Overwrite(sim.guild.id, 0))
    await sim.client.http.delete_channel(sim.channel.id)
    await sim.env.settle()
    card = read_text(get_private_answer(await champion.slash(other, "tiles profile")))
    assert en("profile.title_season", season="**Spring · season 1**") in card, "without a link to the lost channel"


def get_active_player(found: LeagueSeason) -> tuple[int, int]:
    player = next(player for player in found.season.players if found.season.count_running(player))
    user = found.user_ids[player]
    return player, user


async def test_leaving_resigns_if_confirmed(sim: SimGuild, people: list[Member], organizer: Member) -> None:
    found = await start_league(sim, organizer, people)
    player, user = get_active_player(found)
    who = sim.members[user]
    question = await who.open_click(get_season_message(sim), "Withdraw")
    assert has_sentence(read_text(question), "league.leave_sure")
    assert player in (await load_season(sim)).season.players
    assert has_sentence(await who.read_click(question, "Leave the season"), "league.left")
    await wait_until_seasons_idle(sim)

    season = (await load_season(sim)).season
    assert season.leavers == {player: True}
    mine = next(one for one in season.fixtures if player in one.players and one.number in season.match_ids)
    head = await sim.store.matches.find_head(season.match_ids[mine.number])
    assert head.state == "done", "resigned, and so rated as a loss"
    assert has_sentence(await who.read_click(get_season_message(sim), "Withdraw"), "no.NOT_IN_SEASON")


async def test_leaver_resigns_after_kill_and_restart(
    sim: SimGuild, people: list[Member], organizer: Member, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = await start_league(sim, organizer, people)
    player, user = get_active_player(found)

    async def raise_closed(*_: object, **__: object) -> None:
        raise StoreClosed

    with monkeypatch.context() as patched:
        patched.setattr(TableActions, "act", raise_closed)
        with pytest.raises(StoreClosed):
            await sim.client.services[LeagueService].withdraw(found.head.season_id, sim.guild.id, user)
    await sim.restart()
    await sim.wait(seconds=10)
    await wait_until_seasons_idle(sim)
    season = (await load_season(sim)).season
    assert season.leavers == {player: True}
    mine = next(one for one in season.iterate_fixtures(player) if one.number in season.match_ids)
    (head,) = await sim.store.matches.list_heads([season.match_ids[mine.number]])
    assert head.state == "done"


async def test_deleted_player_has_left(sim: SimGuild, people: list[Member], organizer: Member) -> None:
    await start_league(sim, organizer, people)
    await sim.client.services.privacy.delete(people[0].id)
    await wait_until_seasons_idle(sim)
    found = await load_season(sim)
    assert len(found.season.leavers) == 1
    assert "Ann" not in read_season(sim)


async def test_kill_while_opening_opens_no_match_twice(
    sim: SimGuild, people: list[Member], organizer: Member, monkeypatch: pytest.MonkeyPatch
) -> None:
    await announce_league(sim, organizer, people[:4])
    await kill_while_opening(sim, monkeypatch, WEEK)
    await pass_hours(sim, 1)

    found = await load_season(sim)
    assert len(found.season.match_ids) == 2
    assert len(sim.channel.threads) == 2
    assert len(set(found.season.match_ids.values())) == 2


async def test_season_end_announces_next(sim: SimGuild, people: list[Member], organizer: Member) -> None:
    found = await start_league(sim, organizer, people[:4], days=7, again=True)
    first = found.head.season_id
    await pass_hours(sim, WEEK + 0.1)
    over = await sim.client.services[LeagueService].load(first)
    assert over.season.state == "over"
    assert {one.how for one in over.season.decisions.values()} <= {"judged", "unplayed"}
    following = await load_season(sim)
    assert (following.head.previous_id, following.season.state) == (first, "signup")
    assert following.season.conditions.number == 2
    running = [await sim.load_table(thread) for thread in sim.channel.threads]
    assert {table.head.state for table in running} == {"open"}, "they go on as ordinary matches"


async def test_next_season_calls_players_once(sim: SimGuild, people: list[Member], organizer: Member) -> None:
    await start_league(sim, organizer, people, again=True)
    ann, ben, cleo, dan, eve = people
    question = await eve.open_click(get_season_message(sim), "Withdraw")
    await eve.click(question, label="Leave the season")
    await sim.store.users.set_person(dan.id, pings="none", now=sim.clock())
    await pass_hours(sim, 24 * 28 + 0.1)

    announcement = get_season_message(sim)
    assert "Spring · season 2" in read_text(announcement)
    assert list_called_users(sim) == [{one.id for one in (ann, ben, cleo)}], "not who left, nor who wants none"
    (line,) = [line for line in read_text(announcement).split("\n") if has_sentence(line, "league.awaited")]
    assert {*line.partition(": ")[2].split(", ")} == {f"<@{one.id}>" for one in (ann, ben, cleo)} | {"Dan"}

    await ann.click(announcement, label="Sign up")
    await ben.click(get_season_message(sim), label="Sign up")
    await ben.click(get_season_message(sim), label="Withdraw")
    assert get_season_message(sim).id == announcement.id, "edited, so nobody is called again"
    assert f"<@{ann.id}>" not in read_season(sim)
    assert f"<@{ben.id}>" not in read_season(sim), "they have said that they do not"
    assert f"<@{cleo.id}>" in read_season(sim)

    await sim.client.http.delete_message(sim.channel.id, announcement.id)
    await sim.restart()
    await eve.click(await sim.post(f"by:signup:{(await load_season(sim)).head.season_id}"), label="Button 0")
    await wait_until_seasons_idle(sim)
    assert (
        next(one for one in reversed(sim.list_public_messages()) if "Spring · season 2" in read_text(one)).id
        != announcement.id
    )
    assert len(list_called_users(sim)) == 1, "posted anew, and they were called before"


async def test_deleted_thread_is_replaced(sim: SimGuild, people: list[Member], organizer: Member) -> None:
    found = await start_league(sim, organizer, people[:4])
    deleted_thread, other = sim.channel.threads
    head = await sim.load_head(deleted_thread)
    before = (await sim.load_table(deleted_thread)).match
    await sim.client.http.delete_channel(deleted_thread.id)
    await sim.env.settle()
    await wait_until_seasons_idle(sim)

    after = await sim.store.matches.find_head(head.match_id)
    (new,) = [one for one in sim.channel.threads if one.id not in (deleted_thread.id, other.id)]
    assert (after.state, after.channel_id) == ("open", new.id)
    assert (await sim.load_table(new)).match == before
    assert sim.list_public_messages(new), "its board stands there"
    assert (await load_season(sim)).season.match_ids == found.season.match_ids
    assert (await sim.load_head(other)).channel_id == other.id


async def test_last_remaining_player_does_not_win_season(
    sim: SimGuild, people: list[Member], organizer: Member
) -> None:
    await start_league(sim, organizer, people[:4])
    for person in people[:3]:
        question = await person.open_click(get_season_message(sim), "Withdraw")
        await person.click(question, label="Leave the season")
    await wait_until_seasons_idle(sim)
    assert has_sentence(read_season(sim), "league.over_nobody")
    assert "won by" not in read_season(sim)


async def test_hidden_season_is_not_shown_to_others(sim: SimGuild, people: list[Member], organizer: Member) -> None:
    await announce_league(sim, organizer, people[:4])
    number = (await load_season(sim)).head.season_id
    other = sim.guild.create_text_channel("elsewhere")
    hide_channel(sim, sim.channel)
    *_, eve = people
    assert has_sentence(read_private_text(await eve.slash(other, "tiles-league table")), "no.NO_SUCH_SEASON")
    view = discord.ui.View()
    for verb in ("signup", "signoff", "season", "seasonrules"):
        view.add_item(discord.ui.Button(label=verb, custom_id=f"by:{verb}:{number}"))
    forged = await sim.client.get_partial_messageable(other.id).send(view=view)
    for verb in read_button_ids(forged):
        assert has_sentence(await eve.read_click(forged, verb), "no.NO_SUCH_SEASON"), verb
    for who in (people[0], organizer):
        assert "Spring · season 1" in read_private_text(await who.slash(other, "tiles-league table"))


async def test_foreign_season_is_hidden(sim: SimGuild, people: list[Member], organizer: Member) -> None:
    await announce_league(sim, organizer, [])
    number = (await load_season(sim)).head.season_id
    foreign = sim.env.create_guild("Elsewhere")
    channel = foreign.create_text_channel("general")
    stranger = foreign.add_member(sim.env.create_user("stranger"))
    posted = await sim.client.get_partial_messageable(channel.id).send(
        view=discord.ui.View().add_item(discord.ui.Button(label="Up", custom_id=f"by:signup:{number}"))
    )
    assert has_sentence(read_private_text(await stranger.click(posted, label="Up")), "no.NO_SUCH_SEASON")
