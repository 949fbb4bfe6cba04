"""For one player: solo puzzles, and the score attack of the day."""

from functools import partial

from bot.core.services import App


def register(app: App) -> None:
    # Imported here because the worker process imports this package and needs no Discord.
    from bot.solo.service import FigureService, ScoreAttackService, prune
    from data.store.solo.store import SoloStore

    figures = app.add(FigureService(app.services.store, app.services.now))
    app.add(ScoreAttackService(app.services.store, app.services.now, app.secret))
    app.services.cleanup.prune_hooks.append(partial(prune, SoloStore(app.services.store.transactions)))
    app.shutdown_jobs.append(figures.end)
