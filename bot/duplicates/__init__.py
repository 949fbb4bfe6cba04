"""Duplicate deals: the same tiles at many tables, sealed until they are opened, and how the tables compare."""

from bot.core.services import App
from bot.duplicates.commands import deal_group
from bot.duplicates.posts import DealNewsPosts, DealPosts
from bot.duplicates.service import DuplicateDeals
from data.store.duplicates.deals import DEAL


def register(app: App) -> None:
    core = app.services
    deals = core.acts.deals = app.add(DuplicateDeals(core.store, core.tables, core.now, app.secret))
    posts = app.add(DealPosts(deals, core.store, app.names, core.languages, core.now))
    news = app.add(DealNewsPosts(app.sender, core.store, posts, core.languages, core.now))
    app.publisher.writers[DEAL] = posts.build_comparison_post
    app.groups.append(deal_group)
    app.sweep_jobs += [lambda: posts.sweep(core.announcer), lambda: news.sweep(core.presence.connected_shards)]
    app.drain_jobs.append(news.wait_until_idle)
