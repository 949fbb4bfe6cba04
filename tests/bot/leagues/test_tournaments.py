"""Tournaments of an evening in Discord, from the announcement to the winner."""

from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import discord
import pytest

from bot.core.safe_text import escape_text
from bot.leagues import views as leagues_views
from bot.leagues.season_jobs import SeasonRunner
from bot.leagues.service import LeagueSeason, LeagueService
from bot.tables.lobbies import TableRequest
from data.store.leagues.store import SeasonStore
from data.words import list_languages, load_words
from engine.leagues.season import MAX_PLAYERS, Season
from engine.leagues.standings import list_winners
from engine.table.refusals import Refusal, RefusalError
from tests.bot.leagues.simulated_seasons import (
    MINUTE_IN_HOURS,
    announce_tournament,
    finish_round,
    get_season_message,
    kill_while_opening,
    load_season,
    pass_hours,
    read_season,
    resign_in_thread,
    run_seasons,
    set_thread_permission,
    start_tournament,
    wait_until_seasons_idle,
)
from tests.bot.member import Member
from tests.bot.messages import read_button_ids, read_text
from tests.bot.simulated_guild import SimGuild
from tests.engine.league.season_builders import build_tournament, decide_for_stronger
from tests.wording import en, has_sentence


async def test_swiss_tournament_runs_from_announcement_to_winner(
    sim: SimGuild, guests: list[Member], organizer: Member
) -> None:
    answer = await organizer.read_command("tiles-league tournament", name="Friday", kind="swiss")
    assert answer == en("tournament.announced", channel=f"<#{sim.channel.id}>")
    shown = read_season(sim)
    assert shown.startswith("## Friday\nSwiss tournament · Triominoes")
    assert has_sentence(shown, "tournament.signup", minutes="45 minutes")
    assert {"Sign up", "Withdraw", "How it works"} == set(read_button_ids(get_season_message(sim)))
    assert has_sentence(
        await guests[0].read_click(get_season_message(sim), "Sign up"), "tournament.signed_up", name="Friday"
    )
    rules = await guests[1].read_click(get_season_message(sim), "How it works")
    assert has_sentence(rules, "tournament.how_swiss")
    assert has_sentence(rules, "tournament.how_common")
    for person in guests[1:5]:
        await person.click(get_season_message(sim), label="Sign up")
    await pass_hours(sim, 31 * MINUTE_IN_HOURS)

    found = await load_season(sim)
    assert len(sim.channel.threads) == 2, "of five, one has no opponent"
    shown = read_season(sim)
    assert has_sentence(shown, "tournament.running", n=1, all=3, done=0, matches=2)
    assert en("tournament.rests_swiss", name="").removeprefix(": ") in shown
    assert shown.count(": in progress") == 2
    calls = [
        one
        for thread in sim.channel.threads
        for one in sim.list_public_messages(thread)
        if has_sentence(one.content, "league.call")
    ]
    assert len(calls) == 2
    for number in (1, 2, 3):
        assert (found.season.state, found.season.round) == ("running", number - 1)
        found = await finish_round(sim)

    assert found.season.state == "over"
    last = read_season(sim)
    assert has_sentence(last, "tournament.over")
    assert "Buchholz" in last
    assert len(sim.list_public_messages()) == 1, "one message, and no line for each thread"
    shown = await guests[0].open_click(get_season_message(sim), "Standings")
    assert shown.attachments[0].filename == "league.png"
    assert "Friday, Round 3 of 3: 1. " in (shown.attachments[0].description or "")
    assert "Buchholz" in (shown.attachments[0].description or "")
    assert "**Your matches**" in read_text(shown)


