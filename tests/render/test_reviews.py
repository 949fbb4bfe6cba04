"""The picture of a review."""

from render.reviews.picture import ResultCurves, ReviewLine, ReviewWords, render_review


def test_review_without_any_result_has_picture() -> None:
    words = ReviewWords("Review", "Triominoes", (), ("Accuracy", "Luck", "Skill"))
    lines = [ReviewLine(seat, name, None, None, None) for seat, name in enumerate(("Ada", "Grace"))]
    assert render_review(words, lines, ResultCurves((), (), ())).width == 1200
