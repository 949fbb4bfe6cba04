"""The *Review* button: what the choices of a match cost, what was luck, and what decided it.

Each player sees it privately; one of them may show it to everyone.
"""

from typing import Final

from bot.core.context import Context
from bot.core.dispatch import handles
from bot.core.names import Names
from bot.core.pictures import drawn, file
from bot.core.profile_sections import SECTIONS, ProfileSection
from bot.reviews import page_views
from bot.reviews import views as reviews_views
from bot.reviews.page_views import ReviewPage, luckiest_draw_leaf
from bot.reviews.posts import AwaitedReviews
from bot.reviews.service import Reviewing, Reviews
from bot.reviews.views import Pages
from bot.tables.board_views import END_BUTTONS, EndButton
from bot.tables.messages import Content
from bot.tables.past_match import Replay
from bot.tables.visible_tables import load_past_match
from data.store.reviews.store import ReviewStore
from engine.match.events import Drew
from engine.reviews.findings import Review
from engine.table.refusals import No, Refused


@handles("review")
async def show_review(ctx: Context) -> None:
    """Show a page of a review, or its progress. The argument or the chosen value ends with the page."""
    past = await _theirs(ctx)
    if past is None:
        return
    reviews, match_id = ctx.services[Reviews], past.head.match_id
    review = await reviews.kept(past)
    if review is not None:
        await ctx.show(await _page(ctx, past, review, ctx.values[0] if ctx.values else ctx.press.argument))
        return
    making = reviews.ask(ctx.user_id, past)
    if not isinstance(making, Reviewing):
        await ctx.say(ctx.words(f"review.{making}"))
        return
    message_id = await ctx.show(_so_far(ctx, making))

    async def content() -> Content:
        if not making.over:
            return _so_far(ctx, making)
        if making.review is None:
            return Content(reviews_views.failed_view(match_id, ctx.words))
        # Read again: a user's data may have been erased since the first read.
        over = await load_past_match(ctx, match_id)
        return await _page(ctx, over or past, making.review, "")

    ctx.services[AwaitedReviews].follow((ctx.user_id, match_id), making, message_id, ctx.interaction.followup, content)


@handles("showreview")
async def show_all(ctx: Context) -> None:
    """Post the overview of the review in the channel of the match."""
    past = await _theirs(ctx)
    if past is None:
        return
    reviews, match_id = ctx.services[Reviews], past.head.match_id
    review = await reviews.kept(past)
    if review is None or not _shows(ctx, past):
        raise Refused(No.UNKNOWN_BUTTON)
    showing = await reviews.begin_showing(match_id)
    if showing is None:
        await ctx.aside(ctx.words("review.shown_before"))
        return
    try:
        messages = await ctx.services.languages.messages_at(past.head.guild_id)
        names = await messages.names(past.end)
        image, alt = await drawn(reviews_views.overview, past, review, names, messages.words, messages.scheme)
        view = reviews_views.overview_view(past, review, names, messages.words, alt, alone=False, shows=False)
        await ctx.show_everybody(Content(view, [file(reviews_views.REVIEW_FILE, image, alt)]))
    except BaseException:
        await reviews.not_shown(match_id, showing)
        raise


async def _theirs(ctx: Context) -> Replay | None:
    """Return the match that is meant; None, with a reply, if it runs or the user did not play."""
    past = await load_past_match(ctx, ctx.press.table)
    if past is None:
        await ctx.say(ctx.words("review.not_over"))
        return None
    if not _played(ctx, past) and not await ctx.services[Reviews].was_shown(past.head.match_id):
        await ctx.say(ctx.words("review.not_yours"))
        return None
    return past


def _played(ctx: Context, past: Replay) -> bool:
    return past.end.seat_of(ctx.user_id) is not None or ctx.user_id in past.end.state.played


def _shows(ctx: Context, past: Replay) -> bool:
    """Return whether the user may show the review to everyone: they played, and the match was here."""
    return _played(ctx, past) and ctx.interaction.channel_id == past.head.channel_id


def _so_far(ctx: Context, making: Reviewing) -> Content:
    return Content(reviews_views.waiting_view(making, ctx.words))


async def _page(ctx: Context, past: Replay, review: Review, asked: str) -> Content:
    words, scheme, pages = ctx.words, ctx.scheme, Pages(review)
    names, number = await ctx.messages.names(past.end), pages.asked(asked)
    if not number:
        image, alt = await drawn(reviews_views.overview, past, review, names, words, scheme)
        view = reviews_views.overview_view(past, review, names, words, alt, alone=True, shows=_shows(ctx, past))
        return Content(view, [file(reviews_views.REVIEW_FILE, image, alt)])
    if number == pages.draws_page:
        drew = past.events[review.draws[0].at]
        assert isinstance(drew, Drew)
        assert drew.tile is not None
        _, after = past.around(review.draws[0].at)
        then = await ctx.messages.names(after)
        leaf = await drawn(luckiest_draw_leaf, review.draws, drew.tile, after, then, words, scheme)
        return _leaf(ctx, past, pages, number, leaf, names)
    moment = pages.moment(number)
    before, after = past.around(pages.choice(number).at if moment is None else moment)
    if moment is None:
        then = await ctx.messages.names(before)
        leaf = await drawn(page_views.choice_leaf, pages, number, before, then, words, scheme)
    else:
        then = await ctx.messages.names(after)
        leaf = await drawn(page_views.moment_leaf, past, pages, number, after, then, words, scheme)
    return _leaf(ctx, past, pages, number, leaf, names)


def _leaf(ctx: Context, past: Replay, pages: Pages, number: int, leaf: ReviewPage, names: Names) -> Content:
    called = page_views.labels(pages, names, ctx.words)
    view = reviews_views.page_view(
        past.head.match_id, pages, number, leaf.title, leaf.lines, ctx.words, leaf.alt, called
    )
    return Content(view, [file(reviews_views.REVIEW_FILE, leaf.image, leaf.alt)])


REVIEWED: Final = 300  # the newest reviews that a profile uses


class ReviewsSection(ProfileSection):
    async def own_text(self, ctx: Context, game: str, length: int) -> str:
        reviewed = await ReviewStore(ctx.services.store.transactions).reviewed(ctx.user_id, game, limit=REVIEWED)
        months = reviews_views.reviewed_months((one.ended_at, one.facts) for one in reviewed)
        return reviews_views.months_told(ctx.words, months, said=length)

    async def rivals_text(
        self, ctx: Context, players: tuple[int, int], names: tuple[str, str], game: str | None
    ) -> str:
        met = await ReviewStore(ctx.services.store.transactions).reviewed_together(
            ctx.guild_id, *players, game=game, limit=REVIEWED
        )
        return reviews_views.luckier_text(
            ctx.words, names, reviews_views.reviewed_between((*one.facts, one.seats) for one in met)
        )


SECTIONS.append(ReviewsSection())
END_BUTTONS.append(EndButton("review.button", reviews_views.VERB, frozenset({"end", "replay"})))
