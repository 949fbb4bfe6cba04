"""Leagues and tournaments: seasons with sign-up, fixtures, tables, brackets and titles."""

from bot.core.services import App
from bot.leagues.commands import leagues
from bot.leagues.posts import FixturePosts, SeasonMessages
from bot.leagues.season_jobs import SeasonRunner
from bot.leagues.service import LeagueService, SeasonTitleFinder
from data.store.outbox.outbox_values import FIXTURE


def register(app: App) -> None:
    core = app.services
    book = app.add(LeagueService(core.store, core.tables, core.acts, core.now))
    app.add(SeasonTitleFinder(core.store))
    messages = SeasonMessages(app.sender, core.languages, app.names)
    seasons = app.add(
        SeasonRunner(app.sender, core.store, book, core.languages, messages, core.announcer, core.scheduler, core.now)
    )
    app.publisher.writers[FIXTURE] = FixturePosts(app.sender, core.store, core.languages, book).build_call
    app.groups.append(leagues)
    app.sweep_jobs.append(lambda: seasons.sweep(core.presence.connected_shards))
    app.drain_jobs.append(seasons.wait_until_idle)
    app.on_message.append(seasons.delete_thread_notice)
    app.on_thread_delete.append(seasons.reopen_deleted_thread)
