"""Reviews of finished matches: what the choices cost, what was luck, and where it was decided."""

from bot.core.services import App


def register(app: App) -> None:
    # Imported here because the worker process imports this package and needs no Discord.
    from bot.reviews.posts import AwaitedReviews
    from bot.reviews.service import Reviews

    reviews = app.add(Reviews(app.services.store, app.services.now, app.workers.get("reviews")))
    awaited = app.add(AwaitedReviews())
    app.ends += [reviews.end, awaited.end]
