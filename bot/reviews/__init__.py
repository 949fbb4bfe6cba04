"""Reviews of finished matches: what the choices cost, what was luck, and where it was decided."""

from bot.core.services import App


def register(app: App) -> None:
    # Imported here because the worker process imports this package and needs no Discord.
    from bot.reviews.posts import ReviewProgressUpdater
    from bot.reviews.service import ReviewService

    reviews = app.add(ReviewService(app.services.store, app.services.now, app.workers.get("reviews")))
    awaited = app.add(ReviewProgressUpdater())
    app.shutdown_jobs += [reviews.end, awaited.end]