async def test_knock_out_shows_bracket_and_advancing_players(
    sim: SimGuild, guests: list[Member], organizer: Member
) -> None:
    found = await start_tournament(sim, organizer, guests, "knockout")
    assert len(sim.channel.threads) == 2
    assert read_season(sim).count(en("tournament.rests_knockout", name="").removeprefix(": ")) == 2
    while found.season.state == "running":
        found = await finish_round(sim)
    shown = read_season(sim)
    (best,) = list_winners(found.season)
    assert [shown.index(f"Round {number} of 3") for number in (3, 2, 1)] == sorted(
        shown.index(f"Round {number} of 3") for number in (3, 2, 1)
    )
    assert (shown.count(" advances"), shown.count(" wins")) == (4, 1), "nobody advances from the last match"
    user = found.user_ids[best]
    assert en("tournament.over", winner=f"**{sim.members[user].user.global_name}**") in shown
    shown = (await guests[0].open_click(get_season_message(sim), "Standings")).attachments[0]
    alt = shown.description or ""
    name = sim.members[user].user.global_name
    assert alt.startswith(f"Bracket of Friday, Knockout tournament: The tournament is over. Winner: {name}. Final: ")
    assert all(f"{one.user.global_name}" in alt for one in guests)
    assert (alt.count(" advances"), alt.count(f"{name} wins (")) == (4, 1)
    assert alt.index("Final:") < alt.index("Semifinals:") < alt.index("Quarterfinals:")


async def test_message_between_rounds_shows_start_of_next_round(
    sim: SimGuild, guests: list[Member], organizer: Member
) -> None:
    await start_tournament(sim, organizer, guests[:4])
    for thread in list(sim.channel.threads):
        await resign_in_thread(sim, thread)
    found = await load_season(sim)
    assert found.season.round == 1
    assert f"Round 2 of 2 opens <t:{found.season.round_at // 1000}:R>." in read_season(sim)
    assert len(sim.channel.threads) == 2
    await pass_hours(sim, 2.1 * MINUTE_IN_HOURS)
    assert len(sim.channel.threads) == 4


async def test_absent_player_delays_others_by_at_most_one_round(
    sim: SimGuild, guests: list[Member], organizer: Member
) -> None:
    found = await start_tournament(sim, organizer, guests[:4])
    await resign_in_thread(sim, sim.channel.threads[0])
    await sim.wait(hours=44 * MINUTE_IN_HOURS)
    assert (await load_season(sim)).season.round == 0
    await pass_hours(sim, 2 * MINUTE_IN_HOURS)
    found = await load_season(sim)
    late = found.season.decisions[found.season.fixtures[1].number]
    assert late.how in ("judged", "forfeit", "played")
    assert found.season.leavers, "who was away is not paired again"
    assert found.season.round == 1 or found.season.state == "over"


async def test_tournament_refusals_are_private(sim: SimGuild, guests: list[Member], organizer: Member) -> None:
    ann = guests[0]
    answer = await ann.read_command("tiles-league tournament", name="Mine", kind="swiss")
    assert has_sentence(answer, "no.MODERATORS_ONLY")
    answer = await organizer.read_command("tiles-league tournament", name="Slow", kind="swiss", clock="3d")
    assert has_sentence(answer, "no.CLOCK_NOT_LIVE")
    assert await SeasonStore(sim.store.transactions).list_seasons(sim.guild.id) == []
    found = await start_tournament(sim, organizer, guests[:3])
    assert has_sentence(read_season(sim), "tournament.off_few")
    found = await start_tournament(sim, organizer, guests[:4])
    assert has_sentence(await organizer.read_command("tiles-league begin"), "no.TOURNAMENT_BEGUN")
    question = await ann.open_click(get_season_message(sim), "Withdraw")
    assert has_sentence(await ann.read_click(question, "Leave the tournament"), "tournament.left")
    await wait_until_seasons_idle(sim)
    assert has_sentence(await ann.read_click(get_season_message(sim), "Withdraw"), "no.NOT_IN_TOURNAMENT")
    assert has_sentence(await organizer.read_command("tiles-league end"), "tournament.ended")
    assert (await load_season(sim)).head.season_id == found.head.season_id
    assert has_sentence(read_season(sim), "tournament.over")


async def test_kill_between_rounds_opens_no_match_twice(
    sim: SimGuild, guests: list[Member], organizer: Member, monkeypatch: pytest.MonkeyPatch
) -> None:
    await start_tournament(sim, organizer, guests[:4])
    for thread in list(sim.channel.threads):
        await resign_in_thread(sim, thread)
    await kill_while_opening(sim, monkeypatch, 2.1 * MINUTE_IN_HOURS)
    await pass_hours(sim, 2.1 * MINUTE_IN_HOURS)

    found = await load_season(sim)
    assert len(set(found.season.match_ids.values())) == 4
    assert len(sim.channel.threads) == 4


