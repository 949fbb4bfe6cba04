"""Leagues and tournaments: seasons with sign-up, fixtures, tables, brackets and titles."""

from bot.core.services import App
from bot.leagues.commands import leagues
from bot.leagues.posts import FixturePosts, SeasonMessages
from bot.leagues.season_jobs import Seasons
from bot.leagues.service import LeagueBook, SeasonTitles


def register(app: App) -> None:
    core = app.services
    book = app.add(LeagueBook(core.store, core.tables, core.acts, core.guilds, core.now))
    app.add(SeasonTitles(core.store))
    messages = SeasonMessages(app.sender, core.languages, app.names)
    seasons = app.add(
        Seasons(app.sender, core.store, book, core.languages, messages, core.announcer, core.scheduler, core.now)
    )
    app.publisher.writers |= FixturePosts(app.sender, core.store, core.languages, book).writers
    app.groups.append(leagues)
    app.sweeps.append(lambda: seasons.sweep(core.presence.heard))
    app.idles.append(seasons.idle)
    app.on_message.append(seasons.noticed)
    app.on_thread_delete.append(seasons.thread_deleted)
