"""The *Review* button: what the choices of a match cost, what was luck, and what decided it.

Each player sees it privately; one of them may show it to everyone.
"""

from typing import Final

from bot.core.context import Context
from bot.core.dispatch import register_handler
from bot.core.pictures import build_file, draw_in_thread
from bot.core.profile_sections import SECTIONS, ProfileSection
from bot.reviews import page_views, views
from bot.reviews.page_views import build_luckiest_draw_page
from bot.reviews.posts import ReviewProgressUpdater
from bot.reviews.service import ReviewJob, ReviewService
from bot.reviews.views import ReviewPages
from bot.tables.board_views import END_BUTTONS, EndButton
from bot.tables.messages import Content
from bot.tables.past_match import Replay
from bot.tables.visible_tables import load_past_match
from data.store.reviews.store import ReviewStore
from engine.match.events import Drew
from engine.reviews.findings import Review
from engine.table.refusals import Refusal, RefusalError


@register_handler("review")
async def show_review(ctx: Context) -> None:
    """Show a page of a review, or its progress. The argument or the chosen value ends with the page."""
    past = await _load_reviewable_match(ctx)
    if past is None:
        return
    reviews, match_id = ctx.services[ReviewService], past.head.match_id
    review = await reviews.load(past)
    if review is not None:
        await ctx.show(await _build_page(ctx, past, review, ctx.values[0] if ctx.values else ctx.custom_id.argument))
        return
    job = reviews.request(ctx.user_id, past)
    if not isinstance(job, ReviewJob):
        await ctx.say(ctx.words(f"review.{job}"))
        return
    message_id = await ctx.show(Content(views.build_waiting_view(job, ctx.words)))

    async def build_content() -> Content:
        if not job.is_over:
            return Content(views.build_waiting_view(job, ctx.words))
        if job.review is None:
            return Content(views.build_failed_view(match_id, ctx.words))
        # Read again: a user's data may have been erased since the first read.
        over = await load_past_match(ctx, match_id)
        return await _build_page(ctx, over or past, job.review, "")

    ctx.services[ReviewProgressUpdater].follow(
        (ctx.user_id, match_id), job, message_id, ctx.interaction.followup, build_content
    )


@register_handler("showreview")
async def post_review(ctx: Context) -> None:
    """Post the overview of the review in the channel of the match."""
    past = await _load_reviewable_match(ctx)
    if past is None:
        return
    reviews, match_id = ctx.services[ReviewService], past.head.match_id
    review = await reviews.load(past)
    if review is None or not _can_show(ctx, past):
        raise RefusalError(Refusal.UNKNOWN_BUTTON)
    showing = await reviews.begin_showing(match_id)
    if showing is None:
        await ctx.say_separately(ctx.words("review.shown_before"))
        return
    try:
        messages = await ctx.services.languages.load_guild_messages(past.head.guild_id)
        names = await messages.load_names(past.end)
        image, alt = await draw_in_thread(views.render_overview, past, review, names, messages.words, messages.scheme)
        view = views.build_overview_view(past, review, names, messages.words, alt, is_private=False, can_show=False)
        await ctx.show_publicly(Content(view, [build_file(views.REVIEW_FILE, image, alt)]))
    except BaseException:
        await reviews.undo_showing(match_id, showing)
        raise


async def _load_reviewable_match(ctx: Context) -> Replay | None:
    """Return the match that is meant; None, with a reply, if it runs or the user did not play."""
    past = await load_past_match(ctx, ctx.custom_id.table)
    if past is None:
        await ctx.say(ctx.words("review.not_over"))
        return None
    if not _has_played(ctx, past) and not await ctx.services[ReviewService].was_shown(past.head.match_id):
        await ctx.say(ctx.words("review.not_yours"))
        return None
    return past


def _has_played(ctx: Context, past: Replay) -> bool:
    return past.end.find_seat(ctx.user_id) is not None or ctx.user_id in past.end.state.match_players


def _can_show(ctx: Context, past: Replay) -> bool:
    """Return whether the user may show the review to everyone: they played, and the match was here."""
    return _has_played(ctx, past) and ctx.interaction.channel_id == past.head.channel_id


async def _build_page(ctx: Context, past: Replay, review: Review, argument: str) -> Content:
    words, scheme, pages = ctx.words, ctx.scheme, ReviewPages(review)
    names, number = await ctx.messages.load_names(past.end), pages.parse_page(argument)
    if not number:
        image, alt = await draw_in_thread(views.render_overview, past, review, names, words, scheme)
        can_show = _can_show(ctx, past)
        view = views.build_overview_view(past, review, names, words, alt, is_private=True, can_show=can_show)
        return Content(view, [build_file(views.REVIEW_FILE, image, alt)])
    if number == pages.draws_page:
        drew = past.events[review.draws[0].at]
        assert isinstance(drew, Drew)
        assert drew.tile is not None
        _, after = past.replay_around(review.draws[0].at)
        names_then = await ctx.messages.load_names(after)
        page = await draw_in_thread(build_luckiest_draw_page, review.draws, drew.tile, after, names_then, words, scheme)
    elif (moment := pages.find_moment(number)) is not None:
        _, after = past.replay_around(moment)
        names_then = await ctx.messages.load_names(after)
        page = await draw_in_thread(page_views.build_moment_page, past, pages, number, after, names_then, words, scheme)
    else:
        before, _ = past.replay_around(pages.get_choice(number).at)
        names_then = await ctx.messages.load_names(before)
        page = await draw_in_thread(page_views.build_choice_page, pages, number, before, names_then, words, scheme)
    labels = page_views.format_labels(pages, names, words)
    view = views.build_page_view(past.head.match_id, page, number, pages.last_page, labels, words)
    return Content(view, [build_file(views.REVIEW_FILE, page.image, page.alt)])


MAX_REVIEWS: Final = 300  # the newest reviews that a profile uses


class ReviewsSection(ProfileSection):
    async def format_own_lines(self, ctx: Context, game: str, length: int) -> str:
        reviews = ReviewStore(ctx.services.store.transactions)
        reviewed = await reviews.list_own_reviews(ctx.user_id, game, limit=MAX_REVIEWS)
        months = views.summarize_months((one.ended_at, one.facts) for one in reviewed)
        return views.format_months(ctx.words, months, used=length)

    async def format_rivals_lines(
        self, ctx: Context, players: tuple[int, int], names: tuple[str, str], game: str | None
    ) -> str:
        reviews = ReviewStore(ctx.services.store.transactions)
        reviewed = await reviews.list_shared_reviews(ctx.guild_id, *players, game=game, limit=MAX_REVIEWS)
        luck = views.compare_reviewed_luck((*one.facts, one.seats) for one in reviewed)
        return views.format_luck_comparison(ctx.words, names, luck)


SECTIONS.append(ReviewsSection())
END_BUTTONS.append(EndButton("review.button", views.REVIEW_VERB, frozenset({"end", "replay"})))