async def test_round_without_thread_permission_is_postponed_with_reason(
    sim: SimGuild, guests: list[Member], organizer: Member
) -> None:
    await announce_tournament(sim, organizer, guests[:4])
    set_thread_permission(sim, allowed=False)
    await run_seasons(sim, 31 * MINUTE_IN_HOURS)
    permission = en("permission.create_public_threads")
    for text in (read_season(sim), await guests[0].read_command("tiles-league table")):
        assert has_sentence(text, "league.no_rights", permissions=permission)
    assert sim.channel.threads == []
    await run_seasons(sim, 46 * MINUTE_IN_HOURS)
    assert (await load_season(sim)).season.is_delayed
    set_thread_permission(sim, allowed=True)
    await pass_hours(sim, 6 * MINUTE_IN_HOURS)
    assert len(sim.channel.threads) == 2
    assert not has_sentence(read_season(sim), "league.no_rights")


async def test_large_bracket_has_pages_and_starts_with_own_part(
    sim: SimGuild, guests: list[Member], organizer: Member
) -> None:
    await organizer.use_command("tiles-league tournament", name="Friday", kind="knockout", target=60)
    (head,) = await SeasonStore(sim.store.transactions).list_seasons(sim.guild.id)
    league_service = sim.client.services[LeagueService]
    for number in range(1, 17):
        await league_service.sign_up(head.season_id, sim.guild.id, 9000 + number)
    await guests[0].click(get_season_message(sim), label="Sign up")
    await run_seasons(sim, 31 * MINUTE_IN_HOURS)
    shown = await guests[0].open_click(get_season_message(sim), "Standings")
    own_part = shown.attachments[0].description or ""
    assert "part 2 of 3" in own_part, "the last seed meets the sixteenth, in the upper half"
    assert "Ann" in own_part
    later = await guests[0].open_click(shown, "Next ▶")
    assert "part 3 of 3" in (later.attachments[0].description or "")
    assert "Ann" not in (later.attachments[0].description or "")
    back = await guests[0].open_click(later, "◀ Previous")
    first = await guests[0].open_click(back, "◀ Previous")
    assert "part 1 of 3" in (first.attachments[0].description or "")
    assert "Semifinals" not in (first.attachments[0].description or ""), "nobody is known there yet"


@pytest.mark.parametrize("kind", ["swiss", "knockout"])
async def test_full_tournament_fits_message_limit_in_every_language(sim: SimGuild, kind: str) -> None:
    season = build_tournament(MAX_PLAYERS, kind)
    while season.state == "running":
        season = decide_for_stronger(season, [one.number for one in season.undecided_fixtures])
    head = (await sim.client.services[LeagueService].announce(_build_request(sim), season.conditions, request=1)).head
    found = LeagueSeason(head, season, dict.fromkeys(season.divisions[0]))
    names = dict.fromkeys(season.divisions[0], "W" * 32)
    for language in list_languages():
        words = load_words(language)
        view = leagues_views.build_season_view(found, leagues_views.SeasonNames(names, names), words)
        text = "".join(one.content for one in view.walk_children() if isinstance(one, discord.ui.TextDisplay))
        assert len(text) < 4000, language
        assert len(leagues_views.format_season_rules(found, words)) < 4000


def _build_request(sim: SimGuild) -> TableRequest:
    return TableRequest(
        guild_id=sim.guild.id,
        channel_id=sim.channel.id,
        host_id=1,
        game="triominoes",
        seats=2,
        target=100,
        clock="live 3m",
    )


def test_table_legend_explains_signs_except_for_players_who_left() -> None:
    season = decide_for_stronger(
        build_tournament(5), [1, 2]
    )  # player 5 has a bye, and player 4 has one in the next round
    names = dict.fromkeys(season.divisions[0], "Someone")
    head: Any = SimpleNamespace(season_id=1, trouble=None)
    season_names = leagues_views.SeasonNames(names, names)

    def format_table_text(shown: Season) -> str:
        view = leagues_views.build_table_view(LeagueSeason(head, shown, {}), 0, [], season_names, "", load_words())
        return "".join(one.content for one in view.walk_children() if isinstance(one, discord.ui.TextDisplay))

    assert has_sentence(
        format_table_text(season), "league.rounds", signs=f"● won · ○ lost · – {en('league.round_bye')}"
    )
    assert "-# Rounds: ● won · ○ lost\n" in format_table_text(replace(season, leavers={4: False, 5: False})) + "\n"


def test_picture_of_full_tournament_is_readable() -> None:
    season = build_tournament(MAX_PLAYERS)
    names = {player: f"Player {player}" for player in season.divisions[0]}
    head: Any = None
    found = LeagueSeason(head, season, {})
    lines = leagues_views.build_picture_lines(found, 0, leagues_views.SeasonNames(names, names))
    assert [line.name for line in lines] == [f"Player {number}" for number in range(1, 17)]


async def test_players_with_same_name_are_distinguished_in_tournament(
    sim: SimGuild, guests: list[Member], organizer: Member
) -> None:
    twin = sim.guild.add_member(sim.env.create_user("other", global_name="Ann"))
    sim.members[twin.id] = twin
    found = await start_tournament(sim, organizer, [*guests[:3], twin], "knockout")
    shown = read_season(sim)
    twins = ["Ann (@ann)", "Ann (@other)"]
    assert [shown.count(escape_text(name)) for name in twins] == [1, 1]
    assert "Ben" in shown
    assert "Ben (" not in shown
    picture = get_season_message(sim).attachments[0].description or ""
    assert [picture.count(name) for name in twins] == [1, 1]
    assert sum(twins[0] in one.name for one in sim.channel.threads) == 1
    assert found.user_ids[1] == guests[0].id


async def test_moved_tournament_has_one_message_and_finished_one_stays(
    sim: SimGuild, guests: list[Member], organizer: Member
) -> None:
    await start_tournament(sim, organizer, guests[:4])
    assert has_sentence(await organizer.read_command("tiles-league move"), "league.moved")
    await wait_until_seasons_idle(sim)
    assert len(sim.list_public_messages()) == 1, "it came to the bottom, and no second one stands above"
    elsewhere = sim.guild.create_text_channel("elsewhere")
    await organizer.slash(elsewhere, "tiles-league move")
    await wait_until_seasons_idle(sim)
    assert (len(sim.list_public_messages()), len(sim.list_public_messages(elsewhere))) == (0, 1)
    assert "Standings" in read_button_ids(sim.list_public_messages(elsewhere)[-1])
    await organizer.slash(elsewhere, "tiles-league end")
    await wait_until_seasons_idle(sim)
    before = [one.id for one in sim.list_public_messages(elsewhere)]
    assert has_sentence(await organizer.read_command("tiles-league move"), "no.TOURNAMENT_OVER")
    assert [one.id for one in sim.list_public_messages(elsewhere)] == before


async def test_last_remaining_player_wins_tournament_and_buttons_disappear(
    sim: SimGuild, guests: list[Member], organizer: Member
) -> None:
    for kind in ("knockout", "swiss"):
        found = await start_tournament(sim, organizer, guests[:4], kind)
        for person in guests[:3]:
            question = await person.open_click(get_season_message(sim), "Withdraw")
            await person.click(question, label="Leave the tournament")
            await wait_until_seasons_idle(sim)
        for _ in range(3):
            if (found := await load_season(sim)).season.state == "running":
                found = await finish_round(sim)
        assert found.season.state == "over"
        assert en("tournament.over", winner="**Dan**") in read_season(sim)
        assert {"Standings", "How it works"} == set(read_button_ids(get_season_message(sim)))


async def test_refused_match_is_reported_and_not_retried_forever(
    sim: SimGuild, guests: list[Member], organizer: Member, monkeypatch: pytest.MonkeyPatch
) -> None:
    await announce_tournament(sim, organizer, guests[:4])
    league_service, tries = sim.client.services[LeagueService], []

    async def refuse_match(*_: object) -> None:
        tries.append(sim.clock())
        raise RefusalError(Refusal.CHANNEL_BUSY)

    with monkeypatch.context() as patched:
        patched.setattr(league_service, "open", refuse_match)
        await sim.wait(hours=31 * MINUTE_IN_HOURS)
        for _ in range(5):
            await sim.client.services[SeasonRunner].sweep()
            await sim.client.services[SeasonRunner].wait_until_idle()
    assert 1 <= len(tries) <= 2, "it waits for longer each time before it tries again"
    assert len((await sim.store.operations.load_backlog(now=sim.clock(), guild_id=sim.guild.id)).stalled) == 1
    assert en("league.held_up") in read_season(sim)
    await pass_hours(sim, 2 * MINUTE_IN_HOURS)
    assert len(sim.channel.threads) == 2
    assert en("league.held_up") not in read_season(sim)
